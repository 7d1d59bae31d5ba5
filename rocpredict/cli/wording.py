"""The library's words in those of the command line."""

import re

_ARGUMENTS = (
    *("mean", "std", "sem", "median", "iqr", "effect_size", "count", "prevalence", "criterion", "beta", "value"),
    *("positive", "negative", "cost_fp", "cost_fn"),
    *("family", "auc", "width", "power", "against", "against_mean", "against_std", "correlation", "tpr_at_fpr"),
    *("level", "alternative", "ratio", "method", "margin", "direction", "n_top", "engine", "label", "exclude"),
    *("port", "date", "feature"),
)
"""What the library calls ``name=`` and the command line ``--name``."""
_RENAMED = {"n_resamples": "resamples", "rng": "seed", "n_jobs": "jobs", "by": "sort", "k": "top", "only": "feature"}
"""What the command line calls otherwise."""


def in_options(message: str) -> str:
    """Say the library's words as the command line's: ``sem= needs count=`` as ``--sem needs --count``."""
    message = message.replace("nan_policy='omit' leaves", "--nan omit leaves")
    message = message.replace("rp.empirical_roc", "the empirical curve")
    names = rf"\b({'|'.join([*_ARGUMENTS, *_RENAMED])})"
    named = re.sub(names + r"=(?=[\s,;)]|$)", lambda found: _option(found[1]), message)
    return re.sub(names + r"=", lambda found: f"{_option(found[1])} ", named)


def _option(argument: str) -> str:
    return f"--{_RENAMED.get(argument, argument).replace('_', '-')}"

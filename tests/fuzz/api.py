"""Call public functions with hostile arguments: ``python -m tests.fuzz.api --count 10000 --seed 0``."""

import copy
import inspect
import pickle
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import rocpredict as rp
from rocpredict.base.results import Result
from rocpredict.base.validation import AssumptionWarning
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.inference.hypotheses import ALTERNATIVES, ONE_SAMPLE_METHODS
from rocpredict.inference.intervals import AUC_METHODS
from rocpredict.solvers.thresholds import CRITERIA
from tests.fuzz.outcomes import Outcome, TooLongError, empty_folder, main, time_limit
from tests.fuzz.values import DISTRIBUTIONS, JUNK, LABELS, NUMBERS, SAMPLES, TABLE, TABLES, TEXT, WORDS, X, Y, draw

POOLS = {
    **dict.fromkeys(("x", "x1", "x2", "sample"), (SAMPLES,)),
    **dict.fromkeys(("y", "y_pred1", "y_pred2", "groups", "strata", "clusters"), (LABELS,)),
    **dict.fromkeys(("X", "features"), (TABLES,)),
    **dict.fromkeys(("weights", "stratum_weights"), (SAMPLES, NUMBERS)),
}
"""Sources of half of the values of an argument; the others are numbers, words and junk."""
PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "level": (0.5, 0.9, 0.999),
    "fpr": (0, 0.1, 1, (0, 0.2), (0.5, 1), np.linspace(0, 1, 5)),
    "tpr": (0, 0.9, 1, (0.8, 1)),
    "threshold": (0, 5.5, np.inf, -np.inf),
    "prevalence": (0.01, 0.5, [0.1, 0.4]),
    "value": (0.1, 0.9, (0.1, 0.9)),
    "beta": (0.5, 2),
    "cost_fp": (0, 1, 10, [1, 2], (1, 2.5)),
    "cost_fn": (0, 1, 10, [1, 2], (1, 2.5)),
    "direction": ("higher", "lower", "auto", None),
    "positive": (1, 0, True, "sick"),
    "nan_policy": ("raise", "omit"),
    "n_resamples": (20, 50),
    "rng": (0, 7),
    "weights": (np.arange(24) % 3, np.ones(24), np.linspace(0, 1, 24)),
    "clusters": (np.arange(24) // 2, np.zeros(24)),
    "strata": (np.arange(24) % 2, np.arange(24)),
    "null": (0, 0.5, 0.8, 1),
    "margin": (0.05, 0.2),
    "kind": ("pointwise", "simultaneous"),
    "backend": ("pandas", "polars", "pyarrow"),
    "n_points": (2, 50),
    "measure": ("tpr", "fpr", "precision", "npv"),
}
"""Values that a user might give: a third of those of these arguments."""
LITERALS = {
    "family": FAMILIES,
    "criterion": CRITERIA,
    "method": (*AUC_METHODS, *ONE_SAMPLE_METHODS, "hilgers", "exact"),
    "alternative": ALTERNATIVES,
}
XY: dict[str, Any] = {"x": X, "y": Y}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "predict_roc": (rp.predict_roc, XY),
    "empirical_roc": (rp.empirical_roc, XY),
    "PredictedRoc": (rp.PredictedRoc, {"negative": rp.Gaussian(4, 3), "positive": rp.Gaussian(8, 2)}),
    "EmpiricalRoc": (rp.EmpiricalRoc, {"negative": X[:12], "positive": X[12:]}),
    "from_stats": (rp.PredictedRoc.from_stats, {"mean": (4, 8), "std": (3, 2), "count": (50, 50)}),
    "from_stats batch": (rp.PredictedRoc.from_stats, {"mean": ([4, 5], [8, 7]), "std": (3, 2), "count": (50, 50)}),
    "from_predictions": (rp.EmpiricalRoc.from_predictions, {"y": Y, "scores": X}),
    "Gaussian": (rp.Gaussian, {"mean": 0.0, "std": 1.0}),
    "Gaussian.fit": (rp.Gaussian.fit, {"x": X}),
    "Ecdf": (rp.Ecdf, {"sample": X}),
    "Histogram": (rp.Histogram, {"edges": [0.0, 1.0, 2.0], "counts": [3, 4]}),
    "Histogram.fit": (rp.Histogram.fit, {"x": X}),
    "GaussianKde": (rp.GaussianKde, {"sample": X}),
    "GaussianMixture": (rp.GaussianMixture, {"weights": [0.3, 0.7], "means": [0.0, 2.0], "stds": [1.0, 0.3]}),
    "GaussianMixture.fit": (rp.GaussianMixture.fit, {"x": X}),
    "compare": (rp.compare, {"predicted": rp.predict_roc(X, Y), "empirical": rp.empirical_roc(X, Y)}),
    "auc_test": (rp.auc_test, {"x1": X, "x2": -X, "y": Y}),
    "auc_test one": (rp.auc_test, {"x1": X, "x2": None, "y": Y, "null": 0.5}),
    "auc_test curves": (rp.auc_test, {"x1": rp.empirical_roc(X, Y), "x2": rp.empirical_roc(-X, Y)}),
    "auc_test_many": (rp.auc_test_many, {"features": [X, -X, X**2], "y": Y}),
    "auc_estimate": (rp.auc_estimate, XY),
    "auc_estimate groups": (rp.auc_estimate, XY | {"groups": np.arange(24) % 2}),
    "mcnemar_test": (rp.mcnemar_test, {"y_pred1": X > 0.5, "y_pred2": X > 1, "y": Y}),
    "multiclass_auc": (rp.multiclass_auc, {"scores": TABLE[:, :3], "y": np.arange(24) % 3}),
    "mean_roc": (rp.mean_roc, {"folds": [(X, Y), (-X, Y)]}),
    "sample_size": (rp.sample_size, {"mean": (4, 8), "std": (3, 2), "width": 0.1}),
    "sample_size power": (rp.sample_size, {"auc": 0.8, "power": 0.9, "against": 0.6}),
    "diagnose": (rp.diagnose, XY | {"n_resamples": 20}),
    "proportion_interval": (rp.proportion_interval, {"successes": 9, "n_trials": 10}),
    "rates": (rp.rates, {"tp": 5, "fp": 2, "fn": 1, "tn": 9}),
    "Flags": (rp.Flags, {"always_positive": np.array(True)}),
    "screen": (rp.screen, {"X": TABLE, "y": Y}),
    "summarize": (rp.summarize, {"X": TABLE, "y": Y}),
    "from_summary": (rp.PredictedRoc.from_summary, {"summary": rp.summarize(TABLE[:, :3], Y)}),
    "fit_linear_combination": (rp.fit_linear_combination, {"X": TABLE[:, :2], "y": Y, "n_folds": None}),
    "LinearCombination.from_stats": (
        rp.LinearCombination.from_stats,
        {"mean": [[0, 0], [1, 1]], "covariance": [np.eye(2), np.eye(2)]},
    ),
    "class_mean_distance": (rp.class_mean_distance, {"X": TABLE[:, :2], "y": TEXT, "class_label": "sick"}),
    "TeachingPage": (rp.TeachingPage, {"x": TABLE[:, 0], "y": Y}),
}
RESULTS = (
    "predict_roc",
    "empirical_roc",
    "PredictedRoc",
    "from_stats",
    "from_stats batch",
    "screen",
    "summarize",
    "mean_roc",
    "rates",
    "compare",
)
VALID_OF_METHOD = {"best_threshold": {"criterion": "cost", "prevalence": 0.3}}
NOT_CALLED = {"plot", "report", "serve", "save", "wait", "open_browser", "widget", "to_parquet", "to_csv"}


def _value(rng: np.random.Generator, name: str) -> Any:
    plausible = (*PLAUSIBLE.get(name, ()), *LITERALS.get(name, ()))
    if plausible and rng.random() < 0.4:
        return copy.copy(plausible[rng.integers(len(plausible))])
    own = POOLS.get(name, (DISTRIBUTIONS,) if name in {"negative", "positive"} else ())
    if own and rng.random() < 0.6:
        return draw(rng, *own)
    return draw(rng, NUMBERS, NUMBERS, WORDS, JUNK)


def _arguments(rng: np.random.Generator, function: Callable[..., Any], valid: dict[str, Any]) -> dict[str, Any]:
    """Return valid arguments, one to three of them replaced or added."""
    parameters = inspect.signature(function).parameters.values()
    names = [
        p.name for p in parameters if p.kind not in {p.VAR_KEYWORD, p.VAR_POSITIONAL} and p.name not in {"self", "path"}
    ]
    if not names:
        return {}
    changed = rng.choice(
        names, size=min(len(names), 1 + int(rng.geometric(0.6) > 1) + int(rng.random() < 0.2)), replace=False
    )
    return valid | {name: _value(rng, name) for name in changed}


def _call(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """Call with what may be positional in its place."""
    positional, keywords = [], dict(arguments)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.POSITIONAL_ONLY:
            positional.extend([keywords.pop(parameter.name)] if parameter.name in keywords else [])
    return function(*positional, **keywords)


def _describe(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={_short(value)}' for key, value in arguments.items())})"


def _short(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as error:  # a repr that fails is found where it is the outcome
        text = f"<{type(value).__name__}: repr raises {type(error).__name__}>"
    return text if len(text) <= 120 else f"{text[:117]}..."


def run_one(seed: int, number: int) -> Outcome:
    """Make call ``number`` of a seed."""
    rng = np.random.default_rng([seed, number])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", AssumptionWarning)
        name = str(rng.choice(list(CALLS)))
        function, valid = CALLS[name]
        if name in RESULTS and rng.random() < 0.6:
            result = function(**valid)
            members = [
                m for m in dir(type(result)) if m[0] != "_" and m not in NOT_CALLED and callable(getattr(result, m))
            ]
            method = str(rng.choice(sorted(members)))
            name, function, valid = f"{name}.{method}", getattr(result, method), VALID_OF_METHOD.get(method, {})
        arguments = _arguments(rng, function, valid)
        return _outcome(name, function, arguments)


def _outcome(name: str, function: Callable[..., Any], arguments: dict[str, Any]) -> Outcome:
    described, start = _describe(name, arguments), time.perf_counter()
    kind, detail = "answer", ""
    try:
        with time_limit():
            result = _call(function, arguments)
            for use in _uses(result):
                use()
    except rp.RocPredictError as error:
        kind = "error" if str(error) and "\n" not in str(error) else "bad message"
        detail = str(error)
    except TooLongError:
        kind = "too long"
    except Exception as error:
        own = error.__traceback__.tb_next.tb_next if error.__traceback__ and error.__traceback__.tb_next else None
        is_signature = isinstance(error, TypeError) and own is None
        kind = "signature" if is_signature else "foreign"
        detail = "" if is_signature else "".join(traceback.format_exception(error)[-2:]).strip()
    return Outcome(kind, described, time.perf_counter() - start, detail)


def _uses(result: Any) -> Iterator[Callable[[], Any]]:
    """Return what a user does with a result."""
    yield lambda: repr(result)
    if isinstance(result, Result):
        yield result.to_dict
        yield result.table
        yield lambda: pickle.loads(pickle.dumps(result)) == result
        yield lambda: copy.deepcopy(result)
    for name in ("auc", "best_threshold"):
        if isinstance(result, (rp.PredictedRoc, rp.EmpiricalRoc)):
            yield getattr(result, name)


def run(count: int, seed: int) -> list[Outcome]:
    """Make many calls in an empty folder."""
    with empty_folder():
        return [run_one(seed, number) for number in range(count)]


if __name__ == "__main__":
    main(run)

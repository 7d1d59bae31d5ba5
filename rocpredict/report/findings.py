"""What a screening found, in sentences that know how many features were looked at."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from markupsafe import Markup

from rocpredict.report.wording import between, listed, many, named, p_value, percent, share
from rocpredict.screening import Screening

_LIMIT = 0.05
_PROMISES = {
    "benjamini-hochberg": "of features called so, no more than 5 % are expected to be false calls (Benjamini and "
    "Hochberg, for tests that are independent or positively dependent)",
    "benjamini-yekutieli": "of features called so, no more than 5 % are expected to be false calls, however the tests "
    "depend on each other (Benjamini and Yekutieli)",
    "holm": "the chance of any false call among them is no more than 5 % (Holm)",
    "bonferroni": "the chance of any false call among them is no more than 5 % (Bonferroni)",
}


def findings(table: Screening) -> list[Markup]:
    """Give the headlines."""
    return list(_findings(table))


def _findings(table: Screening) -> Iterator[Markup]:
    if not len(table):
        yield Markup("The table has no rows: there is nothing to report.")
        return
    yield _significant(table)
    if not np.isnan(table["auc"][0]) or not np.isnan(table["empirical_auc"][0]):
        yield _first(table)
    if len(table) > 1:
        yield Markup(
            "The first of many features look better than they are: intervals, AUC and Ameans of a feature that was "
            "chosen because it came first are too good. Judge chosen features on new cases."
        )
    yield from _trusted(table)
    yield from _unanswered(table)


def _significant(table: Screening) -> Markup:
    tested = int(np.sum(~np.isnan(table["p_value"])))
    below, nominal = (int(np.sum(table[name] < _LIMIT)) for name in ("q_value", "p_value"))
    rows = "tested features" if len(table.contrasts) == 1 else "tested rows"
    said = Markup("<strong>{} of {} {} have q &lt; 0.05</strong>").format(f"{below:,}", f"{tested:,}", rows)
    if table.adjust == "none":
        chance = f"{_LIMIT * tested:.3g}"
        return (
            said + f", where q is p, not adjusted: so many as {chance} would be expected if no feature told anything."
        )
    of = "" if _is_whole(table) else "; q was adjusted over all rows of the screening that this table is a part of"
    return said + f": {_PROMISES[table.adjust]}. Not adjusted, {nominal:,} have p < 0.05{of}."


def _is_whole(table: Screening) -> bool:
    return bool((np.sort(table.places) == np.arange(len(table))).all())


def _first(table: Screening) -> Markup:
    first = {name: values[0] for name, values in table.to_dict().items()}
    said = Markup("First in the table stands <strong>{}</strong>").format(named(first["feature"]))
    if "positive" in table.columns:
        said += Markup(" ({} against {})").format(named(first["positive"]), named(first["negative"]))
    told = []
    if not np.isnan(first["empirical_auc"]):
        ends = between(first["empirical_low"], first["empirical_high"])
        told.append(f"empirical AUC {share(first['empirical_auc'])} ({percent(table.level)} interval {ends})")
    if not np.isnan(first["auc"]):
        ends = between(first["auc_low"], first["auc_high"])
        told.append(f"predicted AUC {share(first['auc'])}" + (f" ({ends})" if not np.isnan(first["auc_low"]) else ""))
    told.append(f"q = {p_value(first['q_value'])}")
    lower = first["direction"] == "lower"
    return said + f": {', '.join(told)}" + ("; its positives lie lower." if lower else ".")


def _trusted(table: Screening) -> Iterator[Markup]:
    """Say of how many features the prediction is not to be believed."""
    if not table.empirical:
        yield Markup("Nothing was counted: all answers are predictions, and rest on the classes being Gaussian.")
        return
    counted = int(np.sum(~np.isnan(table["empirical_auc"])))
    misfits = np.flatnonzero(table.flagged("misfit"))
    if len(misfits):
        names = listed([named(name) for name in table["feature"][misfits[:3]].tolist()])
        others = f" and {len(misfits) - 3:,} more" if len(misfits) > 3 else ""
        yield (
            Markup(
                "<strong>{} of {} counted {} the flag misfit</strong> ({}{}): two Gaussians do not describe "
            ).format(
                f"{len(misfits):,}", f"{counted:,}", "features has" if counted == 1 else "features have", names, others
            )
            + "them. Trust what was counted, and not what was predicted."
        )
    else:
        yield Markup("None of {} has the flag misfit.").format(many(counted, "counted feature"))
    if table.empirical == "top":
        yield Markup(
            "Only the features with the best predictions were counted: they were chosen, and stand beside "
        ) + (f"{len(table) - counted:,} that were only predicted.")


def _unanswered(table: Screening) -> Iterator[Markup]:
    unknown = np.flatnonzero(np.isnan(table["auc"]) & np.isnan(table["empirical_auc"]))
    if len(unknown):
        names = listed([named(name) for name in table["feature"][unknown[:5]].tolist()])
        yield Markup("No answer for {} ({}{}); the flags say why.").format(
            many(len(unknown), "row"), names, ", ..." if len(unknown) > 5 else ""
        )
    copies = np.flatnonzero(table.flagged("label_copy") | table.flagged("perfect_separation"))
    if len(copies):
        names = listed([named(name) for name in table["feature"][copies[:5]].tolist()])
        yield Markup("Check {}: it separates the classes wholly, as a copy of the label would.").format(names)

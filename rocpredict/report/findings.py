"""What a screening found, in sentences that know how many features were looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from markupsafe import Markup

from rocpredict.report.wording import between, listed, many, named, p_value, percent, share
from rocpredict.screening import Screening

_LIMIT = 0.05
_RATES = ("benjamini-hochberg", "benjamini-yekutieli")
"""What bounds a rate among all that are called, and not the chance of any false call."""
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
    if table.n_screened > 1:
        yield Markup(
            "The first of many features look better than they are: intervals, AUC and Ameans of a feature that was "
            "chosen because it came first are too good. Judge chosen features on new cases."
        )
    yield from _trusted(table)
    yield from _unanswered(table)


def _significant(table: Screening) -> Markup:
    tested = int(np.sum(~np.isnan(table["p_value"])))
    below, nominal = (int(np.sum(table[name] < _LIMIT)) for name in ("q_value", "p_value"))
    of = f"tested {rows_word(table)}" if is_whole(table) else f"tested {rows_word(table)} shown here"
    said = Markup("{}<strong>{} of {} {} have q &lt; 0.05</strong>").format(
        "" if is_whole(table) else f"{parted(table)}. ", f"{below:,}", f"{tested:,}", of
    )
    if table.adjust == "none":
        chance = f"{_LIMIT * table.n_tested:.3g}"
        among = "" if is_whole(table) else f"of all {table.n_tested:,} that were tested "
        return said + (
            f", where q is p, not adjusted: {among}so many as {chance} would be expected if no feature told anything."
        )
    return said + f": {_PROMISES[table.adjust]}{''.join(_limits(table))}. Not adjusted, {nominal:,} have p < 0.05."


def _limits(table: Screening) -> Iterator[str]:
    """Say where the promise of a false discovery rate ends."""
    if table.adjust not in _RATES:
        return
    if not is_whole(table):
        yield "; the promise holds for all features called so in the whole screening, not for this part"
    if table.adjust == "benjamini-hochberg" and len(table.contrasts) > 1:
        yield (
            "; contrasts of one feature share cases and are not known to be positively dependent: benjamini-yekutieli "
            "needs no such condition"
        )


def is_whole(table: Screening) -> bool:
    """Tell whether all rows of the screening are here, in whatever order."""
    return len(np.unique(table.places)) == table.n_screened


def parted(table: Screening) -> str:
    """Say of how many rows a table is a part."""
    were = "was" if table.n_screened == 1 else "were"
    return f"{examined(table)} {were} examined and {table.n_tested:,} tested; this report shows {len(table):,}"


def examined(table: Screening) -> str:
    """Say how many rows the whole screening has, and of what."""
    if len(table.contrasts) == 1:
        return many(table.n_screened, "feature")
    return f"{many(table.n_screened, 'pair')} of feature and contrast"


def rows_word(table: Screening, count: int = 2) -> str:
    """Give the word for so many rows: features, where each has one."""
    word = "feature" if len(table.contrasts) == 1 else "row"
    return word if count == 1 else f"{word}s"


def cases(table: Screening, name: str) -> str:
    """Give a number of cases, from the lowest to the highest where it differs by feature."""
    if not len(table):
        return "no"
    low, high = (f"{end:,.10g}" for end in (table[name].min(), table[name].max()))
    return high if low == high else f"{low} to {high}"


def row_names(table: Screening, rows: Any, most: int) -> Markup:
    """Name the first of some rows, each with its contrast where there are several."""
    names = [named(name) for name in table["feature"][rows[:most]].tolist()]
    if len(table.contrasts) > 1:
        sides = (table[side][rows[:most]].tolist() for side in ("positive", "negative"))
        names = [
            Markup("{} ({} against {})").format(name, named(positive), named(negative))
            for name, positive, negative in zip(names, *sides, strict=True)
        ]
    return listed(names)


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
    if table.family == "auto":
        yield from _shares(table)
    if len(misfits):
        yield _misfits(table, misfits, counted)
    elif table.family != "auto":
        yield Markup("None of {} has the flag misfit.").format(f"{counted:,} counted {rows_word(table, counted)}")
    if table.empirical == "top" and counted < len(table):
        yield Markup(
            "{} of {}, those with the best predicted AUC, were counted. For these p is of the hypothesis that both "
            "classes have the same distribution (Mann-Whitney), for the others that the class means are equal (Welch); "
            "which test a feature got depended on these data."
        ).format(f"{counted:,}", f"{len(table):,}")


def _shares(table: Screening) -> Iterator[Markup]:
    shares = table["model_share"][~np.isnan(table["model_share"])]
    if shares.size:
        low, high = share(float(shares.min())), share(float(shares.max()))
        yield Markup(
            "Under family auto no flag misfit is raised: the estimate moves to the cases instead; the share of the "
            "model is {}."
        ).format(low if low == high else f"{low} to {high}")


def _misfits(table: Screening, misfits: Any, counted: int) -> Markup:
    others = f" and {len(misfits) - 3:,} more" if len(misfits) > 3 else ""
    have = f"{rows_word(table, counted)} {'has' if counted == 1 else 'have'}"
    said = Markup("<strong>{} of {} counted {} the flag misfit</strong> ({}{}): ").format(
        f"{len(misfits):,}", f"{counted:,}", have, row_names(table, misfits, 3), others
    )
    return said + "two Gaussians do not describe them. Trust what was counted, and not what was predicted."


def _unanswered(table: Screening) -> Iterator[Markup]:
    unknown = np.flatnonzero(np.isnan(table["auc"]) & np.isnan(table["empirical_auc"]))
    if len(unknown):
        yield Markup("No answer for {} ({}{}); the flags say why.").format(
            many(len(unknown), rows_word(table, 1)), row_names(table, unknown, 5), ", ..." if len(unknown) > 5 else ""
        )
    copies = np.flatnonzero(table.flagged("label_copy") | table.flagged("perfect_separation"))
    if len(copies):
        yield Markup("Check {}: it separates the classes wholly, as a copy of the label would.").format(
            row_names(table, copies, 5)
        )

"""Methods and findings of the reports, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from rocpredict.base.results import format_interval, format_level, format_p_value, format_rate, pluralize
from rocpredict.distributions.fitting import FAMILIES
from rocpredict.reports.analysis import FEW_ROWS, FeatureAnalysis
from rocpredict.reports.report import (
    html_name,
    join_list,
)
from rocpredict.screening.result import ScreeningResult

_LIMIT = 0.05
_RATES = ("benjamini-hochberg", "benjamini-yekutieli")
_ERROR_RATE_NAMES = {
    "benjamini-hochberg": "of features called so, no more than 5 % are expected to be false calls (Benjamini and "
    "Hochberg, for tests that are independent or positively dependent)",
    "benjamini-yekutieli": "of features called so, no more than 5 % are expected to be false calls, however the tests "
    "depend on each other (Benjamini and Yekutieli)",
    "holm": "the chance of any false call among them is no more than 5 % (Holm)",
    "bonferroni": "the chance of any false call among them is no more than 5 % (Bonferroni)",
}


def findings(table: ScreeningResult) -> list[Markup]:
    """Give the headlines."""
    return list(_findings(table))


def _findings(table: ScreeningResult) -> Iterator[Markup]:
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
    yield from _misfit_summary(table)
    yield from _unanalyzed_note(table)


def _significant(table: ScreeningResult) -> Markup:
    tested = int(np.sum(~np.isnan(table["p_value"])))
    below, nominal = (int(np.sum(table[name] < _LIMIT)) for name in ("q_value", "p_value"))
    of = f"tested {row_noun(table)}" if is_complete(table) else f"tested {row_noun(table)} shown here"
    said = Markup("{}<strong>{} of {} {} have q &lt; 0.05</strong>").format(
        "" if is_complete(table) else f"{subset_note(table)}. ", f"{below:,}", f"{tested:,}", of
    )
    if table.adjust == "none":
        chance = f"{_LIMIT * table.n_tested:.3g}"
        among = "" if is_complete(table) else f"of all {table.n_tested:,} that were tested "
        return said + (
            f", where q is p, not adjusted: {among}so many as {chance} would be expected if no feature told anything."
        )
    return (
        said + f": {_ERROR_RATE_NAMES[table.adjust]}{''.join(_limits(table))}. Not adjusted, {nominal:,} have p < 0.05."
    )


def _limits(table: ScreeningResult) -> Iterator[str]:
    """Say where the promise of a false discovery rate ends."""
    if table.adjust not in _RATES:
        return
    if not is_complete(table):
        yield "; the promise holds for all features called so in the whole screening, not for this part"
    if table.adjust == "benjamini-hochberg" and len(table.contrasts) > 1:
        yield (
            "; contrasts of one feature share cases and are not known to be positively dependent: benjamini-yekutieli "
            "needs no such condition"
        )


def is_complete(table: ScreeningResult) -> bool:
    """Tell whether all rows of the screening are here, in whatever order."""
    return len(np.unique(table.row_index)) == table.n_screened


def subset_note(table: ScreeningResult) -> str:
    """Say of how many rows a table is a part."""
    were = "was" if table.n_screened == 1 else "were"
    return (
        f"{screening_size_text(table)} {were} examined and {table.n_tested:,} tested; this report shows {len(table):,}"
    )


def screening_size_text(table: ScreeningResult) -> str:
    """Say how many rows the whole screening has, and of what."""
    if len(table.contrasts) == 1:
        return pluralize(table.n_screened, "feature")
    return f"{pluralize(table.n_screened, 'pair')} of feature and contrast"


def row_noun(table: ScreeningResult, count: int = 2) -> str:
    """Give the word for so many rows: features, where each has one."""
    word = "feature" if len(table.contrasts) == 1 else "row"
    return word if count == 1 else f"{word}s"


def cases(table: ScreeningResult, name: str) -> str:
    """Give a number of cases, from the lowest to the highest where it differs by feature."""
    if not len(table):
        return "no"
    low, high = (f"{end:,.10g}" for end in (table[name].min(), table[name].max()))
    return high if low == high else f"{low} to {high}"


def row_names(table: ScreeningResult, rows: Any, most: int) -> Markup:
    """Name the first of some rows, each with its contrast where there are several."""
    names = [html_name(name) for name in table["feature"][rows[:most]].tolist()]
    if len(table.contrasts) > 1:
        sides = (table[side][rows[:most]].tolist() for side in ("positive", "negative"))
        names = [
            Markup("{} ({} against {})").format(name, html_name(positive), html_name(negative))
            for name, positive, negative in zip(names, *sides, strict=True)
        ]
    return join_list(names)


def _first(table: ScreeningResult) -> Markup:
    first = {name: values[0] for name, values in table.to_dict().items()}
    said = Markup("First in the table stands <strong>{}</strong>").format(html_name(first["feature"]))
    if "positive" in table.columns:
        said += Markup(" ({} against {})").format(html_name(first["positive"]), html_name(first["negative"]))
    told = []
    if not np.isnan(first["empirical_auc"]):
        ends = format_interval(first["empirical_low"], first["empirical_high"], format_rate)
        told.append(
            f"empirical AUC {format_rate(first['empirical_auc'])} ({format_level(table.level)} interval {ends})"
        )
    if not np.isnan(first["auc"]):
        ends = format_interval(first["auc_low"], first["auc_high"], format_rate)
        told.append(
            f"predicted AUC {format_rate(first['auc'])}" + (f" ({ends})" if not np.isnan(first["auc_low"]) else "")
        )
    told.append(f"q = {format_p_value(first['q_value'])}")
    lower = first["direction"] == "lower"
    return said + f": {', '.join(told)}" + ("; its positives lie lower." if lower else ".")


def _misfit_summary(table: ScreeningResult) -> Iterator[Markup]:
    """Say of how many features the prediction is not to be believed."""
    if not table.empirical:
        yield Markup("Nothing was counted: all answers are predictions, and rest on the classes being Gaussian.")
        return
    counted = int(np.sum(~np.isnan(table["empirical_auc"])))
    misfits = np.flatnonzero(table.flag_mask("misfit"))
    if table.family == "auto":
        yield from _shares(table)
    if len(misfits):
        yield _misfits(table, misfits, counted)
    elif table.family != "auto":
        yield Markup("None of {} has the flag misfit.").format(f"{counted:,} counted {row_noun(table, counted)}")
    if table.empirical == "top" and counted < len(table):
        yield Markup(
            "{} of {}, those with the best predicted AUC, were counted. For these p is of the hypothesis that both "
            "classes have the same distribution (Mann-Whitney), for the others that the class means are equal (Welch); "
            "which test a feature got depended on these data."
        ).format(f"{counted:,}", f"{len(table):,}")


def _shares(table: ScreeningResult) -> Iterator[Markup]:
    shares = table["model_weight"][~np.isnan(table["model_weight"])]
    if shares.size:
        low, high = format_rate(float(shares.min())), format_rate(float(shares.max()))
        yield Markup(
            "Under family auto no flag misfit is raised: the estimate moves to the cases instead; the share of the "
            "model is {}."
        ).format(low if low == high else f"{low} to {high}")


def _misfits(table: ScreeningResult, misfits: Any, counted: int) -> Markup:
    others = f" and {len(misfits) - 3:,} more" if len(misfits) > 3 else ""
    have = f"{row_noun(table, counted)} {'has' if counted == 1 else 'have'}"
    said = Markup("<strong>{} of {} counted {} the flag misfit</strong> ({}{}): ").format(
        f"{len(misfits):,}", f"{counted:,}", have, row_names(table, misfits, 3), others
    )
    return said + "two Gaussians do not describe them. Trust what was counted, and not what was predicted."


def _unanalyzed_note(table: ScreeningResult) -> Iterator[Markup]:
    unknown = np.flatnonzero(np.isnan(table["auc"]) & np.isnan(table["empirical_auc"]))
    if len(unknown):
        yield Markup("No answer for {} ({}{}); the flags say why.").format(
            pluralize(len(unknown), row_noun(table, 1)),
            row_names(table, unknown, 5),
            ", ..." if len(unknown) > 5 else "",
        )
    copies = np.flatnonzero(table.flag_mask("label_leakage") | table.flag_mask("perfect_separation"))
    if len(copies):
        yield Markup("Check {}: it separates the classes wholly, as a copy of the label would.").format(
            row_names(table, copies, 5)
        )


REFERENCES = {
    "delong": "E. R. DeLong, D. M. DeLong, D. L. Clarke-Pearson (1988), "
    "Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845.",
    "green": "D. M. Green, J. A. Swets (1966), Signal Detection Theory and Psychophysics, Wiley.",
    "mann": "H. B. Mann, D. R. Whitney (1947), On a test of whether one of "
    "two random variables is stochastically larger "
    "than the other, Annals of Mathematical Statistics 18, 50-60.",
    "welch": "B. L. Welch (1947), The generalization of 'Student's' problem "
    "when several different population variances "
    "are involved, Biometrika 34, 28-35.",
    "youden": "W. J. Youden (1950), Index for rating diagnostic tests, Cancer 3, 32-35.",
    "clopper": "C. J. Clopper, E. S. Pearson (1934), The use of confidence or "
    "fiducial limits illustrated in the case of "
    "the binomial, Biometrika 26, 404-413.",
    "box": "G. E. P. Box, D. R. Cox (1964), An analysis of transformations, Journal of the Royal Statistical Society B "
    "26, 211-252.",
    "yeo": "I.-K. Yeo, R. A. Johnson (2000), A new family of power transformations to improve normality or symmetry, "
    "Biometrika 87, 954-959.",
    "newcombe": "R. G. Newcombe (1998), Interval estimation for the difference between independent proportions: "
    "comparison of eleven methods, Statistics in Medicine 17, 873-890.",
    "wilson": "E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, Journal of "
    "the American Statistical Association 22, 209-212.",
    "stute": "W. Stute, W. Gonzalez Manteiga, M. Presedo Quindimil (1993), "
    "Bootstrap based goodness-of-fit-tests, Metrika "
    "40, 243-256.",
    "efron": "B. Efron, R. J. Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall.",
    "benjamini-hochberg": "Y. Benjamini, Y. Hochberg (1995), Controlling the false discovery rate: a practical and "
    "powerful approach to multiple testing, Journal of the Royal Statistical Society B 57, 289-300.",
    "benjamini-yekutieli": "Y. Benjamini, D. Yekutieli (2001), The control of the false discovery rate in multiple "
    "testing under dependency, Annals of Statistics 29, 1165-1188.",
    "holm": "S. Holm (1979), A simple sequentially rejective multiple test "
    "procedure, Scandinavian Journal of Statistics "
    "6, 65-70.",
    "bonferroni": "O. J. Dunn (1961), Multiple comparisons among means, "
    "Journal of the American Statistical Association "
    "56, 52-64.",
}
AMEANS_TEXT = (
    "the threshold with the highest Ameans, the mean of true positive and true negative rate (balanced accuracy; "
    "(1 + J)/2 with Youden's index J)"
)
COUNTED_AREA = (
    "The empirical AUC was computed by counting pairs of cases, ties as one half (the Mann-Whitney statistic), with a "
    "{level} confidence interval on the logit scale, whose variance is "
    "that of DeLong et al. smoothed by half a case in "
    "each class."
)
_GAUSSIAN_AREA = (
    "The ROC curve was predicted from the mean and the standard deviation (divisor n - 1) of each class, taking both "
    "classes as Gaussian (Green and Swets), so that AUC = Φ(({difference})/√(s₀² + s₁²)) with 0 the negative and 1 the "
    "positive class"
)
DELTA_TEXT = "its {level} confidence interval is by the delta method on the probit scale"
_SHRUNK = (
    "a shrunk estimate between the cases themselves and {model}, which lies the nearer to the cases the worse the "
    "model fits them"
)
_POWER = "one common power transform (Box-Cox, or Yeo-Johnson where values are 0 or less)"
AUTO_AREA = _SHRUNK.format(model=f"a model that is Gaussian in both classes after {_POWER}")
POWERS = {
    "auto": AUTO_AREA,
    "boxcox": f"taking both classes as Gaussian after {_POWER}",
    "yeojohnson": "taking both classes as Gaussian after one common Yeo-Johnson transform",
    "kde": f"a Gaussian kernel density of each class after {_POWER}, its bandwidth twice that of Silverman's rule, the "
    "variance preserved",
}
"""What is predicted by after a power transform, by family."""
WITH_BOX_COX = frozenset(POWERS) - {"yeojohnson"}
NOT_MISSING_BY_VALUE = (
    "Rows without a value were left out; this is right only if, within each class, whether a value is missing has "
    "nothing to do with the value"
)


def gaussian_area(*, lower: bool = False) -> str:
    """Say how two Gaussians predict, as the AUC of the rule that higher (or lower) values are positive."""
    return _GAUSSIAN_AREA.format(difference="m₀ - m₁" if lower else "m₁ - m₀")


class Methods(NamedTuple):
    """Hold how the answers were made, in words."""

    assumptions: Sequence[Any]
    paragraph: Any
    references: Sequence[str]


def methods(assumptions: Sequence[Any], sentences: Sequence[Any], cited: Sequence[str]) -> Methods:
    """Join the sentences of a paragraph, and give the references by name."""
    return Methods(assumptions, Markup(" ").join(sentences), sorted(REFERENCES[name] for name in set(cited)))


def software(versions: Sequence[tuple[str, str]]) -> str:
    """Say what computed."""
    (name, version), *others = versions
    return f"Computed with {name} {version} ({', '.join(' '.join(one) for one in others)})."


def feature_methods(asked: FeatureAnalysis, versions: tuple[tuple[str, str], ...]) -> Methods:
    """Give the methods of one feature's report."""
    return methods(
        list(_feature_assumptions(asked)), [*_feature_paragraph(asked), software(versions)], list(_references(asked))
    )


def _feature_paragraph(asked: FeatureAnalysis) -> Iterator[Any]:
    level = format_level(asked.level)
    yield from _cases(asked)
    yield _feature_direction(asked)
    yield COUNTED_AREA.format(level=level)
    yield "It was tested, two-sided, against 0.5 on the same scale."
    yield _prediction(asked, level)
    if asked.has_prediction and not asked.gaussian:
        yield "No interval is given for the AUC of this prediction."
    if asked.has_prediction:
        yield f"From the predicted distributions {AMEANS_TEXT} was chosen, and beside it by counting alone."
    else:
        yield "Ameans is the mean of TPR and TNR (balanced accuracy; (1 + J)/2 with Youden's index J)."
    yield from _rates(asked)
    yield (
        "The interval of the threshold that was chosen by counting is that of the thresholds chosen in 2,000 bootstrap "
        "resamples of each class (Efron and Tibshirani); its Ameans out of bag is the mean over resamples of what such "
        "thresholds have on the rows that were not drawn."
    )
    yield from _fit(asked)


def _cases(asked: FeatureAnalysis) -> Iterator[Any]:
    n0, n1 = (f"{count:,.10g}" for count in (asked.empirical.negative.total, asked.empirical.positive.total))
    negative, positive = ("the other classes" if label == "rest" else html_name(label) for label in asked.labels)
    yield Markup("It was examined how well {} separates {} (positive, n = {}) from {} (negative, n = {}).").format(
        html_name(asked.feature), positive, n1, negative, n0
    )
    if asked.missing:
        yield f"{asked.missing:,} rows without a value were left out."


def _feature_direction(asked: FeatureAnalysis) -> str:
    side = "at or below" if asked.lower else "at or above"
    how = "; the side was chosen by these data" if asked.predicted.auto_direction else ""
    return f"A case is called positive {side} the threshold{how}."


def _prediction(asked: FeatureAnalysis, level: str) -> str:
    if not asked.has_prediction:
        return FEW_ROWS
    if asked.gaussian:
        return (
            f"{gaussian_area(lower=asked.lower)}; {DELTA_TEXT.format(level=level)}; the interval of the "
            "threshold is by the "
            "delta method on the threshold's own scale."
        )
    if asked.family in POWERS:
        joint = ", " if POWERS[asked.family].startswith("taking") else " by "
        return f"The ROC curve was predicted{joint}{POWERS[asked.family]}."
    return (
        f"The ROC curve was predicted by the family {asked.family} "
        f"({FAMILIES.get(asked.family, 'by maximum likelihood')})."
    )


def _rates(asked: FeatureAnalysis) -> Iterator[str]:
    """Name the intervals of the rates that were counted."""
    also = ", PPV, NPV and accuracy (at the prevalence of the sample)" if asked.prevalence_from_data else ""
    yield (
        f"The rates there were counted: TPR, TNR{also} with Clopper-Pearson intervals, Ameans with Newcombe's "
        "combination of the Wilson intervals of both rates; all of them take the threshold as fixed."
    )
    if not asked.prevalence_from_data:
        yield (
            "PPV, NPV and accuracy were computed from the rates for a prevalence of "
            f"{format_rate(asked.prevalence)}, "
            "without intervals."
        )


def _fit(asked: FeatureAnalysis) -> Iterator[str]:
    if asked.diagnosis is None:
        return
    drawn = " drawn from the shrunk estimate (in part the sample itself)" if asked.shrunk else ""
    yield (
        f"The fit was judged by a parametric bootstrap (Stute et al.) of {asked.diagnosis.n_resamples} samples{drawn}, "
        f"the distributions fitted anew to each (seed {asked.seed})."
    )


def _feature_assumptions(asked: FeatureAnalysis) -> Iterator[str]:
    yield (
        "Each row of the data is one case, independent of the others; "
        "several readings of one case are not several cases."
    )
    yield "The cases of each class stand for the cases on which the feature is to be used."
    if asked.missing:
        yield f"{NOT_MISSING_BY_VALUE}."
    yield "Empirical answers assume no distribution." + (
        " Predicted ones take both classes as Gaussian, which the diagnosis puts to the test." if asked.gaussian else ""
    )
    if asked.has_prediction:
        yield "Prediction and count come from the same rows: that they agree is no test on new cases."
    if asked.predicted.auto_direction:
        yield (
            "The direction was chosen by the data, which makes the AUC a little too high where there is little to find."
        )


def _references(asked: FeatureAnalysis) -> Iterator[str]:
    yield from ("delong", "mann", "youden", "clopper", "newcombe", "wilson", "efron")
    if asked.gaussian:
        yield "green"
    if asked.family in WITH_BOX_COX:
        yield "box"
    if asked.family in POWERS:
        yield "yeo"
    if asked.has_prediction:
        yield "stute"


_ADJUSTED = {
    "benjamini-hochberg": "adjusted for their number after Benjamini and Hochberg (q-values, false discovery rate)",
    "benjamini-yekutieli": "adjusted for their number after Benjamini and Yekutieli (q-values, false discovery rate)",
    "holm": "adjusted for their number after Holm (family-wise error rate)",
    "bonferroni": "adjusted for their number after Bonferroni (family-wise error rate)",
    "none": "not adjusted for their number",
}


def screening_methods(table: ScreeningResult, versions: tuple[tuple[str, str], ...]) -> Methods:
    """Give the methods of a screening."""
    return methods(
        list(_screening_assumptions(table)), [*_screening_paragraph(table), software(versions)], list(_cited(table))
    )


def _screening_paragraph(table: ScreeningResult) -> Iterator[Any]:
    level = format_level(table.level)
    yield _subject(table)
    if np.any(table["n_missing"]):
        yield "Missing values were left out feature by feature."
    yield f"{gaussian_area()}; {DELTA_TEXT.format(level=level)}."
    if table.family == "auto":
        yield (
            f"For the features that were counted it was taken instead from "
            f"{AUTO_AREA}; these have no interval of their own."
        )
    if table.empirical:
        which = "" if table.empirical is True else "This was done for the features with the best predictions only."
        yield f"{COUNTED_AREA.format(level=level)} {which}".strip()
    yield _tested(table)
    yield (
        f"For each feature {_selection_sentence(table)} was taken from the same distributions. "
        f"{_screening_direction(table)}"
    )
    yield _optimism_sentence(table)
    if _weights_sentence(table):
        yield "Rows were weighted by the number of cases that each stands for."


def _weights_sentence(table: ScreeningResult) -> bool:
    return bool(table["n_negative"].dtype.kind == "f")


def _subject(table: ScreeningResult) -> Markup:
    part = "" if is_complete(table) else f"; this report shows {len(table):,}"
    if len(table.contrasts) > 1:
        return Markup("In {} ({}) it was examined how well the feature separates the two classes{}.").format(
            screening_size_text(table), _contrasts(table), part
        )
    negative, positive = table.contrasts[0]
    one = table.n_screened == 1
    return Markup("{} {} examined for how well {} {} (positive{}) from {} (negative{}){}.").format(
        screening_size_text(table),
        "was" if one else "were",
        "it separates" if one else "they separate",
        html_name(positive),
        _size(table, "n_positive"),
        _other(negative),
        _size(table, "n_negative"),
        part,
    )


def _size(table: ScreeningResult, name: str) -> str:
    return f", n = {cases(table, name)}" if len(table) else ""


def _contrasts(table: ScreeningResult) -> Markup:
    """Name the contrasts in few words where each class stands against all others."""
    if all(_is_rest(negative) for negative, _ in table.contrasts):
        positives = Markup(", ").join(html_name(positive) for _, positive in table.contrasts)
        return positives + ", each against the other classes"
    return Markup(", ").join(
        Markup("{} against {}").format(html_name(positive), _other(negative)) for negative, positive in table.contrasts
    )


def _other(negative: Any) -> Markup:
    return Markup("the other classes") if _is_rest(negative) else html_name(negative)


def _is_rest(label: Any) -> bool:
    return isinstance(label, str) and label == "rest"


def _tested(table: ScreeningResult) -> str:
    ranks = (
        "are of the hypothesis that both classes have the same distribution, by the Mann-Whitney test (normal "
        "approximation, corrected for ties, without continuity correction)"
    )
    means = "are of the hypothesis that the class means are equal, by Welch's t-test"
    both = f"{ranks}, for features that were counted, and for others {means}"
    said = means if not table.empirical else both if _some_uncounted(table) else ranks
    of = "" if is_complete(table) else f", over all {table.n_tested:,} that were tested"
    return f"p-values are two-sided; they {said}, and were {_ADJUSTED[table.adjust]}{of}."


def _some_uncounted(table: ScreeningResult) -> bool:
    """Tell whether a row may have the test of means: a part may lack it, though the screening had it."""
    return table.empirical == "top" and bool(np.isnan(table["empirical_auc"]).any() or not is_complete(table))


def _selection_sentence(table: ScreeningResult) -> str:
    return AMEANS_TEXT + (", which lies where the two densities cross," if table.family == "gaussian" else "")


def _screening_direction(table: ScreeningResult) -> str:
    if table.direction == "auto":
        return (
            "On which side of it a case is called positive was decided for "
            "each feature by the class means of these data; "
            "both AUCs are those of the rule that higher values are positive, so that an AUC below 1/2 says that "
            "positives lie lower."
        )
    side = "at or below it" if table.direction == "lower" else "at or above it"
    said = f"A case was called positive {side} for all features, as declared beforehand"
    return said + (
        "; both AUCs are those of the rule that higher values are positive." if table.direction == "lower" else "."
    )


def _optimism_sentence(table: ScreeningResult) -> str:
    if table.family == "auto":
        return (
            "The Ameans called honest was counted on cases that were held out, a fifth of each class in turn, the rule "
            "chosen by the others (for those predicted by two Gaussians: "
            "counted at the threshold, less the mean optimism)."
        )
    start = (
        "counted" if table.empirical is True else "predicted" if table.empirical is False else "counted or predicted"
    )
    return (
        f"The Ameans called honest is the {start} one at that threshold "
        f"less its optimism, the mean excess of samples of "
        "these sizes from two Gaussians that differ as much as the classes do beyond chance."
    )


def _screening_assumptions(table: ScreeningResult) -> Iterator[str]:
    yield (
        "Each row of the data is one case, independent of the others; "
        "several readings of one case are not several cases."
    )
    yield "The cases of each class stand for the cases on which the feature is to be used."
    if np.any(table["n_missing"]):
        yield f"{NOT_MISSING_BY_VALUE}, so features are compared on different cases."
    if _weights_sentence(table):
        yield (
            "Weights are numbers of like, independent cases; with sampling or inverse-probability weights neither the "
            "intervals nor the p-values hold."
        )
    if table.family == "gaussian":
        yield (
            "Predicted columns take both classes as Gaussian. A nearly normal "
            "feature is described well by this, a skewed "
            "one may not be" + ("; the flag misfit tells." if table.empirical else ", and nothing was counted to tell.")
        )
    else:
        yield (
            "Predicted columns of counted features lie between model and "
            "cases; misfit says how far the model alone is off."
        )
    yield "Features are looked at one by one: what two of them do together is not seen here."
    yield (
        "Neither the honest Ameans nor an interval knows of how many "
        + row_noun(table)
        + " this one is the best: they hold on "
        "average over all features, not for those that were picked from the top."
    )


def _cited(table: ScreeningResult) -> Iterator[str]:
    yield from ("green", "youden")
    if table.adjust != "none":
        yield table.adjust
    if table.empirical:
        yield from ("delong", "mann")
    if not table.empirical or _some_uncounted(table):
        yield "welch"
    if table.family == "auto":
        yield from ("box", "yeo")

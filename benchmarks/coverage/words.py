"""The text of the page between its tables."""

from collections.abc import Iterator
from typing import NamedTuple


class Quantity(NamedTuple):
    """An estimated quantity or a tested hypothesis.

    ``kind`` is "interval", "test", "both" (a test whose interval also has a required coverage) or "plan".
    """

    section: str
    title: str
    kind: str
    conventional: str
    text: str


OPENING = """# Coverage of the intervals, and levels of the tests

After reading this page you know which default interval or test of rocpredict you can rely on in data like yours.
You also know how its width or power compares with the conventional method, and what to do in settings where it misses
its level. A 95% interval should contain the true value in 95% of studies; a test at the 5% level should reject a
true null hypothesis in 5% of studies. Most methods meet these rates only in large samples. The tables below come from
simulation: each data set is drawn from known distributions and analyzed by the library.

**Requirement.** The coverage of a default interval is between 0.93 and 0.985, and the level of a default test is at
most 0.065. A cell outside of these limits is printed in bold. The level of a test of a difference is 1 minus the
coverage of its interval, so a level below 0.015 is also bold. Below each table, a sentence states what to do about
each group of bold cells.

**Settings.** The 80 settings combine the levels of four factors: the size of the smaller class (5, 10, 20, 100), the
number of negatives per positive (1/50, 1/5, 1, 5, 50), the true AUC (0.5, 0.8, 0.95, 0.99) and the kind of
distributions. Every pair of levels of two factors occurs in at least two settings (a pairwise covering design).
Methods that resample are simulated in 20 of the settings. `n` is negatives + positives.

- Gaussian: equal standard deviations.
- skewed: two exponential distributions.
- heavy-tailed: Student's t with 2 degrees of freedom, shifted.
- hooked: Gaussians; the standard deviation of the positives is three times the standard deviation of the negatives, so
  that the ROC curve crosses the chance line.
- ordinal: a Gaussian variable in 5 grades.
- binary: 0 or 1; few negatives have the value 1.
- zero-inflated: 9 of 10 negatives are 0; the other values are exponential, with a larger mean in the positives.
- clustered: Gaussians with 1 to 10 observations per cluster (3 on average) and a correlation of 0.5 within a cluster;
  `n` counts clusters, each of one class.

Features of the same observations have a Gaussian copula with correlation 0.5.

**Reading a row.** Coverage or level (the rejection rate of a true null hypothesis) is followed by the median width of
the interval and by the power. The power is the rejection rate if the AUC differs by two standard errors (Hanley and
McNeil 1982). The same figures follow for the conventional method, on the same data sets unless the text states others.
An interval that is only wider is not an improvement: compare widths and powers where both methods keep their level. A
method that rejects too often has a high power for that reason alone. "SE" is the Monte Carlo standard error of the
default's coverage or level, with two hits and two misses added. For `power`, it is the standard error of the simulated
power. A power that needs separate data sets is estimated from 500 of them, with a standard error of at most 0.03. The
width of a difference of AUCs is the median over 100 data sets.

**Number of data sets.** Each setting begins with 1,000 data sets. The number needed for an SE of 0.004 is then computed
from the estimates so far. Data sets are added until every interval and test that uses them reaches this SE. No SE is
therefore above 0.004. Because the number depends on the estimate, the estimate is biased: a level of 0.03 to 0.07 is
underestimated by 0.0002 to 0.0005 on average (12,000 simulated runs of this rule).
"""

SUMMARY = """The table shows the lowest and highest coverage, or the highest level, in any setting. "Width ratio"
is the median of the width of the default divided by the width of the conventional method; "power" is the mean over
the settings. The full tables, with the names of the methods, follow. "Settings" is the number of simulated
settings.
"""
INTERVAL_SUMMARY = """interval | settings | lowest coverage | highest | cells below 0.93 | cells above 0.985 \
| conventional, lowest | highest | width ratio"""
TEST_SUMMARY = """test | settings | highest level | cells above 0.065 | conventional, highest | power | conventional \
| width ratio"""
CLOSING = """## Reproduce this page

```console
$ make coverage
$ python -m benchmarks.coverage --quick
```

The first command installs the project with its group `bench` into `.venv` and takes an hour of processor time, about 30
minutes on two free cores. All figures of this page come from one such run. The second command takes less than a minute
on one core and prints all tables, based on few data sets.
Seed {seed}; {versions}.
"""

SECOND = "The second sample has 100 + 100 observations."
DRAWS = (
    "All methods use 250 resamples here, which lowers coverage by up to 0.003 compared with the default of 2,000. The "
    "conventional method is measured in the first 500 data sets."
)
_TOPICS = f"""
## One AUC

auc | AUC | interval | DeLong
`auc_interval()`: smoothed-logit interval with Student's t. With clusters, `auc_estimate(clusters=)`, compared with
DeLong's interval, which treats all observations as independent. The p-value of `auc_test(x, None, y, null=)` is
the significance level at which this interval begins to exclude the null value. The power is for an AUC two standard
errors from the null value.

planned power | Power computed by `power` | plan | simulated
`power(mean=, std=, count=, against=)` for the default test of one AUC, and the power of this test in the simulation.
In bold cells, the two powers differ by more than 0.02 plus two standard errors.

## Tests of AUCs

paired | Difference of two AUCs, same observations | both | DeLong
`auc_test(x1, x2, y)`: MOVER (method of variance estimates recovery) of two smoothed-logit intervals. Both curves share
the smoothing pseudo-observations.
With clusters, `auc_test(x1, x2, y, clusters=)`, compared with DeLong's test, which treats all observations as
independent.

unpaired | Difference of two AUCs, two samples | both | DeLong
`auc_test((x1, y1), (x2, y2))`: MOVER of two smoothed-logit intervals. {SECOND}

noninferiority | Noninferiority, same observations | test | DeLong
`auc_test(x1, x2, y, alternative="noninferior", margin=)` at the one-sided 5% level. The margin is two standard
errors of the AUC. For the level, the first AUC is smaller by exactly the margin; for the power, both are equal.
[Intervals](intervals.md#tests) reports the level with higher correlations.

curves | Equality of three AUCs, same observations | test | chi-squared
`auc_test_many([x1, x2, x3], y)`: F test with Krishnamoorthy and Yu's degrees of freedom. Conventional: the same
statistic with the chi-squared distribution.

groups | Equality of the AUCs of three groups | test | Wald
`auc_estimate(x, y, groups=)`: Welch's F of the logits. Two groups have `n` observations, the third has 100 + 100.
Conventional: chi-squared test with DeLong's standard errors.

screening | p-value of `screen` | test | DeLong
`screen(X, y)`: Mann-Whitney test of equal distributions, exact for rare binary features. The AUC is 1/2 in all
settings, but hooked and zero-inflated classes have different distributions.

## Rates and partial areas

tpr | TPR at FPR 0.1 | interval | bootstrap
`tpr_at_fpr_interval(0.1)`: Dirichlet draws. Conventional: percentile bootstrap. {DRAWS}

fpr | FPR at TPR 0.9 | interval | bootstrap
`fpr_at_tpr_interval(0.9)`: Dirichlet draws. Conventional: percentile bootstrap. {DRAWS}

partial | Partial AUC, FPR 0 to 0.2 | interval | bootstrap
`partial_auc_interval(fpr=(0, 0.2))`: Dirichlet draws. Conventional: percentile bootstrap. {DRAWS}

tpr difference | Difference of two TPRs at FPR 0.1, same observations | both | bootstrap
`auc_test(x1, x2, y, tpr_at_fpr=0.1)`: Dirichlet draws. Conventional: bootstrap standard deviation. {DRAWS}

partial difference | Difference of two partial AUCs, FPR 0 to 0.2, same observations | both | bootstrap
`auc_test(x1, x2, y, fpr=(0, 0.2))`: Dirichlet draws. Conventional: bootstrap standard deviation. {DRAWS}

rate | TPR at a fixed threshold | interval | Wald
`rate_interval("tpr", threshold)` and `proportion_interval`: Clopper and Pearson's exact interval, at the true best
threshold or, if all thresholds are equally good, at the 95% quantile of the negatives. Conventional: Wald interval
(proportion ± z standard errors).

## Best threshold

threshold | Best threshold | interval | bootstrap
`best_threshold().threshold_interval()`: thresholds that are not significantly worse than the best one in a local
test. Settings in which all thresholds are equally good are omitted. Conventional: percentile bootstrap, computed only
in the 20 settings of methods that resample, on other data sets.

ameans | Ameans (balanced accuracy) of the chosen threshold | interval | Newcombe
`best_threshold().ameans_interval()`: corrected for optimism. The true value is the population Ameans of the threshold
chosen from each data set. Conventional: Newcombe's interval, as if the threshold were fixed. {DRAWS}

## Curves predicted from two Gaussians

predicted auc | Predicted AUC | interval | delta
`predict_roc(x, y).auc_interval()`: generalized pivots, compared with the delta method, the default of batches. The
intervals of the delta method in this section come from the first 500 data sets. This section contains only the
Gaussian and the hooked settings, in which the model of two Gaussians is correct.

predicted tpr | Predicted TPR at FPR 0.1 | interval | delta
`predict_roc(x, y).tpr_at_fpr_interval(0.1)`: generalized pivots.

predicted partial | Predicted partial AUC, FPR 0 to 0.2 | interval | delta
`predict_roc(x, y).partial_auc_interval(fpr=(0, 0.2))`: generalized pivots.

predicted rate | Predicted TPR at a fixed threshold | interval | delta
`predict_roc(x, y).rate_interval("tpr", threshold)`: exact, by the noncentral t distribution.

predicted ameans | Predicted Ameans of the best threshold | interval | delta
`predict_roc(x, y).best_threshold().ameans_interval()`: generalized pivots.

predicted threshold | Predicted best threshold | interval | delta
`predict_roc(x, y).best_threshold().threshold_interval()`: generalized pivots with 10 or more observations per
class, otherwise the delta method.

predicted difference | Difference of two predicted AUCs, two samples | test | Wald
`auc_test(roc1, roc2)` of two curves by `predict_roc`. {SECOND}
Conventional: z test with the standard errors of the delta method.
"""


def _parse_topics() -> Iterator[tuple[str, Quantity]]:
    """Return the quantities by name, each with its section."""
    section = ""
    for paragraph in _TOPICS.strip().split("\n\n"):
        heading, _, text = paragraph.partition("\n")
        if heading.startswith("## "):
            section = heading
        else:
            name, *fields = heading.split(" | ")
            yield name, Quantity(section, *fields, text)


QUANTITIES = dict(_parse_topics())

_FEW = (
    "with few exceptions the smaller class has at most 10 observations, or its size times (1 - AUC) is at most 1, or "
    "most values are tied."
)
_GENERAL_ADVICE = {
    "above": "few observations, an AUC near 1, or many ties. No action is needed: the interval is valid, but wider "
    "than it needs to be; more observations of the smaller class make it narrower.",
    "below": "report the interval as approximate, and plan more observations of the smaller class (`sample_size`).",
    "level": "report the p-value as approximate, and plan more observations of the smaller class (`sample_size`).",
    "plan": "simulate the study, or add a few observations to the plan.",
}
_WIDE = f"{_FEW} No action is needed: the interval is valid; more observations of the smaller class make it narrower."
_LITTLE_POWER = (
    f"{_FEW} A rejection is valid, but the test has little power: plan more observations of the smaller class "
    "(`sample_size(power=, against=)`)."
)
_LITTLE_POWER_OF_DRAWS = (
    "few observations. A rejection is valid, but the test has little power: plan more observations, or compare AUCs. "
    '`method="bootstrap"` has more power; its level in these rows shows where it can be used.'
)
_EXACT = (
    'no action is needed: the coverage of the exact interval is never below its level. `method="wilson"` is narrower; '
    "its coverage is 95% on average, and lower in some settings."
)
_NOT_EQUAL = (
    "the classes have equal AUCs but different distributions. Judge a feature by `empirical_low` and "
    "`empirical_high`, the interval of its AUC, or by `auc_test(x, None, y)`, a test of its AUC."
)
_STEPS = (
    "few observations, or ordinal values: the interval is at least one step between adjacent values wide. No "
    "action is needed: more observations make it narrower, down to one step."
)
_EMPIRICAL = "test the empirical curves: `auc_test((x1, y1), (x2, y2))` needs no model and keeps its level (see above)."
_HILGERS = '`method="hilgers"` has a coverage of at least its level for continuous distributions, and is wider.'
_ADVICE = {
    ("auc", "above"): _WIDE,
    ("paired", "above"): _LITTLE_POWER,
    ("unpaired", "above"): _LITTLE_POWER,
    ("tpr difference", "above"): _LITTLE_POWER_OF_DRAWS,
    ("partial difference", "above"): _LITTLE_POWER_OF_DRAWS,
    ("rate", "above"): _EXACT,
    ("screening", "level"): _NOT_EQUAL,
    ("threshold", "above"): _STEPS,
    ("tpr", "below"): _HILGERS,
    ("predicted difference", "level"): _EMPIRICAL,
}


def advise(name: str, side: str) -> str:
    """Return the advice for the cells of a quantity on a side of its limits."""
    return _ADVICE.get((name, side), _GENERAL_ADVICE[side])

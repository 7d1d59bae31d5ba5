"""The words of the page between its tables."""

OPENING = """# How intervals cover, and how tests keep their level

A 95 % interval should hold the true value in 95 of 100 studies, and a test at 5 % should reject a true hypothesis in
5 of 100. Most methods promise it for large samples only. Here is what the promises come to: data sets drawn from
classes of known AUC, answered by the library's own code, and counted how often each promise held.

**How to read it.** A coverage above 95 % means that an interval is wider than it need be, one below 95 % that it says
too much; the second is worse. Every share has a Monte-Carlo standard error, given with it: {error:.2%} for the
default interval, with {default:,} data sets in each setting. Among so many settings a few lie three such errors off
by chance: where the default seems to lie outside of what is required of it, it is measured anew on {again:,} fresh data
sets, and these alone count.

**The classes.** Gaussians with SDs in the ratio 1 and 2 (1/2 is the mirror image of 2: the numbers of cases change
places); exponentials; lognormals (σ = 0.8), the one shifted; 5 levels, as of a rating; Student t with 3 degrees of
freedom, shifted; a Gaussian against two narrow ones 3 apart; Weibulls of shapes 3 and 0.8; Laplace, shifted; a
uniform against a beta; 3 levels; and amounts that are 0 in 9 of 10 negatives. Each is moved to an exact AUC, in
closed form or by quadrature to 1e-7. The first constant of the default interval, half a case in the area, was chosen
on the first four kinds; the second, a quarter of a case in the spread, when amounts that are mostly 0 showed the need
of it. `n` is negatives + positives.
"""

OF_AREAS = """`smoothed-logit` is the default for samples. `delta` and `reiser-guttman` belong to a predicted ROC:
they see means and standard deviations alone, and are tried on Gaussians only. A fallback is an interval where a
method sees no spread (an empirical AUC of 1, say), so that the default stands in for it, flagged; the default itself
falls back only where all values are tied. Dearer methods are tried on the first of the same data sets, those that
resample on Gaussians, exponentials, lognormals and 5 levels with AUC 0.75 and 0.95.
"""

UNDER_VERDICT = (
    "Required by this project of itself. Nearly all values tied and few cases in one class is what is hardest: ten "
    "positives that are all 0 show no spread."
)

UNDER_METHODS = (
    "Lowest, mean and highest coverage over the pairs; above and below: the mean shares of intervals that lie "
    "above the true AUC, or below it; width: the mean over that of Newcombe's on the same pairs; MC error: of one "
    "pair's coverage."
)

OF_OTHERS = """Classes with an AUC of 0.85: Gaussians with SD ratio 2, and exponentials. The intervals of the
predicted ROC (`delta`) are tried on the Gaussians, for which the model is right. `hilgers` and `clopper-pearson`
promise at least 95 %. The true Ameans is that of the best threshold of the true classes. 500 resamples each.
"""

OF_TESTS = """Gaussian features whose AUC is what the hypothesis says; those on the same cases are correlated within
each class. With {large:,} data sets the Monte-Carlo standard error is {error:.2%}, and rates from 4.3 to 5.7 % are
those of a test that keeps its level; smaller rates are safe, but lose power. The exact test rejects at most as often
as it says: few cases make few values of p.
"""

CLOSING = """```console
$ python -m benchmarks.coverage --out docs/coverage.md
$ python -m benchmarks.coverage --quick
```

The second takes less than a minute, with fewer data sets and settings. Seed {seed}; {versions}.
"""

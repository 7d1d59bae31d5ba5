"""The best threshold of every criterion against exhaustive search: optimum, dominated thresholds, ties."""

import numpy as np
from scipy import stats

import rocpredict as rp
from rocpredict.base.rates import Rates
from rocpredict.distributions.shrinkage import ShrinkageDistribution


def product_of_rates(rates):
    return rates.tpr * rates.tnr


def many_maxima(rates):
    return np.sin(37 * rates.tpr) + np.sin(29 * rates.fpr)


def only_tpr(rates):
    return rates.tpr


CRITERIA = [
    ("ameans", {}),
    ("youden", {}),
    ("cost", {"prevalence": 0.3, "cost_fp": 3.0}),
    ("cost", {"prevalence": 0.3, "cost_fp": 0.0}),
    ("cost", {"prevalence": 0.9, "cost_fn": 0.0}),
    ("accuracy", {"prevalence": 0.5}),
    ("f1", {"prevalence": 0.3}),
    ("f_beta", {"prevalence": 0.1, "beta": 2.0}),
    ("closest_topleft", {}),
    *((name, {"value": value}) for name in ("min_tpr", "min_tnr", "max_fpr") for value in (0.0, 0.25, 0.5, 0.9, 1.0)),
    (product_of_rates, {}),
    (many_maxima, {}),
    (only_tpr, {}),
]
TOLERANCE = 1e-12


def evaluate(criterion, options, rates):
    """Return what a criterion maximizes, written out by its definition."""
    share, value = options.get("prevalence"), options.get("value")
    tpr, fpr, tnr, fnr = rates.tpr, rates.fpr, rates.tnr, rates.fnr
    if callable(criterion):
        return criterion(rates)
    if criterion == "cost":
        return -(share * options.get("cost_fn", 1.0) * fnr + (1 - share) * options.get("cost_fp", 1.0) * fpr)
    if criterion in {"f1", "f_beta"}:
        square = options.get("beta", 1.0) ** 2
        return (1 + square) * share * tpr / (square * share + share * tpr + (1 - share) * fpr)
    simple = {
        "ameans": lambda: (tpr + tnr) / 2,
        "youden": lambda: tpr - fpr,
        "accuracy": lambda: share * tpr + (1 - share) * tnr,
        "closest_topleft": lambda: -np.hypot(fpr, fnr),
        "min_tpr": lambda: np.where(tpr >= value - TOLERANCE, tnr, -np.inf),
        "min_tnr": lambda: np.where(tnr >= value - TOLERANCE, tpr, -np.inf),
        "max_fpr": lambda: np.where(fpr <= value + TOLERANCE, tpr, -np.inf),
    }
    return simple[criterion]()


def rates_of(best):
    return Rates(*(np.array([rate]) for rate in (best.tpr, best.fpr, best.tnr, best.fnr)))


def operating_points(negative, positive, weights, sign):
    """Return a threshold between any two neighbours and the rates there, by counting."""
    values = np.unique(np.concatenate([negative, positive]))
    cuts = np.concatenate([[-np.inf], (values[1:] + values[:-1]) / 2, [np.inf]])
    shares = [
        np.array([np.sum(w[sign * x >= sign * cut]) / np.sum(w) for cut in cuts])
        for x, w in zip((negative, positive), weights, strict=True)
    ]
    return cuts, Rates(shares[1], shares[0], 1 - shares[0], 1 - shares[1])


def runs_of_best(utility, rates):
    """Return the runs of operating points that no other one beats or dominates."""
    good = utility >= utility.max() - TOLERANCE
    for i in np.flatnonzero(good):
        no_worse = (rates.tpr >= rates.tpr[i] - TOLERANCE) & (rates.fpr <= rates.fpr[i] + TOLERANCE)
        better = (rates.tpr > rates.tpr[i] + TOLERANCE) | (rates.fpr < rates.fpr[i] - TOLERANCE)
        good[i] = not (no_worse & better & (utility >= utility.max() - TOLERANCE)).any()
    index = np.flatnonzero(good)
    return np.split(index, np.flatnonzero(np.diff(index) > 1) + 1)


def fault_of_sample(roc, points, criterion, options):
    (cuts, rates), sign = points, -1 if roc.direction == "lower" else 1
    best = roc.best_threshold(criterion, **options)
    utility = evaluate(criterion, options, rates)
    runs = runs_of_best(utility, rates)
    own = [run for run in runs if best.threshold in cuts[run]]
    if len(own) != 1 or abs(evaluate(criterion, options, rates_of(best))[0] - utility.max()) > TOLERANCE:
        return f"threshold {best.threshold}, best are {[cuts[run] for run in runs]}"
    others = [run for run in runs if run is not own[0]]
    if len(others) != len(best.equal_thresholds) or ("equal_thresholds" in best.flags) != bool(others):
        return f"equal thresholds {best.equal_thresholds}, not {[cuts[run] for run in others]}"
    if not all(np.isin(t, cuts[run]) for run, t in zip(others, best.equal_thresholds, strict=True)):
        return f"equal thresholds {best.equal_thresholds}, not one of each of {[cuts[run] for run in others]}"
    low, high = best.plateau
    inner = cuts[own[0]][np.isfinite(cuts[own[0]])]
    if not (((low < inner) & (inner <= high)) if sign == 1 else ((low <= inner) & (inner < high))).all():
        return f"plateau {best.plateau} does not hold {inner}"
    expected = -utility.max() if criterion in ("cost", "closest_topleft") else utility.max()
    return f"value {best.criterion_value}, not {expected}" if abs(best.criterion_value - expected) > TOLERANCE else ""


def test_every_criterion_of_samples_agrees_with_exhaustive_search():
    rng = np.random.default_rng(16)
    faults, n_tied = [], 0
    for trial in range(120):
        n, m = rng.integers(1, 9, 2)
        top = rng.integers(2, 9)
        negative, positive = (rng.integers(0, top, size).astype(float) for size in (n, m))
        weights = [rng.integers(1, 4, size) if trial % 3 == 0 else np.ones(size) for size in (n, m)]
        direction, sign = ("lower", -1) if trial % 2 else ("higher", 1)
        roc = rp.empirical_roc(
            np.concatenate([negative, positive]),
            np.repeat([0, 1], [n, m]),
            direction=direction,
            weights=np.concatenate(weights) if trial % 3 == 0 else None,
        )
        points = operating_points(negative, positive, weights, sign)
        for criterion, options in CRITERIA:
            fault = fault_of_sample(roc, points, criterion, options)
            faults += [f"{trial}, {criterion}, {options}: {fault}"] if fault else []
            n_tied += "equal_thresholds" in roc.best_threshold(criterion, **options).flags
    assert not faults, "\n".join(faults[:10])
    assert n_tied > 100


def random_mixture(rng):
    k = rng.integers(2, 13)
    return rp.GaussianMixture(rng.dirichlet(np.ones(k)), rng.uniform(-6, 6, k), rng.uniform(0.1, 1.5, k))


def pairs_with_many_crossings():
    rng = np.random.default_rng(3)
    x, y = np.concatenate([rng.normal(size=30), rng.normal(0.7, 2, 30)]), np.repeat([0, 1], 30)
    fitted = (rp.predict_roc(x, y, family=family) for family in ("kde", "histogram", "auto"))
    values = rp.EmpiricalRoc(negative=[0, 1, 2, 5, 5, 7], positive=[1, 2]).negative
    return [
        *((random_mixture(rng), random_mixture(rng)) for _ in range(4)),
        (rp.GaussianMixture([0.5, 0.5], [-5, 5], [1, 1]), rp.GaussianMixture([0.5, 0.5], [-3, 7], [1, 1])),
        (stats.uniform(0, 10), stats.uniform(20, 1)),
        (stats.uniform(0, 10), stats.uniform(5, 10)),
        (stats.poisson(3), stats.poisson(5)),
        (values, rp.Gaussian(4, 2)),
        (rp.Gaussian(3, 2), values),
        (rp.Gaussian(0, 1), rp.Gaussian(1.5, 1.2)),
        *((roc.negative, roc.positive) for roc in fitted),
    ]


def fault_of_densities(roc, grid, rates, criterion, options):
    best = roc.best_threshold(criterion, **options)
    utility = evaluate(criterion, options, rates)
    value = evaluate(criterion, options, rates_of(best))[0]
    if value < utility.max() - TOLERANCE:
        return f"{best.threshold} gives {value}, {grid[np.argmax(utility)]} gives {utility.max()}"
    expected = -value if criterion in ("cost", "closest_topleft") else value
    if abs(best.criterion_value - expected) > TOLERANCE and not isinstance(roc.negative, ShrinkageDistribution):
        return f"value {best.criterion_value}, not {expected}"
    if options.get("value") is not None:
        better = (rates.tpr > best.tpr + TOLERANCE) | (rates.fpr < best.fpr - TOLERANCE)
        dominating = better & (rates.tpr >= best.tpr) & (rates.fpr <= best.fpr) & np.isfinite(utility)
        if dominating.any():
            return f"{best.threshold} is dominated by {grid[dominating][0]}"
    for t in best.equal_thresholds:
        gap = value - evaluate(criterion, options, rates_of(roc.rates(t)))[0]
        if abs(gap) > TOLERANCE:
            return f"{t} is said to do as well as {best.threshold} and does not, by {gap}"
    good = np.flatnonzero(utility >= value - 1e-13)
    for run in np.split(good, np.flatnonzero(np.diff(good) > 1) + 1) if good.size else []:
        low, high = grid[max(run[0] - 1, 0)], grid[min(run[-1] + 1, len(grid) - 1)]
        listed = any(low <= t <= high for t in (best.threshold, *best.equal_thresholds))
        if not listed and not (best.plateau[0] <= high and low <= best.plateau[1]) and options.get("cost_fp") != 0:
            return f"{grid[run[0]]} does as well as {best.threshold} and is not listed"
    return ""


def test_densities_with_many_crossings_have_their_global_optimum_and_all_ties():
    faults = []
    for negative, positive in pairs_with_many_crossings():
        roc = rp.PredictedRoc(negative, positive)
        pair = roc.negative, roc.positive
        low, high = min(d.ppf(1e-13) for d in pair) - 1, max(d.isf(1e-13) for d in pair) + 1
        atoms = np.concatenate([d.atoms().points for d in pair])
        edges = [*atoms, *np.nextafter(atoms, np.inf), -np.inf, np.inf]
        grid = np.unique(np.concatenate([np.linspace(low, high, 30_001), edges]))
        rates = [f(grid) for f in (pair[1].sf_inclusive, pair[0].sf_inclusive, pair[0].cdf_strict, pair[1].cdf_strict)]
        for criterion, options in CRITERIA:
            if options.get("value") in {0.0, 1.0}:
                continue  # a density without bounds meets such a limit at an end of the axis only
            fault = fault_of_densities(roc, grid, Rates(*map(np.asarray, rates)), criterion, options)
            faults += [f"{negative!r:.60}, {positive!r:.60}, {criterion}, {options}: {fault}"] if fault else []
    assert not faults, "\n".join(faults[:10])


def test_equal_thresholds_are_flagged_and_listed():
    best = rp.EmpiricalRoc(negative=[1, 2, 4, 5], positive=[3, 4, 6, 7]).best_threshold()
    assert (best.threshold, best.equal_thresholds.tolist(), list(best.flags)) == (5.5, [2.5], ["equal_thresholds"])
    assert "equally good thresholds near" in str(best.table())
    reversed_pair = rp.PredictedRoc(rp.Gaussian([8, 4], [1, 1]), rp.Gaussian([4, 8], [1, 1])).best_threshold()
    assert reversed_pair.flags["equal_thresholds"].tolist() == [True, False]
    np.testing.assert_array_equal(reversed_pair.equal_thresholds, [[-np.inf], [np.nan]])


def test_lists_and_tuples_are_arrays():
    """One value for each of two features gives what each feature gives alone, as a list, a tuple or an array."""
    stats = {"mean": ([4, 5], [8, 7]), "std": ([3, 2], [2, 2.5])}
    alone = [
        rp.PredictedRoc.from_stats(mean=(a, b), std=(c, d))
        for a, b, c, d in zip(*stats["mean"], *stats["std"], strict=True)
    ]
    for criterion, options in {
        "cost": {"prevalence": (0.1, 0.4), "cost_fp": [1, 2], "cost_fn": (3.0, 1.0)},
        "accuracy": {"prevalence": [0.1, 0.4]},
        "f1": {"prevalence": (0.1, 0.4)},
        "min_tpr": {"value": [0.8, 0.9]},
    }.items():
        several = rp.PredictedRoc.from_stats(**stats).best_threshold(criterion, **options)
        for j, roc in enumerate(alone):
            one = roc.best_threshold(criterion, **{name: value[j] for name, value in options.items()})
            np.testing.assert_allclose(several.criterion_value[j], one.criterion_value, rtol=1e-12)
            np.testing.assert_allclose(several.threshold[j], one.threshold, rtol=1e-10)

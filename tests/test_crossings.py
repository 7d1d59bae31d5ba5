"""All crossings of weighted densities: against fine grids, in 50 digits, and for close pairs."""

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.solvers.quadrature import find_roots

mp.mp.dps = 50


def random_mixture(rng, k, narrowest=0.1):
    stds = np.exp(rng.uniform(np.log(narrowest), np.log(1.5), k))
    return rp.GaussianMixture(rng.dirichlet(np.ones(k)), rng.uniform(-6, 6, k), stds)


def kernel_densities(rng, n):
    return rp.GaussianKde(rng.normal(size=n)), rp.GaussianKde(rng.normal(0.7, 2, n))


def log_normal_sum(weights, means, stds):
    parts = [
        (mp.mpf(float(w)), mp.mpf(float(m)), mp.mpf(float(s))) for w, m, s in zip(weights, means, stds, strict=True)
    ]
    total = mp.fsum(w for w, _, _ in parts)

    def log_density(x):
        return mp.log(
            mp.fsum(w / s * mp.exp(-(((x - m) / s) ** 2) / 2) for w, m, s in parts) / total / mp.sqrt(2 * mp.pi)
        )

    return log_density


def z(x, loc, scale):
    return (x - mp.mpf(loc)) / mp.mpf(scale)


FAMILIES = {
    "gamma": (
        lambda rng: (rng.uniform(0.4, 6), 0.0, rng.uniform(0.5, 3)),
        lambda u, a: (a - 1) * mp.log(u) - u - mp.loggamma(a),
    ),
    "weibull_min": (
        lambda rng: (rng.uniform(0.6, 4), 0.0, rng.uniform(0.5, 3)),
        lambda u, c: mp.log(c) + (c - 1) * mp.log(u) - u**c,
    ),
    "lognorm": (
        lambda rng: (rng.uniform(0.3, 1.5), 0.0, rng.uniform(0.5, 3)),
        lambda u, s: -mp.log(u) - mp.log(s) - (mp.log(u) / s) ** 2 / 2 - mp.log(2 * mp.pi) / 2,
    ),
    "norm": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -u * u / 2 - mp.log(2 * mp.pi) / 2),
    "t": (
        lambda rng: (rng.uniform(1.5, 20), rng.normal(), rng.uniform(0.5, 3)),
        lambda u, v: (
            mp.loggamma((v + 1) / 2) - mp.loggamma(v / 2) - mp.log(v * mp.pi) / 2 - (v + 1) / 2 * mp.log(1 + u * u / v)
        ),
    ),
    "logistic": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -u - 2 * mp.log(1 + mp.exp(-u))),
    "laplace": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -abs(u) - mp.log(2)),
    "cauchy": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -mp.log(mp.pi) - mp.log(1 + u * u)),
    "gumbel_l": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: u - mp.exp(u)),
    "gumbel_r": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -u - mp.exp(-u)),
    "genlogistic": (
        lambda rng: (rng.uniform(0.5, 3), rng.normal(), 1.0),
        lambda u, c: mp.log(c) - u - (c + 1) * mp.log(1 + mp.exp(-u)),
    ),
    "hypsecant": (lambda rng: (rng.normal(), rng.uniform(0.5, 3)), lambda u: -mp.log(mp.pi) - mp.log(mp.cosh(u))),
    "beta": (
        lambda rng: (rng.uniform(0.5, 5), rng.uniform(0.5, 5), 0.0, 1.0),
        lambda u, a, b: (a - 1) * mp.log(u) + (b - 1) * mp.log(1 - u) - mp.log(mp.beta(a, b)),
    ),
}


def random_family(rng, name):
    draw, formula = FAMILIES[name]
    *shapes, loc, scale = parameters = draw(rng)
    exact = [mp.mpf(float(shape)) for shape in shapes]

    frozen = getattr(stats, name)(*parameters)
    low, high = frozen.support()

    def log_density(x):
        if not low < x < high:
            return mp.mpf("-inf")
        return formula(z(x, float(loc), float(scale)), *exact) - mp.log(mp.mpf(float(scale)))

    return frozen, log_density


def components(d):
    normals = d.components
    return log_normal_sum(normals.weights, normals.means, normals.stds)


def random_pair(rng, kind):
    """Return two distributions, and their log densities in 50 digits."""
    if kind == "mixtures":
        pair = [random_mixture(rng, rng.integers(1, 13)) for _ in range(2)]
        return pair, [components(d) for d in pair]
    if kind == "kernel":
        pair = kernel_densities(rng, int(rng.integers(5, 40)))
        return pair, [components(d) for d in pair]
    names = rng.choice(sorted(FAMILIES), 2)
    first, second = random_family(rng, names[0]), random_family(rng, names[0] if kind == "family" else names[1])
    if kind == "mixture and family":
        mixture = random_mixture(rng, rng.integers(2, 8))
        second = mixture, components(mixture)
    return [first[0], second[0]], [first[1], second[1]]


KINDS = ("mixtures", "kernel", "family", "families", "mixture and family")


def fine_grid(pair):
    low, high = min(d.ppf(1e-12) for d in pair), max(d.isf(1e-12) for d in pair)
    shares = np.linspace(1e-9, 1 - 1e-9, 10_001)
    points = np.unique(np.concatenate([np.linspace(low, high, 100_001), *(d.ppf(shares) for d in pair)]))
    return points[np.isfinite(points)]


def faults_of_pair(distributions, log_densities, prevalence):
    roc = rp.PredictedRoc(*distributions)
    crossings = roc.crossings(prevalence=prevalence)
    log_price = float(np.log1p(-prevalence) - np.log(prevalence))
    pair = roc.negative, roc.positive
    grid = fine_grid(pair)
    logs = [np.asarray(d.logpdf(grid)) for d in pair]
    with np.errstate(invalid="ignore"):
        excess, noise = logs[1] - logs[0] - log_price, 1e-13 * (1 + np.abs(logs[0]) + np.abs(logs[1]))
    clear = np.isfinite(excess) & (np.abs(excess) > noise)
    grid, excess = grid[clear], excess[clear]
    change = np.flatnonzero((excess[1:] > 0) != (excess[:-1] > 0))
    n_between = np.searchsorted(crossings, grid[change + 1], "right") - np.searchsorted(crossings, grid[change], "left")
    faults = [f"misses {grid[k]} to {grid[k + 1]}" for k, n in zip(change, n_between, strict=True) if n % 2 == 0]

    def exact(x):
        x = mp.mpf(x)
        return log_densities[1](x) - log_densities[0](x) - mp.mpf(log_price)

    for t in crossings.tolist():
        step = max(abs(t), 1e-300) * 1e-7
        with mp.workdps(50):
            rise = float(abs(exact(t + step) - exact(t - step)) / (2 * step))
            size = 1 + abs(float(log_densities[0](mp.mpf(t)))) + abs(float(log_densities[1](mp.mpf(t))))
            reach = max(8 * float(np.spacing(abs(t))), 2e-14 * size / max(rise, 1e-12))
            if mp.sign(exact(t - reach)) == mp.sign(exact(t + reach)):
                faults.append(f"no sign change at {t}")
    return faults


def check_random_pairs(seed, n_pairs):
    rng = np.random.default_rng(seed)
    faults = []
    for trial in range(n_pairs):
        kind = KINDS[trial % len(KINDS)]
        prevalence = float(rng.choice([0.5, 0.5, 0.3, 0.7, 0.05]))
        distributions, log_densities = random_pair(rng, kind)
        texts = faults_of_pair(distributions, log_densities, prevalence)
        faults += [f"{trial}, {kind}, prevalence {prevalence}: {text}" for text in texts]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:20])


def test_crossings_of_random_pairs():
    check_random_pairs(seed=16, n_pairs=25)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_crossings_of_500_random_pairs(seed):
    check_random_pairs(seed=100 + seed, n_pairs=50)


def close_pair(rng, distributions, departure):
    """Return a prevalence at which two crossings lie close about a turn of the ratio, the turn and their distance."""
    roc = rp.PredictedRoc(*distributions)

    def ratio(x):
        return np.asarray(roc.positive.logpdf(x)) - roc.negative.logpdf(x)

    grid = np.linspace(-8, 8, 200_001)
    values = ratio(grid)
    turns = np.flatnonzero(np.diff(values)[:-1] * np.diff(values)[1:] < 0) + 1
    turns = turns[np.abs(values[turns]) < 8]
    at = rng.choice(turns)
    sign = 1.0 if values[at] > values[at - 1] else -1.0
    fine = np.linspace(grid[at - 1], grid[at + 1], 2001)
    top = fine[np.argmax(sign * ratio(fine))]
    bend = abs(values[at + 1] - 2 * values[at] + values[at - 1]) / (grid[1] - grid[0]) ** 2
    prevalence = 1 / (1 + np.exp(float(ratio(np.array([top]))[0]) - sign * departure))
    return float(prevalence), float(top), float(np.sqrt(2 * departure / bend))


def test_close_pairs_of_crossings_are_complete():
    rng = np.random.default_rng(64)
    missing = []
    for trial in range(60):
        if trial % 6 == 5:
            pair = kernel_densities(rng, 60)
        else:
            pair = random_mixture(rng, 12, narrowest=0.02), random_mixture(rng, 12, narrowest=0.02)
        departure = (1e-3, 1e-5, 1e-7, 1e-9)[trial % 4]
        prevalence, turn, distance = close_pair(rng, pair, departure)
        crossings = rp.PredictedRoc(*pair).crossings(prevalence=prevalence)
        reach = 2 * distance + 1e-7
        near = crossings[np.abs(crossings - turn) <= reach]
        if not ((near < turn).any() and (near > turn).any()):
            missing.append(f"{trial}: no pair about {turn} within {reach}, {len(crossings)} in all")
    assert not missing, "\n".join(missing)


def test_a_ratio_that_equals_the_price_over_an_interval_is_flagged():
    level = rp.PredictedRoc(stats.uniform(0, 2), stats.uniform(1, 2)).best_threshold()
    assert "crossings_uncertain" in level.flags
    for plain in (
        (stats.gumbel_l(), stats.gumbel_l(loc=0.5)),
        (rp.GaussianMixture([0.5, 0.5], [0, 3], [1, 0.2]), rp.GaussianMixture([0.5, 0.5], [1, 4], [1, 0.2])),
        (rp.Gaussian(0, 1), stats.norm(0, 1)),
    ):
        assert "crossings_uncertain" not in rp.PredictedRoc(*plain).best_threshold().flags


def test_brackets_between_neighbouring_floats_about_0_end_at_once():
    left, right = np.array([-5e-324, 0.0]), np.array([0.0, 5e-324])
    assert find_roots(lambda x: np.where(x >= right, 1.0, -1.0), left, right).nfev.max() < 10


def test_many_prices_have_the_crossings_of_one_at_a_time():
    """More prices than are solved together; these densities have no closed form."""
    solver = rp.PredictedRoc(stats.genlogistic(2), stats.genlogistic(3, 0.5, 0.8))._solver
    prices = np.linspace(0.25, 0.35, 300)
    many = solver.crossings(prices)
    for place in (0, 127, 128, 129, 256, 299):
        one = solver.crossings(prices[place])
        assert len(one) > 0
        np.testing.assert_array_equal(many[place][: len(one)], one)
        assert np.isnan(many[place][len(one) :]).all()

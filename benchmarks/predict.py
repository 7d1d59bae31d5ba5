"""Speed of predictions for a table of features with known means and standard deviations."""

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

import rocpredict as rp
from benchmarks.ratio import Ratio, compare
from rocpredict.distributions.normality import suppress_misfit_warning

_MILLION = 1_000_000


def measure() -> Iterator[Ratio]:
    yield _a_million_features()
    yield _a_grid_of_thresholds()
    yield _the_shrunk_estimate()
    yield _the_import()


def _stats(features: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    means, stds = rng.normal(size=(2, features)), rng.uniform(0.5, 2, size=(2, features))
    return {"mean": (means[0], means[1]), "std": (stds[0], stds[1])}


def _a_million_features() -> Ratio:
    stats = _stats(_MILLION)
    z = np.random.default_rng(1).normal(size=_MILLION)

    def predict() -> None:
        roc = rp.PredictedRoc.from_stats(**stats)
        roc.auc()
        assert roc.best_threshold().ameans.shape == (_MILLION,)

    return compare(
        "1,000,000 features: AUC, best threshold, Ameans",
        predict,
        "one ndtr call on a million values",
        lambda: ndtr(z),
        goal="<= 30, aim 15",
    )


def _a_grid_of_thresholds() -> Ratio:
    features, thresholds = 10_000, np.linspace(-4, 4, 512)
    roc = rp.PredictedRoc.from_stats(**_stats(features))
    z = np.random.default_rng(1).normal(size=(2, features, len(thresholds)))
    return compare(
        "10,000 features x 512 thresholds: TPR and FPR",
        lambda: (roc.tpr_grid(thresholds), roc.fpr_grid(thresholds)),
        "two ndtr calls on an array of this size",
        lambda: (ndtr(z[0]), ndtr(z[1])),
        goal="<= 1.5",
    )


def _the_shrunk_estimate() -> Ratio:
    rng = np.random.default_rng(2)
    x, y = np.concatenate([rng.gamma(4, 1, 100), rng.gamma(5, 1.2, 100)]), np.repeat([0, 1], 100)

    def answered(roc: rp.PredictedRoc | rp.EmpiricalRoc) -> None:
        roc.auc()
        assert np.isfinite(roc.best_threshold().threshold)

    def plain() -> None:
        with suppress_misfit_warning():
            answered(rp.predict_roc(x, y))
        answered(rp.empirical_roc(x, y))

    return compare(
        "family='auto', 200 rows: fit, AUC, best threshold",
        lambda: answered(rp.predict_roc(x, y, family="auto")),
        "the same for two Gaussians, and for the empirical curve",
        plain,
        goal="<= 15",
    )


def _the_import() -> Ratio:
    return compare(
        "import rocpredict",
        lambda: _python("import rocpredict"),
        "import numpy, scipy.special",
        lambda: _python("import numpy, scipy.special"),
        goal="<= 1.3",
        runs=21,
    )


def _python(statement: str) -> None:
    subprocess.run([sys.executable, "-c", statement], check=True)

"""``family="auto"`` for many samples at once, by the library's own estimate."""

import numpy as np

from benchmarks.fidelity.counted import GRID, Answer
from benchmarks.fidelity.sources import Array
from rocpredict.distributions.shrinkage import estimate_shrinkage
from rocpredict.solvers.shrinkage import CumulativeMasses, evaluate_batch


def auto(negative: Array, positive: Array, *, declared: bool = True, is_chosen: bool = False) -> Answer:
    """Return the shrunk curve; ``declared``: positives have larger values; ``is_chosen``: they do in the sample."""
    batch = evaluate_batch(negative, positive, lower=False, declared=declared, is_chosen=is_chosen)
    fitted = estimate_shrinkage(negative, positive, declared=declared)
    rates = CumulativeMasses.from_positive(fitted.posterior).rates()
    curves = zip(1 - rates[0][:, ::-1], 1 - rates[1][:, ::-1], strict=True)
    heights = np.array([np.interp(GRID, *curve) for curve in curves])
    return Answer(heights, batch.rule.ameans, batch.threshold)

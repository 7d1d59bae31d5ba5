"""How far a prediction is the model's, and how far the model lies from the sample."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rocpredict.arguments import FloatArray
from rocpredict.distributions import Distribution, Shrunk
from rocpredict.engines import engine_for
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown
from rocpredict.shrinkage.heights import FPR, counted_heights
from rocpredict.shrinkage.weighing import weigh

_CHANCE, _FAR = 1.0, 4.0


@dataclass(frozen=True, repr=False)
class Trust(Rich):
    """Say how far a predicted curve can be believed.

    Attributes
    ----------
    model_share : float
        Of the estimate, the share that is the model's; the rest is the sample's own. Of a family that is all model it
        is the share that it would keep if it were weighed as the shrunk estimate weighs its own model.
    shrunk : bool
        Whether the prediction is the shrunk estimate.
    distance : float
        Mean distance of the model's curve and the empirical one, in TPR over all FPR.
    excess : float
        Mean square of that distance, over what chance alone would make of it had the model been known beforehand (D/V).
        About 0.3 for a model that is right, since it was fitted to the same rows.
    n_negative, n_positive : int
        Rows behind it.
    """

    model_share: float
    shrunk: bool
    distance: float
    excess: float
    n_negative: int
    n_positive: int

    @property
    def meaning(self) -> str:
        """What these figures mean, in one sentence."""
        if self.excess <= _CHANCE:
            apart = "no farther than chance would put them"
        elif self.excess <= _FAR:
            apart = "farther than chance would put them"
        else:
            apart = "much farther than chance would put them"
        share = f"{self.model_share:.0%} of this estimate is the model's, the rest the sample's own"
        if not self.shrunk and self.model_share == 1:
            share = "nothing in the sample asks for less than the whole model"
        elif not self.shrunk:
            kept = f"of which a blend as by family='auto' keeps {self.model_share:.0%}"
            share = f"this prediction is the model's alone, {kept}"
        return f"The curves of model and sample lie {self.distance:.3f} of TPR apart, {apart}; {share}."

    def to_dict(self) -> dict[str, Any]:
        """Give the figures by name."""
        return asdict(self) | {"meaning": self.meaning}

    def _shown(self) -> Shown:
        names = {"model_share": "share of the model", "distance": "distance of the curves", "excess": "over chance"}
        cases = {"n_negative": "negatives", "n_positive": "positives"}
        rows = [[word, getattr(self, name)] for name, word in (names | cases).items()]
        return Shown("Trust in a predicted curve", rows, notes=[self.meaning])

    def __repr__(self) -> str:
        return f"Trust(model_share={self.model_share:.4g}, distance={self.distance:.4g}, excess={self.excess:.4g})"


def judge(pair: tuple[Distribution, Distribution], negative: FloatArray, positive: FloatArray) -> Trust:
    """Lay the model's curve beside the empirical one.

    Parameters
    ----------
    pair : pair of distributions
        (negative, positive) of the rule "positive when x >= threshold".
    negative, positive : arrays of shape (n,)
        The rows they were fitted to.
    """
    if any(d.shape for d in pair):
        raise RocPredictError("trust is asked of one feature at a time")
    weights = [d.weight for d in pair if isinstance(d, Shrunk)]
    models = [d.model if isinstance(d, Shrunk) else d for d in pair]
    engine = engine_for(*models)
    heights, slope = (np.asarray(ask(*models, FPR))[None, :] for ask in (engine.tpr_at_fpr, engine.slope))
    found = weigh(heights, counted_heights(negative[None, :], positive[None, :]), slope, len(negative), len(positive))
    noise = float(np.asarray(found.noise)[0])
    square = float(np.asarray(found.square)[0])
    return Trust(
        model_share=1 - (weights[0] if weights else float(np.asarray(found.weight)[0])),
        shrunk=bool(weights),
        distance=float(np.asarray(found.distance)[0]),
        excess=square / noise if noise > 0 else (np.inf if square > 0 else 0.0),
        n_negative=len(negative),
        n_positive=len(positive),
    )

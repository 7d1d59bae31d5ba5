"""The stated outcomes of degenerate inputs, by name."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rocpredict.rich_results import Rich, Shown

MEANINGS = {
    "always_negative": "no threshold does better than never predicting positive; the threshold is +inf "
    "(-inf when positives lie lower)",
    "always_positive": "no threshold does better than always predicting positive; the threshold is -inf "
    "(+inf when positives lie lower)",
    "auto_direction": "direction='auto' was resolved here; resolved by a sample, it makes the AUC optimistic",
    "constant": "all values are equal: the feature tells nothing",
    "dropped_resamples": "the family could not be fitted to some resamples, and these were left out",
    "fallback": "the method asked for sees no spread here, which is not to be taken for none: another stands in",
    "identical": "both classes have the same distribution: every threshold is as good as chance",
    "infinite": "infinite values, or a spread beyond the range of float64: there are no moments to predict from",
    "label_copy": "each class has one value, and these differ: the feature may be the label itself",
    "misfit": "the empirical curve lies further from the predicted one than chance allows: trust what was counted",
    "no_benefit": "no threshold has an Ameans above 1/2",
    "no_discordant_pairs": "both predictions are right or wrong on the same rows: nothing to test, p is 1",
    "no_values": "a class has no value of this feature: nothing is known of it",
    "not_numeric": "the column holds no numbers (text, dates): it was not screened",
    "opposite_sides": "one AUC lies above 1/2 and the other below: two features may point opposite ways; of one "
    "feature the means, and with them the direction, contradict the ranks",
    "perfect_reversal": "every positive lies on the negative side of every negative: the AUC is 0",
    "perfect_separation": "a threshold exists with TPR = 1 and FPR = 0, to double precision",
    "point_mass": "a class has a standard deviation of 0: all its values are equal",
    "same_curve": "the curves place every case alike: there is no difference to test, and p is 1",
    "single_case": "a class has one case only: how that class varies cannot be seen",
    "stretched": "the interval of the rows does not hold the estimate; it was widened up to it",
    "too_few": "a class has a single value of this feature: its spread cannot be seen, and nothing is predicted",
    "undefined": "the measure is 0/0 here: nothing is known of it, and its interval is all of [0, 1]",
}
"""Every flag that a result can carry, and what it says; docs/flags.md says when."""


class Flags(Rich, Mapping[str, NDArray[np.bool_]]):
    """Name the stated outcomes that hold; ``flags[name]`` tells for which features.

    Iterating gives the names that hold for at least one feature, so that for a single feature
    ``"always_positive" in flags``, ``list(flags)`` and ``if flags`` read as with a plain set of names.

    Examples
    --------
    >>> flags = Flags(identical=[True, False], no_benefit=[False, False])
    >>> flags
    Flags(identical: 1 of 2)
    >>> flags["identical"]
    array([ True, False])
    >>> "no_benefit" in flags
    False
    """

    __slots__ = ("_masks",)

    def __init__(self, **masks: ArrayLike) -> None:
        held = {name: np.asarray(mask, dtype=bool) for name, mask in masks.items()}
        unknown = held.keys() - MEANINGS.keys()
        if unknown:
            raise KeyError(f"flags without a stated meaning: {sorted(unknown)}")
        self._masks = {name: held[name] for name in sorted(held) if held[name].any()}

    def reshaped(self, shape: tuple[int, ...]) -> "Flags":
        """Give the same flags for features in another shape."""
        return Flags(
            **{name: np.broadcast_to(mask, np.size(mask)).reshape(shape) for name, mask in self._masks.items()}
        )

    def __getitem__(self, name: str) -> NDArray[np.bool_]:
        return self._masks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._masks)

    def __len__(self) -> int:
        return len(self._masks)

    def __or__(self, other: "Flags") -> "Flags":
        names = self.keys() | other.keys()
        return Flags(**{name: self._masks.get(name, False) | other._masks.get(name, False) for name in names})

    def sentences(self) -> list[str]:
        """Give what each flag says, with the number of features where there are several."""
        return [f"{name}{_how_many(mask)}: {MEANINGS[name]}" for name, mask in self.items()]

    def _shown(self) -> Shown:
        rows = [[f"{name}{_how_many(mask)}", MEANINGS[name]] for name, mask in self.items()]
        return Shown("Flags", rows, notes=[] if rows else ["Nothing to state."])

    def __repr__(self) -> str:
        shown = [name if mask.ndim == 0 else f"{name}: {mask.sum()} of {mask.size}" for name, mask in self.items()]
        return f"Flags({', '.join(shown)})"


def _how_many(mask: NDArray[np.bool_]) -> str:
    return f" ({mask.sum()} of {mask.size} features)" if mask.ndim else ""

"""A mixture of a few Gaussians: a class that falls into groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rocpredict.arguments import Values, as_finite, as_not_negative, as_whole, broadcast, frozen, shown
from rocpredict.distributions.components import Components
from rocpredict.distributions.expectation import by_bic, most_likely
from rocpredict.distributions.kde import mean_and_std
from rocpredict.distributions.normal_sum import NormalSum
from rocpredict.errors import RocPredictError
from rocpredict.rich_results import Rich, Shown, spread_rows

_MOST_COMPONENTS = 4  # that are tried when their number is left open


@dataclass(frozen=True, eq=False, repr=False)
class GaussianMixture(NormalSum, Rich):
    """Describe the values of a class by a few Gaussians, each with a share of the cases.

    Parameters
    ----------
    weights : array of shape (k,)
        Shares of the components, above 0; kept divided by their sum.
    means : array of shape (k,)
        In the unit of the feature.
    stds : float or array of shape (k,)
        In the unit of the feature, above 0; never variances.

    Attributes
    ----------
    components : Components
        The same, ascending by their means.

    Raises
    ------
    RocPredictError
        Weights or standard deviations that are not above 0, numbers that are not finite, shapes that do not fit.

    Notes
    -----
    A best threshold has no closed form: the densities of two classes may cross many times.

    Examples
    --------
    >>> two_groups = GaussianMixture([0.3, 0.7], [0, 4], [1, 0.5])
    >>> two_groups
    GaussianMixture(weights=[0.3, 0.7], means=[0, 4], stds=[1, 0.5])
    >>> two_groups.sf(2)
    0.706...
    """

    weights: Values
    means: Values
    stds: Values

    def __post_init__(self) -> None:
        weights, means = as_not_negative("weights", self.weights), as_finite("means", self.means)
        stds = as_not_negative("stds", self.stds)
        if means.ndim != 1 or weights.shape != means.shape or not means.size:
            raise RocPredictError(
                f"weights has shape {weights.shape}, means {means.shape}; give one of each for every component"
            )
        means, stds = broadcast(means=means, stds=stds)
        if means.ndim != 1 or len(means) != len(weights):
            raise RocPredictError(f"stds has shape {stds.shape}; give one for each of the {len(weights)} components")
        for name, values in (("weights", weights), ("stds", stds)):
            if not values.all():
                raise RocPredictError(f"{name}={shown(values.tolist())} holds 0; every component needs one above 0")
        largest = weights.max()
        object.__setattr__(self, "weights", frozen(weights / largest / np.sum(weights / largest)))
        object.__setattr__(self, "means", frozen(means))
        object.__setattr__(self, "stds", frozen(stds))

    @classmethod
    def fit(cls, x: ArrayLike, *, components: int | None = None, rng: object = 0) -> Self:
        """Estimate a mixture from a sample by maximum likelihood.

        Parameters
        ----------
        x : array of shape (n,)
            Values of one class, finite, two distinct ones at least.
        components : int, optional
            How many Gaussians. Without it as many, up to 4, as the BIC asks for.
        rng : int or numpy.random.Generator
            Draws the starts; the same seed gives the same mixture.

        Raises
        ------
        RocPredictError
            Values that are not finite, fewer than two distinct ones, more components than distinct values.

        Notes
        -----
        Expectation and maximisation (Dempster, Laird and Rubin 1977) from several starts: quantiles of the sample, and
        rows drawn far apart from each other. No component is narrower than s/sqrt(n), or a hundredth of
        the sample's standard deviation s where that is more: else one of them could close in on a tie or a few
        neighbouring rows, and the likelihood would grow without end. One component is ``Gaussian.fit`` but for
        its ``ddof`` of 0.

        BIC = (3k - 1) log n - 2 log L for k components (Schwarz 1978); the search ends when two components more have
        not lowered it. In small samples it may take one where the class has two groups that overlap.

        Examples
        --------
        >>> x = np.concatenate([np.linspace(1, 3, 50), np.linspace(9, 11, 50)])
        >>> GaussianMixture.fit(x)
        GaussianMixture(weights=[0.5, 0.5], means=[2, 10], stds=[0.589015, 0.589015])
        """
        sample = as_finite("x", x)
        if sample.ndim != 1:
            raise RocPredictError(f"x has shape {sample.shape}; a mixture takes one feature, of shape (n,)")
        points, rows = np.unique(sample + 0.0, return_counts=True)
        if len(points) < 2:
            raise RocPredictError(f"x has {len(points)} distinct values; a mixture needs two")
        k = None if components is None else as_whole("components", components)
        if k is not None and not 1 <= k <= len(points):
            raise RocPredictError(f"components={k} is not in 1 to {len(points)}, the number of distinct values in x")
        counts = rows.astype(np.float64)
        mean, std = mean_and_std(points, counts)
        scores = (points / 2 - mean / 2) / (std / 2)  # the fit is the same in every unit
        generator = np.random.default_rng(rng)  # type: ignore[arg-type]
        if k is None:
            fitted = by_bic(scores, counts, generator, min(_MOST_COMPONENTS, len(points)))
        else:
            fitted = most_likely(scores, counts, k, generator)
        return cls(fitted.weights, mean + std * fitted.means, std * fitted.stds)

    @cached_property
    def components(self) -> Components:  # type: ignore[override]
        """The Gaussians, ascending by their means."""
        return Components(self.weights, self.means, self.stds)

    def reflect(self) -> GaussianMixture:
        """Give the distribution of -X."""
        mirror = object.__new__(GaussianMixture)  # the weights as they are: divided once more, they could change
        for name, values in (("weights", self.weights), ("means", -self.means + 0.0), ("stds", self.stds)):
            object.__setattr__(mirror, name, frozen(values[::-1]))
        return mirror

    def _shown(self) -> Shown:
        names, rows = spread_rows({"weight": self.weights, "mean": self.means, "std": self.stds})
        numbered = [[place, *row] for place, row in enumerate(rows, start=1)]
        return Shown(f"Mixture of {len(self.weights)} Gaussians", numbered, ["", *names])

    def __repr__(self) -> str:
        named = (("weights", self.weights), ("means", self.means), ("stds", self.stds))
        if len(self.weights) > _MOST_COMPONENTS:
            return f"GaussianMixture({len(self.weights)} components)"
        shares = (f"{name}=[{', '.join(f'{value:.6g}' for value in values)}]" for name, values in named)
        return f"GaussianMixture({', '.join(shares)})"

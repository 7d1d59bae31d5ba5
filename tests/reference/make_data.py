"""Write the small reference samples: ``python -m tests.reference.make_data``."""

from __future__ import annotations

import numpy as np

from tests.reference.data import HERE

SEED = 20240611
# Ratings of 58 normal and 51 abnormal CT images: Hanley and McNeil 1982, Table I.
CT_NORMAL, CT_ABNORMAL = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)


def ratings(counts: tuple[int, ...]) -> np.ndarray:
    return np.repeat(np.arange(1.0, len(counts) + 1), counts)


def labels(negatives: int, positives: int) -> np.ndarray:
    return np.repeat([0, 1], [negatives, positives])


def normal(rng: np.random.Generator, y: np.ndarray, shift: float, std: float = 1.0) -> np.ndarray:
    return np.where(y == 1, shift + std * rng.standard_normal(len(y)), rng.standard_normal(len(y)))


def samples() -> dict[str, dict[str, np.ndarray]]:
    rng = np.random.default_rng(SEED)
    three, five = labels(14, 11), labels(58, 51)
    small, unequal, apart, below = labels(6, 7), labels(10, 50), labels(9, 8), labels(15, 12)
    marker, skew, weigh = labels(40, 60), labels(35, 30), labels(12, 15)
    common = rng.standard_normal(100)
    shifts = (1.2, 0.8, 0.9)
    markers = [0.7 * common + np.sqrt(1 - 0.49) * normal(rng, marker, 0) + d * marker for d in shifts]
    markers[2] = np.where(marker == 1, 1.6 * markers[2], markers[2])
    second = np.concatenate([ratings(CT_NORMAL), ratings(CT_ABNORMAL)])
    second = np.clip(second + rng.integers(-1, 2, len(second)), 1, 5)
    return {
        "three_level": {
            "y": three,
            "x1": np.concatenate([ratings((7, 5, 2)), ratings((2, 4, 5))]),
            "x2": np.concatenate([rng.permutation(ratings((6, 4, 4))), rng.permutation(ratings((4, 2, 5)))]),
        },
        "five_level": {"y": five, "x1": np.concatenate([ratings(CT_NORMAL), ratings(CT_ABNORMAL)]), "x2": second},
        "six_seven": {"y": small, "x1": normal(rng, small, 1.0), "x2": normal(rng, small, 0.5)},
        "unequal": {"y": unequal, "x1": normal(rng, unequal, 1.0), "x2": normal(rng, unequal, 0.6, 2.0)},
        "separated": {"y": apart, "x1": rng.uniform(0, 1, 17) + apart, "x2": normal(rng, apart, 1.0)},
        "reversed": {"y": below, "x1": normal(rng, below, -0.9), "x2": normal(rng, below, -0.2)},
        "correlated": {"y": marker} | {f"x{i + 1}": x for i, x in enumerate(markers)},
        "skewed": {"y": skew, "x1": np.exp(normal(rng, skew, 0.8)), "x2": np.exp(normal(rng, skew, 0.5, 1.5))},
        "weighted": {"y": weigh, "x1": np.round(normal(rng, weigh, 0.8), 1), "w": rng.integers(1, 5, len(weigh))},
        "multiclass": multiclass(rng),
    }


def multiclass(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return scores of three classes that sum to 1 exactly: multiples of 1/64."""
    y = np.repeat([0, 1, 2], [12, 15, 9])
    strength = np.exp(rng.standard_normal((36, 3)) + 1.2 * (y[:, None] == np.arange(3)))
    scores = np.floor(64 * strength / strength.sum(axis=1, keepdims=True)) / 64
    scores[np.arange(36), np.argmax(scores, axis=1)] += 1 - scores.sum(axis=1)
    return {"y": y} | {f"p{k}": scores[:, k] for k in range(3)}


def write() -> None:
    for name, result in samples().items():
        rows = zip(*result.values(), strict=True)
        lines = [",".join(result), *(",".join(f"{value:.17g}" for value in row) for row in rows)]
        (HERE / "data" / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()

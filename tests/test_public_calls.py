"""Compare the public results with the stored reference values."""

import pytest

from tests.cases import check_each
from tests.reference.public_calls import CALLS, TOLERANCE, leaves, nesting, result, stored

STORED = stored()
ROUNDING = 1e-12
NEAR_ZERO = 1e-14


def agree(now: object, before: object, tolerance: float, floor: float) -> bool:
    """Whole numbers, booleans, None and what is no finite number agree exactly, other numbers nearly."""
    if isinstance(now, bool) or isinstance(before, bool) or not isinstance(before, float):
        return type(now) is type(before) and now == before
    return isinstance(now, int | float) and abs(now - before) <= max(tolerance * abs(before), floor)


def check(name: str) -> None:
    now, before = result(name), STORED[name]
    assert nesting(now) == nesting(before)
    tolerance = TOLERANCE.get(name, (ROUNDING, ""))[0]
    # A number near 1 is rounded by 1e-16, and a difference of a few hundred operations by less than 1e-14: that much
    # any figure may be off near zero. Tails are exact on their own scale, however small: for them there is no floor.
    floor = 0.0 if name.startswith("tail/") else NEAR_ZERO
    pairs = zip(leaves(now), leaves(before), strict=True)
    wrong = [(new, old) for new, old in pairs if not agree(new, old, tolerance, floor)]
    assert not wrong, f"(now, stored) {wrong[:5]}"


@pytest.mark.parametrize("group", sorted({name.split("/")[0] for name in CALLS}))
def test_results_are_the_stored_ones(group: str) -> None:
    check_each({name: name for name in CALLS if name.split("/")[0] == group}, check)


def test_every_call_is_stored_and_every_stored_one_called() -> None:
    assert CALLS.keys() == STORED.keys()
    assert TOLERANCE.keys() <= CALLS.keys()

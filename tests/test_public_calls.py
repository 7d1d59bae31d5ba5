"""Compare the public results with the stored reference values."""

import pytest

from tests.reference.public_calls import CALLS, TOLERANCE, leaves, nesting, result, stored

STORED = stored()
ROUNDING = 1e-12
NEAR_ZERO = 1e-14


def agree(found: object, known: object, tolerance: float, floor: float) -> bool:
    """Whole numbers, booleans, None and what is no finite number agree exactly, other numbers nearly."""
    if isinstance(found, bool) or isinstance(known, bool) or not isinstance(known, float):
        return type(found) is type(known) and found == known
    return isinstance(found, int | float) and abs(found - known) <= max(tolerance * abs(known), floor)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_results_are_the_stored_ones(name: str) -> None:
    found, known = result(name), STORED[name]
    assert nesting(found) == nesting(known)
    tolerance = TOLERANCE.get(name, (ROUNDING, ""))[0]
    # A number near 1 is rounded by 1e-16, and a difference of a few hundred operations by less than 1e-14: that much
    # any figure may be off near zero. Tails are exact on their own scale, however small: for them there is no floor.
    floor = 0.0 if name.startswith("tail/") else NEAR_ZERO
    pairs = zip(leaves(found), leaves(known), strict=True)
    wrong = [(new, old) for new, old in pairs if not agree(new, old, tolerance, floor)]
    assert not wrong, f"{name}: (now, stored) {wrong[:5]}"


def test_every_call_is_stored_and_every_stored_one_called() -> None:
    assert CALLS.keys() == STORED.keys()
    assert TOLERANCE.keys() <= CALLS.keys()

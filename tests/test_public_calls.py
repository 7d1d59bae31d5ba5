"""Compare the public results with the stored reference values, here and in a child process with other settings."""

import os
import re
import subprocess
import sys

import pytest

from tests.cases import CORE, check_each
from tests.reference.public_calls import CALLS, TOLERANCE, mismatches, stored

CHECK = ["-m", "tests.reference.public_calls", "--check"]
RAISE = "import numpy; numpy.seterr(all='raise'); from tests.reference.public_calls import main; main(['--check'])"
PROCESSES = {
    "python -O": (["-O", *CHECK], {}),
    "numpy.seterr(all='raise')": (["-c", RAISE], {}),
    "kernels not compiled": (CHECK, {"NUMBA_DISABLE_JIT": "1"}),
    "no home": (CHECK, {"HOME": "/nowhere", "XDG_CACHE_HOME": "/nowhere"}),
}
OF_EXTRAS = re.compile("sklearn/|data/(iris|pima|cancer)$|screen/iris/(pandas|polars|exported)|.*/compiled$")
TESTED = [name for name in CALLS if not (CORE and OF_EXTRAS.match(name))]


def check(name: str) -> None:
    wrong = mismatches(name)
    assert not wrong, f"(now, stored) {wrong[:5]}"


@pytest.mark.parametrize("group", sorted({name.split("/")[0] for name in TESTED}))
def test_results_are_the_stored_ones(group: str) -> None:
    check_each({name: name for name in TESTED if name.split("/")[0] == group}, check)


def test_every_call_is_stored_and_every_stored_one_called() -> None:
    assert CALLS.keys() == stored().keys()
    assert TOLERANCE.keys() <= CALLS.keys()


def run(arguments: list[str], environment: dict[str, str]) -> None:
    environment = os.environ | environment
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0), done.stdout
    assert done.stdout.endswith(f"{len(CALLS)} compared, 0 differ by more than their tolerance\n")


@pytest.mark.slow
@pytest.mark.parametrize("process", PROCESSES)
def test_results_are_the_stored_ones_in_another_process(process: str) -> None:
    run(*PROCESSES[process])


@pytest.mark.slow
def test_results_are_the_stored_ones_where_the_home_is_read_only(tmp_path) -> None:
    tmp_path.chmod(0o500)
    try:
        run(CHECK, {"HOME": str(tmp_path)})
    finally:
        tmp_path.chmod(0o700)

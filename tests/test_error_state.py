"""The public calls under ``np.seterr(all="raise")`` before the import."""

import subprocess
import sys

import pytest

CHILD = """
import numpy as np

np.seterr(all="raise")
from tests.reference import public_calls

names = [name for name in public_calls.CALLS if any(name.startswith(part) for part in {parts!r})]
faults = []
for name in names:
    try:
        public_calls.result(name)
    except Exception as error:
        faults.append(f"{{name}}: {{type(error).__name__}}: {{error}}")
assert len(names) > {least}, names
print("\\n".join(faults))
"""
QUICK = ("criterion/", "predicted/unlike", "proper/partial", "compare/kernels", "grey-zone/", "distribution/mixture")


def faults_in_child(parts, least):
    child = [sys.executable, "-c", CHILD.format(parts=parts, least=least)]
    done = subprocess.run(child, capture_output=True, text=True, check=False)
    return done.stdout.strip() or (done.stderr if done.returncode else "")


def test_underflow_is_no_error_in_some_calls():
    assert not faults_in_child(QUICK, 10)


@pytest.mark.slow
def test_underflow_is_no_error_in_any_call():
    assert not faults_in_child(("",), 300)

"""What all tests share: how many examples Hypothesis draws, and the command line run in this process."""

import os
import shlex
from collections.abc import Callable

import pytest
from hypothesis import settings

from rocpredict.cli import main

settings.register_profile("quick", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("thorough", derandomize=True, deadline=None, max_examples=400)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a line of the command line in this process, with further words: exit code, output, errors."""

    def call(line: str, *words: object) -> tuple[int, str, str]:
        code = main([*shlex.split(line), *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return call

"""A short run of both fuzzers; ``make fuzz`` runs 10,000 of each."""

from tests.fuzz import api, cli


def test_a_call_is_answered_or_refused_in_one_sentence():
    assert not api.failures(api.run(600, seed=0))


def test_a_command_line_is_answered_or_refused_in_one_line():
    assert not cli.failures(cli.run(80, seed=0))

"""`rocpredict plan`: the library's plans as tables and JSON, and one line for each wrong input."""

import json

import pytest

import rocpredict as rp
from rocpredict.cli import main
from rocpredict.planning import sample_size

PAPER = ("--mean", "4", "8", "--std", "3", "2")
SECOND = ("--against-mean", "4", "7", "--against-std", "3", "2")
STATS = {"mean": (4, 8), "std": (3, 2)}


@pytest.fixture
def run(capsys):
    """Run `rocpredict plan` in this process: exit code, output, errors."""

    def call(*words):
        code = main(["sample-size", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_the_table_sets_every_method_beside_the_answer(run):
    """The exact answer first, then what each named formula would have said, with its bias in words."""
    code, out, err = run(*PAPER, "--width", "0.04", "--ratio", "0.5")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Cases for a 95 % interval of the AUC (0.866371) that is 0.04 wide"
    rows = {line.split("│")[0].strip(): [cell.strip() for cell in line.split("│")[1:]] for line in lines if "│" in line}
    assert list(rows) == ["method", "exact", "delta", "hanley-mcneil", "obuchowski"]
    assert rows["exact"][:4] == ["552", "1103", "1655", "0.0400"]
    assert rows["hanley-mcneil"][:4] == ["390", "780", "1170", "0.0476"]
    assert rows["hanley-mcneil"][4].startswith("29 % too few: ")
    assert rows["obuchowski"][4].startswith("4 % too many: ")
    assert "about half of such studies find it somewhat wider" in lines[-1]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((*PAPER, "--width", "0.05", "--level", "0.9"), STATS | {"width": 0.05, "level": 0.9}),
        ((*PAPER, "--power", ".9", "--against", ".5"), STATS | {"power": 0.9, "against": 0.5}),
        (
            ("--auc", "0.7", "--power", "0.8", "--against", "0.6", "--alternative", "greater"),
            {"auc": 0.7, "power": 0.8, "against": 0.6, "alternative": "greater"},
        ),
        (
            (*PAPER, "--power", "0.8", *SECOND, "--correlation", "0.5"),
            STATS | {"power": 0.8, "against": (rp.Gaussian(4, 3), rp.Gaussian(7, 2)), "correlation": 0.5},
        ),
        (
            (*PAPER, "--width", "0.1", *SECOND),
            STATS | {"width": 0.1, "against": (rp.Gaussian(4, 3), rp.Gaussian(7, 2))},
        ),
        (
            (*PAPER, "--width", "0.1", *SECOND, "--correlation", "0.5", "-0.2"),
            STATS | {"width": 0.1, "against": (rp.Gaussian(4, 3), rp.Gaussian(7, 2)), "correlation": (0.5, -0.2)},
        ),
        ((*PAPER, "--width", "0.1", "--tpr-at-fpr", "0.1"), STATS | {"width": 0.1, "tpr_at_fpr": 0.1}),
        ((*PAPER, "--width", "0.1", "--method", "delta"), STATS | {"width": 0.1, "method": "delta"}),
    ],
)
def test_json_is_the_librarys_plan(run, words, asked):
    """`--json`: every number and word of `rp.plan`, digit for digit."""
    code, out, _ = run(*words, "--json")
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(sample_size(**asked).to_dict()))
    assert run(*words)[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (PAPER, "give one goal: --width, or --power with --against"),
        ((*PAPER, "--width", "0.1", "--power", "0.9", "--against", "0.5"), "give one goal: --width, or --power"),
        (("--width", "0.1"), "give --mean with --std, or --auc"),
        ((*PAPER, "--auc", "0.7", "--width", "0.1"), "give --mean with --std, or --auc"),
        (("--mean", "4", "8", "--width", "0.1"), "--mean goes with --std"),
        (("--mean", "4", "8", "--std", "3", "-2", "--width", "0.1"), "--std -2.0 is negative"),
        ((*PAPER, "--width", "1.5"), "--width 1.5 is outside the open interval (0, 1)"),
        ((*PAPER, "--power", "0.9"), "--power needs --against to be an AUC as null hypothesis"),
        ((*PAPER, "--power", "0.01", "--against", "0.5"), "--power 0.01 is no more than 1 - level = 0.05"),
        ((*PAPER, "--width", "0.1", "--against", "0.5"), "--against must be a second curve here"),
        (
            (*PAPER, "--width", "0.1", "--correlation", "0.5"),
            "--correlation needs a second feature: --against-mean and --against-std",
        ),
        (
            (*PAPER, "--width", "0.1", "--against-mean", "4", "7", "--against-std", "3", "-2"),
            "--against-std -2.0 is negative",
        ),
        ((*PAPER, "--width", "0.1", "--against-mean", "4", "7"), "--against-mean goes with --against-std"),
        (
            (*PAPER, "--width", "0.1", "--against", "0.5", "--against-mean", "4", "7"),
            "--against is a value, --against-mean and --against-std a second curve; give one",
        ),
        (
            (*PAPER, "--width", "0.1", *SECOND, "--correlation", "2"),
            "--correlation 2.0 is outside [-1, 1]",
        ),
        (
            (*PAPER, "--width", "0.1", *SECOND, "--correlation", "0", "0", "0"),
            "--correlation [0.0, 0.0, 0.0] is not a pair",
        ),
        (
            (*PAPER, "--power", "0.8", "--against", "0.5", "--tpr-at-fpr", "0.1"),
            "--tpr-at-fpr is planned for by --width alone",
        ),
        ((*PAPER, "--width", "0.1", "--level", "95"), "--level 95.0 is outside"),
        ((*PAPER, "--width", "0.1", "--ratio", "-1"), "--ratio -1.0 is not a number above 0"),
        ((*PAPER, "--width", "0.1", "--method", "best"), "argument --method: invalid choice: 'best'"),
        ((*PAPER, "--width", "0.1", "--method", "empirical"), "--method 'empirical' does not answer this"),
        ((*PAPER, "--width", "0.1", "--alternative", "greater"), "--alternative 'greater' is of a test"),
        (("--mean", "0", "100", "--std", "1", "1", "--width", "0.1"), "the expected AUC is 1: it would not vary"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(run, words, said):
    """Every wrong input: exit code 2, one line on stderr in the words of the options, nothing on stdout."""
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("rocpredict: ")
    assert err.count("\n") == 1
    assert "=" not in err.replace("1 - level = ", "")


def test_help_teaches(capsys):
    """`plan --help`: an example of each question that can be pasted."""
    with pytest.raises(SystemExit) as left:
        main(["sample-size", "--help"])
    assert left.value.code == 0
    out = capsys.readouterr().out
    for words in ("--width 0.05", "--power 0.9 --against 0.5", "--against-mean 4 7", "--tpr-at-fpr 0.1"):
        assert words in out

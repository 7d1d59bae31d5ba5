"""`rocpredict diagnose`: the library's diagnosis, in the words of the command line."""

import json

import pytest

import rocpredict as rp
from rocpredict.base.formatting import to_json
from rocpredict.cli import main

PIMA = rp.datasets.load_pima()
AGE = ("diagnose", "pima", "--feature", "age", "--resamples", "60")


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, output, errors."""

    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def by_library(name="age", **options):
    return rp.diagnose(PIMA.column(name), PIMA.y, positive="pos", **({"n_resamples": 60} | options))


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ((), {}),
        (("--seed", "3"), {"rng": 3}),
        (("--family", "boxcox"), {"family": "boxcox"}),
        (("--direction", "lower"), {"direction": "lower"}),
        (("--direction", "auto"), {"direction": "auto"}),
    ],
)
def test_json_is_the_librarys_diagnosis(run, words, options):
    """Every option, digit for digit, under the feature's name; nothing on stderr: the findings say it all."""
    code, out, err = run(*AGE, *words, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert told == json.loads(to_json({"feature": "age"} | by_library(**options).to_dict()))


def test_the_table_is_the_librarys_in_the_words_of_options(run):
    """Each finding with its level and what was seen, remedies as options, the verdict below."""
    code, out, err = run(*AGE)
    found = by_library()
    assert (code, err) == (0, "")
    assert out.startswith("Diagnosis of age, --family gaussian\n")
    told = {}
    for line in out.splitlines():
        cells = [cell.strip() for cell in line.split("│")]
        told |= {cells[0]: cells[1:]} if len(cells) == 5 and cells[0] else {}
    assert list(told)[1:] == [item.name for item in found.findings]
    marks = {"ok": "", "note": "note", "warn": "WARN"}
    assert [cells[1] for cells in list(told.values())[1:]] == [marks[item.severity] for item in found.findings]
    assert told["negative skewness"] == [
        f"{found.negative.skewness:.3g}",
        "note",
        found.finding("negative skewness").message,
        "use --family 'boxcox' or --family 'auto'",
    ]
    assert "use --family 'auto' or the empirical curve" in out
    assert found.verdict.replace("family=", "--family ") in out
    assert "family=" not in out


def test_a_file_and_what_is_missing_in_it(run, tmp_path):
    """`diagnose FILE --nan omit`: the named column and labels, without the rows that have no value."""
    path = tmp_path / "data.csv"
    rows = [f"{'' if k == 7 else k * k},{'ill' if k % 3 else 'well'}" for k in range(40)]
    path.write_text("\n".join(["size,outcome", *rows]) + "\n", encoding="utf-8")
    words = (
        "diagnose",
        str(path),
        "--label",
        "outcome",
        "--positive",
        "ill",
        "--negative",
        "well",
        "--feature",
        "size",
    )
    assert run(*words)[::2] == (
        2,
        "rocpredict: data.csv: column 'size' has 1 missing of 40, at lines 9; --nan omit leaves these rows out\n",
    )
    code, out, _ = run(*words, "--nan", "omit", "--resamples", "20", "--json")
    told = json.loads(out)
    assert (code, told["negative"]["count"], told["positive"]["count"]) == (0, 14, 25)


def test_zeros_of_pima_are_told(run):
    """As in ``compare``."""
    code, out, _ = run("diagnose", "pima", "--feature", "mass", "--resamples", "20")
    assert code == 0
    assert "pima: zeros in mass stand for missing values; --nan omit leaves these rows out." in out


def test_help_teaches(run, capsys):
    """What it says, and an example that can be pasted."""
    with pytest.raises(SystemExit) as left:
        run("diagnose", "--help")
    assert left.value.code == 0
    assert "rocpredict diagnose pima --feature glucose" in capsys.readouterr().out


def test_the_picture_is_the_diagnosis_own(run, tmp_path):
    """`--plot FILE`: the same bytes as the library's picture with the feature's name."""
    path, other = tmp_path / "age.svg", tmp_path / "own.svg"
    assert run(*AGE, "--plot", str(path))[0] == 0
    from rocpredict.plots.style import save_figure

    save_figure(by_library().plot(feature="age"), other)
    assert path.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diagnose", "pima"), "one feature is diagnosed at a time, here are 8; name it by --feature"),
        ((*AGE, "--feature", "mass"), "one feature is diagnosed at a time, here are 2"),
        (("diagnose", "pima", "--feature", "petal"), "pima has no feature 'petal'"),
        (("diagnose", "iris", "--feature", "petal_width"), "--positive is needed"),
        (("diagnose", "nowhere.csv", "--label", "y", "--feature", "x"), "nowhere.csv: No such file"),
        ((*AGE, "--family", "normal"), "argument --family: invalid choice: 'normal'"),
        ((*AGE, "--family", "empirical"), "age: --family 'empirical' is the rows themselves"),
        (
            ("diagnose", "pima", "--feature", "insulin", "--family", "gamma"),
            "insulin: --family 'gamma' needs values above 0",
        ),
        ((*AGE, "--direction", "up"), "invalid choice: 'up'"),
        ((*AGE, "--seed", "-1"), "--seed -1 is negative"),
        ((*AGE[:-1], "3"), "--resamples 3 is too few; give 20 or more"),
        ((*AGE, "--plot", "age.doc"), "give a name that ends in .svg or .png or .pdf"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(run, tmp_path, monkeypatch, words, said):
    """Exit code 2, one line on stderr in the words of options, nothing on stdout, and no file."""
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("rocpredict: ")
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())

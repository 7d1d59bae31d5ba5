"""`rocpredict diagnose`: the library's diagnosis, in the words of the command line."""

import json

import pytest

import rocpredict as rp
from rocpredict.base.formatting import to_json
from rocpredict.plots.style import save_figure
from tests.cases import check_each

PIMA = rp.datasets.load_pima()
AGE = "diagnose pima --feature age --resamples 60"


def by_library(**options):
    return rp.diagnose(PIMA.column("age"), PIMA.y, positive="pos", **({"n_resamples": 60} | options))


def test_json_is_the_librarys_diagnosis(run):
    """Every option, digit for digit, under the name of the feature; stderr is empty, since the findings contain all."""
    options = {
        "": {},
        "--seed 3": {"rng": 3},
        "--family boxcox": {"family": "boxcox"},
        "--direction lower": {"direction": "lower"},
        "--direction auto": {"direction": "auto"},
    }

    def check(words):
        code, out, err = run(f"{AGE} {words}", "--json")
        assert (code, err) == (0, "")
        answer = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        assert answer == json.loads(to_json({"feature": "age"} | by_library(**options[words]).to_dict()))

    check_each({words: words for words in options}, check)


def test_the_table_is_the_librarys_with_the_names_of_options(run):
    """Each finding with its level and its value, remedies as options, the verdict below."""
    code, out, err = run(AGE)
    expected = by_library()
    assert (code, err) == (0, "")
    assert out.startswith("Diagnosis of age, --family gaussian\n")
    rows = {}
    for line in out.splitlines():
        cells = [cell.strip() for cell in line.split("│")]
        rows |= {cells[0]: cells[1:]} if len(cells) == 5 and cells[0] else {}
    prefixes = {"ties": "ties among", "outliers": "outliers among", "boundary": "boundary values of"}
    words = (item.name.partition(" ") for item in expected.findings)
    names = [
        f"{prefixes.get(check, f'{check} of')} {word}s"
        if word in {"negative", "positive"}
        else f"{word} {check}".strip()
        for word, _, check in words
    ]
    assert "skewness of negatives" in names
    assert list(rows)[1:] == names
    marks = {"ok": "", "note": "note", "warn": "WARN"}
    assert [cells[1] for cells in list(rows.values())[1:]] == [marks[item.severity] for item in expected.findings]
    assert rows["skewness of negatives"] == [
        f"{expected.negative.skewness:.3g}",
        "note",
        expected.finding("negative skewness").message,
        "use --family 'auto' or the empirical curve",
    ]
    assert "use --family 'auto' or the empirical curve" in out
    assert expected.verdict.replace("family=", "--family ") in out
    assert "family=" not in out


def test_the_picture_is_the_diagnosis_own(run, tmp_path):
    path, other = tmp_path / "age.svg", tmp_path / "own.svg"
    assert run(AGE, "--plot", path)[0] == 0
    save_figure(by_library().plot(feature="age"), other)
    assert path.read_bytes() == other.read_bytes()

"""`rocpredict sample-size` and `rocpredict power`: the library's plans as tables and JSON."""

import json

import rocpredict as rp
from rocpredict.cli.parser import make_parser
from rocpredict.planning import CURVE_DEFAULT, DEFAULT
from tests.cases import check_each

PAPER = "sample-size --mean 4 8 --std 3 2"
SECOND = "--against-mean 4 7 --against-std 3 2"
STATS = {"mean": (4, 8), "std": (3, 2)}
OTHER = STATS | {"against": (rp.Gaussian(4, 3), rp.Gaussian(7, 2))}


def test_the_table_compares_every_method_with_the_result(run):
    """The exact result first, then the result of each named formula, with its bias in words."""
    code, out, err = run(f"{PAPER} --width 0.04 --ratio 0.5")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "Sample size for a 95% confidence interval for the AUC (0.866371) with a width of 0.04"
    rows = {line.split("│")[0].strip(): [cell.strip() for cell in line.split("│")[1:]] for line in lines if "│" in line}
    assert list(rows) == ["method", "smoothed-logit", "exact", "delta", "hanley-mcneil", "obuchowski"]
    assert rows["smoothed-logit"][:4] == ["556", "1111", "1667", "0.0400"]
    assert rows["exact"][:4] == ["552", "1103", "1655", "0.0401"]
    assert rows["hanley-mcneil"][:4] == ["390", "780", "1170", "0.0478"]
    assert rows["hanley-mcneil"][4].startswith("30% fewer than the reference: ")
    assert rows["obuchowski"][4].startswith("3% more than the reference: ")
    assert "The mean width is computed by a formula" in lines[-1]


def test_json_is_the_librarys_plan(run):
    null = {"auc": 0.7, "power": 0.8, "against": 0.6, "alternative": "greater"}
    options = {
        f"{PAPER} --width 0.05 --level 0.9": STATS | {"width": 0.05, "level": 0.9},
        f"{PAPER} --power .9 --against .5": STATS | {"power": 0.9, "against": 0.5},
        "sample-size --auc 0.7 --power 0.8 --against 0.6 --alternative greater": null,
        f"{PAPER} --power 0.8 {SECOND} --correlation 0.5": OTHER | {"power": 0.8, "correlation": 0.5},
        f"{PAPER} --width 0.1 {SECOND}": OTHER | {"width": 0.1},
        f"{PAPER} --width 0.1 {SECOND} --correlation 0.5 -0.2": OTHER | {"width": 0.1, "correlation": (0.5, -0.2)},
        f"{PAPER} --width 0.8 --tpr-at-fpr 0.1": STATS | {"width": 0.8, "tpr_at_fpr": 0.1},
        f"{PAPER} --width 0.06 --fpr 0 0.1": STATS | {"width": 0.06, "fpr": (0, 0.1)},
        f"{PAPER} --width 0.1 --method delta": STATS | {"width": 0.1, "method": "delta"},
    }

    def check(line):
        code, out, _ = run(line, "--json")
        assert code == 0
        assert json.loads(out) == json.loads(json.dumps(rp.sample_size(**options[line]).to_dict()))
        assert run(line)[0] == 0

    check_each({line: line for line in options}, check)


def test_power_is_the_librarys(run):
    options = {
        "power --auc 0.95 --count 6 6 --against 0.5": {"auc": 0.95, "count": (6, 6), "against": 0.5},
        "power --mean 4 8 --std 3 2 --count 50 40 --against 0.8 --alternative greater --level 0.9": STATS
        | {"count": (50, 40), "against": 0.8, "alternative": "greater", "level": 0.9},
        f"power --mean 4 8 --std 3 2 --count 60 60 {SECOND} --correlation 0.5": OTHER
        | {"count": (60, 60), "correlation": 0.5},
    }

    def check(line):
        code, out, _ = run(line, "--json")
        assert code == 0
        expected = rp.power(**options[line])
        assert json.loads(out) == json.loads(json.dumps(expected.to_dict()))
        code, out, _ = run(line)
        assert out.startswith("The power to distinguish the AUC (")
        assert f"the power is {expected.achieved:.6g}." in out

    check_each({line: line for line in options}, check)
    code, _, err = run("power --auc 0.95 --count 6 6")
    assert (code, err) == (
        2,
        "rocpredict: power needs --against; pass the AUC under the null hypothesis or a second curve\n",
    )
    assert run("power --auc 0.95 --count 1 6 --against 0.5")[0] == 2


def test_help_names_the_default_methods():
    commands = next(action.choices for action in make_parser()._actions if isinstance(action.choices, dict))
    stated = {
        name: next(action.help for action in commands[name]._actions if action.dest == "method")
        for name in ("sample-size", "power")
    }
    assert stated["sample-size"].endswith(f"(default: {DEFAULT} for an AUC, {CURVE_DEFAULT} for a TPR or partial AUC)")
    assert stated["power"].endswith(f"(default: {DEFAULT})")
    assert rp.sample_size(**STATS, width=0.1).method == DEFAULT
    assert rp.sample_size(**STATS, width=0.8, tpr_at_fpr=0.1).method == CURVE_DEFAULT

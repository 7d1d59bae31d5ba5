"""``rocpredict plan``: how many cases a study needs."""

import argparse
import re
from typing import Any

from rocpredict.cli.showing import add_pair, show
from rocpredict.errors import RocPredictError
from rocpredict.planning import Alternative, Plan, plan
from rocpredict.planning.plans import METHODS
from rocpredict.planning.question import POWER_ALTERNATIVES
from rocpredict.predictor import PredictedRoc
from rocpredict.tables import Table, to_json

ABOUT = """\
Say how many cases a study needs, from the class distributions it expects.

  rocpredict plan --mean 4 8 --std 3 2 --width 0.05                the interval of the AUC, this wide from end to end
  rocpredict plan --auc 0.7 --power 0.9 --against 0.5              a test of the AUC against a value
  rocpredict plan --mean 4 8 --std 3 2 --power 0.8 --against-mean 4 7 --against-std 3 2 --correlation 0.5
  rocpredict plan --mean 4 8 --std 3 2 --width 0.1 --tpr-at-fpr 0.1

Beside the answer stands what other formulas would have said, and how far off they are.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_pair(command, "--mean", "expected means, in the unit of the feature")
    add_pair(command, "--std", "expected standard deviations")
    command.add_argument("--auc", type=float, metavar="A", help="in place of both: the AUC alone, of equal SDs")
    command.add_argument("--width", type=float, metavar="W", help="full width of the interval")
    command.add_argument("--power", type=float, metavar="P", help="in place of --width: power of a test --against")
    command.add_argument("--against", type=float, metavar="A", help="the AUC of the null hypothesis")
    add_pair(command, "--against-mean", "means of a second feature to compare with")
    add_pair(command, "--against-std", "its standard deviations")
    command.add_argument(
        "--correlation",
        nargs="+",
        type=float,
        metavar="R",
        help="of both features within a class, measured on the same cases: one number, or one of each class "
        "(default: the second feature has cases of its own)",
    )
    command.add_argument("--tpr-at-fpr", type=float, metavar="F", help="plan for the TPR at this FPR, not the AUC")
    command.add_argument("--alternative", choices=POWER_ALTERNATIVES, default="two-sided", help="of the test")
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="confidence (default 0.95)")
    command.add_argument(
        "--ratio", type=float, default=1.0, metavar="R", help="negatives for each positive (default 1)"
    )
    command.add_argument("--method", choices=METHODS, help="the variance to plan with (default: the reference)")


def run(options: argparse.Namespace) -> None:
    """Plan and print."""
    if (options.mean is None) == (options.auc is None):
        raise RocPredictError("give --mean with --std, or --auc")
    names = ("mean", "std", "auc", "width", "power", "tpr_at_fpr", "alternative", "level", "ratio", "method")
    given = {name: getattr(options, name) for name in names}
    found = plan(**given, against=_against(options), correlation=_correlation(options.correlation))
    if options.json:
        print(to_json(found.to_dict()))
        return
    show(_table(found))


def _against(options: argparse.Namespace) -> Any:
    """Give the null value, or the second curve."""
    mean, std = options.against_mean, options.against_std
    if options.against is not None and (mean is not None or std is not None):
        raise RocPredictError("--against is a value, --against-mean and --against-std a second curve; give one")
    if (mean is None) != (std is None):
        raise RocPredictError("--against-mean goes with --against-std")
    if mean is None:
        if options.correlation is not None:
            raise RocPredictError("--correlation needs a second feature: --against-mean and --against-std")
        return options.against
    try:
        return PredictedRoc.from_stats(mean=mean, std=std)
    except RocPredictError as error:
        raise RocPredictError(re.sub(r"\b(mean|std)=", r"against_\1=", str(error))) from None


def _correlation(numbers: list[float] | None) -> Any:
    return numbers[0] if numbers is not None and len(numbers) == 1 else numbers


def _table(found: Plan) -> Table:
    methods: list[Plan | Alternative] = [found, *found.alternatives]
    rows = [[it.method, it.n_negative, it.n_positive, it.total, it.achieved_by_reference, it.bias] for it in methods]
    columns = ["method", "negatives", "positives", "total", found.quantity, "against the reference"]
    return Table(f"Cases for {found.goal}", columns, rows, {found.quantity: ".4f"}, notes=found.assumptions)

"""``rocpredict predict``: a ROC curve from means and standard deviations."""

import argparse
from pathlib import Path
from typing import Any

from rocpredict.cli.showing import add_pair, save_plot, show
from rocpredict.distributions import Gaussian
from rocpredict.distributions.by_moments import BY_MOMENTS
from rocpredict.interval import Interval
from rocpredict.predictor import PredictedRoc
from rocpredict.tables import Table, to_json
from rocpredict.thresholds import AMEANS, UNWEIGHTED, BestThreshold

ABOUT = """\
Predict from published means and standard deviations, taking each class as Gaussian, or of another --family.

  rocpredict predict --mean 4 8 --std 3 2
  rocpredict predict --mean 5.1 6.4 --sem 0.08 0.13 --count 120 80
  rocpredict predict --mean 4 8 --std 3 5 --family gamma
  rocpredict predict --mean 4 8 --std 3 2 --prevalence 0.1 --criterion cost --cost-fn 5
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_pair(command, "--mean", "means, in the unit of the feature")
    add_pair(command, "--std", "standard deviations")
    add_pair(command, "--sem", "standard errors of the means, in place of --std; needs --count")
    add_pair(command, "--median", "medians, in place of --mean; needs --iqr")
    command.add_argument(
        "--iqr",
        nargs="+",
        type=float,
        metavar="Q",
        help="interquartile ranges, in place of --std: two widths, or four quartiles (negative q1 q3, positive q1 q3)",
    )
    command.add_argument("--effect-size", type=float, metavar="D", help="Cohen's d, in place of --std")
    add_pair(command, "--count", "cases; they set the prevalence, and for two Gaussians give intervals")
    others = ", ".join(BY_MOMENTS)
    command.add_argument(
        "--family",
        choices=["gaussian", *BY_MOMENTS],
        default="gaussian",
        metavar="NAME",
        help=f"gaussian (default); with --mean and --std or --sem also {others}",
    )
    command.add_argument("--level", type=float, default=0.95, metavar="L", help="of the intervals (default 0.95)")
    command.add_argument(
        "--direction", choices=["higher", "lower", "auto"], help="where the positives lie (default: higher)"
    )
    command.add_argument("--threshold", type=float, metavar="T", help="show the rates at this threshold, not the best")
    command.add_argument("--criterion", default="ameans", help="what the best threshold is best for (default: ameans)")
    command.add_argument("--prevalence", type=float, metavar="P", help="share of positives where the rule is used")
    command.add_argument("--cost-fp", type=float, default=1.0, metavar="C", help="cost of a false positive")
    command.add_argument("--cost-fn", type=float, default=1.0, metavar="C", help="cost of a false negative")
    command.add_argument("--beta", type=float, metavar="B", help="for --criterion f_beta")
    command.add_argument("--value", type=float, metavar="V", help="the limit of min_tpr, min_tnr, max_fpr")
    command.add_argument("--plot", type=Path, metavar="FILE", help="draw densities and curve (.svg, .png or .pdf)")


def run(options: argparse.Namespace) -> None:
    """Predict from the named statistics and print."""
    given = ("mean", "std", "sem", "median", "effect_size", "count", "family", "direction")
    stats = {name: getattr(options, name) for name in given}
    roc = PredictedRoc.from_stats(**stats, iqr=_quartiles(options.iqr))
    prevalence = None if options.criterion in UNWEIGHTED else options.prevalence
    names = ("criterion", "cost_fp", "cost_fn", "beta", "value")
    best = roc.best_threshold(**{name: getattr(options, name) for name in names}, prevalence=prevalence)
    threshold = best.threshold if options.threshold is None else options.threshold
    rates = roc.rates(threshold, prevalence=options.prevalence)
    if options.plot is not None:
        save_plot(options.plot, roc)
    if options.json:
        area: dict[str, Any] = {
            "direction": roc.direction or "higher",
            "auc": roc.auc(),
            "auc_complement": roc.auc_complement(),
            "proper_auc": roc.proper().auc(),
        }
        if _has_intervals(roc):
            area["intervals"] = {name: found.to_dict() for name, found in _intervals(roc, best, options.level).items()}
        at = {"threshold": threshold, "rates": rates.to_dict(), "undefined": rates.undefined}
        print(to_json(area | {"best_threshold": best.to_dict(), "at": at}))
        return
    tables = [_summary(roc, best), _rates_table(threshold, rates)]
    if _has_intervals(roc):
        tables.insert(1, _intervals_table(_intervals(roc, best, options.level), options.level))
    show(*tables)


def _has_intervals(roc: PredictedRoc) -> bool:
    return roc.count is not None and isinstance(roc.negative, Gaussian)


def _intervals(roc: PredictedRoc, best: BestThreshold, level: float) -> dict[str, Interval]:
    return {
        "auc": roc.auc_interval(level),
        "threshold": best.threshold_interval(level),
        "ameans": best.ameans_interval(level),
    }


def _intervals_table(intervals: dict[str, Interval], level: float) -> Table:
    shown = {"auc": "AUC", "threshold": "best threshold", "ameans": "Ameans there"}
    rows = [[shown[name], found.low, found.high] for name, found in intervals.items()]
    return Table(f"{level:.4g} confidence intervals, by the delta method", ["of", "low", "high"], rows)


def _quartiles(numbers: list[float] | None) -> Any:
    """Give two widths as they are, four quartiles class by class."""
    return (numbers[:2], numbers[2:]) if numbers is not None and len(numbers) == 4 else numbers


def _summary(roc: PredictedRoc, best: BestThreshold) -> Table:
    weighted = "" if best.criterion in UNWEIGHTED else "weighted "
    rows: list[list[Any]] = [
        ["negative class", repr(roc.negative)],
        ["positive class", repr(roc.positive)],
        ["positive when", "x <= threshold" if roc.direction == "lower" else "x >= threshold"],
        ["AUC", _area(roc.auc(), roc.auc_complement())],
        [f"best threshold ({best.criterion})", f"{best.threshold:.6g}"],
        ["Ameans there", f"{best.ameans:.6g}"],
        [f"{weighted}densities cross at", ", ".join(f"{x:.6g}" for x in best.crossings) or "no threshold"],
    ]
    if best.criterion not in AMEANS:
        rows.insert(5, [f"{best.criterion} there", f"{best.value:.6g}"])
    hook = roc.hook()
    ends = f"{hook.low:.4g}", f"{hook.high:.4g}"
    if ends[0] != ends[1]:
        rows.append(["below the chance line", f"FPR {ends[0]} to {ends[1]}, area {hook.area:.3g}"])
    rows += [["flag", flag] for flag in best.flags]
    notes = _turned(roc.auc(), roc.direction)
    if roc.count is not None and not _has_intervals(roc):
        notes.append("Intervals from means and SDs alone are for two Gaussians.")
    return Table("Predicted ROC", ["question", "answer"], rows, notes=notes)


def _area(auc: float, complement: float) -> str:
    """Show an AUC, and never a false 1."""
    return f"1 - {complement:.3g}" if f"{auc:.6g}" == "1" and complement > 0 else f"{auc:.6g}"


def _turned(auc: float, direction: str | None) -> list[str]:
    turned = "higher" if direction == "lower" else "lower"
    return [f"The AUC is below 1/2: positives lie {turned}; see --direction."] if auc < 0.5 else []


def _rates_table(threshold: float, rates: Any) -> Table:
    rows = [[name, value] for name, value in rates.to_dict().items()]
    notes = [f"undefined (0/0): {', '.join(rates.undefined)}"] if rates.undefined else []
    if rates.prevalence is None:
        notes.append("precision, accuracy and their like need --prevalence or --count.")
    return Table(f"Rates at threshold {threshold:.6g}", ["measure", "value"], rows, notes=notes)

"""The layout of the package: rooms, the import contract, and the picture of it in CONTRIBUTING.md."""

import ast
import inspect
import re
import tomllib
from collections import defaultdict
from importlib import import_module
from pathlib import Path
from types import FunctionType, NoneType
from typing import get_args, get_overloads

import pytest

import rocpredict
from docs import rooms_picture
from rocpredict import datasets, plots, reports
from rocpredict.base import results
from rocpredict.base.results import Result
from rocpredict.distributions import Distribution, families, fitting
from rocpredict.inference import empirical, hypotheses, intervals, uncertainty
from rocpredict.roc.base import Roc
from rocpredict.solvers import thresholds
from tests.cases import CORE

PACKAGE = Path(rocpredict.__file__).parent
TOP = PACKAGE.parent
CONTRACTS = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
NOT_ROOMS = {"__init__.py", "__init__.pyi", "__main__.py", "_version.py", "py.typed"}


def _module(path: Path) -> str:
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {module: ast.parse(path.read_text("utf-8")) for module, path in MODULES.items()}


def test_the_contract_names_every_room_with_several_modules():
    rooms = {_module(path.parent / "__init__.py") for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"}
    assert rooms == {contract["containers"][0] for contract in CONTRACTS}


def test_the_contract_has_no_exceptions():
    assert all(contract["exhaustive"] and "ignore_imports" not in contract for contract in CONTRACTS)


def test_there_are_at_most_18_rooms():
    rooms = {path.name for path in PACKAGE.iterdir() if path.name not in NOT_ROOMS | {"__pycache__"}}
    assert len(rooms) <= 18, rooms


def test_the_picture_of_the_rooms_is_that_of_the_imports():
    assert rooms_picture.PICTURE.read_text("utf-8") == rooms_picture.draw(), "run: python docs/rooms_picture.py"


# ---- public signatures
INSIDE_ANY = re.compile(
    r"NDArray\[Any\]|(dict|Mapping)\[str, (Any|list\[Any\])\]|tuple\[typing\.Any, \.\.\.\]|dtype\[typing\.Any\]"
)
"""An array of any type, and what becomes JSON."""
OF_ANY_SHAPE = ("Gaussian.fit",)
"""Their result is of one feature or of a batch, which the type of an array does not say."""


def _public_functions() -> dict[str, FunctionType]:
    """Return every public function, method, property and constructor by its qualified name."""
    functions = {}
    rooms = [rocpredict, plots, datasets, reports, *([] if CORE else [import_module("rocpredict.sklearn")])]
    for room in rooms:
        public = [getattr(room, name) for name in room.__all__ if name[0] != "_"]
        functions |= {item.__qualname__: item for item in public if inspect.isfunction(item)}
        for cls in (item for item in public if isinstance(item, type) and not issubclass(item, Exception)):
            members = [*((name, inspect.getattr_static(cls, name)) for name in dir(cls) if name[0] != "_")]
            if not issubclass(cls, Result) or issubclass(cls, Distribution | Roc):
                members.append((cls.__name__, cls.__init__))
            for name, member in members:
                inner = getattr(member, "fget", None) or getattr(member, "func", None)
                function = inspect.unwrap(inner or getattr(member, "__func__", member))
                if inspect.isfunction(function) and function.__module__.startswith("rocpredict"):
                    functions[cls.__name__ if name == cls.__name__ else function.__qualname__] = function
    return functions


PUBLIC = _public_functions()


def _annotation_text(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def test_no_public_signature_contains_any():
    open_ = []
    for name, function in PUBLIC.items():
        for variant in get_overloads(function) or [function]:
            for argument, annotation in variant.__annotations__.items():
                text = _annotation_text(annotation)
                if re.search(r"\bAny\b|\bArrayOrFloat\b", INSIDE_ANY.sub("", text)) and name not in OF_ANY_SHAPE:
                    open_.append(f"{name}({argument}: {text})")
    assert not open_, "\n".join(open_)


SEVERAL_MEANINGS = {
    "alternative": "a sample size is planned for a difference, not for equivalence",
    "ax": "plot_diagnosis draws into several axes",
    "band": "a mean curve is drawn with its band, a ROC curve without",
    "clusters": "auc_test of two samples: one for each",
    "cost_fn": "a curve accepts one for each feature",
    "cost_fp": "a curve accepts one for each feature; the page keeps the cost of the state",
    "count": "a pair of numbers, or of arrays for a batch; simulated classes have a size by default",
    "criterion": "of a threshold, or of a linear combination",
    "direction": "None is the rule x >= threshold; many features or two curves need 'auto' or a side each",
    "empirical": "a curve to compare with, or whether a screening counts",
    "family": "a screening computes two families; a classifier's scores are empirical by default",
    "feature": "the name of one feature; a page may hold several",
    "fpr": "a rate, or the ends of a band",
    "k": "all features by default in scikit-learn's selectors",
    "kind": "each function has its own pictures or bands",
    "labels": "class labels, or names in a legend",
    "mean": "a pair of numbers, or of arrays for a batch; the field of a Gaussian",
    "means": "component means of a mixture, or mean ROC curves",
    "method": "each interval and each test has its own methods",
    "max_q": "no limit by default in a selector",
    "moments": "their highest order, or the moments themselves",
    "n_jobs": "None in scikit-learn's estimators",
    "n_points": "a mean curve keeps every step by default",
    "n_resamples": "a diagnosis fits each resample, so draws fewer",
    "n_top": "features that are counted, rows of a picture, or pictures of a report",
    "nan_policy": "few tables of many features are complete: a screening omits",
    "negative": "the label of a class, or its distribution",
    "null": "auc_test of two curves has no null value",
    "path": "a file that is open for text will do for CSV",
    "positive": "the label of a class, or its distribution",
    "prevalence": "a curve accepts one for each feature; 0.5 weighs both classes alike",
    "response_method": "log odds are for a fitted family",
    "std": "a pair of numbers, or of arrays for a batch; the field of a Gaussian",
    "strata": "auc_test of two samples: one for each",
    "threshold": "a curve accepts many; a picture also a BestThreshold",
    "tpr": "a rate, or the ends of a band",
    "unit": "of one feature; a page may hold several",
    "value": "a curve accepts one for each feature",
    "weights": "auc_test of two samples: one for each; a mixture: of its components",
    "width": "of an interval, or of a frame on a page",
    "x": "a page accepts any table",
}
"""Arguments whose type or default differs between functions, and why."""


def test_a_seed_or_generator_is_called_rng():
    """As in SciPy; estimators of scikit-learn have its name, random_state."""
    arguments = {
        f"{name}({each})" for name, function in PUBLIC.items() for each in inspect.signature(function).parameters
    }
    assert not {name for name in arguments if "(seed" in name}


@pytest.mark.extra("sklearn")
def test_an_argument_means_the_same_in_every_signature():
    forms = defaultdict(lambda: (set(), set()))
    for function in PUBLIC.values():
        for argument in inspect.signature(function).parameters.values():
            if argument.kind is argument.VAR_KEYWORD or argument.name in {"self", "cls"}:
                continue
            annotations, defaults = forms[argument.name]
            annotations.add(_annotation_text(argument.annotation).removesuffix(" | None"))  # it may be optional
            if argument.default is not argument.empty:
                defaults.add(repr(argument.default))
    several = {name: form for name, form in forms.items() if max(map(len, form)) > 1}
    assert {name: several[name] for name in several.keys() - SEVERAL_MEANINGS.keys()} == {}
    assert not SEVERAL_MEANINGS.keys() - several.keys()


def test_literals_name_what_is_implemented():
    def names(alias):
        return {name for part in get_args(alias) or (alias,) for name in get_args(part) or (part,)} - {NoneType}

    assert names(thresholds.CriterionName) == set(thresholds.CRITERIA)
    assert names(families.FamilyName) == set(fitting.FAMILIES)
    assert names(uncertainty.AucMethod) == {*intervals.AUC_METHODS, "pivotal", "delta", "reiser-guttman"}
    assert names(uncertainty.AucErrorMethod) == {*intervals.STD_ERRORS, *intervals.PARTIAL_AUC_STD_ERRORS, "delta"}
    assert names(uncertainty.AucTestMethod) == {*hypotheses.ONE_SAMPLE_METHODS, "pivotal", "delta"}
    assert names(uncertainty.PartialAucMethod) == {"dirichlet", *intervals.PARTIAL_AUC_METHODS, "pivotal", "delta"}
    assert names(uncertainty.PointMethod) == {*empirical.TPR_METHODS, "pivotal", "delta"}
    assert names(results.PictureKind) == set(results.PLOT_KINDS)


def test_type_checkers_infer_the_types():
    """The example runs, and ``mypy --strict`` and pyright infer what it asserts (``make lint``)."""
    import_module("tests.typed_example")

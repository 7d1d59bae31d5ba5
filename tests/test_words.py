"""Words of the sources: first words of docstrings, phrases without a plain meaning, names, and stated defaults.

Each rule is first applied to a planted offence.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import rocpredict
from rocpredict import datasets, plots, reports
from tests.cases import optional
from tests.test_house import MODULES, PUBLIC, TREES

SKLEARN = optional("rocpredict.sklearn")
TOP = Path(rocpredict.__file__).parent.parent
FOLDERS = ("rocpredict", "tests", "benchmarks", "docs", "notebooks", "data")
SUFFIXES = {".py", ".pyi", ".md", ".ipynb", ".html", ".js", ".css", ".rst", ".R", ".json"}
UNCHECKED = ("tests/test_words.py", "tests/reference/*.json", "docs/generated/*", "rocpredict/teaching/static/vendor/*")
"""This list of phrases, and what is generated from other sources or written by others."""


def _sources() -> dict[str, Path]:
    """Return the files with prose by name."""
    paths = [*(path for path in TOP.iterdir() if path.suffix in {".md", ".toml"}), TOP / "Makefile"]
    for folder in FOLDERS:
        paths += [path for path in sorted((TOP / folder).rglob("*")) if path.suffix in SUFFIXES]
    return {path.relative_to(TOP).as_posix(): path for path in paths if not _is_unchecked(path)}


def _is_unchecked(path: Path) -> bool:
    return any(path.match(str(TOP / pattern)) for pattern in UNCHECKED)


# ---- first words of docstrings
_VERBS = ("Answer", "Ask", "Give", "Hold", "Lay", "Put", "Say", "Take", "Tell")
_QUESTION_WORDS = ("How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why")
VAGUE_OPENINGS = {*_VERBS, *(f"{verb}s" for verb in _VERBS), *_QUESTION_WORDS}


def vague_openings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each first line that begins with a vague verb or a question word.

    Docstrings of modules, classes, functions and constants begin a line.
    """
    for match in re.finditer(r'^[ ]*r?"""((\w+).*?)(?:"""|$)', source, re.MULTILINE):
        if match[2] in VAGUE_OPENINGS:
            yield source.count("\n", 0, match.start()) + 1, match[1]


def test_a_vague_opening_is_found():
    source = (
        '"""What it is."""\n\nclass Curve:\n    """Hold rates.\n\n    What.\n    """\n    N = 1\n    """Tells."""\n'
    )
    assert [*vague_openings(source)] == [(1, "What it is."), (4, "Hold rates."), (9, "Tells.")]
    assert not [*vague_openings('"""Whatever."""\ntext = """Give"""')]


def test_docstrings_begin_with_a_noun_or_an_ordinary_verb():
    """An object is described by a noun phrase, a function by a verb such as "Return"."""
    problems = [
        f"{name}:{line}: {text}"
        for name, path in _sources().items()
        for line, text in vague_openings(path.read_text("utf-8") if path.suffix == ".py" else "")
    ]
    assert not problems, "\n".join(problems)


# ---- phrases
PLAIN = {
    r"counted (auc|ameans|area|curve|rate|roc|tpr|value)s?": "empirical",
    r"(?<!_)honest(ly|y)?": "optimism-corrected, unbiased",
    r"share of the model": "model weight",
    r"(row|data|sample|curve|flag|table|feature|label)s? (ask|know|tell|say|want)s?": "data show, a flag indicates",
    r"beside": "with, next to, compared with",
    r"(drawn|pulled) towards": "shrunk towards",
    r"(tells?|told) (\w+ ){0,4}apart": "distinguish, discriminate between",
    r"tells? (nothing|something)": "is uninformative, is informative",
    r"anew": "again",
    r"re-?drawn": "resampled, simulated, drawn again",
    r"but for": "except for",
    r"as it were": "nothing",
    r"likelier": "more likely",
    r"read off": "estimated from",
    r"left-over|rows left over": "test data",
    r"held-out rows|held out rows|rows held out": "held-out data, test data",
    r"stated outcomes?": "flags",
    r"by chance would put": "expected from sampling variation",
    r"class(es)? lies? (higher|lower)": "has larger values, has smaller values",
    r"numbers? of cases": "number of observations, frequency weights",
    r"(cases|rows) a class": "observations per class",
    r"what became of": "result of",
    r"how sure": "uncertainty of",
    r"all but (one|two|\d+)": "every ... except",
    r"mend(s|ed|ing)?": "repair, correct",
    r"whoever|somebody": "anyone, a user",
    r"albeit|hence|hereby|therein|thereof|thus|upon|whence|whereof|whilst": "modern English",
    r"without a word": "without a warning",
    r"what (came|comes) (in|out)": "the input, the result",
    r"after this page": "after reading this page",
    r"to the last float": "to the resolution of float64",
    r"(higher|lower|larger|smaller) values are positive": "indicate the positive class",
    r"monte-carlo": "Monte Carlo",
    r"(standard|normal|regular|student|vector|penal|maxim|minim|optim)is(e|es|ed|ing|ation)": "the spelling with z",
    r"pass shape": "pass an array of shape",
}
"""Phrases that a reader of statistical English does not understand at once, and what to write in their place."""
_GAP = r"""(?:[\s_]|\\n",\s*"|["']\s*\n\s*[rbf]*["']|\n\s*(?:\#|//)\s*)+"""
_PHRASES = {re.compile(f"(?:{phrase.replace(' ', _GAP)})(?![a-z0-9])"): plain for phrase, plain in PLAIN.items()}
_MAX_LENGTH = 2000  # characters of a line; a longer one of a notebook is a picture or a page


def obscure_phrases(source: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the phrase and the plain wording of each phrase, also across lines and in names."""
    text = "\n".join(line if len(line) < _MAX_LENGTH else "" for line in source.lower().split("\n"))
    for pattern, plain in _PHRASES.items():
        for match in pattern.finditer(text):
            if not text[: match.start()][-1:].isalnum():
                yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), plain


def test_a_phrase_is_found_on_one_line_and_across_lines():
    """In prose, comments, names, strings of several pieces and cells of a notebook; not inside of other words."""
    for text in (
        *(
            "Compare with the counted curves.",
            "1\n# the Counted\n# AUC",
            "def test_counted_rates(): ...",
            "// counted\n// area",
        ),
        *(
            'f"the counted "\n    f"AUC"',
            '"the counted\\n",\n    "curve"',
            "anew",
            "We lay it beside.",
            "It tells both classes apart.",
        ),
        *("The sample says so.", "accurate but for ties"),
    ):
        assert len([*obscure_phrases(text)]) == 1, text
    for text in ("counted curvature", "discounted curve", "all but forty", "besides, renewed", "the UpOn1"):
        assert not [*obscure_phrases(text)], text
    assert [line for line, *_ in obscure_phrases("one\ntwo anew\nanew")] == [2, 3]


def test_no_source_has_a_phrase_without_a_plain_meaning():
    problems = [
        f"{name}:{line}: {phrase!r}; write: {plain}"
        for name, path in _sources().items()
        for line, phrase, plain in obscure_phrases(path.read_text("utf-8"))
    ]
    assert not problems, "\n".join(problems)


# ---- names
VAGUE = {"answer", "asked", "found", "given", "held", "it", "known", "made", "said", "seen", "shown", "told"}


def test_no_name_is_vague():
    vague = []
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            name = getattr(node, "id", None) if isinstance(getattr(node, "ctx", None), ast.Store) else None
            name = node.arg if isinstance(node, ast.arg) else name
            if str(name).lstrip("_") in VAGUE:
                vague.append(f"{module}:{node.lineno} {name}")
    assert not vague, "\n".join(vague)


# ---- defaults
def _documented(name: str) -> FunctionType | type:
    """Return the object with the docstring of a public function: for a constructor, the class."""
    items = [getattr(room, name, None) for room in (rocpredict, plots, SKLEARN, datasets, reports)]
    return next((item for item in items if isinstance(item, type)), PUBLIC[name])


def _parameters(docstring: str) -> dict[str, str]:
    """Return the type and the description of each documented parameter."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)", docstring, re.DOTALL | re.MULTILINE)
    entries = re.split(r"\n(?=\S)", section[1].strip()) if section else []
    return {name.strip(" *"): entry for entry in entries for name in re.split(" : |\n", entry)[0].split(",")}


def unstated_defaults(signature: inspect.Signature, docstring: str) -> Iterator[str]:
    """Yield the parameters whose default value the docstring states not at all or wrongly."""
    entries = _parameters(inspect.cleandoc(docstring))
    for parameter in signature.parameters.values():
        if parameter.default is not parameter.empty:
            stated = re.search(r"^.* : .*\bdefault=([^\n]+)$", entries.get(parameter.name, ""), re.MULTILINE)
            if stated:
                if stated[1].replace("_", "") != repr(parameter.default).replace("'", '"').replace("_", ""):
                    yield f"{parameter.name}={parameter.default!r}, documented as {stated[1]}"
            elif not re.search(r"\boptional\b|\b[Bb]y default\b|\bdefault", entries.get(parameter.name, "")):
                yield f"{parameter.name}={parameter.default!r}"


def test_an_unstated_default_is_found():
    def function(a, level=0.95, n=10, kind="x", *, seed=None, other=0): ...

    text = """Compute.

    Parameters
    ----------
    a : float
        Value.
    level : float
        Level.
    n : int, default=100
        Number.
    kind : {"x", "y"}, default="x"
        Kind.
    seed : int, optional
        Seed.

    Returns
    -------
    other : int, default=0
    """
    found = [*unstated_defaults(inspect.signature(function), text)]
    assert found == ["level=0.95", "n=10, documented as 100", "other=0"]


def test_every_public_default_is_stated():
    problems = []
    for name, function in PUBLIC.items():
        item, path = _documented(name), MODULES[function.__module__]
        if not _is_unchecked(path):
            unstated = unstated_defaults(inspect.signature(function), inspect.getdoc(item) or "")
            place = f"{path.relative_to(TOP).as_posix()}:{inspect.getsourcelines(item)[1]}: {name}"
            problems += [f"{place}({default})" for default in unstated]
    assert not problems, "\n".join(problems)

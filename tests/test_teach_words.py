"""The words of the teaching page and its scripts match: no word is missing, and no word is unused."""

import re
from functools import cache
from importlib import resources

import pytest

from rocpredict.teaching.assets import MODULES, languages, load_translations
from rocpredict.teaching.page import PRESETS

_STATIC = resources.files("rocpredict.teaching").joinpath("static")
SCRIPTS = {name: _STATIC.joinpath(name).read_text("utf-8") for name in MODULES}
CODE = "\n".join(SCRIPTS.values())
# What `words` stands for in each script.
SECTIONS = dict.fromkeys(MODULES, ("page",)) | {"lesson.js": ("lesson",), "sampling_panel.js": ("chance",)}
SECTIONS |= {
    "dialog.js": ("dialog",),
    "qr.js": ("dialog",),
    "overlays.js": ("overlay",),
    "data_dialog.js": ("entry",),
    "own_data.js": ("entry",),
}
_NAMED = re.compile(r"(?<![\w$])words((?:\.[A-Za-z_]\w*)+)(\[)?")
_METHODS = {"replace", "length"}
# The sections of the page: their names are arguments, and nothing else of the page's first level is looked up by name.
_FIRST_LEVEL = r"""\bcreate(?:Section|Figure)\((?:words, )?"{key}"|\["{key}", [^\]]*\]\.map"""


def _leaves(words, path=()):
    items = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else None
    if items is None:
        return [path]
    return [leaf for key, inner in items for leaf in _leaves(inner, (*path, str(key)))]


def _at(words, path):
    for name in path:
        words = words[name] if isinstance(words, dict) and name in words else None
    return words


@cache
def _named():
    """Return every chain of names that a script looks up in the words, and whether a further name follows."""
    chains = set()
    for script, code in SCRIPTS.items():
        for names, further in _NAMED.findall(code):
            path = tuple(name for name in names[1:].split(".") if name not in _METHODS)
            tried = [(section, *path) for section in SECTIONS[script]] + [path]
            whole = [one for one in tried if path and _at(load_translations("en"), one) is not None]
            chains |= {(script, path, whole[0] if whole else None, bool(further))} if path else set()
    return chains


def _is_key(key):
    """Return whether a script has a name as a string or a field, or iterates over all names of its kind."""
    return (
        key in PRESETS
        or key in load_translations("en")["page"]["names"]
        or re.search(rf"""["'`.]{re.escape(key)}["'`]|[{{,]\s*{re.escape(key)}\s*[:,}}]""", CODE)
    )


def _is_used(path):
    section, *names = path
    whole = {held for _, _, held, further in _named() if held and not further}
    if any(held == path[: len(held)] and len(held) > 1 for held in whole):
        return True
    looked_up = {held for _, _, held, further in _named() if held and further}
    if tuple(path[:2]) in looked_up:
        return _is_key(names[1].split(".")[-1])
    if section == "page":
        return len(names) == 1 and re.search(_FIRST_LEVEL.format(key=names[0]), CODE)
    return _is_key(names[0])


def test_every_word_that_a_script_names_exists():
    """`words.a.b` in a script is a word, or a group of words, of the section that the script shows."""
    missing = sorted(f"{script}: words.{'.'.join(path)}" for script, path, held, _ in _named() if held is None)
    assert missing == []
    assert len(_named()) > 60


@pytest.mark.parametrize("lang", languages())
def test_every_word_is_used(lang):
    """Every word of the page, the lesson and chance is named by a script, or looked up by a name that a script has."""
    words = {
        section: load_translations(lang)[section]
        for section in ("page", "lesson", "chance", "dialog", "entry", "overlay")
    }
    dead = [".".join(path) for path in _leaves(words) if not _is_used(path)]
    assert dead == []


def test_an_unused_word_is_detected():
    """Unused words are distinguished from used ones, in each place of the dictionary."""
    for path in ("page.nobody", "page.labels.nobody", "page.remarks.nobody", "lesson.nobody", "chance.nobody"):
        assert not _is_used(tuple(path.split("."))), path
    for path in ("page.title", "page.densities", "page.labels.mean0", "page.remarks.two", "lesson.reveal", "chance.sd"):
        assert _is_used(tuple(path.split("."))), path


@pytest.mark.parametrize("lang", languages())
def test_words_are_where_they_are_looked_up(lang):
    """Each example and each way to name the rates can be chosen by a name.

    The strip takes from `rates` what a naming does not name: no word that each naming has is among them.
    """
    words = load_translations(lang)["page"]
    named = set.intersection(*(set(names) for names in words["names"].values()))
    assert set(words["rates"]) & named == set()
    assert set(words["presets"]) == set(PRESETS)
    assert set(words["namings"]) == set(words["names"])


# ---- the scripts themselves
def test_scripts_have_short_lines():
    """No script is longer than 250 lines, and no line is longer than 120 characters."""
    assert set(MODULES) == {file.name for file in _STATIC.iterdir() if file.name.endswith(".js")}
    for name, code in SCRIPTS.items():
        lines = code.splitlines()
        assert len(lines) < 250, name
        assert [line for line in lines if len(line) > 120] == [], name


def test_no_two_scripts_share_a_name():
    """The scripts become one module, where each name of the first level may stand once; a list of them counts whole."""
    listed = {name: _first_level(code) for name, code in SCRIPTS.items()}
    names = [name for names in listed.values() for name in names]
    assert sorted(names) == sorted(set(names))
    assert {"mount", "TEXT_COLOR", "MUTED_COLOR", "findDataset", "mountCount"} <= set(names)


def test_scripts_import_only_earlier_ones():
    """In the order of the bundle: a script names only what an earlier one exports, and uses each name it imports."""
    exported = set()
    for name, code in SCRIPTS.items():
        imported = re.findall(r'^import \{ (.*) \} from "\./([\w.]+)";$', code, flags=re.MULTILINE)
        assert len(imported) == len(re.findall(r"^import\b", code, flags=re.MULTILINE)), name
        for names, source in imported:
            for one in names.split(", "):
                assert (source, one) in exported, (name, one)
                assert len(re.findall(rf"(?<![\w$.]){one}(?![\w$])|\.\.\.{one}\b", code)) > 1, (name, one)
        exported |= {(name, one) for one in _first_level(code, exported=True)}


def _first_level(code, *, exported=False):
    """Return the names that a script declares at its top level."""
    found = []
    for is_exported, kind, rest in re.findall(r"^(export )?(?:async )?(function|const|let) (.*)$", code, re.MULTILINE):
        if is_exported or not exported:
            plain = re.sub(r"\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]|\"[^\"]*\"", "", rest)
            found += re.findall(r"(\w+) =(?![=>])", rest if kind == "let" else plain) or re.findall(r"^(\w+)", rest)
    return found

"""The worksheet contains only texts of the dictionary and numbers of the library, in every language."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

import rocpredict as rp
from rocpredict.teaching.assets import load_translations
from rocpredict.teaching.worksheet import interpolate, shown, worksheet_html
from tests.cases import refuses

LANGUAGES = ("en", "de")
SECTIONS = ("lesson", "chance", "worksheet")
PLACE = re.compile(r"\{[\w.]+(?::\d)?\}")
SYMBOLS = re.compile(r"[\d.,−:ABCtz\s]*|FPR|TPR")
FOUNDING = rp.PredictedRoc(rp.Gaussian(4, 3), rp.Gaussian(8, 2))


class Sheet(HTMLParser):
    """Read what a page shows: its words, and its numbers by the part they stand in."""

    VOID = ("meta", "link", "path", "polyline", "circle")

    def __init__(self, text: str):
        super().__init__()
        self.open, self.words, self.numbers, self.part = [], [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.words += [given["aria-label"]] if "aria-label" in given else []
        self.part = next(
            (given[name] for name in ("data-question", "data-task", "data-answer") if name in given), self.part
        )
        self.answers = getattr(self, "answers", False) or given.get("class") == "answers"
        if tag == "data":
            self.numbers.append([self.answers, self.part, float(given["value"]), ""])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, text):
        if self.open and self.open[-1] == "data":
            self.numbers[-1][3] += text
        elif not {"style"} & set(self.open):
            self.words.append(text)

    def of(self, part: str) -> list[float]:
        """Return the numbers in the answer to one question or sum."""
        return [value for answers, where, value, _ in self.numbers if answers and where == part]


@pytest.fixture(scope="module", params=LANGUAGES)
def lang(request):
    return request.param


@pytest.fixture(scope="module")
def sheet(lang):
    return Sheet(worksheet_html(lang))


def sentences(words, path=()):
    """Return every string of a dictionary with its path."""
    items = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else ()
    texts = {path: words} if isinstance(words, (str, int)) else {}
    for name, part in items:
        texts |= sentences(part, (*path, name))
    return texts


def rows(data, feature, *labels):
    x = data.column(feature)
    return [x[data.y == label] for label in labels]


def gaussian_roc(negative, positive):
    return rp.PredictedRoc(*(rp.Gaussian(np.mean(side), np.std(side, ddof=1)) for side in (negative, positive)))


# ---- numbers
def test_each_number_is_shown_as_it_is_rounded(sheet, lang):
    """No number is typed in: each is an element that holds the full value, and its text is that value rounded."""
    assert len(sheet.numbers) > 150
    decimal = {"en": ".", "de": ","}[lang]
    for _, part, value, text in sheet.numbers:
        digits = len(text.partition(decimal)[2])
        assert text == f"{value:.{digits}f}".replace("-", "−").replace(".", decimal), part


def test_the_solutions_equal_the_librarys(sheet):
    """The numbers of each answer are found again by calls of the public functions, in their order."""
    best = FOUNDING.best_threshold()
    even, rare = (FOUNDING.rates(best.threshold, prevalence=share).precision for share in (0.5, 0.01))
    cheap = FOUNDING.best_threshold("cost", prevalence=0.5, cost_fp=1, cost_fn=10)
    hook = rp.PredictedRoc(rp.Gaussian(5, 1), rp.Gaussian(6, 3))
    first, second = hook.crossings()
    ameans = {t: hook.rates(t).ameans for t in (first, second)}
    expected = {
        "cross": [best.threshold, best.ameans],
        "hook": [first, second, second, ameans[second], first, ameans[first], hook.hook().fpr_low],
        "prevalence": [even, rare, 10 * best.tpr, 10, 990 * best.fpr],
        "cost": [best.threshold, cheap.threshold, cheap.tpr, cheap.fpr],
        "pairs": [100 * FOUNDING.auc(), FOUNDING.auc(), best.ameans],
    }
    for part, numbers in expected.items():
        np.testing.assert_allclose(sheet.of(part), numbers, rtol=1e-9, err_msg=part)


def test_the_empirical_solutions_equal_the_librarys(sheet):
    iris = rows(rp.datasets.load_iris(), "petal_length", "versicolor", "virginica")
    pima = rows(rp.datasets.load_pima(), "insulin", "neg", "pos")
    predicted, counted = gaussian_roc(*iris), rp.EmpiricalRoc(*iris)
    areas = [predicted.auc(), counted.auc()]
    thresholds = [predicted.best_threshold().threshold, counted.best_threshold().threshold]
    numbers = sheet.of("iris")
    np.testing.assert_allclose(numbers[:4], [*areas, *counted.auc_interval()], rtol=1e-9)
    np.testing.assert_allclose(numbers[4], areas[1] - areas[0], rtol=1e-9)
    np.testing.assert_allclose(numbers[-4:], [*areas, *thresholds], rtol=1e-9)
    zeros = np.count_nonzero(np.concatenate(pima) == 0)
    below = stats.norm.cdf(0, np.mean(pima[0]), np.std(pima[0], ddof=1))
    clean = [side[side != 0] for side in pima]
    without = [rp.EmpiricalRoc(*clean).auc(), rp.EmpiricalRoc(*pima).auc(), gaussian_roc(*clean).auc()]
    np.testing.assert_allclose(sheet.of("pima"), [768, zeros, below, *without], rtol=1e-9)


def test_the_sums_are_right_by_scipy(sheet):
    """The table of the tail, the four points and the area, by another library."""
    table = [value for answers, part, value, text in sheet.numbers if not answers and len(text) == 6]
    np.testing.assert_allclose(table, stats.norm.sf(np.arange(40) / 10), rtol=1e-12)
    z = np.array([[-1, -3.5], [0, -2], [1, -0.5], [2, 1]])
    fpr, tpr = stats.norm.sf(z).T
    points = np.column_stack([[1, 4, 7, 10], z[:, 0], fpr, z[:, 1], tpr, 1 - fpr, (tpr + 1 - fpr) / 2])
    np.testing.assert_allclose(np.reshape(sheet.of("rates")[-28:], (4, 7)), points, rtol=1e-12)
    np.testing.assert_allclose(sheet.of("auc")[-2:], [4 / np.sqrt(13), stats.norm.cdf(4 / np.sqrt(13))], rtol=1e-12)
    crossings = np.sort(np.roots([1 / 18 - 1 / 8, 16 / 8 - 8 / 18, 16 / 18 - 64 / 8 + np.log(3 / 2)]))
    np.testing.assert_allclose(sheet.of("crossings")[:2], crossings, rtol=1e-9)
    right, wrong = 10 * tpr[2], 990 * fpr[2]
    np.testing.assert_allclose(sheet.of("precision")[-3:], [right, wrong, right / (right + wrong)], rtol=1e-12)


def test_statements_of_the_words_are_true():
    """The words themselves claim a few things: that an option is right, what lies near what, and which is larger."""
    steps = load_translations("en")["worksheet"]["questions"]
    right = {key: step["options"][step["right"]] for key, step in steps.items() if "options" in step}
    assert len(rp.PredictedRoc(rp.Gaussian(5, 1), rp.Gaussian(6, 1)).crossings()) == 1
    assert right["hook"].startswith("Two crossings")
    assert right["prevalence"] == "The precision only"
    assert right["cost"].startswith("To the left")
    assert FOUNDING.best_threshold("cost", prevalence=0.5, cost_fn=10).threshold < FOUNDING.best_threshold().threshold
    iris = rows(rp.datasets.load_iris(), "petal_length", "versicolor", "virginica")
    assert right["iris"] == "Within 0.05"
    assert 0.005 < abs(gaussian_roc(*iris).auc() - rp.EmpiricalRoc(*iris).auc()) < 0.05
    assert right["pairs"].startswith("About {hundred.auc} times")
    assert right["sample"].startswith("They are 4 to 5 times")


def test_statements_on_insulin_are_true():
    """Zeros pull both areas down; what is left without them is skewed, and the bells miss it by more than before."""
    insulin = rows(rp.datasets.load_pima(), "insulin", "neg", "pos")
    clean = [side[side != 0] for side in insulin]
    errors = [gaussian_roc(*pair).auc() - rp.EmpiricalRoc(*pair).auc() for pair in (insulin, clean)]
    assert errors == pytest.approx([0.0356, -0.0556], abs=1e-4)
    assert rp.EmpiricalRoc(*clean).auc() > rp.EmpiricalRoc(*insulin).auc()  # "both curves suffer"
    assert gaussian_roc(*clean).auc() > gaussian_roc(*insulin).auc()
    assert stats.skew(clean[0]) > 2  # "skewed"
    predicted = gaussian_roc(*insulin)
    assert predicted.negative.std > predicted.negative.mean
    words = load_translations("en")["worksheet"]["questions"]["pima"]
    assert words["options"][words["right"]] == "Too many of them are exactly 0"
    assert "before any curve" in words["question"]  # for the zeros are not why the curves differ


def test_samples_vary_as_the_worksheet_states(sheet):
    """400 samples of either size: their SD has a standard error of 3.5%, so a false failure is one in 10^4."""
    count_few, few, count_many, many, ratio = sheet.of("sample")
    assert ratio == pytest.approx(few / many)
    assert 4 < ratio < 5
    rng = np.random.default_rng(5)
    for count, sd in ((count_few, few), (count_many, many)):
        samples = rng.normal([[[4]], [[8]]], [[[3]], [[2]]], (2, 400, int(count)))
        areas = (samples[0][:, :, None] < samples[1][:, None, :]).mean(axis=(1, 2))
        assert areas.std(ddof=1) == pytest.approx(sd, rel=0.14)


# ---- words
def test_every_word_comes_from_the_dictionary(sheet, lang):
    """Without its numbers the page consists of texts of the dictionary and symbols."""
    pieces = {piece.strip() for text in sentences(load_translations(lang)).values() for piece in PLACE.split(str(text))}
    known = {re.sub(r"\b0\.(?=\d)", {"en": "0.", "de": "0,"}[lang], piece) for piece in pieces}
    for text in sheet.words:
        left = re.sub(r"^(\d+\. |: )", "", text.strip())
        assert {text.strip(), left} & known or SYMBOLS.fullmatch(left), text


def test_languages_have_the_same_places(lang):
    """Same keys, same places for numbers, same right answers: so a translation cannot lose a number."""
    english, other = (sentences(load_translations(name)) for name in ("en", lang))
    assert english.keys() == other.keys()
    for path, text in english.items():
        assert sorted(PLACE.findall(str(text))) == sorted(PLACE.findall(str(other[path]))), path
        assert isinstance(text, str) or text == other[path]


def test_words_contain_no_results():
    """Decimals in the words are the conditions of a question or the answers to choose from, never its result alone."""
    conditions = {"0.5", "0.005", "0.05", "0.01", "4.5", "0.50", "0.65", "0.80"}
    texts = [text for path, text in sentences(load_translations("en")).items() if path[0] in SECTIONS]
    decimals = {figure for text in texts for figure in re.findall(r"\d+\.\d+", PLACE.sub("", str(text)))}
    assert decimals <= conditions


def test_a_sentence_is_shown_with_its_numbers():
    facts = {"best": {"ameans": 0.79505}, "z": [-1.0, 2.0]}
    parts = ["", shown(0.79505, 3, ","), " at ", shown(-1, 1, ","), "!"]
    assert interpolate("{best.ameans:3} at {z.0:1}!", facts, ",") == parts
    assert shown(-1, 1, ",").text == "−1,0"
    with pytest.raises(KeyError):
        interpolate("{worst}", facts, ".")


# ---- the file
def test_the_solutions_begin_on_a_new_page_and_are_optional(lang):
    page = worksheet_html(lang)
    assert ".answers { break-before: page; }" in page
    assert page.index('class="answers"') < page.index("data-answer")
    page = worksheet_html(lang, answers=False)
    assert "data-answer" not in page
    assert '<polyline class="curve"' not in page
    assert page.count("data-task") == 5
    assert load_translations(lang)["worksheet"]["answers"] not in Sheet(page).words


def test_the_file_is_self_contained(lang):
    """Nothing is fetched and nothing runs; the language is named."""
    page = worksheet_html(lang)
    assert not re.search(r"<script|https?:|\bon\w+=|@import", page)
    assert f'<html lang="{lang}">' in page
    assert not Sheet(page).open


def test_words_are_escaped(monkeypatch):
    words = load_translations("en")
    hostile = words | {"worksheet": words["worksheet"] | {"title": "<script>alert(1)</script>", "name": '"><b>'}}
    monkeypatch.setattr("rocpredict.teaching.worksheet.load_translations", lambda lang: hostile)
    page = worksheet_html("en")
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_an_unknown_language_is_refused():
    refuses("lang='xx'", worksheet_html, "xx")

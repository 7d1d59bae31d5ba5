"""Summaries of several sites as files: written, merged, screened, and refused if they do not belong together."""

import json
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocpredict as rp
from rocpredict import RocPredictError
from rocpredict.base.files import format_csv
from tests.cases import check_each, check_starts, optional, refuses

jsonschema = optional("jsonschema")
SCHEMA = json.loads(Path(rp.__file__).with_name("screening").joinpath("summary.schema.json").read_text("utf-8"))
CLASSES = {"positive": "sick", "negative": "well"}
OPTIONS = "--label outcome --positive sick --unit glucose=mg/dL"


def columns(seed, rows=60, positives=30):
    rng = np.random.default_rng(seed)
    y = np.arange(rows) < positives
    return {
        "outcome": np.where(y, "sick", "well"),
        "glucose": 100 + 10 * rng.normal(size=rows) + 10 * y,
        "mass": rng.normal(size=rows) + y,
        "rare": np.where(np.arange(rows) % (rows // 2) < 3, 1.5 + np.arange(rows), np.nan),
    }


@pytest.fixture
def sites(tmp_path, monkeypatch, run):
    """Three sites as CSV and as summaries, in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    for seed, site in enumerate("abc"):
        table = columns(seed)
        text = format_csv([list(table), *zip(*(values.tolist() for values in table.values()), strict=True)])
        Path(f"{site}.csv").write_text(text.replace("nan", ""), encoding="utf-8")
        code, out, err = run(f"summarize {site}.csv {OPTIONS} --out site-{site}.json")
        assert (code, err) == (0, "")
        assert out.startswith(f"site-{site}.json: 3 features. Negative: well; positive: sick.\n")
        assert "Features blanked because a class has fewer than 5 values: rare.\n" in out


def read(name):
    return rp.TwoClassSummary.from_json(Path(name).read_text("utf-8"))


def error_of(run, line):
    code, out, err = run(line)
    assert (code, out, err.count("\n")) == (2, "", 1), (code, out, err)
    return err.removeprefix("rocpredict: ").rstrip()


def test_merged_files_are_the_summary_of_all_rows(sites, run):
    """Counts exactly, moments to rounding; what was left out is left out, and the sum is called one pooled sample."""
    code, out, err = run("merge site-*.json --out all.json")
    assert (code, err) == (0, "")
    assert "This is one pooled sample: if means or proportions of positives differ between the files" in out
    tables = [columns(seed) for seed in range(3)]
    whole = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    expected, merged = rp.summarize(whole, "outcome", **CLASSES), read("all.json")
    for part, other in ((merged.negative, expected.negative), (merged.positive, expected.positive)):
        assert part.count.tolist() == [90, 90, 0]
        assert part.n_missing.tolist() == [0, 0, 0]
        np.testing.assert_allclose(part.mean[:2], other.mean[:2], rtol=1e-14)
        np.testing.assert_allclose(part.std[:2], other.std[:2], rtol=1e-13)
        assert np.isnan(part.mean[2])
        assert part.minimum is None
    assert merged.units == ("mg/dL", "", "")
    assert rp.screen("all.json", empirical=False) == rp.screen(merged, empirical=False)
    names = [f"site-{site}.json" for site in "abc"]
    assert rp.pool(names) == rp.pool([*map(read, names)])
    refuses("nix.json: No such file", rp.pool, ["nix.json", "site-a.json"])
    assert (merged.min_count, len(merged.file_checksums)) == (5, 3)
    assert merged.table().notes[1].startswith("This is one pooled sample")
    code, out, err = run("screen all.json")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[3:6]] == ["mass", "glucose", "rare"]
    assert "This is one pooled sample" in out
    document = json.loads(run("screen all.json --feature mass --json")[1])
    row = rp.screen(expected, empirical=False).feature("mass")
    assert document["features"][0]["auc"] == pytest.approx(row["auc"][0], rel=1e-12)


def test_a_site_may_omit_rows_without_a_label(sites, run):
    Path("d.csv").write_text(Path("a.csv").read_text("utf-8").rstrip() + "\n,100,1,\n,90,2,\n", "utf-8")
    remedy = "add it, delete the line, or pass --nan omit"
    assert (
        error_of(run, f"summarize d.csv {OPTIONS}")
        == f"d.csv, line 62: the label in column 'outcome' is missing; {remedy}"
    )
    code, out, err = run(f"summarize d.csv {OPTIONS} --nan omit --out site-d.json")
    assert (code, err) == (0, "")
    assert "\n2 observations without a label omitted.\n" in out
    assert Path("site-d.json").read_text("utf-8") == Path("site-a.json").read_text("utf-8")


@pytest.mark.extra("jsonschema")
def test_files_obey_the_published_schema(sites, run):
    """Files of the command line and of ``to_json``; also with four moments, NaN, infinities and numbers as labels."""
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    run("merge site-a.json site-b.json --out all.json")
    texts = [Path(name).read_text("utf-8") for name in ("site-a.json", "all.json")]
    X = np.array([[1.0, np.nan, np.inf], [2.0, np.nan, -np.inf], [3.0, np.nan, 1.0], [5.0, 1.0, 2.0]])
    for labels in ((0, 1), (0.5, 1.5), (False, True), ("é", "ü")):
        y, classes = np.array(labels)[[0, 0, 1, 1]], {"positive": labels[1], "negative": labels[0]}
        for order in (2, 4):
            with np.errstate(all="ignore"):
                texts.append(rp.summarize(X, y, moments=order, histogram_edges=order, **classes).to_json())
    for text in texts:
        validator.validate(json.loads(text))
        assert rp.TwoClassSummary.from_json(text).to_json() == text.rstrip("\n")


@pytest.mark.extra("jsonschema")
def test_histograms_of_sites_with_agreed_edges(tmp_path, monkeypatch, run):
    """Files have cells of many values and no extremes; merged, they bound the AUC of all rows."""
    edges = {"mass": np.arange(-3, 5.25, 0.25).tolist(), "glucose": [90, 100, 110]}
    monkeypatch.chdir(tmp_path)
    Path("edges.json").write_text(json.dumps(edges), encoding="utf-8")
    tables = [columns(seed, 800, 300) for seed in range(3)]
    for site, table in zip("abc", tables, strict=True):
        cells = [list(table), *zip(*(values.tolist() for values in table.values()), strict=True)]
        Path(f"{site}.csv").write_text(format_csv(cells).replace("nan", ""), encoding="utf-8")
        code, out, err = run(f"summarize {site}.csv {OPTIONS} --min-count 4 --edges edges.json --out h-{site}.json")
        assert (code, err) == (0, "")
        assert "A cell has 4 values or more of each class, or no value." in " ".join(out.split())
        content = json.loads(Path(f"h-{site}.json").read_text("utf-8"))
        jsonschema.Draft202012Validator(SCHEMA).validate(content)
        histograms = content["histograms"]
        for kept, name in zip(histograms["edges"], content["feature_names"], strict=True):
            assert {*kept} <= {*edges.get(name, ())}
        for side in ("negative", "positive"):
            assert all(count >= 4 or count == 0 for row in histograms[side]["count"] for count in row)
            assert {item for what in ("minimum", "maximum") for row in histograms[side][what] for item in row} == {None}
    assert run("merge h-*.json --out all.json")[0] == 0
    document = json.loads(run("screen all.json --empirical histogram --json")[1])
    whole = {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}
    exact, rows = rp.screen(whole, "outcome", **CLASSES), {row["feature"]: row for row in document["features"]}
    for name, width in (("mass", 0.2), ("glucose", 0.4)):
        low, high = (rows[name][f"empirical_auc_{bound}"] for bound in ("min", "max"))
        assert low <= exact.feature(name)["empirical_auc"][0] <= high < low + width
    assert rows["rare"]["empirical_auc"] is None
    refused = dict.fromkeys(("[1]", "{"), "is not a JSON file of edges")
    refused['{"mass": [1], "mass": [2]}'] = "contains 'mass' twice; list the edges of each feature once"
    for text, words in refused.items():
        Path("bad.json").write_text(text, encoding="utf-8")
        assert words in error_of(run, f"summarize a.csv {OPTIONS} --edges bad.json")
    assert error_of(run, f"summarize a.csv {OPTIONS} --edges none.json") == "none.json: No such file or directory"


BAD_EDGES = "5", "true", '"90"', "null", "[NaN, 1]", "[3, 1]", "[1, 1]", "[[1, 2]]", '["a"]', '{"a": 1}', "[1, null]"


def test_edges_that_are_no_list_of_numbers_or_that_no_site_can_keep(tmp_path, monkeypatch, run):
    """Each bad list is named with its feature; edges without enough values on both sides are reported."""
    monkeypatch.chdir(tmp_path)
    table = columns(0, 80, 60)
    cells = [list(table), *zip(*(values.tolist() for values in table.values()), strict=True)]
    Path("a.csv").write_text(format_csv(cells).replace("nan", ""), encoding="utf-8")
    command = f"summarize a.csv {OPTIONS} --edges edges.json --out out.json"
    for text in BAD_EDGES:
        Path("edges.json").write_text(f'{{"glucose": {text}}}', encoding="utf-8")
        message = error_of(run, command)
        assert message.startswith("--edges has invalid edges for the feature 'glucose': ")
        assert message.endswith("; pass a list of ascending numbers, such as [90, 100, 110]")
        value = json.loads(text)
        with pytest.raises(rp.RocPredictError, match=r"^histogram_edges= has invalid edges for the feature 'glucose'"):
            rp.summarize(table, "outcome", **CLASSES, histogram_edges={"glucose": value})
    for text in ("{}", '{"glucose": []}'):
        Path("edges.json").write_text(text, encoding="utf-8")
        assert error_of(run, command) == "--edges has no edges; pass ascending edges for at least one feature"
    Path("edges.json").write_text('{"glucose": [5000, 6000], "mass": [0]}', encoding="utf-8")
    code, out, err = run(command)
    assert code == 0
    assert "warning: none of the histogram edges of glucose can be kept: for each edge, at least one class " in err
    assert "class has fewer than --min-count 5 values on one side. The bounds of the empirical AUC are 0 and 1" in err
    assert "Histograms list edges" in out
    rows = json.loads(run("screen out.json --empirical histogram --json")[1])["features"]
    flags = next(row["flags"] for row in rows if row["feature"] == "glucose")
    assert flags == ["wide_bounds"]
    known = {name: value for name, value in rows[0].items() if name.startswith("empirical") or name == "misfit"}
    assert rows[0]["feature"] == "glucose"
    assert {name for name, value in known.items() if value is not None} == {"empirical_auc_min", "empirical_auc_max"}
    assert [rows[0][name] for name in ("ameans_corrected", "p_value", "q_value")] == [None] * 3
    summary = rp.summarize(table, "outcome", **CLASSES, histogram_edges={"glucose": [5000.0]})
    with pytest.warns(
        rp.AssumptionWarning, match="none of the histogram edges of glucose can be kept.*pass a smaller min_count="
    ):
        assert "Histograms have no edges" in summary.suppress_small_counts(5, histograms=True).to_json()


def test_merging_names_offsets_and_features_that_some_files_lack(tmp_path, monkeypatch, run):
    """The first site keeps 105, the second, 80 higher, 185; the variance of "tiny" underflows to 0."""
    monkeypatch.chdir(tmp_path)
    Path("edges.json").write_text('{"glucose": [105, 185], "mass": [0]}', encoding="utf-8")
    for offset, site in ((0, "a"), (80, "b"), (0, "c")):
        table = columns(3) | {"rare": np.full(60, np.nan) if site == "c" else np.arange(60.0)}
        table |= {"tiny": (table["glucose"] + 9 * offset) * 1e-170, "glucose": table["glucose"] + offset}
        cells = [list(table), *zip(*(values.tolist() for values in table.values()), strict=True)]
        Path(f"{site}.csv").write_text(format_csv(cells), encoding="utf-8")
        edges = "" if site == "c" else "--edges edges.json"
        assert run(f"summarize {site}.csv {OPTIONS} {edges} --out {site}.json")[0] == 0
    out = run("merge a.json b.json --out ab.json")[1]
    shift = 80 / table["glucose"][table["outcome"] == "well"].std(ddof=1)
    assert (
        f"The means of the negatives (well) differ between the files by more than 1 SD in glucose ({shift:.2f} SD).\n"
        in out
    )
    assert "b.json and the files before it have no common edge of glucose, so no empirical AUC is known.\n" in out
    assert "has no values" not in out
    Path("edges.json").write_text('{"glucose": [5000], "mass": [0]}', encoding="utf-8")  # no site keeps 5000
    assert run(f"summarize b.csv {OPTIONS} --edges edges.json --out none.json")[0] == 0
    for first, second in (("a", "none"), ("none", "a")):
        out = run(f"merge {first}.json {second}.json --out x.json")[1]
        assert f"{second}.json and the files before it have no common edge of glucose, so no" in out
    assert run("merge none.json a.json c.json --out x.json")[1].count("have no common edge") == 1
    out = run("merge a.json c.json --out ac.json")[1]
    assert "c.json has no values of rare; the result describes the other files.\n" in out
    assert "The result has no histograms, because there are none in c.json.\n" in out


def changed(**values):
    content = json.loads(read("site-a.json").to_json()) | values
    return json.dumps({name: value for name, value in content.items() if value is not ...})


def test_the_smallest_count_of_a_file_is_a_whole_number(sites):
    for value in (-1, 2.5, True, "5", None):
        with pytest.raises(rp.RocPredictError, match=rf"min_count {value!r} is not a nonnegative whole number"):
            rp.TwoClassSummary.from_json(changed(min_count=value))


def test_every_number_of_a_file_is_a_number(sites):
    """Text, truth values and counts beyond 2**53 are refused with their position; "inf" is a number."""
    content = json.loads(Path("site-a.json").read_text("utf-8"))["negative"]
    for name, value in (("count", True), ("count", 10**30), ("mean", "134"), ("m2", -1), ("n_missing", None)):
        changes = content | {name: [content[name][0], value, *content[name][2:]]}
        with pytest.raises(rp.RocPredictError, match=rf"in 'negative', item 2 of {name} is '?{value}'?, not a "):
            rp.TwoClassSummary.from_json(changed(negative=changes, content_checksum=...))
    infinite = content | {"mean": ["inf", *content["mean"][1:]]}
    assert np.isinf(rp.TwoClassSummary.from_json(changed(negative=infinite, content_checksum=...)).negative.mean[0])


def test_files_that_do_not_belong_together(sites, run):
    run("merge site-a.json site-b.json --out ab.json")
    run("summarize b.csv --label outcome --positive sick --out unitless.json")
    run("summarize b.csv --label outcome --positive sick --exclude rare --unit glucose=mg/dL --out fewer.json")
    Path("copy.json").write_text(Path("site-a.json").read_text("utf-8"), encoding="utf-8")
    Path("later.json").write_text(changed(version=2), encoding="utf-8")
    Path("earlier.json").write_text(changed(version=0), encoding="utf-8")
    Path("marked.json").write_text(Path("site-a.json").read_text("utf-8"), encoding="utf-8-sig")
    marked, plain = (rp.screen(name, empirical=False)["auc"] for name in ("marked.json", "site-a.json"))
    np.testing.assert_array_equal(marked, plain)
    Path("cluster.json").write_text(changed(cluster=["ward"]), encoding="utf-8")
    Path("renamed.json").write_text(changed(feature_names=["glucose", "mass", "other"]), encoding="utf-8")
    content = json.loads(Path("site-a.json").read_text("utf-8"))
    content["negative"]["count"][0] += 1
    Path("edited.json").write_text(json.dumps(content), encoding="utf-8")
    content["negative"]["mean"] = "text"
    Path("text.json").write_text(json.dumps(content), encoding="utf-8")
    Path("short.json").write_text(changed(units=["mg"]), encoding="utf-8")
    Path("cut.json").write_text(changed()[:300], encoding="utf-8")
    Path("other.json").write_text('{"features": []}', encoding="utf-8")
    Path("lacks.json").write_text(changed(negative=...), encoding="utf-8")
    Path("bytes.json").write_bytes(b"\xff\xfe{")
    expected = {
        "merge site-a.json copy.json": "copy.json contains the same data as site-a.json; pass each file once",
        "merge ab.json site-b.json": "site-b.json contains the same data as ab.json; pass each file once",
        "merge site-a.json fewer.json": "site-a.json and fewer.json cannot be merged: only the first has 'rare'",
        "merge site-a.json unitless.json": "site-a.json and unitless.json cannot be merged: the unit of 'glucose' is "
        "'mg/dL' in the first and not stated in the second",
        "merge site-b.json later.json": "later.json: the JSON is a summary of version 2; this release of rocpredict "
        "reads only summaries of version 1 in which cluster and stratum are null; install a later release",
        "merge site-b.json earlier.json": "earlier.json: the JSON is a summary of version 0; this release of "
        "rocpredict reads only summaries of version 1 in which cluster and stratum are null; write the summary "
        "again with this release",
        "merge site-b.json cluster.json": "cluster.json: the JSON is a summary of version 1, cluster=['ward']; this "
        "release of rocpredict reads only summaries of version 1 in which cluster and stratum are null; install a "
        "later release",
        "merge renamed.json": "renamed.json: the JSON is not a valid summary: feature_checksum does not match "
        "feature_names; the names may have been changed",
        "merge site-a.json site-b.json --out site-b.json": "--out site-b.json is one of the files to merge; pass "
        "another name",
        "merge edited.json": "edited.json: the JSON was changed after it was written: content_checksum does not match "
        "its values; write the summary again",
        "merge text.json": "text.json: the JSON is not a summary: in 'negative', mean is 'text', not a list of numbers",
        "merge short.json": "short.json: the JSON is not a summary: units ['mg'] is not a list of 3 strings",
        "merge other.json": "other.json: the JSON is not a summary: it lacks format='rocpredict summary'",
        "merge lacks.json": "lacks.json: the JSON is not a summary: it lacks negative",
        **{
            f"merge {name}": f"{name} is not a complete summary in JSON format; create one with rocpredict summarize"
            for name in ("cut.json", "bytes.json", "a.csv")
        },
        "merge nosuch.json": "nosuch.json: No such file or directory",
        "screen site-a.json site-b.json": "a summary (.json) must be screened alone, but 2 files were passed; to "
        "combine summaries, use rocpredict merge",
        "screen site-a.json --label outcome": (
            "--label 'outcome' applies to tables only; omit it if the input is a summary"
        ),
        "screen site-a.json --empirical top": (
            "--empirical top applies to tables only, because a summary contains no observations; pass --empirical no"
        ),
        "screen site-a.json --family auto": "--family auto applies to tables only; omit it if the input is a summary",
        "screen site-a.json --feature masss": "--feature 'masss' is not a column of site-a.json; columns are "
        "'glucose', 'mass', 'rare'; did you mean 'mass'?",
        "screen site-a.json --positive ill": "--positive 'ill' is not the positive label of the summary",
        "merge site-a.json --out all.csv": "--out all.csv: pass a name that ends in .json",
        f"summarize a.csv {OPTIONS} --min-count 0": "--min-count 0 is below 1; pass 1 or more",
        f"summarize a.csv {OPTIONS} --min-count 31": "every feature has fewer than --min-count 31 values in at least "
        "one class: 3 to 30 negative and 3 to 30 positive; pass a smaller --min-count",
        f"summarize a.csv {OPTIONS} --unit mass": "--unit mass does not have the form COLUMN=UNIT; pass --unit "
        "glucose=mg/dL, for example",
        f"summarize a.csv {OPTIONS} --unit size=m": "--unit contains 'size', which is not a feature; features are "
        "'glucose', 'mass', 'rare'",
        "summarize a.csv --positive sick": "--label is needed; pass one of these columns: outcome, glucose, mass, rare",
    }
    check_each({line: (line, words) for line, words in expected.items()}, lambda case: _is_refused(run, *case))


def _is_refused(run, line, words):
    message = error_of(run, line)
    assert message == words or message.startswith(f"{words}, "), message


def test_contents_are_in_words(sites):
    """The text names the lists, the blanked features and possible inferences, and extremes if there are any."""
    content = json.loads(Path("site-a.json").read_text("utf-8"))
    assert "No observation is listed." in content["contents"]
    assert "fourth powers" not in content["contents"]
    assert "Features with fewer than 5 values in a class are blanked: their counts are 0." in content["contents"]
    assert content["negative"]["minimum"] is None
    assert content["positive"]["count"] == [30, 30, 0]
    four = json.loads(rp.summarize(columns(0), "outcome", moments=4, **CLASSES).to_json())
    assert "The minimum and the maximum are listed; each is the value of a single observation." in four["contents"]
    assert "third and fourth powers" in four["contents"]
    assert "blanked" not in four["contents"]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6), st.integers(1, 12))
def test_small_counts_are_suppressed(counts, least):
    """No class of a feature keeps between 1 and ``least`` - 1 values; other features keep all numbers."""
    sizes = np.array(counts)
    both = sizes.min(axis=1) >= least
    classes = [
        rp.ClassSummary(n, n % 3, np.where(n > 0, 1.5 * n, np.nan), np.where(n > 1, 2.0 * n, 0.0)) for n in sizes.T
    ]
    summary = rp.TwoClassSummary(*classes, tuple(f"x{j}" for j in range(len(sizes))))
    if not both.any():
        refuses("pass a smaller min_count=", summary.suppress_small_counts, least)
        return
    shared = summary.suppress_small_counts(least)
    for part, before in ((shared.negative, summary.negative), (shared.positive, summary.positive)):
        assert part.count.dtype == before.count.dtype
        np.testing.assert_array_equal(part.count, np.where(both, before.count, 0))
        np.testing.assert_array_equal(part.n_missing, np.where(both, before.n_missing, 0))
        np.testing.assert_array_equal(part.mean, np.where(both, before.mean, np.nan))
        np.testing.assert_array_equal(part.m2, np.where(both, before.m2, 0.0))
    assert rp.TwoClassSummary.from_json(shared.to_json()) == shared


def test_a_file_is_added_once():
    """In Python too, where a summary of no file is recognized by its origin: equal parts of one table are added."""
    parts = [rp.summarize(columns(seed), "outcome", **CLASSES) for seed in range(3)]
    a, b, c = (rp.TwoClassSummary.from_json(part.to_json()) for part in parts)
    assert (a + b).file_checksums == (*a.file_checksums, *b.file_checksums)
    again = rp.summarize(columns(0), "outcome", **CLASSES)
    assert (parts[0] + again).file_checksums == ()
    shared = parts[0].suppress_small_counts(5)
    for twice in (
        lambda: parts[0] + parts[0],
        lambda: parts[1] + (parts[0] + parts[1]),
        lambda: sum([parts[0], parts[1], shared]),
        lambda: parts[0] + pickle.loads(pickle.dumps(parts[0])),
    ):
        refuses("cannot be added: some observations are in both of them", twice)
    for twice in (lambda: a + a, lambda: (a + b) + (c + a), lambda: a + parts[0]):
        refuses(r"both contain the same file \(checksum [0-9a-f]{64}\); add each file once", twice)
    assert len({part.file_checksums for part in (a, b, c, a.select([0]))}) == 3
    table, order = columns(0), np.random.default_rng(0).permutation(60)
    shuffled = rp.summarize({name: values[order] for name, values in table.items()}, "outcome", **CLASSES)
    assert shuffled.checksums() == a.checksums()
    with pytest.raises(RocPredictError, match="add each file once"):
        _ = a + shuffled
    table["mass"][0] += 1e-4
    assert rp.summarize(table, "outcome", **CLASSES).checksums() != a.checksums()


def test_statistics_of_a_table_are_a_summary():
    """Means, standard deviations and counts, of one feature or several; refused if they do not fit together."""
    summary = rp.TwoClassSummary.from_stats(
        mean=([5.0, 1.0], [6.0, 2.0]), std=(0.5, [1.0, 2.0]), count=(20, [30, 31]), feature_names=["a", "b"], **CLASSES
    )
    np.testing.assert_allclose(summary.positive.std, [1.0, 2.0], rtol=1e-15)
    assert summary.positive.count.tolist() == [30, 31]
    roc = rp.PredictedRoc.from_stats(mean=(5, 6), std=(0.5, 1), count=(20, 30))
    assert rp.PredictedRoc.from_summary(summary).auc()[0] == pytest.approx(roc.auc(), rel=1e-15)
    refused = {
        "count=1.0 is below 2; each class needs 2 or more": {"count": (1, 5)},
        "count=9.5 is not a whole number; pass a whole number": {"count": (9.5, 9)},
        "count=1e+20 is 2^53 or more; pass smaller counts": {"count": (9, 1e20)},
        "std=-1 is negative": {"std": (-1, 1)},
        "the square of std=1e+200 is outside the range of float64; use another unit": {"std": (1e200, 1)},
        "the square of std=1e-200 is outside the range of float64; use another unit": {"std": (1, 1e-200)},
        "mean=nan contains NaN": {"mean": (np.nan, 1)},
        "mean=3 is not a pair": {"mean": 3},
        "feature_names=('a', 'b') must contain 1 unique name": {"feature_names": ["a", "b"]},
        "feature_names='glucose' is not a list of names; pass one name for each": {"feature_names": "glucose"},
        "feature_names=5 is not a list of names; pass one name for each": {"feature_names": 5},
        "mean, std and count have shapes (1, 1), (1,); pass numbers": {"mean": ([[1]], [[2]])},
        "mean, std and count have shapes (2,), (3,), (1,); pass numbers": {"mean": ([1, 2], [1, 2, 3])},
        "mean=[1, [2]] is not a real number or an array": {"mean": ([1, [2]], 3)},
        "negative='a' is also the positive label": {"negative": "a", "positive": "a"},
        "units= contains 'y', which is not a feature; features are 'x0'": {"units": {"y": "m"}},
        "units=3 is not a mapping of feature names to text": {"units": 3},
    }
    valid = {"mean": (0, 1), "std": (1, 1), "count": (9, 9)}
    from_stats = rp.TwoClassSummary.from_stats
    check_starts({words: partial(from_stats, **valid | options) for words, options in refused.items()})


def test_no_checksum_of_suppressed_statistics_is_published():
    """A reader of the file could find the counts of a binary feature by trying all of them."""
    y, x = np.repeat([0, 1], [20, 3]), np.arange(23) % 3 == 0
    summary = rp.summarize({"kept": np.arange(23.0) % 7, "few": np.where(y, x, np.nan)}, y)
    whole = rp.TwoClassSummary.from_json(summary.to_json())
    shared = whole.suppress_small_counts(3)
    assert whole.file_checksums
    assert not {*whole.checksums()} & {*json.loads(shared.to_json())["file_checksums"]}
    again = rp.TwoClassSummary.from_json(shared.to_json())
    other = rp.summarize({"kept": np.arange(9.0), "few": np.arange(9.0)}, np.arange(9) % 2).suppress_small_counts(3)
    merged = again + other  # both were suppressed before
    assert {*again.checksums()} < {*merged.suppress_small_counts(4).checksums()}

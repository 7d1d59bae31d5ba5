"""Contents of the package, its imports, and its metadata."""

import hashlib
import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import rocpredict as rp

ROOT = Path(__file__).parents[1]
HEAVY = ["matplotlib", "pandas", "sklearn", "narwhals", "numba", "dask", "rich", "scipy.stats", "polars", "jinja2"]
PAGES = ["matplotlib", "pandas", "jinja2", "scipy.stats"]


def test_the_wheel_holds_data_and_type_marker(tmp_path):
    import hatchling  # noqa: F401

    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob(f"rocpredict-{rp.__version__}-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        iris = packed.read("rocpredict/data/iris.csv")
    assert {"rocpredict/py.typed", "rocpredict/__init__.pyi", "rocpredict/screening/summary.schema.json"} <= set(names)
    assert hashlib.sha256(iris).digest() == hashlib.sha256((ROOT / "data" / "iris.csv").read_bytes()).digest()
    assert not [name for name in names if name.startswith(("tests", "docs", "notebooks"))]


def test_import_is_light():
    code = (
        f"import rocpredict as rp, sys; loaded = [name for name in {HEAVY} if name in sys.modules]\n"
        "rp.PredictedRoc(rp.Gaussian(0, 1), rp.Gaussian(1, 1))._repr_html_()\n"
        f"print(loaded, [name for name in {PAGES} if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert process.stdout.strip() == "[] []"


def test_every_public_name_is_described():
    short = [name for name in rp.__all__ if len(inspect.getdoc(getattr(rp, name)).splitlines()[0]) <= 10]
    assert short == []


def test_every_public_function_has_parameters_errors_and_an_example():
    functions = {name: getattr(rp, name) for name in rp.__all__ if inspect.isfunction(getattr(rp, name))}
    parts = {
        name: ["Parameters\n----", "Raises\n----", "Examples\n----", *inspect.signature(function).parameters]
        for name, function in functions.items()
    }
    missing = [
        f"{name}: {part}" for name in parts for part in parts[name] if part not in inspect.getdoc(functions[name])
    ]
    assert len(parts) > 10
    assert missing == []


def test_results_say_what_they_are_in_one_line():
    gaussian, sample = rp.Gaussian(4, 3), rp.Ecdf([1, 2, 2])
    predicted = rp.PredictedRoc(negative=gaussian, positive=rp.Gaussian(8, 2))
    empirical = rp.EmpiricalRoc(negative=[1, 2, 3], positive=[2, 3, 4], direction="auto")
    batch = rp.PredictedRoc(negative=rp.Gaussian([0, 1], 1), positive=rp.Gaussian(2, 1))
    for thing, words in {
        gaussian: "Gaussian(mean=4, std=3)",
        sample: "Ecdf(total=3, 2 unique values)",
        rp.Gaussian([0, 1], 1): "Gaussian(shape=(2,))",
        predicted: "PredictedRoc(negative=Gaussian(mean=4, std=3), positive=Gaussian(mean=8, std=2), auc=0.866371)",
        batch: "PredictedRoc(shape=(2,), negative=Gaussian(shape=(2,)), positive=Gaussian(shape=(2,)))",
        empirical: "EmpiricalRoc(count=(3, 3), auc=0.777778, direction='higher' (auto))",
        empirical.curve(): "RocCurve(5 points)",
    }.items():
        assert repr(thing) == words
    assert repr(predicted.best_threshold()) == (
        "BestThreshold(threshold=5.82611, ameans=0.795054, tpr=0.861469, fpr=0.271361, criterion='ameans')"
    )
    assert repr(rp.rates(tp=80, fp=10, fn=20, tn=90)) == (
        "Rates(tpr=0.8, fpr=0.1, tnr=0.9, fnr=0.2, ameans=0.85, prevalence=0.5, precision=0.888889, accuracy=0.85)"
    )

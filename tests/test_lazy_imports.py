"""Names of the package that are imported when they are first used, also by many threads at once."""

import subprocess
import sys

import pytest

import rocpredict as rp

FIRST_USES = """
import os, random, sys, threading, traceback, warnings
sys.setswitchinterval(1e-5)
import rocpredict as rp
warnings.simplefilter("ignore")
x, y = [1.0, 2, 3, 4, 5, 6, 2.5, 3.5], [0, 0, 0, 1, 1, 1, 1, 0]
scores = [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
CALLS = [
    lambda: rp.screen({"a": x, "b": x[::-1]}, y, engine="numpy").table(),
    lambda: rp.predict_roc(x, y).plot(),
    lambda: rp.empirical_roc(x, y).plot("densities"),
    lambda: rp.diagnose(x, y, n_resamples=20).plot(),
    lambda: rp.auc_test(x, x[::-1], y),
    lambda: rp.auc_test_many([x, x[::-1], x], y),
    lambda: rp.compare(rp.predict_roc(x, y), rp.empirical_roc(x, y)),
    lambda: rp.sample_size(mean=(4, 8), std=(3, 2), width=0.05),
    lambda: rp.mean_roc([(x, y), (x, y)]).plot(),
    lambda: rp.TeachingPage(datasets=()).to_html(),
    lambda: rp.multiclass_auc(scores, [0, 1, 2, 0]),
    lambda: rp.datasets.load_iris(),
    lambda: rp.predict_roc(x, y, family="kde").auc(),
    lambda: rp.predict_roc(x, y, family="mixture").auc(),
    lambda: rp.predict_roc(x, y, family="auto").auc(),
    lambda: rp.fit_linear_combination({"a": x, "b": [1, 5, 2, 7, 3, 8, 1, 2]}, y),
    lambda: rp.class_mean_distance({"a": x}, y, class_label=0),
    lambda: rp.summarize({"a": x}, y),
    lambda: rp.auc_estimate(x, y),
    lambda: rp.proportion_interval(3, 4),
]
random.Random(SEED).shuffle(CALLS)
barrier, errors = threading.Barrier(16), []
def work(first):
    barrier.wait()
    try:
        for call in CALLS[first::16]:
            call()
    except BaseException:
        errors.append(traceback.format_exc())
threads = [threading.Thread(target=work, args=(first,), daemon=True) for first in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(100)
if any(thread.is_alive() for thread in threads):
    errors.append("a deadlock")
print(*errors, sep="\\n", flush=True)
os._exit(bool(errors))
"""


@pytest.mark.parametrize("seed", [5, 8, 10, 12])  # orders in which two threads once imported parts of SciPy
def test_sixteen_threads_can_use_names_for_the_first_time(seed):
    done = subprocess.run(
        [sys.executable, "-c", FIRST_USES.replace("SEED", str(seed))],
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "")


def test_the_import_itself_imports_nothing_else():
    """Rooms and public modules are attributes; an unknown name is an AttributeError."""
    code = (
        "import rocpredict as rp, sys; assert 'numpy' not in sys.modules; rp.plots.plot_roc, rp.paper.table_1; "
        "rp.datasets.load_iris, rp.distributions.Gaussian, rp.roc.base.Roc; assert not hasattr(rp, 'plot'); "
        "assert not hasattr(rp, '__path__x')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_public_name_is_listed_once():
    assert len(set(rp.__all__)) == len(rp.__all__)
    assert {"plots", "paper", "datasets"} <= set(rp.__all__) <= set(dir(rp))
    assert all(getattr(rp, name) is getattr(rp, name) for name in rp.__all__)

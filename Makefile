# Two commands: `make demo` shows what pommel does, `make test` checks it.
# Each does all of its own set-up, in .venv, which both share and which may be deleted at any time.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_RESULTS := pommel-demo-results
# Pinned versions; a package that pip cannot find at all is an error at once, not a retry.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test quick quick-tests quick-checks check times full lint types imports unit engines benchmarks builtin-models \
	suites docs gallery clean clean-engines

help:
	@echo "make demo             run the shipped English suites on the two built-in models"
	@echo "make test             linters, type checker, import layers, all tests but the heavy ones"
	@echo "make quick            an answer in two minutes: the same, with the quickest tests of each room"
	@echo "make check ROOM=suite the same for one room of runner/pommel, with all tests of it but the heavy"
	@echo "make full             the heavy tests: engines, browser, crashes, training, published data, R"
	@echo "make times            time the tests, and write which ones make quick leaves out"
	@echo "make benchmarks       print figures that docs/performance.md quotes (not those of containers)"
	@echo "make docs             write again what is printed into the docs: commands, the picture"
	@echo "make gallery          draw the plots of docs/gallery.md again"
	@echo "make builtin-models   train the built-in models again (about an hour)"
	@echo "make suites           write the shipped suites again from their grammars"
	@echo "make engines          start the tests' container engines, so that they stay between runs"
	@echo "make clean            delete environments and caches"
	@echo "make clean-engines    stop the tests' container engines, delete their images"

$(BIN)/python: Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "pommel needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# torch comes first and by itself: asked for by its pinned version, pip looks for no other build.
$(VENV)/.torch: $(BIN)/python constraints.txt
	$(PIP_INSTALL) "$$(grep '^torch==' constraints.txt)"
	@touch $@

# Nothing heavy: the shipped models run in numpy. What is never imported need not be compiled.
$(VENV)/.demo: $(BIN)/python constraints.txt pyproject.toml
	$(PIP_INSTALL) --no-compile --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.torch pyproject.toml
	$(PIP_INSTALL) --editable '.[docker,excel,hf,kenlm,parquet,plots,remote,serve,stats,dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP_INSTALL) --editable '.[bench,docker,excel,hf,kenlm,parquet,plots,remote,serve,stats,dev]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/pommel run builtin://en-gpt2 builtin://en-ngram suites:en --offline --output $(DEMO_RESULTS)
	@echo "One suite in detail:  $(BIN)/pommel suites show number_prep"
	@echo "What else there is:   $(BIN)/pommel --help"

# On each core a worker, and one thread in each; byte code is kept, whatever the shell says: tests are
# compiled by each worker, the package by each command. Files with slow tests come first (tests/conftest.py).
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/pytest --quiet --numprocesses auto --dist loadfile --no-loadscope-reorder

# The type checker has one core while the tests have what is left; what both say is shown at once.
test: lint imports
	@$(MAKE) --no-print-directory --jobs 2 types unit

quick: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target quick-tests quick-checks

quick-tests: $(VENV)/.dev
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not full and not published and not slow"

quick-checks: lint types imports

check: $(VENV)/.dev
	@test -n "$(ROOM)" || { echo "say which room: make check ROOM=scoring"; exit 1; }
	@test -e runner/pommel/$(ROOM) -o -e runner/pommel/$(ROOM).py || { echo "there is no room $(ROOM)"; exit 1; }
	$(BIN)/ruff check runner/pommel/$(ROOM)* $(wildcard tests/$(ROOM) tests/test_$(ROOM).py)
	$(BIN)/mypy runner/pommel/$(ROOM)* $(wildcard tests/$(ROOM) tests/test_$(ROOM).py)
	$(BIN)/lint-imports
	$(PYTEST) -m "not full" $(wildcard tests/$(ROOM) tests/test_$(ROOM).py)

# Which tests are slow is measured; `make quick` leaves them out.
times: $(VENV)/.dev
	$(PYTEST) -m "not full" --junitxml=.pytest_cache/times.xml
	$(BIN)/python -m tests.times .pytest_cache/times.xml

# Ray has a folder of its own, for it is only for the tests of one launcher.
$(VENV)/.ray: $(VENV)/.dev
	$(PIP_INSTALL) --target $(VENV)/ray "$$(grep '^ray==' constraints.txt)"
	@touch $@

full: $(VENV)/.dev $(VENV)/.ray
	$(PYTEST) -m full

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	$(PYTEST) -m "not full"

engines: $(VENV)/.dev
	@$(BIN)/python -m tests.containers_support start

benchmarks: $(VENV)/.bench
	$(BIN)/python -m benchmarks.overhead
	$(BIN)/python -m benchmarks.starting
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.sharding
	$(BIN)/python -m benchmarks.scoring
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.arithmetic
	$(BIN)/python benchmarks/lstm.py
	$(BIN)/python benchmarks/ngram.py
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python -m benchmarks.store
	$(BIN)/python -m benchmarks.cached_run
	$(BIN)/python -m benchmarks.reading
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.many_runs
	$(BIN)/python -m benchmarks.many_models
	$(BIN)/python -m benchmarks.leaderboard
	$(BIN)/python -m benchmarks.serve

builtin-models: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m recipes builtin

suites: $(VENV)/.dev
	$(BIN)/python -m recipes suites suites

docs: $(VENV)/.dev
	$(BIN)/python -m tests.docs.commands
	$(BIN)/python -m tests.docs.columns
	$(BIN)/python -m tests.docs.picture

gallery: $(VENV)/.dev
	$(BIN)/python -m tests.gallery

clean:
	rm -rf $(VENV) $(DEMO_RESULTS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

clean-engines: $(VENV)/.dev
	@$(BIN)/python -m tests.containers_support clean

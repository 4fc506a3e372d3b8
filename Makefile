# Two commands: `make demo` shows what pommel does, `make test` checks all of it.
# Each does all of its own set-up, in .venv, which both share and which may be deleted at any time.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO_RESULTS := pommel-demo-results
# Pinned versions; a package that pip cannot find at all is an error at once, not a retry.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test lint types imports unit engines benchmarks builtin-models suites gallery clean clean-engines

help:
	@echo "make demo             run the shipped English suites on the two built-in models"
	@echo "make test             linters, type checker, import layers, all tests"
	@echo "make benchmarks       print figures that docs/performance.md quotes (not those of containers)"
	@echo "make builtin-models   train the two built-in models again (about half an hour)"
	@echo "make suites           write the shipped suites again from their grammars"
	@echo "make gallery          draw the plots of docs/gallery.md again"
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

$(VENV)/.demo: $(VENV)/.torch pyproject.toml
	$(PIP_INSTALL) --editable '.[hf]'
	@touch $@

$(VENV)/.dev: $(VENV)/.torch pyproject.toml
	$(PIP_INSTALL) --editable '.[docker,hf,kenlm,parquet,plots,remote,stats,dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(PIP_INSTALL) --editable '.[bench,docker,hf,kenlm,parquet,plots,remote,stats,dev]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/pommel run builtin://en-gpt2 builtin://en-ngram suites:en --offline --output $(DEMO_RESULTS)
	@echo "One suite in detail:  $(BIN)/pommel suites show number_prep"
	@echo "What else there is:   $(BIN)/pommel --help"

test: lint types imports unit

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

unit: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/pytest --quiet --numprocesses auto \
		--dist loadfile --no-loadscope-reorder

engines: $(VENV)/.dev
	@$(BIN)/python -m tests.containers_support start

benchmarks: $(VENV)/.bench
	$(BIN)/python benchmarks/overhead.py
	$(BIN)/python -m benchmarks.scoring
	$(BIN)/python benchmarks/lstm.py
	$(BIN)/python benchmarks/ngram.py
	$(BIN)/python benchmarks/generation.py
	$(BIN)/python benchmarks/store.py
	$(BIN)/python -m benchmarks.report
	$(BIN)/python -m benchmarks.leaderboard

builtin-models: $(VENV)/.dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pommel.training gpt2 --out runner/pommel/shipped/builtin/en-gpt2
	$(BIN)/python -m pommel.training ngram --out runner/pommel/shipped/builtin/en-ngram

suites: $(VENV)/.dev
	$(BIN)/python -m pommel.training suites --out suites
	$(BIN)/python -m pommel.training generated-suites suites

gallery: $(VENV)/.dev
	$(BIN)/python -m tests.gallery

clean:
	rm -rf $(VENV) $(DEMO_RESULTS) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

clean-engines: $(VENV)/.dev
	@$(BIN)/python -m tests.containers_support clean

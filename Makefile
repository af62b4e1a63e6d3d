# Two commands on a fresh machine: `make demo` and `make test`. Both make their own
# environment in .venv from Python 3.11+ and leave the system alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SOURCES := src tests benchmarks docs
BOUNDS := tests/sequence tests/games/test_betting.py

.PHONY: demo test test-all lint bench docs clean

# A stamp for each set of dependencies, so that a second run starts at once.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] < (3, 11))' \
	  || { echo "Saddlepoint needs Python 3.11 or later; call make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/run: $(VENV)/made pyproject.toml
	@echo "installing Saddlepoint into $(VENV)"
	$(PIP) install --editable .
	@touch $@

$(VENV)/dev: $(VENV)/run
	@echo "installing what the tests need, OpenSpiel and PokerKit among it"
	$(PIP) install --editable '.[dev]'
	@touch $@

$(VENV)/bench: $(VENV)/dev
	$(PIP) install --editable '.[bench]'
	@touch $@

$(VENV)/docs: $(VENV)/run
	$(PIP) install --editable '.[docs]'
	@touch $@

demo: $(VENV)/run
	@$(BIN)/python -m saddlepoint.cli.demo examples/no-limit-leduc.toml

lint: $(VENV)/dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports

# The first run checks what compiled code does not: that every access is within its array.
test: lint
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q $(BOUNDS)
	$(BIN)/python -m pytest -n 2

test-all: lint
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -q $(BOUNDS)
	$(BIN)/python -m pytest -n 2 -m ''

bench: $(VENV)/bench
	@for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

docs: $(VENV)/docs
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) site build dist

# Two commands for a newcomer: `make bench` and `make test`. Both need only python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: bench test check clean help
.DEFAULT_GOAL := help

help:
	@echo "make bench   run the quick suite: a table, a chart and a report of reward against budget (two minutes)"
	@echo "make test    run all linters and tests (some minutes)"
	@echo "make clean   remove the environment, caches and build products"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bonspiel needs python 3.11 or newer; name one: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(BIN)/python
	@echo "installing bonspiel into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/installed-dev: pyproject.toml | $(BIN)/python
	@echo "installing bonspiel and its test tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/installed

# The folder's name follows the sources, so that a run goes on where it stopped and any change begins a new one.
bench: $(VENV)/installed
	@$(BIN)/bonspiel run quick --resume --out \
	  results/quick-$$(cat planners/*.py curling/*.py curling/*/*.py envs/*.py runs/*.py runs/suites/quick.toml | cksum | cut -d ' ' -f 1)

check: $(VENV)/installed-dev
	@$(BIN)/ruff check .
	@$(BIN)/mypy

test: check
	@$(BIN)/python -m pytest

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Two commands for a newcomer: `make bench` and `make test`. Both need only python 3.11 or newer, pip and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A client of Digital Curling 3 that others wrote, for the tests; it cannot share an environment, as it needs numpy 1.
PEER := .venv-peer
# The oldest numpy and numba that pyproject.toml allows, for the tests of planners.
OLDEST := .venv-oldest
# The newest Python that numba supports, for a test where box2d does not exist; and the versions it may be, best first.
NEWEST := build/newest
LATER := import re; from importlib import metadata; \
	found = re.findall(r"Python :: 3\.(\d+)", str(metadata.metadata("numba").get_all("Classifier"))); \
	print(*(f"3.{minor}" for minor in sorted({*map(int, found)}, reverse=True) if minor >= 14))
DOCS := .venv-docs
# Tests start many Python processes, which would compile every module anew; most modules are never imported.
unexport PYTHONDONTWRITEBYTECODE
export PIP_NO_COMPILE := 1
# Results of `make bench` lie in a folder of this name: a run is resumed unless sources, packages or the suite changed.
KEY := from bonspiel.runs import provenance; from bonspiel.runs.suites.lookup import load; print(provenance.key(load("quick").digest()))

LINT := $(BIN)/ruff check . && $(BIN)/ruff format --check --quiet . && $(BIN)/mypy

.PHONY: bench test test-core test-oldest test-newest docs environments wheel check clean help
.DEFAULT_GOAL := help

help:
	@echo "make bench        run the quick suite: a table, a chart and a report of reward against budget (80 s on two cores)"
	@echo "make test         run all linters and tests (a quarter of an hour on two cores)"
	@echo "make test-core    run the tests of planners, envs and runs without curling and Go"
	@echo "make wheel        build the wheel and the source distribution into dist/"
	@echo "make docs         build the documentation with its API reference into build/site"
	@echo "make test-oldest  run the tests of planners with the oldest numpy and numba allowed"
	@echo "make test-newest  import, plan and run on the newest Python that numba supports (Debian's, if there is no other)"
	@echo "make clean        remove environments, caches and build products"

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

$(PEER)/installed: | $(BIN)/python
	@echo "installing dc3client into $(PEER) ..."
	@$(PYTHON) -m venv --clear $(PEER)
	@$(PEER)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary numpy \
		'dc3client==0.0.9' 'numpy<2' && touch $@ \
		|| { rm -rf $(PEER); test "$(BONSPIEL_PEER)" != required && echo "left out: tests with dc3client will be skipped"; }

$(OLDEST)/installed: pyproject.toml | $(BIN)/python
	@echo "installing the oldest numpy and numba into $(OLDEST) ..."
	@$(PYTHON) -m venv --clear $(OLDEST)
	@$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --only-binary numpy,numba,llvmlite \
		--editable '.[test]' $$(sed -n 's/^ *"\(num[a-z]*\)>=\(.*\)",$$/\1==\2/p' pyproject.toml)
	@touch $@

# Only wheels, as who installs the package there has no compilers. pip comes from outside: not every Python has one.
$(NEWEST)/installed: pyproject.toml | $(VENV)/installed
	@echo "installing bonspiel into $(NEWEST) ..."
	@versions=$$($(BIN)/python -c '$(LATER)') && if python=$$(.ci/newest-python $(NEWEST) $$versions); then \
		"$$python" -m venv --clear --without-pip $(NEWEST)/venv && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check \
			--target "$$(echo $(NEWEST)/venv/lib/python3*/site-packages)" pip && \
		$(NEWEST)/venv/bin/python -m pip install --quiet --quiet --only-binary :all: --editable . && \
		touch $@; \
	else test "$(BONSPIEL_NEWEST)" != required && echo "left out: the test on the newest Python will be skipped"; fi

# Ray has no wheel for every Python and machine; its test is skipped where it cannot be had.
$(VENV)/installed-ray: pyproject.toml | $(VENV)/installed-dev
	@echo "installing Ray into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary ray --editable '.[ray]' \
		|| echo "left out: the test with Ray will be skipped"
	@touch $@

# All at once, as each leaves a core idle while it waits for packages; those of the second line use pip of the first.
environments: $(BIN)/python
	@$(MAKE) --no-print-directory --jobs $(VENV)/installed-dev $(PEER)/installed $(OLDEST)/installed $(DOCS)/installed
	@$(MAKE) --no-print-directory --jobs $(VENV)/installed-ray $(NEWEST)/installed

bench: $(VENV)/installed
	@key=$$($(BIN)/python -c '$(KEY)') && $(BIN)/bonspiel run quick --resume --out results/quick-$$key

check: $(VENV)/installed-dev
	@$(LINT)

# The linters run beside the tests. Threads of linear algebra would take turns with the other workers, and wait for each
# other at twice the cost.
test: export OPENBLAS_NUM_THREADS := 1
test: $(VENV)/installed-dev $(PEER)/installed $(VENV)/installed-ray
	@{ $(LINT); } & lint=$$!; \
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadgroup; tests=$$?; \
	wait $$lint || { echo "make check failed"; exit 1; }; exit $$tests

# The tests of planners, envs and runs in a copy without curling/ and go/.
test-core: export OPENBLAS_NUM_THREADS := 1
test-core: $(VENV)/installed-dev
	@copy=$$(.ci/core-alone $(CURDIR)/$(BIN)/python) && cd "$$copy" && \
		PYTHONPATH="$$copy" $(CURDIR)/$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadgroup tests

# With a cache of its own, as versions of numba overwrite each other's compiled code.
test-oldest: export OPENBLAS_NUM_THREADS := 1
test-oldest: $(OLDEST)/installed
	@BONSPIEL_CACHE=$(OLDEST)/cache $(OLDEST)/bin/python -m pytest -n auto --maxprocesses 4 --dist loadgroup tests/planners

test-newest: $(NEWEST)/installed
	@test ! -e $< || BONSPIEL_CACHE=$(NEWEST)/cache-of-kernels $(NEWEST)/venv/bin/python tests/newest.py

# In an environment of its own: the theme and the client of Digital Curling 4 need different versions of requests.
$(DOCS)/installed: docs/site/requirements.txt | $(BIN)/python
	@echo "installing mkdocs into $(DOCS) ..."
	@$(PYTHON) -m venv --clear $(DOCS)
	@$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $< && touch $@

# The first on the path is the ruff of that environment, with which mkdocstrings wraps signatures.
docs: $(DOCS)/installed $(VENV)/installed
	@$(BIN)/python docs/site/parameters.py build/parameters
	@PATH="$(abspath $(DOCS)/bin):$$PATH" $(DOCS)/bin/mkdocs build --strict --quiet && echo "the pages are in build/site"

wheel: $(VENV)/installed-dev
	@rm -rf build/lib build/bdist* dist
	@$(BIN)/python -m build --no-isolation --outdir dist . >/dev/null && ls dist/*

clean:
	rm -rf $(VENV) $(PEER) $(OLDEST) $(DOCS) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

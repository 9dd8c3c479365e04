# What each target does: CONTRIBUTING.md.  Every one of them sets up .venv first; the site has one of its own.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SITE := .venv-docs
OLDEST := .venv-oldest

.PHONY: demo results test oldest smoke docs long attack lint bench leave-one-out clean

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "varde needs Python 3.11 or newer; $(PYTHON) is older: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

# What the site needs and no more: the reference has the signatures of varde.sklearn, so scikit-learn is part of it.
$(SITE)/ready: pyproject.toml
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/pip install --quiet --disable-pip-version-check --editable '.[docs,sklearn]'
	@touch $@

demo: $(VENV)/ready
	$(BIN)/varde reproduce table-1

# The evidence of docs/paper.md, which belongs to one commit.
results: $(VENV)/ready
	@test -z "$$(git status --porcelain)" || { git status --short; echo "results belong to a commit: commit or stash first"; exit 1; }
	$(BIN)/varde reproduce all --out results
	$(BIN)/python docs/tables/paper_tables.py results

test: $(VENV)/ready
	$(BIN)/pytest -n auto --dist worksteal

# The oldest libraries that pyproject.toml allows, with what compiles and what compares the two engines.
$(OLDEST)/ready: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/pip install --quiet --disable-pip-version-check --editable . 'numba==0.61.0' 'numpy==2.0.*' \
	  'gymnasium>=1.0' hypothesis pytest scipy
	@touch $@

oldest: $(OLDEST)/ready
	$(OLDEST)/bin/pytest -q tests/compile tests/test_random.py

smoke: $(VENV)/ready
	VENV=$(VENV) .ci/smoke

docs: $(SITE)/ready
	$(SITE)/bin/sphinx-build -q -W --keep-going -n -j auto docs build/site
	@echo "build/site/index.html"

long: $(VENV)/ready
	VARDE_LONG=1 $(BIN)/pytest -n auto $$(grep -rl "tests.long" tests --include="test_*.py")

attack: $(VENV)/ready
	$(BIN)/python -m tests.attack.fuzz --calls 10000
	$(BIN)/python -m tests.attack.fuzz --calls 1000 --engine compiled
	$(BIN)/python -m tests.attack.data
	$(BIN)/python -m tests.attack.database

lint: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/ready
	$(BIN)/python benchmarks/bandits.py
	$(BIN)/python benchmarks/planning.py
	$(BIN)/python benchmarks/learning.py
	$(BIN)/python benchmarks/selector.py

leave-one-out: $(VENV)/ready
	$(BIN)/python benchmarks/leave_one_out.py $(FAMILY) $(if $(SEED),--seed $(SEED))

clean:
	rm -rf $(VENV) $(SITE) $(OLDEST) results build .pytest_cache .mypy_cache .ruff_cache .hypothesis

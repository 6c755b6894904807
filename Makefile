# make demo: run the app. make test: lint, type checks and the fast tests.
# make test-slow: slow tests. make test-all: both. make bench: compare the engine with the plain loop.
# make static DIR=FOLDER: write the page without a server, for any static host.
# make space DIR=FOLDER: write the files of a Space. make model NAME=photos DIR=FOLDER: write a model for the model hub.
# make bench-scale PHOTOS=FOLDER CAPTIONS=FILE: measure galleries of 1,000 to 100,000 photographs, into scale.json.
# make cards: write the generated tables of guides and cards. make format: format the Python files.
# make soak: measure the app's memory under 50 users. make gpu: measure on a CUDA GPU, into gpu.json.
# The virtual environment lies outside the repo, one per content of the requirements files. `make demo` and `make space`
# install requirements.txt only, the other targets requirements-dev.txt too.

PYTHON ?= python3
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/seps-explorer
KEY := $(shell $(PYTHON) -c "import hashlib, sys; print(hashlib.sha256(repr(sys.version_info[:2]).encode() + b''.join(open(f, 'rb').read() for f in ('requirements.txt', 'requirements-dev.txt'))).hexdigest()[:12])")
VENV ?= $(CACHE)/venv-$(KEY)
READY := $(VENV)/.ready
APP := $(or $(wildcard $(READY)),$(VENV)/.ready-app)
RUN := $(VENV)/bin/python

.PHONY: help demo test test-slow test-all coverage lint lint-types lint-style chromium bench bench-scale static space model soak gpu cards format

help:
	@sed -n '1,9s/^# //p' Makefile

$(VENV)/.ready-app:
	$(PYTHON) -c "import sys; v = sys.version_info[:2]; sys.exit(None if (3, 10) <= v <= (3, 12) else f'Python 3.10 to 3.12 is needed, this is {v[0]}.{v[1]}: make PYTHON=python3.12 ...')"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install -r requirements.txt
	@touch $@

$(READY): | $(filter-out $(READY),$(APP))
	$(RUN) -m pip install -r requirements.txt -r requirements-dev.txt
	@touch $@

demo: $(APP)
	$(RUN) app.py

# mypy runs in parallel with the other checks: each keeps one core busy.
lint: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-types lint-style
lint-types: $(READY)
	$(RUN) -m mypy
lint-style: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/lint-imports --no-cache
	@.ci/lint-js $(CACHE)

# Let test processes share compiled bytecode, even where the environment disables it.
unexport PYTHONDONTWRITEBYTECODE

# One process per core, at most four, with one thread each; tests of a file run in one process and share fixtures.
PYTEST := OMP_NUM_THREADS=1 $(RUN) -m pytest -n auto --maxprocesses 4 --dist loadfile

# Run failed tests once more, one at a time: some have time limits that a busy machine exceeds.
ALONE := OMP_NUM_THREADS=1 $(RUN) -m pytest --last-failed --last-failed-no-failures none

# Without Chromium, and where it cannot be installed, the browser tests are skipped.
chromium: $(READY)
	@$(RUN) -m tests.helpers.web.chromium

test: lint chromium
	$(PYTEST) -m "not slow" || $(ALONE) -m "not slow"

test-slow: $(READY) chromium
	$(PYTEST) -m slow || $(ALONE) -m slow
	HYPOTHESIS_PROFILE=many $(PYTEST) -m "properties and not slow"

test-all: test test-slow

coverage: $(READY) chromium
	$(PYTEST) -m "not slow" --cov=seps --cov=demo --cov=app --cov-report=term:skip-covered

bench: $(READY)
	$(RUN) -m tests.bench

static: $(READY)
	$(RUN) -m demo.static $(or $(DIR),$(error Name the folder to write: make static DIR=FOLDER))

space: $(APP)
	$(RUN) -m demo.space $(or $(DIR),$(error Name the folder to write: make space DIR=FOLDER))

model: $(APP)
	$(RUN) -m seps.publish $(or $(NAME),$(error Name the model: make model NAME=photos DIR=FOLDER)) $(or $(DIR),$(error Name the folder to write: make model NAME=photos DIR=FOLDER))

bench-scale: $(READY)
	$(RUN) -m tests.bench.scale $(PHOTOS) $(CAPTIONS) --work $(CACHE)/scale --json scale.json

soak: $(READY)
	$(RUN) -m tests.bench.soak

cards: $(READY)
	$(RUN) -m tests.helpers.cards

gpu: $(READY)
	$(RUN) -m tests.bench.gpu --out gpu.json

format: $(READY)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

# make demo: the app. make test: lint, types and all that tells whether the program is right, in minutes.
# make test-slow: what takes long. make test-all: both. make bench: the engine beside the plain loop.
# make static DIR=FOLDER: the page without a server, for any static host. make space DIR=FOLDER: what a Space runs.
# make model NAME=photos DIR=FOLDER: a model as the model hub takes it.
# make bench-scale PHOTOS=FOLDER CAPTIONS=FILE: galleries on disk of 1,000 to 100,000 photographs, written to scale.json.
# make cards: write the generated tables of guides and cards.
# make soak: the app's memory while 50 people use it. make gpu: all of it that needs a CUDA GPU, written to gpu.json.
# The virtual environment is made outside the repo, once for each content of the requirements files: with the app's
# packages for the app, with those of requirements-dev.txt too for everything else.

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

# Types beside all else: each of them keeps one core busy.
lint: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint-types lint-style
lint-types: $(READY)
	$(RUN) -m mypy
lint-style: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(VENV)/bin/lint-imports --no-cache
	@.ci/lint-js $(CACHE)

# Each process of the tests reads what the first one compiled, wherever the environment would have none of it kept.
unexport PYTHONDONTWRITEBYTECODE

# One process a core, at most four, each with one thread; the tests of one file stay together and share what they build.
PYTEST := OMP_NUM_THREADS=1 $(RUN) -m pytest -n auto --maxprocesses 4 --dist loadfile

# What fails while other tests keep the machine busy is told, and run once more alone; failing again fails.
ALONE := OMP_NUM_THREADS=1 $(RUN) -m pytest --last-failed --last-failed-no-failures none

# Without Chromium, and where it cannot be installed, the browser tests are skipped.
chromium: $(READY)
	@$(RUN) -m tests.helpers.chromium

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

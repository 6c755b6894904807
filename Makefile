# make demo: the app. make test: lint, types and every test. make bench: the engine beside the plain loop.
# make soak: the app's memory while 50 people use it.
# The virtual environment is made outside the repo, once for each content of the requirements files.

PYTHON ?= python3
CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/seps-explorer
KEY := $(shell $(PYTHON) -c "import hashlib, sys; print(hashlib.sha256(repr(sys.version_info[:2]).encode() + b''.join(open(f, 'rb').read() for f in ('requirements.txt', 'requirements-dev.txt'))).hexdigest()[:12])")
VENV ?= $(CACHE)/venv-$(KEY)
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python

.PHONY: help demo test test-fast lint bench soak format

help:
	@sed -n '1,3s/^# //p' Makefile

$(READY):
	$(PYTHON) -c "import sys; v = sys.version_info[:2]; sys.exit(None if (3, 10) <= v <= (3, 12) else f'Python 3.10 to 3.12 is needed, this is {v[0]}.{v[1]}: make PYTHON=python3.12 ...')"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install -r requirements.txt -r requirements-dev.txt
	@touch $(READY)

demo: $(READY)
	$(RUN) app.py

lint: $(READY)
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

test: lint
	$(RUN) -m pytest

test-fast: lint
	$(RUN) -m pytest -m "not slow"

bench: $(READY)
	$(RUN) -m tests.bench

soak: $(READY)
	$(RUN) -m tests.bench.soak

format: $(READY)
	$(RUN) -m ruff check --fix .
	$(RUN) -m ruff format .

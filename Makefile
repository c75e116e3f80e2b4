# Six targets for people who change Saniwa, and one for everybody: `make play`.
PYTHON ?= python3
BIN := .venv/bin
LANGUAGE_FLAG := $(if $(LANGUAGE),--language $(LANGUAGE))

.DEFAULT_GOAL := help
.PHONY: help play setup lock format lint types test check bench

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

play: .venv/ready ## open the door-and-key garden (LANGUAGE=ja for Japanese)
	@$(BIN)/saniwa play $(LANGUAGE_FLAG)

setup: .venv/ready-dev ## install everything a developer needs into .venv

lock: ## write the lock files anew after pyproject.toml has changed
	@sh scripts/lock.sh

format: .venv/ready-dev ## put every Python file in shape
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: .venv/ready-dev ## check shape, style and the direction of imports
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports

types: .venv/ready-dev ## check the types
	@$(BIN)/mypy

test: lint types ## check everything: lint, types, import contracts, docs, all tests
	@$(BIN)/pytest -n 2 --dist worksteal

check: test ## the same as `make test`

bench: .venv/ready-dev ## measure beside the peers; prints one table of ratios
	@$(BIN)/python -m benchmarks

.venv/ready: requirements.lock pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh requirements.lock
	@touch $@

.venv/ready-dev: requirements-dev.lock requirements-model.lock pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh requirements-dev.lock
	@touch $@ .venv/ready

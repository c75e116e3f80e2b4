# Two targets for users, `make run` and `make play`; the others are for people who
# change Saniwa.
PYTHON ?= python3
BIN := .venv/bin
LANGUAGE_FLAG := $(if $(LANGUAGE),--language $(LANGUAGE))
PORT_FLAG := $(if $(PORT),--port $(PORT))
PAGE := src/saniwa/http/static/index.html
INKJS := tests/strangers/ink/node_modules/.package-lock.ours
PAGE_SOURCES := $(shell find web -path web/node_modules -prune -o -type f ! -name .lock -print)

DECIDING := $(addprefix tests/unit/,core documents world rulebook scenario language turn story process) \
	tests/house/test_names.py tests/house/test_modules.py
MINUTES ?= 10

# Many containers set it. Every process would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run play setup page wheel lock format lint types test-page quick test nightly portable check bench bench-self torture fuzz client api pictures docs publish-docs licences audit sbom

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

run: .venv/ready $(PAGE) ## start the web app and open it in the browser (PORT=8000, ARGS=--no-open)
	@$(BIN)/saniwa serve $(PORT_FLAG) $(ARGS)

play: .venv/ready ## play the scenario door_and_key in the terminal (LANGUAGE=ja for Japanese)
	@trap : INT; $(BIN)/saniwa play $(LANGUAGE_FLAG) || [ $$? -eq 130 ] # Ctrl-C is no error

setup: .venv/ready-dev .venv/programs $(PAGE) $(INKJS) ## install everything a developer needs into .venv

page: $(PAGE) ## build the web app that `make run` serves

wheel: .venv/ready $(PAGE) ## build the wheel, with the web app, into dist/
	@$(BIN)/hatchling build -t wheel

lock: ## update the lock files after a change of pyproject.toml (ARGS="--upgrade-package NAME")
	@sh scripts/lock.sh $(ARGS)

format: .venv/ready-dev ## format all Python files
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

lint: .venv/ready-dev ## check formatting, style and import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports

types: .venv/ready-dev ## check the types of Python and TypeScript
	@$(BIN)/mypy
	@sh scripts/page.sh check

test-page: .venv/ready-dev ## run the web app's unit tests, without a server
	@sh scripts/page.sh test

quick: lint ## run the quick checks (45 seconds): lint, types, the packages that decide
	@$(BIN)/mypy & types=$$!; \
	$(BIN)/pytest -n 2 -q -m "not slow" $(DECIDING); tests=$$?; \
	wait $$types && exit $$tests

# The tests have four workers for two cores, because those of servers and browsers often
# wait; meanwhile the types are checked. What a job prints comes at its end, in one piece.
test: .venv/programs $(PAGE) $(INKJS) lint ## run everything: lint, types, import contracts, docs, all tests
	@$(MAKE) --no-print-directory --jobs 2 --output-sync types test-page & checks=$$!; \
	$(BIN)/pytest -n 4 --dist worksteal; tests=$$?; \
	wait $$checks || { echo "The types or the tests of the page have failed: see above." >&2; exit 1; }; \
	exit $$tests

nightly: .venv/programs $(PAGE) $(INKJS) ## run all tests with all their cases (hours)
	@SANIWA_NIGHTLY=1 $(BIN)/pytest -n 4 --dist worksteal

portable: ## test the main commands with plain pip, on any operating system
	@$(PYTHON) -m pip install --quiet -e . uvicorn starlette pytest
	@$(PYTHON) -m pytest -q --noconftest tests/journeys/test_windows_calls.py tests/unit/core/test_system_calls.py

check: test ## the same as `make test`

docs: .venv/ready-dev ## build the documentation site, English and Japanese, into build/site
	@$(BIN)/python -m scripts.site

publish-docs: docs ## add this version of the site to those of the branch gh-pages, and push it
	@$(BIN)/python -m scripts.site publish

licences: .venv/ready-dev $(PAGE) ## update the list of licences after a change of the lock files
	@$(BIN)/python -m scripts.supply.licences

audit: .venv/ready-dev ## look up known vulnerabilities of the locked packages online (ARGS=core)
	@$(BIN)/python -m scripts.supply.audit $(ARGS)

sbom: .venv/ready ## write an SBOM (CycloneDX) of everything users may install into dist/
	@$(BIN)/python -m scripts.supply.sbom

client: .venv/ready-dev ## regenerate the TypeScript client after a change of the HTTP operations
	@$(BIN)/python scripts/examples.py src/saniwa/http/examples.json
	@$(BIN)/python scripts/typescript_client.py web/src/api

api: .venv/ready-dev ## regenerate the Python reference and stub after a change of public names or docstrings
	@$(BIN)/python -m scripts.api_reference

pictures: .venv/ready-dev $(PAGE) ## regenerate the README's pictures after a change of the web app
	@$(BIN)/python -m scripts.pictures

bench: .venv/ready-dev ## run the benchmarks against other tools and print a table of ratios
	@$(BIN)/python -m benchmarks

bench-self: .venv/ready-dev ## run the performance regression tests (counts instructions; needs valgrind)
	@$(BIN)/python -m benchmarks.self

torture: .venv/ready-dev $(PAGE) ## run fault-injection tests for MINUTES=10 and report the failures
	@$(BIN)/python -m tests.torture --minutes $(MINUTES)

fuzz: .venv/ready-dev ## fuzz every reader with malformed input for MINUTES=10 and report the failures
	@nice $(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(ARGS)

.venv/ready: requirements.lock pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh requirements.lock
	@touch $@

.venv/ready-dev: requirements-dev.lock requirements-model.lock pyproject.toml scripts/setup.sh
	@PYTHON=$(PYTHON) sh scripts/setup.sh requirements-dev.lock
	@touch $@ .venv/ready

.venv/programs: scripts/programs.sh | .venv/ready-dev
	@sh scripts/programs.sh
	@touch $@

# The environment comes first, because Node may have to come into it; a page that is there
# is not made anew for it.
$(PAGE): $(PAGE_SOURCES) scripts/page.sh | .venv/ready
	@sh scripts/page.sh build
	@touch $@

# Node is here once the page is.
$(INKJS): tests/strangers/ink/package-lock.json scripts/strangers.sh | $(PAGE)
	@sh scripts/strangers.sh
	@touch $@

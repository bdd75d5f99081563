# Needs Python 3.11 or newer and make, nothing else. `make PYTHON=python3.13 serve` picks another Python.

PYTHON ?= python3
ARGS ?=
DEV := .venv-dev/bin/python -m

.PHONY: help serve test test-inference fuzz lint format openapi clients bench bench-peers sbom lock clean

help:
	@echo "make serve    serve on http://127.0.0.1:$(or $(KEEPDIMS_PORT),8000)   (docs/operations.md lists the settings, KEEPDIMS_PORT among them)"
	@echo "make test     run all tests except those of test-inference, in several processes   (ARGS='-k name' is passed to pytest, in one process)"
	@echo "make test-inference   call the service with four clients of the Open Inference Protocol (installs half a gigabyte)"
	@echo "make fuzz     fuzz the body parsers for five minutes   (ARGS='json -max_total_time=600')"
	@echo "make lint     ruff, mypy, import-linter"
	@echo "make format   let ruff fix what it can"
	@echo "make openapi  write openapi/ and docs/operators.md from the operator table"
	@echo "make clients  generate a client in each language; make test then calls the service with them"
	@echo "make bench    compare with NumPy, onnxruntime and other servers   (ARGS='--quick --write' is passed on)"
	@echo "make bench-peers   install those servers (1 GB), each in a folder of .venv-peers"
	@echo "make sbom     list the packages of the image and their licences, in build/"
	@echo "make clean    delete everything the other targets installed or built"
	@echo "make lock     resolve the lock files     (ARGS=--upgrade for newer releases)"

serve: .venv/made
	exec .venv/bin/python -m app

test: .venv-dev/made
	$(DEV) pytest $(or $(ARGS),--numprocesses=auto --maxprocesses=4)

# The clients have an environment of their own, and the service theirs.
test-inference: .venv-dev/made .venv-inference/made
	SERVER_PYTHON=$(CURDIR)/.venv-dev/bin/python .venv-inference/bin/python -m pytest tests/open_inference \
		--override-ini filterwarnings=default $(ARGS)

# ARGS are targets of tests/faults/fuzz/targets.py and options of libFuzzer.
fuzz: .venv-fuzz/made
	.venv-fuzz/bin/python -m tests.faults.fuzz $(ARGS)

lint: .venv-dev/made
	$(DEV) ruff check .
	$(DEV) ruff format --check .
	$(DEV) mypy
	.venv-dev/bin/lint-imports

format: .venv-dev/made
	$(DEV) ruff check --fix .
	$(DEV) ruff format .

openapi: .venv-dev/made
	$(DEV) app.http.documents.openapi openapi
	$(DEV) app.http.pages.matrix docs/operators.md

# What the clients are made with, as openapi/README.md says; without npm, those in TypeScript are left out.
clients: .venv-dev/made .venv-clients/made openapi/node_modules/made
	$(DEV) tests.clients

openapi/node_modules/made: openapi/package-lock.json
	@mkdir -p $(@D)
	@command -v npm > /dev/null || echo "npm is not installed: no clients in TypeScript"
	! command -v npm > /dev/null || (npm --prefix openapi ci --no-progress && touch $@)

bench: .venv-dev/made
	$(DEV) benchmarks $(ARGS)

bench-peers: $(patsubst benchmarks/servers/%/requirements.txt,.venv-peers/%/made,$(wildcard benchmarks/servers/*/requirements.txt))

.venv-peers/%/made: benchmarks/servers/%/requirements.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

# Of an environment as the image has it. The SBOM wants the version in pyproject.toml, which has it from app/__init__.py.
sbom: .venv-sbom/made build/runtime/made
	sed "s/^dynamic = .*/version = $$(sed -n 's/^__version__ = //p' app/__init__.py)/" pyproject.toml > build/pyproject.toml
	.venv-sbom/bin/cyclonedx-py environment --pyproject build/pyproject.toml --output-reproducible \
		--output-file build/sbom.cdx.json build/runtime/bin/python
	build/runtime/bin/python deploy/licences.py > build/licences.md

build/runtime/made: requirements.lock .venv-sbom/made
	$(PYTHON) -m venv --clear --without-pip $(@D)
	.venv-sbom/bin/python -m pip --python $(@D)/bin/python install --quiet --disable-pip-version-check \
		--require-hashes --requirement $<
	@touch $@

# Resolved for the oldest Python and everything newer, whichever Python runs this.
LOCK := $(DEV) uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --fork-strategy fewest \
	--generate-hashes --no-header

lock: .venv-dev/made
	$(LOCK) --group dev $(ARGS) -o requirements-dev.lock
	$(LOCK) -c requirements-dev.lock $(ARGS) -o requirements.lock
	$(LOCK) -c requirements-dev.lock $(ARGS) --extra otel -o requirements-otel.lock
	$(subst pyproject.toml,openapi/requirements.in,$(LOCK)) $(ARGS) -o openapi/requirements.lock
	$(subst pyproject.toml,tests/open_inference/requirements.in,$(LOCK)) $(ARGS) -o tests/open_inference/requirements.lock
	$(subst pyproject.toml,deploy/requirements.in,$(LOCK)) $(ARGS) -o deploy/requirements.lock
	$(LOCK) tests/faults/fuzz/requirements.in -c requirements-dev.lock $(ARGS) -o tests/faults/fuzz/requirements.lock

clean:
	rm -rf .venv .venv-dev .venv-clients .venv-fuzz .venv-inference .venv-peers .venv-sbom openapi/node_modules build

# A virtual environment holds exactly what its lock file says; requirements-dev.lock contains requirements.lock. Modules are
# compiled when they are first imported: to compile all would take twice as long as to install them.
.venv/made: requirements.lock
.venv-dev/made: requirements-dev.lock
.venv-clients/made: openapi/requirements.lock
.venv-inference/made: tests/open_inference/requirements.lock
.venv-sbom/made: deploy/requirements.lock
.venv/made .venv-dev/made .venv-clients/made .venv-inference/made .venv-sbom/made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("keepdims needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement $<
	@touch $@

# Atheris is built for CPython 3.11 to 3.13 on Linux on x86-64, and elsewhere takes Clang's libFuzzer.
.venv-fuzz/made: tests/faults/fuzz/requirements.lock
	@$(PYTHON) -c 'import sys, platform as p; (3, 11) <= sys.version_info < (3, 14) and (p.system(), p.machine()) == ("Linux", "x86_64") or sys.exit("make fuzz needs CPython 3.11 to 3.13 on Linux on x86-64, for which there are wheels of atheris: make PYTHON=python3.13 fuzz")'
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

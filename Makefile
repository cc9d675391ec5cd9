# Every target sets up its own virtual environment in .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
SOURCES := $(shell find src CMakeLists.txt pyproject.toml -type f -not -name '*.so' -not -name '*.pyc')
QUICK := tests/unit tests/contract
# Tests wait for browsers, servers and other processes: one more of them at a time than there are cores
CORES := $(shell getconf _NPROCESSORS_ONLN)
WORKERS ?= $(shell expr $(CORES) + 1)
CXX_SOURCES := $(shell find src/core fuzz -name '*.hpp' -o -name '*.cpp' 2>/dev/null)

# Kept bytecode: tests are rewritten once, not at every start
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test pythons processors hostile lowest audit lint core-lint mutants bench bench-scale calibrate coverage covered reproduce has-data docs format clean

demo: .venv/demo
	$(BIN)/poolwise demo -o poolwise-demo
	@echo "open poolwise-demo/index.html"

# For the inner loop: what `make test` runs, less what simulates, draws, or starts other tools, on fewer random examples
quick: .venv/quick
	$(BIN)/python -m pytest -q -x -n $(CORES) --dist worksteal --hypothesis-profile quick -m 'not slow' $(QUICK)

test: .venv/test
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal tests --pyargs poolwise

# The quick tests on every Python from 3.11 to 3.14 that is found, or on PYTHONS="path/to/python ..."
pythons:
	QUICK="$(QUICK)" tests/pythons.sh $(PYTHONS)

# All tests under the kernels of matrix products of other processors, and without numpy's vector loops; takes long
processors: .venv/test
	tests/processors.sh

# What must not matter and what must not break, with many cases of the day's seed: names, order and formats; damaged files,
# requests, writes that fail. POOLWISE_SEED=... repeats a seed that was printed, POOLWISE_CASES=... asks for other numbers
hostile: .venv/test
	@seed=$${POOLWISE_SEED:-$$(date +%Y%m%d)}; echo "POOLWISE_SEED=$$seed"; \
	POOLWISE_SEED=$$seed POOLWISE_CASES=$${POOLWISE_CASES:-6000} \
	$(BIN)/python -m pytest -q -n $(CORES) --dist worksteal tests/properties tests/hostile

# The quick tests with the lowest version of every library that pyproject.toml allows
lowest:
	$(PYTHON) -m venv build/lowest
	$(PYTHON) tests/lowest.py > build/lowest/constraints.txt
	build/lowest/bin/python -m pip install -q -c build/lowest/constraints.txt '.[quick]'
	build/lowest/bin/python -m pytest -q -n $(CORES) -p no:cacheprovider -m 'not slow' $(QUICK)

# Known faults of the libraries that users may install. Asks a service on the network, so it is no part of `lint`; where
# the service does not know a library, or does not answer, the audit fails
audit: .venv/quick
	$(BIN)/python -m pip freeze --exclude poolwise > .venv/audit.txt
	$(BIN)/python -m pip install -q pip-audit
	$(BIN)/pip-audit --strict --no-deps --disable-pip -r .venv/audit.txt

# Faults put into a module of Python (MODULE=pool/coverage), or into the core (MODULE=core), which tests must notice
mutants: .venv/quick
	$(BIN)/python tests/mutants/run.py $(MODULE)

lint: .venv/lint core-lint
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/clang-format --dry-run --Werror $(CXX_SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy --config-file benchmarks/mypy.ini benchmarks/*.py benchmarks/reproduce
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema -q --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/zizmor -q --offline .github/workflows
	$(BIN)/check-jsonschema -q --builtin-schema vendor.citation-file-format CITATION.cff

# All headers of the core at once: what one includes, the next need not read again
CORE_HEADERS = $(or $(shell find src/core -name '*.hpp' -not -path '*/border/*'),$(error src/core has no headers))
core-lint: .venv/lint
	mkdir -p build
	printf '#include "../%s"\n' $(CORE_HEADERS) > build/every_header.cpp
	$(BIN)/clang-tidy --quiet build/every_header.cpp -- -std=c++17 -Isrc/core

format: .venv/lint
	$(BIN)/ruff check --fix src tests benchmarks docs
	$(BIN)/ruff format src tests benchmarks docs
	$(BIN)/clang-format -i $(CXX_SOURCES)

bench: .venv/bench
	$(BIN)/python benchmarks/read_and_score.py
	$(BIN)/python benchmarks/pairs.py
	$(BIN)/python benchmarks/optimal.py timings
	$(BIN)/python benchmarks/estimates.py
	$(BIN)/python benchmarks/studies.py

# A log of 50 million rows, made and scored several ways: make bench-scale TOPICS=1000000 (1 GB of disk)
bench-scale: .venv/bench
	$(BIN)/python benchmarks/scale.py --growth --topics $(or $(TOPICS),1000000)

# Curves of fitted constants on simulated collections, or on real ones: make calibrate DATA=folder NAMES=hole_model
calibrate: .venv/test
	$(BIN)/python benchmarks/calibrate.py $(NAMES) $(if $(DATA),--data $(DATA)) --trials $(or $(TRIALS),8)

# Coverage of assisted intervals on a collection of your own; may be stopped and taken up again.
coverage: .venv/test
	$(BIN)/python benchmarks/assisted_coverage.py $(QRELS) $(RUNS) -o $(or $(OUTPUT),coverage) --trials $(or $(TRIALS),300)

# Which lines and branches of the source and of the core the tests run through; takes long
covered: .venv/test
	$(BIN)/python -m pip install -q "coverage>=7.10" "gcovr>=8"
	tests/covered.sh

# The papers' experiments on real campaigns: make reproduce DATA=folder, and WORK=folder to go on from a run cut short
reproduce: has-data .venv/test
	$(BIN)/python -m benchmarks.reproduce $(DATA) $(WORK)

has-data:
	@test -d "$(DATA)" || { echo "make reproduce DATA=folder: '$(DATA)' is no folder; benchmarks/reproduce/data.py says what it holds"; exit 2; }

docs: .venv/docs
	$(BIN)/python docs/generate.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The newest pip takes half the time of what came with Python to find out which versions go together
# The pip that there is puts the newest into an empty environment, in a fourth of the time that it takes to set up the one
# that Python brings, and to renew it; where there is none, or an old one, that is the way
.venv/made:
	$(PYTHON) -m venv --without-pip .venv
	$(PYTHON) -m pip --python $(BIN)/python install -q --no-compile pip || { $(PYTHON) -m venv .venv && \
	$(BIN)/python -m pip install -q --no-compile --upgrade pip; }
	touch $@

.venv/ready: .venv/made
	$(BIN)/python -m pip install -q --no-compile "scikit-build-core>=0.10" "nanobind>=2.8" "cmake>=3.19" ninja
	touch $@

# What the core is used with is fetched beside what compiles it, and while it is compiled; what both of them need (report
# and tools share a library) one after the other. Only modules that are run are turned into bytecode.
NEEDS := import tomllib; about = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*about["dependencies"], sep="\n", file=open(".venv/numbers.txt", "w")); \
	optional = about["optional-dependencies"]; \
	print(*optional["report"], *optional["judge"], sep="\n", file=open(".venv/report.txt", "w"))
FETCH := $(BIN)/python -m pip install -q --no-compile
.venv/demo: .venv/made $(SOURCES)
	$(BIN)/python -c '$(NEEDS)'
	$(FETCH) -r .venv/numbers.txt & numbers=$$!; \
	$(MAKE) -s .venv/ready && { $(FETCH) -r .venv/report.txt & report=$$!; \
	$(FETCH) --no-build-isolation --no-deps . && wait $$report && wait $$numbers; }
	touch $@

# Called with extras: the libraries they name are fetched while the core is compiled.
define INSTALL
	$(BIN)/python tests/needs.py $(1) > $@.txt
	$(FETCH) -r $@.txt & fetching=$$!; \
	$(FETCH) --no-build-isolation --no-deps . && wait $$fetching
endef

.venv/quick: .venv/ready $(SOURCES)
	$(call INSTALL,quick)
	touch $@

# Tests are rewritten (pytest's `assert`) and libraries turned into bytecode once, not by every worker at its start
OTHERS := $(filter-out $(QUICK:=/),$(sort $(dir $(wildcard tests/*/test_*.py))))
.venv/test: .venv/ready $(SOURCES)
	$(call INSTALL,test)
	$(BIN)/python -m pytest -q --collect-only $(QUICK) > /dev/null & \
	$(BIN)/python -m pytest -q --collect-only $(OTHERS) > /dev/null; wait
	touch $@

.venv/lint: .venv/ready $(SOURCES)
	$(call INSTALL,lint report frames judge)
	touch $@

.venv/bench: .venv/test
	$(BIN)/python -m pip install -q ranx trectools duckdb
	touch $@

.venv/docs: .venv/ready $(SOURCES)
	$(call INSTALL,docs)
	touch $@

clean:
	rm -rf .venv build site

# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BUILD ?= build
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

ifneq ($(UV),)
MAKE_VENV = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
INSTALL = $(UV) pip install --quiet --python $(BIN)/python
else
MAKE_VENV = $(PYTHON) -m venv $(VENV)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

# Data sets and goldens beside the checkout are used where they are; tests that need them skip elsewhere.
SHARED := $(wildcard ../shared)
ifneq ($(SHARED),)
export CALIBRANT_DATA ?= $(abspath $(SHARED)/data)
export CALIBRANT_GOLDENS ?= $(abspath $(SHARED)/goldens)
endif

BUILT_FROM := pyproject.toml CMakeLists.txt $(shell find core -name "*.[ch]pp" -not -path "core/tests/*")

.PHONY: demo test test-core test-long test-interpreters fuzz lint sanitize bench stub clean

demo: $(VENV)/.demo
	$(BIN)/python examples/demo.py

test: $(VENV)/.test test-core
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not long"

test-core: $(VENV)/.test
	$(BIN)/cmake -S . -B $(BUILD)/core-tests -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCALIBRANT_CORE_TESTS=ON > /dev/null
	$(BIN)/cmake --build $(BUILD)/core-tests
	$(BIN)/ctest --test-dir $(BUILD)/core-tests --output-on-failure

test-long: test fuzz test-interpreters
	$(BIN)/python -m pytest -m long

test-interpreters:
	bash tools/test_interpreters.sh

fuzz: $(VENV)/.test
	@$(INSTALL) -e ".[fuzz]" || echo "atheris has no wheel for this Python; the fuzz targets are skipped"
	$(BIN)/python tests/fuzz/run.py

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_sizes.py

# The core and its C++ tests under the sanitizers; threads have a build of their own.
sanitize: $(VENV)/.test
	for kind in address,undefined thread; do \
	  dir=$(BUILD)/sanitize-$${kind%%,*} && \
	  $(BIN)/cmake -S . -B $$dir -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCALIBRANT_CORE_TESTS=ON \
	    -DCALIBRANT_SANITIZE=$$kind > /dev/null && \
	  $(BIN)/cmake --build $$dir && $(BIN)/ctest --test-dir $$dir --output-on-failure || exit 1; \
	done

bench: $(VENV)/.test
	$(INSTALL) -e ".[bench]"
	for script in benchmarks/[a-z]*.py; do $(BIN)/python $$script || exit 1; done

stub: $(VENV)/.test
	$(BIN)/python -m nanobind.stubgen -q -m calibrant._core -o src/calibrant/_core.pyi

$(BIN)/python:
	$(MAKE_VENV)

$(VENV)/.demo: $(BIN)/python $(BUILT_FROM)
	$(INSTALL) -e ".[all]"
	@touch $@

$(VENV)/.test: $(BIN)/python $(BUILT_FROM)
	$(INSTALL) -e ".[test]"
	@touch $@ $(VENV)/.demo

$(VENV)/.lint: $(VENV)/.test
	$(INSTALL) -e ".[lint]"
	@touch $@

clean:
	rm -rf $(BUILD) $(VENV) dist

# Two commands do all the set-up on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BUILD ?= build
BASELINE ?= OFF
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
STEP := @tools/step.sh

ifneq ($(UV),)
MAKE_VENV = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
INSTALL = $(UV) pip install --quiet --python $(BIN)/python
else
MAKE_VENV = $(PYTHON) -m venv $(VENV)
# As uv does, modules are compiled when they are first imported: all of them take a core that the compiler needs.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
endif

# Data sets and goldens beside the checkout are used where they are; tests that need them skip elsewhere.
SHARED := $(wildcard ../shared)
ifneq ($(SHARED),)
export CALIBRANT_DATA ?= $(abspath $(SHARED)/data)
export CALIBRANT_GOLDENS ?= $(abspath $(SHARED)/goldens)
endif

# Without bytecode each of the many processes that tests start compiles the package again, and collecting takes twice
# as long (22 s of processor time in each of two test processes, 12 with it).
unexport PYTHONDONTWRITEBYTECODE

BUILT_FROM := CMakeLists.txt $(shell find core -name "*.[ch]pp" -not -path "core/tests/*")
TREE := $(BUILD)/package
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DCALIBRANT_WERROR=ON
CTEST := $(BIN)/ctest --output-on-failure -j 2 --test-dir

.PHONY: browser demo docs gallery test test-core test-doctests test-long test-interpreters test-portable fuzz lint sanitize bench stub clean

demo: $(VENV)/.demo
	@mkdir -p $(BUILD)/demo
	cd $(BUILD)/demo && $(abspath $(BIN))/calibrant datasets fetch appeal
	cd $(BUILD)/demo && $(abspath $(BIN))/calibrant compare appeal.csv --target gives --positive yes \
	  --costs appeal_costs.csv --time-limit 2m --html appeal.html

# The site, from the pages of docs/ and the docstrings; warnings are errors, and nothing is fetched.
docs: $(VENV)/.docs
	$(STEP) "Pages of the reference" $(BIN)/python tools/docs_source.py $(BUILD)/docs-source
	$(STEP) "Documentation" $(BIN)/python -m sphinx -q -W --keep-going -b html -d $(BUILD)/docs-cache $(BUILD)/docs-source $(BUILD)/docs
	@echo "$(BUILD)/docs/index.html"

# Five reports on data that come with calibrant or that CALIBRANT_DATA names, and a page that lists them.
gallery: $(VENV)/.demo
	$(BIN)/python tools/gallery.py $(BUILD)/gallery

# Three processes on two cores: many tests wait for processes of their own (7:53 with two, 7:06 with three).
test: $(VENV)/.test test-core
	@tools/install_postgres.sh
	@tools/install_graphviz.sh
	@$(MAKE) --no-print-directory browser
	$(STEP) "Python tests" $(BIN)/python -m pytest -n 3 --dist loadfile -m "not long" tests
	@$(MAKE) --no-print-directory test-doctests

# Chromium for the tests of reports, where it can be installed; they are skipped elsewhere.
browser:
	@tools/install_browser.sh

# In the tree that the package was compiled in: only the tests themselves are compiled here.
test-core: $(VENV)/.test
	$(STEP) "C++ tests: configuring" $(BIN)/cmake -DCALIBRANT_CORE_TESTS=ON --log-level=WARNING $(TREE)
	$(STEP) "C++ tests: compiling" env -u MAKEFLAGS $(BIN)/cmake --build $(TREE) --target test_core
	$(STEP) "C++ tests" $(CTEST) $(TREE) --progress

# Doctests as a processor without AVX2 and AVX-512 computes them: run so alone, because what they print was written on a
# processor that has both, and no doctest may depend on the last bits.
test-doctests: $(VENV)/.test
	$(STEP) "Doctests without AVX2 and AVX-512" bash -c 'off=(); \
	  while IFS= read -r each; do off+=("$$each"); done < <($(BIN)/python tools/baseline_env.py); \
	  env "$${off[@]}" $(BIN)/python -m pytest -q -n 2 --dist loadfile src README.md docs'

# `make test` has tested the version of Python that it runs on: the others are left.
test-long: test fuzz $(VENV)/.docs
	bash tools/test_interpreters.sh "$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
	env CALIBRANT_THOROUGH=1 $(BIN)/python -m pytest -n 3 --dist loadfile -m "long or hypothesis"

test-interpreters:
	bash tools/test_interpreters.sh

test-portable: $(VENV)/.test
	bash tools/test_portable.sh $(BIN)

fuzz: $(VENV)/.test
	@$(INSTALL) $$($(BIN)/python tools/requirements.py fuzz) || echo "atheris has no wheel for this Python; the fuzz targets are skipped"
	$(BIN)/python tests/fuzz/run.py

lint: $(VENV)/.lint
	$(STEP) "ruff check" $(BIN)/ruff check .
	$(STEP) "ruff format" $(BIN)/ruff format --check .
	$(STEP) "mypy" $(BIN)/mypy
	$(STEP) "import-linter" $(BIN)/lint-imports
	$(STEP) "Sizes of files and functions" $(BIN)/python tools/check_sizes.py
	$(STEP) "clang-format" bash -c '$(BIN)/clang-format --dry-run --Werror $$(find core -name "*.[ch]pp")'
	$(STEP) "clang-tidy" bash tools/clang_tidy.sh $(BIN) $(BUILD)/lint

# The core and its C++ tests under the sanitizers; threads have a build of their own.
sanitize: $(VENV)/.test
	for kind in address,undefined thread; do \
	  dir=$(BUILD)/sanitize-$${kind%%,*} && \
	  $(CMAKE) -S . -B $$dir -DCALIBRANT_CORE_TESTS=ON -DCALIBRANT_SANITIZE=$$kind > /dev/null && \
	  $(BIN)/cmake --build $$dir && $(CTEST) $$dir || exit 1; \
	done

bench: $(VENV)/.test
	$(INSTALL) $$($(BIN)/python tools/requirements.py bench)
	for script in benchmarks/[a-z]*.py; do $(BIN)/python $$script || exit 1; done

stub: $(VENV)/.test
	$(BIN)/python -m nanobind.stubgen -q -m calibrant._core -o src/calibrant/_core.pyi

$(BIN)/python:
	$(STEP) "Virtual environment" $(MAKE_VENV)

$(VENV)/.tools: $(BIN)/python
	$(STEP) "Build tools" $(INSTALL) $$($(BIN)/python tools/requirements.py build)
	@touch $@

# Downloading what the package needs takes about as long as compiling: side by side. cli+report are two extras.
$(VENV)/.requirements-%: $(BIN)/python pyproject.toml
	$(STEP) "Requirements of [$*]" $(INSTALL) $$($(BIN)/python tools/requirements.py $(subst +, ,$*))
	@touch $@

$(VENV)/.wheel: $(VENV)/.tools $(BUILT_FROM) pyproject.toml
	$(STEP) "Compiling" env -u MAKEFLAGS PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tools/build_editable.py \
	  $(BUILD)/wheel $(TREE) CALIBRANT_WERROR=ON CALIBRANT_BASELINE=$(BASELINE)
	@touch $@

# Two processes must not install into one environment at a time, so that the tools come first.
$(VENV)/.package-%: $(VENV)/.tools $(BUILT_FROM) pyproject.toml
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.requirements-$* $(VENV)/.wheel
	@$(INSTALL) --no-deps --force-reinstall $(BUILD)/wheel/*.whl
	@touch $@

$(VENV)/.demo: $(VENV)/.package-cli+report
	@touch $@

$(VENV)/.test: $(VENV)/.package-test
	@touch $@ $(VENV)/.demo

$(VENV)/.lint: $(VENV)/.test $(VENV)/.requirements-lint
	@touch $@

$(VENV)/.docs: $(VENV)/.demo $(VENV)/.requirements-docs
	@touch $@

clean:
	rm -rf $(BUILD) $(VENV) dist

# `make demo` and `make test` do all the set-up themselves, in .venv; `make help` lists the rest.

VENV     := .venv
PYTHON   := $(VENV)/bin/python
# Bytecode is written when a module is first imported, not for the thousands that never are: ten seconds less.
INSTALL  := $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-compile
EDITABLE := $(INSTALL) --no-build-isolation $(SETTINGS) --editable
CPP      := $(wildcard core/*.?pp) $(wildcard core/*/*.?pp) $(wildcard core/*/*/*.?pp)
CORE     := CMakeLists.txt $(filter-out core/tests/%,$(CPP))

# The units that clang-tidy reads, and with them most headers: 20 seconds of the processor.
TIDY     := $(wildcard core/base/*.cpp core/cuts/*.cpp core/predict/*.cpp) core/grow/grow.cpp core/grow/constraints.cpp \
	core/splits/levels.cpp core/splits/category_order.cpp core/forest/pack.cpp

# $(TEST_CORE) FOLDER [SANITIZERS]
TEST_CORE := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tools/test_core

# The tests that send rows through most of the core, by every grower.
CORE_TESTS := $(addprefix growing/test_,against_reference category_groupings fast_paths grow invariants linear_leaves missing \
	oblique_splits sparse split_search stopping user_criteria) forest/test_forest forest/test_route tree/test_monotone \
	data/test_odd_input estimators/presets/test_presets estimators/test_several_targets estimators/test_optimal \
	distributed/test_same_tree

.PHONY: help demo test test-core firefox fuzz fuzz-long certify exact sanitize arm64 portable clients oldest coverage build lint format docs package benchmark pictures clean

help:
	@echo "make demo       grow a tree on a bundled table and show it"
	@echo "make test       the whole test suite"
	@echo "make test-core  the tests of the core that need no Python"
	@echo "make firefox    every view of explorer pages opened in Firefox (needs firefox-esr and npm)"
	@echo "make fuzz       attack estimators, model files, tables and the server with random cases (MINUTES=10)"
	@echo "make fuzz-long  the cases of a release (an hour or two), from seed FIRST on; goes on where it was stopped"
	@echo "make certify    every export of every kind of model, run on all boundaries and 100,000 random rows (hours)"
	@echo "make exact      optimal trees held to trying all trees, for every combination of options (MINUTES=10)"
	@echo "make sanitize   the tests of the core, compiled to find memory errors and data races (slow; needs GCC)"
	@echo "make clients    what others wrote for scikit-learn's trees, run on ours (slow; fetches their sources)"
	@echo "make coverage   which lines of the Python code the suite runs, in build/coverage (slow; TESTS=tests/tree for a part)"
	@echo "make oldest     the whole test suite with the lowest declared versions of the dependencies"
	@echo "make arm64      every kind of model grown by an emulated arm64 processor (slow; needs Debian or Ubuntu)"
	@echo "make portable   compile the core for macOS, Windows and Linux on Arm (slow; fetches a compiler)"
	@echo "make build      compile the core and install the package, editable, in $(VENV)"
	@echo "make lint       style, spelling, words, types, the order of imports, and what is written from other files"
	@echo "make format     write what follows from growing/parameters.py, and all files in the project's style"
	@echo "make docs       the documentation site, in build/docs"
	@echo "make package    sdist and wheel, and the wheel tried in an environment of its own"
	@echo "make benchmark  treewright beside scikit-learn on this machine"
	@echo "make pictures   draw the pictures of the documentation anew"
	@echo "make clean      remove everything these commands made"

demo: $(VENV)/.built
	@mkdir -p build
	@$(PYTHON) -m treewright demo --html build/demo.html

test: $(VENV)/.tested-with
	$(PYTHON) -m pytest --numprocesses 2 --dist worksteal

test-core: $(VENV)/.environment
	@$(INSTALL) cmake
	@$(TEST_CORE) build/core-tests

firefox: $(VENV)/.tested-with
	@mkdir -p build/firefox
	$(PYTHON) tools/firefox_pages.py build/firefox
	cp tools/firefox.mjs build/firefox
	cd build/firefox && npm install --silent puppeteer-core && node firefox.mjs *.html

fuzz: $(VENV)/.tested-with
	$(PYTHON) tests/fuzz/run.py --minutes $(or $(MINUTES),10) $(if $(TARGETS),--targets $(TARGETS))

# In two processes; what was run is kept in build/fuzz, and the command goes on with it.
fuzz-long: $(VENV)/.tested-with
	$(PYTHON) tests/fuzz/run.py --long --first $(or $(FIRST),0) --jobs $(or $(JOBS),2) --state build/fuzz

certify: $(VENV)/.tested-with
	$(PYTHON) tests/export/certify_all.py $(if $(TARGETS),--targets $(TARGETS)) $(if $(MODELS),--models "$(MODELS)")

exact: $(VENV)/.tested-with
	$(PYTHON) tests/helpers/optimal_cases.py --minutes $(or $(MINUTES),10)

sanitize: $(VENV)/.environment
	@$(INSTALL) cmake
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tools/sanitize address,undefined $(CORE_TESTS:%=tests/%.py)
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" tools/sanitize thread $(CORE_TESTS:%=tests/%.py)

clients: $(VENV)/.tested-with
	$(PYTHON) tools/clients.py $(CLIENTS)

# One process: what runs in others, such as commands and servers, is not counted.
coverage: $(VENV)/.tested-with
	@$(INSTALL) coverage
	$(PYTHON) -m coverage run -m pytest $(TESTS)
	$(PYTHON) -m coverage html --quiet
	$(PYTHON) -m coverage report --skip-covered --sort=cover

# Whatever pip installs there is held to these versions, what builds the core too.
oldest: $(VENV)/.environment
	@mkdir -p build
	$(PYTHON) tools/oldest_versions.py > build/oldest_versions.txt
	PIP_CONSTRAINT="$(CURDIR)/build/oldest_versions.txt" $(MAKE) VENV=$(VENV)-oldest $(VENV)-oldest/.tested-with \
		SETTINGS="--config-settings=build-dir=build/oldest"
	$(VENV)-oldest/bin/python -m pytest --numprocesses 2 --dist worksteal

arm64: $(VENV)/.tested-with
	tools/arm64 $(VENV)

portable: $(VENV)/.environment
	@$(INSTALL) ziglang
	$(PYTHON) tools/portable.py

build: $(VENV)/.built

lint: $(VENV)/.linted-with
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check
	$(VENV)/bin/codespell
	$(PYTHON) -m mypy
	$(VENV)/bin/lint-imports
	$(PYTHON) tools/check_core.py
	$(PYTHON) tools/check_words.py
	$(PYTHON) tools/generate_parameters.py --check
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(VENV)/bin/clang-format --dry-run -Werror $(CPP)
	$(VENV)/bin/clang-tidy --quiet $(TIDY) -- -std=c++20 -Icore

format: $(VENV)/.linted-with
	$(PYTHON) tools/generate_parameters.py
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format
	$(VENV)/bin/clang-format -i $(CPP)

docs: $(VENV)/.documented-with
	$(PYTHON) -m sphinx --quiet --fail-on-warning --keep-going -b html docs build/docs
	@$(PYTHON) tools/check_links.py build/docs
	@echo "The site begins at build/docs/index.html"

package: $(VENV)/.environment
	rm -rf dist $(VENV)-package
	$(INSTALL) build
	$(PYTHON) -m build --outdir dist
	$(PYTHON) -m venv $(VENV)-package
	$(VENV)-package/bin/python -m pip install --quiet --disable-pip-version-check "$$(echo dist/*.whl)[demo]"
	cd dist && ../$(VENV)-package/bin/python -m treewright demo

benchmark: $(VENV)/.built
	$(PYTHON) benchmarks/run.py

pictures: $(VENV)/.tested-with
	$(PYTHON) examples/draw_tree.py
	$(PYTHON) tools/screenshots.py

clean:
	rm -rf $(VENV) $(VENV)-oldest $(VENV)-package $(VENV)-sanitize-address $(VENV)-sanitize-thread build dist

# Each stamp says: what stands before it was up to date when this was installed.
$(VENV)/.environment: tools/environment
	@tools/environment $(VENV)
	@touch $@

# What the package needs is installed while it is compiled.
$(VENV)/.built: $(VENV)/.environment pyproject.toml $(CORE)
	@echo "Compiling the core and installing treewright in $(VENV): this takes minutes ..."
	@$(PYTHON) -c 'import tomllib; asked = tomllib.load(open("pyproject.toml", "rb")); package = asked["project"]; \
		print(*asked["build-system"]["requires"], sep="\n", file=open("$(VENV)/build-requires.txt", "w")); \
		print(*package["dependencies"], *package["optional-dependencies"]["demo"], sep="\n", file=open("$(VENV)/requires.txt", "w"))'
	@$(INSTALL) --requirement $(VENV)/build-requires.txt cmake ninja
	@$(INSTALL) --requirement $(VENV)/requires.txt & others=$$!; $(EDITABLE) . --no-deps; built=$$?; wait $$others && exit $$built
	@touch $@

$(VENV)/.tested-with: pyproject.toml | $(VENV)/.built
	@echo "Installing what the tests need ..."
	@$(EDITABLE) '.[test]'
	@touch $@

$(VENV)/.linted-with: pyproject.toml | $(VENV)/.built
	@echo "Installing what the checks need ..."
	@$(EDITABLE) '.[test,lint]'
	@touch $@

$(VENV)/.documented-with: pyproject.toml | $(VENV)/.built
	@echo "Installing what the documentation needs ..."
	@$(EDITABLE) '.[docs]'
	@touch $@

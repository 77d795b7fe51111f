# Drives CMake; the build itself is in CMakeLists.txt.
#   make run       build and run the main job          make bench     measure, JSON lines
#   make test      build and run every test            make sanitize  the tests under ASan and UBSan
#   make install PREFIX=/usr/local                     make format-check
BUILD  ?= build
JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=

top   := $(CURDIR)
stage  = $(abspath $(BUILD))/stage
env    = LUA_PATH="$(stage)/share/lua/5.1/?.lua;$(stage)/share/lua/5.1/?/init.lua;;" \
         LUA_CPATH="$(stage)/lib/lua/5.1/?.so;;" PATH="$(stage)/bin:$$PATH" NESO_BUILD="$(abspath $(BUILD))"

SHELL := bash
.DEFAULT_GOAL := build
.PHONY: deps build run test bench sanitize install format-check clean

deps:
	@.ci/deps

$(BUILD)/build.ninja:
	@echo "configure: $(BUILD)"
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@mv $(BUILD).log $(BUILD)/configure.log

build: deps
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@echo "build: $(BUILD), $(JOBS) jobs"
	@cmake --build $(BUILD) -j $(JOBS) -- --quiet
	@cmake --install $(BUILD) --prefix $(stage) >/dev/null

run: build
	@$(env) luajit examples/run.lua

test: build
	@rm -f $(BUILD)/test-count
	@cd $(BUILD) && ctest -j $(JOBS) --no-tests=error --output-on-failure --output-junit tests.xml \
	  --test-output-size-passed 1000000 --test-output-size-failed 1000000; \
	  luajit $(top)/spec/support/count.lua tests.xml | tee test-count; \
	  exit $${PIPESTATUS[0]}

bench: build
	@$(env) luajit spec/bench/run.lua

sanitize:
	@$(MAKE) --no-print-directory test BUILD=build-sanitize CMAKE_FLAGS="-DNESO_SANITIZE=ON"

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

format-check: deps
	@spec/support/format

clean:
	rm -rf $(BUILD) build-sanitize

# The two commands of the README are `make run` and `make test`; each installs what is missing,
# builds what changed and runs. tools/setup.sh says what is installed and where.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: run build build-all test test-asan test-peers fuzz bench package format tidy setup setup-peers clean

export RIDGELINE_CACHE ?= $(HOME)/.cache/ridgeline
export PATH := $(RIDGELINE_CACHE)/python/bin:$(PATH)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)

setup:
	@tools/setup.sh base

setup-peers: setup
	@tools/setup.sh peers

build: setup
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release --target product

build-all: build
	@cmake --build --preset release

run: build
	@build/release/ridgeline run quickstart

test: build-all test-asan
	@ctest --preset release

test-asan: setup
	@cmake --preset asan --log-level=NOTICE
	@cmake --build --preset asan
	@ctest --preset asan

test-peers: build-all setup-peers
	@ctest --preset peers

fuzz: setup
	@command -v clang++ >/dev/null || { echo "libFuzzer needs clang: apt-get install clang libclang-rt-dev" >&2; exit 1; }
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz
	@ctest --preset fuzz

bench: build-all setup-peers
	@tools/bench.sh

package: build
	@tools/package.sh

format:
	@git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format -i

tidy: setup
	@cmake --preset tidy --log-level=NOTICE
	@tools/tidy.sh

clean:
	@rm -rf build dist

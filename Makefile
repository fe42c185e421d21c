# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors

SHELL := /bin/bash
# The Swift to use; the scripts read it too.
SWIFT ?= swift
export SWIFT

# What `make lint` and `make format` look at.
SOURCES := Package.swift $(wildcard Packages Apps Tests Benchmarks Fuzz)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test apps lint script format bench docs check fuzz conformance wpt cycles soak suffixes setup clean

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: setup ## Opens two real sites with and without the container; writes a report to build/demo
	@Scripts/demo

test: setup ## Builds everything and runs all tests, a real engine included
	@Scripts/test-script
	@Scripts/test

apps: setup ## Builds the programs in release and links them at bin/
	@Scripts/apps

lint: ## Checks format, layers of modules, and rules of the project
	@Scripts/setup lint
	@Scripts/lint-modules --self-test
	@Scripts/lint-modules
	@Scripts/lint-structure --self-test
	@Scripts/lint-structure
	@Scripts/bridge-script --check
	@Scripts/refresh-public-suffixes --check
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@echo "lint: clean"

script: ## Bundles and minifies the injected script into its Swift file
	@Scripts/setup lint
	@Scripts/bridge-script

format: ## Formats all Swift files in place
	@$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

bench: ## Hot paths against named references, and the demo's contest with more runs; report in build/bench
	@Scripts/setup bench
	@Scripts/bench

docs: setup ## Writes the documentation of every module to build/docs
	@Scripts/docs

check: ## Builds the light modules alone, and an app that takes them from a tag
	@Scripts/setup lint
	@Scripts/check-light-modules
	@Scripts/check-consumer

fuzz: setup ## Feeds mutated input to each parser, FUZZ_SECONDS (600) for each
	@Scripts/fuzz

conformance: ## Runs the tests of a polyfill of fetch, SUITE=<checkout of JakeChampion/fetch>, in all modes
	@[[ -n "$(SUITE)" ]] || { echo "error: usage: make conformance SUITE=<checkout of JakeChampion/fetch>" >&2; exit 64; }
	@Scripts/setup conformance
	@Scripts/swiftpm build --product engine-harness
	@Scripts/conformance-fetch "$(SUITE)"

wpt: ## Runs web-platform-tests, SUITE=<checkout>, in the plain engine and in two modes, and says what is lost
	@[[ -n "$(SUITE)" ]] || { echo "error: usage: make wpt SUITE=<checkout of web-platform-tests/wpt>" >&2; exit 64; }
	@$(MAKE) --no-print-directory apps
	@Scripts/conformance-wpt "$(SUITE)"

cycles: setup ## Lends and returns a view, CYCLES (1000) times: nothing is found in it, and memory stays level
	@Scripts/swiftpm build --product engine-harness
	@Scripts/pool-cycles

soak: setup ## Two hours of an app's opens in some minutes, OPENS (600) in each mode: nothing grows, leaks or hangs
	@Scripts/swiftpm build --product engine-harness
	@Scripts/soak

suffixes: ## Takes the public suffix list of Debian's package publicsuffix into CookieBridge
	@Scripts/refresh-public-suffixes

setup: ## Installs what is missing, on Debian and Ubuntu; asks nothing
	@Scripts/setup

clean: ## Removes everything that was built; keeps the demo's downloads
	@rm -rf .build .build-* bin build/demo build/bench build/docs build/wpt build/sites Package.resolved Fuzz/.build Fuzz/Package.resolved

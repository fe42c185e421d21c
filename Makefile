# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ContainerKit authors

SHELL := /bin/bash
# The Swift to use, also for the scripts.
SWIFT ?= swift
export SWIFT

# The files for `make lint` and `make format`.
SOURCES := Package.swift $(wildcard Packages Apps Tests Benchmarks Fuzz)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test apps lint script format bench docs check fuzz races conformance conformance-tuf conformance-upload conformance-names wpt modes cycles soak suffixes setup clean

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: setup ## Opens two real sites with and without the container and writes a report to build/demo
	@Scripts/demo

test: setup ## Builds everything and runs all tests, including those in a real engine
	@Scripts/test-script
	@$(SWIFT) test --package-path Tests/AppleWebKitDouble --scratch-path .build-webkit-double --disable-xctest
	@$(SWIFT) test --package-path Tests/AppleContainer --scratch-path .build-apple-container --disable-xctest
	@Scripts/test
	@Scripts/check-darwin --self-test
	@Scripts/check-darwin

apps: setup ## Builds the programs in release and links them at bin/
	@Scripts/apps

lint: ## Checks the format, the module layers and the project's rules
	@Scripts/setup lint
	@Scripts/lint-modules --self-test
	@Scripts/lint-modules
	@Scripts/lint-structure --self-test
	@Scripts/lint-structure
	@Scripts/bridge-script --check
	@Scripts/refresh-public-suffixes --check
	@Scripts/check-planted-faults --check
	@Scripts/sbom --check
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@echo "lint: clean"

script: ## Bundles and minifies the injected script into its Swift file
	@Scripts/setup lint
	@Scripts/bridge-script

format: ## Formats all Swift files in place
	@$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

bench: ## Runs the benchmarks against named references and the contest; report in build/bench
	@Scripts/setup bench
	@Scripts/bench

docs: setup ## Writes the documentation of every module to build/docs
	@Scripts/docs

check: ## Builds each light module alone, and an app that uses them from a tag
	@Scripts/setup lint
	@Scripts/check-light-modules
	@Scripts/check-consumer

fuzz: setup ## Fuzzes each parser under sanitizers for FUZZ_SECONDS (600, or 3600 over sockets and files)
	@Scripts/fuzz

races: setup ## Runs the tests of modules with locks under ThreadSanitizer; reports in build/races
	@Scripts/test-races

conformance: ## Runs the tests of a fetch polyfill in all modes, SUITE=<checkout of JakeChampion/fetch>
	@[[ -n "$(SUITE)" ]] || { echo "error: usage: make conformance SUITE=<checkout of JakeChampion/fetch>" >&2; exit 64; }
	@Scripts/setup conformance
	@Scripts/swiftpm build --product engine-harness
	@Scripts/conformance-fetch "$(SUITE)"

conformance-tuf: ## Runs the suite of The Update Framework, SUITE=<checkout of theupdateframework/tuf-conformance>
	@[[ -n "$(SUITE)" ]] || { echo "error: usage: make conformance-tuf SUITE=<checkout of theupdateframework/tuf-conformance at eec841c>" >&2; exit 64; }
	@Scripts/setup conformance
	@$(MAKE) --no-print-directory apps
	@Scripts/conformance-tuf "$(SUITE)"

conformance-upload: ## Runs the upload commands of docs/trusted-releases.md against nginx and moto's S3 server
	@Scripts/setup upload
	@$(MAKE) --no-print-directory apps
	@Scripts/conformance-upload

conformance-names: ## Compares h5 resolve with dig on 2,000 names of an unbound server
	@Scripts/setup names
	@$(MAKE) --no-print-directory apps
	@Scripts/conformance-names

wpt: ## Runs web-platform-tests in the plain engine and two modes and lists the lost checks, SUITE=<checkout>
	@[[ -n "$(SUITE)" ]] || { echo "error: usage: make wpt SUITE=<checkout of web-platform-tests/wpt>" >&2; exit 64; }
	@$(MAKE) --no-print-directory apps
	@Scripts/conformance-wpt "$(SUITE)"

modes: ## Compares the plain engine and all modes into docs/modes.md, [WPT=, FETCH=<checkouts>, CASES=<folder>]
	@$(MAKE) --no-print-directory apps
	@Scripts/setup conformance
	@Scripts/swiftpm build --product engine-harness
	@Scripts/compare-modes --wpt "$(WPT)" --fetch "$(FETCH)" --cases "$(CASES)"

cycles: setup ## Checks a view out and in CYCLES (1000) times; fails on residual state or memory growth
	@Scripts/swiftpm build --product engine-harness
	@Scripts/pool-cycles

soak: setup ## Opens OPENS (600) pages in each mode; fails on leaks, growth or hangs
	@Scripts/swiftpm build --product engine-harness
	@Scripts/soak

suffixes: ## Updates the public suffix list of CookieBridge from Debian's package publicsuffix
	@Scripts/refresh-public-suffixes

setup: ## Installs missing dependencies on Debian and Ubuntu without questions
	@Scripts/setup

clean: ## Removes all build products except the demo's downloads and the fuzz corpora
	@rm -rf .build .build-* bin build/demo build/bench build/docs build/wpt build/modes build/sites build/races build/tuf-conformance Package.resolved Fuzz/.build Fuzz/Package.resolved

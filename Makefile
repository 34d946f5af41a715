# Each target first installs what it needs (tools/setup).
#
#   make demo      the whole chain on this machine: simulated board, ping, stream, recording, check
#   make test      everything a change must pass
#   make soak      the tests at their full counts
#   make bench     figures, written to target/bench.json
#   make prove     formal proofs of the stream blocks
#   make mutants   breaks the gateware on purpose, line by line; each break must fail a test
#   make docs      the book, in target/book
#   make fmt, make lint
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := demo
.PHONY: demo test soak bench prove mutants docs fmt lint setup-demo setup-test setup-bench setup-docs

CARGO ?= cargo
# Tests in parallel processes with a bound on time where cargo-nextest is there, else plain.
RUN_TESTS = $(if $(shell $(CARGO) nextest --version 2>/dev/null),nextest run,test)

demo: setup-demo
	$(CARGO) run --quiet --package nicforge -- demo $(ARGS)

test: setup-test lint
	$(CARGO) $(RUN_TESTS) --workspace

soak: setup-test
	NICFORGE_DEPTH=full $(CARGO) $(RUN_TESTS) --workspace

bench: setup-bench
	$(CARGO) run --quiet --package nicforge-testbench --bin bench $(ARGS)

prove: setup-test
	$(CARGO) run --quiet --package nicforge-testbench --bin prove $(ARGS)

mutants: setup-test
	$(CARGO) run --quiet --package nicforge-testbench --bin mutants $(ARGS)

docs: setup-docs
	PATH="$$PWD/.tools/bin:$$PATH" mdbook build docs --dest-dir "$$PWD/target/book"

fmt:
	$(CARGO) fmt --all

lint:
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --quiet --workspace --all-targets

setup-demo setup-test setup-bench setup-docs: setup-%:
	@tools/setup $*

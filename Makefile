# What one runs by hand. `.ci/run` runs the same targets, one by one, with a budget.

INTEROP ?= ../shared/interop
BENCH ?= ../shared/bench
# for `long`: cases of each property, and how often the concurrency tests are repeated
CASES ?= 20000
TIMES ?= 50
# random schedules
EXPLORE ?= 2000
# seconds for each fuzz target
FUZZ_SECONDS ?= 600
# how long instances come and go
HOURS ?= 2

CLIENT_ADAPTERS := --no-default-features --features client,reqwest-middleware,tower,spring-files,metrics

.PHONY: help check fmt lint lint-client doc test adapters hostile explore bugs loom manifests release api page prometheus interop bench fuzz overload churn containers long netns replace figures

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: fmt lint lint-client doc test adapters hostile explore loom ## all that a change must pass, but for the real clients

fmt: ## formatted as rustfmt.toml says?
	cargo fmt --check

lint: ## clippy on everything, warnings are errors
	cargo clippy --all-targets -- -D warnings

lint-client: ## the same for the client library with its adapters, without the server
	cargo clippy --all-targets $(CLIENT_ADAPTERS) -- -D warnings

doc: ## the documentation builds, warnings are errors
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items

test: ## all tests
	cargo test

adapters: ## reqwest, tower, figures and Spring's files, which `test` leaves out
	cargo test $(CLIENT_ADAPTERS) --lib --test client -- adapters figures spring_files

hostile: ## 100 000 spoilt requests, five times as many as `test` sends
	HOSTILE_REQUESTS=100000 cargo test --test hostile generated

explore: ## 2 000 random schedules of clusters, ten times as many as `test` plays
	EXPLORE=$(EXPLORE) cargo test --test simulation schedules_end

bugs: ## does the explorer find each of the bugs in tests/bugs?
	.ci/bugs

loom: ## every interleaving of what may happen to the word of a lease
	cargo test --release --manifest-path tests/loom/Cargo.toml

manifests: ## what Kubernetes, docker-compose and shellcheck say of cluster/
	.ci/manifests

release: ## the binary, as it is shipped
	cargo build --release

page: release ## the pages for people in a headless browser (needs chromium, Node.js and npm)
	.ci/page

api: release ## what the description of /api/v1 allows and what it does not, against the binary (schemathesis from PyPI)
	.ci/with-server .ci/api

prometheus: release ## alert rules, then every panel and alert on three nodes (needs the kit at INTEROP)
	INTEROP=$(INTEROP) .ci/prometheus

interop: release ## real clients and the reference's answers against the binary (needs the kit at INTEROP)
	INTEROP=$(INTEROP) .ci/interop

bench: release ## registry and lists without HTTP, then load on the binary (that needs the scripts at BENCH and wrk)
	cargo bench --bench registry --bench lists
	BENCH=$(BENCH) .ci/with-server .ci/bench

fuzz: ## made-up bodies, paths and batches, each target for FUZZ_SECONDS (needs cargo-fuzz and a C++ compiler)
	for target in json xml route batch; do \
	  mkdir -p fuzz/found/$$target && RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none $$target \
	    fuzz/found/$$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -rss_limit_mb=2048 || exit; \
	done

overload: release ## the server on one core under ten times what it carries, the load on another (needs wrk)
	taskset -c 0 .ci/with-server taskset -c 1 .ci/overload

churn: release ## memory stays where it is while instances come and go for HOURS
	HOURS=$(HOURS) .ci/with-server .ci/churn

netns: release ## faults on a real network of namespaces: what is left of what was acknowledged (needs root, nftables and the kit at INTEROP)
	INTEROP=$(INTEROP) .ci/netns

figures: release ## what a cluster costs, as docs/performance.md has it (needs wrk, Java, the kit at INTEROP and the scripts at BENCH)
	INTEROP=$(INTEROP) BENCH=$(BENCH) .ci/figures

replace: release ## a pair of Java servers replaced node by node under load, and back (needs the kit at INTEROP and Java)
	INTEROP=$(INTEROP) .ci/replace

containers: ## the cluster of cluster/ in containers: faults, memory (needs root and a Docker engine)
	INTEROP=$(INTEROP) .ci/containers

long: fuzz overload churn ## what is too slow for CI: many more property cases, the concurrency tests over and over
	PROPTEST_CASES=$(CASES) cargo test --release
	.ci/repeat $(TIMES) concurrent
	$(MAKE) explore EXPLORE=100000
	$(MAKE) bugs
	$(MAKE) netns
	$(MAKE) containers

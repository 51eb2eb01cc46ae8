# Everything a newcomer needs. `make` alone prints the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
run := npm run --silent

.PHONY: help
help: ## Print the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

.PHONY: install
install: node_modules/.install-stamp ## Install what is missing from the package registry.

node_modules/.install-stamp: package.json package-lock.json
	@scripts/check-node.sh
	npm ci --no-progress --loglevel=error
	@touch $@

.PHONY: run
run: install dist/web/index.html ## Serve on PORT (8080) with an embedded Postgres and a small story in it.
	@$(run) concordat -- serve --story

dist/web/index.html: node_modules/.install-stamp vite.config.ts $(shell find src/web src/wire src/core -type f)
	@$(run) build:web -- --logLevel warn
	@touch $@

.PHONY: screenshots
screenshots: install ## Pictures of every view of the page, into dist/screenshots.
	$(run) screenshots

.PHONY: test
test: install ## Check types and style, and run every test that is not long.
	scripts/test-tools.sh
	$(run) typecheck
	$(run) lint
	$(run) test

.PHONY: verify
verify: install ## The checks that take long to build or to run.
	$(run) verify

.PHONY: soak
soak: install ## The laws of the engine on a million pairs.
	LAW_PAIRS=1000000 $(run) test -- --project core test/core/laws --testTimeout=86400000

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

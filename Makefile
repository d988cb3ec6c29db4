# The commands of this repository. `make` without a target lists them.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:

TOOLS := $(CURDIR)/.tools
LOGS  := $(TOOLS)/log

# Tools are built into .tools, at these versions.
GOLANGCI    := $(TOOLS)/golangci-lint-v2.15.0
GOTESTSUM   := $(TOOLS)/gotestsum-v1.13.0
GOVULNCHECK := $(TOOLS)/govulncheck-v1.1.4
APIDIFF     := $(TOOLS)/apidiff-v0.0.0-20261014143641-f0251eb4aa3e
BENCHSTAT   := $(TOOLS)/benchstat-v0.0.0-20260908200009-22c9c6c9d4da

# The race detector runs on packages with concurrency, without long tests that use a single
# goroutine. It does not instrument SQLite, which is C translated to Go, nor the codecs of pictures:
# these start no goroutines, and with the detector are five to nine times slower.
RACY  := /(kv|notify|checkout|settlement$$|hosts)(/|$$)
LONG  := ^Test(.*Crash.*|Access_EveryRouteAndCaller|Amounts_AgreeEverywhere|Assets_Current|Backfill_AllPages|Batch_Bounded|Batch_BrokenChain|Batch_CheckpointBeforeNext|Binary_Imports|Body_LimitedBeforeParsing|Breaker_AnswerEndsSilence|Breaker_Silence|Broadcast_ConfirmationsFirst|BrokenProcessors|CampaignSummaries|CampaignSummaries_Status|Change_DelayedPastDeadline|Changes_Location|Checkout_EveryCountryIsQuoted|Checkout_ZIPCodesAcrossStateLines|Client_LostAnswers|Confirm_AllEntryPointsInAllOrders|Costs|ContentFields_Permissions|Content_PathOutside|Cost_OneOpenSupporter|Cost_RowsPerSettledSupporter|Cron_CostOfRestingCampaigns|DashboardPlurals|Drain_UnsubscribeAnywhere|Failures|Fulfilment_InterruptedMark|Health_LooksUpConfiguredDomains|Home_Pages|Home_SearchIndex|Hostile_Fields|Hostile_MalformedBodies|Hostile_PathsAndQueries|Import_PaymentAndStranger|Lease_ConcurrentRuns|Limits_ByAddress|Limits_UnlimitedRoutes|Minute_ContinuesReconciliation|Offers_ShippingCosts|Pace_UsesTheProcessorsRate|Pictures_PhonePhotos|PlatformTimezone|PublishedRequests|PublishedStub_Rejects|Reads_WriteNothing|Reconcile_SharesPaymentList|RetryCard_DuringAnotherRun|Routes_JSON|Run_DetectsBrokenImplementations|Screens_WithinBudget|Seed_Reproducible|Settle_ClockJumpsAnywhere|Settlement_AmbiguousChargeIsNotRepeated|SignIn_ShowsLinkToDevelopers|Step_LostAnswersAtScale|Step_UnsubscribeAnywhere|StuckStates_Commands|Supporters_Filters|Sweep_InterruptedSteps|Timeline|Transcripts|Uploads_Hostile|Webhook_AllOrders|Webhook_AllSequences|WorkerBase_SeparateOrigin)$$

UNRACED := $(foreach codec,modernc.org image golang.org/x/image compress,'-gcflags=$(codec)/...=-race=false -d=checkptr=0')

# Linters from npm, at the versions of .ci/package.json.
BIOME        := .ci/node_modules/.bin/biome
MARKDOWNLINT := .ci/node_modules/.bin/markdownlint-cli2

FUZZTIME ?= 60s

# Compilers, linters and tests produce much garbage and keep little: with a larger heap they take a
# tenth less CPU time.
GOGC ?= 400

COUNT    ?= 6
HISTORIES ?= 20000
# The arguments of make load; LOAD=--help lists them.
LOAD      ?=
CROWD     ?= 100000
# CONTENT is the folder of the content, which make worker deploys.
CONTENT   ?= .
CAMPAIGNS ?= 100000

# PACKAGES are the packages that make mutants measures (empty: all), WORKERS the number of mutants
# that are tested at once (empty: one per processor), and MUTANTTIME the time limit of make bars for
# packages that changed since they were recorded.
PACKAGES   ?=
WORKERS    ?=
MUTANTTIME ?= 5m
MUTANTS    := go run ./internal/mutants -results $(TOOLS)/mutants $(addprefix -workers ,$(WORKERS))

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 20

.PHONY: test
test: ## Run all checks; continue after a failure, and fail at the end
	@rm -rf $(LOGS)
	@GOGC=$(GOGC) $(MAKE) --no-print-directory --keep-going format tags typed node unit tinygo race lint vuln apidiff

.PHONY: quick
quick: ## Run only the short tests
	go test -short ./...

.PHONY: format
format: ## Check the formatting of Go files
	@unformatted=$$(gofmt -l $$(go list -e -f '{{.Dir}}/*.go' ./...)); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi; \
	echo "format: fine"

.PHONY: tags
tags: ## Compile the programs with each build tag
	go build -tags demo ./hosts/nethttp/...
	go build -tags nopostgres ./hosts/nethttp/app

# make test leaves this out: golangci-lint runs the same checks.
.PHONY: vet
vet: ## Run go vet
	go vet ./...
	go vet -tags demo ./hosts/nethttp/...
	go vet -tags nopostgres ./hosts/nethttp/app

.PHONY: lint
lint: golangci biome markdown ## Run all linters

.PHONY: golangci
golangci: $(GOLANGCI) ## Run the Go linters of .golangci.yml
	GOMEMLIMIT=4GiB $(GOLANGCI) run ./...

.PHONY: biome
biome: .ci/node_modules ## Check the formatting of scripts and style sheets, and lint them by biome.jsonc
	$(BIOME) ci --error-on-warnings

.PHONY: markdown
markdown: .ci/node_modules ## Lint the documents by .markdownlint-cli2.jsonc
	$(MARKDOWNLINT)

.PHONY: typed
typed: packages ## Type-check the scripts of the site and the dashboard, and compare their types with the API's
	@go run ./hosts/nethttp/cmd/pledged openapi > hosts/site/scripts/openapi.json
	@cd hosts/site/scripts && npm run --silent typed && npm run --silent check
	@cd hosts/dashboard && npm run --silent check
	@echo "typed: fine"

.PHONY: node
node: packages ## Run the unit tests of the scripts in Node
	@mkdir -p $(LOGS)
	@cd hosts/site/scripts && npm run --silent test | tee $(LOGS)/node-site.txt
	@cd hosts/dashboard && npm run --silent test | tee $(LOGS)/node-dashboard.txt

# The npm packages of the scripts.
.PHONY: packages
packages:
	@for part in hosts/site/scripts hosts/dashboard; do (cd $$part && npm ci --silent --no-fund --no-audit) || exit 1; done

.PHONY: browser
browser: ## Install Chromium, Playwright and the dashboard's libraries for the browser tests
	@command -v chromium-headless-shell >/dev/null || { sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	  $$sudo apt-get update -q && { $$sudo apt-get install -qy --no-install-recommends chromium-headless-shell || \
	  command -v chromium >/dev/null || $$sudo apt-get install -qy --no-install-recommends chromium; }; } || command -v chromium >/dev/null
	@cd internal/browser/stories && npm ci --silent --no-fund --no-audit
	@cd hosts/dashboard && npm ci --silent --no-fund --no-audit

.PHONY: postgres
postgres: ## Install the PostgreSQL server that tests start
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -qy --no-install-recommends postgresql; }

.PHONY: hledger
hledger: ## Install hledger, which checks the exported ledgers and journals
	@command -v hledger >/dev/null || { sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	  $$sudo apt-get update -q && $$sudo apt-get install -qy --no-install-recommends hledger; }

.PHONY: postfix
postfix: ## Test sending emails through Debian's Postfix, as root; installs it, and runs it only during the test
	@command -v postfix >/dev/null || { sudo=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	  $$sudo apt-get update -q && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -qy --no-install-recommends postfix; }
	go test ./notify/smtp -run TestPostfix -v -count=1 -postfix

.PHONY: workerd
workerd: ## Install workerd, on which the worker is tested, and wrangler, which checks its configuration
	@cd internal/workerd && npm ci --silent --ignore-scripts --no-fund --no-audit

.PHONY: worker
worker: ## Build the worker and the site of CONTENT into dist/worker for wrangler deploy
	@mkdir -p dist/worker/modules
	@if command -v tinygo >/dev/null; then \
	  tinygo build -target wasm -no-debug -o dist/worker/modules/app.wasm ./hosts/workers/wasm; \
	  cp "$$(tinygo env TINYGOROOT)/targets/wasm_exec.js" dist/worker/modules/; \
	else \
	  GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o dist/worker/modules/app.wasm ./hosts/workers/wasm; \
	  cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" dist/worker/modules/; \
	fi
	@cp hosts/workers/worker/*.mjs dist/worker/modules/
	@if [ -f "$(CONTENT)/site.yml" ]; then cp "$(CONTENT)/site.yml" dist/worker/modules/; else : >dist/worker/modules/site.yml; fi
	@for file in wrangler.jsonc wrangler.background.jsonc; do \
	  if [ -f "$(CONTENT)/$$file" ]; then cp "$(CONTENT)/$$file" dist/worker/; else cp "hosts/workers/worker/$$file" dist/worker/; fi; \
	done
	@mode=$$(sed -nE 's/^ *"APP_MODE": *"([a-z]+)".*/\1/p' dist/worker/wrangler.jsonc); \
	  APP_MODE=$${mode:-live} go run ./hosts/nethttp/cmd/pledged build --content "$(CONTENT)" --out dist/worker/assets --cache dist/.cache
	@echo .pledgeworks-site >dist/worker/assets/.assetsignore
	@size=$$(wc -c <dist/worker/modules/app.wasm); echo "worker: $$size bytes in dist/worker; Cloudflare accepts 64 MiB"

# golangci-lint vets all packages. Without -vet=off, go test would do it again, and race a third time.
.PHONY: unit
unit: browser postgres hledger workerd $(GOTESTSUM) ## Run the tests, the architecture tests, the conformance suites and the fuzz seeds
	@mkdir -p $(LOGS)
	GOGC=$(GOGC) PLEDGEWORKS_BROWSER=required PLEDGEWORKS_POSTGRES=required PLEDGEWORKS_HLEDGER=required PLEDGEWORKS_WORKERD=required $(GOTESTSUM) --format pkgname-and-test-fails --jsonfile $(LOGS)/unit.json -- -vet=off -count=1 -timeout 50m ./...

# Runs the worker's tests again with the program that TinyGo compiles.
.PHONY: tinygo
tinygo: workerd ## Run the worker's tests with the TinyGo build, if TinyGo is installed
	@if command -v tinygo >/dev/null; then \
	  PLEDGEWORKS_COMPILER=tinygo PLEDGEWORKS_WORKERD=required go test -count=1 -timeout 30m ./hosts/workers ./internal/e2e ./internal/crashtest -run 'Conformance|Responses|Workerd|Worker'; \
	else echo "tinygo: NOT RUN: TinyGo is not installed; the worker's tests ran only with the Go build"; fi

.PHONY: race
race: $(GOTESTSUM) ## Test the concurrent packages with the race detector, without their long tests
	@mkdir -p $(LOGS)
	@if ! command -v gcc >/dev/null && ! command -v clang >/dev/null; then \
	  echo "race: the race detector needs a C compiler; install gcc" >&2; exit 1; fi
	GOGC=$(GOGC) CGO_ENABLED=1 $(GOTESTSUM) --format pkgname-and-test-fails --jsonfile $(LOGS)/race.json -- -vet=off -race $(UNRACED) -short -skip '$(LONG)' -count=1 -timeout 20m $$(go list ./... | grep -E '$(RACY)' | grep -v /cmd/)

.PHONY: vuln
vuln: $(GOVULNCHECK) ## Check the called code for known vulnerabilities, if the database can be reached
	@.ci/vuln $(GOVULNCHECK)

.PHONY: apidiff
apidiff: ## Compare the exported API of stable packages with the last release, if there is one
	@.ci/apidiff $(APIDIFF) $(OLD)

.PHONY: bench
bench: $(BENCHSTAT) ## Run the benchmarks COUNT times and print their statistics
	@mkdir -p $(LOGS)
	go test -run='^$$' -bench=. -benchmem -count=$(COUNT) -timeout 60m ./... | tee $(LOGS)/bench.txt
	$(BENCHSTAT) $(LOGS)/bench.txt

.PHONY: load
load: ## Measure real servers under load, with the arguments in LOAD
	@mkdir -p $(TOOLS)
	go build -o $(TOOLS)/pledged ./hosts/nethttp/cmd/pledged
	go run ./hosts/nethttp/cmd/bench --program $(TOOLS)/pledged $(LOAD)

.PHONY: soak
soak: ## Fuzz every target for FUZZTIME, and repeat the kill, crash and conformance tests COUNT times
	@for package in $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    echo "$$package $$target"; \
	    go test -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(FUZZTIME) $$package; \
	  done; \
	done
	go test ./pledge/inventory -run=Linearizable -v -reservations=1000000 -timeout 60m
	PLEDGEWORKS_SOAK=1 go test -count=$(COUNT) -run='Kill|Crash|Conformance' -timeout 120m ./...

.PHONY: commonmark
commonmark: ## Render the examples of the CommonMark specification, and print how many pass
	go test ./pledge/campaign/richtext -run TestConformance_CommonMark -v -count=1

.PHONY: simulate
simulate: ## Run HISTORIES simulated histories with faults (20000)
	go test ./internal/simulation -run 'TestSeeds$$' -v -once -seeds $(HISTORIES) -timeout 240m

.PHONY: mutate
mutate: ## Plant each bug of internal/simulation/mutation, and run histories until one detects it
	go test ./internal/simulation/mutation -v -hunt -timeout 240m

.PHONY: mutants
mutants: postgres hledger ## Measure how many mutants of PACKAGES (all) the tests kill; print and record the result
	@$(MUTANTS) $(PACKAGES)

.PHONY: bars
bars: postgres hledger ## Compare the recorded scores with the required ones; measure changed packages for MUTANTTIME
	@$(MUTANTS) -check $(MUTANTTIME)

.PHONY: scripts
scripts: packages ## Check the scripts against the API description, and bundle them
	go run ./hosts/nethttp/cmd/pledged openapi > hosts/site/scripts/openapi.json
	cd hosts/site/scripts && npm run --silent types && npm run --silent check
	cd hosts/dashboard && npm run --silent check
	go run ./hosts/site/bundle

.PHONY: stories
stories: browser ## Run the stories in a browser in all of their languages and sizes; unit runs each in one
	PLEDGEWORKS_BROWSER=required go test ./internal/browser -run 'Stories|Night' -v -count=1 -timeout 90m -all

.PHONY: screenshots
screenshots: browser ## Take a screenshot of every page, on desktop and phone, light and dark, into .tools/screenshots
	go test ./internal/browser -run 'Screenshots|Mails' -v -count=1 -screenshots $(TOOLS)/screenshots

.PHONY: lighthouse
lighthouse: browser ## Run Lighthouse on the site and the dashboard
	@cd internal/browser/lighthouse && npm ci --silent --no-fund --no-audit
	go test ./internal/browser -run Lighthouse -v -count=1 -timeout 20m -lighthouse

.PHONY: campaigns
campaigns: ## Render every page and email of CAMPAIGNS random campaigns in both languages (100000)
	go test ./internal/rendering -count=1 -timeout 240m -campaigns $(CAMPAIGNS)

.PHONY: crowd
crowd: browser ## Measure the dashboard on a slow phone, with a campaign of CROWD supporters (100000)
	go test ./internal/browser -run Crowd -v -count=1 -timeout 120m -crowd $(CROWD)

.PHONY: fmt
fmt: $(GOLANGCI) .ci/node_modules ## Format Go files, scripts and style sheets, and sort imports
	$(GOLANGCI) fmt ./...
	$(BIOME) check --write --linter-enabled=false

.PHONY: clean
clean: ## Remove the installed tools and the logs
	rm -rf $(TOOLS) .ci/node_modules

# A tool's file name contains its version, so a new version is a new file.
define install
	@mkdir -p $(TOOLS)/new
	GOBIN=$(TOOLS)/new GOFLAGS=-mod=mod go install $(1)
	@mv $(TOOLS)/new/$(2) $@
endef

# Installed when their versions in .ci/package-lock.json change.
.ci/node_modules: .ci/package-lock.json
	@cd .ci && npm ci --silent --no-fund --no-audit
	@touch $@

version = $(patsubst $(TOOLS)/$(1)-%,%,$(2))

$(GOLANGCI):
	$(call install,github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(call version,golangci-lint,$@),golangci-lint)
$(GOTESTSUM):
	$(call install,gotest.tools/gotestsum@$(call version,gotestsum,$@),gotestsum)
$(GOVULNCHECK):
	$(call install,golang.org/x/vuln/cmd/govulncheck@$(call version,govulncheck,$@),govulncheck)
$(APIDIFF):
	$(call install,golang.org/x/exp/cmd/apidiff@$(call version,apidiff,$@),apidiff)
$(BENCHSTAT):
	$(call install,golang.org/x/perf/cmd/benchstat@$(call version,benchstat,$@),benchstat)

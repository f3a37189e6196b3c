# make help lists the targets.

LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEAD := go run golang.org/x/tools/cmd/deadcode@v0.52.0
VULN := go run golang.org/x/vuln/cmd/govulncheck@v1.9.0
BENCHSTAT := go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
FUZZTIME ?= 30s
SEEDS ?= 100
BASE ?= main

.DEFAULT_GOAL := help
.PHONY: help build test fast lint fmt tidy generate check fuzz faults bench crash-score drift cover dead vuln hooks

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## a static binary: ./leadline
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.stamp=$(VERSION)" -o leadline ./cmd/leadline

test: ## every test, as CI runs them
	go test -race -shuffle=on -count=1 ./...

fast: ## tests of what changed
	go test ./...

lint: ## the rules of .golangci.yml
	$(LINT) run

fmt: ## format the code
	$(LINT) fmt

tidy: ## go.mod says what is used, no more and no less
	go mod verify
	go mod tidy -diff

generate: ## rewrite what is generated
	go generate ./...

check: ## what CI does
	.ci/run

fuzz: ## every fuzz target, FUZZTIME each
	@set -e; for dir in $$(go list -f '{{.Dir}}' ./...); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$$dir"/*_test.go 2>/dev/null | cut -c 6-); do \
			echo "$$dir $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$dir"; \
		done; \
	done

faults: ## every fault of a judge with SEEDS seeds each; prints what each led to
	LEADLINE_FAULT_SEEDS=$(SEEDS) go test -run TestEveryFaultEndsAsItShould -count 1 -timeout 60m -v ./cmd/leadline | grep -v '^ *\(=== \|--- PASS\)'

bench: ## compare benchmarks with BASE
	@set -e; work=$$(mktemp -d); trap 'git worktree remove --force '"$$work"'/base; rm -rf '"$$work" EXIT; \
	git worktree add --quiet --detach $$work/base $(BASE); \
	(cd $$work/base && go test -run '^$$' -bench . -benchmem -count 6 ./... >$$work/old.txt); \
	go test -run '^$$' -bench . -benchmem -count 6 ./... >$$work/new.txt; \
	$(BENCHSTAT) $$work/old.txt $$work/new.txt

crash-score: ## kill -9 the daemon N times while it scores, as SEED decides
	go test -count=1 -timeout 2h -v -run TestKillNineAnywhere ./cmd/leadline -crash-kills $(or $(N),200) -crash-seed $(or $(SEED),1)

drift: ## the drift benchmark, everything; ARGS=-quick for the short one
	go run ./bench/drift $(ARGS)

cover: ## coverage over all packages
	go test -coverpkg=./... -coverprofile=cover.out ./...
	go tool cover -func=cover.out | tail -n 1

dead: ## functions that nothing reaches
	$(DEAD) -test ./...

vuln: ## known vulnerabilities; needs the Go vulnerability database
	$(VULN) ./...

hooks: ## lint and tidy before each commit
	git config core.hooksPath .githooks

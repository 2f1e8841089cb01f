# Every target is a script in .ci; `make` alone says what there is.

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint api docs coverage sanitize fuzz soak bench clean inbox gallery

help: ## what there is
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

setup: ## install what is missing: packages of Debian, and .venv for the reference backend
	@.ci/setup

demo: ## 500 tickets through a gate that is killed on the way, to a backend that misbehaves; a report in HTML
	@.ci/demo full

test: ## the whole proof, with the time of each step (STEPS="lint all" runs some)
	@.ci/test $(STEPS)

lint: ## formatting, architecture, the floor of iOS 15
	@.ci/lint

api: ## write the lists of the public interface anew
	@.ci/symbols write

docs: ## build the documentation, check it, compile what it shows
	@.ci/symbols
	@.ci/docs
	@.ci/snippets

coverage: ## run the tests with all traits and say how many lines they ran
	@.ci/traits all
	@.ci/coverage

sanitize: ## the tests under the thread and the address sanitizer
	@.ci/sanitize

fuzz: ## ten million inputs for each parser
	@.ci/fuzz

inbox: ## the reference notification service, and a terminal inbox on it
	@.ci/inbox

gallery: ## the page of the example's design, in .build/gallery
	@.ci/gallery

soak: ## a thousand kills a store
	@.ci/soak

bench: ## measure; a table, and Benchmarks/results.jsonl
	@.ci/bench

clean: ## remove what was built
	@rm -rf .build Examples/*/.build Benchmarks/.build

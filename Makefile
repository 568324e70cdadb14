# Two commands do everything: `make run` and `make test`. The rest are their parts.

.PHONY: run test build lint bench chaos fuzz clean

run:
	@scripts/run.sh

test:
	@scripts/test.sh

# Leaves target/release/rollcall with its site and hash.txt, to be run from the checkout.
build:
	@scripts/install-tools.sh build
	@scripts/build.sh

lint:
	@scripts/install-tools.sh build lint
	@scripts/lint.sh

bench:
	@scripts/bench.sh

# Kills and cuts real servers for about six minutes once they are built; prints the tables of docs/reliability.md.
chaos:
	@scripts/chaos.sh

# A million runs of every target that reads bytes of strangers.
fuzz:
	@scripts/fuzz.sh

clean:
	cargo clean
	rm -rf data/demo tools/node_modules end2end/node_modules end2end/provider/node_modules end2end/test-results end2end/playwright-report

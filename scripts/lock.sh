#!/bin/sh
# Write the lock files: versions and hashes, no addresses. Locked versions stay unless
# pyproject.toml forbids them; `lock.sh --upgrade-package NAME` or `--upgrade` updates them.
set -eu
command -v uv >/dev/null 2>&1 && uv=uv || uv=.venv/bin/uv

# An existing output file is read first: its versions are kept where possible.
compile() {
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-header --no-annotate --no-emit-index-url --no-emit-find-links "$@" >/dev/null
}

compile pyproject.toml --all-extras --group build --group dev -o requirements-dev.lock "$@"
compile pyproject.toml --extra serve --extra report --group build -c requirements-dev.lock -o requirements.lock
compile --group node -o requirements-node.lock "$@"
# The lowest versions that pyproject.toml allows; the tests check that Saniwa works with them.
compile pyproject.toml --extra serve --resolution lowest-direct --upgrade -o requirements-lowest.lock
if grep -nE 'https?://|index-url' requirements*.lock; then
    echo "a lock file names an address; it must not" >&2
    exit 3
fi

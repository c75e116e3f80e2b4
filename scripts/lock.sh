#!/bin/sh
# Write the lock files: versions and hashes, no addresses. uv.lock itself stays out of git.
set -eu
command -v uv >/dev/null 2>&1 && uv=uv || uv=.venv/bin/uv
"$uv" lock --quiet
"$uv" export --quiet --no-header --no-annotate --no-emit-project --extra serve --extra report --no-default-groups --group build -o requirements.lock
"$uv" export --quiet --no-header --no-annotate --no-emit-project --all-extras --all-groups --no-group node -o requirements-dev.lock
"$uv" export --quiet --no-header --no-annotate --no-emit-project --only-group node -o requirements-node.lock
if grep -nE 'https?://|index-url' requirements*.lock; then
    echo "a lock file names an address; it must not" >&2
    exit 3
fi

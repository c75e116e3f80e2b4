#!/bin/sh
# Write both lock files: versions and hashes, no addresses. uv.lock itself stays out of git.
set -eu
command -v uv >/dev/null 2>&1 && uv=uv || uv=.venv/bin/uv
"$uv" lock --quiet
"$uv" export --quiet --no-header --no-annotate --no-emit-project --no-default-groups --group build -o requirements.lock
"$uv" export --quiet --no-header --no-annotate --no-emit-project --all-extras --all-groups -o requirements-dev.lock
if grep -nE 'https?://|index-url' requirements*.lock; then
    echo "a lock file names an address; it must not" >&2
    exit 3
fi

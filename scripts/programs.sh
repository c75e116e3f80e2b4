#!/bin/sh
# What the tests need that Python cannot install: a browser, fonts for Japanese, and Ren'Py.
# Installs Debian packages only for what is missing, and only as root.
set -eu

missing=
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
fc-list 2>/dev/null | grep -q "Noto Sans CJK" || missing="$missing fontconfig fonts-noto-cjk"
command -v renpy >/dev/null 2>&1 || [ -x /usr/games/renpy ] || missing="$missing renpy"
[ -n "$missing" ] || exit 0

if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "installing$missing ..." >&2
    apt-get update -qq
    # shellcheck disable=SC2086 - one word per package
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
    exit 0
fi
echo "the tests need more programs. Try: sudo apt-get update && sudo apt-get install --no-install-recommends$missing" >&2
exit 3

# What the scripts beside this file share; sourced, never run.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
LOGS=$ROOT/.build/ci
mkdir -p "$LOGS"

export LC_ALL=C.UTF-8
# Shared vectors lie beside the project where there are any; tests that need them say aloud when there are none.
if [ -z "${PORTICO_VECTORS:-}" ] && [ -d "$ROOT/../shared/vectors" ]; then
    PORTICO_VECTORS=$(cd "$ROOT/../shared/vectors" && pwd)
    export PORTICO_VECTORS
fi
if [ -z "${PORTICO_BACKEND_PYTHON:-}" ] && [ -x "$ROOT/.venv/bin/python" ]; then
    export PORTICO_BACKEND_PYTHON=$ROOT/.venv/bin/python
fi

# Warnings are errors, and an import that the manifest does not declare is one too.
STRICT=(-Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error)
FEATURES=(-swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature NonisolatedNonsendingByDefault)
JOBS=$(nproc)

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# Ends a script whose subject is not there: skip FOLDER
need() {
    [ -e "$1" ] && return 0
    say "skipped: there is no $1"
    exit 0
}

# The packages of a list: packages LIST
packages() { grep -v '^#' "$ROOT/.ci/packages/$1"; }

# The options of SwiftPM for a set of traits, each set with a folder of its own so that none throws another's work away.
traits() {
    case $1 in
    none) echo --disable-default-traits --scratch-path .build/none ;;
    default) echo --scratch-path .build/default ;;
    all) echo --enable-all-traits --scratch-path .build/all ;;
    *) fail "no such set of traits: $1 (none, default, all)" ;;
    esac
}

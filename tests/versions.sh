#!/bin/sh
# Install the tree under each Python found and at its lowest versions, judge and test there; writes reports/versions.json.
#
#   tests/versions.sh                    every Python from 3.11 to 3.14, the lowest versions, no extra (about 15 minutes)
#   tests/versions.sh 3.12 lowest        these runs only, and the plain one that they are compared with
#   tests/versions.sh --lowest           write constraints-lowest.txt anew from pyproject.toml (needs uv)
#
# Exit code 0: every run installs, judges as the plain run does and passes its tests.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = --lowest ]; then
    # the direct dependencies only; torch 2.6 asks for sympy 1.13.1 exactly, so 2.7 is the lowest that can be installed
    uv pip compile pyproject.toml --all-extras --resolution lowest-direct --python-version 3.11 --no-header \
        --annotation-style line --quiet | grep "theorytools (pyproject" | sed "s/ *#.*//" > constraints-lowest.txt
    exit
fi
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python}" tests/versions.py "$@"

#!/bin/sh
# Judge every claim as other machines would, and compare with the plain run; writes reports/machines.json.
#
#   tests/machines.sh                        all settings, combined into few runs (about 20 CPU minutes)
#   tests/machines.sh noise glibc            these settings, a run for each
#   tests/machines.sh noise --claims qstr.lemma_11 sep.codes
#   tests/machines.sh aten noise --tests tests/trained tests/numbers   no claims: these tests, under each setting
#
# Exit code 0: same outcomes, evidence, powers and exact ends, and enclosures that meet, in every run.
set -eu
cd "$(dirname "$0")/.."
PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python}" tests/machines.py "$@"

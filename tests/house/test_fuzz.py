"""Wrong arguments never give a number or a traceback from within: every callable of the rooms below, every argument.

``python tests/support/fuzzing.py`` tries every wrong value, in these rooms or in any other.
"""

import json
import subprocess
import sys

from source_tree import SUPPORT


def test_wrong_arguments_are_refused_by_name():
    """Three wrong values for each argument, chosen by a keyed hash, in a process of bounded memory."""
    command = [sys.executable, str(SUPPORT / "fuzzing.py"), "--sample", "3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert found["faults"] == [], "\n".join("  ".join(fault) for fault in found["faults"])
    assert found["calls"] > found["callables"] > 0

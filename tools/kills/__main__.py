"""Kill workers, pools and drivers at random moments, start again, and look for what is missing.

    python -m tools.kills --kills 1000 -j 2 --record reports/kills.json

So many kills meet ``theorytools verify`` over claims of the library, half as many sweeps.  About six processor seconds
for each kill of ``verify``.
"""

import argparse
import json
import secrets
import sys
from pathlib import Path

from theorytools.files import write_json
from tools import evidence
from tools.kills import sweeps, verify


def main():
    """Run a campaign from the command line; exit code 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000, help="of verify, over the library's own claims")
    parser.add_argument("--sweeps", type=int, help="kills of sweeps; half as many if left out")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="runs of verify that are disturbed at once")
    parser.add_argument("--entropy", type=int, help="seed of the victims and waits; fresh if left out")
    parser.add_argument("--record", type=Path, help="where the JSON record goes")
    options = parser.parse_args()
    entropy = secrets.randbits(64) if options.entropy is None else options.entropy
    record = sweeps.campaign(options.kills // 2 if options.sweeps is None else options.sweeps, entropy)
    record["verify"] = verify.campaign(options.kills, entropy, jobs=options.jobs)
    record["tree"] = {**record["verify"].pop("tree"), **evidence.tree_of(modules=evidence.imported_by("tools/kills"))}
    record["holds"] = record["holds"] and record["verify"]["holds"]
    print(json.dumps(record, indent=1))
    if options.record:
        write_json(options.record, record, indent=1)
    return 0 if record["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())

"""What a command answered with ``--json``: one object on one line, valid by the schema that it names."""

import json

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from source_tree import ROOT

SCHEMAS = [json.loads((ROOT / "theorytools" / "reporting" / f"{name}.schema.json").read_text("utf-8"))
           for name in ("answers", "verdict")]  # fmt: skip
REGISTRY = Registry().with_resources([(one["$id"], Resource.from_contents(one)) for one in SCHEMAS])
ANSWERS = SCHEMAS[0]["$defs"]["answers"]


def told(out, code=None):
    """Return the object, with this exit code if one is given."""
    assert out.endswith("\n")
    (line,) = out.splitlines()
    data = json.loads(line)
    name = data["schema"].removeprefix("theorytools.").removesuffix("/1")
    schema = {"$ref": f"{SCHEMAS[0]['$id']}#/$defs/answers/{name}"}
    faults = [f"{list(e.absolute_path)}: {e.message:.200}" for e in
              Draft202012Validator(schema, registry=REGISTRY).iter_errors(data)]  # fmt: skip
    assert faults == []
    assert code is None or data["exit"] == code
    return data

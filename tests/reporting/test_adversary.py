"""What the records say of the tool itself stands on the page of trust, and nothing where there is none."""

import json

import pytest
from report_parts import RUN, verdict
from source_tree import ROOT

from theorytools.reporting.adversary import adversary
from theorytools.reporting.site import render_pages


def test_the_committed_records_are_on_the_page():
    parts = adversary(ROOT)
    assert [part.title for part in parts][:2] == ["Mutants of the library", "Is each hypothesis needed?"]
    page = render_pages([verdict("lemma_1")], [], run={**RUN, "adversary": parts})["trust.html"]
    for part in parts:
        assert part.title in page
        assert f"<code>{part.command}</code>" in page
        widths = {len(line) for line in part.table}
        assert len(widths) == 1
    counts = json.loads((ROOT / "reports" / "necessity.json").read_text(encoding="utf-8"))["counts"]
    assert f"Each of {sum(counts.values())} hypotheses was dropped" in page
    decided = counts["needed"] + counts["not needed"]
    assert f"{decided / sum(counts.values()):.0%} are decided" in page
    assert decided >= 0.6 * sum(counts.values())  # the demand
    assert f"do not define an object {decided / (sum(counts.values()) - counts['defines']):.0%}" in page
    kinds = json.loads((ROOT / "reports" / "recheck.json").read_text(encoding="utf-8"))["forgeries"]
    alone = sum(kind["made"] for name, kind in kinds.items() if "measured side" not in name)
    assert f"Of {alone} forged verdicts" in page
    score = json.loads((ROOT / "reports" / "mutation.json").read_text(encoding="utf-8"))["score"]
    assert f"{score['mutants']} changes of one place" in page


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "theorytools.other/1"}', "{}"])
def test_a_project_without_a_record_has_no_part(tmp_path, text):
    (tmp_path / "reports").mkdir()
    for name in ("mutation", "necessity", "recheck", "certificates"):
        (tmp_path / "reports" / f"{name}.json").write_text(text, encoding="utf-8")
    assert adversary(tmp_path) == []
    assert "adversary-1" not in render_pages([verdict("lemma_1")], [], run=RUN)["trust.html"]

"""Verdicts and objects from a stranger: a bad file costs one line, in bounded time, and sends nothing to a terminal."""

import copy
import json
import os
import time

import pytest
from source_tree import ROOT

from theorytools import recheck, recheck_objects
from theorytools.claims.judging.archive import read_archive
from tools.forgeries import sealed

BESIDE = "sep.bool_lb"  # an honest verdict in the same folder
ID = "sep.bool_lb_hash"
UNSENT = ("\x1b", "\x07", "\u202e", "\x9b")


def lets(form, count=80, first="3"):
    """Letters each of which is made of the one before, and a right side that asks for the last."""

    def spoil(v):
        v["plain"]["lets"] = {"l0": first, **{f"l{k}": form.format(f"l{k - 1}") for k in range(1, count)}}
        for part in v["plain"]["assertions"]:
            part["bound"] = f"l{count - 1}"

    return spoil


def every_row(change):
    def spoil(v):
        for row in v["rows"]:
            change(row)

    return spoil


def measured(end):
    return every_row(lambda row: row["measured"].update(low=end))


def with_part(name, value):
    return lambda v: v.update({name: value})


SLOW = {
    "squares": lets("{0}*{0}"),
    "inverses": lets("{0}*{0} + 1/{0}"),
    "a sum of sums": lets("Sum(i*j*k, (i, 1, 20000), (j, 1, 20000), (k, 1, 20000))", 2),
    "a sum of nothing": lets("Sum(0, (i, 1, 20000), (j, 1, 20000), (k, 1, 20000))", 2),
    "powers": lets("{0}**{0}"),
    "a tower": lets("2**2**2**2**2**2", 2),
    "harmonic numbers": lets("harmonic(20000, 1000) + {0}", 6),
    "a size": every_row(lambda row: row["point"].update(n="1e999999999")),
    "a slack": every_row(lambda row: row.update(slack="1e999999999")),
    "a fraction": lambda v: v["rows"][0]["measured"].update(low={"q": [f"0x{'f' * 600_000}", f"0x{'e' * 600_000}"]}),
    "an exponent": measured({"d": ["0x1", 10**12]}),
}
SHAPES = {
    "deep": "[" * 200_000, "deep objects": '{"a":' * 100_000, "a list": "[1]", "a number": "7", "nothing": "",
    "no text": b"\xff\xfe\x00", "half an exponent": measured({"d": ["0x1", 0.5]}), "no end": measured({"inf": 0}),
    **{f"{name} {value!r}": with_part(name, value) for name in ("id", "alpha", "rows", "plain", "cpu")
       for value in (None, 7, [1], {"a": [1]})},
    "an escape in the id": with_part("id", "\x1b]0;owned\x07\x1b[2J\u202e\x9b"),
    "half a letter": with_part("id", "\ud800"),
    "an escape in a letter": lambda v: v["plain"].update(lets={"x": "\x1b[2J"}) or lets("\x1b[2J", 2)(v),
    "an escape in a control": lambda v: v["plain"]["controls"].update({"\x1b[31m": {"breaks": []}}),
}  # fmt: skip


@pytest.fixture(scope="module")
def committed():
    return read_archive(ROOT / "reports" / "sep.verdicts.xz").verdicts


@pytest.fixture(scope="module")
def honest(committed):
    return committed[ID]


@pytest.fixture
def folder(tmp_path, committed):
    (tmp_path / f"{BESIDE}.json").write_text(json.dumps(committed[BESIDE]))
    return tmp_path


def judged(folder, capsys):
    code = recheck.main([str(folder), "--unbound"])
    told = capsys.readouterr()
    assert f"{BESIDE}: confirmed" in told.out
    assert not any(sign in told.out + told.err for sign in UNSENT)
    return code, next(line for line in told.out.splitlines() if not line.startswith(BESIDE))


@pytest.mark.parametrize("name", [*SHAPES, *SLOW])
def test_a_hostile_verdict_costs_one_line(name, honest, folder, capsys, monkeypatch):
    monkeypatch.setattr(recheck, "WORK", recheck.WORK // 200)  # less than a second instead of half a minute
    spoil = {**SHAPES, **SLOW}[name]
    if callable(spoil):
        verdict = copy.deepcopy(honest)
        spoil(verdict)
        spoil = json.dumps(sealed(verdict))
    data = spoil if isinstance(spoil, bytes) else spoil.encode("utf-8", "surrogatepass")
    (folder / f"{ID}.json").write_bytes(data)
    begun = time.process_time()
    code, line = judged(folder, capsys)
    assert code == 1
    assert "confirmed" not in line
    assert time.process_time() - begun < 10


def test_a_reason_of_many_digits_is_read_in_time(honest, folder, capsys):
    (folder / f"{ID}.json").write_text(json.dumps(sealed({**honest, "reason": "9" * 200_000})))
    begun = time.process_time()
    judged(folder, capsys)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("text", ['"spent": NaN', '"spent": 0.0, "spent": 0.0', '"spent": Infinity'])
def test_json_that_readers_take_differently_is_refused(text, folder, honest, capsys):
    whole = json.dumps(honest)
    assert '"spent": 0.0' in whole
    (folder / f"{ID}.json").write_text(whole.replace('"spent": 0.0', text))
    assert judged(folder, capsys)[0] == 1


def test_only_regular_files_in_the_folder_are_read(honest, folder, capsys):
    outside = folder.parent / f"{folder.name}.secret"
    outside.write_text(json.dumps(honest))
    (folder / "link.json").symlink_to(outside)
    (folder / "zero.json").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.json")
    (folder / "folder.json").mkdir()
    assert recheck.main([str(folder), "--unbound"]) == 1
    told = capsys.readouterr().out
    assert told.count("no regular file") == 4
    assert ID not in told
    (folder / "site").mkdir()
    (folder / "site" / "verdicts").symlink_to(folder)
    assert recheck.main([str(folder / "site")]) == 2


def test_a_large_file_is_not_read(folder, capsys):
    with open(folder / f"{ID}.json", "wb") as large:
        large.truncate(recheck.LARGEST + 1)
    assert judged(folder, capsys)[0] == 1


# -- objects -----------------------------------------------------------------------------------------------------------
OBJECTS = {
    "an exponential": ("attention", "largest leakage",
                       {"words": ["1", "2"], "d_e": 4, "beta": {"factor": "1e999999999", "log": None}}),
    "a power": ("attention", "largest leakage",
                {"words": ["1", "2"], "d_e": 4, "beta": {"factor": "9" * 3000, "log": "2"}}),
    "words": ("code", "least distance", {"words": ["f"] * 15_000, "d_e": 4}),
    "a run": ("acceptance", "rank", {"N": 10**12, "alice": [], "fixed": {}, "transitions": [[0, 0]]}),
    "a rank": ("span", "rank", {"rows": [[f"{i * j * 7919 % 97}/{1 + (i * 31 + j * 17) % 89}" for j in range(100)]
                                         for i in range(100)]}),
    "vectors": ("hash", "rate", {"vectors": list(range(60))}),
    "keys": ("lookup", "target weight", {"b": "3", "queries": [[10**9]], "keys": [[10**9]]}),
    "signs": ("class", "complexity", {"root": "1", "y": ["1"] * 40, "predictions": [["1"] * 40, ["2"] * 40]}),
    "a kind": ([1], "rank", {}), "an escape": ("\x1b[2J", "\x1b[2J", {}), "deep": None,
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_a_hostile_object_costs_one_line(name, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(recheck_objects, "WORK", recheck_objects.WORK // 100)
    for part in ("certificates", "verdicts"):
        (tmp_path / part).mkdir()
    estimate = {"low": {"q": ["0x1", "0x1"]}, "high": {"q": ["0x1", "0x1"]}, "evidence": "EXACT"}
    kind, formula, made = OBJECTS[name] or ("table", "rank", {})
    quantity = "\x1b[2J" if name == "an escape" else "measured"
    row = {"point": {"n": "1"}, "control": "", "quantity": quantity, "measured": estimate}
    place = {"kind": kind, "point": {"n": "1"}, "object": made, "measures": {quantity: formula}}
    text = "[" * 60_000 if name == "deep" else json.dumps({"points": [place]})
    own = {"points": [{**place, "kind": "span", "object": {"rows": [["1"]]}, "measures": {"measured": "rank"}}]}
    for id, certificate in (("a.hostile", text), ("a.honest", json.dumps(own))):
        (tmp_path / "certificates" / f"{id}.json").write_text(certificate)
        kept = {**row, "quantity": "measured" if id == "a.honest" else quantity}
        (tmp_path / "verdicts" / f"{id}.json").write_text(json.dumps({"rows": [kept]}))
    begun = time.process_time()
    recheck_objects.main([str(tmp_path)])
    told = capsys.readouterr().out
    assert "a.honest: confirmed" in told
    assert any(f"a.hostile: {word}" in told for word in ("not expressible", "contradicted"))
    assert not any(sign in told for sign in UNSENT)
    assert time.process_time() - begun < 10

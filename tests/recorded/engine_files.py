"""What the engine makes of folders of checks, of errors at points and of its own files: answers of the record."""

import ast
import json
import tempfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from engine_examples import HUGE, SAID, claims, q, rho, said, shown
from sympy import Eq, exp, sqrt
from tiny import CHECK, NOTATION, PAPER, N, tiny, value

from theorytools import (
    BlockAttention,
    BudgetError,
    Catalogue,
    CheckError,
    DomainError,
    Enclosure,
    Estimate,
    Evidence,
    grid,
    points,
)
from theorytools.claims.judging import inputs, necessity_record, record, sealed, uses, verdict, witness
from theorytools.claims.judging.description import construction, findings, text_of
from theorytools.claims.judging.hypotheses import failing
from theorytools.claims.judging.judge import judge, used
from theorytools.claims.judging.picture import plot_verdict
from theorytools.claims.judging.run import judge_entry
from theorytools.claims.papers import loading, right_side, syntax
from theorytools.errors import CertificateError, UndecidedError
from theorytools.numbers import End

FOLDERS = {}
SLOW = CHECK.replace('    "Lemma 1",', '    "Lemma 1",\n    tier="minutes",')
NEEDED = (
    CHECK.replace("asserts=[value <= N],", "asserts=[value <= 9], requires=[N <= 9, N**2 >= 4],")
    .replace("grid=grid(N=[2, 3])", "grid=grid(N=[2, 9])")
    .replace('"one more", breaks=value, construct=lambda p: p.N + 1', '"far", breaks=value, construct=lambda p: 10**9')
)


def folder_of(**files):
    """A folder of checks with these texts by stem, which lasts as long as this process."""
    key = tuple(files.items())
    if key not in FOLDERS:
        FOLDERS[key] = tempfile.TemporaryDirectory(prefix="theorytools-engine-")
        home = Path(FOLDERS[key].name) / "toy"
        home.mkdir()
        for name, text in {"paper.toml": PAPER, "notation": NOTATION, "lemma_01": CHECK, **files}.items():
            path = home / (name if "." in name else f"{name}.py")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return Path(FOLDERS[key].name)


def plainly(answer, root):
    """A text without the folder's name."""
    return answer.replace(str(root.resolve()), "").replace(str(root), "") if isinstance(answer, str) else answer


# -- points and errors ------------------------------------------------------------------------------------------------
def of_points_off_a_list():
    """Values that were read for one point, and points that the statement names."""
    table = tiny(grid=points("N q", (2, 1), (3, 2)), asserts=[value <= N + q], controls=[HUGE])
    places = [{"N": n, "q": m} for n in (2, 3, 4) for m in (1, 2, 3)]
    made = []
    for parts in (
        {"tabulated": ["q"]},
        {"tabulated": [q, N]},
        {"listed": ["N", "q"]},
        {"listed": ["q"]},
        {"listed": [N]},
    ):
        for place in places:
            found = judge(replace(table, **parts), "toy.lemma_01", [place])
            made.append([str(found.outcome), found.reason, found.skipped])
    return made


def of_errors_at_points():
    """What a construction may raise at a user's point, and at one of the grid."""
    errors = [BudgetError("g", required="r", why="w", advice="a"), CertificateError("g", required="r"),
              UndecidedError("g", required="r"), DomainError("g", required="r", why="w"), CheckError("g", required="r"),
              ZeroDivisionError("z"), OverflowError("o"), MemoryError(), KeyError("k"), ValueError("v")]  # fmt: skip
    made = []
    for error in errors:

        def construct(p, error=error):
            if p.N > 4:
                raise error
            return p.N

        claim = tiny(construct=construct, controls=[HUGE])
        made.append(said(lambda: shown(judge(claim, "toy.lemma_01", [{"N": 5}, {"N": 2}]))))  # noqa: B023
        made.append(said(lambda: shown(judge(replace(claim, grid=grid(N=[5])), "toy.lemma_01"))))  # noqa: B023
        spoiled = replace(HUGE, measure=None, construct=construct)
        made.append(said(lambda: shown(judge(tiny(controls=[spoiled]), "toy.x", [{"N": 5}]))))  # noqa: B023
        made.append(said(lambda: shown(judge(tiny(controls=[spoiled], grid=grid(N=[5])), "toy.x"))))  # noqa: B023
    return [one if isinstance(one, str) else [one["outcome"], one["reason"], one["skipped"]] for one in made]


def of_derived_letters():
    """Letters that the construction fixes: exact, symbolic, computed at the precision asked for, and mistaken."""
    calls = []

    def root():
        calls.append(1)
        return Enclosure(2).sqrt()

    made = []
    for number in (3, Fraction(5, 2), sqrt(5), root, lambda: Enclosure(3), 0.5, None):
        claim = tiny(asserts=[value <= rho + N, value <= 2 * rho + N], derived=[rho], controls=[HUGE],
            requires=[rho >= 1],
                     derive=lambda thing, p, number=number: {rho: number})  # fmt: skip
        made.append(said(lambda: shown(judge(claim, "toy.lemma_01"))))  # noqa: B023
    wrong = tiny(asserts=[value <= rho + N], derived=[rho], controls=[HUGE], derive=lambda thing, p: {})
    lost = tiny(asserts=[value <= N], controls=[HUGE], measure=lambda thing, p: {})
    return (
        made,
        len(calls),
        said(judge, wrong, "toy.x"),
        said(judge, lost, "toy.x"),
        [
            failing([Eq(rho, 2)], {"rho": one, "N": one}, {"N": N}, bits=64)
            for one in (
                2,
                lambda: Enclosure(2),
                lambda: Enclosure(2).sqrt(),
                lambda: Enclosure(4).sqrt() + 0,
                exp(1),
                lambda: Enclosure(2).sqrt() ** 2,
            )
        ],
    )


# -- what is shown ----------------------------------------------------------------------------------------------------
def of_texts():
    made = []
    for name, claim in claims().items():
        found = judge(claim, "toy.lemma_01")
        rows = found.to_frame().astype(object).values.tolist() if name in ("both", "words", "sampled") else []
        made.append([name, str(found), repr(found), found._repr_html_(), found.ok, found.witness, rows])
        made.append([said(bool, found), said(lambda: found.raise_unless_expected().id)])  # noqa: B023
    long = judge(tiny(grid=grid(N=range(1, 15))), "toy.lemma_01")
    return (
        made,
        repr(long),
        long._repr_html_(),
        [construction(tiny(construct=made)) for made in (net, number, lambda p: p.N)],
    )


def net(p) -> BlockAttention:
    return p.N


def number(p) -> int:
    return p.N


def of_pictures_drawn():
    made = []
    for name in ("attained", "below", "both", "false", "two letters", "fitted", "rational"):
        rows = judge(claims()[name], "toy.lemma_01").rows
        for letter in ("", "N", "q", "beta"):
            figure = said(plot_verdict, rows, "a title", letter)
            made.append(figure if isinstance(figure, str) else [drawn(axes) for axes in figure.axes])
    return made


def drawn(axes):
    lines = [(line.get_marker(), line.get_xdata(), line.get_ydata(), line.get_label()) for line in axes.lines]
    bars = [part.get_segments() for part in axes.collections]
    return [axes.get_xscale(), axes.get_yscale(), axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), lines, bars]


# -- files ------------------------------------------------------------------------------------------------------------
def of_right_sides():
    root = folder_of(lemma_03=CHECK.replace("asserts=[value <= N]", "asserts=[value <= N, value >= 1]"))
    asked = [("toy.lemma_01",), ("toy.lemma_01", "value"), ("toy.lemma_01", "x"), ("toy.lemma_03",), ("toy.x",), (3,),
             ("toy",), ("toy.lemma_01", 3)]  # fmt: skip
    return [plainly(said(lambda: right_side.bound_of(*one, checks=root).latex()), root) for one in asked]  # noqa: B023


def of_chains_of_claims():
    def using(*ids):
        return CHECK.replace("    grid=", f"    uses={list(ids)!r},\n    grid=")

    root = folder_of(lemma_03=using("toy.lemma_01"), lemma_04=using("toy.lemma_05"), lemma_05=using("toy.lemma_04"),
                     lemma_06=using("toy.lemma_06"), lemma_07=using("toy.lemma_0"), lemma_08=using("toy.x",
                         "toy.lemma_01"),
                     lemma_09=using("toy.lemma_03", "toy.lemma_01"))  # fmt: skip

    def rests_on(entry):
        return [other.id for other in used(loading.load(entry), entry)]

    return [plainly(said(rests_on, entry), root) for entry in Catalogue(root).own]


def of_files_that_do_not_load():
    texts = {
        "a": CHECK.replace('role="statement", ', ""), "b": CHECK.replace('scope={"every N": "points"}, ', ""),
        "c": CHECK + "\nfor k in range(2):\n    globals()[f'made_{k}'] = replace(claim)\n",
        "d": "claim = (lambda: 3)()\n# Claim(\n",
        "e": CHECK + "\nraise SystemExit(3)\n", "f": CHECK + "\nimport nowhere\n", "g": CHECK.replace("Quantity(",
        "Quantum("),
        "h": CHECK + "\nmade = [claim]\nother = claim\n", "i": "from .lemma_01 import claim as other\n" + CHECK,
    }  # fmt: skip
    root = folder_of(**texts)
    made = []
    for entry in Catalogue(root).own:
        made.append([entry.id, plainly(said(lambda: loading.load(entry).label), root)])  # noqa: B023
        made.append(plainly(said(lambda: shown(judge_entry(entry))["outcome"]), root))  # noqa: B023
    return made


def of_witness_files():
    """A file of witnesses as it is, and with one part changed."""
    root = folder_of(lemma_02=NEEDED)
    catalogue = Catalogue(root)
    entry = next(e for e in catalogue.own if e.id == "toy.lemma_02")
    found = necessity_record._searched(entry)
    path = root / "witness.json"
    witness.write_witnesses(path, entry, found["witnesses"])
    made = [
        found["cells"],
        found["witnesses"],
        said(lambda: [row.to_json() for row in witness.replay(path, catalogue)]),
    ]
    whole = json.loads(path.read_text(encoding="utf-8"))
    changes = [{"schema": "x"}, {"id": 3}, {"id": "toy.x"}, {"witnesses": []}, {"witnesses": [3]}]
    for name, other in (("hypothesis", "N <= 8"), ("hypothesis", ""), ("within", not whole["witnesses"][0]["within"]),
                        ("point", {"N": "3"}), ("point", {"d": "3"}), ("point", 3), ("object", "x"), ("evaluations", 0),
                        ("evaluations", True), ("evaluations", 1), ("row", 3), ("row", {}), ("more", 1)):  # fmt: skip
        changes.append({"witnesses": [{**whole["witnesses"][0], name: other}]})
    for name, other in (("assertion", "x"), ("relation", ">="), ("evidence", "FITTED"), ("measured", "7"),
        ("bound", ["8"]),
                        ("bound", [])):  # fmt: skip
        one = whole["witnesses"][0]
        changes.append({"witnesses": [{**one, "row": {**one["row"], name: other}}]})
    for change in changes:
        path.write_text(json.dumps({**whole, **change}), encoding="utf-8")
        made.append(plainly(said(lambda: len(witness.replay(path, catalogue))), root))
    path.unlink()
    kept = witness.keep(root, entry, found["witnesses"])
    again = witness.keep(root, entry, [{**found["witnesses"][0], "hypothesis": "other"}])
    return made, kept == again, [one["hypothesis"] for one in witness.read_witnesses(kept)["witnesses"]]


def of_necessity_records():
    root = folder_of(lemma_02=NEEDED)
    entry = next(e for e in Catalogue(root).own if e.id == "toy.lemma_02")
    store = necessity_record.NecessityStore(root / "kept")
    first = store.claim(entry)
    again, fresh = store.claim(entry), store.claim(entry, fresh=True)
    line = {"id": entry.id, "check": syntax.fingerprint(entry.path), "cells": first["cells"]}
    (root / "kept" / f"{entry.id}.json").write_text("{", encoding="utf-8")
    from_record, stale = store.claim(entry, recorded=line), store.claim(entry, recorded={**line, "check": "x"})
    necessity_record.write_record(root / "n.json", [line, {**line, "id": "toy.x", "cells": []}], root)
    read = necessity_record.read_record(root / "n.json")
    made = []
    for text in ('{"schema": "x"}', "[]", "{"):
        (root / "n.json").write_text(text, encoding="utf-8")
        made.append(plainly(said(necessity_record.read_record, root / "n.json"), root))
    from theorytools.claims.papers.notes import Note

    noted = [Note(entry.id, cell["hypothesis"], proof="p") for cell in first["cells"]]
    made += [said(necessity_record.with_notes, entry, first, one) for one in ([], noted[:1], noted[1:],
        [Note(entry.id, "x", by="y")],
                                                                           [Note("toy.z", "x", by="y")])]  # fmt: skip
    return [first == again, first == fresh, from_record["witnesses"], stale["cells"], list(read), first["cells"],
            necessity_record.counts([line, line])], [one if isinstance(one,
                str) else one["cells"] for one in made]  # fmt: skip


def of_slow_records():
    """A record as it is judged again: as made, changed, of another library, without one."""
    root = folder_of(lemma_02=SLOW)
    entry = next(e for e in Catalogue(root).own if e.id == "toy.lemma_02")
    claim, made = loading.load(entry), []
    path = record.write_record(entry, judge_entry(entry, tier="minutes").to_json())
    whole = json.loads(path.read_text(encoding="utf-8"))
    row = whole["rows"][0]
    points_ = [{"N": "2"}, {"N": "3"}]
    changes = [{}, {"inputs": "x"}, {"inputs": "x", "cpu": {"points": [0.1, 0.1]}}, {"inputs": "x",
        "cpu": {"points": [9, 0.1]}},
               {"inputs": "x", "cpu": {"points": [0.1]}}, {"inputs": "x", "cpu": {}, "seconds": 3.9},
               {"inputs": "x", "cpu": {}, "seconds": 4.1},
               {"source": {"sha256": "x"}}, {"rows": whole["rows"][1:]}, {"outcome": "REFUTED"}, {"record": {}},
               {"skipped": [{}]},
               {"inputs": "x", "rows": [{**row, "measured": whole["rows"][1]["measured"]}, *whole["rows"][1:]]},
               {"inputs": "x", "skipped": [{"point": points_[0], "control": "", "reason": "r",
               "open": False}]}]  # fmt: skip
    for change in changes:
        path.write_text(json.dumps(sealed.sealed({**whole, **change})), encoding="utf-8")
        found = judge_entry(entry, tier="seconds")
        reason = found.reason.split(" (record of")[0]
        made.append([str(found.outcome), found.as_expected, reason, len(found.rows), found.document.get("stale")])
        made.append(said(record._spot_check, claim, entry, {**whole, **change}))
    path.write_text(json.dumps({**whole, "power": 1}), encoding="utf-8")
    made.append(judge_entry(entry, tier="seconds").reason)
    path.unlink()
    made.append(judge_entry(entry, tier="seconds").reason)
    rows = [verdict.row_from_json(one) for one in whole["rows"]]
    apart = replace(rows[0], measured=Estimate(End(5), End(6), Evidence.EXACT), control="")
    other = replace(rows[0], bound=(Estimate(End(5), End(6), Evidence.EXACT),))
    made += [record._rerun(claim, entry, own, {"N": 2}) for own in (rows, [apart, *rows[1:]], [other, *rows[1:]], [])]
    return made, [record._sizes(one) for one in (["2", "w", "1/2"], [], ["w"])]


def of_statements_that_rest_on_others():
    lemma = CHECK.replace("from .notation", "from .lemma_01 import value as other\nfrom .notation")
    paper = PAPER.replace('open = "nobody has written it"', 'rests_on = ["lemma_01"]')
    paper += '\n[[statement]]\nid = "theorem_01"\nlabel = "Theorem 1"\nprovenance = "derived here"\n'
    bound = CHECK.replace(
        "from theorytools import", "from theorytools.theory.memory.fano import fano_bits\nfrom theorytools import"
    )
    root = folder_of(**{"paper.toml": paper, "lemma_02": lemma, "theorem_01": bound, "theorem_01_more": bound})
    catalogue = Catalogue(root)
    named = {"toy.theorem_01": ["toy.lemma_02", "toy.none"], "toy.lemma_02": ["toy.lemma_02"]}
    found = [uses.statement_uses(catalogue, catalogue.paper("toy"), inputs.ImportTable(), one) for one in ({}, named)]
    return found, findings(catalogue, catalogue.paper("toy")), text_of(catalogue.own[0])


def of_import_tables():
    texts = {
        "lemma_02": "import theorytools\nfrom theorytools.claims import judging\n"
        "from .lemma_01 import value\nfrom . import notation\n",
        "lemma_03": "import importlib\nimportlib.import_module('x')\n__import__('y')\n"
        "from theorytools import Claim, grid\n",
    }
    root = folder_of(**texts)
    table, made = inputs.ImportTable(), []
    for name in ("lemma_01", "lemma_02", "lemma_03", "notation"):
        path = root / "toy" / f"{name}.py"
        made.append([table.of(path), sorted(p.name for p in table.checks(path)), len(table.near(path)) > 0])
    small = [sorted(p.name for p in inputs._files(module, names)) for module, names in (
        ("theorytools.errors", ("DomainError",)), ("theorytools.claims.judging", ("judge",)),
        ("theorytools.numbers", ("Enclosure",)), ("theorytools.claims", ("*",))) if "*" not in names]  # fmt: skip
    tree = ast.parse("import_module('a'); x.import_module(b); f(); x.f(); __import__('c')")
    calls = [inputs._dynamic(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    table.keep(root / "t.json")
    again = inputs.ImportTable.kept(root / "t.json")
    one = inputs.inputs_digest(Catalogue(root).own[0], table, record=False)
    (root / "toy" / "table.csv").write_text("1", encoding="utf-8")
    two = inputs.inputs_digest(Catalogue(root).own[0], table, record=False)
    (root / "toy" / "table.csv").unlink()
    same = inputs.inputs_digest(Catalogue(root).own[0], record=True)
    return made, small, calls, table.grown, again.grown, again.known == table.known, one == two, one == same, [
        inputs.ImportTable.kept(root / "none.json").known, inputs._place(root / "toy" / "lemma_01.py"),
            len(SAID)]  # fmt: skip

"""The tool that mutates the library: what it draws, what it leaves out, what kills a mutant and what does not."""

import ast
import itertools
import json

import pytest
from source_tree import ROOT

from tools.mutants import __main__ as tool
from tools.mutants import drawing, judging, operators, record
from tools.mutants.entering import Functions, _changed
from tools.mutants.nearest import nearest
from tools.mutants.tracing import chosen

SNIPPET = '''
"""A module. 1 + 1"""
def f(x: Annotated[int, 3], y=2):
    """Docstring 4."""
    if x < 0:
        raise ValueError(f"{x + 5}", 6)
    if not x and y:
        return -x
    x += 7
    return max(x, math.floor(y)) + x[1]
class A:
    def __repr__(self):
        return "A" * 8
'''


def place_of(file, function, operator):
    found = operators.places(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    place = next(p for p in found if p.function == function and p.operator == operator)
    return drawing.Mutant(file, operator, place.node, place.changes[0], place.line, place.lines, function)


def test_the_draw_is_a_function_of_the_seed_and_names_no_mutant_twice():
    first, again, other = (drawing.draw(seed, 12, ("tasks", "codes")) for seed in (1, 1, 2))
    assert first == again
    assert {m.name for m in first} != {m.name for m in other}
    assert len({m.name for m in first}) == len(first) == 12
    assert not any(drawing.equal(m.code(), drawing.original(ROOT / m.file)) for m in first)


def test_shares_add_up_and_every_package_has_its_least():
    for count in (8, 40, 400):
        shares = drawing.shares(count, drawing.PACKAGES)
        assert sum(shares.values()) == count
        assert min(shares.values()) >= count // drawing.LEAST


def test_every_operator_changes_code_and_none_touches_what_only_a_reader_sees():
    source, seen = ast.parse(SNIPPET), set()
    unmutated = compile(source, "snippet", "exec")
    for place in operators.places(ast.parse(SNIPPET)):
        for change in place.changes:
            tree = operators.changed(ast.parse(SNIPPET), place.operator, place.node, change)
            text = ast.unparse(tree)
            assert text != ast.unparse(source)
            assert not drawing.equal(compile(tree, "snippet", "exec"), unmutated)
            assert all(part in text for part in ("A module. 1 + 1", "Docstring 4.", "Annotated[int, 3]", "'A' * 8"))
            if place.operator != "guard":
                assert "raise ValueError(f'{x + 5}', 6)" in text
            seen.add(place.operator)
    assert seen == {*operators.OPERATORS}


def test_code_on_another_line_is_equal_and_another_constant_is_not():
    def made(text):
        return compile(text, "snippet", "exec")

    assert drawing.equal(made("def f(x):\n    return x + 1"), made("\n\ndef f(x):\n\n    return x + 1"))
    assert not drawing.equal(made("def f(x):\n    return x + 1"), made("def f(x):\n    return x + 2"))
    assert not drawing.equal(made("x = 1"), made("x = 1.0"))
    assert not drawing.equal(made("x = 0.0"), made("x = -0.0"))


def asked(mutant, claims, code=None):
    """What these claims say of a mutant, each child importing the library anew."""
    record, _ = judging.committed_record()
    way = (code or mutant.code(), None)
    return judging.by_claims(mutant, way, [(id, 1.0) for id in claims], record, None)


def test_a_number_that_moves_is_a_kill_by_a_verdict():
    mutant = place_of("theorytools/papers/qstr/tasks/decaying_weights.py", "DecayingWeights.squares", "arithmetic")
    kind, by, what, count = asked(mutant, ["qstr.question_c"])
    assert (kind in ("outcome", "number"), by, count) == (True, "qstr.question_c", 1), what


@pytest.mark.slow
def test_an_equivalent_mutant_survives_and_so_does_the_module_itself():
    """Without the shortcut for V_2 = 0 the products with zeros are added, which is zero exactly."""
    mutant = place_of("theorytools/papers/stsq/attention/selector.py", "SparseSelector.loss", "guard")
    assert asked(mutant, ["stsq.expressivity_duplicate"]) == ("", "", "", 1)
    itself = drawing.original(ROOT / mutant.file)
    assert asked(mutant, ["stsq.expressivity_duplicate"], itself) == ("", "", "", 1)


@pytest.mark.slow
def test_pytest_imports_the_library_as_it_was_changed():
    """A change that makes a child import anew is one of the library that tests see, too."""
    test = "tests/claims/papers/test_catalogue.py::test_a_file_that_does_not_parse_is_one_broken_entry"
    mutant = place_of("theorytools/claims/papers/syntax.py", "_entries", "guard")
    itself, broken = drawing.original(ROOT / mutant.file), compile("raise ValueError", "broken", "exec")
    assert judging.run_tests([test], 60.0, mutant, (itself, None))[0] == ""
    assert judging.run_tests([test], 60.0, mutant, (broken, None))[0] == "test"


@pytest.mark.slow
def test_a_module_that_does_not_import_is_a_crash_and_no_verdict():
    mutant = place_of("theorytools/papers/qstr/tasks/decaying_weights.py", "DecayingWeights.squares", "arithmetic")
    kind, *_ = asked(mutant, ["qstr.question_c"], compile("raise ValueError", "broken", "exec"))
    assert kind == "crash"


@pytest.mark.slow
def test_functions_are_exchanged_where_that_is_enough_and_the_library_is_imported_anew_elsewhere():
    import theorytools.papers.qstr.tasks.decaying_weights as module

    mutant = place_of("theorytools/papers/qstr/tasks/decaying_weights.py", "DecayingWeights.squares", "arithmetic")
    code, functions = mutant.code(), Functions({})
    pairs = functions.exchange(mutant, code)
    assert [(f.__qualname__, drawing.equal(f.__code__, new)) for f, new in pairs] == [
        ("DecayingWeights.squares", False)
    ]
    ran = Functions({module.__file__: range(1, 1000)})  # as though everything ran at import
    assert ran.exchange(mutant, code) is None
    top = compile("X = 1\ndef f(): return 1", "m", "exec"), compile("X = 2\ndef f(): return 1", "m", "exec")
    assert [new for _, new in _changed(*top)] == [None]


@pytest.mark.slow
def test_the_nearest_tests_name_what_is_changed():
    mutant = place_of("theorytools/papers/stsq/attention/selector.py", "SparseSelector.loss", "guard")
    found = nearest(mutant, 5)
    assert len(found) == len(set(found)) == 5
    assert any("sparse_selection" in test for test in found)


class Known:
    """What was traced of three tests: two run the line, the third one runs others."""

    def __init__(self, near):
        self.tests, self.near = {"a::dear", "b::cheap", near}, near

    def of(self, file, lines):
        return {"a::dear": 3.0, "b::cheap": 0.1}


def test_the_cheapest_tests_that_run_the_line_come_first_and_traced_ones_that_do_not_come_last():
    mutant = place_of("theorytools/papers/stsq/attention/selector.py", "SparseSelector.loss", "guard")
    near = nearest(mutant, 3)[0]
    found = chosen(mutant, Known(near), 100)
    assert found[0] == "b::cheap"
    assert "a::dear" in found[:6]
    assert near not in found[:9]
    assert len(found) == len(set(found))


def test_scores_count_every_mutant_once_and_know_the_equivalent_ones():
    fates = [("outcome", ""), ("number", ""), ("crash", ""), ("timeout", ""), ("", "test"), ("", ""), ("", "")]
    rows = [
        {"mutant": str(i), "claim": [c, "", ""], "test": [t, "", ""], "claims": 1} for i, (c, t) in enumerate(fates)
    ]
    score = record.score(rows, {"6": "a reason"})
    assert sum(score[name] for name in record.FATES) == score["mutants"] == 7
    assert score["percent"] == {"claims": 57.1, "verdict": 28.6, "all": 71.4}
    assert score["percent_without_equivalent"] == {"claims": 66.7, "verdict": 33.3, "all": 83.3}


def test_help_has_an_example_and_the_plan_is_printed_without_a_run(capsys):
    with pytest.raises(SystemExit) as ended:
        tool.main(["--help"])
    assert ended.value.code == 0
    assert "python -m tools.mutants --seed 1 --count 40 --plan" in capsys.readouterr().out
    words = ["--seed", "3", "--count", "5", "--package", "tasks", "--plan"]
    assert tool.main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert tool.main([*words, "--json"]) == 0
    assert [m["mutant"] for m in json.loads(capsys.readouterr().out)] == [line.split()[0] for line in lines]


@pytest.mark.parametrize(
    "words",
    [["--seed", "-1"], ["--seed", "today"], ["--count", "0"], ["--count", "1.5"], ["--package", "checks"],
     ["--patience", "0"], ["--minutes", "0"], ["--minutes", "soon"], ["--minutes", "nan"]],
)  # fmt: skip
def test_bad_arguments_are_refused_in_four_parts(words, capsys):
    assert tool.main([*words, "--plan"]) == 2
    said = capsys.readouterr().err
    assert all(part in said for part in ("given:", "required:", "why:", "try:", words[1]))


def test_the_committed_record_adds_up():
    found = json.loads((ROOT / "reports" / "mutation.json").read_text(encoding="utf-8"))
    assert found["judged"] <= found["drawn"] == 400
    order = (
        [m.name for m in drawing.draw(found["seed"], found["drawn"])] if found["library"] == drawing.digest() else []
    )
    judged = {*found["killed"], *(row["mutant"] for row in found["survivors"])}
    assert not order or judged == {*order[: found["judged"]]}  # the first of them: none was picked
    total = found["score"]
    assert total["mutants"] == found["judged"] == len(found["killed"]) + len(found["survivors"])
    for part, name in itertools.product(("by_package", "by_operator"), record.FATES):
        assert sum(score[name] for score in found[part].values()) == total[name]
    named = {row["mutant"] for row in found["survivors"]}
    assert all(row["reason"] for row in found["survivors"])
    assert {m for m in record.equivalents() if m in named} == {
        r["mutant"] for r in found["survivors"] if r["equivalent"]
    }

"""Lints of a check, each slip beside the twin that must stay silent."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from on_trial import NOTATION, on_trial

from theorytools.claims.judging.trial.lints import lints
from theorytools.claims.judging.trial.tex import fault, formulas, unclosed

FAULTS = [
    (r"\frac{a}{b", "not closed"), ("a}", "none opened"), (r"\left(a", r"1 \left and 0 \right"), ("x^2^3", "exponents"),
    ("x_1_{2}", "indices"), ("a^", "nothing after ^"), (r"\frac1", "lacks an argument"), (r"\sqrt[3]", "lacks"),
    (r"\alhpa", r"\alpha?"), (r"\begin{cases}a", r"1 \begin"), ("\frac12", r"\f as one sign"), ("\beta", r"\b as one"),
]  # fmt: skip
GOOD = [
    r"\frac12", r"x_1^2", r"\hat x_i^{2}", r"f'^2", r"\sqrt[3]{x}", r"\sup_f|\hat E f|^2", r"\frac\log2", r"x^\frac12",
    r"\KL(p\|q)", r"\{x\}", r"\left\{a\right.", r"\tfrac{M}2", r"{x^2}^3", r"\operatorname*{argmax}_x", "",
]  # fmt: skip


@pytest.mark.parametrize(("formula", "said"), FAULTS)
def test_what_no_tex_accepts_is_told(formula, said):
    assert said in fault(formula)


@pytest.mark.parametrize("formula", GOOD)
def test_formulas_that_tex_accepts_are_not(formula):
    assert fault(formula) == ""


NESTED = st.recursive(
    st.sampled_from([r"\alpha ", "x", r"\hat y"]),
    lambda inner: st.builds(r"\frac{{{}}}{{{}}}^{{{}}}".format, inner, inner, inner),
    max_leaves=5,
)


@settings(max_examples=30)
@given(NESTED)
def test_nested_formulas_stay_formulas_until_a_brace_is_lost(formula):
    assert fault(formula) == ""
    for place in [place for place, sign in enumerate(formula) if sign in "{}"]:
        assert fault(formula[:place] + formula[place + 1 :])


def test_dollars_pair():
    assert formulas(r"a $x$ of 3\$ and $y_{\$}$") == ["x", r"y_{\$}"]
    assert unclosed("a $x")
    assert not unclosed(r"3\$ and $x$")


ITEMS = "Items.\n\nSetting    $N$ items in $d$ dimensions.\nStatement  "
OWN = 'd = letter("d", "{}", integer=True, positive=True)\n'
PLAIN = {"doc": ITEMS + "$s\\le N$.\n"}
TWO = {"grid": "grid(N=[2, 3], d=[1, 2])"}
RANDOM = "lambda p: [{} for _ in range(p.N)]"
SEVEN = {"requires": "[d <= 7]", "asserts": "size <= 9 * d", **TWO}
SLIPS = [
    ("lacks an argument", {"quantity": r'Quantity("size", r"\frac1", "items")'},
     {"quantity": r'Quantity("size", r"\frac12", "items")'}),
    ("is no command", {"doc": ITEMS + r"$\alhpa\le N$." + "\n"}, {"doc": ITEMS + r"$\alpha\le N$." + "\n"}),
    ("odd number", {"doc": ITEMS + "$s is at most N.\n"}, {"doc": ITEMS + "$s$ is at most N.\n"}),
    ("'a dimension of ours'", {"code": OWN.format("a dimension of ours"), "asserts": "size <= 9 * d", **TWO},
     {"code": OWN.format("dimension"), "asserts": "size <= 9 * d", **TWO}),
    ("both printed as $N$", {"asserts": "size <= N * d", **TWO,
                             "notation": NOTATION.replace('"dimension",', '"dimension", latex="N",')},
     {"asserts": "size <= N * d", **TWO}),
    ("the axis d changes nothing", TWO, {**TWO, "measure": "lambda x, p: {size: len(x) * p.d}"}),
    ("`numpy.random.rand` has no seed", {"construct": RANDOM.format("np.random.rand()")},
     {"construct": RANDOM.format("np.random.default_rng(0).random()")}),
    ("`numpy.random.default_rng`", {"construct": RANDOM.format("np.random.default_rng().random()")},
     {"construct": RANDOM.format("p.rng('items').random()")}),
    ("`random.random`", {"construct": RANDOM.format("random.random()")},
     {"construct": RANDOM.format("random.Random(3).random()")}),
    ("`time.time`", {"construct": RANDOM.format("time.time()")}, {"construct": RANDOM.format("math.floor(2)")}),
    ("`requires` has d <= 1024", {"requires": "[d <= 1024]", **PLAIN, "asserts": "size <= 9 * d", **TWO},
     {"requires": "[d <= 1024]", "doc": ITEMS + "$s\\le9d$ for $d\\le2^{10}$.\n", "asserts": "size <= 9 * d", **TWO}),
    ("the text has no d", {"doc": "Items.\n\nStatement  $s\\le N$.\n", **SEVEN},
     {"doc": "Items.\n\nStatement  It is small.\n", **SEVEN}),
    ("1 of 2 points of the grid lie outside", {"requires": "[N >= 3]", **PLAIN},
     {"requires": "[N >= 3]", "grid": "grid(N=[2, 3])  # 2 is outside\n", "code": "", **PLAIN}),
    ("another number", {"code": "seen = []\n", "measure": "lambda x, p: {size: len(seen) + (seen.append(1) or 0)}"},
     {"code": "seen = []\n", "measure": "lambda x, p: {size: len(x) + (seen.append(1) or 0)}"}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "wrong", "right"), SLIPS, ids=[said for said, _, _ in SLIPS])
def test_a_slip_is_told_and_its_twin_is_not(tmp_path, said, wrong, right):
    judged = said.startswith(("the axis", "1 of 2", "another"))  # the others read the file alone
    (remark,) = lints(on_trial(tmp_path / "wrong", judged=judged, **wrong))
    assert said in remark.text
    assert (remark.instrument, bool(remark.advice)) == ("lint", True)
    assert list(lints(on_trial(tmp_path / "right", judged=judged, **right))) == []


USED = [
    {"construct": "lambda p: list(range(len(p.axes)))"}, {"construct": "lambda p: list(repr(p))"},
    {"construct": "lambda p: p.rng('x').random(2).tolist()"}, {"grid": "grid(N=[2, 3], d=[1])"},
    {"code": "from theorytools import points\n", "grid": "points('N d', (2, 1), (3, 2))"},  # no two compare
    {"requires": "[d <= N]"}, {"more": "listed=[d]"},
]  # fmt: skip


@pytest.mark.parametrize("parts", USED)
def test_an_axis_that_something_may_read_or_that_says_what_is_listed_is_not_told(tmp_path, parts):
    trial = on_trial(tmp_path, **TWO | parts)
    assert [remark.text for remark in lints(trial) if "outside" not in remark.text] == []

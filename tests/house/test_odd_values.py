"""What hides something from whoever reads its array is refused by name, wherever an array of numbers is meant."""

import json
import subprocess
import sys

import numpy as np
import odd_values
import pytest
from source_tree import SUPPORT

from theorytools import BlockAttention, Encodings, SignCode, hadamard
from theorytools.arguments.checked import plan_of
from theorytools.arguments.hidden import hidden
from theorytools.arguments.kinds import REFUSED
from theorytools.errors import TheoryError

ROWS = [[1, 2], [3, 5]]
CALLS = {
    "SignCode": (SignCode, [[1, 1], [1, -1]]),
    "Encodings": (Encodings, [[3, 1], [-1, 2]]),
    "BlockAttention": (lambda x: BlockAttention(hadamard(4), beta=6, q=1, d=1).tokens(x, [[[0]] * 4]), [[[1]] * 4]),
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # torch calls some of these tensors new
TWINS = ["masked", "masked rows", "on meta", "sparse", "quantised", "with a gradient", "a parameter", "nested"]


@pytest.mark.parametrize("name", CALLS)
def test_numbers_below_a_mask_or_within_another_tensor_are_not_computed(name):
    call, good = CALLS[name]
    call(good)
    for way, make in odd_values.hiding(good).items():
        if way != "doubled lists":
            with pytest.raises(TheoryError) as caught:
                call(make())
            assert caught.value.given, way
            assert caught.value.required, way


def test_a_kind_of_array_says_what_it_refuses_and_takes_the_same_numbers_in_the_open():
    kind = plan_of(SignCode.__init__).by_name["signs"]
    for way in TWINS:
        value = odd_values.hiding(ROWS)[way]()
        assert hidden(value), way
        assert kind.take(value) is REFUSED, way
    for name in ("a tensor", "float16", "the other bytes first"):
        value = odd_values.plain(ROWS)[name]()
        assert hidden(value) == "", name
        assert np.array_equal(np.asarray(value), ROWS)


def test_lists_that_spell_more_than_memory_holds_are_counted_and_not_read():
    assert "entries" in hidden(odd_values.doubled(60))
    assert "inside itself" in hidden(odd_values.endless())
    assert "deep" in hidden(odd_values.nested(5000))


@pytest.mark.slow
@pytest.mark.parametrize("room", ["measures", "numbers"])
def test_no_odd_value_comes_back_as_nan_and_none_that_hides_something_is_computed(room):
    command = [sys.executable, str(SUPPORT / "odd_calls.py"), room, "--share", "1/150", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    assert [fault for fault in found["faults"] if fault[3] in ("nan", "silent")] == []
    assert found["calls"] > 20  # what this share of the calls comes to in the smallest room


def test_a_tensor_is_an_array_only_where_its_entries_are_plain_and_here():
    torch = pytest.importorskip("torch")
    plain = torch.ones(2, 2)
    assert hidden(plain) == ""
    kinds = {
        "meta": plain.to("meta"), "sparse": plain.to_sparse(), "gradient": plain.clone().requires_grad_(),
        "nested": torch.nested.nested_tensor([torch.ones(1), torch.ones(2)]),
        "conjugate": plain.to(torch.complex64).conj(),
        "quantised": torch.quantize_per_tensor(plain, 0.1, 0, torch.qint8),
    }  # fmt: skip
    assert {kind: kind in hidden(tensor) for kind, tensor in kinds.items()} == dict.fromkeys(kinds, True)
    assert hidden(kinds["gradient"], learns=True) == ""

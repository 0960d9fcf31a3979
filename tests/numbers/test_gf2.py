"""The field with q elements by its definition: a group of products that distributes over sums, and its roots."""

import itertools

import numpy as np
import pytest
from hypothesis import strategies as st
from properties import examples

from theorytools.errors import DomainError
from theorytools.numbers.gf2 import carryless_product, cyclotomic_coset, matrix_rank, minimal_polynomial, powers, solve
from theorytools.numbers.gf2 import product_table as products


@pytest.mark.parametrize("q", [2, 4, 8, 16, 32])
def test_the_products_of_a_field_make_a_group_that_distributes_over_sums(q):
    table = products(q)
    assert (table == table.T).all()
    assert (table[1] == np.arange(q)).all()
    assert all(sorted(row[1:]) == list(range(1, q)) for row in table[1:])  # every equation has one solution
    everything = np.arange(q)
    a, b, c = everything[:, None, None], everything[None, :, None], everything[None, None, :]
    assert (table[a, b ^ c] == table[a, b] ^ table[a, c]).all()
    assert (table[table[a, b], c] == table[a, table[b, c]]).all()


@pytest.mark.parametrize("m", range(2, 6))
def test_products_are_those_of_polynomials_modulo_one_of_degree_m(m):
    table = products(2**m)
    overflow = carryless_product(2, 2 ** (m - 1))  # x times x^(m-1), before it is reduced
    modulus = overflow ^ int(table[2, 2 ** (m - 1)])

    def reduced(word):
        while word >> m:
            word ^= modulus << (word.bit_length() - 1 - m)
        return word

    for a, b in itertools.product(range(2**m), repeat=2):
        assert table[a, b] == reduced(carryless_product(a, b))


@pytest.mark.parametrize("m", range(1, 6))
def test_a_minimal_polynomial_has_its_root_and_no_shorter_one_does(m):
    q, elements = 2**m, powers(m)
    table = products(q)
    assert sorted(elements) == list(range(1, q))

    def value(polynomial, x):
        total = 0
        for bit in reversed(range(polynomial.bit_length())):
            total = int(table[total, x]) ^ (polynomial >> bit & 1)
        return total

    for s in range(q - 1):
        least = minimal_polynomial(s, m)
        assert value(least, elements[s]) == 0
        assert least.bit_length() - 1 == len(cyclotomic_coset(s, m))
        assert all(value(shorter, elements[s]) for shorter in range(1, 1 << (least.bit_length() - 1)))


def test_a_rank_is_the_logarithm_of_the_number_of_sums():
    rng = np.random.default_rng(np.random.SeedSequence(2))
    for rows, columns in itertools.product(range(1, 6), range(1, 7)):
        bits = rng.integers(0, 2, (rows, columns), dtype=np.uint8)
        sums = {tuple(np.array(c) @ bits % 2) for c in itertools.product((0, 1), repeat=rows)}
        assert 2 ** matrix_rank(bits) == len(sums)


@pytest.mark.parametrize("wrong", [0, 1, 3, 6, 512])
def test_only_tabulated_fields(wrong):
    with pytest.raises(DomainError, match="characteristic 2"):
        products(wrong)


@examples(60, st.lists(st.tuples(st.integers(0, 63), st.integers(0, 1)), max_size=9))
def test_equations_are_solved_exactly_where_some_word_solves_them(equations):
    rows, right = [row for row, _ in equations], [value for _, value in equations]
    found = [w for w in range(64) if all((w & row).bit_count() % 2 == v for row, v in equations)]
    answer = solve(rows, right)
    assert answer in found if found else answer is None

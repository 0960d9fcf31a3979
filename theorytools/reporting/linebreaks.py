"""Where a formula within text may be broken: browsers never break a ``<math>`` element, so a long one becomes several.

As TeX does, a line ends after a relation, a binary operator or a comma, outside brackets; inside brackets only where a
piece would still be longer than a narrow line.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

NARROW = 20  # letters that surely fit on a line of a telephone
RELATIONS = frozenset("=≠<>≤≥⩽⩾≪≫∈∉⊂⊆→←↦⇒⇔∼≈≃≡∝∣:")
OPERATORS = frozenset("+−-±·×∘∧∨∪∩")
SEPARATORS = frozenset(",;")
OPENING, CLOSING, BARS = frozenset("([{⟨⌈⌊"), frozenset(")]}⟩⌉⌋"), frozenset("|‖")


def width(node: Element) -> float:
    """Return about how many letters wide a tree is; of a fraction the wider side, of a script two thirds."""
    inner = [width(child) for child in node]
    if node.tag in {"mfrac", "munder", "mover", "munderover"}:
        return max(inner, default=0.0)
    if node.tag in {"msub", "msup", "msubsup"}:
        return inner[0] + 0.67 * max(inner[1:])
    return sum(inner) + len((node.text or "").strip(" \N{NO-BREAK SPACE}\N{FUNCTION APPLICATION}"))


def pieces(tree: Element) -> list[Element]:
    """Return the formula in pieces that may stand on lines of their own; the formula itself where it is short."""
    parts = [list(tree)]
    for depth, signs in ((0, RELATIONS | SEPARATORS), (0, OPERATORS), (1, RELATIONS | SEPARATORS | OPERATORS)):
        parts = [piece for part in parts for piece in (_split(part, depth, signs) if _long(part) else [part])]
    if len(parts) == 1:
        return [tree]
    return [_math(tree, part) for part in parts]


def _long(nodes: Iterable[Element]) -> bool:
    return sum(map(width, nodes)) > NARROW


def _split(nodes: list[Element], deepest: int, signs: frozenset[str]) -> list[list[Element]]:
    """Split after operators among ``signs`` within at most ``deepest`` pairs of brackets."""
    found: list[list[Element]] = [[]]
    depth, norm = 0, False
    for place, node in enumerate(nodes):
        found[-1].append(node)
        core = node[0] if node.tag in {"msub", "msup", "msubsup"} else node  # a bracket may carry the exponent
        sign = (core.text or "") if core.tag == "mo" else ""
        depth += (sign in OPENING) - (sign in CLOSING)
        norm = core is node and not norm if sign in BARS else norm  # one with a script only ever closes
        before = nodes[place - 1] if place else None
        prefix = before is None or (before.tag == "mo" and sign in OPERATORS and before.text not in CLOSING)
        last = place == len(nodes) - 1
        if core is node and sign in signs and 0 <= depth <= deepest and not (norm or prefix or last):
            node.set("form", "infix")
            found.append([])
    return found


def _math(tree: Element, nodes: list[Element]) -> Element:
    piece = Element("math", dict(tree.attrib))
    piece.extend(nodes)
    return piece

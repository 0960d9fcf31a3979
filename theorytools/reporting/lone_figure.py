"""The figure of a verdict as an SVG file that stands alone: the drawing of its page, and the words around it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from textwrap import wrap
from typing import Any

from theorytools.reporting.canvas import alone, described, element, text
from theorytools.reporting.curves_picture import WIDTH
from theorytools.reporting.plots import Figure, entry_of, figure
from theorytools.reporting.rendering import STYLE, TEMPLATES
from theorytools.reporting.rows import letters
from theorytools.reporting.series import chart
from theorytools.reporting.signs import letter_signs

LINE, LETTERS = 16, 46  # units of a line of words, and letters that it has room for
WORDS = (
    ".lone text{font:12px system-ui,'Segoe UI',Roboto,'Liberation Sans',Arial,sans-serif;fill:var(--ink)}"
    ".lone .ground{fill:var(--page)}.lone .asked{font-weight:600}.lone .notes{fill:var(--quiet)}"
    ".lone .words.bound{fill:var(--bound)}.lone .words.control{fill:var(--control)}"
    ".lone .words.failing{fill:var(--bad)}.lone .words.undecided{fill:var(--doubt)}"
)


def lone_figure(verdict: Mapping[str, Any], letter: str = "") -> str:
    """Return the figure of a verdict as a whole SVG file, empty where it has a single point.

    Parameters
    ----------
    verdict : a stored verdict.
    letter : along which the curves run; chosen as :mod:`theorytools.reporting.series` says unless given.
    """
    made = figure(verdict, letter)
    shown = chart(verdict, letter)
    if made is None or shown is None:
        return ""
    entry = entry_of(verdict, shown)
    quantity = ": ".join(one for one in (entry.get("quantity") or shown.quantity, entry.get("meaning")) if one)
    above = [(f"{verdict.get('label') or verdict.get('id', '')}. {made.question}", "asked"), (made.answer, "words")]
    above += [(quantity, "notes")] if shown.axis else []
    below = [(_across(verdict, shown.axis) if shown.axis else quantity, "notes")]
    below += [(f"{sign} {_plain(said)}", f"words {name}") for name, sign, said in made.keys]
    below += [(" ".join(made.notes), "notes")] if made.notes else []
    top, upper = _written(above, 18)
    size = re.search(r'viewBox="0 0 \S+ (\S+)"', made.svg)
    high = float(size[1]) if size else 0.0
    bottom, lower = _written(below, top + high + 6)
    body = [element("rect", class_="ground", width="100%", height="100%"), *upper]
    body.append(str(made.svg).replace("<svg ", f'<svg x="0" y="{top - 8:g}" width="{WIDTH}" height="{high:g}" ', 1))
    return alone(
        (WIDTH, bottom), above[0][0], *described(_told(made)), *body, *lower, style=_colours() + WORDS, name="lone"
    )


def _told(made: Figure) -> str:
    found = re.search(r"<desc>(.*?)</desc>", made.svg, re.S)
    return html.unescape(found[1]) if found else made.answer


def _across(verdict: Mapping[str, Any], name: str) -> str:
    meaning = next((one.get("meaning") for one in verdict.get("letters") or () if one["name"] == name), "")
    sign = letter_signs(name, letters(verdict).get(name, ""))
    return f"{sign}, {meaning}" if meaning else sign


def _plain(said: str) -> str:
    """The words of HTML, without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", str(said)))


def _written(told: list[tuple[str, str]], top: float) -> tuple[float, list[str]]:
    """Texts in lines below each other from a base line on, and where the next one would stand."""
    lines = [(line, name) for words, name in told for line in wrap(words, LETTERS)]
    return top + LINE * len(lines), [text(10, top + LINE * k, line, name=name) for k, (line, name) in enumerate(lines)]


@lru_cache(maxsize=1)
def _colours() -> str:
    """What the style sheet of the pages says of colours and of drawings."""
    sheet = (TEMPLATES / STYLE).read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\}", sheet, re.S)[:2]
    plots = re.findall(r"^\.plot \..*$", sheet, re.M) + re.findall(r"^\.plot text .*$", sheet, re.M)
    made = f".lone{{{light}}}@media(prefers-color-scheme:dark){{.lone{{{dark}}}}}{''.join(plots)}"
    return re.sub(r"\s*([{};:,])\s*", r"\1", made)

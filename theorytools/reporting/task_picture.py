"""The task of the papers as a picture: what is asked of a prompt, and how three kinds of networks find the answer.

One prompt of three tokens, small enough to be added up by the reader.  Its four panels stand beside each other on a
wide page and below each other on a phone, each with letters of its own size; ``python -m
theorytools.reporting.task_picture`` writes all four as one file, ``docs/task.svg``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from theorytools.reporting.canvas import alone, described, element, inline, number, path, text

TOKENS = (5, 2, 4)
ASKED = ((1, 2), (0, 2), (0, 1))  # for each position, which tokens it points to
WIDTH, TASK, NETWORK = 328, 274, 226  # units of a panel: its width, and the heights of the task and of a network
MIDDLES = (56, 164, 272)  # of the three positions
STYLE = (
    ".task text{font:13px system-ui,'Segoe UI',Roboto,'Liberation Sans',Arial,sans-serif;fill:var(--ink,#1c1e21)}"
    ".task .tk-head{font-weight:600;font-size:14px}.task .tk-quiet{fill:var(--quiet,#5b626b)}"
    ".task .tk-token{font-size:18px}.task .tk-here,.task .tk-own{fill:var(--bound,#1d5c9e)}"
    ".task .tk-here,.task .tk-token{font-weight:600}"
    ".task path,.task rect{fill:none;stroke:var(--quiet,#5b626b);stroke-width:1}"
    ".task .tk-line{stroke:var(--bound,#1d5c9e);stroke-width:2.4}.task .tk-faint{stroke-opacity:.55}"
    ".task .tk-memory{fill:var(--bound,#1d5c9e);fill-opacity:.14;stroke:var(--bound,#1d5c9e)}"
)
BESIDE = (
    "figure.sparse{max-width:none;display:flex;flex-wrap:wrap;justify-content:center;gap:.8rem 1.2rem}"
    ".sparse>div{flex:1 1 18rem;max-width:25rem}.sparse>.task{flex:0 0 100%;max-width:none}"
    "svg.task{display:block;width:100%;max-width:25rem;height:auto;margin:auto}"
)
ALONE = (
    "svg{color-scheme:light dark;--ink:#1c1e21;--quiet:#5b626b;--bound:#1d5c9e}"
    "@media(prefers-color-scheme:dark){svg{--ink:#e4e3df;--quiet:#a2a8b0;--bound:#7fb2e8}}"
)
SAID = {
    "task": "The task: three tokens 5, 2 and 4; each position points to two tokens and is to answer their sum",
    "attention": "A Transformer: attention looks up the two tokens that a position points to, in one layer",
    "feedforward": "A feedforward network: every unit sees the whole prompt as one long vector",
    "recurrent": "A recurrent network: reads token after token and carries what may be pointed to in its state",
}
TOLD = {
    "task": "Token 1 is 5 and points to tokens 2 and 3, so answer 1 is 2 + 4 = 6. Token 2 is 2 and points to 1 and 3: "
            "5 + 4 = 9. Token 3 is 4 and points to 1 and 2: 5 + 2 = 7. Where they point is part of the prompt "
            "and differs each time.",
    "attention": "From position 1 one head goes to token 2, another to token 3. One layer with q heads is enough, and "
                 "the training prompts that it needs hardly grow with the number N of tokens.",
    "feedforward": "The three tokens and their six pointers are nine numbers in a row, each joined to every unit. Such "
                   "a network needs about N times d training prompts.",
    "recurrent": "Between the tokens stands the state, passed on from both ends. Where all positions point to the same "
                 "tokens a small state does; else its width or its weights must grow with the number N of tokens.",
}  # fmt: skip
BELOW = {
    "task": ("N tokens (here 3) of d numbers each (here 1).", "Each position points to q of them (here 2) and is",
             "to answer by one rule, here: their sum. Where", "it points is in the prompt and differs each time."),
    "attention": ("Each of q heads looks up one token that the", "position points to. The training prompts needed",
                  "hardly grow with N. (Lemma 11, Theorem 4)"),
    "feedforward": ("Every unit sees the prompt as one long vector,", "and looking up is learnt anew at each position:",
                    "about N·d training prompts. (Theorem 6)"),
    "recurrent": ("What may be pointed to is carried in its state:",
                  "little if all point to the same, else its width",
                  "or weights grow with N. (Cor. 27, Proposition 8)"),
}  # fmt: skip


def _answer(position: int) -> str:
    found = [TOKENS[at] for at in ASKED[position]]
    return f"{' + '.join(map(str, found))} = {sum(found)}"


def _token(at: int, top: int, *, pointers: str) -> Iterator[str]:
    """A token at its position: its number, and below it where it points."""
    x = MIDDLES[at]
    yield element("rect", x=x - 48, y=top, width=96, height=50, rx=4)
    yield text(x, top + 21, str(TOKENS[at]), anchor="centre", name="tk-token")
    yield text(x, top + 42, pointers, anchor="centre", name="tk-quiet" if at else "tk-own")


def _pointers(at: int) -> str:
    return "points to " + ", ".join(str(token + 1) for token in ASKED[at])


def _task() -> Iterator[str]:
    """The prompt above the answers; what the first position points to is drawn strongly."""
    for at, x in enumerate(MIDDLES):
        yield text(x, 40, f"token {at + 1}", anchor="centre", name="tk-quiet")
        yield from _token(at, 46, pointers=_pointers(at))
    for position in (2, 1, 0):
        for k, token in enumerate(ASKED[position]):
            start, end = MIDDLES[token] + 14 * (position - token), MIDDLES[position] + 18 * (2 * k - 1)
            yield _arrow("tk-faint" if position else "tk-line", start, 97, end, 142)
    for position, x in enumerate(MIDDLES):
        name = "" if position else "tk-here"
        yield element("rect", class_="tk-memory" if not position else "", x=x - 48, y=146, width=96, height=44, rx=4)
        yield text(x, 163, f"answer {position + 1}", anchor="centre", name="tk-quiet")
        yield text(x, 182, _answer(position), anchor="centre", name=name)


def _arrow(name: str, x: float, y: float, to_x: float, to_y: float) -> str:
    """A straight line with an open head at its end."""
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    across, down = 6 * (to_x - x) / length, 6 * (to_y - y) / length
    sides = [(to_x - across - k * down / 1.6, to_y - down + k * across / 1.6) for k in (1, -1)]
    head = f"M{_at(*sides[0])}L{_at(to_x, to_y)}L{_at(*sides[1])}"
    return path(name, f"M{_at(x, y)}L{_at(to_x, to_y)}{head}")


def _at(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def _attention() -> Iterator[str]:
    """Two heads from the first position, each to one token."""
    yield element("rect", class_="tk-memory", x=MIDDLES[0] - 48, y=34, width=96, height=26, rx=4)
    yield text(MIDDLES[0], 52, _answer(0), anchor="centre", name="tk-here")
    for token in ASKED[0]:
        yield _arrow("tk-line", MIDDLES[token], 107, MIDDLES[0] + 50, 43 if token == ASKED[0][-1] else 53)
    yield text(130, 92, "head 1", anchor="right", name="tk-quiet")
    yield text(186, 66, "head 2", name="tk-quiet")
    for at in range(len(TOKENS)):
        yield from _token(at, 112, pointers=_pointers(at))


def _feedforward() -> Iterator[str]:
    """The prompt in a row of cells, every one of them joined to every unit, and these to the answer."""
    cells = [str(n) for at, token in enumerate(TOKENS) for n in (token, *(asked + 1 for asked in ASKED[at]))]
    wide, units = 296 / len(cells), (74, 134, 194, 254)
    places = [16 + wide * (k + 0.5) for k in range(len(cells))]
    joined = "".join(f"M{_at(x, 134)}L{_at(unit, 93)}" for x in places for unit in units)
    yield path("tk-faint", joined + "".join(f"M{_at(unit, 77)}L{_at(164, 61)}" for unit in units))
    yield element("rect", class_="tk-memory", x=116, y=34, width=96, height=26, rx=4)
    yield text(164, 52, _answer(0), anchor="centre", name="tk-here")
    for unit in units:
        yield element("rect", x=unit - 8, y=77, width=16, height=16, rx=8)
    for k, (x, said) in enumerate(zip(places, cells, strict=True)):
        yield element("rect", x=x - wide / 2, y=135, width=wide, height=27)
        yield text(x, 153.5, said, anchor="centre", name="tk-token" if k % 3 == 0 else "tk-quiet")


def _recurrent() -> Iterator[str]:
    """Tokens below a chain of states, which is read in both directions."""
    between = [(MIDDLES[k] + MIDDLES[k + 1]) / 2 for k in (0, 1)]
    yield element("rect", class_="tk-memory", x=MIDDLES[0] - 48, y=34, width=96, height=26, rx=4)
    yield text(MIDDLES[0], 52, _answer(0), anchor="centre", name="tk-here")
    yield path("tk-faint", "".join(f"M{x} 111V98" for x in MIDDLES) + f"M{MIDDLES[0]} 78V61")
    for x in MIDDLES:
        yield element("rect", x=x - 8, y=80, width=16, height=16, rx=8)
    for k, middle in enumerate(between):
        yield element("rect", class_="tk-memory", x=middle - 26, y=75, width=52, height=26, rx=3)
        yield text(middle, 92.5, "state", anchor="centre")
        for left, right in ((MIDDLES[k] + 9, middle - 27), (middle + 27, MIDDLES[k + 1] - 9)):
            yield _arrow("tk-line", left, 83, right, 83)
            yield _arrow("tk-line", right, 93, left, 93)
    for at in range(len(TOKENS)):
        yield from _token(at, 112, pointers=_pointers(at))


HEADS = {
    "task": ("The task: follow the pointers, add up", _task),
    "attention": ("Transformer: looks them up", _attention),
    "feedforward": ("Feedforward network: sees all at once", _feedforward),
    "recurrent": ("Recurrent network: must remember", _recurrent),
}


def task_panel(name: str, at: tuple[float, float] | None = None) -> str:
    """Return one panel as an SVG element of class ``task``, to be coloured by ``STYLE``.

    Parameters
    ----------
    name : ``task``, or the network: ``attention``, ``feedforward`` or ``recurrent``.
    at : its corner within another picture.
    """
    head, draw = HEADS[name]
    height = TASK if name == "task" else NETWORK
    first = height - 17 * len(BELOW[name]) + 10
    body = [text(4, 17, head, name="tk-head"), *draw()]
    body += [text(4, first + 17 * k, line) for k, line in enumerate(BELOW[name])]
    place = {"x": at[0], "y": at[1], "width": WIDTH, "height": height} if at else None
    return inline("task", (WIDTH, height), SAID[name], *described(TOLD[name]), *body, at=place)


def task_figure() -> Markup:
    """Return the panels as a figure of a page: beside each other where there is room, with the style that they need."""
    panels = "".join(f'<div class="{name}">{task_panel(name)}</div>' for name in HEADS)
    return Markup(f'<figure class="sparse"><style>{STYLE}{BESIDE}</style>{panels}</figure>')


def task_picture(columns: int = 3) -> str:
    """Return all panels as a whole SVG file: the task above the networks, which stand in so many columns."""
    names: Sequence[str] = [name for name in HEADS if name != "task"]
    rows = -(-len(names) // columns)
    width, height = columns * (WIDTH + 12) - 12, TASK + 8 + rows * (NETWORK + 8) - 8
    panels = [task_panel("task", ((width - WIDTH) / 2, 0))]
    for k, name in enumerate(names):
        panels.append(task_panel(name, (k % columns * (WIDTH + 12), TASK + 8 + k // columns * (NETWORK + 8))))
    told = " ".join(f"{SAID[name]}. {TOLD[name]}" for name in HEADS)
    said = "Sparse token regression, and what three kinds of networks do with it"
    return alone((width, height), said, *described(told), *panels, style=ALONE + STYLE, name="task")


if __name__ == "__main__":
    file = Path(__file__).resolve().parents[2] / "docs" / "task.svg"
    file.write_text(task_picture(), encoding="utf-8")
    print(file)

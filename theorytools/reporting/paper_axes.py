"""The figures of a report drawn with matplotlib: the same curves, lines and arms, for a column of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from textwrap import fill
from typing import Any

from theorytools.reporting.curves_picture import LOWER, UPPER, scales_of, slack_scale, slacks_of
from theorytools.reporting.lines_picture import setting_words
from theorytools.reporting.numbers import pretty, significant
from theorytools.reporting.plots import SIDE, entry_of, question
from theorytools.reporting.rows import letters
from theorytools.reporting.runs import SIZES, measure, network
from theorytools.reporting.scales import Scale, ticks
from theorytools.reporting.series import Chart, Curve, Span
from theorytools.reporting.signs import letter_signs

BLUE, ORANGE, RED, GREY = "#1d5c9e", "#ad4f0c", "#a4262c", "#5b626b"
COLOURS = (BLUE, ORANGE, "#1c6b3c", "#6b3fa0")
MARKS, DASHES = "os^D", ("-", "--", ":", "-.")
BEYOND = {(True, False): "<", (False, True): ">"}


def draw_chart(figure: Any, shown: Chart, verdict: Mapping[str, Any]) -> None:
    """Draw curves with their slack below, or a line for each row, on an empty figure."""
    entry = entry_of(verdict, shown)
    told = entry.get("quantity") or shown.quantity
    named = _math(entry.get("quantity_latex", ""), told)
    if not shown.axis:
        axes = figure.add_subplot()
        _lines(axes, shown, letters(verdict))
        axes.set_xlabel(named)
    else:
        slack = bool(slacks_of(shown))
        parts = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1)) if slack else [figure.add_subplot()]
        axes = parts[0]
        _curves(axes, shown, letters(verdict))
        axes.set_title(named, loc="left", fontsize="medium")
        if slack:
            _slack(parts[1], shown)
        _across(parts[-1], shown, verdict)
    lines = 3.1 * len(shown.curves) + 4.5 if not shown.axis else 27 if slacks_of(shown) else 20
    handles, said = axes.get_legend_handles_labels()
    _framed(figure, chart_title(verdict, shown), handles, said, lines)


def chart_title(verdict: Mapping[str, Any], shown: Chart) -> str:
    """Return what a figure is called: its statement and its question."""
    return f"{verdict.get('label') or verdict['id']}. {question(shown)}"


def run_title(run: Mapping[str, Any]) -> str:
    """Return what a figure of a trained run is called."""
    return str(run.get("title") or f"{measure(run)} against {run['size']}")


def _framed(figure: Any, title: str, handles: Sequence[Any], said: Sequence[str], lines: float) -> None:
    """Set the title above and the legend below, each broken into lines, and the height that all of it needs."""
    from matplotlib import rcParams

    wide = int(figure.get_figwidth() * 134 / rcParams["font.size"])  # letters of a line
    told = fill(title, wide)
    figure.suptitle(told, x=0.01, ha="left", fontsize="medium")
    columns = 2 if all(len(one) < wide / 2 - 6 for one in said) else 1
    words = [fill(one, wide // columns - 4) for one in said]
    if words:
        figure.legend(handles, words, loc="outside lower left", ncols=columns)
    below = -(-sum(one.count("\n") + 1 for one in words) // columns)
    figure.set_figheight((lines + 1.5 * (below + 1 + told.count("\n"))) * rcParams["font.size"] / 72)


def _limits(axes: Any, direction: str, own: Scale) -> None:
    """Set a scale with its ends and ticks; positions are those of the scale, so that no value is beyond a double."""
    found = ticks(own, 6)
    getattr(axes, f"set_{direction}lim")(own.low, own.high)
    getattr(axes, f"set_{direction}ticks")([place for place, _ in found], [label for _, label in found])


def _at(own: Scale, number: Decimal) -> float:
    return min(max(own.clipped(number), own.low), own.high)


def _span(own: Scale, span: Span) -> tuple[float, float, str]:
    """Both ends of an interval on a scale, and the mark of one that has an end beyond: ``<``, ``>``, empty for none."""
    places = [own.place(end) for end in span]
    low, high = (place is None or not own.low <= place <= own.high for place in places)
    first, last = (_at(own, end) for end in span)
    if low and high and first == last:
        low, high = first <= own.low, first > own.low
    return first, last, BEYOND.get((low, high), "")


def _curves(axes: Any, shown: Chart, latex: Mapping[str, str]) -> None:
    level, up = scales_of(shown)
    for k, curve in enumerate(shown.curves):
        xs = [_at(level, spot.x) for spot in curve.spots]
        low, high = ([_at(up, spot.bound[end]) for spot in curve.spots] for end in (0, 1))
        name = SIDE.get(shown.relation, "bound") if k == 0 else None
        axes.plot(xs, high, f"_{DASHES[k]}", color=BLUE, label=name)
        if low != high:
            axes.fill_between(xs, low, high, color=BLUE, alpha=0.18, linewidth=0)
            axes.plot(xs, low, DASHES[k], color=BLUE)
        if len(shown.curves) == 1 and shown.relation in (*UPPER, *LOWER):
            far = up.low if shown.relation in UPPER else up.high
            axes.fill_between(xs, high if shown.relation in UPPER else low, far, color=BLUE, alpha=0.1, linewidth=0)
    for k, curve in enumerate(shown.curves):
        said = ", ".join(setting_words(curve.setting, dict(latex))) if len(shown.curves) > 1 else "measured"
        _marks(axes, curve, (level, up), MARKS[k], said)
    _control(axes, shown, (level, up))
    _limits(axes, "y", up)


def _marks(axes: Any, curve: Curve, scales: tuple[Scale, Scale], mark: str, said: str) -> None:
    level, up = scales
    for spot in curve.spots:
        x, (low, high, beyond) = _at(level, spot.x), _span(up, spot.measured)
        own = {"<": "v", ">": "^"}.get(beyond, mark)
        y = {"<": low, ">": high}.get(beyond, (low + high) / 2)
        axes.plot([x, x], [low, high], "-", color="black")
        axes.plot([x], [y], own, color="black", label=said if spot is curve.spots[0] else None, clip_on=False)
        if spot.truth is not True:
            axes.plot([x], [y], "o", color=RED, markersize=_large(2.5), markerfacecolor="none", clip_on=False)


def _control(axes: Any, shown: Chart, scales: tuple[Scale, Scale]) -> None:
    """What the control measured, and as a dashed line the right side that it has instead."""
    level, up = scales
    name: str | None = f"control: {shown.control}"
    for curve in shown.curves:
        own = [(_at(level, spot.x), spot.spoiled) for spot in curve.spots if spot.spoiled]
        points = [(x, (lambda s: (s[0] + s[1]) / 2)(_span(up, one.measured))) for x, one in own if one.measured]
        rights = [(x, _at(up, one.bound[1])) for x, one in own if one.bound]
        for places, style in ((points, "x"), (rights, "_--")):
            if places:
                axes.plot(*zip(*places, strict=True), style, color=ORANGE, label=name, clip_on=False)
                name = None


def _slack(axes: Any, shown: Chart) -> None:
    level, _ = scales_of(shown)
    small = slack_scale(slacks_of(shown))
    one = _at(small, Decimal(1))
    axes.axhline(one, color=BLUE)
    for k, curve in enumerate(shown.curves):
        for spot in curve.spots:
            if spot.slack is not None:
                x, y = _at(level, spot.x), _at(small, Decimal(spot.slack))
                axes.plot([x, x], [one, y], "-", color=GREY, linewidth=0.6)
                axes.plot([x], [y], MARKS[k], color="black", clip_on=False)
    _limits(axes, "y", small)
    found = ticks(small, 3)
    axes.set_yticks([place for place, _ in found], [label for _, label in found])
    axes.set_ylabel("slack")


def _across(axes: Any, shown: Chart, verdict: Mapping[str, Any]) -> None:
    """The values of the main letter as ticks, each label where the one before it leaves room; and what it means."""
    level, _ = scales_of(shown)
    axes.set_xlim(level.low, level.high)
    last, labels = float("-inf"), []
    for number, label in shown.ticks:
        here = (_at(level, number) - level.low) / (level.high - level.low)
        half = 0.015 * (len(label) + 1)
        labels.append(label if here - half >= last else "")
        last = here + half if labels[-1] else last
    axes.set_xticks([_at(level, number) for number, _ in shown.ticks], labels)
    means = {one["name"]: one.get("meaning") or "" for one in verdict.get("letters") or ()}
    sign, meaning = letter_signs(shown.axis, letters(verdict).get(shown.axis, "")), means.get(shown.axis, "")
    axes.set_xlabel(f"{sign}, {meaning}" if meaning else sign)


def _lines(axes: Any, shown: Chart, latex: Mapping[str, str]) -> None:
    _, level = scales_of(shown)
    right = level.high
    for k, (curve, spot) in enumerate(zip(shown.curves, shown.spots, strict=True)):
        low, high = (_at(level, end) for end in spot.bound)
        ends = (
            (level.low, high) if shown.relation in UPPER else (low, right) if shown.relation in LOWER else (low, high)
        )
        axes.plot(ends, [k, k], "-", color=BLUE, alpha=0.18, linewidth=4, solid_capstyle="butt")
        said = SIDE.get(shown.relation, "bound") if k == 0 else None
        axes.plot(
            sorted({low, high}),
            [k] * len({low, high}),
            "|",
            color=BLUE,
            markersize=_large(2.3),
            markeredgewidth=1.2,
            label=said,
        )
        axes.text(
            level.low, k - 0.32, ", ".join(setting_words(curve.setting, dict(latex))), va="bottom", fontsize="small"
        )
        if spot.truth is not True:
            axes.text(right, k - 0.32, "open" if spot.truth is None else "fails", color=RED, ha="right", va="bottom")
        elif spot.slack is not None and shown.relation in (*UPPER, *LOWER):
            told = pretty(significant(Decimal(spot.slack), 3, "ROUND_FLOOR", strip=True))
            axes.text(right, k - 0.32, f"slack {told}", color=GREY, ha="right", va="bottom", fontsize="small")
        _on_line(axes, shown, k, level)
    _limits(axes, "x", level)
    axes.set(ylim=(len(shown.curves) - 0.5, -1), yticks=[])
    axes.spines["left"].set_visible(False)


def _on_line(axes: Any, shown: Chart, k: int, level: Scale) -> None:
    """The measured interval of a row and that of its control on their line."""
    spot = shown.spots[k]
    first, last, beyond = _span(level, spot.measured)
    middle = {"<": first, ">": last}.get(beyond, (first + last) / 2)
    axes.plot([first, last], [k, k], "-", color="black")
    axes.plot([middle], [k], beyond or "o", color="black", label="measured" if k == 0 else None, clip_on=False)
    if spot.truth is not True:
        axes.plot([middle], [k], "o", color=RED, markersize=_large(2.5), markerfacecolor="none", clip_on=False)
    for span, style in ((spot.spoiled.measured, "x"), (spot.spoiled.bound, "|")) if spot.spoiled else ():
        if span:
            place = sum(_span(level, span)[:2]) / 2
            name = f"control: {shown.control}"
            known = name in axes.get_legend_handles_labels()[1]
            axes.plot([place], [k], style, color=ORANGE, label=None if known else name, clip_on=False)


def draw_run(figure: Any, run: Mapping[str, Any]) -> None:
    """Draw the arms of a trained run: intervals at each size as marks, and the published curves as lines."""
    axes = figure.add_subplot()
    for colour, mark, dash, arm in zip(COLOURS, MARKS, DASHES, run["arms"], strict=False):
        sizes = [cell["size"] for cell in arm["sizes"]]
        low, high = ([cell[end] for cell in arm["sizes"]] for end in ("low", "high"))
        middle = [(a * b) ** 0.5 for a, b in zip(low, high, strict=True)]
        bars = [[m - a for m, a in zip(middle, low, strict=True)], [b - m for m, b in zip(middle, high, strict=True)]]
        axes.errorbar(sizes, middle, yerr=bars, fmt=mark, color=colour, capsize=1.5, label=network(str(arm["arm"])))
        told = [(cell["size"], cell["published"]) for cell in arm["sizes"] if cell["published"] is not None]
        if told:
            axes.plot(*zip(*told, strict=True), dash, color=colour, alpha=0.7)
    axes.set(xscale="log", yscale="log", ylabel=measure(run))
    size, means = str(run["size"]), SIZES.get(str(run["size"]), "")
    axes.set_xlabel(f"{size}, {means}" if means else f"${size}$")
    found: Sequence[Any] = sorted({cell["size"] for arm in run["arms"] for cell in arm["sizes"]})
    axes.set_xticks(found, [str(tick) for tick in found])
    axes.minorticks_off()
    named = [pair for pair in zip(*axes.get_legend_handles_labels(), strict=True) if pair[1]]
    published = any(cell["published"] is not None for arm in run["arms"] for cell in arm["sizes"])
    named.append((_blank(), "marks: our runs, 95 % intervals" + ("; lines: published" if published else "")))
    _framed(figure, run_title(run), [handle for handle, _ in named], [words for _, words in named], 20)


def _blank() -> Any:
    """A handle that shows nothing, beside words of a legend that are of no mark."""
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none")


def _large(times: float) -> float:
    """So many times the size of a mark."""
    from matplotlib import rcParams

    return times * float(rcParams["lines.markersize"])


def _math(latex: str, plain: str) -> str:
    """The formula where matplotlib can set it, else the words."""
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("agg").parse(f"${latex}$")
    except ValueError:
        return plain
    return f"${latex}$" if latex else plain

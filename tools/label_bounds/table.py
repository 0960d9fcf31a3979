"""The table of the record, in Markdown."""

HEADS = ("network", "seen", "signs, ours", "seconds", "seen", "box, ours", "seconds", "box, auto_LiRPA", "setting",
         "seconds", "box, intervals", "seconds")  # fmt: skip


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0e}"


def bound(one):
    if one["bound"] is None:
        return "no bound" if "attention" in one["why"] else "refused"
    return number(one["bound"]) + (", attained" if one["exact"] else "")


def cells(row):
    mine = [cell for kind in ("signs", "box") for cell in (
        number(row[kind]["seen"]), bound(row[kind]), f"{row[kind]['seconds']:.1f}")]  # fmt: skip
    rival = ["", "", ""]
    if "auto_LiRPA" in row:
        name = row["auto_LiRPA"]["best"]
        best = row["auto_LiRPA"]["settings"][name]
        rival = [number(best["error"]), name, f"{best['seconds']:.1f}"]
    return [row["name"], *mine, *rival, number(row["intervals"]["error"]), f"{row['intervals']['seconds']:.1f}"]


def line(texts):
    """Cells as a line of Markdown."""
    return "| " + " | ".join(texts) + " |"


def markdown(record):
    """The rows of a record as a Markdown table."""
    return "\n".join(map(line, [HEADS, ["---"] * len(HEADS), *map(cells, record["rows"])]))

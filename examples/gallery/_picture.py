"""What the scripts share: the file that is asked for, a column-wide figure, and a text alternative in it."""

import argparse
from pathlib import Path

from theorytools.optional import require

BLUE, ORANGE, GREEN = "#1d5c9e", "#ad4f0c", "#1c6b3c"  # told apart by readers who see two of three colours, too


def panel(title, *, wide=1):
    """Return a figure, its axes (one, or a list), and a function that writes it to the file asked for."""
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument("-o", "--output", type=Path, help="the picture: .svg, .png or .pdf; default: beside you")
    require("matplotlib")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.8 * wide, 3.4), layout="constrained")
    axes = [figure.add_subplot(1, wide, k + 1) for k in range(wide)]

    def write(name):
        path = parser.parse_args().output or Path(f"{Path(name).stem}.svg")
        figure.savefig(path, metadata={"Title": title} if path.suffix == ".svg" else None)
        print(path)

    return figure, axes if wide > 1 else axes[0], write

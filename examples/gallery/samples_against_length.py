"""How many prompts training needs at length N: Figure 1a of arXiv 2503.11272 beside this library's own runs.

Lines are published, points are ours with 95 % intervals. The feedforward network's number cannot grow more slowly than
N; at these lengths the Transformer's grows too, and only longer prompts tell them apart for good.
"""

from _picture import BLUE, GREEN, ORANGE, panel

from theorytools.claims.papers.location import library_root
from theorytools.reporting.sweep_records import trained_runs

runs = trained_runs(library_root() / "qstr")
run = next(r for r in runs if (r["sweep"], r["protocol"]) == ("figure_01a", "corrected"))

figure, axes, write = panel("Prompts needed against the length of the prompt")
for arm, colour in zip(run["arms"], (BLUE, ORANGE, GREEN), strict=False):
    sizes = [cell["size"] for cell in arm["sizes"]]
    low, high = ([cell[end] for cell in arm["sizes"]] for end in ("low", "high"))
    middle = [(a * b) ** 0.5 for a, b in zip(low, high, strict=True)]
    reach = [[m - a for m, a in zip(middle, low, strict=True)], [b - m for m, b in zip(middle, high, strict=True)]]
    grows = " to ".join(f"{end:.2f}" for end in arm["exponent"])
    axes.errorbar(sizes, middle, yerr=reach, fmt="o", capsize=2, color=colour, label=f"{arm['arm']}: N to the {grows}")
    axes.plot(sizes, [cell["published"] for cell in arm["sizes"]], color=colour, alpha=0.6)
axes.set(xscale="log", yscale="log", xlabel="length N of the prompt", ylabel="prompts to a test loss of 0.7")
axes.set_xticks(sizes, [str(size) for size in sizes])
axes.minorticks_off()
axes.legend(fontsize="small")
write(__file__)

"""The servers' table as a picture; needs matplotlib, from the dependency group `bench`."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.columns import Column
from benchmarks.peers import FLOOR, OURS

INK, GREY, ACCENT = "#222222", "#b9bfc6", "#0b6bcb"


def plot(columns: Sequence[Column], file: Path) -> None:
    """One panel for each column of the servers' table, a bar for each server, the best on top."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"font.size": 9, "text.color": INK, "xtick.color": INK, "ytick.color": INK})
    across = min(3, len(columns))
    down = -(-len(columns) // across)
    figure = Figure(figsize=(4 * across, 2.6 * down), layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).reshape(-1)
    for panel in panels[len(columns) :]:
        panel.set_visible(False)
    most = max(len(column.values) for column in columns)
    for panel, column in zip(panels, columns, strict=False):
        measured = {name: value for name, value in column.values.items() if isinstance(value, float)}
        best_last = sorted(measured, key=measured.__getitem__, reverse=column.unit != "req/s")
        values = [measured[name] for name in best_last]
        bars = panel.barh(best_last, values, color=[ACCENT if name == OURS else GREY for name in best_last], height=0.7)
        floor = measured.get(FLOOR)
        labels = [f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in values]
        panel.bar_label(bars, labels, padding=3)
        if floor is not None:
            panel.axvline(floor, color=INK, linewidth=0.8, linestyle=":")
        panel.set_xlim(0, max(values) * 1.2)
        panel.set_ylim(len(values) - most - 0.6, len(values) - 0.4)  # bars of one height, from the top
        better = "more is better" if column.unit == "req/s" else "less is better"
        panel.set_title(f"{column.title}\n{column.unit}, {better}", loc="left", fontsize=9)
        panel.set_xticks([])
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
    figure.supxlabel("The dotted line is the floor.", fontsize=8, x=0.01, ha="left")
    figure.savefig(file, dpi=150)

"""Plots of reports: lines and bars as data, drawn by Matplotlib as SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

WIDTH, HEIGHT = 7.0, 3.6
# Dots an inch of bitmaps.
DOTS = 150

# Numbers, or names of bars.
Axis = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A plot as data.

    Parameters
    ----------
    title, x, y
        What it shows, and what stands on the axes.
    series
        By name: places on the x axis and the figures there. Texts on the x axis make bars.
    logarithmic
        Whether the x axis, the y axis is logarithmic.
    """

    title: str
    x: str
    y: str
    series: Mapping[str, tuple[Axis, Axis]]
    logarithmic: tuple[bool, bool] = (False, False)

    def svg(self) -> str:
        """The plot as an SVG element; the same data give the same text."""
        import matplotlib as mpl

        with mpl.rc_context({"svg.hashsalt": "saddlepoint", "svg.fonttype": "none"}):
            out = io.BytesIO()
            self._figure().savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        text = out.getvalue().decode()
        return text[text.index("<svg") :]

    def png(self) -> bytes:
        """The plot as a PNG file."""
        out = io.BytesIO()
        self._figure().savefig(out, format="png", dpi=DOTS, metadata={"Software": None})
        return out.getvalue()

    def _figure(self) -> Any:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        self._draw(figure.add_subplot())
        return figure

    def _draw(self, axes: Any) -> None:
        bars = any(isinstance(place, str) for places, _ in self.series.values() for place in places)
        for k, (name, (places, figures)) in enumerate(self.series.items()):
            if bars:
                width = 0.8 / len(self.series)
                at = [i + (k - (len(self.series) - 1) / 2) * width for i in range(len(places))]
                axes.bar(at, figures, width, label=name)
                axes.set_xticks(range(len(places)), places)
            else:
                axes.plot(places, figures, label=name, marker="." if len(places) < 30 else None)
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.y)
        if self.logarithmic[0]:
            axes.set_xscale("log")
        if self.logarithmic[1]:
            axes.set_yscale("log")
        axes.grid(alpha=0.3)
        if len(self.series) > 1:
            axes.legend(fontsize="small")

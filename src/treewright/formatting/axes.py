"""Axes of matplotlib plots: made when needed, with tick labels and legends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treewright.formatting.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_NAMES = 16
"""Names of so many ticks are set in letters of a good size."""


def axes_for(
    ax: Axes | None,
    title: str,
    across: str = "",
    up: str = "",
    inches: tuple[float, float] | None = None,
) -> Axes:
    """Give the axes to draw on, new ones if there are none, with a title and names of both directions.

    A new figure is so many inches wide and high, or as large as matplotlib's settings have it.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise ImportError(
                "plots need matplotlib, which is not installed: pip install 'treewright[plot]'"
            ) from error
        ax = pyplot.subplots(layout="constrained", figsize=inches)[1]
    ax.set_title(plain_text(title), loc="left", fontweight="bold", fontsize="medium")
    ax.set_xlabel(plain_text(across))
    ax.set_ylabel(plain_text(up))
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plain_text(text: str, longest: int = 60) -> str:
    r"""Write a name so that matplotlib shows it as it is: no formulas, no controls, no endless lines.

    Examples
    --------
    >>> print(plain_text("price in $ and $"))
    price in \$ and \$
    """
    words = printable(text)
    if len(words) > longest:  # names that begin alike often end differently
        end = longest // 3
        words = f"{words[: longest - end - 1]}…{words[-end:]}"
    return words.replace("$", r"\$")


def name_ticks(axis: Any, names: Sequence[str]) -> None:
    """Write a name at each whole number of an axis, turned where they would lie over each other."""
    few = len(names) <= MOST_NAMES
    longest = 20 if few else 14
    texts = [plain_text(name, longest) for name in names]
    turned = axis.axis_name == "x" and sum(map(len, texts)) > 48
    axis.set_ticks(
        range(len(texts)),
        texts,
        rotation=(35 if few else 90) if turned else 0,
        ha="right" if turned and few else "center" if axis.axis_name == "x" else "right",
        rotation_mode="anchor" if turned and few else "default",
        fontsize="medium" if len(texts) <= 8 else "small" if few else "x-small",
    )


def name_sizes(axis: Any) -> None:
    """Write 1, 2, 5, 10 and so on along an axis of logarithms."""
    from matplotlib.ticker import LogLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(lambda number, _: f"{number:g}")
    axis.set_minor_formatter(lambda number, _: "")


def legend(ax: Axes, **settings: Any) -> None:
    """Add a legend without a frame, if there is anything to say."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small", **settings)

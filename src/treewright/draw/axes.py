"""Axes: where plots are drawn and the manners they share; matplotlib is loaded for the first of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.words import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_for(ax: Axes | None, title: str, across: str = "", up: str = "") -> Axes:
    """Give the axes to draw on, new ones if there are none, with a title and names of both directions.

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
        ax = pyplot.subplots(layout="constrained")[1]
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
    words = words if len(words) <= longest else words[: longest - 1] + "…"
    return words.replace("$", r"\$")


def legend(ax: Axes, **settings: Any) -> None:
    """Add a legend without a frame, if there is anything to say."""
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small", **settings)

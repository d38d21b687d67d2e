"""Drawing: a finished picture, shown by notebooks and saved as SVG, PNG or PDF."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from treewright.draw.shapes import Shape
from treewright.draw.svg import Theme, write_svg
from treewright.formatting.trust import for_trusted
from treewright.persistence.atomic_file import whole_file

VECTOR, RASTER = (".svg",), (".png", ".pdf")
"""The endings of files that are written here, and of those that matplotlib writes."""

LEAST_SCALE = 0.7
"""Words of twelve pixels are hard to read when they are drawn smaller than this."""


@dataclass(frozen=True, repr=False)
class Drawing:
    """A picture as shapes on a page; notebooks show it, `save` writes it.

    Attributes
    ----------
    shapes : tuple of shapes
        What is drawn, from the back to the front.
    width, height : float
        Of the page, in pixels.
    title, description : str
        What screen readers say.
    theme : {"auto", "light", "dark"}
        The ground; "auto" follows the reader's settings.
    """

    shapes: tuple[Shape, ...]
    width: float
    height: float
    title: str
    description: str
    theme: Theme = "auto"

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return self._svg()

    def _svg(self, style: str = "") -> str:
        return write_svg(
            self.shapes,
            self.width,
            self.height,
            title=self.title,
            description=self.description,
            theme=self.theme,
            style=style,
        )

    def save(self, path: str | PathLike[str], *, dots_per_inch: float = 192) -> None:
        """Write the picture to a file of the kind that its name ends in, whole or not at all.

        Parameters
        ----------
        path : str or path
            A name that ends in ``.svg``, or, if matplotlib is installed, in ``.png`` or ``.pdf``.
        dots_per_inch : float, default=192
            How fine a PNG is; 96 is one dot for each pixel of the drawing.
        """
        ending = Path(path).suffix.lower()
        if ending in VECTOR:
            with whole_file(path) as beside:
                beside.write_text(self.svg, encoding="utf-8")
        elif ending in RASTER:
            from treewright.draw.figure import save_figure

            with whole_file(path) as beside:
                save_figure(self, beside, ending[1:], dots_per_inch)
        else:
            allowed = ", ".join(VECTOR + RASTER)
            raise ValueError(f"path={str(path)!r} must end in one of {allowed}: that says what to write.")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """Show it as wide as the page; one that is too wide to be read so is scrolled."""
        style = f"max-width:max(100%,{LEAST_SCALE * self.width:.0f}px);height:auto"
        return for_trusted(f'<div style="overflow-x:auto">{self._svg(style)}</div>')

    def __repr__(self) -> str:
        return f"Drawing({self.title!r}, {self.width:.0f} × {self.height:.0f})"

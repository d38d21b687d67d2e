"""Draw a classification tree as a river of rows: a bar is a node, as wide as its rows, coloured by class.

    python examples/draw_tree.py

draws docs/pictures/contracts.svg, the picture of the README.
"""

from html import escape
from itertools import accumulate
from pathlib import Path
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from treewright import DecisionTreeClassifier, Tree, datasets

Array = NDArray[np.float64]

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "contracts.svg"
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")  # Okabe & Ito: safe for all eyes
RIVER, SLOT, LEVEL, BAR, MARGIN, TOP = 460, 150, 122, 12, 20, 96

PAGE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">
<title>{title}</title>
<style>
text {{ font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f; text-anchor: middle }}
.heading {{ font-size: 17px; font-weight: 600; text-anchor: start }}
.legend {{ font-size: 14px; text-anchor: start }}
.condition, .halo {{ font-size: 13px }}
.halo {{ stroke: #fff; stroke-opacity: 0.8; stroke-width: 5px; stroke-linejoin: round }}
.label {{ font-size: 15px; font-weight: 600 }}
.count {{ font-size: 12px; fill: #57606a }}
</style>
<rect width="100%" height="100%" rx="10" fill="#fff"/>
<text class="heading" x="{margin}" y="34">{title}</text>
<text class="legend" x="{margin}" y="60">{legend}</text>
{shapes}
</svg>
"""


def draw(tree: Tree, title: str) -> str:
    """The picture of a tree, as SVG text."""
    scale = RIVER / tree.weight[0]
    width = tree.weight * scale
    centre = centres(tree, width)
    left = centre - width / 2
    shapes = [shape for node in range(len(tree)) for shape in ribbons(tree, node, left, scale)]
    for node in range(len(tree)):
        shapes += bar(tree, node, left[node], scale) + words(tree, node, centre[node])
    legend = [
        f'<tspan fill="{colour}">■</tspan> {escape(str(name))}'
        for colour, name in zip(COLOURS, classes(tree), strict=False)
    ]
    return PAGE.format(
        width=max(centre + np.maximum(width, SLOT) / 2) + MARGIN,
        height=TOP + tree.depth * LEVEL + BAR + 58,
        margin=MARGIN,
        title=escape(title),
        legend="\u2003".join(legend),
        shapes="\n".join(shapes),
    )


def classes(tree: Tree) -> list[object]:
    if tree.schema.classes is None:
        raise ValueError("only classification trees have colours to draw")
    return list(tree.schema.classes)


def centres(tree: Tree, width: Array) -> Array:
    """Give every leaf a slot from left to right; a node stands over the middle of its children."""
    centre = np.zeros(len(tree))
    edge = float(MARGIN)
    for node in tree.walk():
        if tree.is_leaf(node):
            slot = max(width[node], SLOT)
            centre[node] = edge + slot / 2
            edge += slot
    for node in reversed(range(len(tree))):  # children come after their parent
        if not tree.is_leaf(node):
            centre[node] = centre[tree.children(node)].mean()
    return centre


def height_of(tree: Tree, node: int) -> float:
    return TOP + float(tree.node_depth[node]) * LEVEL


def ribbons(tree: Tree, node: int, left: Array, scale: float) -> list[str]:
    """The branches of a node: each class of its bar is shared out among the children in order."""
    shapes = []
    starts = list(accumulate(tree.value[node] * scale, initial=left[node]))
    for child in tree.children(node):
        end = left[child]
        for code, width in enumerate(tree.value[child] * scale):
            if width > 0:
                above = (starts[code], height_of(tree, node) + BAR)
                shapes.append(ribbon(above, (end, height_of(tree, child)), width, COLOURS[code]))
            starts[code] += width
            end += width
    return shapes


def ribbon(above: tuple[float, float], below: tuple[float, float], width: float, colour: str) -> str:
    (x0, y0), (x1, y1) = above, below
    middle = (y0 + y1) / 2
    return (
        f'<path fill="{colour}" opacity="0.45" d="M{x0:.1f} {y0} C{x0:.1f} {middle} {x1:.1f} {middle} '
        f"{x1:.1f} {y1} h{width:.1f} C{x1 + width:.1f} {middle} {x0 + width:.1f} {middle} "
        f'{x0 + width:.1f} {y0} z"/>'
    )


def bar(tree: Tree, node: int, left: float, scale: float) -> list[str]:
    widths = tree.value[node] * scale
    y = height_of(tree, node)
    return [
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{colour}"/>'
        for x, width, colour in zip(accumulate(widths, initial=left), widths, COLOURS, strict=False)
        if width > 0
    ]


def words(tree: Tree, node: int, x: float) -> list[str]:
    """The condition that leads to a node, and at a leaf what it predicts."""
    y = height_of(tree, node)
    lines = wrap(condition(tree, node), 22)
    shapes = [text(style, lines, x, y - 10 - 15 * (len(lines) - 1)) for style in ("halo", "condition")]
    if tree.is_leaf(node):
        share = tree.value[node].max() / tree.weight[node]
        shapes.append(text("label", [str(classes(tree)[tree.label[node]])], x, y + BAR + 20))
        shapes.append(text("count", [f"{tree.count[node]} rows, {share:.0%}"], x, y + BAR + 37))
    return shapes


def condition(tree: Tree, node: int) -> str:
    if node == 0:
        return "all rows"
    parent = tree[int(tree.parent[node])]
    branch = parent.children.index(node)
    assert parent.split is not None
    sentence = parent.split.condition(tree.schema, branch)
    if branch == parent.default_branch:
        sentence += " or missing"
    for sign in ("≤", ">", "=", "or"):
        sentence = sentence.replace(f"{sign} ", f"{sign}\u00a0")  # a sign stays with its value
    return sentence


def text(style: str, lines: list[str], x: float, y: float) -> str:
    """Lines of text, centred on x, the first of them standing on y."""
    spans = [
        f'<tspan x="{x:.1f}" y="{y + 15 * row:.1f}">{escape(line)}</tspan>' for row, line in enumerate(lines)
    ]
    return f'<text class="{style}">{"".join(spans)}</text>'


def contracts() -> str:
    X, y = datasets.load_labor(frame="pandas")
    tree = DecisionTreeClassifier().fit(X, y).tree_
    return draw(tree, "57 labour contracts, a third of their cells missing: which are good?")


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(contracts(), encoding="utf-8")
    print(f"wrote {PICTURE}")

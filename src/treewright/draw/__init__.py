"""Drawing and plotting: trees as SVG, PNG or PDF; importances, regions, curves, confusion matrices."""

from treewright.draw.bars import plot_confusion, plot_importances
from treewright.draw.curves import (
    plot_impurities,
    plot_merits,
    plot_out_of_bag,
    plot_overfitting,
    plot_pruning_path,
    plot_split,
)
from treewright.draw.drawing import Drawing
from treewright.draw.regions import plot_regions
from treewright.draw.tree_plot import plot_tree

__all__ = [
    "Drawing",
    "plot_confusion",
    "plot_importances",
    "plot_impurities",
    "plot_merits",
    "plot_out_of_bag",
    "plot_overfitting",
    "plot_pruning_path",
    "plot_regions",
    "plot_split",
    "plot_tree",
]

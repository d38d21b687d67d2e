"""Drawing and plotting: trees as SVG, PNG or PDF; importances, regions, curves, confusion matrices."""

"""Draw the pictures of the documentation.

python examples/draw_tree.py

writes docs/pictures/*.svg and plot-*.png; contracts.svg is the picture of the README.
"""

from pathlib import Path

from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.datasets import make_classification

import treewright as tw
from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestRegressor,
    datasets,
    plot_tree,
)
from treewright.draw.drawing import Drawing

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def contracts() -> Drawing:
    X, y = datasets.load_labor(frame="pandas")
    title = "57 labour contracts, a third of their cells missing: which are good?"
    return plot_tree(DecisionTreeClassifier().fit(X, y), style="river", missing=True, title=title)


def irises() -> Drawing:
    X, y = datasets.load_iris(frame="pandas")
    return plot_tree(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y, title="150 irises")


def tennis() -> Drawing:
    X, y = datasets.load_tennis(frame="pandas")
    model = C45Classifier(min_samples_leaf=1).fit(X, y)
    return plot_tree(model, X, y, orientation="left_right", title="Shall we play tennis?")


def mileage() -> Drawing:
    X, y = datasets.load_mpg(frame="pandas")
    return plot_tree(
        DecisionTreeRegressor(max_leaf_nodes=6).fit(X, y), X, y, title="Miles per gallon of 398 cars"
    )


def path() -> Drawing:
    X, y = datasets.load_iris(frame="pandas")
    model = DecisionTreeClassifier(max_depth=3).fit(X, y)
    return plot_tree(model, X, y, row=X.iloc[77], title="The way of one iris")


def others() -> Drawing:
    X, y = datasets.load_votes(frame="pandas")
    model = DecisionTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    return plot_tree(model, X[1::2], y[1::2], counts=True, title="The votes of others")


def large() -> Drawing:
    X, y = make_classification(
        4000, 8, n_informative=8, n_redundant=0, n_clusters_per_class=3, flip_y=0.2, random_state=0
    )
    return plot_tree(DecisionTreeClassifier(max_depth=8).fit(X, y), style="river", max_leaves=None)


def regions() -> Axes:
    X, y = datasets.load_iris(frame="pandas")
    return tw.plot_regions(DecisionTreeClassifier(max_depth=3).fit(X, y), X, y)


def oblique() -> Axes:
    X, y = datasets.load_iris(frame="pandas")
    X = X[["petal length", "petal width"]]
    model = DecisionTreeClassifier(splits=("threshold", "hyperplane"), max_leaf_nodes=3).fit(X, y)
    return tw.plot_regions(model, X, y)


def steps() -> Axes:
    X, y = datasets.load_iris(frame="pandas")
    petals = X[["petal length", "petal width"]]
    _, axes = pyplot.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
    for n_leaves, ax in enumerate(axes, start=2):
        tw.plot_regions(DecisionTreeClassifier(max_leaf_nodes=n_leaves).fit(petals, y), petals, y, ax=ax)
    return ax


def split() -> Axes:
    _, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for criterion, ax in zip(("error", "gini"), axes, strict=True):
        tw.plot_split([[3, 2], [5, 0]], criterion, ax=ax)
    return ax


def merits() -> Axes:
    X, y = datasets.load_iris(frame="pandas")
    return tw.plot_merits(DecisionTreeClassifier().fit(X, y), X, y)


def pruning_path() -> Axes:
    X, y = make_classification(4000, 8, flip_y=0.2, random_state=0)
    return tw.plot_pruning_path(DecisionTreeClassifier().fit(X[::2], y[::2]), X[1::2], y[1::2])


def overfitting() -> Axes:
    X, y = make_classification(4000, 8, flip_y=0.2, random_state=0)
    return tw.plot_overfitting(DecisionTreeClassifier(), X, y)


def importances() -> Axes:
    X, y = datasets.load_mpg(frame="pandas")
    return tw.plot_importances(RandomForestRegressor(200, random_state=0).fit(X, y))


def confusion() -> Axes:
    X, y = datasets.load_iris(frame="pandas")
    model = DecisionTreeClassifier().fit(X[::2], y[::2])
    return tw.plot_confusion(model, X[1::2], y[1::2])


def out_of_bag() -> Axes:
    X, y = datasets.load_mpg(frame="pandas")
    return tw.plot_out_of_bag(RandomForestRegressor(200, random_state=0).fit(X, y), X, y)


DRAWINGS = (contracts, irises, tennis, mileage, path, others, large)
PLOTS = (
    regions,
    oblique,
    steps,
    split,
    tw.plot_impurities,
    merits,
    pruning_path,
    overfitting,
    importances,
    confusion,
    out_of_bag,
)

if __name__ == "__main__":
    for draw in DRAWINGS:
        draw().save(PICTURES / f"{draw.__name__}.svg")
    for plot in PLOTS:
        name = plot.__name__.removeprefix("plot_").replace("_", "-")
        plot().figure.savefig(PICTURES / f"plot-{name}.png", dpi=90)
    print(f"wrote {len(DRAWINGS)} drawings and {len(PLOTS)} plots to {PICTURES}")

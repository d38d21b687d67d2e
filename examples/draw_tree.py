"""Draw the pictures of the documentation.

python examples/draw_tree.py

writes docs/pictures/*.svg and plot-*.png; contracts.svg is the picture of the README.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot
from matplotlib.axes import Axes
from sklearn.datasets import make_classification

import treewright as tw
from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    OptimalTreeClassifier,
    RandomForestRegressor,
    TreeClassifier,
    datasets,
    plot_tree,
    prune,
    pruning,
)
from treewright.draw.drawing import Drawing

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def contracts() -> Drawing:
    X, y = datasets.load_labor(frame="pandas")
    title = "57 labour contracts, a third of their cells missing: which are good?"
    return plot_tree(TreeClassifier().fit(X, y), style="river", missing=True, title=title)


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


def mushrooms() -> Drawing:
    X, y = datasets.load_mushrooms(frame="pandas")
    return plot_tree(ID3Classifier().fit(X, y), X, y, title="Which mushrooms are toxic?")


def temperatures() -> Drawing:
    X = pd.DataFrame({"Temperature": [40, 48, 60, 72, 80, 90]})
    y = ["No", "No", "Yes", "Yes", "Yes", "No"]
    model = DecisionTreeClassifier(criterion="entropy", ties="first").fit(X, y)
    return plot_tree(model, X, y, title="Six temperatures, two cuts")


def shared() -> Drawing:
    X, y = datasets.load_tennis(frame="pandas")
    lacking = X[["Outlook"]].drop(index=[9, 13]).reindex(range(14))
    model = ID3Classifier(missing="fractional").fit(lacking, y)
    return plot_tree(model, style="river", missing=True, title="D10 and D14 go down every branch, in parts")


def figure_86(counts: dict[str, tuple[int, int]]) -> tuple[pd.DataFrame, pd.Series]:
    """Rows of three truth values with so many ones and zeros each: ones come before zeros."""
    rows = [
        [digit == "1" for digit in values]
        for values, (ones, zeros) in counts.items()
        for _ in range(ones + zeros)
    ]
    labels = [label for ones, zeros in counts.values() for label in [1] * ones + [0] * zeros]
    return pd.DataFrame(rows, columns=["x1", "x2", "x3"]), pd.Series(
        pd.Categorical(labels, categories=[1, 0])
    )


S1 = figure_86(
    {
        "000": (0, 4),
        "001": (0, 3),
        "010": (0, 2),
        "011": (1, 0),
        "100": (3, 0),
        "101": (3, 0),
        "110": (0, 2),
        "111": (4, 0),
    }
)
S2 = figure_86(
    {
        "000": (0, 3),
        "001": (1, 2),
        "010": (0, 1),
        "011": (0, 2),
        "100": (2, 0),
        "101": (2, 0),
        "110": (1, 3),
        "111": (2, 1),
    }
)


def figure_86_grown() -> Drawing:
    return plot_tree(DecisionTreeClassifier(ties="first").fit(*S1), *S1, counts=True, title="Grown on S₁")


def figure_86_held_out() -> Drawing:
    return plot_tree(DecisionTreeClassifier(ties="first").fit(*S1), *S2, counts=True, title="S₂ sent down it")


def figure_86_pruned() -> Drawing:
    pruned = prune(DecisionTreeClassifier(ties="first").fit(*S1), pruning.ReducedError(), *S2)
    return plot_tree(pruned, *S2, counts=True, title="Pruned by S₂")


def rule() -> Drawing:
    X, y = datasets.load_tennis(frame="pandas")
    title = "Outlook = Rain AND Wind = Strong: No"
    return plot_tree(ID3Classifier().fit(X, y), X, y, row=X.iloc[5], title=title)


def xor() -> Drawing:
    X = np.array(list(product([0, 1], repeat=6)))
    y = X[:, 4] ^ X[:, 5]
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    return plot_tree(model, X, y, title="x₄ ⊕ x₅: four leaves, and no tree has fewer")


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


def structural_risk() -> Axes:
    X, y = make_classification(400, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=0)
    path = prune(DecisionTreeClassifier(ties="first").fit(X, y), pruning.MinimalSize("structural_risk")).path_
    leaves, errors = (np.array([getattr(step, name) for step in path]) for name in ("leaves", "risk"))
    penalty = tw.bounds.selection_penalty(leaves, len(y))
    _, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for name, values in {
        "error + penalty": errors + penalty,
        "penalty √(leaves/m)": penalty,
        "training error": errors,
    }.items():
        ax.plot(leaves, values, label=name)
    best = (errors + penalty).argmin()
    ax.plot(leaves[best], (errors + penalty)[best], "o", color="black", label=f"least: {leaves[best]} leaves")
    ax.set(
        xlabel="leaves of the smallest pruning with so many errors",
        ylabel="share of 400 rows",
        title="Structural risk",
    )
    ax.legend()
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


DRAWINGS = (
    contracts,
    irises,
    tennis,
    mileage,
    path,
    others,
    large,
    mushrooms,
    temperatures,
    shared,
    figure_86_grown,
    figure_86_held_out,
    figure_86_pruned,
    rule,
    xor,
)
PLOTS = (
    regions,
    oblique,
    steps,
    split,
    tw.plot_impurities,
    structural_risk,
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

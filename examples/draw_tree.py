"""Draw the pictures of the documentation.

python examples/draw_tree.py

writes docs/pictures/*.svg; contracts.svg is the picture of the README.
"""

from pathlib import Path

from treewright import (
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    datasets,
    plot_tree,
)
from treewright.draw import Drawing

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


DRAWINGS = {"contracts": contracts, "irises": irises, "tennis": tennis, "mileage": mileage}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        draw().save(PICTURES / f"{name}.svg")
        print(f"wrote {PICTURES / name}.svg")

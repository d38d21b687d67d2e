"""Write the pages that `make firefox` opens: reports and explorers of trees, numbers and a forest.

python tools/firefox_pages.py FOLDER
"""

import sys
from pathlib import Path

from treewright import (
    DecisionTreeClassifier,
    ID3Classifier,
    OptimalTreeClassifier,
    RandomForestClassifier,
    TreeRegressor,
    datasets,
    explore,
)


def main(folder: Path) -> None:
    """Write one page of each kind."""
    X, y = datasets.load_iris()
    tree = DecisionTreeClassifier(max_competitors=2).fit(X[::2], y[::2])
    beside = {"optimal": OptimalTreeClassifier(max_depth=2).fit(X[::2], y[::2])}
    tree.to_html(folder / "tree.html", X[::2], y[::2], validation=(X[1::2], y[1::2]), beside=beside)
    forest = RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    forest.to_html(folder / "forest.html", X, y)
    miles = datasets.load_mpg()
    TreeRegressor().fit(*miles).to_html(folder / "numbers.html", *miles, cv=None)
    tennis = datasets.load_tennis()
    explore(ID3Classifier().fit(*tennis), *tennis).save(folder / "lecture.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

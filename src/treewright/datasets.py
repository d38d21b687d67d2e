"""Bundled datasets: textbook tables, and real ones with categories and missing values.

Every loader gives `(X, y)`, ready for `fit`. Text columns become categories in the order in which they first
appear, which is the order of the books; `?` in the files is a missing value.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

__all__ = ["load_cars", "load_iris", "load_labor", "load_mpg", "load_mushrooms", "load_tennis", "load_votes"]

Frame: TypeAlias = Literal["auto", "pandas", "polars", "rows"]


def load_tennis(noisy: bool = False, *, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load PlayTennis: fourteen days, four categorical features, whether tennis was played.

    Parameters
    ----------
    noisy : bool
        Add the fifteenth, mislabelled day of Mitchell's chapter on overfitting:
        Sunny, Hot, Normal, Strong, No.
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table. `"auto"` is pandas if it is installed, else polars, else rows;
        `"rows"` gives plain lists, which carry no names and no order of categories.

    Returns
    -------
    X, y
        The features and the target.

    References
    ----------
    T. M. Mitchell, Machine Learning, 1997, table 3.2; J. R. Quinlan, Induction of decision trees, 1986.

    Examples
    --------
    >>> X, y = load_tennis()
    >>> X.shape, list(X.columns)
    ((14, 4), ['Outlook', 'Temperature', 'Humidity', 'Wind'])
    >>> list(y.cat.categories)
    ['No', 'Yes']
    """
    return _load("tennis", frame, ["Sunny", "Hot", "Normal", "Strong", "No"] if noisy else None)


def load_mushrooms(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load the five mushrooms of Stein and Lettmann's lecture on ID3, toxic or edible.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    B. Stein and T. Lettmann, Machine Learning, unit "Decision Tree Algorithms", 2023.

    Examples
    --------
    >>> X, y = load_mushrooms(frame="rows")
    >>> X[0], y[0]
    (['red', 'small', 'yes'], 'toxic')
    """
    return _load("mushrooms", frame)


def load_cars(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load fifteen cars, four categorical features, whether the car is fast.

    Three cars (M3, IS350 and E320) agree in every feature, and one of them is fast: no tree is right about
    more than fourteen. The models' names are the index of a pandas table, since a tree would read the answer
    off them; other tables are without.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    A. Ramesh, Introduction to Machine Learning, CS 436/580L, lecture "Decision Trees", Binghamton University.

    Examples
    --------
    >>> X, y = load_cars()
    >>> int((y == "yes").sum()), X.index.name
    (5, 'Model')
    >>> X.loc[["M3", "IS350", "E320"]].drop_duplicates().shape
    (1, 4)
    """
    return _load("cars", frame, index="Model")


def load_iris(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load Fisher's irises: 150 flowers, four lengths in centimetres, three species.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    R. A. Fisher, The use of multiple measurements in taxonomic problems, Annals of Eugenics, 1936.

    Examples
    --------
    >>> X, y = load_iris()
    >>> X.shape, y.nunique()
    ((150, 4), 3)
    """
    return _load("iris", frame)


def load_labor(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load 57 Canadian labour contracts of 1987-88: numbers and categories, good or bad.

    More than a third of the cells are missing, in 56 of the 57 rows.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    UCI Machine Learning Repository, Labor Relations.

    Examples
    --------
    >>> X, y = load_labor()
    >>> X.shape, int(X.isna().sum().sum())
    ((57, 16), 326)
    """
    return _load("labor", frame)


def load_votes(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load the votes of 435 members of the United States House of 1984 on sixteen bills, and their party.

    A vote is `y`, `n` or missing.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    UCI Machine Learning Repository, Congressional Voting Records.

    Examples
    --------
    >>> X, y = load_votes()
    >>> X.shape, sorted(y.unique())
    ((435, 16), ['democrat', 'republican'])
    """
    return _load("votes", frame)


def load_mpg(*, frame: Frame = "auto") -> tuple[Any, Any]:
    """Load 398 cars of 1970-82, six numeric features and the region of origin, with their miles per gallon.

    A table for regression. The horsepower of six cars is missing.

    Parameters
    ----------
    frame : {"auto", "pandas", "polars", "rows"}
        The kind of table, as for `load_tennis`.

    References
    ----------
    UCI Machine Learning Repository, Auto MPG.

    Examples
    --------
    >>> X, y = load_mpg()
    >>> X.shape, float(y.mean().round(2))
    ((398, 7), 23.51)
    """
    return _load("mpg", frame)


@dataclass(frozen=True)
class _Column:
    """A column as read: floats or texts, `None` where missing."""

    name: str
    values: list[Any]

    @property
    def is_text(self) -> bool:
        return any(isinstance(value, str) for value in self.values)

    @property
    def categories(self) -> list[str]:
        """The texts in the order in which they first appear."""
        return list(dict.fromkeys(value for value in self.values if value is not None))


def _load(
    name: str, frame: Frame, extra: list[str] | None = None, index: str | None = None
) -> tuple[Any, Any]:
    if frame not in get_args(Frame):
        raise ValueError(f"frame is {frame!r}, but must be one of {', '.join(map(repr, get_args(Frame)))}.")
    text = (files("treewright") / "tables" / f"{name}.csv").read_text(encoding="utf-8")
    names, *rows = csv.reader(text.splitlines())
    if extra is not None:
        rows.append(extra)
    columns = [
        _Column(name, _parse(texts)) for name, texts in zip(names, zip(*rows, strict=True), strict=True)
    ]
    if frame == "auto":
        frame = "pandas" if find_spec("pandas") else "polars" if find_spec("polars") else "rows"
    *features, target = (column for column in columns if column.name != index)
    if frame == "rows":
        return [list(row) for row in zip(*(column.values for column in features), strict=True)], target.values
    build = _pandas if frame == "pandas" else _polars
    table = build([*features, target])
    if index is not None and frame == "pandas":
        names = next(column.values for column in columns if column.name == index)
        table.index = import_module("pandas").Index(names, name=index)
    return table[[column.name for column in features]], table[target.name]


def _parse(texts: tuple[str, ...]) -> list[Any]:
    """Numbers if every known text is one, else the texts themselves."""
    known = [None if text == "?" else text for text in texts]
    try:
        return [None if text is None else float(text) for text in known]
    except ValueError:
        return list(known)


def _pandas(columns: list[_Column]) -> Any:
    pandas = import_module("pandas")
    return pandas.DataFrame(
        {
            column.name: pandas.Categorical(column.values, categories=column.categories)
            if column.is_text
            else pandas.Series(column.values, dtype="float64")
            for column in columns
        }
    )


def _polars(columns: list[_Column]) -> Any:
    polars = import_module("polars")
    return polars.DataFrame(
        [
            polars.Series(
                column.name,
                column.values,
                dtype=polars.Enum(column.categories) if column.is_text else polars.Float64,
            )
            for column in columns
        ]
    )

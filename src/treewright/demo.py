"""The demonstration behind `make demo`: from a raw table, with text and holes, to a tree one can read."""

import textwrap

from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from treewright import DecisionTreeClassifier, datasets, export_text


def main() -> None:
    """Grow a tree on the bundled table of labour contracts, and show what it is worth."""
    X, y = datasets.load_labor(frame="pandas")
    say(
        f"{len(X)} labour contracts, {X.shape[1]} features as they came: "
        f"{X.select_dtypes('number').shape[1]} numeric, {X.select_dtypes('category').shape[1]} categorical, "
        f"{X.isna().sum().sum()} of {X.size} cells missing. Which contracts are good?"
    )

    model = DecisionTreeClassifier()
    model.fit(X, y)
    print(export_text(model, missing=True))

    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    scores = cross_val_score(model, X, y, cv=folds)
    say(
        f"It is right about {model.score(X, y):.0%} of the contracts it has seen, and about "
        f"{scores.mean():.0%} of those it has not (tenfold cross-validation, ten times). "
        f"Always answering {y.mode()[0]!r} would be right about {y.value_counts(normalize=True).max():.0%}."
    )

    print("What it looks at:")
    for importance, name in sorted(zip(model.feature_importances_, X.columns, strict=True), reverse=True):
        if importance > 0:
            print(f"  {name:32}{'█' * round(40 * importance)} {importance:.0%}")


def say(sentence: str) -> None:
    """Print a paragraph."""
    print("\n" + textwrap.fill(sentence, 90) + "\n")


if __name__ == "__main__":
    main()

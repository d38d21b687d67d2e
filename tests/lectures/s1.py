"""S1: Ramesh, CS 436/580L."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import ceil, log2
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import treewright as tw
from lectures import slow
from lectures.items import item
from treewright.tree import Tree
from treewright.tree.splits import Table

Names = SimpleNamespace

DAYS = """\
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No"""
"""The table of lines 192–207, without the days' names."""

CARS = """\
Prius small no average good no
Civic small no light average no
WRX_STI small yes average bad yes
M3 medium no heavy bad yes
RS4 large no average bad yes
GTI medium no light bad no
XJR large yes heavy bad no
S500 large no heavy bad no
911 medium yes light bad yes
Corvette large no average bad yes
Insight small no light good no
RSX small no average average no
IS350 medium no heavy bad no
MR2 small yes average average no
E320 medium no heavy bad no"""
"""The table of lines 309–325."""


def features_on_paths(tree: Tree) -> list[list[str]]:
    """For each leaf the features asked on the way to it."""
    paths = []
    for leaf in tree.leaves.tolist():
        path, node = [], int(tree.parent[leaf])
        while node >= 0:
            path.append(tree.schema.names[tree[node].split.feature])
            node = int(tree.parent[node])
        paths.append(path)
    return paths


def is_greedy(model: Any, table: pd.DataFrame, labels: Any, impurity: Any) -> None:
    """Every node of a tree of truth values asks for what lowers the impurity most, and every leaf is pure."""
    passed = model.decision_path(table).toarray().astype(bool)
    for node in range(len(model.tree_)):
        here = passed[:, node]
        own = np.asarray(labels)[here].tolist()
        if model.tree_.is_leaf(node):
            assert len(set(own)) == 1
            continue
        gains = {}
        for name in table:
            parts = [np.asarray(labels)[here & (table[name] == side)].tolist() for side in (True, False)]
            if all(parts):
                gains[name] = slow.gain(own, parts, impurity)
        chosen = table.columns[model.tree_[node].split.feature]
        assert gains[chosen] == pytest.approx(max(gains.values()))


@item
def _(at: Names, predicted: Any, importances: dict[str, float]) -> str:
    """S1.1 (91–96, 230): The tree of PlayTennis; (Sunny, Hot, High, Strong) is No; Temperature is irrelevant

    tw.ID3Classifier().fit(*tennis).predict(tennis[0][1:2])
    dict(zip(tennis[0], tw.ID3Classifier().fit(*tennis).feature_importances_))
    """
    assert at.tennis[0].iloc[1].tolist() == ["Sunny", "Hot", "High", "Strong"]
    assert predicted.tolist() == ["No"]
    assert importances["Temperature"] == 0
    assert min(value for name, value in importances.items() if name != "Temperature") > 0
    return "No; the importance of Temperature is 0"


@item
def _(at: Names, numbers: Any, categories: Any) -> str:
    """S1.2 (100–105): A number is tested against a threshold, again further down; a discrete feature once on a path

    tw.DecisionTreeClassifier().fit(X, y)
    tw.ID3Classifier().fit(*tennis)
    """
    assert any(Counter(path).most_common(1)[0][1] > 1 for path in features_on_paths(numbers.tree_))
    assert all(len(path) == len(set(path)) for path in features_on_paths(categories.tree_))
    return "so it is on all paths of both trees"


@item
def _(at: Names, leaves: list[int]) -> str:
    """S1.3 (112–120): In the worst case exponentially many nodes; a bound on the leaves?

    [tw.DecisionTreeClassifier().fit(C[:, :d], C[:, :d].sum(axis=1) % 2).get_n_leaves() for d in (2, 3, 4, 5)]
    """
    assert leaves == [2**d for d in (2, 3, 4, 5)]
    return f"parity of 2, 3, 4, 5 features: {', '.join(map(str, leaves))} leaves, 2^d being the bound"


@item
def _(at: Names, one: list[float], two: list[float], three: Any) -> str:
    """S1.4 (124–127): Depth 1 any function of one feature, depth 2 any of two, and (x₁ ∧ x₂) ∨ (¬x₁ ∧ ¬x₃)

    [tw.OptimalTreeClassifier(max_depth=1).fit(B, np.take(f, B.x1)).score(B, np.take(f, B.x1)) for f in product([0, 1], repeat=2)]
    [tw.OptimalTreeClassifier(max_depth=2).fit(B, np.take(f, 2 * B.x1 + B.x2)).score(B, np.take(f, 2 * B.x1 + B.x2)) for f in product([0, 1], repeat=4)]
    tw.OptimalTreeClassifier(max_depth=2).fit(B, b)
    """
    assert one == [1.0] * 4
    assert two == [1.0] * 16
    assert three.score(at.B, at.b) == 1
    greedy = tw.DecisionTreeClassifier(ties="first").fit(at.B, at.b)
    return f"all of them; the last in {three.get_n_leaves()} leaves, where greedy growing needs {greedy.get_n_leaves()}"


@item
def _(at: Names, model: Any) -> str:
    """S1.5 (132–150): GROWTREE(S)

    tw.DecisionTreeClassifier(criterion='entropy').fit(B, b)
    """
    is_greedy(model, at.B, at.b, slow.entropy)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.integers(0, 2, 8)
        is_greedy(
            tw.DecisionTreeClassifier(criterion="entropy").fit(at.B, labels), at.B, labels, slow.entropy
        )
    return "at every node the attribute of the largest gain, pure leaves"


@item
def _(at: Names, found: dict[str, float]) -> str:
    """S1.6 (169–177): Gain(S, A) = H(S) − Σ P(v) H(S_v)

    {c.feature: c.gain for c in tw.ID3Classifier(trace=True).fit(*tennis).trace_[0].candidates}
    """
    X, y = at.tennis
    for name, value in found.items():
        parts = [y[X[name] == category].tolist() for category in X[name].cat.categories]
        assert value == pytest.approx(slow.gain(y.tolist(), parts))
    assert [round(value, 3) for value in found.values()] == [0.247, 0.029, 0.152, 0.048]
    return ", ".join(f"{name} {value:.3f}" for name, value in found.items())


@item
def _(at: Names, found: float, ax: Any) -> str:
    """S1.7 (179–190): Entropy H(V), and its curve

    tw.criteria.impurity('entropy', [9, 5])
    tw.plot_impurities('entropy', scaled=False)
    """
    assert found == pytest.approx(-9 / 14 * log2(9 / 14) - 5 / 14 * log2(5 / 14))
    share, value = ax.get_lines()[0].get_data()
    assert value[1:-1] == pytest.approx([-q * log2(q) - (1 - q) * log2(1 - q) for q in share[1:-1]])
    assert (value[0], value[250], value[-1]) == (0, 1, 0)
    return f"{found:.3f}; the curve rises to 1 at ½"


@item
def _(at: Names, found: Any) -> str:
    """S1.8 (192–228): The fourteen days

    datasets.load_tennis()
    """
    return slow.same_table(*found, DAYS)


@item
def _(at: Names, found: dict[str, float]) -> str:
    """S1.9 (234–258): "Is the decision tree correct?" On the five rainy days Wind has the highest gain

    {c.feature: c.gain for c in tw.ID3Classifier(trace=True).fit(*tennis).trace_[5].candidates}
    """
    X, y = at.tennis
    rain = X.Outlook == "Rain"
    for name, value in found.items():
        parts = [y[rain & (X[name] == category)].tolist() for category in X[name].cat.categories]
        assert value == pytest.approx(slow.gain(y[rain].tolist(), parts))
    assert max(found, key=lambda name: found[name]) == "Wind"
    return ", ".join(f"{name} {value:.3f}" for name, value in found.items())


@item
def _(at: Names, text: str) -> str:
    """S1.10 (258–275): … that one node on the board, with the records routed there

    str(tw.ID3Classifier(trace=True).fit(*tennis).trace_[5])
    """
    lines = text.splitlines()
    days = [DAYS.splitlines()[day].split() for day in (3, 4, 5, 9, 13)]  # D4, D5, D6, D10, D14
    assert [line.split()[1:] for line in lines[4:9]] == days
    assert lines[0] == "node 5: Outlook = Rain"
    assert "gain 0.971" in text
    return "its five days, then each candidate with its counts, shares and gain"


@item
def _(at: Names, tree: Tree) -> str:
    """S1.11 (277–305): ID3, twice: all one class, attributes used up, each value a branch, an empty one the most common value; the six steps

    tw.ID3Classifier().fit(*tennis).tree_
    """
    X, y = at.tennis
    assert slow.nested(tree) == slow.id3(slow.rows_of(X), y.tolist(), slow.domains_of(X), ["No", "Yes"])
    for seed in range(60):
        X, labels = slow.random_table(seed)
        model = tw.ID3Classifier().fit(X, labels)
        order = sorted(set(labels))
        assert slow.nested(model.tree_) == slow.id3(slow.rows_of(X), labels, slow.domains_of(X), order)
    return "the tree of the text; 60 random tables node for node"


@item
def _(at: Names, found: Any) -> str:
    """S1.12 (307–325): The fifteen cars: Model, Engine, SC/Turbo, Weight, Fuel Eco, Fast

    datasets.load_cars()
    """
    X, y = found
    rows = [
        [str(m).replace(" ", "_"), *map(str, r), c] for m, r, c in zip(X.index, X.to_numpy(), y, strict=True)
    ]
    assert rows == [line.split() for line in CARS.splitlines()]
    alike = X.index[X.eq(X.loc["M3"]).all(axis=1)].tolist()
    assert alike == ["M3", "IS350", "E320"]
    assert all(name in tw.datasets.load_cars.__doc__ for name in alike)
    return "the table, the models as its index; M3, IS350 and E320 agree in every feature"


@item
def _(at: Names, model: Any) -> str:
    """S1.13 (307): … "Decision Tree Example": the tree of the cars

    tw.ID3Classifier().fit(*cars)
    """
    X, y = at.cars
    table = X.reset_index(drop=True)
    assert slow.nested(model.tree_) == slow.id3(
        slow.rows_of(table), y.tolist(), slow.domains_of(table), list(model.classes_)
    )
    assert model.tree_.merit[0] == pytest.approx(0.252, abs=5e-4)
    name = model.tree_.schema.names[model.tree_[0].split.feature]
    return f"{name} first, gain {model.tree_.merit[0]:.3f}; {model.get_n_leaves()} leaves"


@item
def _(at: Names, noisy: Any, clean: Any) -> str:
    """S1.14 (338–342): A noisy day: Sunny, Hot, Normal, Strong, No. "What effect on tree?"

    tw.ID3Classifier().fit(*datasets.load_tennis(noisy=True))
    tw.ID3Classifier().fit(*tennis)
    """
    X, y = tw.datasets.load_tennis(noisy=True)
    assert [*map(str, X.iloc[-1]), y.iloc[-1]] == ["Sunny", "Hot", "Normal", "Strong", "No"]
    assert slow.nested(noisy.tree_) == slow.id3(
        slow.rows_of(X), y.tolist(), slow.domains_of(X), ["No", "Yes"]
    )
    return f"{noisy.get_n_leaves()} leaves instead of {clean.get_n_leaves()}"


@item
def _(at: Names, growing: Any, ax: Any) -> str:
    """S1.15 (334–357): Figure: overfitting; h overfits if some h' has larger training and smaller true error

    tw.overfitting_curve(tw.DecisionTreeClassifier(), X, y).growing
    tw.plot_overfitting(tw.DecisionTreeClassifier(), X, y)
    """
    best = int(np.argmax(growing["test"]))
    assert growing["training"][-1] == 1 > growing["training"][best]
    assert growing["test"][-1] < growing["test"][best]
    assert len(ax.get_lines()) == 6
    return "the full tree overfits: a smaller one errs more on training rows and less on test rows"


def p_value(counts: np.ndarray) -> float:
    """Pearson's test of a table of branches × classes, without empty lines."""
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 1.0
    return float(chi2_contingency(counts, correction=False).pvalue)


@item
def _(at: Names, model: Any) -> str:
    """S1.16 (371–376): Stop growing when the split is not statistically significant (chi-squared test)

    tw.ID3Classifier(significance=0.05).fit(*tennis)
    """
    assert model.get_n_leaves() == 1
    assert "no split is significant at 0.05" in str(model.tree_)
    split = 0
    for seed in range(60):
        X, labels = slow.random_table(seed, 40)
        if seed % 2:
            labels = [int(value == "u") for value in X.a]
        best = tw.ID3Classifier(max_depth=1).fit(X, labels).tree_
        tested = tw.ID3Classifier(max_depth=1, significance=0.05).fit(X, labels).tree_
        corrected = 3 * p_value(best.node_value[1:][best.count[1:] > 0])  # the best of three candidates
        assert (len(tested) > 1) == (corrected <= 0.05)
        split += len(tested) > 1
    assert 20 < split < 60
    for seed in range(5):  # noise of many categories is none either
        rng = np.random.default_rng(seed)
        noise = pd.DataFrame({"letter": pd.Categorical(rng.integers(0, 300, 1000).astype(str))})
        grown = tw.DecisionTreeClassifier(significance=0.05).fit(noise, rng.integers(0, 2, 1000))
        assert grown.get_n_leaves() == 1
    return "a single leaf, which says so; the test, corrected for the candidates, on 60 random tables"


@item
def _(at: Names, pruned: Any) -> str:
    """S1.17 (380–383): Chi-square pruning: build the entire tree, test each leaf decision

    tw.prune(m, pruning.ChiSquare(alpha=0.05))
    """
    tree = at.T
    leaves = set(tree.leaves.tolist())
    for node in reversed(range(len(tree))):
        children = list(tree.children(node))
        if (
            children
            and all(child in leaves for child in children)
            and p_value(tree.node_value[children]) > 0.05
        ):
            leaves.add(node)
    assert pruned.tree_ == tree.collapse(sorted(leaves))
    return f"{tree.n_leaves} leaves become {pruned.get_n_leaves()}"


@item
def _(at: Names, branches: Any) -> str:
    """S1.18 (385–400): … its counts: s, p, n; p_f near s_f · p/s

    [(b.condition, b.counts, b.expected) for b in tw.DecisionTreeClassifier(criterion='chi_square', splits=('multiway',), trace=True).fit(*tennis).trace_[0].candidates[0].branches]
    """
    X, y = at.tennis
    s, p = 14, int((y == "Yes").sum())
    for condition, counts, expected in branches:
        own = y[X.Outlook == condition.split(" = ")[1]]
        assert counts == (sum(own == "No"), sum(own == "Yes"))
        assert expected == pytest.approx((len(own) * (s - p) / s, len(own) * p / s))
    return "; ".join(
        f"{condition}: {counts[1]:g} Yes, expected {expected[1]:.2f}"
        for condition, counts, expected in branches
    )


@item
def _(at: Names, count: Any) -> str:
    """S1.19 (402–408): 2/3 for training, 1/3 for validation

    tw.DecisionTreeClassifier(pruner='reduced_error', random_state=0).fit(X, y).tree_.count[0]
    """
    assert count in (200 - ceil(200 / 3), 200 - 200 // 3)
    return f"{count} of 200 rows are grown on"


@item
def _(at: Names, pruned: Any) -> str:
    """S1.20 (410–417): Reduced-error pruning: greedily the node that helps most, until harmful

    tw.prune(m, pruning.ReducedError(strategy='greedy'), V, v)
    """
    tree = at.T
    errors = slow.errors_at(tree, at.v, at.m.decision_path(at.V).toarray())
    leaves = set(tree.leaves.tolist())

    def below(node: int) -> list[int]:
        return [node] if node in leaves else [leaf for child in tree.children(node) for leaf in below(child)]

    while True:
        inner = [node for node in range(len(tree)) if node not in leaves and reachable(tree, node, leaves)]
        if not inner:
            break
        best = max(
            inner,
            key=lambda node: (sum(errors[leaf] for leaf in below(node)) - errors[node], len(below(node))),
        )
        if sum(errors[leaf] for leaf in below(best)) < errors[best]:
            break
        leaves.add(best)
    assert (pruned.predict(at.V) != at.v).sum() == sum(errors[leaf] for leaf in below(0))
    assert pruned.get_n_leaves() == len(below(0))
    return f"{tree.n_leaves} leaves become {pruned.get_n_leaves()}"


def reachable(tree: Tree, node: int, leaves: set[int]) -> bool:
    """Whether no node above is a leaf by now."""
    while node > 0:
        node = int(tree.parent[node])
        if node in leaves:
            return False
    return True


@item
def _(at: Names, ax: Any) -> str:
    """S1.21 (419): Figure: effect of reduced-error pruning

    tw.plot_overfitting(tw.DecisionTreeClassifier(), X, y)
    """
    labels = [line.get_label() for line in ax.get_lines()]
    assert {"training rows", "test rows", "test rows, pruned"} <= set(labels)
    lines = dict(zip(labels, ax.get_lines(), strict=True))
    assert lines["test rows, pruned"].get_ydata().max() > lines["test rows"].get_ydata()[-1]
    return "accuracy on training, pruning and test rows while growing and while pruning"


@item
def _(at: Names, text: str) -> str:
    """S1.22 (426, 432–440): The tree as rules: IF (Outlook = Sunny) ∧ (Humidity = High) THEN No

    str(tw.ID3Classifier().fit(*tennis).rules())
    """
    first = text.splitlines()[0]
    assert first == "IF Outlook = Sunny AND Humidity = High THEN No  (3 rows, 100 %)"
    assert len(text.splitlines()) == 5 + 1
    return f"`{first}` and four more"


@item
def _(at: Names, pruned: Any) -> str:
    """S1.23 (427–428, 439–441): Each rule drops preconditions where the accuracy on a validation set improves

    tw.ID3Classifier().fit(tennis[0][:9], tennis[1][:9]).rules().prune(tennis[0][9:], tennis[1][9:], estimate='holdout')
    """
    X, y = at.tennis
    rules = tw.ID3Classifier().fit(X[:9], y[:9]).rules()
    before = [(slow.preconditions(rule, rules.schema), rules.schema.classes[rule.label]) for rule in rules]
    after = slow.post_pruned(before, X[9:].reset_index(drop=True), y[9:].tolist(), [1.0] * 5)
    found = [(slow.preconditions(rule, pruned.schema), pruned.schema.classes[rule.label]) for rule in pruned]
    assert found == [(tests, label) for tests, label, _ in after]
    X = pd.DataFrame({"b": list("vvww"), "c": list("wuwu")}, dtype="category")
    V = pd.DataFrame({"b": list("vvvvww"), "c": list("wuuuww")}, dtype="category")
    kept = tw.ID3Classifier().fit(X, [1, 0, 0, 0]).rules().prune(V, [1, 1, 1, 0, 0, 0], estimate="holdout")
    assert "IF b = v AND c = w THEN 1  (1 row, 100 %)" in str(kept)  # 75 % without the second
    return f"`{str(pruned).splitlines()[0]}`, and so on"


@item
def _(at: Names, pruned: Any) -> str:
    """S1.24 (429–430): Rules sorted by estimated accuracy, used as a sequence

    tw.ID3Classifier().fit(*tennis).rules().prune(*tennis, estimate='holdout')
    """
    accuracy = [rule.confidence for rule in pruned]
    assert accuracy == sorted(accuracy, reverse=True)
    assert len(pruned) == 5  # all are kept
    for seed in range(40):
        X, labels = slow.random_table(seed)
        V, held = slow.random_table(seed + 1000, 12)
        rules = tw.ID3Classifier().fit(X, labels).rules()
        known = [label in labels for label in held]
        V, held = V[known].reset_index(drop=True), [label for label in held if label in labels]
        before = [
            (slow.preconditions(rule, rules.schema), rules.schema.classes[rule.label]) for rule in rules
        ]
        sequence = slow.post_pruned(before, V, held, [1.0] * len(held))
        expected = [
            next(label for tests, label, _ in sequence if all(row[name] == value for name, value in tests))
            for row in slow.rows_of(X)
        ]
        assert rules.prune(V, held, estimate="holdout").predict(X).tolist() == expected
    return "all five rules, the most accurate first; 40 random tables predict as the text's procedure"


def root_groups(model: Any) -> tuple[str, list[list[str]]]:
    """The feature of the root, and the values of each branch."""
    split = model.tree_[0].split
    assert isinstance(split, Table)
    column = model.tree_.schema.columns[split.feature]
    return column.name, [[column.categories[code] for code in group] for group in split.groups]


def merit_of(at: Names, name: str, groups: list[list[str]]) -> float:
    X, y = at.tennis
    return slow.gain(y.tolist(), [y[X[name].isin(group)].tolist() for group in groups], slow.gini)


@item
def _(at: Names, model: Any) -> str:
    """S1.25 (454): Several values: a multiway split

    tw.DecisionTreeClassifier(splits=('multiway',)).fit(*tennis)
    """
    name, groups = root_groups(model)
    assert groups == [[value] for value in at.tennis[0][name].cat.categories]
    every = {f: merit_of(at, f, [[v] for v in at.tennis[0][f].cat.categories]) for f in at.tennis[0]}
    assert every[name] == pytest.approx(max(every.values())) == pytest.approx(model.tree_.merit[0])
    return f"{name} in {len(groups)} branches"


def two_groups(values: list[str], sizes: range) -> list[list[list[str]]]:
    """All ways to divide values into two groups, the first of one of the sizes."""
    return [
        [list(group), [v for v in values if v not in group]]
        for size in sizes
        for group in combinations(values, size)
        if len(group) < len(values)
    ]


def best_groups(at: Names, model: Any, sizes: range) -> str:
    """Check that the root's groups are the best of all whose first has one of these sizes; say which."""
    name, groups = root_groups(model)
    best = max(
        merit_of(at, f, pair)
        for f in at.tennis[0]
        for pair in two_groups(list(at.tennis[0][f].cat.categories), sizes)
    )
    assert model.tree_.merit[0] == pytest.approx(best) == pytest.approx(merit_of(at, name, groups))
    return f"{name}: {' against '.join(', '.join(group) for group in groups)}"


@item
def _(at: Names, model: Any) -> str:
    """S1.26 (455): … one value against all others

    tw.DecisionTreeClassifier(splits=('one_vs_rest',)).fit(*tennis)
    """
    assert min(map(len, root_groups(model)[1])) == 1
    return best_groups(at, model, range(1, 2))


@item
def _(at: Names, model: Any) -> str:
    """S1.27 (456): … two disjoint subsets

    tw.DecisionTreeClassifier(splits=('subset',)).fit(*tennis)
    """
    return best_groups(at, model, range(1, 3))


@item
def _(at: Names, model: Any) -> str:
    """S1.28 (457–458): Thresholds at each observed value

    tw.DecisionTreeClassifier(cut='observed').fit(*temp)
    """
    cuts = sorted(model.tree_.threshold[model.tree_.n_children > 0].tolist())
    assert set(cuts) <= {row[0] for row in at.temp[0]}
    assert cuts == [48, 80]
    return "48 and 80"


@item
def _(at: Names, model: Any) -> str:
    """S1.29 (460–465): Gain selects attributes of many values: Date

    tw.ID3Classifier().fit(tennis[0].assign(Date=pd.Categorical([f'D{i}' for i in range(1, 15)])), tennis[1])
    """
    assert model.tree_.schema.names[model.tree_[0].split.feature] == "Date"
    assert model.tree_.merit[0] == pytest.approx(slow.entropy(at.tennis[1].tolist()))
    return f"Date, with a gain of {model.tree_.merit[0]:.3f}, in {len(model.tree_.children(0))} branches"


@item
def _(at: Names, ratio: float, information: float) -> str:
    """S1.30 (467–473): GainRatio = Gain/SplitInformation, SplitInformation = −Σ |S_i|/|S| log₂ |S_i|/|S|

    tw.criteria.merit('gain_ratio', [[3, 2], [0, 4], [2, 3]])
    tw.ID3Classifier(criterion='gain_ratio', trace=True).fit(*tennis).trace_[0].candidates[0].split_information
    """
    by_hand = -sum(part / 14 * log2(part / 14) for part in (5, 4, 5))
    assert information == pytest.approx(by_hand)
    labels = ["No"] * 5 + ["Yes"] * 9
    parts = [["No"] * 3 + ["Yes"] * 2, ["Yes"] * 4, ["No"] * 2 + ["Yes"] * 3]
    assert ratio == pytest.approx(slow.gain(labels, parts) / by_hand)
    return f"{ratio:.3f}, {information:.3f}"


@item
def _(at: Names, cuts: list[str]) -> str:
    """S1.31 (477–486): Six temperatures: midpoints where the class changes, 54 and 85

    [cut for cut, gain in tw.DecisionTreeClassifier(criterion='entropy', trace=True).fit(*temp).trace_[0].candidates[0].cuts]
    """
    X, y = at.temp
    changes = [(X[i][0] + X[i + 1][0]) / 2 for i in range(5) if y[i] != y[i + 1]]
    assert cuts == [f"{cut:g}" for cut in changes] == ["54", "85"]
    return " and ".join(cuts)


@item
def _(at: Names, tree: Any) -> str:
    """S1.32 (488): "Split into multiple intervals"

    tw.DecisionTreeClassifier(criterion='entropy', splits=('interval',), max_intervals=3).fit(*temp).tree_
    """
    assert tree[0].split.cuts == (54, 85)
    assert (tree.n_leaves, tree.depth) == (3, 1)
    return "one split into three intervals, cut at 54 and 85"


def branch_rows(model: Any) -> list[float]:
    return model.tree_.weight[list(model.tree_.children(0))].tolist()


@item
def _(at: Names, model: Any) -> str:
    """S1.33 (494): Missing is another value

    tw.ID3Classifier(missing='value').fit(lacking, tennis[1])
    """
    table = at.lacking.astype(object).fillna("missing").astype("category")
    own = Counter(table.Outlook)
    assert sorted(branch_rows(model)) == sorted(own.values())
    assert own["missing"] == 2
    return f"a branch of their own: {', '.join(f'{rows:g}' for rows in branch_rows(model))} rows"


@item
def _(at: Names, model: Any) -> str:
    """S1.34 (495–496): … instances are ignored

    tw.ID3Classifier(missing='ignore').fit(lacking, tennis[1])
    """
    known = at.lacking.Outlook.notna()
    assert model.tree_ == tw.ID3Classifier().fit(at.lacking[known], at.tennis[1][known]).tree_
    return f"the tree of the {known.sum()} other days"


@item
def _(at: Names, model: Any) -> str:
    """S1.35 (497): … the most common value

    tw.ID3Classifier(missing='mode').fit(lacking, tennis[1])
    """
    common = Counter(at.lacking.Outlook.dropna()).most_common(1)[0][0]
    filled = Counter(at.lacking.Outlook.fillna(common))
    assert branch_rows(model) == [filled[value] for value in at.lacking.Outlook.cat.categories]
    return f"{common}: {', '.join(f'{rows:g}' for rows in branch_rows(model))} rows"


@item
def _(at: Names, model: Any) -> str:
    """S1.36 (498): … the most common value of its class

    tw.ID3Classifier(missing='class_mode').fit(lacking, tennis[1])
    """
    filled = []
    for value, label in zip(at.lacking.Outlook, at.tennis[1], strict=True):
        own = at.lacking.Outlook[(at.tennis[1] == label).to_numpy()].dropna()
        filled.append(own.value_counts().idxmax() if pd.isna(value) else value)
    assert branch_rows(model) == [Counter(filled)[value] for value in at.lacking.Outlook.cat.categories]
    assert filled[9] != filled[13]
    return f"D10 (Yes) {filled[9]}, D14 (No) {filled[13]}: {', '.join(f'{rows:g}' for rows in branch_rows(model))} rows"


@item
def _(at: Names, model: Any) -> str:
    """S1.37 (500–504): A fraction .4 of the instance to one branch, .6 to the other

    tw.ID3Classifier(missing='fractional').fit(pd.DataFrame({'A': pd.Categorical([1] * 4 + [0] * 6 + [None])}), [1] * 4 + [0] * 7)
    """
    assert sorted(branch_rows(model)) == pytest.approx([4 + 0.4, 6 + 0.6])
    return " and ".join(f"{rows:.1f}" for rows in sorted(branch_rows(model))) + " rows"


@item
def _(at: Names, counted: Any, known: Any) -> str:
    """S1.38 (505): "Use fractional instances to compute gain"

    tw.ID3Classifier(missing='fractional_counts', trace=True).fit(lacking, tennis[1]).trace_[0].candidates[0]
    tw.ID3Classifier(missing='fractional', trace=True).fit(lacking, tennis[1]).trace_[0].candidates[0]
    """
    outlook, play = at.lacking["Outlook"], list(at.tennis[1])
    of_value = [
        [c for v, c in zip(outlook, play, strict=True) if v == value] for value in outlook.dropna().unique()
    ]
    without = [c for v, c in zip(outlook, play, strict=True) if pd.isna(v)]
    seen = sum(map(len, of_value))

    def entropy(weight: dict[str, float]) -> float:
        shares = [w / sum(weight.values()) for w in weight.values() if w > 0]
        return -sum(share * log2(share) for share in shares)

    after = 0.0
    for part in of_value:
        share = len(part) / seen  # of each instance without the value
        weight = {c: part.count(c) + share * without.count(c) for c in ("No", "Yes")}
        after += sum(weight.values()) / len(play) * entropy(weight)
    assert counted.gain == counted.merit == pytest.approx(slow.entropy(play) - after)
    answered = [c for part in of_value for c in part]
    assert known.gain == known.merit == pytest.approx(seen / len(play) * slow.gain(answered, of_value))
    return f"{counted.gain:.3f}; C4.5's, the gain of the instances that have the value times their share, is {known.gain:.3f}"


@item
def _(at: Names, scores: list[float]) -> str:
    """S1.39 (514): "Many forms in practice: CART, ID3, C4.5" (the only programs that S0, S2, S3 and S4 name, too)

    [kind().fit(*tennis).score(*tennis) for kind in (tw.CARTClassifier, tw.ID3Classifier, tw.C45Classifier)]
    """
    assert scores == pytest.approx([9 / 14, 1.0, 1.0])  # CART's program splits no node of fewer than 20 rows
    return "each learns the fourteen days, CART within the limits of its program"

"""The page for everybody: what axe finds, contrast, and no mouse."""

from __future__ import annotations

import pytest

from browsing import TABS, violations
from treewright import RandomForestClassifier, datasets, explore


@pytest.mark.slow
def test_nothing_is_found_by_the_accessibility_check(read, irises) -> None:
    reader = read(irises, bypass_csp=True)
    for tab in TABS:
        reader.open(tab)
        assert (tab, violations(reader.page)) == (tab, [])


@pytest.mark.slow
def test_a_forest_and_two_nodes_side_by_side_are_accessible(read) -> None:
    X, y = datasets.load_iris()
    reader = read(
        explore(RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y), X, y), bypass_csp=True
    )
    reader.open("forest")
    reader.page.get_by_role("button", name="Compare").click()
    reader.page.locator("#outline [data-node='2'] > .line").click()
    assert violations(reader.page) == []


@pytest.mark.slow
def test_dark_pages_have_contrast(read, irises) -> None:
    reader = read(irises, bypass_csp=True, color_scheme="dark")
    for tab in ("tree", "rules", "what-if"):
        reader.open(tab)
        assert (tab, violations(reader.page, runOnly=["color-contrast"])) == (tab, [])

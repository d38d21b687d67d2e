"""A sample of what `make fuzz` runs: no case may fail."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import treewright as tw
from fuzz import batches, server_requests
from fuzz.cases import LEARNERS, PARAMETERS, SET, Case
from fuzz.invariants import refusal, unforeseen
from fuzz.reduction import reduce
from fuzz.run import TARGETS, failure, reproduction
from treewright.tree.decision import searched_weights

CASES = {
    "estimators": 300,
    "relations": 200,
    "exports": 60,
    "engines": 10,
    "open_tables": 24,
    "model_files": 400,
    "table_files": 40,
    "requests": 100,
}


@pytest.fixture(scope="module", autouse=True)
def _no_server_after():
    yield
    server_requests.stop()


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("name", TARGETS)
def test_random_cases(name: str, part: int) -> None:
    for seed in range(part, CASES[name], 4):
        if (wrong := failure(TARGETS[name], seed)) is not None:
            pytest.fail(f"{name}, seed {seed}\n{reproduction(TARGETS[name], seed, *wrong)}")


def test_every_parameter_of_every_estimator_is_drawn() -> None:
    estimators = {name for name in tw.__all__ if hasattr(getattr(tw, name), "_declared_as")}
    assert set(LEARNERS) == estimators
    for name in LEARNERS:
        assert set(getattr(tw, name)()._get_param_names()) - set(PARAMETERS[name]) <= set(SET), name


def test_an_error_of_others_is_no_refusal() -> None:
    with pytest.raises(ValueError) as caught:
        searched_weights(np.zeros((2, 3)), np.zeros((4, 4)))  # NumPy raises, in a line of ours
    assert unforeseen(caught.value) is not None
    with pytest.raises(ValueError, match="holdout") as caught:
        tw.DecisionTreeClassifier(pruner="reduced_error").fit([[1.0]], [0])
    assert refusal(caught.value) is None


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_code_of_a_case_fits_its_model() -> None:
    for seed in range(20):
        case = TARGETS["estimators"].make(seed)
        made: dict[str, object] = {}
        try:
            exec(case.code(), made)
        except (ValueError, TypeError):
            with pytest.raises((ValueError, TypeError)):
                case.fit()
        else:
            assert str(getattr(made["model"], "tree_", "")) == str(getattr(case.fit(), "tree_", ""))


def test_a_failure_is_reduced_to_what_makes_it() -> None:
    columns = {f"x{at}": ("number", tuple(float(row * at) for row in range(40))) for at in range(4)}
    case = Case(
        "DecisionTreeClassifier", {"max_depth": 2, "ties": "last"}, columns, tuple(range(40)), (2.0,) * 40
    )

    def fails(less: Case) -> bool:
        return "max_depth" in less.parameters and "x2" in less.columns and 7 in less.y

    least = reduce(case, fails)
    assert least == Case("DecisionTreeClassifier", {"max_depth": 2}, {"x2": ("number", (0.0,))}, (7,))


def test_a_crash_and_a_hang_are_failures_of_their_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MOST_SECONDS", 0.1)
    said: list[tuple[int, str]] = []

    def check(seed: int) -> bool:
        if seed == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            with batches.limited():
                while seed == 4:
                    pass
        except batches.TooLongError:
            return True
        return False

    first = batches.run(check, range(6), lambda *what: said.append(what), 60)
    assert (first.cases, first.failed, first.next_seed) == (2, 1, 2)
    assert said == [(1, "the process ends with SIGKILL")]
    second = batches.run(check, range(2, 6), lambda *what: said.append(what), 60)
    assert (second.cases, second.failed, second.next_seed) == (4, 1, 6)
    assert len(said) == 1

"""The core's own logarithms and exponentials: against decimals of fifty digits."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from scipy import special

from treewright import _core

DIGITS = Context(prec=50, Emin=-(10**6), Emax=10**6)
HARD = {  # a 53-bit answer lies less than 2^-23 of its last place from the middle of two
    "log": ["0x1.62a88613629b5p+678", "0x1.ffffffffffffep-1", "0x1.0000000000001p+0"],
    "log2": [
        "0x1.2fa94f6db213ap+742",
        "0x1.657f834cf1fb5p+804",
        "0x1.f8a595c55868cp-976",
        "0x1.19cc841dcb1f2p-597",
    ],
}


def exactly(name: str) -> Callable[[Decimal], Decimal]:
    two, ten = Decimal(2).ln(DIGITS), Decimal(10).ln(DIGITS)
    functions: dict[str, Callable[[Decimal], Decimal]] = {
        "log": lambda x: x.ln(),
        "log2": lambda x: x.ln() / two,
        "log10": lambda x: x.ln() / ten,
        "log1p": lambda x: (1 + x).ln(),
        "exp": lambda x: x.exp(),
        "expm1": lambda x: x.exp() - 1,
        "exp2": lambda x: (x * two).exp(),
    }
    return functions[name]


def errors(name: str, x: Any) -> list[float]:
    """Distance of each answer from the exact one, in units of the last place."""
    answers = getattr(_core, name)(np.ascontiguousarray(x, dtype=float)).tolist()
    with localcontext(DIGITS):
        exact = [exactly(name)(Decimal(number)) for number in np.asarray(x).tolist()]
        return [
            float(abs(Decimal(answer) - other) / Decimal(math.ulp(float(other))))
            for answer, other in zip(answers, exact, strict=True)
        ]


def positive() -> Any:
    rng, n = np.random.default_rng(0), 3000
    cells = 1 + np.arange(128) / 128
    numbers = [
        rng.random(n),
        rng.random(n) * 1000,
        np.ldexp(0.5 + rng.random(n), rng.integers(-1073, 1024, n)),  # subnormal ones too
        1 + rng.normal(size=n) * 10.0 ** rng.uniform(-16, -1, n),
        1 + np.arange(-500, 500) * 2.0**-53,
        np.arange(1.0, n),
        rng.integers(1, 2**20, n).astype(float),
        np.ldexp(1.0, np.arange(-1074, 1024)),
        np.concatenate([cells, np.nextafter(cells, 0), np.nextafter(cells, 2)]),
        [5e-324, 2.0**-1022, np.nextafter(2.0**-1022, 0), 1.7976931348623157e308],
    ]
    return np.concatenate(numbers)


@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_logarithms_are_correctly_rounded(name: str) -> None:
    hard = [float.fromhex(x) for x in HARD.get(name, [])]
    assert max(errors(name, np.append(positive(), hard))) <= 0.5


def test_the_logarithm_of_a_power_is_whole() -> None:
    exponents = np.arange(-1074.0, 1024.0)
    assert _core.log2(np.ldexp(1.0, exponents.astype(int))).tolist() == exponents.tolist()
    assert [_core.log10(float(f"1e{k}")) for k in range(23)] == list(range(23))


def test_exponentials_and_small_logarithms_are_nearly_so() -> None:
    rng = np.random.default_rng(1)
    for name in ("exp", "exp2"):
        x = np.concatenate(
            [rng.uniform(-700, 700, 3000), rng.normal(size=3000) * 10.0 ** rng.uniform(-20, 2, 3000)]
        )
        assert max(errors(name, x)) < 0.51
    x = np.concatenate(
        [-rng.random(3000), rng.normal(size=3000) * 10.0 ** rng.uniform(-20, -2, 3000), [-0.5, 1e300]]
    )
    assert max(errors("log1p", x)) < 0.8
    assert max(errors("expm1", np.append(60 * x, [-0.02, 1e-20]).clip(-700, 700))) < 2


def test_powers() -> None:
    rng = np.random.default_rng(2)
    for base, exponent in zip(
        rng.random(2000).tolist(), (1 / rng.uniform(1, 1000, 2000)).tolist(), strict=True
    ):
        with localcontext(DIGITS):
            exact = (Decimal(base).ln() * Decimal(exponent)).exp()
            assert abs(Decimal(_core.pow(base, exponent)) - exact) < Decimal(0.52 * math.ulp(float(exact)))
    assert [_core.pow(3, k) for k in range(34)] == [float(3**k) for k in range(34)]
    assert [_core.pow(0, 2), _core.pow(0, 0), _core.pow(2, math.inf), _core.pow(0.5, math.inf)] == [
        0,
        1,
        math.inf,
        0,
    ]


def test_log_gamma_of_whole_and_half_numbers() -> None:
    with localcontext(DIGITS):
        half_log_pi = Decimal("3.14159265358979323846264338327950288419716939937510").ln() / 2
        for first, exact in ((1.0, Decimal(0)), (0.5, half_log_pi)):  # Γ(1) = 1, Γ(1/2) = √π
            logs = accumulate((Decimal(first + k).ln() for k in range(400)), initial=exact)
            for k, log in enumerate(logs):
                room = 0.6 * max(math.ulp(float(log)), 2.0**-55)
                assert abs(Decimal(_core.log_gamma(first + k)) - log) <= Decimal(room)
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(0, 40, 500), 10.0 ** rng.uniform(-300, 300, 500)])
    np.testing.assert_allclose(_core.log_gamma(x), [math.lgamma(a) for a in x], rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_logarithms_of_what_has_none(name: str) -> None:
    log = getattr(_core, name)
    assert [log(0.0), log(-0.0), log(math.inf), log(1.0)] == [-math.inf, -math.inf, math.inf, 0]
    assert all(math.isnan(log(x)) for x in (-1.0, -5e-324, -math.inf, math.nan))


def test_exponentials_of_what_is_too_large() -> None:
    for name, most in (("exp", 709.782712893384), ("exp2", math.nextafter(1024, 0))):
        function = getattr(_core, name)
        assert math.isfinite(function(most))
        assert [function(x) for x in (math.inf, 1024.0, -math.inf, -1100.0, 0.0)] == [
            math.inf,
            math.inf,
            0,
            0,
            1,
        ]
        assert math.isnan(function(math.nan))
    assert [_core.log1p(-1), _core.log1p(math.inf), _core.log1p(5e-324)] == [-math.inf, math.inf, 5e-324]


def test_tails_and_quantiles() -> None:
    rng = np.random.default_rng(4)
    for freedom, statistic in zip(
        rng.integers(1, 60, 500).tolist(), rng.exponential(40, 500).tolist(), strict=True
    ):
        tail = _core.gamma_tail(freedom / 2, statistic / 2)
        assert tail == pytest.approx(special.chdtrc(freedom, statistic), rel=1e-11, abs=1e-15)
    for chance in [*rng.random(300).tolist(), 1e-300, 1e-9, 0.25, 0.5, 1 - 1e-9]:
        assert _core.normal_quantile(chance) == pytest.approx(-special.ndtri(chance), rel=1e-12, abs=1e-15)
    for a, b in (10 ** rng.uniform(-1, 5, (300, 2))).tolist():
        chance = rng.uniform(0.001, 0.999)
        assert _core.beta_quantile(a, b, chance) == pytest.approx(special.betaincinv(a, b, chance), rel=1e-10)
    assert [_core.normal_quantile(0), _core.normal_quantile(1)] == [math.inf, -math.inf]


def test_arrays_keep_their_shape() -> None:
    assert _core.log2(np.array([[1.0, 2.0], [4.0, 8.0]])).tolist() == [[0, 1], [2, 3]]
    assert _core.log2(np.empty((0, 3))).shape == (0, 3)
    assert _core.log2(np.array([8])).tolist() == [3]
    assert _core.log2(np.float64(8)) == _core.log2(8) == 3
    assert isinstance(_core.log2(np.float64(8)), float)
    assert _core.log2(np.arange(1.0, 9)[::-1])[[0, -1]].tolist() == [3, 0]

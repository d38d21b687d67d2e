"""Arithmetic with the same last bit on every processor, for whatever decides or is stored.

NumPy's sums, means, products, quotients and square roots are such. Its `@`, logarithms, exponentials and
powers are not, nor are those of `math` and SciPy: the core has its own (`_core.log`, `_core.log2`, …).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def matmul(a: Array, b: Array) -> Array:
    """Give a @ b, each sum in the order of its terms.

    Parameters
    ----------
    a : float array of shape (..., n)
    b : float array of shape (n, k)

    Examples
    --------
    >>> matmul(np.array([1.0, 2.0]), np.array([[0.0, 3.0], [1.0, 0.0]])).tolist()
    [2.0, 3.0]
    """
    product = np.zeros((*a.shape[:-1], b.shape[1]))
    for term, line in enumerate(b):
        product += a[..., term, None] * line
    return product

"""A pytest plugin: names that scikit-learn has removed and tests of other libraries still ask for."""

from __future__ import annotations

import sklearn.datasets

sklearn.datasets.load_boston = sklearn.datasets.load_diabetes  # a table of numbers with a number to predict

"""Choosing between trees: pruning by holdout or cross-validation, comparison of pruners, overfitting."""

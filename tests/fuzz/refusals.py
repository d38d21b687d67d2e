"""The sentences in which `fit` refuses a random case: another one is a failure until it stands here."""

from __future__ import annotations

import re

SENTENCES = (  # … stands for names and values
    # the table, the target and the weights
    "… has … missing value…, first at row …. Fill them or choose another policy than missing=….",
    "column … has missing values, which missing='error' refuses. Fill them or choose another policy.",
    "missing='ignore' leaves no rows: every one misses a value.",
    "Input X contains NaN: column … (…, first …). Sparse tables take no missing values, as in …",
    "infinity in column … (… first …). Clean it or set inf='extreme'.",
    "…y is beyond ±… (…, row …): give it in a larger unit.",
    "…y is at most … in size, and … is the least: give it in a smaller unit.",
    "Sum of y is not …positive which is necessary for Poisson regression.",
    "Sample weights must contain at least one non-zero number.",
    "ordinal column … is text without an order: pass ordinal_features={…: [values from low to high]}.",
    "column … is named in categorical_features and in ordinal_features.",
    "predicate … calculates with column …, which is ….",
    "predicate … names …, which column … does not have.",
    "predicate … puts the categories of column … in an order they do not have.",
    # too few rows
    "none of the … row… has a target and a value to learn from.",
    "… rows are too few to keep a share of … aside …: add rows, change holdout, or use …",
    "the held-out rows weigh nothing: every one is of a class of weight 0. Leave these classes out, or …",
    "… rows cannot be parted in … folds: use fewer.",
    # parameters that do not go together, or with the target
    "… goes with missing='direction' or 'available' for all features and …, not with ….",
    "monotonic goes with missing='direction', not with missing=…, where values are missing: …",
    "monotonic_cst has … for feature …, which is categorical: use 0.",
    "Feature … is …, and splits=… has no form for it: …",
    "missing='class_mode' needs classes: the target is a number.",
    "missing='fractional_counts' needs sums: criterion='absolute_error' has none.",
    "fair_categories=True needs a criterion of class weights or sums, which …",
    "fair_categories=True judges the categories of each node, and category_order='once' does not …",
    "max_groups=… needs a criterion of class weights or sums, which …: …",
    "The 'missing' parameter of … must be a str among {…} or a dict of such by feature…. Got … instead.",
    "The 'se' parameter of … needs cross-validation: give 'cv', or se=None.",
    "… counts errors, and this tree predicts numbers: use ….",
    "StructuralRisk needs a bounded loss, and this tree predicts numbers: set loss_bound to ….",
    "guide='forest' goes with leaves='constant', not with leaves='linear'.",
    "monotonic_cst goes with leaves='constant', not with leaves='linear'.",
    # several targets
    "… needs one target, and y has … targets: use ….",
    "criterion='absolute_error' groups the categories of … by one target, and y has … targets: …",
    "Monotonicity constraints are not supported with multiple outputs.",
    "… one target, and this model has …: ….",
    "… prunes by one target, and there are …: use ccp_alpha, or CostComplexity(alpha=..., risk='impurity').",
    "costs must have a row and a column for each of the … classes, got shape ….",
    "The type of target cannot be used to compute OOB estimates: each of several targets may have two …",
    # weights of classes that leave nothing
    "costs must make some mistake on every class dear: the row of class … is all 0. Leave its rows out, or …",
    "costs must make some mistake dear: all of them are 0.",
    "priors must not all be 0, got ….",
    "class_weight… leave… no weight: every … factor 0.",
    "Give either 'class_weight' or 'priors', not both: each sets the weights of the classes.",
)
_KNOWN = re.compile("|".join(re.escape(sentence).replace("…", ".*") for sentence in SENTENCES))


def is_known(text: str) -> bool:
    """Whether a refusal is one of the sentences."""
    return _KNOWN.fullmatch(text) is not None

"""treelite: binary trees with thresholds in double precision and sets of categories."""

from __future__ import annotations

from typing import Any

from treewright.errors import ExportError
from treewright.export.binary import check_binary, cut_of
from treewright.export.comparisons import UNSEEN, Lookup
from treewright.export.program import Node, Program, TreeBody


def export_treelite(program: Program) -> bytes:
    """Write a serialized model of treelite: ``treelite.Model.deserialize_bytes``.

    Rows are float64, columns as in the table, categories as codes; `treelite.gtil.predict` gives class
    probabilities, or numbers.

    Parameters
    ----------
    program : Program
    """
    return bytes(treelite_model(program).serialize_bytes())


def treelite_model(program: Program) -> Any:
    """Give the model of treelite."""
    try:
        from treelite import model_builder
    except ImportError:
        raise ExportError("export to treelite needs the package treelite: pip install treelite.") from None
    check_binary(program, "treelite", categories=True)
    if program.unseen_is_code:
        raise ExportError(
            "unseen='majority' sends unseen categories elsewhere than missing values, "
            "which treelite cannot hold."
        )
    is_class = program.classes is not None
    width, n_trees = program.width, len(program.bodies)
    builder: Any = model_builder.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=model_builder.Metadata(
            num_feature=program.schema.n_inputs,
            task_type="kMultiClf" if is_class else "kRegressor",
            average_tree_output=program.forest,
            num_target=1,
            num_class=[width],
            leaf_vector_shape=(1, width),
        ),
        tree_annotation=model_builder.TreeAnnotation(
            num_tree=n_trees, target_id=[0] * n_trees, class_id=[-1 if is_class else 0] * n_trees
        ),
        postprocessor=model_builder.PostProcessorFunc(name="identity_multiclass" if is_class else "identity"),
        base_scores=[0.0] * width,
    )
    for body in program.bodies:
        assert isinstance(body, TreeBody)
        builder.start_tree()
        for node in body.nodes:
            builder.start_node(node.id)
            if node.tests:
                _split(builder, program, node)
            else:
                said = body.answers.votes if program.forest else body.answers.proba
                leaf = said[body.end_of[node.id]].tolist()
                builder.leaf(leaf if is_class else leaf[0])
            builder.end_node()
        builder.end_tree()
    return builder.commit()


def _split(builder: Any, program: Program, node: Node) -> None:
    test, (low, high) = node.tests[0], node.children
    feature = program.inputs[test.quantity].feature
    if not isinstance(test, Lookup):
        builder.numerical_test(
            feature,
            cut_of(test),
            default_left=node.default == 0,
            opname="<=",
            left_child_key=low,
            right_child_key=high,
        )
        return
    # What is not listed goes where missing values go.
    side = 1 - node.default
    builder.categorical_test(
        feature,
        default_left=node.default == 0,
        category_list=[code for code in test.codes(side) if code != UNSEEN],
        category_list_right_child=side == 1,
        left_child_key=low,
        right_child_key=high,
    )

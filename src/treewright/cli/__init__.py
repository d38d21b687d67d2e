"""The command line: fit, predict, explain, prune, compare and the other commands.

`app` finds the command, runs it and turns what goes wrong into one sentence and an exit code. Every command
is a module of its own, loaded when it is asked for. They share `options`, the words of the command line;
`training_table`, the table to learn from; `learners`, the estimator to fit; `model_loading`, a model and rows
for it; `screen` and `performance`, how things are shown; `report`, a page of them.
"""

from treewright.cli.app import main

__all__ = ["main"]

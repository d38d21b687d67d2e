"""The command line: a verb for each step from a file to a tree, and from a tree to answers.

`app` finds the command, runs it and turns what goes wrong into one sentence and an exit code. Every command is a
module of its own, loaded when it is asked for. `options`, `problem` and `learners` are what several share: the
words of the command line, the table to learn from, the estimator to fit; `screen` is how things are shown.
"""

from treewright.cli.app import main

__all__ = ["main"]

"""Exporting: fitted estimators written in the languages of other programs."""

from __future__ import annotations

import os
from typing import Any

from treewright.persistence.exports import export_file


class Exporting:
    """What an estimator can be written as."""

    def export(
        self, target: str, path: str | os.PathLike[str] | None = None, **options: Any
    ) -> str | bytes | None:
        """Write the fitted model as SQL, source code or another program's model; see docs/export.md.

        `treewright.certify` runs the result and compares it with the model, row by row.

        Parameters
        ----------
        target : {"python"}
            What to write.
        path : str or path, optional
            A file to write to, whole or not at all. Without it the content is returned.
        **options
            Of the target, such as `form`.

        Returns
        -------
        str, bytes or None
            The content, if no path is given.

        Raises
        ------
        ExportError
            If the target cannot hold the model; the sentence names the node and the feature.

        Examples
        --------
        >>> from treewright import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
        >>> space = {}
        >>> exec(model.export("python"), space)
        >>> space["predict"]({"x0": 3.5})
        'b'
        """
        return export_file(self, target, path, **options)

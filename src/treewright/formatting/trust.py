"""Trust: what notebooks show of a picture before their reader trusts them."""

from __future__ import annotations

_STYLE = ".treewright-untrusted{display:none}.treewright-trusted[hidden]{display:block!important}"

_LINE = "This picture is not shown: trust the notebook, or run the cell again."


def for_trusted(html: str) -> str:
    """Give HTML of which a notebook that is not trusted shows one line, not all words of a picture.

    Such a notebook drops styles, pictures and frames, and keeps the text within; what is hidden stays hidden.

    Examples
    --------
    >>> print(for_trusted("<svg><text>a</text></svg>").partition("</style>")[0])
    <style>.treewright-untrusted{display:none}.treewright-trusted[hidden]{display:block!important}
    """
    return (
        f'<style>{_STYLE}</style><div class="treewright-untrusted">{_LINE}</div>'
        f'<div class="treewright-trusted" hidden>{html}</div>'
    )

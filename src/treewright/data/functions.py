"""Functions of the user's own by name, and what stands for one in a model, as files hold no code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True)
class AbsentFunction:
    """A function that a model file names but, as files hold no code, cannot hold.

    Examples
    --------
    >>> AbsentFunction("hellinger")
    <function hellinger, not in the file>
    >>> AbsentFunction("hellinger")()
    Traceback (most recent call last):
        ...
    ValueError: The model file names the function 'hellinger' but holds no code: set it again with
    set_params.
    """

    name: str

    def __call__(self, *arguments: Any) -> NoReturn:
        """Refuse to be called."""
        raise ValueError(
            f"The model file names the function {self.name!r} but holds no code: "
            "set it again with set_params."
        )

    def __repr__(self) -> str:
        return f"<function {self.name}, not in the file>"


def function_name(function: Callable[..., Any]) -> str:
    """Give the name that a function is known by.

    Examples
    --------
    >>> function_name(len), function_name(AbsentFunction("hellinger"))
    ('len', 'hellinger')
    """
    if isinstance(function, AbsentFunction):
        return function.name
    return str(getattr(function, "__name__", None) or type(function).__name__)

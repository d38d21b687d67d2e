"""Splits: threshold, categories, hyperplane, sphere, intervals; which branch, as text and as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from treewright import _core
from treewright.data.columns import plain, plain_value, value_text
from treewright.formatting.text import number_text, printable, sum_text

if TYPE_CHECKING:
    from treewright.data import Column, Schema

THRESHOLD, TABLE, HYPERPLANE, SPHERE, INTERVALS = range(5)
"""The numbers of the kinds in :attr:`SplitTable.kind`."""

MANY_DIGITS = 4
"""Numbers of full precision differ by less in how long they are."""

UNANSWERED, UNSEEN = -1, -2
"""What a split says of a missing value, and of a category that training has not seen."""


@dataclass(frozen=True)
class Threshold:
    """Branch 0 if the feature's number is at most `threshold`, else branch 1.

    An infinite threshold tells known values from missing ones. With `below` it reads as *below the number
    after it*, which says the same: all splits of a tree read alike, see `SplitTable.reads_below`.
    """

    feature: int
    threshold: float
    below: bool = field(default=False, compare=False, repr=False)
    n_branches: ClassVar[int] = 2

    def condition(
        self, schema: Schema, branch: int, *, decimals: int | None = None, max_categories: int | None = None
    ) -> str:
        """Say in words what holds on a branch, as in ``petal width ≤ 0.8``."""
        column = schema.columns[self.feature]
        if self.threshold == math.inf:
            return f"{printable(column.name)} is {'missing' if branch else 'known'}"
        sign, bound = bound_words(self.threshold, branch, self.below)
        return f"{printable(column.name)} {sign} {value_text(column, bound, decimals)}"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Describe the split by names, in plain Python values; no threshold tells known from missing."""
        column, known = schema.columns[self.feature], self.threshold == math.inf
        return {
            "kind": "threshold",
            "feature": column.name,
            "threshold": None if known else plain_value(column, self.threshold),
        }


@dataclass(frozen=True)
class Table:
    """The branch of each category, by code; a category without an entry leaves the split unanswered."""

    feature: int
    branches: Mapping[int, int]
    n_branches: int

    @property
    def is_multiway(self) -> bool:
        """Whether every category has a branch of its own."""
        return len(set(self.branches.values())) == len(self.branches)

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The codes of each branch; an empty group takes what the split leaves unanswered."""
        groups: list[list[int]] = [[] for _ in range(self.n_branches)]
        for code, branch in self.branches.items():
            groups[branch].append(code)
        return tuple(tuple(group) for group in groups)

    def condition(
        self, schema: Schema, branch: int, *, decimals: int | None = None, max_categories: int | None = None
    ) -> str:
        """Say in words what holds on a branch, as in ``outlook = Sunny`` or ``colour in {blue, red}``."""
        column, group = schema.columns[self.feature], self.groups[branch]
        name = printable(column.name)
        if not group:
            return f"{name} is missing"
        if self.feature >= schema.n_inputs and len(group) == 1:  # a predicate holds, or does not
            return name if column.categories[group[0]] else f"not ({name})"
        if len(group) == 1:
            return f"{name} = {value_text(column, group[0])}"
        shown = len(group) if max_categories is None or len(group) <= max_categories else max_categories - 1
        words = [value_text(column, code) for code in group[:shown]]
        if shown < len(group):
            words.append(f"… {len(group) - shown} more")
        return f"{name} in {{{', '.join(words)}}}"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Describe the split by names, in plain Python values."""
        categories = schema.columns[self.feature].categories
        return {
            "kind": "multiway" if self.is_multiway else "subset",
            "feature": schema.names[self.feature],
            "groups": [[plain(categories[code]) for code in group] for group in self.groups],
        }


@dataclass(frozen=True)
class Hyperplane:
    """Branch 0 if the weighted sum of the features' numbers is at most `threshold`, else branch 1."""

    features: tuple[int, ...]
    weights: tuple[float, ...]
    threshold: float
    below: bool = field(default=False, compare=False, repr=False)  # see `Threshold`
    n_branches: ClassVar[int] = 2

    @property
    def is_turned(self) -> bool:
        """Whether it is a surrogate on one feature that runs the other way: −x ≤ t."""
        return self.weights == (-1.0,)

    def condition(
        self, schema: Schema, branch: int, *, decimals: int | None = None, max_categories: int | None = None
    ) -> str:
        """Say in words what holds on a branch, as in ``0.8·a − 0.3·b ≤ 1.9``."""
        if self.is_turned:
            cut = Threshold(self.features[0], math.nextafter(-self.threshold, -math.inf), self.below)
            return cut.condition(schema, 1 - branch, decimals=decimals)
        columns = [schema.columns[feature] for feature in self.features]
        terms = [
            # dates and large whole numbers are stored as differences from an origin
            f"({_less(column, 0.0, decimals)})" if column.offset or column.unit else printable(column.name)
            for column in columns
        ]
        total = sum_text(self.weights, terms, decimals)
        return f"{total} {_sign(branch)} {number_text(self.threshold, decimals)}"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Describe the split by names, in plain Python values."""
        return {
            "kind": "hyperplane",
            "features": [schema.names[feature] for feature in self.features],
            "weights": list(self.weights),
            "threshold": self.threshold,
        }


@dataclass(frozen=True)
class Sphere:
    """Branch 0 if the scaled squared distance from the centre is at most `threshold`, else branch 1."""

    features: tuple[int, ...]
    centres: tuple[float, ...]
    scales: tuple[float, ...]
    threshold: float
    n_branches: ClassVar[int] = 2

    def condition(
        self, schema: Schema, branch: int, *, decimals: int | None = None, max_categories: int | None = None
    ) -> str:
        """Say in words what holds on a branch, as in ``(a − 1)² + 0.5·(b − 2)² ≤ 4``."""
        squares = [
            f"({_less(schema.columns[feature], centre, decimals)})²"
            for feature, centre in zip(self.features, self.centres, strict=True)
        ]
        total = sum_text(self.scales, squares, decimals)
        return f"{total} {_sign(branch)} {number_text(self.threshold, decimals)}"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Describe the split by names, in plain Python values."""
        pairs = zip(self.features, self.centres, strict=True)
        return {
            "kind": "sphere",
            "features": [schema.names[feature] for feature in self.features],
            "centres": [plain_value(schema.columns[feature], centre) for feature, centre in pairs],
            "scales": list(self.scales),
            "threshold": self.threshold,
        }


@dataclass(frozen=True)
class Intervals:
    """Branch b if the feature's number lies above b of the ascending `cuts`; an interval includes its end."""

    feature: int
    cuts: tuple[float, ...]

    @property
    def n_branches(self) -> int:
        """One more than there are cuts."""
        return len(self.cuts) + 1

    def condition(
        self, schema: Schema, branch: int, *, decimals: int | None = None, max_categories: int | None = None
    ) -> str:
        """Say in words what holds on a branch, as in ``54 < temperature ≤ 85``."""
        column = schema.columns[self.feature]
        name = printable(column.name)
        bounds = [value_text(column, cut, decimals) for cut in self.cuts[max(branch - 1, 0) : branch + 1]]
        if branch == 0:
            return f"{name} ≤ {bounds[0]}"
        return f"{name} > {bounds[0]}" if len(bounds) == 1 else f"{bounds[0]} < {name} ≤ {bounds[1]}"

    def to_dict(self, schema: Schema) -> dict[str, Any]:
        """Describe the split by names, in plain Python values."""
        column = schema.columns[self.feature]
        return {
            "kind": "interval",
            "feature": column.name,
            "cuts": [plain_value(column, cut) for cut in self.cuts],
        }


Split: TypeAlias = Threshold | Table | Hyperplane | Sphere | Intervals


# ---- which branch? ---------------------------------------------------------------------------------


class EncodedRows(Protocol):
    """Rows as arrays of numbers and codes: a `Dataset`, or what else has them."""

    @property
    def schema(self) -> Schema:
        """Where each feature has its column."""

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numeric and ordinal features."""

    @property
    def codes(self) -> NDArray[np.int32]:
        """The categorical features."""


def branch_of(split: Split, rows: EncodedRows, chosen: NDArray[np.int64] | None = None) -> NDArray[np.int32]:
    """Give the branch of all rows, or of those chosen, by a split; `UNANSWERED` or `UNSEEN` if there is none.

    The core answers, as it does when it predicts.

    Examples
    --------
    >>> from treewright.data import Dataset
    >>> rows = Dataset.from_table([[1.0], [2.5], [None], [4.0]])
    >>> branch_of(Threshold(0, 2.5), rows).tolist()
    [0, 0, -1, 1]
    """
    at = np.arange(len(rows.numbers)) if chosen is None else chosen
    return _core.answer(_stored(split), 0, rows.numbers, rows.codes, rows.schema.position, at)


def cuts_of(split: Split) -> tuple[float, ...]:
    """Give the numbers at which what a split compares passes from one branch to the next, ascending.

    See `compared` for what that is; categories have none. For cuts of a feature's own numbers see
    `feature_cuts`.

    Examples
    --------
    >>> cuts_of(Threshold(0, 2.5)), cuts_of(Hyperplane((0, 1), (1.0, 2.0), 3.0))
    ((2.5,), (3.0,))
    """
    if isinstance(split, Table):
        return ()
    return split.cuts if isinstance(split, Intervals) else (split.threshold,)


def feature_cuts(split: Split) -> tuple[float, ...]:
    """Give the cuts that a split makes of a feature's numbers, ascending; none if it looks at several.

    A surrogate that runs the other way, −x ≤ t, cuts just below −t.
    """
    if isinstance(split, Hyperplane):
        return (math.nextafter(-split.threshold, -math.inf),) if split.is_turned else ()
    return () if isinstance(split, Sphere) else cuts_of(split)


def features_of(split: Split) -> tuple[int, ...]:
    """Give the features that a split asks for."""
    return split.features if isinstance(split, Hyperplane | Sphere) else (split.feature,)


def compared(
    split: Threshold | Hyperplane | Sphere | Intervals,
    rows: EncodedRows,
    chosen: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    """Give what a split compares with its threshold or cuts, in all rows or those chosen; NaN if missing.

    Examples
    --------
    >>> from treewright.data import Dataset
    >>> rows = Dataset.from_table([[1.0, 2.0], [None, 4.0]])
    >>> compared(Hyperplane((0, 1), (1.0, -0.5), 3.0), rows).tolist()
    [0.0, nan]
    """
    at = np.arange(len(rows.numbers)) if chosen is None else chosen
    return _core.compare(_stored(split), 0, rows.numbers, rows.schema.position, at)


def _stored(split: Split) -> dict[str, NDArray[Any]]:
    return SplitTable.from_splits([split]).arrays("split_")


# ---- words -----------------------------------------------------------------------------------------


def _sign(branch: int) -> str:
    return ">" if branch else "≤"


def bound_words(threshold: float, branch: int, below: bool = False) -> tuple[str, float]:
    """Give the sign and the number by which a branch reads; *at most t* is *below the number after t*.

    Examples
    --------
    >>> bound_words(2.5, 0), bound_words(2.4499999999999997, 0, below=True), bound_words(-5e-324, 1, True)
    (('≤', 2.5), ('<', 2.45), ('≥', 0.0))
    """
    return ("≥" if branch else "<", _following(threshold)) if below else (_sign(branch), threshold)


def _following(threshold: float) -> float:
    return math.nextafter(threshold, math.inf) + 0.0  # and not −0


def _less(column: Column, number: float, decimals: int | None) -> str:
    """Write the difference of a feature and a stored number, as in ``a − 1``."""
    value = value_text(column, number, decimals)
    sign, value = ("+", value[1:]) if value.startswith("-") else ("−", value)
    return f"{printable(column.name)} {sign} {value}"


# ---- many splits as arrays -----------------------------------------------------------------------


def array_types(*groups: str) -> dict[str, np.dtype[Any]]:
    """Give the type of each array of a table, in their order; a group is a type and the names that have it.

    Examples
    --------
    >>> array_types("int32 parent branch", "float64 weight")
    {'parent': dtype('int32'), 'branch': dtype('int32'), 'weight': dtype('float64')}
    """
    return {name: np.dtype(kind) for kind, *names in map(str.split, groups) for name in names}


COLUMN_TYPES = array_types(
    "uint8 kind",
    "int32 feature",
    "float64 threshold score",
    "int64 pool_begin",
    "int32 pool_index",
    "float64 pool_value",
)


@cache
def _full_names(prefix: str) -> tuple[tuple[str, str], ...]:
    """Give the columns of a table with their names among all arrays of a tree."""
    return tuple((prefix + name, name) for name in COLUMN_TYPES)


@dataclass(frozen=True, eq=False, repr=False)
class SplitTable:
    """Splits as columns; the pool of split `s` is ``pool_begin[s]:pool_begin[s + 1]`` (see ARCHITECTURE.md).

    Examples
    --------
    >>> table = SplitTable.from_splits([Threshold(0, 2.5), Table(1, {0: 0, 1: 1, 2: 0}, 2)])
    >>> table[1].branches
    {0: 0, 1: 1, 2: 0}
    >>> table.take([1]) == table
    False
    """

    kind: NDArray[np.uint8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    score: NDArray[np.float64]
    pool_begin: NDArray[np.int64]
    pool_index: NDArray[np.int32]
    pool_value: NDArray[np.float64]
    adjusted: NDArray[np.float64] | None = (
        None  # agreement of surrogates above that of following the majority
    )

    def __post_init__(self) -> None:
        freeze(self, COLUMN_TYPES, "adjusted")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> SplitTable:
        """Take the columns, as they are, out of a mapping in which their names carry a prefix."""
        if not len(arrays.get(prefix + "kind", ())):
            return NO_SPLITS  # most trees keep no competitors
        table = object.__new__(cls)
        vars(table).update({name: arrays[full] for full, name in _full_names(prefix)})
        vars(table)["adjusted"] = arrays.get(prefix + "adjusted")
        return table

    @classmethod
    def from_splits(cls, splits: Sequence[Split], scores: ArrayLike | None = None) -> SplitTable:
        """Store splits in a table."""
        pools = [_pool(split) for split in splits]
        return cls(
            kind=np.array([KINDS[type(split)] for split in splits], np.uint8),
            feature=np.array([getattr(split, "feature", -1) for split in splits], np.int32),
            threshold=np.array([getattr(split, "threshold", 0.0) for split in splits], np.float64),
            score=np.zeros(len(splits)) if scores is None else np.asarray(scores, np.float64),
            pool_begin=np.cumsum([0, *map(len, pools)], dtype=np.int64),
            pool_index=np.array([index for pool in pools for index, _ in pool], np.int32),
            pool_value=np.array([value for pool in pools for _, value in pool], np.float64),
        )

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the columns under names with a prefix."""
        own = vars(self)
        columns = {full: own[name] for full, name in _full_names(prefix)}
        return columns if self.adjusted is None else columns | {prefix + "adjusted": self.adjusted}

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, index: int) -> Split:
        return self.split(range(len(self))[index])

    def __iter__(self) -> Iterator[Split]:
        return map(self.split, range(len(self)))

    def split(self, index: int, n_branches: int | None = None) -> Split:
        """Return one split; `n_branches` counts a table's branches where some have no category."""
        kind, feature, threshold = (
            int(self.kind[index]),
            int(self.feature[index]),
            float(self.threshold[index]),
        )
        if kind == THRESHOLD:
            return Threshold(feature, threshold, self.reads_below)
        pool = slice(self.pool_begin[index], self.pool_begin[index + 1])
        at, value = self.pool_index[pool].tolist(), self.pool_value[pool].tolist()
        if kind == TABLE:
            branches = dict(zip(at, map(int, value), strict=True))
            return Table(feature, branches, n_branches or max(branches.values()) + 1)
        if kind == HYPERPLANE:
            return Hyperplane(tuple(at), tuple(value), threshold, self.reads_below)
        if kind == INTERVALS:
            return Intervals(feature, tuple(value))
        return Sphere(tuple(at[::2]), tuple(value[::2]), tuple(value[1::2]), threshold)

    @cached_property
    def reads_below(self) -> bool:
        """Whether cuts read as *x < t*, rpart's test: it saves some of them many digits, and costs none any.

        Examples
        --------
        >>> table = SplitTable.from_splits([Threshold(0, 2.4499999999999997), Threshold(0, 0.8)])
        >>> table.reads_below, table.take([0]).reads_below
        (False, True)
        """
        cuts = self.threshold[(self.kind == THRESHOLD) & np.isfinite(self.threshold)].tolist()
        saved = [len(repr(cut)) - len(repr(_following(cut))) for cut in cuts]
        return max(saved, default=0) >= MANY_DIGITS and min(saved) > -MANY_DIGITS

    def cuts(self) -> dict[int, set[float]]:
        """Give the finite cuts that all splits make of each feature's numbers."""
        found: dict[int, set[float]] = {}
        for split in self:
            if cuts := set(filter(math.isfinite, feature_cuts(split))):
                found.setdefault(features_of(split)[0], set()).update(cuts)
        return found

    def features(self) -> set[int]:
        """Give the features that any split asks for."""
        return {feature for split in self for feature in features_of(split)}

    def take(self, indices: ArrayLike) -> SplitTable:
        """Return a table of the splits at `indices`, in that order."""
        indices = np.asarray(indices, np.int64)
        if not len(indices):
            return NO_SPLITS
        sizes = np.diff(self.pool_begin)[indices]
        entries = concatenated_ranges(self.pool_begin[indices], sizes)
        return SplitTable(
            kind=self.kind[indices],
            feature=self.feature[indices],
            threshold=self.threshold[indices],
            score=self.score[indices],
            pool_begin=np.concatenate(([0], np.cumsum(sizes))),
            pool_index=self.pool_index[entries],
            pool_value=self.pool_value[entries],
            adjusted=None if self.adjusted is None else self.adjusted[indices],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SplitTable):
            return NotImplemented
        ours, theirs = self.arrays(""), other.arrays("")
        return ours.keys() == theirs.keys() and all(same_arrays(ours[name], theirs[name]) for name in ours)

    __hash__ = None  # type: ignore[assignment]  # equal by content, as arrays are

    def __repr__(self) -> str:
        return f"SplitTable({len(self)} splits)"


KINDS: dict[type[Split], int] = {
    Threshold: THRESHOLD,
    Table: TABLE,
    Hyperplane: HYPERPLANE,
    Sphere: SPHERE,
    Intervals: INTERVALS,
}


def _pool(split: Split) -> list[tuple[int, float]]:
    match split:
        case Threshold():
            return []
        case Table():
            return sorted(split.branches.items())
        case Hyperplane():
            return list(zip(split.features, split.weights, strict=True))
        case Sphere():
            triples = zip(split.features, split.centres, split.scales, strict=True)
            return [
                pair for feature, centre, scale in triples for pair in ((feature, centre), (feature, scale))
            ]
        case Intervals():
            return list(enumerate(split.cuts, start=1))


def read_only(array: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array in contiguous form and in the given type, and let nobody write to it any more."""
    array = np.ascontiguousarray(array, dtype)
    array.setflags(write=False)
    return array


def freeze(owner: Any, types: Mapping[str, np.dtype[Any]], *optional: str) -> None:
    """Put the arrays of a frozen dataclass in their types, and let nobody write to them any more."""
    entries = vars(owner)
    entries.update({name: read_only(entries[name], dtype) for name, dtype in types.items()})
    for name in optional:
        if entries[name] is not None:
            entries[name] = read_only(entries[name], np.float64)


def same_arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are equal, NaN to NaN."""
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def concatenated_ranges(begin: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return ``begin[0], …, begin[0] + sizes[0] − 1, begin[1], …``: one range after the other.

    Examples
    --------
    >>> concatenated_ranges(np.array([10, 5]), np.array([2, 3])).tolist()
    [10, 11, 5, 6, 7]
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    shift: NDArray[np.int64] = np.repeat(np.asarray(begin, np.int64) - ends + sizes, sizes)
    return np.arange(total, dtype=np.int64) + shift


NO_SPLITS = SplitTable.from_splits([])

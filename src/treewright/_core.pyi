"""The border to the C++ core (core/bindings.cpp): free functions on arrays, the interpreter lock released.

One class is not: a tree that grows from partitions is asked and told by turns.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Singles = NDArray[np.float32]
Codes = NDArray[np.int32]
Target = Numbers | Codes
Flags = NDArray[np.uint8]
Ids = NDArray[np.int64]
Number = TypeVar("Number", float, NDArray[np.float64])

def columns(table: Numbers | Singles, threads: int = 1) -> tuple[Numbers, Flags]:
    """Copy a matrix into columns, and tell per column whether it holds NaN (1) or infinities (2)."""

def zeros_and_ones(numbers: Numbers) -> Flags:
    """Tell which columns hold nothing but 0 and 1, apart from NaN."""

def grow(
    numbers: Numbers | tuple[NDArray[Any], ...],
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> dict[str, NDArray[Any]]:
    """Grow a tree; the arrays of ARCHITECTURE.md, split tables with the prefixes split_ and competitor_."""

def grow_cart(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Grow a CART tree; as grow, and the arrays of `CARTFigures` and largest_improve."""

def validate_cart(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
    prices: Numbers,
    alpha: float,
    fold: Codes,
) -> tuple[Numbers, Numbers]:
    """Errors of held-out rows and their squares, summed over the rows for each price of a split."""

def grow_optimal(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Find the best tree; as grow, and objective, lower_bound, optimal, n_solved, memory_limited."""

def optimal_root_choices(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> Numbers:
    """Best objective for each feature at the root; NaN where the limits did not suffice."""

def optimal_frontier(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> Numbers:
    """Best objective for up to 1, 2, … leaves; NaN where the limits did not suffice."""

def grow_c45(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
) -> dict[str, NDArray[Any]]:
    """Grow, collapse and prune a C4.5 tree."""

def children(parent: Codes) -> tuple[Codes, Codes]:
    """Where the children of each node begin, and all children; ValueError unless ids are in preorder."""

def pack(arrays: Mapping[str, NDArray[Any]], position: Codes) -> tuple[NDArray[Any], Codes] | None:
    """Sixteen-byte nodes of a tree of binary thresholds, and their ids; None for any other tree."""

def walk(packed: NDArray[Any], id: Codes, numbers: Numbers, threads: int = 1) -> tuple[Codes, bool]:
    """Leaf of each row by packed nodes, and whether an infinity was met."""

def walk_sparse(
    packed: NDArray[Any],
    id: Codes,
    begin: NDArray[np.int64],
    column: Codes,
    value: NDArray[np.floating[Any]],
    n_columns: int,
    threads: int = 1,
) -> tuple[Codes, int]:
    """Leaf of each row of stored numbers, and what was met: 1 = missing, 2 = infinite."""

def sparse_columns(
    begin: NDArray[np.int64],
    index: Codes,
    value: Numbers,
    n_rows: int,
    n_columns: int,
    by_rows: bool,
    threads: int = 1,
) -> tuple[NDArray[np.int64], NDArray[np.uint32], Numbers]:
    """Stored numbers by column, ascending: where each column begins, the rows and the numbers."""

def dense_only(options: Mapping[str, Any]) -> str:
    """Name the choice that needs a dense table; empty if there is none."""

def vote_sparse(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    begin: NDArray[np.int64],
    column: Codes,
    value: NDArray[np.floating[Any]],
    n_columns: int,
    hard: bool,
    draws: Mapping[str, Any] | None,
    threads: int = 1,
) -> tuple[Numbers, NDArray[np.uint32], int]:
    """As `vote` of rows of stored numbers, and what was met: 1 = missing, 2 = infinite."""

def leaves_sparse(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    id: Codes,
    begin: NDArray[np.int64],
    column: Codes,
    value: NDArray[np.floating[Any]],
    n_columns: int,
    threads: int = 1,
) -> tuple[Codes, int]:
    """As `leaves` of rows of stored numbers, and what was met."""

def route(
    arrays: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    threads: int = 1,
) -> Codes:
    """Leaf of each row, for every kind of split."""

def branch(
    arrays: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    rows: Ids,
    nodes: Ids,
    threads: int = 1,
) -> tuple[Codes, Codes]:
    """Branch of each row at an inner node (−1 = all, −2 = it stays), and which of its splits answered.

    That is −1 if none did, and −2 for a category never seen, which takes the largest branch.
    """

def answer(
    arrays: Mapping[str, NDArray[Any]], split: int, numbers: Numbers, codes: Codes, position: Codes, rows: Ids
) -> Codes:
    """Branch of rows by one split alone; −1 where it does not answer, −2 for an unseen category."""

def compare(
    arrays: Mapping[str, NDArray[Any]], split: int, numbers: Numbers, position: Codes, rows: Ids
) -> Numbers:
    """What a split of numbers compares with its threshold or its cuts; NaN if something is missing."""

def spread(
    arrays: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    value: Numbers,
    threads: int = 1,
) -> Numbers:
    """Sum over the leaves of each row of the rows of value, by the share of the row that ends there."""

def shapley(
    arrays: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    parent: NDArray[np.int64],
    branch: NDArray[np.int64],
    player: NDArray[np.int64],
    share: Numbers,
    value: Numbers,
    point: Numbers,
    measure: Numbers,
    n_players: int,
    pairs: bool = False,
    threads: int = 1,
) -> Numbers:
    """Give what each player, or each pair of them, adds to the prediction of each row."""

def grow_forest(
    numbers: Numbers | tuple[NDArray[Any], ...],
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes | Numbers | None,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
    draws: Mapping[str, Any],
) -> dict[str, NDArray[Any]] | list[dict[str, NDArray[Any]]]:
    """Grow the trees of a forest: compact arrays, or each tree's own where they cannot be compact."""

def pack_forest(
    trees: list[Mapping[str, NDArray[Any]]], n_classes: int, position: Codes, n_categories: Codes
) -> dict[str, NDArray[Any]] | None:
    """Compact arrays of trees; None if one of them is more than binary thresholds and tables."""

def pack_columns(
    arrays: dict[str, NDArray[Any]], n_classes: int, position: Codes, n_categories: Codes
) -> dict[str, NDArray[Any]]:
    """Compact arrays of the trees that a file describes; ValueError if they are none."""

def unpack_tree(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    tree: int,
    criterion: str,
    position: Codes,
    n_categories: Codes,
) -> dict[str, NDArray[Any]]:
    """Arrays of one tree out of compact ones."""

def draw_rows(
    n_rows: int, draws: Mapping[str, Any], tree: int, begin: int = 0, end: int | None = None
) -> NDArray[np.uint32]:
    """How often a tree draws each row, or each row of a block."""

def vote(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    numbers: Numbers,
    codes: Codes,
    hard: bool,
    draws: Mapping[str, Any] | None,
    threads: int = 1,
) -> tuple[Numbers, NDArray[np.uint32], bool]:
    """Sums over trees of what each row's leaf says, trees that spoke, and whether an infinity was met."""

def node_ids(arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Codes:
    """Id of each node of compact arrays in its tree."""

def leaves(
    arrays: Mapping[str, NDArray[Any]],
    n_classes: int,
    id: Codes,
    numbers: Numbers,
    codes: Codes,
    threads: int = 1,
) -> tuple[Codes, bool]:
    """Leaf of each row in each tree, and whether an infinity was met."""

def merit(criterion: str, table: Numbers) -> float:
    """Merit of one table of counts, branches by classes."""

def log(x: Number) -> Number:
    """Natural logarithm, correctly rounded, the same bits on every machine; so the next two."""

def log2(x: Number) -> Number:
    """Logarithm to base 2."""

def log10(x: Number) -> Number:
    """Logarithm to base 10."""

def log1p(x: Number) -> Number:
    """log(1 + x)."""

def exp(x: Number) -> Number:
    """Exponential function."""

def expm1(x: Number) -> Number:
    """exp(x) - 1."""

def exp2(x: Number) -> Number:
    """2 to the power of x."""

def log_gamma(x: Number) -> Number:
    """Logarithm of the gamma function, of x > 0."""

def all_finite(*arrays: Numbers) -> bool:
    """Whether no number of any array is infinite or NaN."""

def pow(base: float, exponent: float) -> float:
    """Power of a base that is not negative."""

def gamma_tail(a: float, x: float) -> float:
    """Chance that a gamma variable of shape a exceeds x: of chi-square with 2a degrees of freedom, 2x."""

def normal_quantile(chance: float) -> float:
    """Give the number that a standard normal variable exceeds with this chance."""

def beta_quantile(a: float, b: float, chance: float) -> float:
    """Give the number that a beta variable stays below with this chance."""

def add_products(columns: Numbers, target: Numbers, weight: Numbers, node: Ids, products: Numbers) -> None:
    """Add to `products`, nodes × (columns + 2)², what rows of 1, columns and target make with each other."""

def fit_equations(
    parent: Codes, products: Numbers, n_columns: int, ridge: float, price: float, unit: float
) -> dict[str, NDArray[Any]]:
    """Fit a linear equation of few terms at every node; `core/linear/equations.hpp` says how."""

def evaluate_equations(
    arrays: Mapping[str, NDArray[Any]],
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    rows: Ids,
    nodes: Ids,
    threads: int = 1,
) -> Numbers:
    """Give what the equation of each of the nodes says of the row beside it."""

class TwoByteCoder:
    """Two-byte codes of numbers by ascending values (core/partitions/two_byte_codes.hpp)."""

    def __init__(self, values: Numbers) -> None: ...
    def encode(self, numbers: Numbers, codes: NDArray[np.uint16], met: Flags) -> None:
        """Write the codes of numbers, and raise what was met of each code (1 or 2)."""

def route_rows(
    node: Codes,
    codes: list[NDArray[np.uint16]],
    numbers: list[Numbers | None],
    categories: list[Codes],
    splits: Mapping[str, NDArray[Any]],
    low: Numbers,
    high: Numbers,
) -> None:
    """Send rows down splits, and tell what stands next to their cuts."""

def node_ranges(
    node: Codes, counted: Codes, target: Target, weight: Numbers | None, n_classes: int, n_counted: int
) -> Numbers:
    """Find least target, largest target and heaviest weight of the rows of counted nodes."""

def node_sums(
    node: Codes,
    sums: Mapping[str, Any],
    n_nodes: int,
    target: Target,
    weight: Numbers | None,
    n_classes: int,
) -> NDArray[np.uint64]:
    """Add the rows of nodes to sums in no order: three whole numbers that wrap around."""

def sum_totals(sums: Mapping[str, Any], added: NDArray[np.uint64], width: int) -> Numbers:
    """Give what the answers of `node_sums` of all partitions come to, added up."""

def class_weights(label: Codes, weight: Numbers, n_classes: int) -> Numbers:
    """Sum up the weights of rows by class, in no order."""

def total_weight(weight: Numbers) -> float:
    """Sum up weights in no order."""

def count_bins(
    node: Codes,
    counted: Codes,
    codes: list[NDArray[np.uint16]],
    target: Target,
    weight: Numbers | None,
    centres: Numbers | None,
    n_classes: int,
    n_counted: int,
    out: Numbers,
) -> None:
    """Add rows to sums by counted node, column and bin of 256 codes; numbers less their node's centre."""

def count_categories(
    node: Codes,
    counted: Codes,
    codes: Codes,
    n_categories: int,
    target: Target,
    weight: Numbers | None,
    centres: Numbers | None,
    n_classes: int,
    n_counted: int,
) -> Numbers:
    """Sum up rows by counted node and category; the last is that of rows without one."""

def count_codes(
    node: Codes,
    codes: NDArray[np.uint16],
    suspects: Codes,
    n_nodes: int,
    target: Target,
    weight: Numbers | None,
    centres: Numbers | None,
    n_classes: int,
    out: Numbers,
) -> None:
    """Add the rows of suspect bins to sums by their 256 codes."""

def rows_of_codes(
    node: Codes,
    codes: NDArray[np.uint16],
    suspects: Codes,
    n_nodes: int,
    target: Target,
    weight: Numbers | None,
    centres: Numbers | None,
    n_classes: int,
) -> tuple[Codes, NDArray[np.uint32], Numbers]:
    """Give suspect and number of each row that has a suspect code, and what it adds to a bin."""

def ranked_features(options: Mapping[str, Any], n_categories: Codes) -> list[bool]:
    """Tell which features are grown on as ranks of their categories."""

def category_ranks(sums: Numbers, weight: Numbers, in_order: bool, classes: bool) -> Codes:
    """Put categories in the order of what they say of the target."""

def memory_only(options: Mapping[str, Any]) -> str:
    """Name the choice that no tree can be grown by from partitions; empty if there is none."""

def grow_subtree(
    numbers: Numbers,
    codes: Codes,
    position: Codes,
    n_categories: Codes,
    target: Codes,
    n_classes: int,
    weight: Numbers | None,
    options: Mapping[str, Any],
    seed: int,
    total_weight: float,
    orders: list[Codes | None],
) -> dict[str, NDArray[Any]]:
    """Grow a subtree as it grows in the tree of a whole table."""

class PartitionedGrowth:
    """The large nodes of a tree whose rows stand in partitions (core/partitions/growth.hpp)."""

    def __init__(
        self,
        options: Mapping[str, Any],
        column: Codes,
        n_categories: Codes,
        n_rows: int,
        class_rows: Numbers,
        unit: bool,
        class_weights: Numbers | None,
        orders: list[Codes | None],
        met: Flags,
        values: list[Numbers],
    ) -> None: ...
    def unknown(self) -> tuple[Codes, dict[str, NDArray[Any]]]:
        """Say what must be known to describe nodes: the nodes of which ranges are, and sums."""

    def answer(self, ranges: Numbers, sums: NDArray[np.uint64]) -> None:
        """Take the answers of all partitions to what was unknown last."""

    def centres(self) -> Numbers:
        """Give what is taken off the target in searches, by node."""

    @property
    def total_weight(self) -> float:
        """The weight of all rows, once the root is described."""

    def grow(self) -> list[tuple[int, int, int, int, int, int]]:
        """Grow the tree from what is known; node, depth, seed, rows, parent and place of those that wait."""

    def search(self, node: int, bins: Numbers, categories: list[Numbers]) -> Codes:
        """Search a node; gives its suspect bins: node, column, code, and whether it is one code alone."""

    def refine(self, node: int, suspects: Codes, values: list[Numbers], bins: list[Numbers]) -> Codes:
        """Go on with what suspect bins hold."""

    def splits(self) -> dict[str, NDArray[Any]]:
        """Give the splits that rows have not passed yet, by node."""

    def set_neighbours(self, low: Numbers, high: Numbers) -> None:
        """Take the numbers next to the cuts of these splits."""

    def tree(self) -> dict[str, NDArray[Any]]:
        """Give the tree, with all nodes that wait as leaves."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes so far."""

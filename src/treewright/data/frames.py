"""Tables of pandas, polars and Arrow as raw columns; no library is imported that the user has not."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.data.arrays import RawTable, array_column, read_array, read_rows, read_sparse
from treewright.data.columns import MISSING, Raw, RawCodes, RawNumbers
from treewright.data.objects import categories_of, find_categories, missing_objects, typed
from treewright.errors import DataError, DataTypeError

ColumnReader = Callable[[str, Any], Raw]


def read(X: Any) -> RawTable:
    """Take a table of any library as columns.

    Parameters
    ----------
    X : table
        A NumPy array, a pandas or polars frame, anything that speaks Arrow, rows as lists, a scipy
        sparse matrix, or columns read before.

    Examples
    --------
    >>> table = read([[1, "a"], [2, "b"]])
    >>> table.n_features, table.column(1).categories
    (2, ('a', 'b'))
    """
    if isinstance(X, RawTable):
        return X
    if isinstance(X, np.ndarray):
        return read_array(X)
    if isinstance(X, (list, tuple)):
        return read_rows(X)
    if _is_of(X, "scipy.sparse", "sparray", "spmatrix"):
        return read_sparse(X)
    if isinstance(X, Mapping):
        raise DataError(f"X is a {type(X).__name__}: pass a DataFrame, for example pandas.DataFrame(X).")
    if getattr(X, "is_partitioned", False):
        raise DataTypeError(
            "X is an open table, which fit, predict, score and evaluate of an estimator take: for anything "
            "else pass some of its rows, as in next(table.batches(n_rows=1000)).to_pandas()."
        )
    if type(X).__module__.partition(".")[0] == "dask":
        raise DataTypeError(f"X is a dask {type(X).__name__}, which is not in memory: pass X.compute().")
    frame = _read_frame(X.to_native() if _is_of(X, "narwhals", "DataFrame") else X)
    return frame if frame is not None else read_array(np.asarray(X))


def read_series(name: str, y: Any) -> Raw | None:
    """Take one column of a frame library as raw values; `None` if `y` is of none."""
    if isinstance(y, RawNumbers | RawCodes):
        return y
    if _is_of(y, "pandas", "Series"):
        return _pandas_column(name, y)
    if _is_of(y, "pandas", "Index", "Categorical"):
        return _pandas_column(name, sys.modules["pandas"].Series(y))
    if _is_of(y, "polars", "Series"):
        return _polars_column(name, y)
    if _is_of(y, "pyarrow", "ChunkedArray", "Array"):
        return _arrow_column(name, y)
    return None


def _is_of(value: Any, module: str, *kinds: str) -> bool:
    """Whether a value is of a class of a library; if the library is not loaded, it is not."""
    loaded = sys.modules.get(module)
    return any(isinstance(value, getattr(loaded, kind, ())) for kind in kinds)


def _read_frame(X: Any) -> RawTable | None:
    if _is_of(X, "polars", "LazyFrame"):
        logging.getLogger("treewright").info("X is a lazy frame: it is collected into memory.")
        X = X.collect()
    if _is_of(X, "pandas", "DataFrame"):
        return _frame(X.columns, X.shape, _pandas_column, lambda feature: X.iloc[:, feature])
    if _is_of(X, "polars", "DataFrame"):
        return _frame(X.columns, X.shape, _polars_column, X.to_series)
    if _is_of(X, "polars", "Series") or _is_of(X, "pyarrow", "ChunkedArray", "Array"):
        return None
    if hasattr(X, "__arrow_c_stream__") and not _is_of(X, "pandas", "Series"):
        import pyarrow

        table = X if isinstance(X, pyarrow.Table) else pyarrow.table(X)
        return _frame(table.column_names, table.shape, _arrow_column, table.column)
    return None


def _frame(
    names: Iterable[Any], shape: tuple[int, int], read_column: ColumnReader, select: Callable[[int], Any]
) -> RawTable:
    checked = _checked_names(list(names))

    def column(feature: int) -> Raw:
        return read_column(f"x{feature}" if checked is None else checked[feature], select(feature))

    return RawTable(shape[0], shape[1], checked, column)


def _checked_names(names: list[Any]) -> tuple[str, ...] | None:
    """Names if all are text, `None` if none is; scikit-learn's rule, and its words."""
    texts = sum(isinstance(name, str) for name in names)
    if 0 < texts < len(names):
        kinds = sorted({type(name).__qualname__ for name in names})
        raise DataTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types. Use X.columns = X.columns.astype(str)."
        )
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(f"column name {name!r} occurs {count} times.")
    return tuple(map(str, names)) if texts else None


def _pandas_column(name: str, series: Any) -> Raw:
    pd: Any = sys.modules["pandas"]
    raw: Raw
    match series.dtype:
        case pd.CategoricalDtype() as dtype:
            codes, categories = series.cat.codes.to_numpy(), categories_of(dtype.categories)
            raw = RawCodes(codes, categories, declared=True, ordered=bool(dtype.ordered))
        case pd.StringDtype():
            codes, found = pd.factorize(series)
            raw = find_categories(codes, map(str, found))
        case pd.ArrowDtype():
            raw = _arrow_column(name, series.array.__arrow_array__())
        case pd.DatetimeTZDtype():
            raw = RawNumbers(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        case pd.PeriodDtype():
            raw = RawNumbers(series.dt.to_timestamp().to_numpy())
        case pd.IntervalDtype():
            raw = typed(name, series.astype(str).where(series.notna(), None).to_numpy(dtype=object))
        case pd.SparseDtype():
            raw = _pandas_column(name, series.sparse.to_dense())
        case np.dtype(kind="b"):
            raw = RawNumbers(series.to_numpy())
        case np.dtype():
            raw = array_column(name, series.to_numpy())
        case dtype if dtype.kind in "biuf":  # nullable
            gaps = series.isna().to_numpy(dtype=bool)
            raw = RawNumbers(series.to_numpy(dtype=dtype.numpy_dtype, na_value=0), gaps)
        case _:
            raw = typed(name, series.to_numpy(dtype=object))
    return raw


def _polars_column(name: str, series: Any) -> Raw:
    pl: Any = sys.modules["polars"]
    dtype = series.dtype
    gaps = series.is_null().to_numpy() if series.null_count() else None
    raw: Raw
    # A type without parameters is a class in older versions: types are compared, not matched.
    if dtype == pl.Enum:
        raw = RawCodes(_polars_codes(series), tuple(dtype.categories.to_list()), declared=True)
    elif dtype in (pl.String, pl.Categorical):
        text = series.cast(pl.String)
        found = text.drop_nulls().unique().sort()
        raw = find_categories(_polars_codes(text.cast(pl.Enum(found))), found.to_list())
    elif dtype == pl.Boolean:
        raw = RawNumbers(series.fill_null(value=False).to_numpy(), gaps)
    elif dtype == pl.Time:
        raw = RawNumbers(series.to_physical().fill_null(0).to_numpy().astype("timedelta64[ns]"), gaps)
    elif dtype.is_float() or dtype.is_temporal():
        raw = RawNumbers(series.to_numpy())
    elif dtype.is_integer() and not str(dtype).endswith("128"):  # which NumPy does not have
        raw = RawNumbers(series.fill_null(0).to_numpy(), gaps)
    else:
        raw = typed(name, series.to_list())
    return raw


def _polars_codes(series: Any) -> NDArray[np.int64]:
    codes: NDArray[np.int64] = (
        series.to_physical().cast(sys.modules["polars"].Int64).fill_null(MISSING).to_numpy()
    )
    return codes


def _arrow_column(name: str, column: Any) -> Raw:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    gaps = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    kind, types = column.type, pa.types
    raw: Raw
    if types.is_dictionary(kind):
        raw = _arrow_dictionary(name, column)
    elif types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        coded = column.cast(pa.large_string()).dictionary_encode()
        raw = find_categories(_arrow_codes(coded), coded.dictionary.to_pylist())
    elif types.is_boolean(kind) or types.is_integer(kind):
        filled = column if gaps is None else column.fill_null(pa.scalar(0).cast(kind))
        raw = RawNumbers(filled.to_numpy(zero_copy_only=False), gaps)
    elif types.is_floating(kind):
        raw = RawNumbers(column.to_numpy(zero_copy_only=False))
    elif types.is_timestamp(kind) or types.is_date(kind) or types.is_time(kind) or types.is_duration(kind):
        raw = RawNumbers(_arrow_times(column), gaps)
    else:
        raw = typed(name, column.to_pylist())
    return raw


def _arrow_codes(coded: Any) -> NDArray[np.int64]:
    codes: NDArray[np.int64] = coded.indices.cast("int64").fill_null(MISSING).to_numpy()
    return codes


def _arrow_dictionary(name: str, column: Any) -> RawCodes:
    codes, values = _arrow_codes(column), column.dictionary.to_pylist()
    if len(codes) and (codes.min() < MISSING or codes.max() >= len(values)):
        raise DataError(
            f"column {name!r} is damaged: a code points outside its {len(values)} dictionary values."
        )
    # A dictionary may repeat a value or hold a null. The last entry is what code −1 points at.
    first: dict[Any, int] = {}
    gaps = missing_objects(values)
    position = [
        MISSING if gap else first.setdefault(v, len(first)) for v, gap in zip(values, gaps, strict=True)
    ]
    position.append(MISSING)
    categories = categories_of(first)
    return RawCodes(np.array(position)[codes], categories, declared=True, ordered=column.type.ordered)


def _arrow_times(column: Any) -> NDArray[Any]:
    """Moments and durations as NumPy's; Arrow keeps moments with a zone in UTC, as we do."""
    import pyarrow as pa

    types, kind = pa.types, column.type
    ticks = column.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    ticks = ticks.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    unit = "D" if types.is_date32(kind) else "ms" if types.is_date64(kind) else kind.unit
    dated = types.is_timestamp(kind) or types.is_date(kind)
    times: NDArray[Any] = ticks.view(f"{'M' if dated else 'm'}8[{unit}]")
    return times

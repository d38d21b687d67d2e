"""Container of model files: versioned, checksummed safetensors, read strictly.

The layout is documented in docs/format.md. Nothing in a file names a class, a function or another file:
reading one gives plain values and arrays, which `persistence.validation` proves to be trees.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.persistence.atomic_file import whole_file
from treewright.persistence.version_1 import renumbered

Header = dict[str, Any]
Arrays = dict[str, NDArray[Any]]

VERSION = 2
"""The version of the format this module writes, and the newest it reads."""

MOST_HEADER_BYTES = 100_000_000  # as safetensors has it
DEEPEST_HEADER = 32
HEADER_KEYS = {
    "treewright",
    "kind",
    "parameters",
    "pruner",
    "schema",
    "note",
    "target",
    "card",
    "criterion",
    "draws",
    "edits",
}
ARRAY_TYPES = {
    "F64": "<f8",
    "I64": "<i8",
    "U64": "<u8",
    "F32": "<f4",
    "I32": "<i4",
    "U32": "<u4",
    "U8": "|u1",
}

_VERSION = re.compile(rb'(\d{1,9})"')
_START = b'{"__metadata__":{"format":"treewright","version":"'
_CHECKSUM = b'%d","sha256":"' % VERSION
_CHECKSUM_AT = 8 + len(_START) + len(_CHECKSUM)
_NO_CHECKSUM = b"0" * 64


# ---- bytes ---------------------------------------------------------------------------------------


def dumps(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes of a model file.

    Parameters
    ----------
    header : mapping
        Plain values under ``kind`` and, where needed, ``parameters`` and ``schema``.
    arrays : mapping of names to arrays of a type of `ARRAY_TYPES`
        The same header and arrays always give the same bytes.

    Examples
    --------
    >>> header, arrays = loads(dumps({"kind": "example"}, {"a": np.array([1.5, 2.5])}))
    >>> header["kind"], arrays["a"].tolist()
    ('example', [1.5, 2.5])
    """
    from treewright import __version__

    try:
        model = json.dumps({"treewright": __version__, **header}, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as problem:
        raise ModelFileError(f"the model cannot be written: {problem}") from None
    type_names = {np.dtype(dtype): name for name, dtype in ARRAY_TYPES.items()}
    entries, payload, end = {}, [], 0
    # Wide types first, so that every array is aligned in the file.
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])):
        begin, end = end, end + array.nbytes
        dtype = array.dtype.newbyteorder("<")
        entries[name] = {"dtype": type_names[dtype], "shape": list(array.shape), "data_offsets": [begin, end]}
        payload.append(np.ascontiguousarray(array, dtype).tobytes())
    metadata = {
        "format": "treewright",
        "version": str(VERSION),
        "sha256": _NO_CHECKSUM.decode(),
        "model": model,
    }
    text = json.dumps({"__metadata__": metadata, **entries}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > MOST_HEADER_BYTES:
        raise ModelFileError(
            f"the model cannot be written: its header takes {len(text)} bytes of {MOST_HEADER_BYTES}"
        )
    data = b"".join([len(text).to_bytes(8, "little"), text, *payload])
    return data[:_CHECKSUM_AT] + _checksum(data) + data[_CHECKSUM_AT + 64 :]


def loads(data: bytes, name: str = "the model") -> tuple[Header, Arrays]:
    """Read the bytes of a model file, of which `name` is used in errors.

    The arrays are views of the bytes and cannot be written to.

    Raises
    ------
    ModelFileError
        If the bytes are anything but a whole, undamaged model file of a known version.
    """
    text, payload = _take_apart(data, name)
    try:
        parts = _strict_json(text.decode())
        metadata = parts.pop("__metadata__")
        if metadata.keys() != {"format", "version", "sha256", "model"}:
            raise ValueError(f"its metadata has the keys {sorted(metadata)}")
        header = _strict_json(metadata["model"])
        if not {"treewright", "kind"} <= header.keys() <= HEADER_KEYS:
            raise ValueError(f"its header has the keys {sorted(header)}, known are {sorted(HEADER_KEYS)}")
        if not all(isinstance(header[key], str) for key in ("treewright", "kind")):
            raise ValueError("its kind or its program's version is no text")
        arrays = _arrays(parts, payload)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise ModelFileError(f"{name} is not a valid model file: {problem}") from None
    return header, renumbered(arrays) if version_of(data) == 1 else arrays


def _checksum(data: bytes) -> bytes:
    """Return the SHA-256 of all bytes, with zeros where the checksum itself stands."""
    digest = hashlib.sha256(memoryview(data)[:_CHECKSUM_AT])
    digest.update(_NO_CHECKSUM)
    digest.update(memoryview(data)[_CHECKSUM_AT + 64 :])
    return digest.hexdigest().encode()


def version_of(data: bytes) -> int:
    """Give the version of the format that the bytes of a model file are of; 0 if they do not say."""
    version = _VERSION.match(data, 8 + len(_START))
    return int(version[1]) if version else 0


def _take_apart(data: bytes, name: str) -> tuple[bytes, memoryview]:
    """Return header text and payload, if the bytes are an undamaged model file of a known version."""
    size = int.from_bytes(data[:8], "little")
    start = data[8 : 8 + len(_START)]
    if not start or not _START.startswith(start):
        _refuse_foreign(data, size, name)
    if version_of(data) > VERSION:
        raise ModelFileError(
            f"{name} was written in format version {version_of(data)}, "
            f"this treewright reads up to version {VERSION}: upgrade treewright"
        )
    if size > MOST_HEADER_BYTES:
        raise ModelFileError(
            f"{name} is damaged: its header claims {size} bytes, at most {MOST_HEADER_BYTES} are allowed"
        )
    if len(data) < 8 + size or len(data) < _CHECKSUM_AT + 64:
        raise ModelFileError(f"{name} is cut short: {len(data)} bytes do not even hold its header")
    if data[_CHECKSUM_AT : _CHECKSUM_AT + 64] != _checksum(data):
        ends = [int(end) for end in re.findall(rb'"data_offsets":\[\d+,(\d{1,18})\]', data[8 : 8 + size])]
        missing = 8 + size + max(ends, default=0) - len(data)
        reason = (
            f"is cut short: {missing} bytes are missing"
            if missing > 0
            else "is damaged: its checksum does not match"
        )
        raise ModelFileError(f"{name} {reason}")
    return data[8 : 8 + size], memoryview(data)[8 + size :]


_FOREIGN = [
    (rb"$", "empty"),
    (rb"\x80[\x02-\x05]", "a pickle, as joblib writes too; treewright does not load pickles"),
    (rb"PK\x03\x04", "a zip archive, as skops, NumPy and PyTorch write"),
    (rb"\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|\x78[\x01\x5e\x9c\xda]", "a compressed file"),
    (rb"\x08[\x01-\x20][\x12\x1a\x22\x3a\x42]", "an ONNX model, which treewright does not load"),
    (rb"\x89HDF", "an HDF5 file"),
    (rb"\s*<", "an XML or HTML file"),
    (rb"\s*[\[{]", "a JSON file"),
]


def _refuse_foreign(data: bytes, size: int, name: str) -> NoReturn:
    """Say what the bytes are, if they are known to be something else."""
    for pattern, what in _FOREIGN:
        if re.match(pattern, data):
            raise ModelFileError(f"{name} is no treewright model: it is {what}")
    if data[8:9] == b"{" and size <= len(data) - 8:
        raise ModelFileError(f"{name} is no treewright model: it is a safetensors file of another program")
    raise ModelFileError(f"{name} is no treewright model, or its first bytes are damaged")


def _strict_json(text: str) -> dict[str, Any]:
    """Read a JSON object without repeated keys, without infinities or NaN and not nested too deep."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("it repeats a key")
        return found

    def finite(number: str) -> float:
        if not math.isfinite(float(number)):
            raise ValueError(f"it holds the number {number}")
        return float(number)

    parts = json.loads(text, object_pairs_hook=unique, parse_constant=finite, parse_float=finite)
    if not isinstance(parts, dict):
        raise ValueError("it holds no JSON object")
    level: list[Any] = [parts]
    for _ in range(DEEPEST_HEADER):
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
        level = [inner for inner in level if isinstance(inner, dict | list)]
    if level:
        raise ValueError(f"it is nested more than {DEEPEST_HEADER} deep")
    return parts


def _arrays(entries: Mapping[str, Any], payload: memoryview) -> Arrays:
    """Return the arrays, which must cover the payload exactly, one after the other."""
    arrays, at = {}, 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        if entry.keys() != {"dtype", "shape", "data_offsets"} or entry["dtype"] not in ARRAY_TYPES:
            raise ValueError(f"it describes array {name!r} as {entry}")
        dtype, (begin, end) = np.dtype(ARRAY_TYPES[entry["dtype"]]), entry["data_offsets"]
        numbers = [*entry["shape"], begin, end]
        whole = all(type(number) is int and 0 <= number <= len(payload) for number in numbers)
        if not whole or len(entry["shape"]) > 2 or math.prod(entry["shape"]) * dtype.itemsize != end - begin:
            raise ValueError(f"the shape of array {name!r} does not fit its bytes")
        if begin != at or end > len(payload):
            raise ValueError(f"array {name!r} does not follow the one before it")
        at = end
        array = np.frombuffer(payload[begin:end], dtype).reshape(entry["shape"])
        arrays[name] = np.require(array, dtype.newbyteorder("="), "A")
        arrays[name].setflags(write=False)
    if at != len(payload):
        raise ValueError(f"{len(payload) - at} of its bytes belong to no array")
    return arrays


# ---- files ---------------------------------------------------------------------------------------


def write_model(
    path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model file, whole or not at all: on any error an older file of that name stays as it was."""
    data = dumps(header, arrays)
    with whole_file(path) as beside, open(beside, "wb") as file:
        file.write(data)


def read_model(path: str | os.PathLike[str]) -> tuple[Header, Arrays]:
    """Read a model file; what it is decides its content, never its name.

    Raises
    ------
    ModelFileError
        If the file is anything but a whole, undamaged model file of a known version.
    """
    return loads(Path(path).read_bytes(), repr(os.fspath(path)))

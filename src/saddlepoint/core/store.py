r"""Arrays and a manifest in one file: checked, memory-mapped, written atomically.

A `.saddle` file is an uncompressed ZIP of `.npy` members and one `manifest.json`, so
`numpy.load` and any archive tool open it too. The manifest tells what made the file
(kind, game, settings, seed, version) and lists every array with its dtype and shape.
The archive's comment, the last bytes of the file, is the SHA-256 digest of all bytes
before it: it finds any damage, and serves as the name of the content. Members are
aligned to 64 bytes, so an array can be mapped instead of read. A file is written beside
its destination, flushed to the disk and renamed over it: a reader sees the old file or
the new one, never a part.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from saddlepoint.core.errors import StoreError

FORMAT = "saddlepoint"
LAYOUT = 1
SUFFIX = ".saddle"
ALIGNMENT = 64
MANIFEST = "manifest.json"
# Local header of a ZIP member without its name and extra field, and the smallest extra field.
_HEADER_BYTES, _EXTRA_BYTES = 30, 4
_DIGEST_BYTES = 64
_CHUNK_BYTES = 1 << 20

Manifest = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Artefact:
    """What was read from a file: its manifest and its arrays."""

    manifest: Manifest
    arrays: Arrays


def write(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], arrays: Mapping[str, Any]
) -> Path:
    """Write a manifest and arrays to one file, atomically.

    Parameters
    ----------
    path
        Destination; its folder must exist.
    manifest
        JSON-serialisable description. The keys `format`, `layout` and `arrays` are added.
    arrays
        Named arrays of numbers or booleans.
    """
    path = Path(path)
    ready = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for name, array in ready.items():
        if array.dtype.hasobject:
            raise StoreError(f"cannot write {path}: array '{name}' holds Python objects")
    full = {
        "format": FORMAT,
        "layout": LAYOUT,
        **manifest,
        "arrays": {
            name: {
                "dtype": array.dtype.str,
                "shape": list(np.shape(arrays[name])),
            }
            for name, array in ready.items()
        },
    }
    text = json.dumps(full, indent=1, allow_nan=True).encode()
    if not path.parent.is_dir():
        raise StoreError(f"cannot write {path}: the folder {path.parent} does not exist")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as problem:
        raise StoreError(f"cannot write {path}: {problem.strerror}") from None
    try:
        with os.fdopen(handle, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                archive.writestr(_member(MANIFEST), text)
                for name, array in ready.items():
                    head = _npy_header(array.dtype, np.shape(arrays[name]))
                    member = _member(f"{name}.npy", file.tell(), len(head))
                    with archive.open(member, "w") as out:
                        out.write(head)
                        out.write(array.data)
                archive.comment = bytes(_DIGEST_BYTES)
            total = _digest(file)
            file.seek(-_DIGEST_BYTES, os.SEEK_END)
            file.write(total)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except OSError as problem:
        raise StoreError(f"cannot write {path}: {problem.strerror}") from None
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)
    return path


def read(path: str | os.PathLike[str], *, mapped: bool = False, verify: bool = True) -> Artefact:
    """Read a file that `write` made, and check it.

    Parameters
    ----------
    path
        The file.
    mapped
        Map the arrays into memory, read-only, instead of reading them.
    verify
        Compare the file with its digest. Without it a mapped file opens at once and
        damage inside an array goes unnoticed.
    """
    path = Path(path)
    try:
        if verify:
            _verify(path)
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if names[:1] != [MANIFEST]:
                raise StoreError(f"{path} is not a Saddlepoint file: it has no {MANIFEST}")
            manifest = _manifest(path, archive.read(MANIFEST))
            listed = [f"{name}.npy" for name in manifest["arrays"]]
            if names[1:] != listed:
                raise StoreError(f"{path} is damaged: it holds {names[1:]}, its manifest {listed}")
            offsets = {
                name: archive.getinfo(f"{name}.npy").header_offset for name in manifest["arrays"]
            }
        size = path.stat().st_size
        arrays = {
            name: _array(path, name, offsets[name], size, entry, mapped)
            for name, entry in manifest["arrays"].items()
        }
    except FileNotFoundError:
        raise StoreError(f"no such file: {path}") from None
    except IsADirectoryError:
        raise StoreError(f"{path} is a folder, expected a {SUFFIX} file") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as problem:
        raise StoreError(f"{path} is damaged or not a Saddlepoint file ({problem})") from None
    except (OSError, ValueError, KeyError, TypeError, UnicodeDecodeError) as problem:
        raise StoreError(f"{path} is damaged or cannot be read ({problem})") from None
    return Artefact(manifest, arrays)


def _manifest(path: Path, text: bytes) -> Manifest:
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{path} is not a Saddlepoint file: its manifest does not say so")
    if manifest.get("layout") != LAYOUT:
        raise StoreError(
            f"{path} has layout {manifest.get('layout')}, this version reads layout {LAYOUT}"
        )
    return manifest


def _array(path: Path, name: str, offset: int, size: int, entry: Any, mapped: bool) -> NDArray[Any]:
    """Map one member. `zipfile` cannot tell where its data begin, so its header is parsed."""
    dtype, shape = np.dtype(entry["dtype"]), tuple(int(n) for n in entry["shape"])
    if dtype.hasobject:
        raise StoreError(f"{path} is damaged: array '{name}' claims to hold objects")
    with path.open("rb") as file:
        file.seek(offset)
        header = file.read(_HEADER_BYTES)
        lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        file.seek(offset + _HEADER_BYTES + lengths)
        expected = _npy_header(dtype, shape)
        if file.read(len(expected)) != expected:
            raise StoreError(f"{path} is damaged: array '{name}' is not {dtype} of shape {shape}")
        start = file.tell()
    if start + math.prod(shape) * dtype.itemsize > size:
        raise StoreError(f"{path} is cut short: array '{name}' ends after the file")
    if math.prod(shape) == 0:
        array: NDArray[Any] = np.empty(shape, dtype)
    else:
        array = np.memmap(path, dtype, "r", start, shape)
    return array if mapped else np.array(array)


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as those that `write` makes do, whatever it is called."""
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def content(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        raise StoreError(f"no such file: {path}") from None
    except OSError as problem:
        raise StoreError(f"cannot read {path}: {problem.strerror}") from None


def digest(path: str | os.PathLike[str]) -> str:
    """The content's name: the digest that stands at the end of the file."""
    with Path(path).open("rb") as file:
        file.seek(-_DIGEST_BYTES, os.SEEK_END)
        return file.read().decode()


def _digest(file: IO[bytes]) -> bytes:
    """SHA-256 of all bytes but the place where it is kept, in hexadecimal."""
    left = file.seek(0, os.SEEK_END) - _DIGEST_BYTES
    file.seek(0)
    total = hashlib.sha256()
    while left > 0 and (chunk := file.read(min(left, _CHUNK_BYTES))):
        total.update(chunk)
        left -= len(chunk)
    return total.hexdigest().encode()


def _verify(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(2) != b"PK":
            raise StoreError(f"{path} is not a Saddlepoint file")
        expected = _digest(file)
        if file.read(_DIGEST_BYTES) != expected:
            raise StoreError(
                f"{path} is damaged, cut short or not a Saddlepoint file: its digest does not match"
            )


def _npy_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    head = io.BytesIO()
    description = {"descr": dtype.str, "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(head, description)
    return head.getvalue()


def _member(name: str, position: int | None = None, head: int = 0) -> zipfile.ZipInfo:
    """A member without a time stamp; `position` pads its header so that the data are aligned."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.external_attr = 0o644 << 16
    if position is not None:
        start = position + _HEADER_BYTES + len(name.encode()) + _EXTRA_BYTES + head
        padding = -start % ALIGNMENT
        # An extra field: a private tag, its length, and zeros.
        info.extra = b"SP" + padding.to_bytes(2, "little") + bytes(padding)
    return info


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

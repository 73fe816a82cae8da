"""Files of machine code that are checked when they are read.

Numba takes its files as they are: one that a full disk or a crash has cut short ends every run with a traceback, and a
changed byte in machine code could do anything. Here a file begins with the hash of the rest. What does not match is as
if it were not there, and is compiled again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any, ClassVar

from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.serialize import dumps

from .cache import kernel_folder

_told: set[str] = set()


class DamagedError(Exception):
    """A file is there, but not as it was written."""


def tell_once(text: str) -> None:
    if text not in _told:
        _told.add(text)
        sys.stderr.write(f"edgeproof: {text}\n")
        sys.stderr.flush()


class _Folder:
    """Tells Numba where the kernels of a file are kept. Numba's own locators look for another folder, that of the
    package, where this one may not be written to."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file, self._line = file, function.__code__.co_firstlineno
        self._folder = kernel_folder(Path(file))

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Folder:
        return cls(function, file)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """The name of the folder, which says what the sources are. Numba's own stamp, which may be a file's date, could
        take one kernel for stale and leave those that call it without it."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)


class _Compiled(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Folder,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Where Numba keeps the machine code of one function."""

    _impl_class = _Compiled
    every: ClassVar[list[KernelCache]] = []

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = CheckedFile(locator.get_cache_path(), self._impl.filename_base, locator.get_source_stamp())
        self.every.append(self)

    def save_overload(self, sig: Any, data: Any) -> None:
        """A kernel that cannot be kept is there for this run."""
        try:
            super().save_overload(sig, data)
        except OSError as problem:
            why = (problem.strerror or str(problem)).lower()
            tell_once(f"compiled kernels cannot be kept ({why}); the next run compiles them again")


class CheckedFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's index and data files of one function, each behind a hash of what is in it."""

    def save(self, key: Any, data: Any) -> None:
        """The data first: an index never names a file that is not there yet. A file's name says whose code it holds, so
        that machines that compile at once for different processors do not write to the same."""
        overloads = self._load_index()
        name = self._data_name_pattern.format(number=0).replace(".0.", f".{_hash(repr(key).encode()).hex()[:16]}.")
        self._save_data(name, data)
        self._save_index({**overloads, key: name})

    def load(self, key: Any) -> Any:
        name = self._load_index().get(key)
        try:
            return None if name is None else pickle.loads(self._checked(self._data_path(name)))
        except (DamagedError, OSError):
            return None

    def is_damaged(self, machine: Any) -> bool:
        """Whether something is there that this machine would load if it could."""
        try:
            index = self._checked(self._index_path)
        except FileNotFoundError:
            return False
        except (DamagedError, OSError):
            return True
        try:
            for (_, compiled_on, _), name in self._overloads(index).items():
                if compiled_on == machine:
                    self._checked(self._data_path(name))
        except (DamagedError, OSError):
            return True
        return False

    def exists(self) -> bool:
        return self.index.exists()

    @property
    def index(self) -> Path:
        return Path(self._index_path)

    def _load_index(self) -> dict[Any, str]:
        try:
            return self._overloads(self._checked(self._index_path))
        except (DamagedError, OSError):
            return {}

    def _overloads(self, index: bytes) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(index)
        except (ImportError, AttributeError):  # a type of another version of the package
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, dumps((self._version, self._source_stamp, overloads)))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), dumps(data))

    def _write(self, path: str, content: bytes) -> None:
        with self._open_for_write(path) as file:
            file.write(_hash(content) + content)

    def _checked(self, path: str) -> bytes:
        with open(path, "rb") as file:
            digest, content = file.read(32), file.read()
        if digest != _hash(content):
            raise DamagedError(os.path.basename(path))
        return content


def _hash(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()

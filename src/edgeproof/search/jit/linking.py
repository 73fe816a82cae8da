"""Kernels that call each other through slots.

Numba copies every kernel into each kernel that calls it and optimises it there again; with kernels that call kernels,
most of the compile time went into copies of copies. Here a kernel is compiled once, on its own. A caller reads its
address from a slot, eight bytes that the kernel fills when it is compiled or loaded, so that machine code from an
earlier process can be loaded in any order. A call costs a few nanoseconds more than one that the compiler sees
through: what is called in an inner loop is a `leaf` (decorators.py), copied as before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

import llvmlite.binding
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import impl_ret_new_ref
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature

from .cache import all_folders, cache_root, compiled_mark
from .kept import CheckedFile, KernelCache, tell_once

# rooms of strategies that few questions take: some of their kernels are compiled where they are first called
_ROOMS = ("attention", "base", "budget", "charges", "deep", "lengths", "maxima")
ON_DEMAND = tuple(f"edgeproof.search.{room}." for room in _ROOMS)


class LinkedKernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function with one signature, which others call through its slot."""

    every: ClassVar[list[LinkedKernel]] = []
    _depth: ClassVar[int] = 0  # compiling a kernel compiles those that it calls

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=targetoptions)
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        self.cell = ctypes.c_void_p()
        self.checked = False  # its files are as they were written
        llvmlite.binding.add_symbol(self.symbol, ctypes.addressof(self.cell))
        self.every.append(self)

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            if self.cell and normalize_signature(sig)[0] not in self.overloads:
                raise TypeError(f"{self.symbol} is called with a second signature: {sig}")
            if LinkedKernel._depth == 0:
                drop_damaged()
            LinkedKernel._depth += 1
            try:
                entry = super().compile(sig)
                if not self.cell:
                    self._fill_cell(entry)
                if LinkedKernel._depth == 1:
                    self._load_others()
            finally:
                LinkedKernel._depth -= 1
        return entry

    def _fill_cell(self, entry: Any) -> None:
        (code,) = self.overloads.values()
        self.cell.value = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
        self.targetctx.remove_user_function(entry)
        self.targetctx.insert_func_defn([(_call_by_cell(self.symbol, code.fndesc), entry, code.fndesc.argtypes)])

    def is_damaged(self, machine: Any, whole: bool) -> bool:
        """whole: all kernels of the package were once compiled; one that has no files then has lost them."""
        file: CheckedFile = self._cache._cache_file
        return file.is_damaged(machine) or (whole and not file.exists() and self.is_always_there)

    @property
    def is_always_there(self) -> bool:
        """Whether it is compiled before the first search."""
        return self.symbol.startswith("edgeproof.") and not self.symbol.startswith(ON_DEMAND)

    def _load_others(self) -> None:
        """Fill every slot that can be filled: machine code from the cache does not say whom it calls.

        A kernel is kept before the one for whose sake it was compiled, so what is called from the cache is there.
        """
        machine = self.targetctx.codegen().magic_tuple()
        for kernel in self.every:
            if not kernel.cell:
                for signature, compiled_on, _ in kernel._cache._cache_file._load_index():
                    if compiled_on == machine:
                        kernel.compile(signature)


def drop_damaged() -> None:
    """Look once at the files of every kernel, before the first of them is loaded. If one is damaged or gone, all are
    compiled again: those that call it would be loaded, and could not say as what it is to be compiled.
    """
    fresh = [kernel for kernel in LinkedKernel.every if not kernel.checked]
    if not fresh:
        return
    machine = fresh[0].targetctx.codegen().magic_tuple()
    mark = compiled_mark()
    whole = mark.exists()
    bad = [kernel.symbol for kernel in fresh if not kernel.cell and kernel.is_damaged(machine, whole)]
    for kernel in fresh:
        kernel.checked = True
    if not bad:
        return
    tell_once(f"compiled kernels in {cache_root()} are damaged ({bad[0]}); all are compiled again (about a minute)")
    loaded = {kernel._cache._cache_file.index for kernel in LinkedKernel.every if kernel.cell}
    ours = {index for folder in all_folders() for index in folder.glob("*.nbi")}
    try:
        # leaves too: those that call a kernel
        for index in (ours | {one._cache_file.index for one in KernelCache.every}) - loaded:
            index.unlink(missing_ok=True)
        mark.unlink(missing_ok=True)  # last: who finds it, and not all kernels, drops the rest
    except OSError:  # a cache that may only be read
        for one in KernelCache.every:
            one.disable()


def all_are_kept() -> bool:
    """The next process finds every kernel that a search calls."""
    return all(kernel._cache._cache_file.exists() for kernel in LinkedKernel.every if kernel.is_always_there)


class InnerKernel(LinkedKernel):
    """One that only other kernels call: it is compiled without what Python needs for a call."""

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(function, {**targetoptions, "no_cpython_wrapper": True})

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"{self.symbol} is called by kernels only; make it an entry")


def _call_by_cell(symbol: str, called: Any) -> Any:
    """How a call is lowered: as Numba does it for a function that it links, but for where the address comes from."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention, module = context.call_conv, builder.module
        address = convention.get_function_type(called.restype, called.argtypes).as_pointer()
        slot = module.globals.get(symbol) or cgutils.add_global_variable(module, address, symbol)
        function = builder.load(slot)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, function)):
            message = f"{symbol} is missing among the compiled kernels: remove their folder, and it will be made again"
            convention.return_user_exc(builder, RuntimeError, (message,))
        status, value = convention.call_function(builder, function, called.restype, called.argtypes, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return impl_ret_new_ref(context, builder, called.restype, value)

    return call


def processor() -> str:
    """What kernels are compiled for: on another kind of processor they are compiled again."""
    return str(llvmlite.binding.get_host_cpu_name())

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


class LinkedKernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function with one signature, which others call through its slot."""

    every: ClassVar[list[LinkedKernel]] = []
    _depth: ClassVar[int] = 0  # compiling a kernel compiles those that it calls

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=targetoptions)
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        self.cell = ctypes.c_void_p()
        llvmlite.binding.add_symbol(self.symbol, ctypes.addressof(self.cell))
        self.every.append(self)

    def compile(self, sig: Any) -> Any:
        with global_compiler_lock:
            if self.cell and normalize_signature(sig)[0] not in self.overloads:
                raise TypeError(f"{self.symbol} is called with a second signature: {sig}")
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

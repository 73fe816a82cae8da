"""Kernels that call each other through slots.

Numba copies every kernel into each kernel that calls it and optimises it there again; with kernels that call kernels,
most of the compile time went into copies of copies. Here a kernel is compiled once, on its own. A caller reads its
address from a slot, eight bytes that the kernel fills when it is compiled or loaded, and so machine code from an
earlier process can be loaded in any order. A call costs a few nanoseconds more than one that the compiler sees
through: what is called in an inner loop is a `leaf` (compile.py), copied as before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

import llvmlite.binding
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import fix_returning_optional, impl_ret_new_ref
from numba.core.registry import CPUDispatcher


class SlottedKernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function with one signature, called by others through its slot."""

    every: ClassVar[list[SlottedKernel]] = []
    _nested: ClassVar[int] = 0  # compiling a kernel compiles those it calls

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=targetoptions)
        self.symbol = f"{function.__module__}.{function.__qualname__}"
        self.slot = ctypes.c_void_p()
        llvmlite.binding.add_symbol(self.symbol, ctypes.addressof(self.slot))
        self.every.append(self)

    def compile(self, sig: Any) -> Any:
        SlottedKernel._nested += 1
        try:
            entry = super().compile(sig)
        finally:
            SlottedKernel._nested -= 1
        if not self.slot:
            (code,) = self.overloads.values()
            self.slot.value = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
            self.targetctx.remove_user_function(entry)
            self.targetctx.insert_func_defn([(_call_through(self.symbol, code.fndesc), entry, code.fndesc.argtypes)])
        elif len(self.overloads) > 1:
            raise TypeError(f"{self.symbol} is called with a second signature: {sig}")
        if not SlottedKernel._nested:
            _load_what_is_called()
        return entry

    def load(self) -> None:
        """Take what an earlier process compiled, if it did."""
        for signature, machine, _ in self._cache._cache_file._load_index():
            if machine == self.targetctx.codegen().magic_tuple():
                self.compile(signature)


class InnerKernel(SlottedKernel):
    """One that only other kernels can call."""

    def __init__(self, function: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        super().__init__(function, {**targetoptions, "no_cpython_wrapper": True})

    def __call__(self, *args: Any, **named: Any) -> Any:
        raise TypeError(f"{self.symbol} is called by kernels only; make it an entry")


def _load_what_is_called() -> None:
    """Fill all slots that can be filled: machine code found in the cache does not say whom it calls.

    A kernel is kept before the kernel that made it necessary, so those that a kernel found in the cache needs are there.
    """
    for kernel in SlottedKernel.every:
        if not kernel.slot:
            SlottedKernel._nested += 1
            try:
                kernel.load()
            finally:
                SlottedKernel._nested -= 1


def _call_through(symbol: str, called: Any) -> Any:
    """How a call is lowered: as Numba does it for a function that it links, but for where the address comes from."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        pointer = convention.get_function_type(called.restype, called.argtypes).as_pointer()
        slot = cgutils.add_global_variable(builder.module, pointer, symbol) if symbol not in builder.module.globals else builder.module.globals[symbol]
        address = builder.load(slot)
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
            convention.return_user_exc(builder, RuntimeError, (f"kernel {symbol} is missing from the cache",))
        status, value = convention.call_function(builder, address, called.restype, called.argtypes, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return impl_ret_new_ref(context, builder, called.restype, value)

    return call

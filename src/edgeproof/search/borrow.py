"""Bundles of arrays, lent to kernels by pointer.

Two costs that a search of microsecond nodes cannot pay: passing a named tuple of eighty arrays copies every array
header into the call, and taking a row of an array counts a reference up and down, atomically. So the outermost
kernel lends its bundles, the kernels it calls pass two pointers around, and what they fetch through them are
headers that own nothing: the compiler loads only the fields in use and drops the counting. The outermost caller
keeps the arrays alive.
"""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def lend(typing_context: Any, bundle: Any) -> Any:  # noqa: ARG001
    """A pointer to a copy of the bundle in the caller's frame: valid until the caller returns."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return cgutils.alloca_once_value(builder, args[0])

    return types.CPointer(bundle)(bundle), codegen


@intrinsic
def fetch(typing_context: Any, pointer: Any) -> Any:  # noqa: ARG001
    """The bundle behind a pointer, with arrays that own nothing."""
    bundle = pointer.dtype

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = args[0]
        items = []
        for at, kind in enumerate(bundle.types):
            item = builder.load(cgutils.gep_inbounds(builder, whole, 0, at))
            if isinstance(kind, types.Array):
                array = context.make_array(kind)(context, builder, item)
                array.meminfo = cgutils.get_null_value(array.meminfo.type)
                array.parent = cgutils.get_null_value(array.parent.type)
                item = array._getvalue()
            items.append(item)
        return context.make_tuple(builder, signature.return_type, items)

    return bundle(pointer), codegen

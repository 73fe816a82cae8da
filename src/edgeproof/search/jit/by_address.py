"""Bundles of arrays, lent to kernels by address.

Two costs that a search of microsecond nodes cannot pay: passing a named tuple of fifty arrays copies every array
header into the call, and taking a row of an array counts a reference up and down, atomically. So kernels get the
address of a block of memory that holds the headers; reading a field loads that field alone, as an array that owns
nothing. It also makes kernels compile in a third of the time. The `Bundle` object keeps the arrays alive and must
outlive the call, which it does as an argument of it.
"""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)  # fmt: skip

from .decorators import leaf
from .interpreted import INTERPRETED, checked_fields


class BundleType(types.Type):
    """The address of a named tuple; named by a hash, since names of types end up in every symbol. The hash sees the
    names of fields and their order: a kernel in a file that does not import the tuple's is kept when they change.
    """

    def __init__(self, bundle: Any) -> None:
        self.bundle = bundle
        digest = hashlib.sha256(f"{bundle} {bundle.fields}".encode()).hexdigest()[:16]
        super().__init__(name=f"Bundle_{bundle.instance_class.__name__}_{digest}")


@register_model(BundleType)
class _BundleModel(models.OpaqueModel):
    pass


@infer_getattr
class _BundleFields(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind: BundleType, field: str) -> Any:
        fields = kind.bundle.fields
        return kind.bundle.types[fields.index(field)] if field in fields else None


@lower_getattr_generic(BundleType)
def _load_field(context: Any, builder: Any, kind: BundleType, address: Any, field: str) -> Any:
    """Load one field. Nobody writes to the block during a call, which the compiler is told: it may keep headers in
    registers across the stores of a kernel."""
    at = kind.bundle.fields.index(field)
    block = builder.bitcast(address, context.get_value_type(kind.bundle).as_pointer())
    place = cgutils.gep_inbounds(builder, block, 0, at)

    def load(where: Any) -> Any:
        value = builder.load(where)
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    part = kind.bundle.types[at]
    if not isinstance(part, types.Array):
        return load(place)
    header = context.make_array(part)(context, builder)
    stored = context.make_array(part)(context, builder, ref=place)
    for name in ("nitems", "itemsize", "data"):
        setattr(header, name, load(stored._get_ptr_by_name(name)))
    for name in ("shape", "strides"):
        whole = stored._get_ptr_by_name(name)
        steps = [load(cgutils.gep_inbounds(builder, whole, 0, axis)) for axis in range(part.ndim)]
        setattr(header, name, cgutils.pack_array(builder, steps))
    header.meminfo = cgutils.get_null_value(header.meminfo.type)
    header.parent = cgutils.get_null_value(header.parent.type)
    return header._getvalue()


@intrinsic
def _store(typing_context: Any, bundle: Any, block: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(block)(context, builder, args[1]).data
        builder.store(args[0], builder.bitcast(data, args[0].type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(bundle, block), codegen


@leaf
def store_bundle(bundle, block):
    _store(bundle, block)


def _type_of(bundle: Any) -> tuple[BundleType, int]:
    """The type of its address, and how many bytes lie there."""
    kind = BundleType(numba.typeof(bundle))
    context = cpu_target.target_context
    return kind, context.get_abi_sizeof(context.get_value_type(kind.bundle))


def _shape_of(item: Any) -> Any:
    """What of an item its Numba type depends on; anything but plain arrays and whole numbers would compile anew."""
    if isinstance(item, int):
        return int
    if not (item.flags.c_contiguous and item.flags.writeable):
        raise TypeError("bundles hold contiguous, writeable arrays only")
    return item.dtype, item.ndim


class Bundle:
    """A named tuple of arrays and whole numbers in a form that kernels take by address; in plain Python, they read its
    fields here.
    """

    _known: ClassVar[dict[type, tuple[list[Any], BundleType, int]]] = {}

    def __init__(self, bundle: Any) -> None:
        shape = [_shape_of(item) for item in bundle]
        if INTERPRETED:
            self.__dict__.update(checked_fields(bundle), bundle=bundle)
            return
        if type(bundle) not in self._known:  # asking Numba for the type of fifty arrays takes a millisecond
            self._known[type(bundle)] = shape, *_type_of(bundle)
        expected, self.kind, size = self._known[type(bundle)]
        if shape != expected:
            raise TypeError(f"{type(bundle).__name__}: the types of its arrays must not vary")
        self.bundle = bundle
        self._block = np.zeros(size // 8 + 1, dtype=np.int64)
        store_bundle(bundle, self._block)
        self.address = int(self._block.ctypes.data)
        self._numba_type_ = self.kind  # where Numba looks first: asking what registered types say takes 4 us a call


@typeof_impl.register(Bundle)
def _typeof_bundle(value: Bundle, context: Any) -> BundleType:
    return value.kind


@unbox(BundleType)
def _unbox_bundle(kind: BundleType, value: Any, context: Any) -> NativeValue:
    number = context.pyapi.object_getattr_string(value, "address")
    address = context.pyapi.long_as_voidptr(number)
    context.pyapi.decref(number)
    return NativeValue(address, is_error=cgutils.is_not_null(context.builder, context.pyapi.err_occurred()))

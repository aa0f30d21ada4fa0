"""Which functions outside of namespaces mean something to the files beside them alone?

What all may call stands in a namespace, or in a header under a name of its own (`THPUtils_packUInt64`).
"""

from __future__ import annotations

OF_C = frozenset(
    "abs acos acosh asin asinh atan atan2 atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor fmax fmin fmod"
    " hypot log log10 log1p log2 nearbyint pow round sin sinh sqrt tan tanh trunc".split()
)
"""What <math.h> has in the global namespace ([cmath.syn]): `log(x)` may be that, whatever a header adds to it
(c10/util/complex_math.h, `using c10_complex_math::log;`)."""

_BUILT_IN = OF_C.union(
    "copysign erfcinv erfcx erfinv fma frexp ilogb isfinite isinf isnan ldexp lgamma llmax llmin logb max min modf"
    " nextafter normcdf normcdfinv remainder rint rsqrt scalbn signbit tgamma ullmax ullmin umax umin".split()
)
"""With what CUDA's compiler has there besides (CUDA C++ Programming Guide, «Mathematical Functions»; clang's
__clang_cuda_math_forward_declares.h): `::max(a, b)` is that."""


def folder_of(path: str, owner: str, name: str, is_source: bool, is_test: bool) -> str:
    """The folder whose files alone can mean a function by its name, with `/` at the end; "" where all can.

    What a test or a .cu file has outside of namespaces is for the files beside it: an extension's `add`
    (test/cpp_extensions/cuda_dlink_extension_add.cu), texts that are compiled together while a program runs
    (`libtorch_nvfuser_runtime_sources` of PyTorch 1.13's build_variables.bzl). And what a library calls like a built-in
    function, to others is that: QNNPACK's src/qnnpack/math.h has a `max`.

    Args:
        path: of its file, relative to the tree.
        owner: the namespace or class it is in.
        name: the last part of its name.
        is_source: no other file includes it.
        is_test: a test or a benchmark defines it.
    """
    if owner:
        return ""
    folder = path[: path.rfind("/") + 1]
    if is_source:
        return folder if is_test or path.endswith(".cu") else ""
    if name not in _BUILT_IN:
        return ""
    of_library = folder.rpartition("/src/")[0]
    return f"{of_library}/" if of_library else folder

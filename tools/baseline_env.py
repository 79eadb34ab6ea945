"""Print the variables that make NumPy, glibc and OpenBLAS behave as on a processor without AVX2 and AVX-512."""

import importlib
import re

GLIBC_OFF = ("AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX512CD", "AVX2", "AVX2_Usable", "FMA", "FMA4")


def baseline_env() -> dict[str, str]:
    """Return the variables; NumPy's names of features differ from release to release."""
    numpy_core = importlib.import_module("numpy._core._multiarray_umath")
    dispatched, present = numpy_core.__cpu_dispatch__, numpy_core.__cpu_features__
    newer = [name for name in dispatched if present.get(name) and re.match("AVX2|AVX512|FMA3|X86_V[34]", name)]
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(newer),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in GLIBC_OFF),
        "OPENBLAS_CORETYPE": "Nehalem",
    }


if __name__ == "__main__":
    for name, value in baseline_env().items():
        print(f"{name}={value}")

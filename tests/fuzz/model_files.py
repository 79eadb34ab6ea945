"""Fuzz target for model files: a file that was changed on purpose is refused, or is another valid model.

``python model_files.py FOLDER [libFuzzer options]``: the input chooses one of some small models and the changes of its
file, in bytes or in its documents and arrays with checksums made right (see ``tests/files/mutation.py``).
"""

from __future__ import annotations

import gc
import random
import sys
import tempfile
import types
import warnings
from pathlib import Path

import atheris

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.files.mutated_models import NAMES, model_parts
from tests.files.mutation import check_file, mutate

_SEEDS = 400  # inputs to start from


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_SEEDS):
        (folder / f"seed{number}").write_bytes(random.Random(number).randbytes(64))
    models = [model_parts(name) for name in NAMES]
    path = Path(tempfile.mkdtemp(dir=folder.parent)) / "model.calibrant"

    def one_input(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        model = models[provider.ConsumeIntInRange(0, len(models) - 1)]
        path.write_bytes(mutate(model, lambda n: provider.ConsumeIntInRange(0, n - 1)))
        check_file(model, path)

    warnings.simplefilter("ignore")  # of sums that overflow in a model of huge numbers
    atheris.Setup([sys.argv[0], *sys.argv[1:]], one_input)
    atheris.Fuzz()


def instrument() -> None:
    """Let the fuzzer see which lines of the model files run; the import hook of atheris misses editable installs."""
    for function in gc.get_objects():
        if isinstance(function, types.FunctionType) and (function.__module__ or "").startswith("calibrant.files"):
            atheris.instrument_func(function)


if __name__ == "__main__":
    instrument()
    main()

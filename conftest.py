"""Shared by all tests: none touches the cache folder of the person who runs it; scripts can be tested too."""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

os.environ.setdefault("MPLBACKEND", "Agg")  # tests draw figures without a display

# Set before NumPy is imported: the matrices of tests are small, and the BLAS threads of several test processes mostly
# wait for each other (scikit-learn's checks of one calibrated classifier: 50 s of processor time, 13 with one thread).
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# A shell starts what runs in the background with SIGINT ignored, and all children inherit that: tests of Ctrl-C fail.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests never time: what is slow on a busy machine is not wrong. `make test-long` tries more examples.
settings.register_profile("quick", deadline=None, max_examples=8)
settings.register_profile("thorough", deadline=None)
settings.load_profile("thorough" if os.environ.get("CALIBRANT_THOROUGH") else "quick")


# Twenty thousand collected tests stay until the end: garbage collection that visits them again and again takes 2 s of
# collecting in each test process, and half a second whenever a test leaves many objects.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage from here on, but leave alone what was made until now; it is freed at the end."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to `make test-long` all but every n-th case of tests that are marked by ``sample(n)``."""
    # These skip unless SciPy supports the array API from its import on: `check_statuses` runs them in such a process.
    items[:] = [item for item in items if "check_array_api_input" not in item.name]
    counts = Counter[str]()
    for item in items:
        marker = item.get_closest_marker("sample")
        if marker is not None:
            name = item.nodeid.partition("[")[0]
            counts[name] += 1
            if counts[name] % marker.args[0] != 1:
                item.add_marker("long")


@pytest.fixture(autouse=True, scope="session")
def cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Point the cache of downloaded data sets at a folder that is thrown away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALIBRANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close what a test has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture(autouse=True)
def folder_of_a_page(request: pytest.FixtureRequest) -> None:
    """Run the examples of a Markdown page in a folder that is thrown away: some of them write files."""
    if request.node.path.suffix == ".md":
        request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))


@pytest.fixture
def ctrl_c() -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Press Ctrl-C half a second into the work of a context, which must stop soon after.

    Soon is measured in processor time: on a busy machine a second of work takes longer.
    """

    @contextmanager
    def pressed() -> Iterator[None]:
        sent = []

        def press() -> None:
            sent.append(time.process_time())
            signal.raise_signal(signal.SIGINT)

        timer = threading.Timer(0.5, press)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            yield
        assert time.process_time() - sent[0] < 3
        timer.join()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    yield pressed
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def no_superuser() -> Callable[[], None]:
    """Return a function for ``preexec_fn``: permissions then bind the child also where root runs the tests."""

    def drop() -> None:
        if os.geteuid() == 0:
            library = ctypes.CDLL(None)
            for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH of <linux/capability.h>
                library.prctl(24, right)  # PR_CAPBSET_DROP: gone from the next exec on

    return drop


@pytest.fixture(scope="session")
def example():
    """Loads a script of ``examples`` by its name, without running it."""

    def load(name: str) -> ModuleType:
        path = Path(__file__).parent / "examples" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"example_{name}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def check_statuses() -> Callable[[str, str], str]:
    """Runs scikit-learn's checks of some models in a process where SciPy supports the array API: none is skipped then.

    Takes the imports and an expression of the models, returns the set of statuses in text.
    """

    def run(imports: str, models: str) -> str:
        script = (
            "import warnings; warnings.simplefilter('ignore');"
            f"from sklearn.utils.estimator_checks import check_estimator; {imports};"
            f"print({{result['status'] for model in ({models},) for result in check_estimator(model, on_fail=None)}})"
        )
        environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=600, env=environment
        )
        return done.stdout.strip() or done.stderr

    return run

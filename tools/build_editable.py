"""Build an editable wheel where one sees it: `build_editable.py WHEEL_FOLDER BUILD_FOLDER [NAME=VALUE ...]`.

pip would hide the compiler's progress and compile in a temporary environment, whose paths change from run to run.
"""

import shutil
import sys

from scikit_build_core.build import build_editable


def main() -> None:
    wheels, build, *definitions = sys.argv[1:]
    shutil.rmtree(wheels, ignore_errors=True)
    settings = {f"cmake.define.{name}": value for name, value in (each.split("=", 1) for each in definitions)}
    build_editable(wheels, {"build-dir": build, **settings})


if __name__ == "__main__":
    main()

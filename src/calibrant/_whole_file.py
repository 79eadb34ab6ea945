"""Writing a file whole or not at all: readers see the old file or the whole new one, never half of it."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_DESCRIPTORS = "/proc/self/fd"
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)  # file systems without files without a name


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of a path if the block succeeds, and vanishes if it raises.

    The file has no name until it is complete, where the system has such files (Linux), so that even a process that is
    killed leaves nothing behind. A link stays, and the file that it points to is replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a"
    >>> with whole_file(path) as file:
    ...     _ = file.write(b"whole")
    >>> path.read_bytes(), [each.name for each in path.parent.iterdir()]
    (b'whole', ['a'])
    """
    path = path.resolve()
    temporary = path.parent / f".{path.name[:100]}.{secrets.token_hex(4)}.tmp"
    try:
        descriptor, is_named = _open(path, temporary)
        with os.fdopen(descriptor, "w+b") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
            if not is_named:
                _put_name(file, temporary)
            temporary.replace(path)
        _sync_folder(path.parent)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary), str(path.parent), str(path)):
            raise _not_written(error, path) from error
        raise


def _open(path: Path, temporary: Path) -> tuple[int, bool]:
    """Open a new file with the permissions of the one it replaces; return whether it has a name yet."""
    mode = _mode_of(path)
    descriptor, is_named = _open_unnamed(path.parent), False
    if descriptor is None:
        descriptor, is_named = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), True
    if mode is not None and hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)
    return descriptor, is_named


def _open_unnamed(folder: Path) -> int | None:
    if not hasattr(os, "O_TMPFILE") or not Path(_DESCRIPTORS).exists():
        return None
    try:
        return os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o666)
    except OSError as error:
        if error.errno in _NO_UNNAMED and folder.is_dir():
            return None
        raise


def _put_name(file: IO[bytes], temporary: Path) -> None:
    """Link a file without a name to a path; copy it where that cannot be done."""
    folder = os.open(_DESCRIPTORS, os.O_RDONLY)
    try:
        os.link(str(file.fileno()), temporary, src_dir_fd=folder, follow_symlinks=True)
    except OSError:
        with temporary.open("xb") as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy)
            os.fchmod(copy.fileno(), stat.S_IMODE(os.fstat(file.fileno()).st_mode))
            os.fsync(copy.fileno())
    finally:
        os.close(folder)


def _mode_of(path: Path) -> int | None:
    """Return the permissions of the file to replace, None if there is none; raise if it is no regular file."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Is a device or pipe, not a file", str(path))
    return stat.S_IMODE(mode)


def _sync_folder(folder: Path) -> None:
    """Write the new name to the disk, where the system lets folders be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _not_written(error: OSError, path: Path) -> OSError:
    """Return the same kind of error with a message that says what state the file is in and what to do."""
    remedy = _REMEDIES.get(error.errno or 0, "Choose another path.")
    reason = f"{error.strerror or error}. Nothing was written, and a file that was there is unchanged. {remedy}"
    return OSError(error.errno, reason, str(path)) if error.errno else OSError(f"{reason}: {path}")


_REMEDIES = {
    errno.ENOENT: "Make the folder first.",
    errno.ENOSPC: "Free some space, or choose another disk.",
    errno.EDQUOT: "Free some space, or choose another disk.",
    errno.EFBIG: "Raise the limit of file sizes, or write less.",
}

"""Windows as far as Linux can play it, for pommel's own code: in pytest and in processes.

For what pommel imports, modules and names that Windows lacks are not there, and `sys.platform` says
"win32"; what others import is untouched, for their branches for Windows are theirs to test. For
files that pommel opens, moves or deletes, what Windows refuses is refused: a folder that is opened,
a file that is deleted or replaced while it is open or marked as read-only, a name that cannot be
one; and text has Windows's line ends and cp1252 unless pommel says otherwise.

`pytest -p tests.desktops.windows` has all tests run so. For a process `as_windows` comes first on
the path of modules. Paths stay those of Linux: separators, drives and letter sizes are not played.
"""

import builtins
import contextlib
import errno
import fcntl
import io
import os
import re
import select
import signal
import socket
import stat
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

MISSING_MODULES = {
    "_posixsubprocess", "crypt", "curses", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline",
    "resource", "spwd", "syslog", "termios", "tty",
}  # fmt: skip
# What the stubs of mypy know for Linux only stands here, as far as anybody might use it.
MISSING_NAMES = {
    os: "O_ACCMODE O_ASYNC O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK "
    "O_PATH O_SYNC O_TMPFILE WEXITSTATUS WIFEXITED WIFSIGNALED WNOHANG WTERMSIG chown chroot "
    "confstr ctermid fchdir fchmod fchown fdatasync fork forkpty fpathconf fstatvfs getegid "
    "geteuid getgid getgrouplist getgroups getloadavg getpgid getpgrp getpriority getresuid getsid "
    "getuid getxattr initgroups killpg lchown lockf login_tty major makedev minor mkfifo mknod "
    "nice openpty pathconf pipe2 posix_fadvise posix_fallocate posix_spawn pread pwrite preadv "
    "readv register_at_fork sched_getaffinity sched_yield sendfile setgid setgroups setpgid "
    "setpriority setsid setuid setxattr statvfs sync sysconf sysconf_names tcgetpgrp tcsetpgrp "
    "ttyname uname wait wait3 wait4 waitid writev",
    signal: "ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO "
    "SIGKILL SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGUSR1 SIGUSR2 SIGVTALRM "
    "SIGWINCH SIGXCPU SIG_BLOCK SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask "
    "set_wakeup_fd setitimer siginterrupt sigpending sigtimedwait sigwait sigwaitinfo",
    socket: "AF_UNIX CMSG_LEN CMSG_SPACE SCM_RIGHTS recv_fds send_fds socketpair sethostname",
    select: "EPOLLIN POLLERR POLLHUP POLLIN POLLOUT epoll poll",
    time: "clock_gettime clock_settime pthread_getcpuclockid tzset",
    sys: "abiflags getdlopenflags setdlopenflags",
}
SAID = {os: {"name": "nt"}, sys: {"platform": "win32"}}

_RESERVED = re.compile(
    r'.*[<>:"|?*\\\x00-\x1f].*|.*[. ]|(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?', re.IGNORECASE
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# The options of `open`, in their order.
_OPTIONS = ("buffering", "encoding", "errors", "newline", "closefd", "opener")


class _Lacking(ModuleType):
    """A module without some of its names; what is set on it is set on the module itself."""

    def __init__(self, module: ModuleType, missing: str, said: Mapping[str, object]) -> None:
        super().__init__(module.__name__)
        self.__dict__.update(said, _module=module, _missing=frozenset(missing.split()))

    def __getattr__(self, name: str) -> Any:
        module, missing = self.__dict__["_module"], self.__dict__["_missing"]
        if name in missing:
            message = f"module {module.__name__!r} has no attribute {name!r} on Windows"
            raise AttributeError(message)
        return getattr(module, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_module"], name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self.__dict__["_module"], name)


def _locking(opened: int, mode: int, n_bytes: int) -> None:
    """Lock a part of a file as `msvcrt.locking` does; here, all of it."""
    assert n_bytes > 0
    # What is locked cannot be read by others, and what lies beyond the end is nothing to read.
    assert os.lseek(opened, 0, os.SEEK_CUR) >= os.fstat(opened).st_size
    if mode == _MSVCRT.LK_UNLCK:
        fcntl.flock(opened, fcntl.LOCK_UN)
        return
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None


_MSVCRT: Any = ModuleType("msvcrt")
vars(_MSVCRT).update(LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2, locking=_locking)

_import: Any = builtins.__import__
_open: Any = io.open
_lacking = {
    each.__name__: _Lacking(each, names, SAID.get(each, {}))
    for each, names in MISSING_NAMES.items()
}


def _imported(
    name: str,
    globals: Mapping[str, object] | None = None,  # noqa: A002 - as it is called
    locals: Mapping[str, object] | None = None,  # noqa: A002 - likewise
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> Any:
    if level or not _is_own(globals):
        return _import(name, globals, locals, fromlist or (), level)
    if name.partition(".")[0] in MISSING_MODULES:
        message = f"No module named {name!r}"
        raise ModuleNotFoundError(message, name=name)
    if name == "msvcrt":
        return _MSVCRT
    return _lacking.get(name) or _import(name, globals, locals, fromlist or (), level)


def _is_own(names: Mapping[str, object] | None) -> bool:
    known = names or {}
    # What runs as a program is called otherwise.
    is_program = "/runner/pommel/" in str(known.get("__file__"))
    return is_program or str(known.get("__name__")).partition(".")[0] == "pommel"


def _is_for_us() -> bool:
    """Return whether pommel has called, directly or not."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the only way to ask
    while frame is not None and not _is_own(frame.f_globals):
        frame = frame.f_back
    return frame is not None


def _opened(file: Any, mode: str = "r", *others: Any, **named: Any) -> Any:
    chosen = dict(zip(_OPTIONS, others, strict=False)) | named
    if "b" not in mode and _is_for_us():
        chosen["encoding"] = chosen.get("encoding") or "cp1252"
        if chosen.get("newline") is None and not {*mode}.isdisjoint("wax"):
            chosen["newline"] = "\r\n"
    return _open(file, mode, **chosen)


def _look(event: str, arguments: tuple[Any, ...]) -> None:
    look: Any = _LOOKS.get(event)
    if look and _is_for_us():
        look(*arguments)


def _look_at_open(name: Any, mode: str | None, flags: int) -> None:
    if isinstance(name, int):
        return
    path = Path(os.fsdecode(name))
    caller = sys._getframe(2)  # noqa: SLF001 - those of the standard library are for Linux
    if mode is None and _is_own(caller.f_globals) and path.is_dir():
        raise PermissionError(errno.EACCES, "Windows opens no folder", str(path))
    if flags & _WRITING and not path.exists():
        _check_name(path)


def _look_at_made(name: Any, *_: object) -> None:
    _check_name(Path(os.fsdecode(name)))


def _look_at_moved(source: Any, name: Any, *_: object) -> None:
    target = Path(os.fsdecode(name))
    _check_name(target)
    _check_free(Path(os.fsdecode(source)))
    if target.exists():
        _check_replaceable(target)


def _look_at_deleted(name: Any, folder: int) -> None:
    path = Path(os.fsdecode(name))
    path = Path(f"/proc/self/fd/{folder}").readlink() / path if folder >= 0 else path
    if path.exists():
        _check_replaceable(path)


_LOOKS = {
    "open": _look_at_open,
    "os.mkdir": _look_at_made,
    "os.rename": _look_at_moved,
    "os.remove": _look_at_deleted,
}


def _check_name(path: Path) -> None:
    if _RESERVED.fullmatch(path.name):
        raise OSError(errno.EINVAL, "Windows has no such names", str(path))


def _check_replaceable(path: Path) -> None:
    _check_free(path)
    if path.is_file() and not path.stat().st_mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, "Windows: it is read-only", str(path))


def _check_free(path: Path) -> None:
    """Raise `PermissionError` for a file that this process has open, and a folder around one."""
    real = path.resolve()
    with _open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        held = {Path(f"/{line.rstrip().partition('/')[2]}") for line in maps if "/" in line}
    for each in Path("/proc/self/fd").iterdir():
        # The folder itself is read through one that is closed by now.
        with contextlib.suppress(FileNotFoundError):
            held.add(each.readlink())
    if any(each.is_relative_to(real) for each in held):
        raise PermissionError(errno.EACCES, "Windows: it is open", str(path))


def install() -> None:
    """Have pommel run as on Windows in this process, from now on; before it is imported."""
    assert not any(name.partition(".")[0] == "pommel" for name in sys.modules)
    builtins.__import__ = _imported
    builtins.open = io.open = _opened
    sys.addaudithook(_look)


def pytest_load_initial_conftests() -> None:
    """Have all tests run so; before any of them is looked at."""
    install()

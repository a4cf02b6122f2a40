"""The system's programs that the tests need beside Python, Node, make and Git, and their packages.

    python -m tests.machine browser    # print the browser that the tests use; install one if needed
    python -m tests.machine install    # install everything that `make test` and `make deep` need

A missing program is installed where that needs no prompt. Otherwise its tests are skipped; in CI
(`CI=true`), they fail. Only the standard library is imported: `.ci/run` starts this before anything
else is installed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]

# Playwright's own Node needs libatomic, which a bare Debian lacks. The README's Node starts.
if _node := shutil.which("node"):
    os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", _node)


class Tool(NamedTuple):
    """A system dependency of some tests.

    Attributes:
        marker: the pytest marker of the tests that need it.
        name: its name in messages.
        programs: its programs; all must be on the PATH.
        packages: the Debian packages that contain it.
        is_deep: whether only tests of `make deep` need it.
    """

    marker: str
    name: str
    programs: tuple[str, ...]
    packages: tuple[str, ...]
    is_deep: bool = True


TOOLS = (
    Tool("browser", "a Chromium that starts", (), ("chromium",), is_deep=False),
    Tool("whole_browser", "a Chromium with a user interface", (), ("chromium",), is_deep=False),
    # The suit symbols on the cards of the reference screenshots are glyphs of this font.
    Tool("fonts", "the font DejaVu Sans", ("fc-list",), ("fontconfig", "fonts-dejavu-core")),
    Tool("redis", "redis-server", ("redis-server",), ("redis-server",)),
    Tool(
        "proxy",
        "Caddy, nginx, HAProxy, OpenSSL and curl",
        ("caddy", "nginx", "haproxy", "openssl", "curl"),
        ("caddy", "nginx", "haproxy", "openssl", "curl"),
    ),
    Tool(
        "engines",
        "Firefox, WebKit and Xvfb",
        ("firefox-esr", "WebKitWebDriver", "Xvfb"),
        ("firefox-esr", "webkit2gtk-driver", "xvfb"),
    ),
    Tool("systemd", "systemd-analyze", ("systemd-analyze",), ("systemd",)),
)

FASTER = ("chromium-headless-shell",)
"""Debian's Chromium without a user interface, which takes half the processor time.

Ubuntu has no such package; the tests use the whole browser there.
"""

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
"""Names of browsers with a user interface."""

APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
"""Paths of the same browsers on macOS, which are not on the PATH."""

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""The browser's arguments: no sandbox, since root has none; no connections of its own."""

STARTS_WITHIN = 60.0
"""Seconds for a browser's first start on a busy machine."""

INSTALLS_WITHIN = 900.0
"""Seconds for one installation over a slow connection."""

PACKED = "@sparticuz/chromium@153.0.0"
"""The npm package with a headless Chromium and its libraries, for Linux on x86-64."""

PACKED_SHA512 = (
    "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
)

PACKED_PARTS = ("al2023.tar", "fonts.tar", "swiftshader.tar")
"""Its archives: shared libraries, a font, and the renderer."""

PACKED_FOLDER = ROOT / "build" / "chromium-153.0.0"

NONE = "none"
"""Value of `CHROMIUM` that disables the search for and installation of browsers."""

FOUND = "SAMEDEAL_TESTS_MACHINE"
"""Variable that passes the findings of `make test` to pytest and its workers, as JSON."""


class Machine(NamedTuple):
    """The programs found on this machine.

    Attributes:
        browser: the path of the Chromium with the lowest requirements, or `None`.
        whole_browser: the path of a Chromium with a user interface, or `None`.
        lacking: the markers of missing tools.
    """

    browser: str | None
    whole_browser: str | None
    lacking: tuple[str, ...]


@cache
def machine() -> Machine:
    """Return this machine's programs, as found by `make test` before it started the tests."""
    found = os.environ.get(FOUND)
    if found is None:
        return survey()
    browser, whole_browser, lacking = json.loads(found)
    return Machine(browser, whole_browser, tuple(lacking))


def survey() -> Machine:
    """Find this machine's programs, starting browsers until one works."""
    chosen = os.environ.get("CHROMIUM")
    whole = None if chosen == NONE else next(filter(starts, _whole_browsers()), None)
    # A working headless shell is preferred, except over the user's choice.
    lean = None if chosen == NONE or (whole and whole == chosen) else _lean_browser()
    there = {"browser": lean or whole, "whole_browser": whole}
    lacking = tuple(
        tool.marker
        for tool in TOOLS
        if not (there[tool.marker] if tool.marker in there else _has(tool))
    )
    return Machine(lean or whole, whole, lacking)


def _has(tool: Tool) -> bool:
    if not all(map(installed, tool.programs)):
        return False
    return tool.marker != "fonts" or b"DejaVuSans.ttf" in _output("fc-list")


def installed(name: str) -> str | None:
    """Return the path of a program, also in the folder of daemons, which users' PATHs omit."""
    return shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin")


def _whole_browsers() -> Iterator[str]:
    chosen = os.environ.get("CHROMIUM")
    if chosen and "headless" not in Path(chosen).name:
        yield chosen
    yield from filter(None, map(shutil.which, NAMES))
    yield from filter(os.path.exists, APPLICATIONS)
    if installed := _playwrights_browser():
        yield installed


def _lean_browser() -> str | None:
    chosen = os.environ.get("CHROMIUM")
    wanted = [chosen] if chosen and "headless" in Path(chosen).name else []
    candidates = [*wanted, shutil.which(FASTER[0]), str(PACKED_FOLDER / "chromium")]
    return next((path for path in candidates if path and starts(path)), None)


_ASK_PLAYWRIGHT = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
"""


def _playwrights_browser() -> str | None:
    """Return the path of Playwright's browser, if it is installed."""
    path = _output(sys.executable, "-c", _ASK_PLAYWRIGHT).decode().strip()
    return path if path and Path(path).exists() else None


@cache
def starts(browser: str) -> bool:
    """Return whether a browser exists, starts, and listens for commands."""
    if not shutil.which(browser):
        return False
    with tempfile.TemporaryDirectory(prefix="samedeal", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(  # noqa: S603 - a browser of this machine
            [browser, "--headless", *ARGUMENTS, f"--user-data-dir={profile}", *_LISTENING],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        hung = threading.Timer(STARTS_WITHIN, _kill, [process])
        hung.start()
        assert process.stderr is not None
        with process.stderr as lines:
            listens = any(b"DevTools listening" in line for line in lines)
            hung.cancel()
            _kill(process)
        process.wait()
    return listens


_LISTENING = ("--remote-debugging-port=0", "about:blank")


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a browser and its children; some outlive it for a while."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _output(*command: str) -> bytes:
    """Return a command's output; empty if it is missing, hangs or fails."""
    try:
        done = subprocess.run(  # noqa: S603 - commands of this module
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=STARTS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return done.stdout if done.returncode == 0 else b""


def provide(*, deep: bool) -> Machine:
    """Install missing tools, and return the resulting programs.

    Args:
        deep: whether to include the tools of `make deep`.
    """
    found = survey()
    wanted = [tool for tool in TOOLS if tool.marker in found.lacking and (deep or not tool.is_deep)]
    if no_browser := os.environ.get("CHROMIUM") == NONE:
        wanted = [tool for tool in wanted if tool.packages != ("chromium",)]
    if not wanted:
        return found
    packages = sorted({package for tool in wanted for package in tool.packages})
    if install_packages(packages):
        starts.cache_clear()
        found = survey()
    if found.browser is None and not no_browser and _install_browser():
        starts.cache_clear()
        found = survey()
    return found


def install_packages(packages: Sequence[str]) -> bool:
    """Install Debian packages if that needs no prompt; return whether it succeeded.

    Their services are not started, since the tests start their own.
    """
    root = _as_root()
    if root is None or not shutil.which("apt-get"):
        return False
    _say(f"installing Debian packages: {' '.join(packages)}")
    script = f"""
        set -e
        export DEBIAN_FRONTEND=noninteractive
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ]; then
            trap 'rm -f "$policy"' EXIT
            printf '#!/bin/sh\\nexit 101\\n' >"$policy"
            chmod 755 "$policy"
        fi
        apt-get update -qq || true
        apt-get install -qq --no-install-recommends {" ".join(packages)}
        case " {" ".join(packages)} " in
        *" chromium "*) apt-get install -qq --no-install-recommends {" ".join(FASTER)} || true ;;
        esac
    """
    return _run(*root, "sh", "-c", script)


def _as_root() -> list[str] | None:
    """Return the prefix of a command that needs root, or `None` if it would prompt."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if shutil.which("sudo") and _run("sudo", "-n", "true") else None


def _install_browser() -> bool:
    """Install a browser that the system does not package; return whether one was installed."""
    _say("installing a browser with Playwright")
    with_libraries = ["--with-deps"] if _as_root() is not None else []
    command = [sys.executable, "-m", "playwright", "install", *with_libraries, "chromium"]
    if _run(*command) and (path := _playwrights_browser()) and starts(path):
        return True
    _say(f"installing a browser with npm: {PACKED}")
    return _unpack_browser()


def _unpack_browser() -> bool:
    """Install the browser of the npm package into `PACKED_FOLDER`."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return False
    shutil.rmtree(PACKED_FOLDER, ignore_errors=True)
    PACKED_FOLDER.mkdir(parents=True)
    if not _run("npm", "pack", "--silent", f"--pack-destination={PACKED_FOLDER}", PACKED):
        return False
    (archive,) = PACKED_FOLDER.glob("*.tgz")
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != PACKED_SHA512:
        _say(f"{PACKED} is not the package that was locked: its SHA-512 is {digest}")
        return False
    with tarfile.open(archive) as package:
        for name in ("chromium.br", *(f"{part}.br" for part in PACKED_PARTS)):
            member = package.extractfile(f"package/bin/{name}")
            assert member is not None, f"{PACKED} has no {name}"
            _decompress(member.read(), PACKED_FOLDER / name.removesuffix(".br"))
    for name in PACKED_PARTS:
        with tarfile.open(PACKED_FOLDER / name) as files:
            files.extractall(PACKED_FOLDER, filter="data")
        (PACKED_FOLDER / name).unlink()
    archive.unlink()
    program = (PACKED_FOLDER / "chromium").rename(PACKED_FOLDER / "headless_shell")
    program.chmod(0o755)
    # The bundled libraries come last, so that the system's take precedence.
    start = PACKED_FOLDER / "chromium"
    start.write_text(
        "#!/bin/sh\n"
        f'export FONTCONFIG_PATH="{PACKED_FOLDER}"\n'
        f'export LD_LIBRARY_PATH="${{LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}}{PACKED_FOLDER}/lib"\n'
        f'exec "{program}" "$@"\n'
    )
    start.chmod(0o755)
    return True


def _decompress(brotli: bytes, target: Path) -> None:
    """Decompress with Node, since Python's standard library has no Brotli."""
    script = (
        "process.stdin.pipe(require('zlib').createBrotliDecompress())"
        ".pipe(require('fs').createWriteStream(process.argv[1]))"
    )
    subprocess.run(["node", "-e", script, str(target)], input=brotli, check=True)  # noqa: S603, S607


def _run(*command: str) -> bool:
    """Run a command, and return whether it succeeded; show its output only if not."""
    try:
        done = subprocess.run(  # noqa: S603 - commands of this module
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=INSTALLS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        _say(str(error))
        return False
    if done.returncode and command[-1] != "true":
        lines = done.stdout.decode(errors="replace").strip().splitlines()
        _say(f"{Path(command[0]).name} failed: {lines[-1] if lines else done.returncode}")
    return done.returncode == 0


def remedy(lacking: Sequence[Tool]) -> str:
    """Return the command that installs these tools."""
    if shutil.which("apt-get"):
        packages = sorted({package for tool in lacking for package in tool.packages})
        return f"sudo apt-get install {' '.join(packages)}"
    names = sorted(tool.name for tool in lacking if not tool.marker.endswith("browser"))
    commands = [".venv/bin/playwright install --with-deps chromium"] * (len(names) < len(lacking))
    return " and ".join([*commands, *(f"install {name}" for name in names)])


def _say(text: str) -> None:
    print(f"tests: {text}", file=sys.stderr, flush=True)  # noqa: T201 - a command's output


def main(words: list[str]) -> int:
    """Run one of the commands above; return 1 if something is still missing."""
    match words:
        case ["browser"]:
            found = survey().browser or provide(deep=False).browser
            print(found or "")  # noqa: T201 - a command's output
            return 0 if found else 1
        case ["install"]:
            missing = [tool for tool in TOOLS if tool.marker in provide(deep=True).lacking]
            for tool in missing:
                _say(f"missing: {tool.name}. To install: {remedy([tool])}")
            return 1 if missing else 0
        case _:
            print(__doc__)  # noqa: T201 - a command's output
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

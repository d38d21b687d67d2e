"""Compile the core for systems other than this one: macOS, Windows and Linux, on Intel and Arm processors.

The wheel `ziglang` is a clang with headers and libraries for all of them. Nothing is run: `make arm64` runs
models on an emulated processor, and the hosted workflow runs the suite where it can be had.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGETS = ("aarch64-macos", "x86_64-macos", "aarch64-linux-gnu", "x86_64-windows-gnu")
FLAGS = ("-std=c++20", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Icore", "-c")


def sources() -> list[Path]:
    """All of the core that knows nothing of Python."""
    return [
        path.relative_to(ROOT)
        for path in sorted(ROOT.glob("core/**/*.cpp"))
        if not {"tests", "bindings"} & set(path.parts) and path.name != "bindings.cpp"
    ]


def compile_unit(target: str, source: Path, folder: Path) -> str:
    """Compile one file; gives what the compiler said, nothing if all is well."""
    output = folder / f"{target}-{'-'.join(source.with_suffix('.o').parts)}"
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "c++",
        "-target",
        target,
        *FLAGS,
        str(source),
        "-o",
        str(output),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main() -> int:
    """Compile every file for every target, and count those that do not compile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*", default=TARGETS, help=", ".join(TARGETS))
    asked = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        for target in asked.targets:
            found = pool.map(
                lambda source, to=target: (source, compile_unit(to, source, Path(folder))), sources()
            )
            wrong = [(source, said) for source, said in found if said]
            print(f"{target}: {len(sources()) - len(wrong)} files compiled, {len(wrong)} failed", flush=True)
            for source, said in wrong:
                print(f"--- {source}\n{said}")
            failures += len(wrong)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Print constraints for pip: every dependency of the package and its tests at the lowest declared version.

python tools/oldest_versions.py > constraints.txt
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def lowest(requirements: list[str]) -> dict[str, str]:
    """Give the version after `>=` of each requirement that has one."""
    found = (re.match(r"([\w.-]+)(?:\[.*\])?\s*>=\s*([\w.]+)", line) for line in requirements)
    return {match[1]: match[2] for match in found if match}


def main() -> None:
    """Print a line for each package."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    versions = lowest(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        versions |= lowest(extra)
    for name, version in versions.items():
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()

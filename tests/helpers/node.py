"""Programs in Node.js beside the modules of the explorer's page: what needs no browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from helpers.browsing import ASSETS

RunInNode: TypeAlias = Callable[[str, Any], Any]

BEGIN = """import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const answer = (found) => console.log(JSON.stringify(found));
"""


@pytest.fixture(name="run_in_node", scope="session")
def node_beside_the_page(tmp_path_factory: pytest.TempPathFactory) -> RunInNode:
    """Run a program that may import the page's modules: it has `given`, and calls `answer` once."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node.js is not installed")
    folder: Path = tmp_path_factory.mktemp("page") / "assets"
    shutil.copytree(ASSETS, folder)
    (folder / "package.json").write_text('{"type": "module"}')

    def run(program: str, given: Any) -> Any:
        (folder / "program.js").write_text(BEGIN + program, encoding="utf-8")
        ran = subprocess.run(
            [node, "program.js"],
            cwd=folder,
            input=json.dumps(given),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return run

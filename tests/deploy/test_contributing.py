"""Contributors' files: workflows, the pre-commit hook, and documents."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.deploy.commands import ran
from tests.deploy.schemas import assert_valid
from tests.processes import ROOT, program

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PAGES = sorted((ROOT / ".github").glob("*.md"))


def test_the_workflows_are_valid() -> None:
    assert_valid("github-workflows", *WORKFLOWS)


def test_the_configuration_of_dependabot_is_valid() -> None:
    assert_valid("dependabot", ROOT / ".github/dependabot.yml")


def test_dependabot_proposes_no_release_of_less_than_a_week() -> None:
    file = YAML(typ="safe").load((ROOT / ".github/dependabot.yml").read_text())
    assert all(each["cooldown"]["default-days"] >= 7 for each in file["updates"])


GRANTED = {
    ("release.yml", "images"): {"contents": "read", "packages": "write", "id-token": "write"},
    ("release.yml", "pypi"): {"id-token": "write"},
}
"""Rights of publishing jobs in addition to reading the repository."""


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_only_read_permission_and_every_job_a_timeout(path: Path) -> None:
    workflow: dict[str, Any] = YAML(typ="safe").load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions") == GRANTED.get((path.name, name))
        if "uses" in job:
            called = YAML(typ="safe").load((ROOT / job["uses"]).read_text())
            assert "workflow_call" in called["on"]
            continue
        assert job["timeout-minutes"]
        for step in job["steps"]:
            # A tag in an external repository can be moved; a commit cannot.
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", f"none@{'0' * 40}"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_to_existing_files(page: Path) -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", page.read_text()) if "://" not in link]
    assert links
    for link in links:
        assert (page.parent / link).exists(), link


def test_the_guide_names_existing_targets_and_files() -> None:
    guide = (ROOT / ".github/CONTRIBUTING.md").read_text()
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"\bmake ([a-z][a-z-]+)", guide)
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    paths = re.findall(r"(?<![./\w])(?:tests|server|engine|client_js|deploy)/[\w./]*\w", guide)
    assert paths
    for path in paths:
        assert (ROOT / path).exists() or (ROOT / "client_js" / path).exists(), path


class StagingArea:
    """A separate Git index, so that the repository's stays unchanged."""

    def __init__(self, folder: Path) -> None:
        objects = folder / "objects"
        objects.mkdir()
        self._env = os.environ | {
            "GIT_INDEX_FILE": str(folder / "index"),
            "GIT_OBJECT_DIRECTORY": str(objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": self._git("rev-parse", "--git-path", "objects"),
        }
        self._git("read-tree", "HEAD")

    def _git(self, *arguments: str, text: str | None = None) -> str:
        done = ran(program("git"), *arguments, env=getattr(self, "_env", None), input=text)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def add(self, path: str, text: str) -> None:
        """Stage a file with this content."""
        blob = self._git("hash-object", "-w", "--stdin", text=text)
        self._git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")

    def run_hook(self) -> subprocess.CompletedProcess[str]:
        """Run the pre-commit hook on the staged files."""
        return ran(ROOT / ".githooks/pre-commit", env=self._env)


@pytest.fixture
def staged(tmp_path: Path) -> StagingArea:
    return StagingArea(tmp_path)


def test_the_hook_accepts_well_formed_files(staged: StagingArea) -> None:
    staged.add("engine/new.py", '"""A module."""\n')
    staged.add("client_js/src/new.ts", "export const one = 1;\n")
    hook = staged.run_hook()
    assert hook.returncode == 0, hook.stdout


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("engine/new.py", '"""A module."""\nONE = {1:  2}\n'),
        ("engine/new.py", '"""A module."""\n\nimport os\n'),
        ("client_js/src/new.ts", "export const one  = 1\n"),
        ("client_js/web/src/New.svelte", "<script>\n  debugger;\n</script>\n"),
    ],
    ids=["layout", "lint", "layout of TypeScript", "lint of Svelte"],
)
def test_the_hook_rejects_wrong_layout_and_lint(staged: StagingArea, path: str, text: str) -> None:
    staged.add(path, text)
    hook = staged.run_hook()
    assert hook.returncode
    assert Path(path).name in hook.stdout

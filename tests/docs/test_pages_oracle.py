"""The pages are true: links lead somewhere, Python blocks run, command lines and calls exist."""

import re
import subprocess
from pathlib import Path

import pytest

import pagetrain
from artifacts_tool import options
from sitebuild.wheels import PROJECTS
from tests.docs.fences import DEVICE, ORT, ROOT, SHOWN, assert_alike, commands_of, fences_of
from tests.docs.running import run_block
from tests.ort_training import environment

pytestmark = pytest.mark.oracle

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"", "python", "js", "sh", "text"}  # "": a command line
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def named(doc):
    return doc.name


def pages_with(language, *words):
    return [doc for doc in PAGES if any((f.language, f.words) == (language, words) for f in fences_of(doc))]


def anchors_of(doc):
    """As GitHub makes them of headings."""
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in HEADING.findall(doc.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("doc", PAGES, ids=named)
def test_links_lead_somewhere(doc):
    """Relative ones to a file of the repository, anchors to a heading; others are https."""
    text = re.sub(r"^```.*?^```$", "", doc.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in LINK.findall(text):
        if "://" in target:
            assert target.startswith("https://"), target
            continue
        path, _, anchor = target.partition("#")
        file = (doc.parent / path).resolve() if path else doc
        assert file.exists(), target
        assert not anchor or anchor in anchors_of(file), target


def test_every_page_is_linked_from_the_readme():
    """So that it is found."""
    linked = set(LINK.findall((ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked >= {f"docs/{doc.name}" for doc in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("doc", PAGES, ids=named)
def test_blocks_are_of_known_languages(doc):
    """Each is one that a test looks at."""
    assert {fence.language for fence in fences_of(doc)} <= LANGUAGES
    assert {fence.words for fence in fences_of(doc) if fence.language == "python"} <= {(), (SHOWN,), (ORT,), (DEVICE,)}


@pytest.mark.parametrize("doc", pages_with("python"), ids=named)
def test_python_and_commands_run(doc, tmp_path, monkeypatch, capsys):
    """Block after block, in one folder beside the repository's tests; what a block prints is what the page shows below it."""
    monkeypatch.chdir(tmp_path)
    Path("tests").symlink_to(ROOT / "tests")
    names = {"__name__": "page"}
    printed = ""
    for fence in fences_of(doc):
        run_block(fence, doc, names)
        if fence.language == "text":
            assert_alike(printed, fence.text)
        printed = capsys.readouterr().out


@pytest.mark.parametrize("doc", pages_with("python", ORT), ids=named)
def test_python_for_the_real_package_runs_there(doc, tmp_path):
    """The blocks on the other side of a comparison, where onnxruntime-training is installed."""
    python = environment.installed()
    if python is None:
        pytest.skip("onnxruntime-training is not installed; python -m tests -m ort_training installs it")
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    script = "\n".join(fence.text for fence in fences_of(doc) if (fence.language, fence.words) == ("python", (ORT,)))
    finished = subprocess.run([python, "-"], input=script, text=True, cwd=tmp_path, capture_output=True, check=False)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.parametrize("doc", PAGES, ids=named)
def test_command_lines_exist(doc):
    """Those of artifacts_tool are parsed by its parser; of all others, every option is one that some parser of the tree has."""
    for fence in fences_of(doc):
        if fence.language in ("", "sh"):
            for words in commands_of(fence):
                check_command(words)


def check_command(words):
    if words[1:3] == ["-m", "artifacts_tool"]:
        options.parser().parse_args([word for word in words[3:] if word not in ("[", "]")])
    else:
        assert {word.strip("[]") for word in words if word.lstrip("[").startswith("--")} <= known_options(), words


@pytest.mark.parametrize("doc", PAGES, ids=named)
def test_options_in_the_text_exist(doc):
    """`--option` in running text."""
    text = doc.read_text(encoding="utf-8")
    found = {option for code in re.findall(r"`([^`\n]+)`", text) for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code)}
    assert found <= known_options()


def known_options():
    """Of every argparse parser in the tree."""
    sources = [path for folder in ("artifacts_tool", "bench", "docs", "sitebuild") for path in (ROOT / folder).rglob("*.py")]
    return {option for path in sources for option in re.findall(r'add_argument\(\s*"(--[\w-]+)"', path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("doc", pages_with("js"), ids=named)
def test_calls_in_javascript_exist(doc):
    """Everything that is called on `pt`, and on the class, is a member of web/pagetrain.js."""
    source = (ROOT / "web/pagetrain.js").read_text(encoding="utf-8")
    members = set(re.findall(r"^  (?:static )?(?:async )?(?:get )?(\w+)\(", source, re.MULTILINE)) | {"addEventListener"}
    for fence in fences_of(doc):
        if fence.language == "js" and ORT not in fence.words:
            assert set(re.findall(r"\b(?:pt|Pagetrain)\.(\w+)", fence.text)) <= members


@pytest.mark.parametrize("doc", PAGES, ids=named)
def test_wheels_are_named_as_they_are_built(doc):
    """Name and version of every wheel in a page are those that the site serves."""
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)", (ROOT / "requirements/site.in").read_text(encoding="utf-8"), re.MULTILINE))
    versions = {**pinned, **dict.fromkeys(PROJECTS, pagetrain.__version__)}
    for name, version in re.findall(r"\b(\w+)-([\d.]+)-[\w.]+-none-any\.whl", doc.read_text(encoding="utf-8")):
        assert versions[name] == version


def test_what_the_readme_says_is_where_exists():
    """Every file and folder of its last table, below the folders that its row is about."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Where things are")[1]
    rows = [line.split(" | ", 1) for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) > 5
    for first, second in rows:
        places = [ROOT / name for name in re.findall(r"`([^`]+)`", first)]
        assert all(place.exists() for place in places), first
        for name in re.findall(r"`([\w/]+(?:/|\.py|\.js))`", second):
            assert any((place / name).exists() for place in places if place.is_dir()), name

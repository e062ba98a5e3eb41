"""sitebuild.stages: what is up to date is skipped, what changed is made again with all that stands on it."""

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sitebuild import paths
from sitebuild.report import Report
from sitebuild.stages import Stage, run

Chain = Callable[[], list[str]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(paths, "STAMPS", tmp_path / "cache/stamps")
    return []


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder of two sources: one for each of the first two stages."""
    folder = tmp_path / "source"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def chain(made: list[str], source: Path) -> list[Stage]:
    """first <- second <- third, and one beside them."""

    def stage(name: str, *needs: Stage) -> Stage:
        def make(output: Path, _report: Report) -> None:
            made.append(name)
            (output / "result").write_text(name)

        return Stage(name, f"make {name}", paths.CACHE / name, make, lambda: [source / name], needs)

    first = stage("first")
    second = stage("second", first)
    return [first, second, stage("third", second), stage("beside")]


def run_again(chain: list[Stage], made: list[str]) -> list[str]:
    made.clear()
    run(chain, Report(io.StringIO()))
    return list(made)


def test_nothing_is_made_twice(chain: list[Stage], made: list[str]) -> None:
    """The first run makes all in order, the second none."""
    assert run_again(chain, made) == ["first", "second", "third", "beside"]
    assert run_again(chain, made) == []


def test_a_changed_source_makes_its_stage_and_those_after_it(chain: list[Stage], made: list[str], source: Path) -> None:
    """And no other: neither the one before nor the one beside."""
    run_again(chain, made)
    (source / "second").write_text("changed")
    assert run_again(chain, made) == ["second", "third"]
    assert run_again(chain, made) == []


@pytest.mark.parametrize("damage", ["removed", "emptied", "truncated", "grown"])
def test_a_damaged_output_is_made_again(chain: list[Stage], made: list[str], damage: str) -> None:
    """An output that is not what the stamp says does not count, and what was made from it is made again."""
    run_again(chain, made)
    output = chain[1].output
    match damage:
        case "removed":
            (output / "result").unlink()
            output.rmdir()
        case "emptied":
            (output / "result").unlink()
        case "truncated":
            (output / "result").write_text("")
        case "grown":
            (output / "other").write_text("")
    assert run_again(chain, made) == ["second", "third"]
    assert [path.name for path in output.iterdir()] == ["result"]


@pytest.mark.parametrize("stamp", ["", "{", "[]", "null", '{"key": 1}'])
def test_a_damaged_stamp_is_no_stamp(chain: list[Stage], made: list[str], stamp: str) -> None:
    """Whatever stands in it, the stage is made again and nothing fails."""
    run_again(chain, made)
    chain[2].stamp_file.write_text(stamp)
    assert run_again(chain, made) == ["third"]


@pytest.mark.parametrize("in_place", [False, True])
def test_an_interrupted_stage_goes_on_where_it_was(chain: list[Stage], made: list[str], in_place: bool) -> None:
    """What was finished before is kept; the interrupted stage counts as not made, even where its folder is there."""

    def interrupted(output: Path, _report: Report) -> None:
        output.mkdir(exist_ok=True)
        (output / "half").write_text("half")
        raise KeyboardInterrupt

    run_again(chain, made)
    broken = replace(chain[1], make=interrupted, in_place=in_place)
    whole = replace(chain[1], in_place=in_place)
    chain[1].stamp_file.unlink()
    with pytest.raises(KeyboardInterrupt):
        run([chain[0], broken, chain[2]], Report(io.StringIO()))
    assert run_again([chain[0], whole, replace(chain[2], needs=(whole,))], made) == ["second", "third"]


def test_an_in_place_stage_misses_its_proof(chain: list[Stage], made: list[str]) -> None:
    """An environment without its Python is made again."""
    chain[0].output.mkdir(parents=True)
    stage = replace(chain[0], in_place=True, proof=chain[0].output / "result")
    assert run_again([stage], made) == ["first"]
    (chain[0].output / "other").write_text("what is installed later does not matter")
    assert run_again([stage], made) == []
    (chain[0].output / "result").unlink()
    assert run_again([stage], made) == ["first"]


def test_each_stage_says_what_how_long_and_how_big(chain: list[Stage], made: list[str]) -> None:
    """One aligned line each, and notes below the stage they belong to."""
    printed = io.StringIO()

    def noted(output: Path, report: Report) -> None:
        report.note("a mirror was used")
        (output / "result").write_bytes(b"x" * 2_500_000)

    run([chain[0], replace(chain[3], make=noted)], Report(printed))
    first, second, note, rest = printed.getvalue().splitlines()
    assert first.split() == ["1/2", "first", "make", "first", "0.0", "s", "0.0", "KB"]
    assert (second.split(), note.split()) == (["2/2", "beside", "make", "beside"], ["a", "mirror", "was", "used"])
    assert rest.split() == ["0.0", "s", "2.5", "MB"]
    assert len(first) == len(rest)

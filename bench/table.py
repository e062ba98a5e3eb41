"""Tables of results, in the README and in docs/benchmark.md: python -m bench.table renews them from bench/results."""

from collections.abc import Mapping
from typing import Any

from bench import results
from bench.contestants import PAGETRAIN
from bench.jobs import JOBS, Alone, Column, Job
from docs import blocks
from sitebuild import paths

PAGES = {"README.md": ("last", "block"), "docs/benchmark.md": tuple(JOBS)}
NOTHING = "–"


def text(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    job = JOBS[result["job"]]
    return job.table(result) if isinstance(job, Alone) else table(job, result)


def table(job: Job, result: Mapping[str, Any]) -> str:
    """Markdown: a row for each contestant, medians, and the sentence about who is faster."""
    header = ["", *(heading for column in job.columns for heading in _headings(column))]
    rows = [[name, *_cells(job, result, name)] for name in result["summary"]]
    return f"{blocks.table(header, rows)}\n\n{standing(job, result)}"


def standing(job: Job, result: Mapping[str, Any]) -> str:
    """Who is faster than pagetrain in what is compared, and by how much."""
    column = next(column for column in job.columns if column.against is PAGETRAIN)
    others = [name for name in result["summary"] if not name.startswith(PAGETRAIN.name)]
    quotients = {name: results.ratio(result["rounds"], column.measure, name, PAGETRAIN.name) for name in others}
    faster = [
        f"{name}, which takes {quotient:.2f} of pagetrain's time" for name, quotient in quotients.items() if quotient and quotient < 1
    ]
    return f"Faster than pagetrain here: {'; '.join(faster)}." if faster else "Nobody here is faster than pagetrain."


def _headings(column: Column) -> list[str]:
    return [f"{column.heading}, {column.unit}", *(["pagetrain takes"] if column.against else [])]


def _cells(job: Job, result: Mapping[str, Any], name: str) -> list[str]:
    row = result["summary"][name]
    if why := row.get("unsupported") or row.get("error"):
        return [why, *[""] * (sum(len(_headings(column)) for column in job.columns) - 1)]
    return [cell for column in job.columns for cell in _cells_of(column, result, name)]


def _cells_of(column: Column, result: Mapping[str, Any], name: str) -> list[str]:
    cells = [_value(column, result["summary"][name])]
    if column.against:
        own = name.startswith(PAGETRAIN.name)
        quotient = None if own else results.ratio(result["rounds"], column.measure, column.against.name, name)
        cells.append(NOTHING if quotient is None else f"{quotient:.2f} of it")
    return cells


def _value(column: Column, row: Mapping[str, Any]) -> str:
    if column.measure not in row:
        return NOTHING
    low, middle, high = (f"{row[column.measure][key]:.{column.digits}f}" for key in ("minimum", "median", "maximum"))
    mark = "*" if row.get("extrapolated") and column.measure == "total" else ""
    return f"{middle}{mark} ({low} to {high})" if column.spread else middle


def section(jobs: tuple[str, ...]) -> str:
    """The tables of these jobs, each under its title and followed by when and where it was measured."""
    kept = [(JOBS[name], result) for name in jobs if (result := results.read(results.FOLDER, name))]
    return "\n\n".join(f"**{job.title}.** {_where(result)}\n\n{text(result)}" for job, result in kept)


def _where(result: Mapping[str, Any]) -> str:
    what = f"; medians and ranges of {len(result['rounds'])} repetitions" if "rounds" in result else ""
    said = (result["machine"], result.get("browser"), result["date"], f"commit {result['commit']}")
    return f"{', '.join(filter(None, said))}{what}."


def renewed(page: str) -> str:
    """The page's text with its tables made anew."""
    return blocks.with_block((paths.ROOT / page).read_text(encoding="utf-8"), "measured", section(PAGES[page]))


def renew_pages() -> None:
    """Writes them."""
    for page in PAGES:
        text = renewed(page)
        (paths.ROOT / page).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    renew_pages()

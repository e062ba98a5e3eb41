"""Tables of results, in the README and in docs/benchmark.md: python -m bench.table renews them from bench/results."""

from collections.abc import Mapping
from typing import Any

from bench import results
from bench.jobs import JOBS, Column, Job
from docs import blocks
from sitebuild import paths

PAGES = {"README.md": ("last", "block"), "docs/benchmark.md": tuple(JOBS)}
NOTHING = "–"


def table(job: Job, result: Mapping[str, Any]) -> str:
    """Markdown: a row for each contestant, medians, and the sentence about who is faster."""
    header = ["", *(heading for column in job.columns for heading in _headings(column))]
    rows = [[name, *_cells(job, result, name)] for name in result["summary"]]
    return f"{blocks.table(header, rows)}\n\n{standing(job, result)}"


def standing(job: Job, result: Mapping[str, Any]) -> str:
    """Who is faster than pagetrain in what is compared, and by how much."""
    column, reference = next(column for column in job.columns if column.compared), job.contestants[0].name
    others = [name for name in result["summary"] if not name.startswith(reference)]
    quotients = {name: results.ratio(result["rounds"], column.measure, name, reference) for name in others}
    faster = [
        f"{name}, which takes {quotient:.2f} of pagetrain's time" for name, quotient in quotients.items() if quotient and quotient < 1
    ]
    return f"Faster than pagetrain here: {'; '.join(faster)}." if faster else "Nobody here is faster than pagetrain."


def _headings(column: Column) -> list[str]:
    return [f"{column.heading}, {column.unit}", *(["pagetrain takes"] if column.compared else [])]


def _cells(job: Job, result: Mapping[str, Any], name: str) -> list[str]:
    row = result["summary"][name]
    if why := row.get("unsupported") or row.get("error"):
        return [why, *[""] * (sum(len(_headings(column)) for column in job.columns) - 1)]
    return [cell for column in job.columns for cell in _cells_of(column, job, result, name)]


def _cells_of(column: Column, job: Job, result: Mapping[str, Any], name: str) -> list[str]:
    row, reference = result["summary"][name], job.contestants[0].name
    quotient = results.ratio(result["rounds"], column.measure, reference, name) if column.compared and name != reference else None
    compared = [NOTHING if quotient is None else f"{quotient:.2f} of it"] if column.compared else []
    return [_value(column, row), *compared]


def _value(column: Column, row: Mapping[str, Any]) -> str:
    if column.measure not in row:
        return NOTHING
    low, middle, high = (f"{row[column.measure][key]:.{column.digits}f}" for key in ("minimum", "median", "maximum"))
    mark = "*" if row.get("extrapolated") and column.measure == "total" else ""
    return f"{middle}{mark} ({low} to {high})" if column.spread else middle


def section(jobs: tuple[str, ...]) -> str:
    """The tables of these jobs, each under its title and followed by when and where it was measured."""
    kept = [(JOBS[name], result) for name in jobs if (result := results.read(results.FOLDER, name))]
    return "\n\n".join(f"**{job.title}.** {_where(result)}\n\n{table(job, result)}" for job, result in kept)


def _where(result: Mapping[str, Any]) -> str:
    what = f"medians and ranges of {len(result['rounds'])} repetitions"
    return f"{result['machine']}, {result['browser']}, {result['date']}, commit {result['commit']}; {what}."


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

"""sitebuild.joining: modules in one file mean what they meant apart, and what would not is refused."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sitebuild import joining, site
from sitebuild.errors import SetupError

MODULES = {
    "page/main.js": (
        'import { a, b as c } from "./a.js";\nimport {\n  Deep,\n  letters,\n} from "../shared/deep.js";\n'
        'import { order } from "../shared/order.js";\norder.push("main");\nawait null;\norder.push("main, later");\n'
        'export async function later() { return [a, c(), new Deep().name, [...letters()].join("")]; }\nexport { order, a };\n'
    ),
    "page/a.js": (
        '/** @typedef {import("../shared/deep.js").Deep} Deep */\nimport { order } from "../shared/order.js";\norder.push("a");\n'
        "const inner = 1;\nexport const a = inner + 1;\nexport function b() { return text; }\n"
        "const text = `\nimport numpy as np\nimport numpy\nfrom x import(y)\n`;\n"
    ),
    "shared/deep.js": (
        'import { order } from "./order.js";\norder.push("deep");\nconst inner = "deep";\n'
        'export class Deep { name = inner + new URL("../runtime/", import.meta.url).pathname.slice(-14); }\n'
        'export function* letters() { yield "x"; yield "y"; }\n'
    ),
    "shared/order.js": "export const order = [];\n",
}
RUN = """
const m = await import(process.argv[1]);
const names = Object.keys(m).filter((name) => name !== "modules").sort();
console.log(JSON.stringify([names, await m.later(), m.order, m.a]));
"""


def _write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _run(module: Path) -> object:
    node = shutil.which("node")
    assert node, "node is needed for this test"
    done = subprocess.run([node, "--input-type=module", "-e", RUN, module], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


@pytest.mark.node
def test_joined_modules_do_what_they_did_apart(tmp_path: Path) -> None:
    """The same exports, results, order of running and addresses beside them; equal names in two modules stay apart."""
    apart = _write(tmp_path / "apart/site", {**MODULES, "package.json": '{"type": "module"}'})
    joined = {"page/main.js": joining.modules(apart, "page/main.js"), "package.json": '{"type": "module"}'}
    together = _write(tmp_path / "together/site", joined)
    expected = _run(apart / "page/main.js")
    assert expected == [
        ["a", "later", "order"],
        [2, "\nimport numpy as np\nimport numpy\nfrom x import(y)\n", "deep/site/runtime/", "xy"],
        ["a", "deep", "main", "main, later"],
        2,
    ]
    assert _run(together / "page/main.js") == expected


def test_what_a_module_exports_is_found_under_its_path(tmp_path: Path) -> None:
    """The joined module hands out each of its modules."""
    text = joining.modules(_write(tmp_path, MODULES), "page/main.js")
    assert text.startswith("export const modules = {};\n")
    assert [text.count(f'\nmodules["{path}"] = ') for path in MODULES] == [1] * 4
    assert "return { Deep, letters };" in text


@pytest.mark.parametrize(
    "statement",
    [
        "export let a = 1;",
        "export default 1;",
        'export * from "./b.js";',
        'export { b } from "./b.js";',
        "export { one as two };",
        'import "./b.js";',
        'import b from "./b.js";',
        'import * as b from "./b.js";',
        "import {\n  b\n} from './b.js';",
    ],
)
def test_other_forms_are_refused(tmp_path: Path, statement: str) -> None:
    """By file and line, instead of a page that does not start."""
    _write(tmp_path, {"a.js": f"const one = 1;\n{statement}\n", "b.js": "export const b = 1;\n"})
    with pytest.raises(SetupError, match=r"^a\.js: `(ex|im)port .*none of the forms"):
        joining.modules(tmp_path, "a.js")


def test_a_ring_is_refused(tmp_path: Path) -> None:
    """With the modules in it."""
    ring = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { c } from "./c.js";\n', "c.js": 'import { b } from "./b.js";\n'}
    with pytest.raises(SetupError, match=r"^b\.js imports c\.js imports b\.js: "):
        joining.modules(_write(tmp_path, ring), "a.js")


def test_sheets_follow_each_other_as_their_links_did(tmp_path: Path) -> None:
    """One link instead of theirs, and the rest of the page as it was."""
    links = [f'<link rel="stylesheet" href="style/{name}.css">\n' for name in "ba"]
    _write(tmp_path, {"style/a.css": "p { color: red }\n", "style/b.css": "p { color: blue }\n"})
    index, text = joining.styles(tmp_path, f"<head>\n{''.join(links)}</head>\n", "style/all.css")
    assert index == '<head>\n<link rel="stylesheet" href="style/all.css">\n</head>\n'
    assert text.index("blue") < text.index("red")


@pytest.mark.parametrize(
    "index, words",
    [
        ("<head></head>", "in one place"),
        ('<link rel="stylesheet" href="style/a.css">\n<b>\n<link rel="stylesheet" href="style/a.css">\n', "in one place"),
        ('<link rel="stylesheet" href="a.css">\n', r"^a\.css: "),  # what its url() means would be another place
        ('<link rel="stylesheet" href="style/top.css">\n', r"^style/top\.css: "),
    ],
)
def test_sheets_that_would_mean_something_else_are_refused(tmp_path: Path, index: str, words: str) -> None:
    """Spread over the page, in other folders, or with rules that hold only at a sheet's top."""
    _write(tmp_path, {"a.css": "", "style/a.css": "", "style/top.css": '@import "a.css";'})
    with pytest.raises(SetupError, match=words):
        joining.styles(tmp_path, index, "style/all.css")


def test_every_module_and_sheet_of_the_page_is_in_it() -> None:
    """What nothing imports or links is no part of the site: a file forgotten there would be missed by nobody."""
    text = "".join(joining.modules(site.WEB, start) for start in (site.PAGE, site.LANGUAGE, *site.TEXTS))
    names = {path.relative_to(site.WEB).as_posix() for folder in ("page", "module", "shared") for path in (site.WEB / folder).rglob("*.js")}
    assert {name for name in names if f'modules["{name}"] = ' not in text} == {"shared/protocol.js"}  # which holds types alone
    _, styles = joining.styles(site.WEB, (site.WEB / "index.html").read_text(encoding="utf-8"), site.STYLE)
    assert all(f"/* style/{path.name} */" in styles for path in (site.WEB / "style").glob("*.css"))

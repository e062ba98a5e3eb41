"""bench.stages: what npm installs is pinned, checked, and named without a host."""

import json

from bench.stages import NPM, PEER_FILES

LOCK = json.loads((NPM / "package-lock.json").read_text(encoding="utf-8"))["packages"]


def test_every_package_is_checked_and_none_names_a_host():
    """npm refuses a package whose bytes are not those of the lock."""
    packages = {name: package for name, package in LOCK.items() if name}
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
    assert (NPM / ".npmrc").read_text(encoding="utf-8").strip() == "omit-lockfile-registry-resolved=true"


def test_versions_are_exact():
    """No range that may mean something else tomorrow."""
    wanted = json.loads((NPM / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert all(version.removeprefix("npm:onnxruntime-web@").replace(".", "").isdecimal() for version in wanted.values())
    assert LOCK[""]["dependencies"] == wanted


def test_files_that_are_served_come_from_pinned_packages():
    """The folder under which a peer is served names files of packages that the lock holds."""
    for path in (path for members in PEER_FILES.values() for path in members):
        assert any(path.startswith(f"{name.removeprefix('node_modules/')}/") for name in LOCK if name), path

"""sitebuild.example: photos that may be published, few enough to come with every first visit."""

import io
import zipfile
from pathlib import Path

from PIL import Image

from sitebuild import example


def test_three_folders_of_ten_photos(tmp_path: Path) -> None:
    """Each a JPEG that opens, from the folder of its class; under 400 KB in all, and the same bytes at every build."""
    targets = [tmp_path / name / "trash.zip" for name in ("one", "two")]
    for target in targets:
        example.write(target)
    assert targets[0].read_bytes() == targets[1].read_bytes()
    assert targets[0].stat().st_size < 400_000
    with zipfile.ZipFile(targets[0]) as archive:
        names = archive.namelist()
        for name in names:
            with Image.open(io.BytesIO(archive.read(name))) as picture:
                assert picture.format == "JPEG"
                picture.load()
    assert {name.split("/")[0] for name in names} == {"Cardboard", "Glass", "Metal"}
    assert all(sum(name.startswith(folder) for name in names) == 10 for folder in ("Cardboard/", "Glass/", "Metal/"))


def test_its_notice_stands_in_the_site(site: Path) -> None:
    """Whose photos they are and under which licence, with the licence's text."""
    assert "trashnet" in (site / "licenses/README.txt").read_text(encoding="utf-8")
    notice = (site / "licenses/trash.txt").read_text(encoding="utf-8")
    assert "MIT License" in notice
    assert "Copyright (c) 2017 Gary Thung" in notice

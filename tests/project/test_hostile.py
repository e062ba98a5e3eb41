"""Project files that nobody should trust: one clear error each, and nothing of them is used."""

import io
import json
import struct
import zipfile

import numpy as np
import pytest

from pagetrain.errors import FormatError
from pagetrain_project import Project
from pagetrain_project.npy import matrix_in, npy_of
from tests.tiny import FOLDER, picture, trained


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """{name: content} of a sound project with one photo."""
    folder = tmp_path_factory.mktemp("whole")
    photo = folder / "a.png"
    photo.write_bytes(picture("red", 0))
    Project.of(trained(("red", "blue"), 3, epochs=1), photos=[photo]).write(folder / "p.pagetrain")
    with zipfile.ZipFile(folder / "p.pagetrain") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members, method=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return stream.getvalue()


def described(whole, change):
    """The members with another project.json: `change` gets it as an object."""
    root = json.loads(whole["project.json"])
    change(root)
    return {**whole, "project.json": json.dumps(root).encode()}


def refused(data, said):
    with pytest.raises(FormatError, match=said) as caught:
        Project.read(data)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_whole_one_is_read(whole):
    """What the cases below change is sound before."""
    assert len(Project.read(zipped(whole.items())).pictures) == 6


@pytest.mark.parametrize("length", [0, 1, 21, 22, 1000, -1])
def test_cut_off(whole, length):
    """At any length."""
    refused(zipped(whole.items())[:length], "no whole project file")


def test_a_changed_byte_in_any_member(whole):
    """The checksum tells; of a photo, when it is asked for."""
    data = zipped(whole.items())
    for content in whole.values():
        place = data.index(content) + len(content) // 2
        broken = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(FormatError, match=r"no whole project file.*CRC"):
            _read_all(broken)


def _read_all(data):
    return [one.photo() for one in Project.read(data).pictures if one.photo]


def test_packed_members(whole):
    """A bomb cannot be, as nothing is unpacked."""
    refused(zipped(whole.items(), zipfile.ZIP_DEFLATED), "packed anew or locked")
    refused(zipped({**whole, "bomb": bytes(50 << 20)}.items(), zipfile.ZIP_DEFLATED), "packed anew or locked")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(whole):
    """Which is meant cannot be said."""
    refused(zipped([*whole.items(), ("project.json", b"{}")]), "two members of one name")


def test_members_that_lie_about_their_size(whole):
    """In the list at the end: larger than the file, or one over the other."""
    data = zipped(whole.items())
    for claimed in (len(whole["features.npy"]) + 1, 2**31, 2**32 - 2):
        at = data.rindex(b"features.npy") - 46
        lied = data[: at + 20] + struct.pack("<II", claimed, claimed) + data[at + 28 :]
        refused(lied, "no whole project file")
    at = data.rindex(b"checkpoint") - 46
    overlapping = data[: at + 42] + struct.pack("<I", 0) + data[at + 46 :]
    refused(overlapping, "no whole project file")


def test_no_zip_at_all():
    """A picture, a text."""
    for data in (picture("red", 1), b"Dear Sir or Madam"):
        refused(data, "no whole project file")


def test_another_kind_and_a_newer_version(whole):
    """Said as what it is."""
    refused(zipped({"notes.txt": b"x"}.items()), "'project.json' is missing")
    refused(zipped(described(whole, lambda root: root.update(format="other")).items()), "another kind of file")
    refused(zipped(described(whole, lambda root: root.update(version=2)).items()), "version 2, this pagetrain reads 1; use a newer one")


def first(root):
    return root["pictures"][0]


WRONG = {
    "no object": lambda root: root.clear(),
    "version is true": lambda root: root.update(version=True),
    "version is text": lambda root: root.update(version="1"),
    "labels twice": lambda root: root.update(labels=["red", "red"]),
    "labels no list": lambda root: root.update(labels="red"),
    "no base": lambda root: root.pop("base"),
    "unknown class": lambda root: first(root).update(label="green"),
    "no row": lambda root: first(root).update(row=None),
    "row beyond": lambda root: first(root).update(row=6),
    "row below": lambda root: first(root).update(row=-1),
    "row is true": lambda root: first(root).update(row=True),
    "row is broken": lambda root: first(root).update(row=0.5),
    "two rows": lambda root: root["pictures"].append({**first(root), "label": "blue", "row": 1}),
    "twice": lambda root: root["pictures"].append(first(root)),
    "key no hash": lambda root: first(root).update(key="../" * 20),
    "hash no hash": lambda root: first(root).update(hash="zz"),
    "name too long": lambda root: first(root).update(name="n" * 1001),
    "file leads out": lambda root: first(root).update(file="../../etc/passwd"),
    "file is absolute": lambda root: first(root).update(file="/etc/passwd"),
    "file is a device": lambda root: first(root).update(file="photos/con"),
    "file is another member": lambda root: first(root).update(file="project.json"),
    "file is not there": lambda root: first(root).update(file="photos/99999.png"),
    "unsorted without photo": lambda root: first(root).update(label=None, row=None, file=None),
    "confirmed is a word": lambda root: first(root).update(confirmed="yes"),
    "none_below": lambda root: root.update(none_below=1.5),
    "none_below NaN": lambda root: root.update(none_below=float("nan")),
    "settings": lambda root: root.update(settings=[]),
    "judged without numbers": lambda root: root.update(training={"judged": {"labels": ["red"], "pictures": []}}),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_description(whole, name):
    """Each is refused by where it is wrong."""
    refused(zipped(described(whole, WRONG[name]).items()), "another kind of file" if name == "no object" else "no whole project file")


def test_a_description_that_is_no_json(whole):
    """Or too deep, or too long."""
    for text in (b"{", b"\xff", b"[" * 100_000, b" " * ((8 << 20) + 1)):
        refused(zipped({**whole, "project.json": text}.items()), r"project\.json is not JSON")


def header(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        header(b"{'descr': '|O', 'fortran_order': False, 'shape': (1, 12), }\n") + b"cos\nsystem\n(S'true'\ntR.",
        header(b"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }\n") + bytes(4),
        header(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }\n") + bytes(8),
        header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n") + bytes(16),
        header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000000), }\n") + bytes(16),
        header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }\n") + bytes(16),
        header(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }\n") + bytes(17),
        header(b"__import__('os').system('true')\n"),
        header(b"(" * 9000),
        npy_of(np.full((6, 12), np.nan)),
        npy_of(np.full((6, 12), np.inf)),
        npy_of(np.zeros((2, 12))),
    ],
    ids=range(14),
)
def test_features_that_are_none(whole, data):
    """Another kind of array, objects, a claim beyond the bytes, NaN, too few rows."""
    refused(zipped({**whole, "features.npy": data}.items()), "no whole project file")


def test_features_of_another_width(whole):
    """Said when the job is opened."""
    project = Project.read(zipped({**whole, "features.npy": npy_of(np.zeros((6, 13)))}.items()))
    with pytest.raises(FormatError, match=r"does not fit together.*12 finite floats"):
        project.job(FOLDER)


def test_a_checkpoint_of_other_classes(whole, tmp_path):
    """Or a broken one."""
    Project.of(trained(("red", "green"), 2, epochs=1)).write(tmp_path / "other.pagetrain")
    with zipfile.ZipFile(tmp_path / "other.pagetrain") as archive:
        other = archive.read("checkpoint")
    with pytest.raises(FormatError, match="checkpoint is of other classes"):
        Project.read(zipped({**whole, "checkpoint": other}.items())).job(FOLDER)
    with pytest.raises(FormatError):
        Project.read(zipped({**whole, "checkpoint": other[:100]}.items())).job(FOLDER)


def test_a_photo_that_is_another_picture(whole):
    """Not handed out under the key of the one that was learnt from."""
    name = next(name for name in whole if name.startswith("photos/"))
    project = Project.read(zipped({**whole, name: picture("blue", 9)}.items()))
    with pytest.raises(FormatError, match="is not the picture that was added"):
        next(one for one in project.pictures if one.photo).photo()


def test_matrices_are_numpy_s():
    """What numpy writes is read, and the other way round."""
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert np.load(io.BytesIO(npy_of(values)), allow_pickle=False).tolist() == values.tolist()
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=False)
    assert matrix_in(stream.getvalue()).tolist() == values.tolist()

"""artifacts_tool.torch_pickle: reads plain state dicts, refuses everything else. The files are written here, without torch."""

import io
import pickle
import struct
import sys
import types
from collections import OrderedDict

import numpy as np
import pytest

from artifacts_tool.torch_pickle import MAGIC, PROTOCOL, load_state_dict
from pagetrain.errors import FormatError

pytestmark = pytest.mark.oracle  # artifacts_tool needs onnx

VALUES = np.arange(6, dtype=np.float32)


class Storage:
    """Stands for a storage in the pickle; written as a persistent id."""

    def __init__(self, key="0", count=6, kind="FloatStorage"):
        self.pid = ("storage", sys.modules["torch"].__dict__[kind], key, "cpu", count, None)


class Tensor:
    """Pickles as torch's tensors do: a call of torch._utils._rebuild_tensor_v2."""

    def __init__(self, storage, offset=0, shape=(2, 3), strides=(3, 1)):
        self.arguments = (storage, offset, shape, strides, False, OrderedDict())

    def __reduce__(self):
        return sys.modules["torch._utils"]._rebuild_tensor_v2, self.arguments


class Pickler(pickle.Pickler):
    """Writes Storage objects as persistent ids."""

    def persistent_id(self, obj):
        return obj.pid if isinstance(obj, Storage) else None


@pytest.fixture(autouse=True)
def fake_torch(monkeypatch):
    """Modules whose names the pickles may hold. The reader must not import them: it runs without."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
    for name in ("FloatStorage", "LongStorage", "StrangeStorage"):
        setattr(torch, name, type(name, (), {"__module__": "torch"}))
    utils._rebuild_tensor_v2 = lambda *arguments: None
    utils._rebuild_tensor_v2.__module__, utils._rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch._utils", utils)


def written(state, storages, keys=None, magic=MAGIC):
    """The bytes of a file. storages: {key: (count as written, bytes)}."""
    stream = io.BytesIO()
    for value in (magic, PROTOCOL, {"little_endian": True}, state, list(storages) if keys is None else keys):
        Pickler(stream, protocol=2).dump(value)
    for count, data in storages.values():
        stream.write(struct.pack("<q", count) + data)
    return stream.getvalue()


def plain(**tensor):
    return written(OrderedDict(w=Tensor(Storage(), **tensor)), {"0": (6, VALUES.tobytes())})


def test_reads_tensors_with_their_layout():
    """A row-major and a transposed view of one storage come out as their strides say."""
    state = OrderedDict(a=Tensor(Storage()), b=Tensor(Storage(), shape=(3, 2), strides=(1, 3)))
    loaded = load_state_dict(written(state, {"0": (6, VALUES.tobytes())}))
    assert np.array_equal(loaded["a"], VALUES.reshape(2, 3))
    assert np.array_equal(loaded["b"], VALUES.reshape(2, 3).T)


def test_scalars_and_integers():
    """A 0-d int64 tensor, as batch normalization counts its batches."""
    state = OrderedDict(n=Tensor(Storage("7", 1, "LongStorage"), shape=(), strides=()))
    assert load_state_dict(written(state, {"7": (1, struct.pack("<q", 42))}))["n"] == 42


@pytest.mark.parametrize("name", ["os.system", "builtins.eval", "torch.StrangeStorage", "numpy.array"])
def test_any_other_global_is_refused_by_name(name):
    """Naming a function is enough to be refused; it is never looked up."""
    module, attribute = name.rsplit(".", 1)
    stream = io.BytesIO()
    for value in (MAGIC, PROTOCOL, {}):
        pickle.dump(value, stream, protocol=2)
    stream.write(b"\x80\x02c" + module.encode() + b"\n" + attribute.encode() + b"\n(X\x04\x00\x00\x00exittR.")
    with pytest.raises(FormatError, match=f"names {name}"):
        load_state_dict(stream.getvalue())


@pytest.mark.parametrize(
    "tensor",
    [
        {"offset": 1},
        {"offset": -1},
        {"strides": (4, 1)},
        {"shape": (2, 4)},
        {"shape": (1 << 40, 1), "strides": (0, 0)},
        {"strides": (-1, 1)},
        {"strides": (2,)},
        {"shape": (0, 1 << 70)},
        {"shape": (1, 2), "strides": (1 << 70, 1)},
        {"shape": (1,) * 70, "strides": (1,) * 70},
    ],
)
def test_a_tensor_cannot_reach_outside_its_storage(tensor):
    """Lying offsets, shapes and strides are refused before any memory is taken."""
    with pytest.raises(FormatError):
        load_state_dict(plain(**tensor))


def test_counts_are_checked_against_the_file():
    """A storage said to hold more than the file has is refused, whatever the count behind it says."""
    big = OrderedDict(w=Tensor(Storage(count=1 << 40)))
    for count in (6, 1 << 40):
        with pytest.raises(FormatError, match="cut short or damaged"):
            load_state_dict(written(big, {"0": (count, VALUES.tobytes())}))


def test_every_cut_is_noticed():
    """No prefix of a file is taken for a whole one, and none raises anything but FormatError."""
    data = plain()
    for length in range(len(data)):
        with pytest.raises(FormatError):
            load_state_dict(data[:length])


def test_other_files_are_refused():
    """Zip files of newer torch, pickles of other things, and state dicts of lists."""
    for data in (b"PK\x03\x04 a zip", pickle.dumps(["x"]), written(OrderedDict(w=[1]), {}), written([1], {}), written({}, {}, magic=7)):
        with pytest.raises(FormatError):
            load_state_dict(data)


def test_storage_list_must_fit_the_tensors():
    """A key too many or one missing is refused."""
    state = OrderedDict(w=Tensor(Storage()))
    for keys in ([], ["0", "1"], ["1"], [0], "0"):
        with pytest.raises(FormatError, match="list of storages"):
            load_state_dict(written(state, {"0": (6, VALUES.tobytes())}, keys=keys))

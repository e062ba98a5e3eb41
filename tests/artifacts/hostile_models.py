"""Models that ask for trouble, built by code: damaged, absurd, endless, and larger than any memory once unfolded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MODELS: dict[str, Callable[[], onnx.ModelProto]] = {}
FILES: dict[str, Callable[[Path], Path]] = {}
IMPORTS = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1), helper.make_opsetid("com.microsoft", 1)]
W = np.arange(6, dtype=np.float32).reshape(2, 3)


def hostile(make):
    MODELS[make.__name__] = make
    return make


def hostile_file(make):
    FILES[make.__name__] = make
    return make


def info(name, shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def model(nodes, arrays=(), tensors=(), functions=(), inputs=(), **proto):
    """y = MatMul(x, w) behind `nodes`, which may make "w"."""
    nodes = [*nodes, helper.make_node("MatMul", ["x", "w"], ["y"], "last")]
    kept = [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays]
    graph = helper.make_graph(nodes, "g", [info("x", ["N", 2]), *inputs], [info("y", None)], [*kept, *tensors])
    return helper.make_model(graph, opset_imports=IMPORTS, functions=list(functions), ir_version=8, **proto)


def graphs_deep_inside_each_other(levels):
    """Deeper than protobuf would read: it is made in place."""
    made = good()
    graph = made.graph
    for _ in range(levels):
        graph = graph.node.add(op_type="If", output=["r"]).attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH).g
    return made


def good():
    """The one that nothing is wrong with."""
    return model([], [("w", W)])


@hostile
def an_opset_beyond_all_numbers():
    made = good()
    made.opset_import[0].version = 2**40
    return made


@hostile
def two_opsets_of_one_domain():
    made = good()
    made.opset_import.add(domain="ai.onnx", version=7)
    return made


# Graphs that are none.


@hostile
def a_cycle():
    return model([helper.make_node("Add", ["w", "b"], ["a"]), helper.make_node("Neg", ["a"], ["b"])], [("w", W)])


@hostile
def a_node_that_feeds_itself():
    return model([helper.make_node("Neg", ["w"], ["w"])])


@hostile
def two_makers_of_a_value():
    return model([helper.make_node("Neg", ["x"], ["a"]), helper.make_node("Abs", ["x"], ["a"])], [("w", W)])


@hostile
def a_maker_of_an_initializer():
    return model([helper.make_node("Neg", ["x"], ["w"])], [("w", W)])


@hostile
def two_initializers_of_a_name():
    return model([], [("w", W), ("w", W)])


@hostile
def two_inputs_of_a_name():
    return model([], [("w", W)], inputs=[info("x", [1])])


@hostile
def a_value_from_nowhere():
    return model([helper.make_node("Add", ["w", "nowhere"], ["a"])], [("w", W)])


@hostile
def a_value_from_nowhere_in_a_branch():
    body = helper.make_graph([helper.make_node("Neg", ["nowhere"], ["t"])], "b", [], [info("t", None)])
    node = helper.make_node("If", ["c"], ["r"], then_branch=body, else_branch=body)
    return model([node], [("w", W), ("c", np.array(True))])


@hostile
def an_output_from_nowhere():
    made = good()
    made.graph.output.append(info("nowhere", [1]))
    return made


@hostile
def a_node_without_inputs():
    return model([helper.make_node("Gemm", [], ["a"])], [("w", W)])


@hostile
def a_needed_input_left_out():
    return model([helper.make_node("Gemm", ["x", ""], ["a"])], [("w", W)])


@hostile
def an_attribute_of_another_kind():
    return model([helper.make_node("Transpose", ["w"], ["a"], perm="text")], [("w", W)])


@hostile
def a_needed_attribute_left_out():
    return model([helper.make_node("Cast", ["w"], ["a"])], [("w", W)])


@hostile
def no_graph():
    return onnx.ModelProto(ir_version=8)


# Tensors that are none.


def weight(**fields):
    return model([], tensors=[TensorProto(name="w", **{"data_type": TensorProto.FLOAT, "dims": [2, 3], "raw_data": W.tobytes(), **fields})])


@hostile
def an_absurd_size():
    return weight(dims=[1 << 40, 3])


@hostile
def an_absurd_size_without_values():
    return weight(dims=[1 << 40, 1 << 40], raw_data=b"")


@hostile
def an_overflowing_size():
    return weight(dims=[1 << 62, 1 << 62, 0], raw_data=b"")


@hostile
def a_negative_size():
    return weight(dims=[-1, 3])


@hostile
def a_rank_of_a_hundred():
    return weight(dims=[1] * 98 + [2, 3])


@hostile
def too_few_bytes():
    return weight(raw_data=W.tobytes()[:-1])


@hostile
def a_type_of_no_number():
    return weight(data_type=99)


@hostile
def texts():
    return weight(data_type=TensorProto.STRING, dims=[1], raw_data=b"", string_data=[b"\xff"])


@hostile
def a_sparse_initializer():
    made = model([])
    made.graph.sparse_initializer.add(values=TensorProto(name="w", data_type=1, dims=[1]), indices=TensorProto(), dims=[2, 3])
    return made


@hostile
def an_input_of_an_unknown_type():
    return model([], [("w", W)], inputs=[info("z", [1], 99)])


@hostile
def a_map_as_input():
    z = helper.make_value_info("z", helper.make_map_type_proto(TensorProto.INT64, helper.make_tensor_type_proto(1, [1])))
    return model([], [("w", W)], inputs=[z])


# What is small in the file and endless when it is carried out.


@hostile
def a_function_that_calls_itself():
    body = [helper.make_node("F", ["a"], ["b"], domain="local")]
    function = helper.make_function("local", "F", ["a"], ["b"], body, IMPORTS)
    return model([helper.make_node("F", ["x"], ["z"], domain="local")], [("w", W)], functions=[function])


@hostile
def a_function_called_with_more_than_it_takes():
    function = helper.make_function("local", "F", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], IMPORTS)
    return model([helper.make_node("F", ["x", "x"], ["z"], domain="local")], [("w", W)], functions=[function])


@hostile
def functions_that_call_each_other():
    functions = [
        helper.make_function("local", one, ["a"], ["b"], [helper.make_node(other, ["a"], ["b"], domain="local")], IMPORTS)
        for one, other in ("FG", "GF")
    ]
    return model([helper.make_node("F", ["x"], ["z"], domain="local")], [("w", W)], functions=functions)


@hostile
def a_billion_laughs():
    functions = [helper.make_function("local", "F0", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], IMPORTS)]
    for level in range(1, 31):
        calls = [(f"F{level - 1}", "a", "m"), (f"F{level - 1}", "m", "b")]
        body = [helper.make_node(name, [one], [other], domain="local") for name, one, other in calls]
        functions.append(helper.make_function("local", f"F{level}", ["a"], ["b"], body, IMPORTS))
    return model([helper.make_node("F30", ["x"], ["z"], domain="local")], [("w", W)], functions=functions)


@hostile
def functions_deep_inside_each_other():
    functions = [helper.make_function("local", "F0", ["a"], ["b"], [helper.make_node("Neg", ["a"], ["b"])], IMPORTS)]
    for level in range(1, 2000):
        body = [helper.make_node(f"F{level - 1}", ["a"], ["b"], domain="local")]
        functions.append(helper.make_function("local", f"F{level}", ["a"], ["b"], body, IMPORTS))
    return model([helper.make_node("F1999", ["x"], ["z"], domain="local")], [("w", W)], functions=functions)


# Data beside the model.


def _external(folder, location, offset=None, length=None, size=24):
    made = weight()
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": offset, "length": length}
    for key, value in entries.items():
        if value is not None:
            tensor.external_data.add(key=key, value=str(value))
    (folder / "in" / "deep").mkdir(parents=True)
    (folder / "outside.bin").write_bytes(W.tobytes())
    (folder / "in" / "w.bin").write_bytes(W.tobytes()[:size])
    path = folder / "in" / "model.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def good_external(folder):
    """Values beside the model, in a file that may say offset and length or leave them out."""
    return _external(folder, "w.bin", 0, 24)


@hostile_file
def a_file_above(folder):
    return _external(folder, "../outside.bin")


@hostile_file
def a_file_above_by_a_detour(folder):
    return _external(folder, "deep/../../outside.bin")


@hostile_file
def an_absolute_file(folder):
    return _external(folder, str(folder / "outside.bin"))


@hostile_file
def a_link_that_leads_outside(folder):
    path = _external(folder, "link.bin")
    (folder / "in" / "link.bin").symlink_to(folder / "outside.bin")
    return path


@hostile_file
def a_link_to_itself(folder):
    path = _external(folder, "link.bin")
    (folder / "in" / "link.bin").symlink_to("link.bin")
    return path


@hostile_file
def a_missing_file(folder):
    return _external(folder, "none.bin")


@hostile_file
def no_location(folder):
    return _external(folder, "")


@hostile_file
def a_folder_as_file(folder):
    return _external(folder, "deep")


@hostile_file
def a_pipe_that_nobody_writes(folder):
    path = _external(folder, "pipe")
    os.mkfifo(folder / "in" / "pipe")
    return path


@hostile_file
def a_zero_byte_in_the_location(folder):
    return _external(folder, "w\0.bin")


@hostile_file
def a_short_file(folder):
    return _external(folder, "w.bin", size=23)


@hostile_file
def an_empty_file_of_values(folder):
    return _external(folder, "w.bin", size=0)


@hostile_file
def an_offset_past_the_end(folder):
    return _external(folder, "w.bin", offset=4)


@hostile_file
def a_negative_offset(folder):
    return _external(folder, "w.bin", offset=-4)


@hostile_file
def an_absurd_offset(folder):
    return _external(folder, "w.bin", offset="9" * 5000)


@hostile_file
def another_length(folder):
    return _external(folder, "w.bin", length=20)


@hostile_file
def an_empty_file(folder):
    (folder / "m.onnx").touch()
    return folder / "m.onnx"


@hostile_file
def a_folder(folder):
    (folder / "m.onnx").mkdir()
    return folder / "m.onnx"


@hostile_file
def noise(folder):
    (folder / "m.onnx").write_bytes(np.random.default_rng(0).bytes(5000))
    return folder / "m.onnx"


@hostile_file
def a_name_that_is_not_utf_8(folder):
    data = model([helper.make_node("Neg", ["x"], ["fixture"])], [("w", W)]).SerializeToString()
    (folder / "m.onnx").write_bytes(data.replace(b"fixture", b"\xffixture"))
    return folder / "m.onnx"

"""Prints the public names of an artifact generator as JSON: describe_api.py PACKAGE_OF_ARTIFACTS PACKAGE_OF_ONNXBLOCK.

{name: {member: value} of an enumeration, [[parameter, kind, default], ..] of a class, method or function, or what a property is}
"""

import enum
import importlib
import inspect
import json
import sys


def public(module):
    """What `from module import *` gives or, without __all__, what is defined in it."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, item in vars(module).items() if getattr(item, "__module__", "") == module.__name__]
    return {name: getattr(module, name) for name in names if not name.startswith("_")}


def parameters(item):
    found = [one for one in inspect.signature(item).parameters.values() if one.name != "self"]
    return [[one.name, one.kind.name, None if one.default is one.empty else repr(one.default)] for one in found]


def describe(prefix, module):
    for name, item in public(module).items():
        if inspect.ismodule(item):
            yield from describe(f"{prefix}.{name}", item)
        elif inspect.isclass(item) and issubclass(item, enum.Enum):
            yield f"{prefix}.{name}", {member.name: member.value for member in item}
        else:
            yield f"{prefix}.{name}", parameters(item)
            yield from ((f"{prefix}.{name}.{member}", found) for member, found in members(item) if not member.startswith("_"))


def members(item):
    """Methods with their parameters; properties as whether they can be set."""
    for name, found in inspect.getmembers(item) if inspect.isclass(item) else ():
        if inspect.isfunction(found) or inspect.ismethod(found):
            yield name, parameters(found)
        elif isinstance(found, property):
            yield name, {"can be set": found.fset is not None}


if __name__ == "__main__":
    print(json.dumps(dict(pair for name in sys.argv[1:] for pair in describe(name.split(".")[-1], importlib.import_module(name)))))

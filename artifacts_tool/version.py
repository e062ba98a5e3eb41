"""The tool's version, which manifests carry."""

__version__ = "0.1.0"

"""The ops that image classifiers and small networks do without: pagetrain imports the module that has what a model asks for."""

__version__ = "0.1.0"

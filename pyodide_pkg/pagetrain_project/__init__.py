"""Project: the page's project files, opened and written in Python."""

from .project import Project, ProjectPicture

__version__ = "0.1.0"
__all__ = ["Project", "ProjectPicture", "__version__"]

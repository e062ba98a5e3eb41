"""What a file of the site is, by the ending of its name."""

from pathlib import PurePosixPath

# Written out, because a system's own table may say otherwise (Windows takes .js from the registry).
_TYPES = {
    ".bin": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".onnx": "application/octet-stream",
    ".ort": "application/octet-stream",
    ".png": "image/png",
    ".svg": "image/svg+xml; charset=utf-8",
    ".tar": "application/x-tar",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json; charset=utf-8",
    ".webp": "image/webp",
    ".whl": "application/octet-stream",
    ".zip": "application/zip",
}


def of(name: str) -> str:
    return _TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")

"""A server on a free port, in a thread of the test's own process, which counts what reaches it."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from types import SimpleNamespace

from sitebuild.catalog import Entry
from sitebuild.server import SiteServer


@contextmanager
def serving(catalog: Mapping[str, Entry], *, plain: bool = False, host: str = "127.0.0.1") -> Iterator[SimpleNamespace]:
    """Serves catalog: url, port, and requests as (method, target, headers) in the order they came."""
    requests: list[tuple[str, str, Message]] = []
    with SiteServer(catalog, host, 0, plain=plain, observe=lambda *request: requests.append(request)) as server:
        server.server_activate()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield SimpleNamespace(url=server.url, port=server.port, requests=requests)
        finally:
            server.shutdown()
            thread.join()

"""The content security policy of the page: what it may fetch is the build's own files, what it may send is nothing."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "style-src 'self'",
        "img-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)

# Sent with every answer, errors too.
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Sent with the service worker's script in the place of the page's policy: it hands on what the page asks for, and may do nothing else.
# The age: the page fetches the script anew before it seals itself, and the browser's own check, a second later, is content with that.
FOR_SERVICE_WORKER = {
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
    "Cache-Control": "max-age=600",
}

# Sent beside them with wheels, which micropip fetches from pages of any origin.
FOR_WHEELS = {"Access-Control-Allow-Origin": "*"}

"""HTTP headers that make browsers protect the page and its players.

Documents have all of them. Files loaded by a document have only the relevant ones: a first visit
loads a dozen files, and the others would add 900 bytes to each.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.base.net.origins import Origins

# The page's Content-Security-Policy. The page needs no inline scripts or styles, so none are
# allowed.
POLICY: Final = {
    # Anything not listed below, such as frames and plug-ins, cannot be loaded at all.
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    # Cards are drawn as data URLs.
    "img-src": "'self' data:",
    # Includes the WebSocket.
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    # Only Svelte and client_js/web/src/trusted.ts may turn text into HTML or script URLs.
    "require-trusted-types-for": "'script'",
    "trusted-types": "svelte-trusted-html samedeal",
}

# Browser features that the page does not use. They are denied even to injected scripts.
DENIED: Final = (
    *("accelerometer", "browsing-topics", "camera", "display-capture"),
    *("encrypted-media", "fullscreen", "geolocation", "gyroscope", "hid", "idle-detection"),
    *("local-fonts", "magnetometer", "microphone", "midi", "payment", "serial"),
    *("sync-xhr", "usb", "window-management", "xr-spatial-tracking"),
)

# Features allowed to the page, but not to embedded content: in a race, the screen stays on.
ALLOWED: Final = ("screen-wake-lock",)

# Makes browsers use only TLS for this host, for a year. Subdomains are not included, since they may
# belong to others.
HSTS: Final = "max-age=31536000"

COMMON: Final = {"X-Content-Type-Options": "nosniff"}  # headers of every answer

# Headers of files loaded by the page's documents.
LOADED: Final = COMMON | {"Cross-Origin-Resource-Policy": "same-origin"}

# Headers of answers that pages of any origin may load: the HTTP interface, and preview images.
PUBLIC: Final = COMMON | {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
}

# Headers of the page, its service worker and all other answers, such as errors.
DOCUMENT: Final = LOADED | {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        [*(f"{name}=()" for name in DENIED), *(f"{name}=(self)" for name in ALLOWED)]
    ),
    # The URL of a room is enough to join it.
    "Referrer-Policy": "no-referrer",
}

_BY_PREFIX: Final = {"/assets/": LOADED, "/api/": PUBLIC, "/preview": PUBLIC}

_Raw = list[tuple[bytes, bytes]]


class SecurityHeaders:
    """An ASGI application that adds these headers to another application's answers.

    Args:
        app: the other application; it sets none of them.
        origins: determine whether the page is served over TLS.
    """

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self._app = app
        self._origins = origins
        self._document = _raw(DOCUMENT)
        self._by_prefix = {prefix: _raw(headers) for prefix, headers in _BY_PREFIX.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = self._origins.below_root(scope["path"])
        by_prefix = self._by_prefix.items()
        more = next((raw for prefix, raw in by_prefix if path.startswith(prefix)), self._document)
        peer, _ = scope["client"] or ("", 0)
        if self._origins.uses_tls(Headers(scope=scope), peer):
            more = [*more, (b"strict-transport-security", HSTS.encode())]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                # Copied, since a prepared response reuses its list of headers.
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _raw(headers: dict[str, str]) -> _Raw:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]

"""Headers by which browsers protect the page and its players; they go with every HTTP answer.

What may be shown as a document has all of them. Files that a document loads have only those that
count there: a first visit loads a dozen, and each would take 900 bytes more.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.base.net.origins import Origins

POLICY: Final = {
    # Whatever is not named below, such as frames and plug-ins, is loaded from nowhere.
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "font-src": "'self'",
    # Cards are drawn as data URLs.
    "img-src": "'self' data:",
    # With the WebSocket.
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "worker-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    # No text becomes HTML or a script's URL but by Svelte and client_js/web/src/trusted.ts.
    "require-trusted-types-for": "'script'",
    "trusted-types": "svelte-trusted-html samedeal",
}
"""The page's Content-Security-Policy. It needs no inline scripts or styles, so it allows none."""

DENIED: Final = (
    *("accelerometer", "browsing-topics", "camera", "display-capture"),
    *("encrypted-media", "fullscreen", "geolocation", "gyroscope", "hid", "idle-detection"),
    *("local-fonts", "magnetometer", "microphone", "midi", "payment", "serial"),
    *("sync-xhr", "usb", "window-management", "xr-spatial-tracking"),
)
"""Browser features that the page does not use, and so may not, whatever script gets into it."""

ALLOWED: Final = ("screen-wake-lock",)
"""Those that it uses, and nothing that it might embed: in a race, the screen stays on."""

HSTS: Final = "max-age=31536000"
"""For a year, browsers ask this host by TLS alone. That says nothing of its subdomains, which may
be of others."""

COMMON: Final = {"X-Content-Type-Options": "nosniff"}
"""Headers of every answer."""

LOADED: Final = COMMON | {"Cross-Origin-Resource-Policy": "same-origin"}
"""Headers of what the page's documents load."""

PUBLIC: Final = COMMON | {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Headers of what pages of any origin may load: the HTTP interface, and pictures for previews."""

DOCUMENT: Final = LOADED | {
    "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in POLICY.items()),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": ", ".join(
        [*(f"{name}=()" for name in DENIED), *(f"{name}=(self)" for name in ALLOWED)]
    ),
    # The URL of a room lets anybody join it.
    "Referrer-Policy": "no-referrer",
}
"""Headers of the page, of its service worker, and of all else, such as errors."""

_BY_PREFIX: Final = {"/assets/": LOADED, "/api/": PUBLIC, "/preview": PUBLIC}
"""By the beginnings of paths."""

_Raw = list[tuple[bytes, bytes]]


class SecurityHeaders:
    """An ASGI application that adds these headers to the answers of another one.

    Args:
        app: the other one; it sets none of them.
        origins: say where the page is, and so whether it is reached by TLS.
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
        if self._origins.is_by_tls(Headers(scope=scope), peer):
            more = [*more, (b"strict-transport-security", HSTS.encode())]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                # A prepared response keeps its list of headers for the next request.
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _raw(headers: dict[str, str]) -> _Raw:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]

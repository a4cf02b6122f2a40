"""A test language that shows the longest translation of each text."""

from __future__ import annotations

import json
import re

from playwright.sync_api import BrowserContext, Route

from tests.processes import ROOT

LOCALE = "de-DE"
"""The locale of a context that shows the longest texts; its dates and numbers are German."""

_ASSETS = ROOT / "client_js/web/dist/assets"

_OWN_TEXTS = re.compile(r"/(de\.(\w+)-\w+\.js)$")
"""The path of a module of German texts: its file, and its part of the messages."""

_LONGEST = """
const longest = (ways) => {
  if (ways.some((way) => typeof way === "function"))
    return (...given) =>
      longest(ways.map((way) => (typeof way === "function" ? way(...given) : way)));
  const [one] = ways;
  // Lists differ in length.
  const within = (key) =>
    longest(ways.map((way) => way[key]).filter((text) => text !== undefined));
  if (typeof one === "string")
    return ways.reduce((a, b) => (b !== null && b.length > a.length ? b : a));
  if (Array.isArray(one)) return one.map((_, nth) => within(nth));
  if (typeof one !== "object" || one === null) return one;
  return Object.fromEntries(Object.keys(one).map((key) => [key, within(key)]));
};
export const texts = longest([TEXTS]);
"""
"""Exports the longest translation of each text; for values other than texts, the first one."""


def show_longest_texts(context: BrowserContext) -> None:
    """Make a context with the locale `LOCALE` show the longest translation of each text."""
    context.route(_OWN_TEXTS, _merge)


def _merge(route: Route) -> None:
    found = _OWN_TEXTS.search(route.request.url)
    assert found
    own, part = found.groups()
    others = [file.name for file in _ASSETS.glob(f"*.{part}-*.js") if file.name != own]
    # The query keeps this path from being replaced again.
    modules = [f"./{own}?own", *(f"./{name}" for name in sorted(others))]
    imports = [
        f"import {{ texts as t{number} }} from {json.dumps(module)};"
        for number, module in enumerate(modules)
    ]
    texts = ", ".join(f"t{number}" for number in range(len(modules)))
    body = "\n".join(imports) + _LONGEST.replace("TEXTS", texts)
    route.fulfill(content_type="text/javascript", body=body)

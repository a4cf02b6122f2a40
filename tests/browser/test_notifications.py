"""Notifications in a real browser, whose service worker shows them and opens their links.

No push service is reachable from tests, so the browser gets the forwarded message directly.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, expect

from server.notifications.push_key import make_push_key
from tests.browser.conftest import Site, running_site
from tests.browser.player import OFFLINE_PHONE, Player
from tests.processes import PATIENCE

FRAME = "new Promise(requestAnimationFrame)"
"""The page's next frame."""

SUBSCRIPTION = """
Object.defineProperty(PushManager.prototype, "subscribe", {
  value: async function (options) {
    window.asked = { ...options };
    const subscription = {
      options,
      unsubscribe: async () => { window.subscription = null; return true; },
      toJSON: () => ({
        endpoint: "https://fcm.googleapis.com/fcm/send/" + (sessionStorage.endpoint ?? "abc"),
        keys: {
          p256dh:
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
          auth: "BTBZMqHH6r4Tts7J_aSIgg",
        },
      }),
    };
    return (window.subscription = subscription);
  },
});
Object.defineProperty(PushManager.prototype, "getSubscription", {
  value: async () => window.subscription ?? null,
});
"""
"""A push service as a page sees it; Chromium has none without Google.

A reloaded page finds that the browser has dropped the previous page's subscription.
"""

REMEMBERED = """async () => {
  const found = await caches.match(`${location.origin}/push`);
  return found === undefined ? null : (await found.json()).device;
}"""
"""Returns the id of the device that the browser remembers, or null."""


@pytest.fixture(scope="module")
def site_with_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Run a server with a key for push services."""
    key = tmp_path_factory.mktemp("push") / "key"
    make_push_key(key)
    with ExitStack() as stack:
        # The module's other servers, even those started later, have no key.
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SAMEDEAL_PUSH_KEY_FILE", str(key))
            patch.setenv("SAMEDEAL_PUSH_CONTACT", "mailto:ops@example.org")
            site = stack.enter_context(running_site())
        yield site


@pytest.fixture
def player(whole_browser: Browser, site_with_key: Site) -> Iterator[Player]:
    """Return a player whose browser lets this site notify, unlike a headless one."""
    player = Player(whole_browser, site_with_key.url, OFFLINE_PHONE)
    player.context.grant_permissions(["notifications"], origin=site_with_key.url)
    yield player
    player.close()


IS_SHOWN = """async (wanted) => {
  const registration = await navigator.serviceWorker.ready;
  const end = performance.now() + 1_000;
  while (performance.now() < end) {
    const shown = await registration.getNotifications();
    if (shown.some(({ tag }) => tag === wanted)) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}"""
"""Returns whether a notification with a tag is shown within a second."""


class Worker:
    """The service worker of a player's page, which gets messages as if from a push service."""

    def __init__(self, player: Player) -> None:
        self._page = player.page
        self._url = player.page.url
        self._session: CDPSession = player.context.new_cdp_session(player.page)
        registrations: list[dict[str, Any]] = []
        self._session.on(
            "ServiceWorker.workerRegistrationUpdated",
            lambda event: registrations.extend(event["registrations"]),
        )
        self._session.send("ServiceWorker.enable")
        # The worker is already "ready" while it activates.
        player.page.evaluate(
            """async () => {
                 const { active } = await navigator.serviceWorker.ready;
                 if (active.state !== "activated")
                   await new Promise((done) => active.addEventListener("statechange", done));
               }"""
        )
        self._registration = registrations[0]["registrationId"]

    def tell(self, **told: str | int) -> None:
        """Deliver a message and wait until its notification is shown."""
        text = {"link": "", "who": "", "game": "", "days": 0, "language": "en", "tag": "t", **told}
        self.deliver(json.dumps(text), str(text["tag"]))

    def deliver(self, text: str, tag: str = "other") -> None:
        """Deliver a push message, and wait until a notification with this tag is shown."""
        origin = self._page.evaluate("location.origin")
        message = {"origin": origin, "registrationId": self._registration, "data": text}
        # A busy Chromium drops some. Duplicates are shown once, as their tags are equal.
        for _ in range(int(PATIENCE)):
            self._session.send("ServiceWorker.deliverPushMessage", message)
            if self._page.evaluate(IS_SHOWN, tag):
                return
        pytest.fail("the worker shows nothing")

    def close_shown(self) -> None:
        """Close the notifications that are shown."""
        self._page.evaluate(
            """async () => {
              const registration = await navigator.serviceWorker.ready;
              for (const shown of await registration.getNotifications()) shown.close();
              while ((await registration.getNotifications()).length > 0);
            }"""
        )

    def shown(self) -> list[dict[str, Any]]:
        """Return the notifications that are shown."""
        return list(
            self._page.evaluate(
                """async () => {
                  const registration = await navigator.serviceWorker.ready;
                  return (await registration.getNotifications()).map(
                    ({ title, body, data, tag, lang }) => ({ title, body, data, tag, lang }));
                }"""
            )
        )


def test_a_notification_is_shown_in_the_language_of_the_device(
    player: Player, site_with_key: Site
) -> None:
    player.go("/settings")
    worker = Worker(player)
    worker.tell(topic="challenged", who="Ada", game="Deuces", link="c/abc")
    (shown,) = worker.shown()
    assert shown["title"] == "Ada challenges you"
    assert shown["body"].startswith("Deuces")
    assert shown["data"] == f"{site_with_key.url}/c/abc"
    # The same topic again replaces it.
    worker.tell(topic="challenged", who="Ada", game="Deuces", link="c/abc")
    worker.tell(topic="streak", days=12, language="de", tag="s")
    two = worker.shown()
    assert {each["title"] for each in two} == {
        "Ada challenges you",
        "Deine Serie endet in zwei Stunden",
    }


def test_every_delivered_message_is_shown(player: Player, site_with_key: Site) -> None:
    """Browsers end the subscription of a site that shows no notification for a message."""
    player.go("/settings")
    worker = Worker(player)
    for text in ("no JSON", "{}", '{"topic": "challenged"}'):
        worker.deliver(text)
        (shown,) = worker.shown()
        found = (shown["title"], shown["body"])
        assert found == ("Samedeal", "There\u2019s something new for you.")
        assert shown["data"] == f"{site_with_key.url}/"
        worker.close_shown()


def test_a_player_turns_notifications_on_and_off(player: Player) -> None:
    player.context.add_init_script(SUBSCRIPTION)
    player.go("/settings")
    player.press("push-start")
    expect(player.see("push-on")).to_be_visible()
    for topic in ("challenged", "beaten", "streak"):
        expect(player.see(f"push-{topic}")).to_be_checked()
    asked = player.page.evaluate("window.asked")
    assert asked["userVisibleOnly"] is True
    assert len(asked["applicationServerKey"]) == 87
    player.see("push-beaten").uncheck()
    player.see("push-quiet").check()
    expect(player.see("push-begin")).to_have_value("22:00")
    player.see("push-end").fill("06:30")
    player.see("push-end").blur()
    expect(player.see("push-end")).to_have_value("06:30")
    player.press("push-stop")
    expect(player.see("push-start")).to_be_visible()
    # The second time, the choices are remembered.
    player.press("push-start")
    expect(player.see("push-beaten")).not_to_be_checked()
    expect(player.see("push-end")).to_have_value("06:30")
    if folder := os.environ.get("SAMEDEAL_SCREENS"):
        for scheme in ("light", "dark"):
            for width, height in ((390, 844), (1440, 900)):
                player.page.set_viewport_size({"width": width, "height": height})
                player.page.emulate_media(color_scheme=scheme)
                player.see("push").screenshot(path=Path(folder) / f"push-{scheme}-{width}.png")


def test_a_renewed_subscription_reaches_the_server(player: Player) -> None:
    player.context.add_init_script(SUBSCRIPTION)
    player.go("/settings")
    player.press("push-start")
    expect(player.see("push-on")).to_be_visible()
    before = player.page.evaluate(REMEMBERED)
    assert before is not None
    player.page.evaluate("sessionStorage.endpoint = 'renewed'")
    # Any page of the site renews it.
    player.go("/practice")
    # `wait_for_function` would take the promise of an asynchronous condition as true.
    player.page.evaluate(
        f"async before => {{ while (await ({REMEMBERED})() === before) await {FRAME}; }}", before
    )
    player.go("/settings")
    expect(player.see("push-on")).to_be_visible()
    # The old one is removed.
    expect(player.see("push").locator("li")).to_have_count(0)


def test_another_player_in_the_browser_gets_no_notifications(player: Player) -> None:
    player.context.add_init_script(SUBSCRIPTION)
    player.go("/settings")
    player.press("push-start")
    expect(player.see("push-on")).to_be_visible()
    assert player.page.evaluate("window.subscription !== null")
    player.press("account-link")
    player.press("delete-account")
    player.press("delete-confirm")
    player.page.wait_for_function("() => window.subscription === null")


def test_a_server_without_a_key_does_not_offer_notifications(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, OFFLINE_PHONE)
    player.go("/settings")
    expect(player.see("deck-two")).to_be_visible()
    expect(player.see("push")).to_have_count(0)
    player.close()

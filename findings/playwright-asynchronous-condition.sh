#!/bin/sh
# Playwright for Python 1.65.2: `page.wait_for_function` does not await an asynchronous condition.
#
# One would expect that it waits until the promise of the condition is resolved with something true,
# as `page.evaluate` awaits promises. The promise itself is taken for the value, and it is true: the
# call returns at once, without an error, so that a test goes on before what it waits for.
#
# Observed, on a page that counts from 0: the synchronous condition "over 20" returns with 21 or
# more, the asynchronous one with less than 20, whether it is polled by frames or by an interval.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A browser that comes in a package, with its libraries.
npm install --silent --no-audit --no-fund @sparticuz/chromium@153.0.0 || exit 2
browser=$(node --input-type=module -e '
  import chromium from "@sparticuz/chromium";
  console.log(await chromium.executablePath());
')
python3 -m venv venv || exit 2
venv/bin/pip install -q --disable-pip-version-check playwright==1.65.2 || exit 2
BROWSER="$browser" venv/bin/python - <<'PYTHON'
import os

from playwright.sync_api import sync_playwright

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--single-process", "--no-zygote"]
COUNTS = "<script>window.count = 0; setInterval(() => window.count++, 100)</script>"


def counted(condition: str, **given: int) -> int:
    page = browser.new_page()
    page.set_content(COUNTS)
    page.wait_for_function(condition, **given)
    found = page.evaluate("window.count")
    return int(found)


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path=os.environ["BROWSER"], args=ARGUMENTS
    )
    synchronous = counted("() => window.count > 20")
    by_frames = counted("async () => window.count > 20")
    by_interval = counted("async () => window.count > 20", polling=50)
print(f"counted up to: {synchronous}, asynchronous {by_frames} and {by_interval}")
assert synchronous > 20
assert by_frames < 20
assert by_interval < 20
PYTHON

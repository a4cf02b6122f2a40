"""`python driver.py LIBRARY`: packs the JSON of each line, or unpacks hexadecimal after `<`."""

import importlib
import json
import sys

library = importlib.import_module(sys.argv[1])
if hasattr(library, "msgpack"):
    pack, unpack = library.msgpack.encode, library.msgpack.decode
else:
    pack, unpack = library.packb, library.unpackb


def shown(value: object) -> str:
    """Return a value as the other drivers print it."""
    if value is None or isinstance(value, bool):
        return {None: "n", True: "t", False: "f"}[value]
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, str | bytes):
        return f"s{(value.encode() if isinstance(value, str) else value).hex()}"
    return f"[{','.join(map(shown, value))}]" if isinstance(value, list | tuple) else repr(value)


for line in sys.stdin:
    text = line.strip()
    if text.startswith("<"):
        answer = shown(unpack(bytes.fromhex(text[1:])))
    else:
        answer = pack(json.loads(text)).hex()
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()

#!/bin/sh
# dnspython 2.8.0: a message that is written to its wire format has the records of a set in another
# order each time, and a set that is read has them in the order of the wire.
#
# One would expect the order in which the records were added: a test that builds an answer, or a
# small name server, then fails now and then. `RRset.to_wire` shuffles unless it is told
# `want_shuffle=False`, and `Message.to_wire` has no such argument.
#
# Observed: of 50 writes of one message with eight addresses, most differ in their order; with
# `want_shuffle=False`, a set is written in the order in which it was made.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" || exit 2
"$folder/venv/bin/pip" install -q --disable-pip-version-check dnspython==2.8.0 || exit 2
"$folder/venv/bin/python" - <<'PYTHON'
import io

import dns.message
import dns.rrset
import dns.version

addresses = [f"192.0.2.{number}" for number in range(1, 9)]
made = dns.rrset.from_text("host.example.org.", 60, "IN", "A", *addresses)
answer = dns.message.make_response(dns.message.make_query("host.example.org.", "A"))
answer.answer.append(made)


def order(wire: bytes) -> tuple[str, ...]:
    return tuple(record.address for record in dns.message.from_wire(wire).answer[0])


shuffled = {order(answer.to_wire()) for _ in range(50)}
kept = set()
for _ in range(50):
    written = io.BytesIO()
    made.to_wire(written, want_shuffle=False)
    data = written.getvalue()
    # Each record ends with its four bytes of address.
    size = len(data) // len(addresses)
    kept.add(tuple(".".join(map(str, data[at + size - 4 : at + size])) for at in range(0, len(data), size)))
print(f"dnspython {dns.version.version}: {len(shuffled)} orders in 50 writes, {len(kept)} unshuffled")
assert len(shuffled) > 10
assert kept == {tuple(addresses)}
PYTHON

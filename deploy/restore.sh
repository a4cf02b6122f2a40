#!/bin/sh
# Convert a snapshot to an append-only file in DIRECTORY, which must be empty. With `appendonly yes`, as
# in redis.conf, Redis ignores a snapshot, and silently starts empty.
#
#   deploy/restore.sh SNAPSHOT DIRECTORY
#
# No server may use DIRECTORY meanwhile. Run this as the user of Redis, or give the files to that user
# afterwards. The conversion uses REDIS_SERVER (by default redis-server), which must not be newer than
# the server that will use DIRECTORY.
set -eu
umask 077

fail() {
    echo "restore.sh: $*" >&2
    exit 1
}

snapshot=${1:?the snapshot is missing}
directory=${2:?the directory is missing}
server=${REDIS_SERVER:-redis-server}
[ -r "$snapshot" ] || fail "the snapshot $snapshot cannot be read"
mkdir -p "$directory"
[ -z "$(ls -A "$directory")" ] || fail "$directory is not empty; move its contents elsewhere"
cp "$snapshot" "$directory/dump.rdb"

# A temporary server reads the snapshot. The path of a socket must be short.
private=$(mktemp -d)
asked() { redis-cli -s "$private/socket" "$@"; }
"$server" "$(dirname "$0")/redis.conf" --dir "$directory" --port 0 --unixsocket "$private/socket" \
    --appendonly no >"$private/log" &
pid=$!
restored=false
clean() {
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    rm -rf "$private" "$directory/dump.rdb"
    # An incomplete file could be mistaken for a restored one.
    "$restored" || rm -rf "$directory/appendonlydir"
}
trap clean EXIT
until [ "$(asked ping 2>/dev/null)" = PONG ]; do
    kill -0 "$pid" 2>/dev/null || fail "$server cannot read the snapshot: $(tail -n 3 "$private/log")"
    sleep 0.2
done
[ "$(asked dbsize)" != 0 ] || fail "the snapshot is empty"
asked config set appendonly yes >/dev/null
while asked info persistence | grep -q '^aof_rewrite_\(in_progress\|scheduled\):1'; do sleep 0.2; done
asked info persistence | grep -q '^aof_last_bgrewrite_status:ok' ||
    fail "the append-only file was not written: $(tail -n 3 "$private/log")"
echo "restored: $directory has $(asked dbsize) keys"
asked shutdown nosave
wait "$pid"
restored=true

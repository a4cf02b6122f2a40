#!/bin/sh
# Makes what a Redis starts from out of a snapshot: the append-only file in DIRECTORY, which must be
# empty. With `appendonly yes`, as in redis.conf, Redis ignores a snapshot, and is empty without a word.
#
#   deploy/restore.sh SNAPSHOT DIRECTORY
#
# No server may run on DIRECTORY. Run it as the user of Redis, or hand the files over to that one. The
# server must be the one that is to run on it, or an older one: REDIS_SERVER, or else redis-server.
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
[ -z "$(ls -A "$directory")" ] || fail "$directory is not empty; move what is in it elsewhere"
cp "$snapshot" "$directory/dump.rdb"

# A server of its own reads it, on a socket whose path is short enough for one.
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
    # What is not whole would be taken for what was restored.
    "$restored" || rm -rf "$directory/appendonlydir"
}
trap clean EXIT
until [ "$(asked ping 2>/dev/null)" = PONG ]; do
    kill -0 "$pid" 2>/dev/null || fail "$server cannot read it: $(tail -n 3 "$private/log")"
    sleep 0.2
done
[ "$(asked dbsize)" != 0 ] || fail "the snapshot is empty"
asked config set appendonly yes >/dev/null
while asked info persistence | grep -q '^aof_rewrite_\(in_progress\|scheduled\):1'; do sleep 0.2; done
asked info persistence | grep -q '^aof_last_bgrewrite_status:ok' ||
    fail "the file was not written: $(tail -n 3 "$private/log")"
echo "restored: $directory has $(asked dbsize) keys"
asked shutdown nosave
wait "$pid"
restored=true

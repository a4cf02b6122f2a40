#!/bin/sh
# Back up the store to a new folder in DIRECTORY, named after the UTC time. The folder contains a
# snapshot of each master (HOST-PORT.rdb) and a report of the store's state (store.json), to compare a
# restored store with. The latest SAMEDEAL_BACKUPS folders are kept (by default 14). The backup does
# not contain the secret keys.
#
#   deploy/backup.sh DIRECTORY
#
# SAMEDEAL_REDIS                  as for nodes, redis:// or redis+cluster:// with all servers
# SAMEDEAL_REDIS_PASSWORD_FILE    as for nodes
# SAMEDEAL_SECRET_KEY_FILE        as for nodes
# SAMEDEAL_REPLICA_PASSWORD_FILE  the password of the user `replica`, which may read all data
set -eu
umask 077

fail() {
    echo "backup.sh: $*" >&2
    exit 1
}

directory=${1:?the directory is missing}
case $SAMEDEAL_REDIS in
redis://* | redis+cluster://*) ;;
*) fail "SAMEDEAL_REDIS must start with redis:// or redis+cluster://" ;;
esac
made=$directory/$(date -u +%Y-%m-%dT%H%M%SZ)
unfinished=$directory/unfinished
mkdir -p "$directory"
# Remove the remains of a failed backup. Concurrent backups would fail here.
rm -rf "$unfinished"
mkdir "$unfinished"

# The report comes first, so that the snapshots contain at least everything that it counts.
whole=true
samedeal admin --json verify-store --percent "${SAMEDEAL_BACKUP_PERCENT:-10}" \
    >"$unfinished/store.json" || whole=false
[ -s "$unfinished/store.json" ] || fail "the store cannot be read; see above"

found=0
servers=${SAMEDEAL_REDIS#*://}
servers=${servers#*@}
for server in $(echo "${servers%%/*}" | tr , ' '); do
    host=${server%:*}
    case $server in *:*) port=${server##*:} ;; *) port=6379 ;; esac
    REDISCLI_AUTH=$(cat "$SAMEDEAL_REDIS_PASSWORD_FILE")
    export REDISCLI_AUTH
    redis-cli -h "$host" -p "$port" --user samedeal info replication | grep -q '^role:master' || continue
    file=$unfinished/$host-$port.rdb
    REDISCLI_AUTH=$(cat "$SAMEDEAL_REPLICA_PASSWORD_FILE")
    redis-cli -h "$host" -p "$port" --user replica --rdb "$file" >/dev/null
    found=$((found + 1))
done
[ "$found" -gt 0 ] || fail "no server of SAMEDEAL_REDIS is a master"
[ ! -e "$made" ] || fail "$made already exists"
mv "$unfinished" "$made"
echo "backed up: $made, with snapshots of $found masters"
"$whole" || fail "the store is damaged, see above; all earlier backups are kept"

# The order of the names is that of the times.
ls -1d "$directory"/[0-9]* | head -n "-${SAMEDEAL_BACKUPS:-14}" | while read -r old; do
    rm -r "$old"
done

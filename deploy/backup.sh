#!/bin/sh
# Backs the store up: makes a folder of the time of day in DIRECTORY, with a snapshot of each master
# (HOST-PORT.rdb) and what the store was like (store.json), with which a restore is compared. The last
# SAMEDEAL_BACKUPS folders stay, 14 unless it says otherwise. The secret keys are not in it.
#
#   deploy/backup.sh DIRECTORY
#
# SAMEDEAL_REDIS                  as for nodes, redis:// or redis+cluster://; of a cluster, all servers
# SAMEDEAL_REDIS_PASSWORD_FILE    as for nodes
# SAMEDEAL_SECRET_KEY_FILE        as for nodes
# SAMEDEAL_REPLICA_PASSWORD_FILE  the password of the user `replica`, who may copy all of it
set -eu
umask 077

fail() {
    echo "backup.sh: $*" >&2
    exit 1
}

directory=${1:?the directory is missing}
case $SAMEDEAL_REDIS in
redis://* | redis+cluster://*) ;;
*) fail "it backs up redis:// and redis+cluster:// only, and SAMEDEAL_REDIS is another one" ;;
esac
made=$directory/$(date -u +%Y-%m-%dT%H%M%SZ)
unfinished=$directory/unfinished
mkdir -p "$directory"
# What is left of a backup that failed; two at a time would fail here.
rm -rf "$unfinished"
mkdir "$unfinished"

# First what it is like: the snapshots have at least that.
whole=true
samedeal admin --json verify-store --percent "${SAMEDEAL_BACKUP_PERCENT:-10}" \
    >"$unfinished/store.json" || whole=false
[ -s "$unfinished/store.json" ] || fail "the store cannot be read, see above"

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
[ ! -e "$made" ] || fail "$made is there already"
mv "$unfinished" "$made"
echo "backed up: $made, snapshots of $found masters"
"$whole" || fail "but the store is not whole, see above; all earlier backups stay"

# The names sort by time.
ls -1d "$directory"/[0-9]* | head -n "-${SAMEDEAL_BACKUPS:-14}" | while read -r old; do
    rm -r "$old"
done

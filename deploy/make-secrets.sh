#!/bin/sh
# Create the secrets of an installation, one per file, in deploy/secrets or the given directory: a
# password for each user in redis.acl, Redis's own configuration of users, and the nodes' secret keys.
#
# Existing passwords and keys are kept. Run it again after an upgrade: redis.acl may have changed.
#
# Only the directory's owner has access to the files. The files themselves are readable by all, since
# Docker mounts them with these permissions into containers that run as other users.
set -euf
umask 077

deploy=$(dirname "$0")
secrets=${1:-$deploy/secrets}
mkdir -p "$secrets"
chmod 700 "$secrets"

# Print 256 random bits in hexadecimal.
random() {
    od -An -v -N 32 -t x1 /dev/urandom | tr -d ' \n'
}

# Print the SHA-256 of standard input.
digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d ' ' -f 1
}

# shellcheck disable=SC2162,SC2086 # `read` joins lines that end with a backslash; rules are words
while read word name rules; do
    [ "$word" = user ] || continue
    case " $rules " in
    *' on '*)
        file=$secrets/redis-$name
        [ -s "$file" ] || random >"$file"
        [ -s "$file" ] || exit 1 # otherwise the user would have the empty password
        rules="$rules #$(digest <"$file")"
        ;;
    esac
    printf 'user %s' "$name"
    printf ' %s' $rules
    printf '\n'
done <"$deploy/redis.acl" >"$secrets/redis-users.acl"

# For a replica of a server with the same users.
printf 'masteruser replica\nmasterauth %s\n' "$(cat "$secrets/redis-replica")" \
    >"$secrets/redis-replica.conf"

[ -s "$secrets/secret-keys" ] || { random && echo; } >"$secrets/secret-keys"

set +f
chmod 644 "$secrets"/*

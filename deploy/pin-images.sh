#!/bin/sh
# Print, for .env, each image of docker-compose.yml with its current digest in the registry. Unlike a
# tag, a digest always refers to the same image.
#
#   deploy/pin-images.sh >>.env
set -eu

sed -n 's/.*\${\(SAMEDEAL_[A-Z]*_IMAGE\):-\([^}]*\)}.*/\1 \2/p' "$(dirname "$0")/../docker-compose.yml" |
    while read -r variable image; do
        digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
        printf '%s=%s@%s\n' "$variable" "$image" "$digest"
    done

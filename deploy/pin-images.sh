#!/bin/sh
# Prints, for .env, each image of docker-compose.yml with the digest that its registry has for it now.
# From then on exactly that image is used: a tag may be moved, a digest cannot be.
#
#   deploy/pin-images.sh >>.env
set -eu

sed -n 's/.*\${\(SAMEDEAL_[A-Z]*_IMAGE\):-\([^}]*\)}.*/\1 \2/p' "$(dirname "$0")/../docker-compose.yml" |
    while read -r variable image; do
        digest=$(docker buildx imagetools inspect "$image" --format '{{.Manifest.Digest}}')
        printf '%s=%s@%s\n' "$variable" "$image" "$digest"
    done

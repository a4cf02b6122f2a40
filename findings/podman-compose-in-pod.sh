#!/bin/sh
# podman-compose 1.0.6 and 1.1.0: `--in-pod false` is accepted, and makes a pod as `--in-pod true` does.
#
# One would expect no pod, as from 1.2.0 on. Before, any text but the empty one means a pod, and from
# then on the empty one does: no value means "no pod" in all versions. Containers of a pod share one
# network namespace, so that two services which listen on the same port collide.
#
# A `podman` that writes down its arguments stands in for the real one: nothing is run.
#
# Observed: with `--in-pod false`, 1.0.6 and 1.1.0 run `podman pod create` and pass `--pod=pod_…` to
# `podman run`, and with `--in-pod ""` they do not. With 1.2.0, it is the other way round.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
cat >"$folder/bin/podman" <<'SH'
#!/bin/sh
echo "$*" >>"$CALLS"
case "$1" in
--version) echo "podman version 4.3.1" ;;
ps) echo "[]" ;;
esac
SH
chmod +x "$folder/bin/podman"
printf 'services:\n  web:\n    image: example.org/web\n' >"$folder/compose.yml"

pods() {
    CALLS="$folder/calls"
    export CALLS
    : >"$CALLS"
    PATH="$folder/bin:$PATH" "$folder/$1/bin/podman-compose" --in-pod "$2" \
        --file "$folder/compose.yml" up --detach >/dev/null 2>&1
    grep -c -e '^pod create' -e ' --pod=' "$CALLS" || true
}

for version in 1.0.6 1.1.0 1.2.0; do
    python3 -m venv "$folder/$version" || exit 2
    "$folder/$version/bin/pip" install -q --disable-pip-version-check "podman-compose==$version" || exit 2
    found="true: $(pods $version true), false: $(pods $version false), empty: $(pods $version '')"
    echo "podman-compose $version, calls that have to do with a pod: $found"
    case $version in
    1.2.0) test "$found" = "true: 2, false: 0, empty: 2" ;;
    *) test "$found" = "true: 2, false: 2, empty: 0" ;;
    esac
done

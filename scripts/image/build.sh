#!/usr/bin/env bash
# `make image`: the image of the Dockerfile, by docker, podman or buildah, whichever works; and what
# is in it, as CycloneDX, in dist/sbom.cdx.json. IMAGE names it (concordat:VERSION otherwise); where
# ARCHIVE is set it is written there too, as an OCI archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
image=${IMAGE:-localhost/concordat:$version}
revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision")
# A registry behind a proxy with a certificate of its own is reached during the build as it is here.
authority=${NODE_EXTRA_CA_CERTS:-}
inside=/run/build-authority.crt

main() {
  mkdir -p dist
  if works docker info; then
    docker build "${arguments[@]}" --tag "$image" .
    if [ -n "${ARCHIVE:-}" ]; then docker save --output "$ARCHIVE" "$image"; fi
    docker run --rm --entrypoint cat "$image" /app/sbom.cdx.json > dist/sbom.cdx.json
    size=$(docker image inspect --format '{{.Size}}' "$image")
  elif works podman info; then
    podman build --format oci "${arguments[@]}" $(trusting) --tag "$image" .
    if [ -n "${ARCHIVE:-}" ]; then podman save --format oci-archive --output "$ARCHIVE" "$image"; fi
    podman run --rm --entrypoint cat "$image" /app/sbom.cdx.json > dist/sbom.cdx.json
    size=$(podman image inspect --format '{{.Size}}' "$image")
  elif works buildah version; then
    with_buildah
  else
    echo 'No docker, podman or buildah works here. On Debian: apt-get install buildah' >&2
    exit 1
  fi
  echo "$image, $((size / 1000000)) MB unpacked; what is in it: dist/sbom.cdx.json"
}

works() { command -v "$1" > /dev/null && timeout 20 "$@" > /dev/null 2>&1; }

trusting() {
  if [ -n "$authority" ]; then
    echo "--volume $authority:$inside:ro --build-arg NODE_EXTRA_CA_CERTS=$inside"
  fi
}

# As root and without a daemon; chroot works inside of containers too.
with_buildah() {
  if ! buildah inspect --type image node:24-bookworm-slim > /dev/null 2>&1; then
    timeout 300 buildah pull --quiet docker.io/library/node:24-bookworm-slim > /dev/null 2>&1 &&
      timeout 300 buildah pull --quiet docker.io/library/debian:bookworm-slim > /dev/null 2>&1 ||
      scripts/image/base.sh
  fi
  buildah bud --isolation chroot --format oci --pull-never "${arguments[@]}" $(trusting) \
    --tag "$image" .
  if [ -n "${ARCHIVE:-}" ]; then
    rm -f "$ARCHIVE"
    buildah push --quiet "$image" "oci-archive:$ARCHIVE:$image"
  fi
  local container folder
  container=$(buildah from "$image")
  folder=$(buildah mount "$container")
  cp "$folder/app/sbom.cdx.json" dist/sbom.cdx.json
  size=$(du -sxb "$folder" | cut -f1)
  buildah rm "$container" > /dev/null
}

main

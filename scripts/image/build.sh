#!/usr/bin/env bash
# `make image`: the image of the Dockerfile, by docker, podman, nerdctl or buildah: the first that works,
# or ENGINE. What is in it is written as CycloneDX to dist/sbom.cdx.json. IMAGE names it
# (concordat:VERSION otherwise); where ARCHIVE is set it is written there too, as an archive.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
image=${IMAGE:-localhost/concordat:$version}
revision=$(git rev-parse HEAD 2> /dev/null || echo unknown)
arguments=(--build-arg "VERSION=$version" --build-arg "REVISION=$revision")
# A registry behind a proxy with a certificate of its own is reached during the build as it is here.
authority=${NODE_EXTRA_CA_CERTS:-}
inside=/run/build-authority.crt
dockerfile=Dockerfile

main() {
  mkdir -p dist
  local engine=${ENGINE:-$(first_engine)} size
  case $engine in
    docker | nerdctl) with_daemon "$engine" ;;
    podman)
      base_images podman image exists
      with_daemon podman --format oci $(trusting)
      ;;
    buildah) with_buildah ;;
    *)
      echo 'No docker, podman, nerdctl or buildah works here. On Debian: apt-get install buildah' >&2
      exit 1
      ;;
  esac
  echo "$image, $((size / 1000000)) MB unpacked; what is in it: dist/sbom.cdx.json"
}

first_engine() {
  for engine in docker podman nerdctl; do
    if works "$engine" info; then
      echo "$engine"
      return
    fi
  done
  if works buildah version; then echo buildah; fi
}

works() { command -v "$1" > /dev/null && timeout 20 "$@" > /dev/null 2>&1; }

trusting() {
  if [ -n "$authority" ]; then
    echo "--volume $authority:$inside:ro --build-arg NODE_EXTRA_CA_CERTS=$inside"
  fi
}

# The images that the Dockerfile begins with, for the two that share one storage. The first word calls
# one of them, the others ask whether an image is there. Without a registry, stand-ins of the same tags
# take their places: they have no published digest.
base_images() {
  local engine=$1 base
  for base in $(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile | sort -u); do
    "$@" "docker.io/library/$base" > /dev/null 2>&1 ||
      timeout 300 "$engine" pull --quiet "docker.io/library/$base" > /dev/null 2>&1 ||
      { stand_ins "$@"; return; }
  done
}

stand_ins() {
  "$@" node:24-bookworm-slim > /dev/null 2>&1 || scripts/image/base.sh || exit 1
  dockerfile=dist/Dockerfile.stand-ins
  sed '/^FROM /s/@sha256:[0-9a-f]*//' Dockerfile > "$dockerfile"
  echo 'The images of the Dockerfile cannot be pulled: this one is built on stand-ins for them.' >&2
}

with_daemon() { # engine flags...
  local engine=$1 container
  shift
  "$engine" build --file "$dockerfile" "$@" "${arguments[@]}" --tag "$image" .
  if [ -n "${ARCHIVE:-}" ]; then
    rm -f "$ARCHIVE"
    "$engine" save $([ "$engine" != podman ] || echo --format oci-archive) --output "$ARCHIVE" "$image"
  fi
  container=$("$engine" create "$image")
  "$engine" cp "$container:/app/sbom.cdx.json" dist/sbom.cdx.json
  "$engine" rm "$container" > /dev/null
  size=$("$engine" image inspect --format '{{.Size}}' "$image")
}

# As root and without a daemon; chroot works inside of containers too.
with_buildah() {
  local container folder
  base_images buildah inspect --type image
  buildah bud --file "$dockerfile" --isolation chroot --format oci --pull-never "${arguments[@]}" \
    $(trusting) --tag "$image" .
  if [ -n "${ARCHIVE:-}" ]; then
    rm -f "$ARCHIVE"
    buildah push --quiet "$image" "oci-archive:$ARCHIVE:$image"
  fi
  container=$(buildah from "$image")
  folder=$(buildah mount "$container")
  cp "$folder/app/sbom.cdx.json" dist/sbom.cdx.json
  size=$(du -sxb "$folder" | cut -f1)
  buildah rm "$container" > /dev/null
}

main

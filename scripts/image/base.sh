#!/usr/bin/env bash
# Stand-ins for the two images that the Dockerfile begins with, where no registry of images can be
# reached: Debian from its own packages, and in it the Node that npm installed here. They bear the
# tags that the Dockerfile names, on this machine alone; build.sh leaves its digests out for them.
set -euo pipefail
cd "$(dirname "$0")/../.."

release=bookworm
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
node=$(echo node_modules/node-linux-*/bin/node)
npm_version=11.19.1

if ! command -v debootstrap > /dev/null; then
  echo 'No image can be pulled, and there is no debootstrap to make one: apt-get install debootstrap' >&2
  exit 1
fi
if [ ! -x "$node" ]; then
  echo 'There is no Node in node_modules: npm ci' >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

debootstrap --variant=minbase "$release" "$work/debian" "$mirror" > "$work/log" 2>&1 ||
  { tail -5 "$work/log" >&2; exit 1; }
# As the slim images are: without pages to read, now and for what is installed later.
printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/info/*' '/usr/share/locale/*' \
  '/usr/share/man/*' > "$work/debian/etc/dpkg/dpkg.cfg.d/slim"
rm -rf "$work"/debian/usr/share/{doc,info,locale,man}/* \
  "$work"/debian/var/lib/apt/lists/* "$work"/debian/var/cache/apt/archives/*.deb
echo "deb $mirror $release main" > "$work/debian/etc/apt/sources.list"

debian=$(buildah from scratch)
buildah add --quiet "$debian" "$work/debian" / > /dev/null
buildah config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$debian"
buildah commit --quiet "$debian" docker.io/library/debian:bookworm-slim > /dev/null
buildah rm "$debian" > /dev/null

(cd "$work" && npm pack --silent "npm@$npm_version" > /dev/null && tar -xzf npm-*.tgz)
with_node=$(buildah from docker.io/library/debian:bookworm-slim)
buildah add --quiet "$with_node" "$node" /usr/local/bin/node > /dev/null
buildah add --quiet "$with_node" "$work/package" /usr/local/lib/node_modules/npm > /dev/null
buildah run --isolation chroot "$with_node" -- \
  sh -c 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod +x /usr/local/bin/npm'
buildah commit --quiet "$with_node" docker.io/library/node:24-bookworm-slim > /dev/null
buildah rm "$with_node" > /dev/null

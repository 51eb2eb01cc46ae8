#!/bin/sh
# What a node of Kubernetes is made of that comes neither from Go nor from npm. Root installs it from
# Debian; nobody else can run a node.
set -eu
if [ "$(id -u)" -ne 0 ]; then
  echo "A node runs containers: make e2e needs root." >&2
  exit 1
fi
missing=
for pair in buildah:buildah conntrack:conntrack containerd:containerd debootstrap:debootstrap \
  gcc:gcc ip:iproute2 iptables:iptables openssl:openssl runc:runc; do
  command -v "${pair%%:*}" > /dev/null || missing="$missing ${pair#*:}"
done
[ -x /usr/lib/cni/bridge ] || missing="$missing containernetworking-plugins"
[ -e /usr/include/stdlib.h ] || missing="$missing libc6-dev"
[ -n "$missing" ] || exit 0
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086
apt-get install -q -y --no-install-recommends $missing

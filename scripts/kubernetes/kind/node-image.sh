#!/usr/bin/env bash
# An image of a node for kind, for machines that reach package registries and no registry of images:
# Debian, and Kubernetes from the Go module proxy. Then: KIND_NODE_IMAGE=IMAGE make kind
#
#   node-image.sh [IMAGE]     localhost/concordat-kind-node otherwise
#
# It needs root, podman, buildah and debootstrap, gcc and Go. Built once, it takes two minutes; the
# programs in it a quarter of an hour before, where the tests have not built them yet.
set -euo pipefail
cd "$(dirname "$0")/../../.."
image=${1:-localhost/concordat-kind-node}
export PATH="$PWD/node_modules/.bin:$PATH"

scripts/kubernetes/node/needs.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/images"
node scripts/kubernetes/find-node.ts "$work/programs"
scripts/kubernetes/pause.sh "$work/programs"
cp scripts/kubernetes/kind/node-image/* "$work"
cp -r "$(cd scripts/kubernetes/kind && go mod download && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)/images/base/files" "$work"
chmod -R u+w "$work/files"
"$work/programs/kubeadm" version -o short > "$work/version"

podman image exists debian:bookworm-slim || scripts/image/base.sh

# The images of the control plane, under the names that kubeadm asks for, on this node alone.
"$work/programs/kubeadm" config images list --kubernetes-version "$(cat "$work/version")" > "$work/list"
while read -r name; do
  program=$(basename "${name%:*}")
  from=scratch
  also=
  if [ "$program" = kube-proxy ]; then
    from=debian:bookworm-slim
    also='RUN apt-get update && apt-get install --yes --no-install-recommends conntrack iptables'
  elif [ "$program" = pause ]; then
    sed -i "s/PAUSE_VERSION/${name##*:}/" "$work/Dockerfile"
  fi
  printf '%s\n' "FROM $from" "$also" "COPY $program /usr/local/bin/$program" \
    'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' "ENTRYPOINT [\"$program\"]" |
    podman build --layers --quiet --pull=never --tag "$name" --file - "$work/programs" > /dev/null
  podman save --quiet --format oci-archive --output "$work/images/$program.tar" "$name"
  podman rmi "$name" > /dev/null
done < "$work/list"

podman build --layers --quiet --pull=never --tag "$image" "$work" > /dev/null
echo "$image, Kubernetes $(cat "$work/version")"

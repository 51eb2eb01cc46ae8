#!/usr/bin/env bash
# A whole Kubernetes cluster of one node, as root and without Docker: real pods, with their security
# contexts, limits, probes and Services. For the end-to-end test, and for whoever wants to look.
#
#   cluster.sh up             prints the path of a kubeconfig once the node is ready
#   cluster.sh load ARCHIVE   brings an image (an OCI archive) onto the node
#   cluster.sh stop-api       ends the API server; start-api starts it again
#   cluster.sh down           ends all that up started, and takes its mounts and network away
#
# PROGRAMS is the folder with the programs of Kubernetes, STATE the folder for everything that the
# cluster writes. One at a time on a machine: ports, bridge and chains of iptables are fixed.
# It needs these packages of Debian: buildah conntrack containerd containernetworking-plugins
# iproute2 iptables openssl runc
set -euo pipefail
: "${PROGRAMS:?is the folder with kube-apiserver, kubelet and the others}"
: "${STATE:?is the folder for what the cluster writes}"
scripts=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$STATE"
cd "$STATE"
STATE=$PWD

node=node1
pods=10.88.0.0/16
services=10.96.0.0/16
first_service=10.96.0.1
api=https://127.0.0.1:6443
etcd=http://127.0.0.1:2379
# Who speaks to the API server, with which group. The token of each is its name and these letters.
people="admin=system:masters
system:kube-controller-manager=
system:kube-scheduler=
system:kube-proxy=
system:node:$node=system:nodes"

up() {
  authority
  people_files
  start etcd "$PROGRAMS/etcd" --data-dir data/etcd --unsafe-no-fsync \
    --listen-client-urls $etcd --advertise-client-urls $etcd --listen-peer-urls http://127.0.0.1:2380
  start_api
  start controller-manager "$PROGRAMS/kube-controller-manager" --bind-address=127.0.0.1 \
    --kubeconfig="$(config_of system:kube-controller-manager)" --leader-elect=false \
    --service-account-private-key-file=keys/accounts.key --root-ca-file=keys/authority.crt \
    --use-service-account-credentials=true
  start scheduler "$PROGRAMS/kube-scheduler" --bind-address=127.0.0.1 \
    --kubeconfig="$(config_of system:kube-scheduler)" --leader-elect=false
  start_runtime
  kubelet_settings
  start kubelet "$PROGRAMS/kubelet" --config=kubelet.yaml --root-dir="$STATE/data/kubelet" \
    --kubeconfig="$(config_of "system:node:$node")" --hostname-override=$node
  start proxy "$PROGRAMS/kube-proxy" --kubeconfig="$(config_of system:kube-proxy)" \
    --hostname-override=$node --proxy-mode=iptables --cluster-cidr=$pods --conntrack-max-per-core=0 \
    --conntrack-tcp-timeout-established=0s --conntrack-tcp-timeout-close-wait=0s
  until_true 60 as_admin get "node/$node"
  as_admin wait --for=condition=Ready "node/$node" --timeout=60s > /dev/null
  config_of admin
}

start_api() {
  start api "$PROGRAMS/kube-apiserver" --etcd-servers=$etcd --secure-port=6443 \
    --tls-cert-file=keys/api.crt --tls-private-key-file=keys/api.key \
    --client-ca-file=keys/authority.crt --token-auth-file=tokens.csv \
    --kubelet-client-certificate=keys/to-kubelet.crt --kubelet-client-key=keys/to-kubelet.key \
    --kubelet-preferred-address-types=InternalIP --authorization-mode=Node,RBAC \
    --service-account-key-file=keys/accounts.pub \
    --service-account-signing-key-file=keys/accounts.key \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=$services \
    --enable-admission-plugins=NodeRestriction --allow-privileged=true
  until_true 90 as_admin get --raw /readyz
}

start_runtime() {
  mkdir -p network
  cat > network/10-bridge.conflist <<J
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/data/network",
            "ranges": [[{"subnet": "$pods"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
J
  # A process inside of a container may not be less likely to be ended than those around it.
  cat > containerd.toml <<T
version = 2
root = "$STATE/data/containerd"
state = "$STATE/run/containerd"
[grpc]
  address = "$STATE/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$STATE/network"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
T
  start containerd containerd -c containerd.toml
  until_true 30 ctr -a containerd.sock version
  pause_image
  load pause.tar
}

pause_image() {
  mkdir -p pause
  "$scripts/pause.sh" pause
  printf 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n' > pause/Dockerfile
  buildah bud --isolation chroot --quiet --tag localhost/pause:1 pause > /dev/null
  rm -f pause.tar
  buildah push --quiet localhost/pause:1 "oci-archive:pause.tar:localhost/pause:1"
}

# A machine whose disk is fuller than a node of a cluster should be is none of the test's business.
kubelet_settings() {
  cat > kubelet.yaml <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: $STATE/keys/authority.crt}
authorization: {mode: Webhook}
cgroupDriver: cgroupfs
containerRuntimeEndpoint: unix://$STATE/containerd.sock
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, nodefs.inodesFree: 0%, imagefs.available: 0%}
failCgroupV1: false
failSwapOn: false
imageGCHighThresholdPercent: 100
localStorageCapacityIsolation: false
oomScoreAdj: 0
Y
}

authority() {
  mkdir -p keys
  openssl genrsa -out keys/accounts.key 2048 2> /dev/null
  openssl rsa -in keys/accounts.key -pubout -out keys/accounts.pub 2> /dev/null
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=one-node \
    -keyout keys/authority.key -out keys/authority.crt 2> /dev/null
  certificate api /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,IP:$first_service,DNS:kubernetes.default.svc"
  certificate to-kubelet /O=system:masters/CN=to-kubelet extendedKeyUsage=clientAuth
}

certificate() { # name subject extension
  openssl req -newkey rsa:2048 -nodes -subj "$2" \
    -keyout "keys/$1.key" -out "keys/$1.request" 2> /dev/null
  openssl x509 -req -days 30 -in "keys/$1.request" -CA keys/authority.crt -CAkey keys/authority.key \
    -CAcreateserial -out "keys/$1.crt" -extfile <(echo "$3") 2> /dev/null
}

people_files() {
  mkdir -p people
  rm -f tokens.csv
  local person group
  while IFS='=' read -r person group; do
    echo "$person-of-$node,$person,$person,\"$group\"" >> tokens.csv
    cat > "$(config_of "$person")" <<Y
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$api", certificate-authority: $STATE/keys/authority.crt}}]
users: [{name: u, user: {token: "$person-of-$node"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
Y
  done <<< "$people"
}

config_of() { echo "$STATE/people/${1//:/-}.kubeconfig"; }
as_admin() { "$PROGRAMS/kubectl" --kubeconfig "$(config_of admin)" "$@"; }
load() { ctr -a "$STATE/containerd.sock" -n k8s.io images import "$1" > /dev/null; }

start() {
  local name=$1
  shift
  mkdir -p logs run
  # Not the caller's descriptors: who waits for the end of this script's output would wait for ever.
  setsid "$@" < /dev/null >> "logs/$name.log" 2>&1 &
  echo $! > "run/$name.pid"
}

stop() {
  [ -f "run/$1.pid" ] || return 0
  local pid
  pid=$(cat "run/$1.pid")
  kill "$pid" 2> /dev/null || true
  timeout 20 tail --pid="$pid" -f /dev/null || kill -KILL "$pid" 2> /dev/null || true
  rm -f "run/$1.pid"
}

until_true() { # seconds command...
  local ends=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    if [ $SECONDS -ge $ends ]; then
      echo "Not within its time: $*. See $STATE/logs." >&2
      tail -n 3 logs/*.log >&2
      return 1
    fi
    sleep 0.2
  done
}

down() {
  as_admin delete deployments,statefulsets,daemonsets,jobs,pods --all -A --wait=true \
    --grace-period=1 --timeout=60s > /dev/null 2>&1 || true
  for name in proxy kubelet scheduler controller-manager; do stop "$name"; done
  ctr -a containerd.sock -n k8s.io tasks ls -q 2> /dev/null | while read -r task; do
    ctr -a containerd.sock -n k8s.io tasks rm -f "$task" > /dev/null 2>&1 || true
  done
  for name in containerd api etcd; do stop "$name"; done
  awk -v ours="$STATE/" 'index($2, ours) == 1 {print $2}' /proc/mounts | sort -r |
    while read -r mount; do umount "$mount" || true; done
  ip link del cni0 2> /dev/null || true
  "$PROGRAMS/kube-proxy" --cleanup > /dev/null 2>&1 || true
}

case "${1:-}" in
  up) up ;;
  load) load "$2" ;;
  stop-api) stop api ;;
  start-api) start_api ;;
  down) down ;;
  *)
    sed -n '2,14p' "$0" >&2
    exit 2
    ;;
esac

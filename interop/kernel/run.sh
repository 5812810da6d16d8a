#!/bin/bash
# run.sh COMMAND [ARGS...]
#
# Boots a Linux kernel with SCTP (user-mode-linux) and runs COMMAND beside it, in namespaces of
# their own: nothing of this machine is touched, and everything ends with COMMAND.
#
# Two links lead to the peer: here sheave1 (10.99.1.1, fd99:1::1) and sheave2 (10.99.2.1,
# fd99:2::1), there eth0 (10.99.1.2, fd99:1::2) and eth1 (10.99.2.2, fd99:2::2). The peer speaks
# SCTP over plain IP and over UDP port 9899, echoes on port 7 and counts on port 9.
#
# COMMAND finds two paths in its environment: a line written to SHEAVE_PEER_INPUT is run in the
# peer, its output appears in SHEAVE_PEER_OUTPUT, followed by "=== " and its exit status.
#
# Where something is missing it prints "skipped: " and what, and succeeds.
# SHEAVE_PEER_SCTP=absent: the peer's kernel boots without its module sctp, and nothing runs there.
# SHEAVE_PEER_BOUND: seconds after which COMMAND is stopped (default 170).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $*"; exit 0; }
PATH=$PATH:/usr/sbin:/sbin

if [ "${SHEAVE_PEER_STAGE:-}" != inside ]; then
  [ $# -gt 0 ] || { sed -n '2,18p' "$0"; exit 2; }
  for tool in linux.uml busybox cc ip tc unshare timeout flock; do
    command -v $tool > /dev/null || skip "no $tool (Debian: user-mode-linux busybox-static gcc iproute2 util-linux)"
  done
  [ -w /dev/net/tun ] || skip "no access to /dev/net/tun"
  as_root=--map-root-user
  [ "$(id -u)" != 0 ] || as_root=
  inside="unshare $as_root --net --pid --fork --kill-child --mount-proc"
  $inside ip tuntap add dev probe mode tap 2> /dev/null || skip "no right to make a network namespace with a TAP device"
  image=${SHEAVE_PEER_IMAGE:-$here/../../target/interop/kernel-initramfs}
  mkdir -p "$(dirname "$image")"
  (
    flock 9
    for source in "$here"/{init,fresh,weather,initramfs.sh,*.c,*.h} "$here/../pattern.h" "$here"/../../crates/sockets/tests/rfc6458/linux/*.txt; do
      if [ ! -s "$image" ] || [ "$source" -nt "$image" ]; then "$here/initramfs.sh" "$image"; break; fi
    done
  ) 9> "$image.lock"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  status=0
  SHEAVE_PEER_STAGE=inside SHEAVE_PEER_WORK=$work SHEAVE_PEER_IMAGE=$image $inside "$0" "$@" || status=$?
  exit $status
fi

work=$SHEAVE_PEER_WORK
export SHEAVE_PEER_INPUT=$work/input SHEAVE_PEER_OUTPUT=$work/output
echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad
ip link set lo up
for link in 1 2; do
  ip tuntap add dev sheave$link mode tap
  ip addr add 10.99.$link.1/24 dev sheave$link
  ip addr add fd99:$link::1/64 dev sheave$link
  ip link set sheave$link up
done
mkfifo "$SHEAVE_PEER_INPUT"
exec 8<> "$SHEAVE_PEER_INPUT" # keeps the peer's input open
# The newer "vector" devices would lose trains of packets over UDP: they know no such offload.
HOME=$work TMPDIR=${SHEAVE_PEER_MEMORY:-/dev/shm} linux.uml mem=192M quiet con=null con0=fd:0,fd:1 \
  initrd="$SHEAVE_PEER_IMAGE" rdinit=/init uml_dir="$work/" sctp="${SHEAVE_PEER_SCTP:-present}" \
  eth0=tuntap,sheave1 eth1=tuntap,sheave2 \
  < "$SHEAVE_PEER_INPUT" > "$SHEAVE_PEER_OUTPUT" 2> "$work/errors" 8>&- &
machine=$!
for _ in $(seq 300); do
  grep -aq '^=== ready' "$SHEAVE_PEER_OUTPUT" && break
  kill -0 $machine 2> /dev/null || break
  sleep 0.1
done
# Its ptrace calls know no registers as large as those of processors with AMX.
! grep -aq 'ptrace set fp regs failed' "$SHEAVE_PEER_OUTPUT" "$work/errors" ||
  skip "user-mode Linux cannot run on this processor (it knows no AMX)"
grep -aq '^=== ready' "$SHEAVE_PEER_OUTPUT" || { cat "$SHEAVE_PEER_OUTPUT" "$work/errors" >&2; echo "the kernel peer did not start" >&2; exit 1; }
# On a machine whose processors are taken away now and then, the peer's timers stood still for 20 s and more, twice in
# some hundred boots. This signal, its timer's, makes it look at them.
while kill -ALRM $machine 2> /dev/null; do sleep 0.25; done &
# This shell is the first process of its process namespace: all others end with it.
timeout --kill-after 5 "${SHEAVE_PEER_BOUND:-170}" "$@"

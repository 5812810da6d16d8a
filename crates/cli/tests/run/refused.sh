# refused.sh SHEAVE PROGRAM
#
# Runs in a network namespace of its own, makes another one without any SCTP, and lets a program connect there in three
# ways: over each carrier, through each door, a line "FLAGS: OUTCOMES".
set -euo pipefail
sheave=$1
program=$2
source "$(dirname "$0")/neighbour.sh"
ip addr add 10.7.0.1/24 dev near0
ip link set near0 up
there ip link set lo up
there ip addr add 10.7.0.2/24 dev far0
there ip link set far0 up
for flags in "--raw" "--udp 9899"; do
  for door in listener preload; do
    outcome=$(timeout 100 "$sheave" run --door $door $flags -- python3 "$program" refused 10.7.0.2 5000 2>&1) || true
    echo "$flags: $outcome"
  done
done

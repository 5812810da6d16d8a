# addresses.sh SHEAVE PROGRAM
#
# Runs in a network namespace of its own, makes another one, and lets a program here talk to one there while the address
# of this one's interface changes: for each carrier the lines "FLAGS: known by ADDRESSES".
set -euo pipefail
sheave=$1
program=$2
source "$(dirname "$0")/neighbour.sh"
ip link set near0 up
there ip link set lo up
there ip addr add 10.7.0.2/24 dev far0
there ip link set far0 up
there ip route add 10.8.0.0/24 dev far0
set_up() {
  ip addr flush dev near0
  ip addr add 10.7.0.1/24 dev near0
  ip route add 10.7.0.2/32 dev near0
}

for flags in "--raw" "--udp 9899"; do
  set_up
  there timeout 100 "$sheave" run $flags -- python3 "$program" tells 5000 > server.log 2>&1 &
  server=$!
  for _ in $(seq 1200); do grep -q ready server.log && break; sleep 0.05; done
  timeout 100 "$sheave" run $flags -- python3 "$program" moves 10.7.0.2 5000 10.7.0.1 10.8.0.1 7000 > client.log 2>&1 ||
    { cat client.log server.log >&2; exit 1; }
  sed "s/^/$flags: /" client.log
  wait $server || { cat server.log >&2; exit 1; }
done

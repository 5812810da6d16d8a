# namespaces.sh SHEAVE
#
# Runs in a network namespace of its own, makes another one, and lets iperf3 measure between them: for each carrier and
# family a line "FLAGS ADDRESS: RATE". The sockets ask for the code point EF: behind the rate stand the packets that have
# it, of all, on the client's and on the server's side.
set -euo pipefail
sheave=$1
source "$(dirname "$0")/neighbour.sh"
ip addr add 10.7.0.1/24 dev near0
ip addr add fd07::1/64 dev near0 nodad
ip link set near0 up
there ip link set lo up
there ip addr add 10.7.0.2/24 dev far0
there ip addr add fd07::2/64 dev far0 nodad
there ip link set far0 up

# Counts what leaves, and what of it is marked.
rules='table inet seen {
  counter sent {}
  counter marked {}
  chain sends {
    type filter hook output priority 0;
    meta l4proto sctp counter name sent
    udp dport 9899 counter name sent
    meta l4proto sctp ip dscp ef counter name marked
    meta l4proto sctp ip6 dscp ef counter name marked
    udp dport 9899 ip dscp ef counter name marked
    udp dport 9899 ip6 dscp ef counter name marked
  }
}'
echo "$rules" | nft -f -
echo "$rules" | there nft -f -
seen() { "$@" nft reset counters | sed -n 's/.*packets \([0-9]*\) .*/\1/p' | tac | paste -s -d /; }

measure() { # FLAGS ADDRESS
  there timeout 150 "$sheave" run $1 -- iperf3 -s -1 --forceflush > server.log 2>&1 &
  local server=$!
  for _ in $(seq 1200); do grep -q 'Server listening' server.log && break; sleep 0.05; done
  timeout 150 "$sheave" run $1 -- iperf3 -c $2 --sctp -n 20M -f m -S 0xb8 > client.log 2>&1 || { cat client.log server.log >&2; exit 1; }
  wait $server || { cat server.log >&2; exit 1; }
  echo "$1 $2: $(sed -n 's/.*Bytes *\(.* .bits.sec\) *receiver/\1/p' client.log | head -1) $(seen env) $(seen there)"
}

for flags in "--raw" "--udp 9899"; do
  for address in 10.7.0.2 fd07::2; do measure "$flags" $address; done
done

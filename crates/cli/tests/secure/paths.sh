# paths.sh SHEAVE CERTIFICATES
#
# Runs in a network namespace of its own, makes another one with two links to it, and lets iperf3 send digits over both
# for some seconds, under `sheave run --secure` with keys that change each second. Meanwhile the first link loses all packets of
# SCTP for two seconds. The packets on the links go to near0.pcap and near1.pcap.
set -euo pipefail
sheave=$1 certificates=$2
source "$(dirname "$0")/../run/neighbour.sh"
ip link add near1 type veth peer name far1 netns $far
there ip link set lo up
for n in 0 1; do
  ip addr add 10.7.$n.1/24 dev near$n
  # A capture is of packets as they are on a wire.
  ip link set near$n gso_max_segs 1 up
  there ip addr add 10.7.$n.2/24 dev far$n
  there ip link set far$n gso_max_segs 1 up
  python3 "$(dirname "$0")/capture.py" near$n near$n.pcap > near$n.log 2>&1 &
  until grep -q listening near$n.log; do sleep 0.02; done
done
run() { # NAME ADDRESSES PROGRAM...
  local name=$1 addresses=$2
  shift 2
  timeout -s KILL 240 "$sheave" run --local $addresses --stats --set net.sctp.rto_min=100 --secure --rekey 1s \
    --key-log $name.keys --cert "$certificates/$name.pem" --key "$certificates/$name.key" \
    --ca "$certificates/ca.pem" -- "$@"
}
export -f run
export sheave certificates
there bash -c 'run server 10.7.0.2,10.7.1.2 iperf3 -s -1 --forceflush' > server.log 2>&1 &
server=$!
for _ in $(seq 400); do grep -q 'Server listening' server.log && break; sleep 0.05; done
# The first path carries the control connection over TCP, and is cut for SCTP alone.
# SHEAVE_SECURE_BYTES=1G sends so much instead of for six seconds.
amount=${SHEAVE_SECURE_BYTES:+-n $SHEAVE_SECURE_BYTES}
amount=${amount:--t 6}
cut='table inet cut {
  chain arrivals {
    type filter hook input priority 0;
    iifname { near0, far0 } udp dport 9899 drop
  }
}'
(
  sleep 2.5
  echo "$cut" | nft -f -
  echo "$cut" | there nft -f -
  sleep 2
  nft flush ruleset
  there nft flush ruleset
) &
run client 10.7.0.1,10.7.1.1 iperf3 -c 10.7.0.2 --sctp --repeating-payload $amount > client.log 2>&1 ||
  { cat client.log server.log >&2; exit 1; }
wait $server || { cat server.log >&2; exit 1; }
cat client.log
echo "epochs: $(wc -l < client.keys) $(wc -l < server.keys)"
# The last packets are written within 0.1 s.
sleep 0.5

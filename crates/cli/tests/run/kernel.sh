# kernel.sh SHEAVE
#
# Runs beside a guest kernel with SCTP (interop/kernel/run.sh) and lets programs under `sheave run` talk to the same
# programs on the guest's sockets, both ways, over IP protocol 132 and over UDP: a line "CARRIER: PROGRAM WAY RESULT" each.
set -uo pipefail
sheave=$1
count() { grep -ac '^=== ' "$SHEAVE_PEER_OUTPUT" || true; }
guest() { # COMMAND: runs it in the guest, which does not start the next one before
  local before
  before=$(count)
  echo "$1" > "$SHEAVE_PEER_INPUT"
  for _ in $(seq 800); do
    [ "$(count)" -gt "$before" ] && break
    sleep 0.05
  done
}
told() { # COMMAND: what it prints in the guest
  local from
  from=$(wc -c < "$SHEAVE_PEER_OUTPUT")
  guest "$1"
  tail -c +$((from + 1)) "$SHEAVE_PEER_OUTPUT" | tr -d '\r' | grep -av '^=== '
}
here() { timeout 150 "$sheave" run $flags -- "$@"; }
begin() { exec timeout 150 "$sheave" run --verbose $flags -- "$@"; } # in the background, to be ended by its number
rate() { sed -n 's/.*Bytes *\([0-9.]* .bits.sec\) *receiver.*/\1/p' | head -1; }

measure_out() { # CARRIER ADDRESS
  local got=
  guest "iperf3 -s > /tmp/server.log 2>&1 &"
  guest "for n in \$(seq 600); do netstat -ltn | grep -q :5201 && break; sleep 0.1; done"
  # On a busy machine the guest may not answer in iperf3's time.
  for _ in 1 2 3; do
    got=$(here iperf3 -c $2 --sctp -t 1 -f m 2>&1 | tee client.log | rate)
    [ -n "$got" ] && break
    cat client.log >&2
    sleep 1
  done
  guest "killall iperf3"
  echo "$1: iperf3 to-guest $got"
}
measure_in() { # CARRIER ADDRESS
  local got= said=
  begin iperf3 -s --forceflush > server.log 2>&1 &
  local server=$!
  for _ in $(seq 600); do grep -q 'Server listening' server.log && break; sleep 0.05; done
  for _ in 1 2 3; do
    said=$(told "timeout 100 iperf3 -c $2 --sctp -t 1 -f m 2>&1")
    got=$(rate <<< "$said")
    [ -n "$got" ] && break
    echo "$said" | cat - server.log >&2
    sleep 1
  done
  kill $server
  wait $server
  echo "$1: iperf3 from-guest $got"
}
messages_out() {
  guest "timeout 100 sctp_test -H 0.0.0.0 -P 5000 -l > /tmp/test.log 2>&1 &"
  guest "for n in \$(seq 600); do grep -q ' 5000 ' /proc/net/sctp/eps && break; sleep 0.1; done"
  here sctp_test -H 10.99.1.1 -P 5001 -h $2 -p 5000 -s -c 4 -x 2 -o 1 > client.log 2>&1 || cat client.log >&2
  guest "for n in \$(seq 600); do [ \$(grep -c 'Data 32768 bytes' /tmp/test.log) -ge 2 ] && break; sleep 0.1; done"
  echo "$1: sctp_test to-guest $(told "grep -c 'Data 32768 bytes' /tmp/test.log; killall sctp_test" | head -1)"
}
messages_in() {
  begin sctp_test -H 0.0.0.0 -P 5000 -l > server.log 2>&1 &
  for _ in $(seq 600); do grep -q '] listen(.* = 0' server.log && break; sleep 0.05; done
  guest "sctp_test -H 10.99.1.2 -P 5001 -h $2 -p 5000 -s -c 4 -x 2 -o 1 > /tmp/test.log 2>&1"
  for _ in $(seq 600); do [ "$(grep -c 'Data 32768 bytes' server.log)" -ge 2 ] && break; sleep 0.05; done
  echo "$1: sctp_test from-guest $(grep -c 'Data 32768 bytes' server.log)"
  kill $!
  wait $!
}

for carrier in raw udp; do
  case $carrier in
    raw) flags=--raw port=0 ;;
    udp) flags="--udp 9899" port=9899 ;;
  esac
  guest "echo $port > /proc/sys/net/sctp/encap_port"
  measure_out $carrier 10.99.1.2
  measure_in $carrier 10.99.1.1
  messages_out $carrier 10.99.1.2
  messages_in $carrier 10.99.1.1
done
exit 0

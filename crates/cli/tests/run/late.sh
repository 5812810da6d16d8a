# late.sh SHEAVE
#
# Runs in a network namespace of its own, makes another one, and gives this one an address while programs run: one binds
# there, one is reached there that listens at all addresses. Others connect to ports at which nobody listens.
set -euo pipefail
sheave=$1
source "$(dirname "$0")/neighbour.sh"
ip link set near0 up
there ip link set lo up
there ip addr add 10.7.0.2/24 dev far0
there ip addr add 10.8.0.2/24 dev far0
there ip link set far0 up
cat > server.py << 'END'
import errno, socket, subprocess, sys
SCTP = 132
def sock():
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, SCTP)
    made.settimeout(60)
    return made
server = sock()
server.bind(("", 5000))
server.listen(3)
subprocess.run(["ip", "addr", "add", "10.8.0.1/24", "dev", "near0"], check=True)
late = sock()
late.bind(("10.8.0.1", 5001))
print("bound:", late.getsockname()[0], flush=True)
accepted, _ = server.accept()
print("reached:", accepted.recv(100).decode(), flush=True)
bound = sock()
bound.bind(("", 5003))
for name, peer in (("own host", ("10.7.0.1", 5002)), ("own host", ("10.7.0.1", 5003)), ("peer", ("10.7.0.2", 5002))):
    try:
        sock().connect(peer)
        print("connected to a closed port")
    except OSError as error:
        print(f"closed port of the {name}:", errno.errorcode.get(error.errno, error), flush=True)
END
cat > client.py << 'END'
import socket, sys, time
made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
made.settimeout(60)
made.connect(("10.8.0.1", 5000))
made.sendall(b"hello")
time.sleep(60)
END
for flags in "--raw" "--udp 9899"; do
  ip addr flush dev near0
  ip addr add 10.7.0.1/24 dev near0
  timeout 100 "$sheave" run $flags -- python3 server.py > server.log 2>&1 &
  server=$!
  for _ in $(seq 1200); do grep -q bound server.log && break; sleep 0.05; done
  there timeout 100 "$sheave" run $flags -- python3 client.py > client.log 2>&1 &
  client=$!
  wait $server || cat client.log
  kill $client
  wait $client || true
  sed "s/^/$flags: /" server.log
done
echo hello > note
for what in "perf -s -1,perf -c 10.8.0.1 -n 1M" "recv inbox --once,send note 10.8.0.1"; do
  ip addr flush dev near0
  ip addr add 10.7.0.1/24 dev near0
  timeout 100 "$sheave" ${what%,*} > server.log 2>&1 &
  server=$!
  for _ in $(seq 1200); do grep -q "istening\|receiving into" server.log && break; sleep 0.05; done
  ip addr add 10.8.0.1/24 dev near0
  there timeout 60 "$sheave" ${what#*,} > client.log 2>&1 && echo "${what%% *} reached" || cat client.log server.log
  kill $server 2> /dev/null || true
done

# kernel.sh SHEAVE PART [GO]
#
# PART: programs, or diameter. GO: the program of interop/go-sctp, where it could be built.
#
# Runs beside a guest kernel with SCTP (interop/kernel/run.sh) and lets programs under `sheave run` talk to the same
# programs on the guest's sockets, both ways, over IP protocol 132 and over UDP: a line "CARRIER: PROGRAM WAY RESULT" each.
set -uo pipefail
sheave=$1 part=$2 go=${3:-}
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
begin() { exec timeout --kill-after 20 150 "$sheave" run --verbose $flags -- "$@"; } # in the background, to be ended by its number
rate() { sed -n 's/.*Bytes *\([0-9.]* .bits.sec\) *receiver.*/\1/p' | head -1; }

listening_there() { guest "for n in \$(seq 600); do grep -q ' $1 ' /proc/net/sctp/eps && break; sleep 0.1; done"; }
listening_here() { for _ in $(seq 600); do grep -q '] listen(.* = 0' server.log && break; sleep 0.05; done; }

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
  listening_there 5000
  here sctp_test -H 10.99.1.1 -P 5001 -h $2 -p 5000 -s -c 4 -x 2 -o 1 > client.log 2>&1 || cat client.log >&2
  guest "for n in \$(seq 600); do [ \$(grep -c 'Data 32768 bytes' /tmp/test.log) -ge 2 ] && break; sleep 0.1; done"
  echo "$1: sctp_test to-guest $(told "grep -c 'Data 32768 bytes' /tmp/test.log; killall sctp_test" | head -1)"
}
messages_in() {
  begin sctp_test -H 0.0.0.0 -P 5000 -l > server.log 2>&1 &
  listening_here
  guest "sctp_test -H 10.99.1.2 -P 5001 -h $2 -p 5000 -s -c 4 -x 2 -o 1 > /tmp/test.log 2>&1"
  for _ in $(seq 600); do [ "$(grep -c 'Data 32768 bytes' server.log)" -ge 2 ] && break; sleep 0.05; done
  echo "$1: sctp_test from-guest $(grep -c 'Data 32768 bytes' server.log)"
  kill $!
  wait $!
}

# Whether both ends have them.
has() {
  local program
  for program in "$@"; do command -v $program > /dev/null || return 1; done
}
file_out() { # CARRIER NAME SERVER CLIENT...: a file goes to a server there, which writes /tmp/got
  local name=$2 server=$3 wanted
  wanted=$(md5sum < sent | cut -d' ' -f1)
  guest "rm -f /tmp/got; timeout 100 $server > /tmp/server.log 2>&1 &"
  listening_there 5002
  here "${@:4}" < sent > client.log 2>&1 || cat client.log >&2
  guest "for n in \$(seq 200); do md5sum /tmp/got | grep -q $wanted && break; sleep 0.1; done; killall -9 ${server%% *}"
  echo "$1: $name to-guest $(told "md5sum /tmp/got | grep -q $wanted && echo same || ls -l /tmp/got; cat /tmp/server.log")"
}
file_in() { # CARRIER NAME CLIENT SERVER...: a file comes to a server here, which writes got
  local client=$3 wanted
  wanted=$(told "md5sum /tmp/sent | cut -d' ' -f1")
  rm -f got
  begin "${@:4}" > server.out 2> server.log &
  local server=$!
  listening_here
  guest "timeout 100 $client > /tmp/client.log 2>&1"
  for _ in $(seq 200); do [ "$(cat server.out got 2> /dev/null | md5sum | cut -d' ' -f1)" = "$wanted" ] && break; sleep 0.1; done
  echo "$1: $2 from-guest $([ "$(cat server.out got 2> /dev/null | md5sum | cut -d' ' -f1)" = "$wanted" ] && echo same || told "cat /tmp/client.log")"
  kill $server 2> /dev/null
  wait $server
}
echoes_out() { # CARRIER NAME CLIENT...: the echo of the kernel's own sockets answers
  echo "$1: $2 to-guest $(here "${@:3}" 2>&1 | tail -1)"
}
echoes_in() { # CARRIER NAME SERVER...: a line comes back to ncat there
  begin "${@:3}" > server.out 2> server.log &
  local server=$!
  listening_here
  echo "$1: $2 from-guest $(told "(echo hello; sleep 2) | timeout 100 ncat --sctp 10.99.1.1 5002 2> /tmp/client.log" | head -1)"
  kill $server 2> /dev/null
  wait $server
}
calls_out() {
  guest "timeout 100 sipp -sn uas -t s1 -i 10.99.1.2 -p 5060 -nostdin > /tmp/uas.log 2>&1 &"
  listening_there 5060
  here sipp -sn uac -t s1 -i 10.99.1.1 -p 5061 -m 10 -r 20 -nostdin -timeout 60 10.99.1.2:5060 > client.log 2>&1
  echo "$1: sipp to-guest $?"
  guest "killall -9 sipp"
}
calls_in() {
  begin sipp -sn uas -t s1 -i 10.99.1.1 -p 5060 -nostdin > server.out 2> server.log &
  local server=$!
  listening_here
  echo "$1: sipp from-guest $(told "sipp -sn uac -t s1 -i 10.99.1.2 -p 5061 -m 10 -r 20 -nostdin -timeout 60 10.99.1.1:5060 > /tmp/uac.log 2>&1; echo \$?")"
  kill -9 $server
  wait $server 2> /dev/null
}
# Both ends of freeDiameter: that there is peer1, that here peer2, and whoever listens lets the other in.
diameter_files() {
  local name file line
  echo 'ALLOW_IPSEC *.localdomain' > acl.conf
  for name in peer1 peer2; do
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$name.localdomain" -keyout $name.key -out $name.pem 2> /dev/null
  done
  diameter_conf peer1 10.99.1.2 /tmp/ > there.conf
  diameter_conf peer2 10.99.1.1 "" > here.conf
  {
    cat there.conf
    echo 'ConnectPeer = "peer2.localdomain" { ConnectTo = "10.99.1.1"; No_TLS; Port = 3868; };'
  } > calling.conf
  cat here.conf > caller.conf
  echo 'ConnectPeer = "peer1.localdomain" { ConnectTo = "10.99.1.2"; No_TLS; Port = 3868; };' >> caller.conf
  for file in acl.conf peer1.key peer1.pem there.conf calling.conf; do
    while read -r line; do guest "echo $line >> /tmp/coded"; done < <(base64 -w 700 $file)
    guest "base64 -d /tmp/coded > /tmp/$file; rm /tmp/coded"
  done
}
diameter_conf() { # NAME ADDRESS FOLDER
  cat << END
Identity = "$1.localdomain";
Realm = "localdomain";
Port = 3868;
SecPort = 0;
No_TCP;
No_IPv6;
TcTimer = 3;
TwTimer = 6;
ListenOn = "$2";
TLS_Cred = "$3$1.pem", "$3$1.key";
TLS_CA = "$3$1.pem";
LoadExtension = "acl_wl.fdx" : "$3acl.conf";
END
}
diameter_out() { # CARRIER: a peer here opens, is watched over, and leaves
  guest "freeDiameterd -c /tmp/there.conf > /tmp/diameter.log 2>&1 &"
  listening_there 3868
  : > client.log
  begin freeDiameterd -c caller.conf > client.out 2> client.log &
  local client=$! watched=no
  for _ in $(seq 450); do
    if answered client.log; then watched=yes; break; fi
    sleep 0.1
  done
  [ $watched = yes ] || cat client.out client.log >&2
  kill $client
  wait $client
  echo "$1: freeDiameter to-guest opened $(opened client.out) watched $watched left $(told "grep -c 'sent a DPR' /tmp/diameter.log")"
  guest "killall freeDiameterd; for n in \$(seq 200); do grep -q ' 3868 ' /proc/net/sctp/eps || break; sleep 0.1; done"
}
opened() { grep -c "SCTP,soc#\|> 'STATE_OPEN'" "$1"; }
# Whether a watchdog's request, 80 bytes, was answered, 92 bytes, from here or from there.
answered() {
  grep -q 'recvmsg(.*= 92$' $1 || { grep -q 'recvmsg(.*= 80$' $1 && grep -Eq '(sendmsg|writev)\(.*= 92$' $1; }
}
diameter_in() { # CARRIER: a peer there opens, and leaves
  begin freeDiameterd -c here.conf > server.out 2> server.log &
  local server=$!
  listening_here
  guest "freeDiameterd -c /tmp/calling.conf > /tmp/diameter.log 2>&1 &"
  for _ in $(seq 300); do grep -q "> 'STATE_OPEN'" server.out && break; sleep 0.1; done
  guest "killall freeDiameterd; for n in \$(seq 200); do grep -q ' 3868 ' /proc/net/sctp/eps || break; sleep 0.1; done"
  for _ in $(seq 100); do grep -q 'sent a DPR' server.out && break; sleep 0.1; done
  echo "$1: freeDiameter from-guest opened $(opened server.out) left $(grep -c 'sent a DPR' server.out)"
  kill $server
  wait $server
}
python_client='
import socket
peer = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
peer.connect(("10.99.1.2", 7))
for n in range(300):
    sent = bytes([n % 256]) * (1 + n * 7)
    peer.sendall(sent)
    got = b""
    while len(got) < len(sent):
        got += peer.recv(1 << 16)
    assert got == sent, n
print("echoed", n + 1)
'
python_server='
import socket
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
listener.bind(("10.99.1.1", 5002))
listener.listen()
peer, _ = listener.accept()
while message := peer.recv(1 << 16):
    peer.sendall(message)
'
programs() { # CARRIER
  if has ncat; then
    # The end of its input ends a server, too: it is a program's.
    file_out $1 ncat "ncat --sctp -l 5002 --sh-exec 'cat > /tmp/got'" ncat --sctp --send-only 10.99.1.2 5002
    file_in $1 ncat "ncat --sctp --send-only 10.99.1.1 5002 < /tmp/sent" ncat --sctp -l 10.99.1.1 5002 --sh-exec 'cat > got'
  fi
  if has socat; then
    file_out $1 socat "socat -u SCTP4-LISTEN:5002 OPEN:/tmp/got,creat,trunc" socat -u - SCTP4:10.99.1.2:5002
    file_in $1 socat "socat -u OPEN:/tmp/sent SCTP4:10.99.1.1:5002" socat -u SCTP4-LISTEN:5002 OPEN:got,creat,trunc
  fi
  if has python3 ncat; then
    echoes_out $1 python3 python3 -c "$python_client"
    echoes_in $1 python3 python3 -c "$python_server"
  fi
  if [ -n "$go" ] && has ncat; then
    echoes_out $1 go $go client 10.99.1.2 7 300
    echoes_in $1 go $go server 10.99.1.1 5002
  fi
  if has sipp; then
    calls_out $1
    calls_in $1
  fi
}

case $part in
  programs)
    head -c 300000 /dev/urandom > sent
    guest "head -c 300000 /dev/urandom > /tmp/sent"
    ;;
  diameter) diameter_files ;;
esac
for carrier in raw udp; do
  case $carrier in
    raw) flags=--raw port=0 ;;
    udp) flags="--udp 9899" port=9899 ;;
  esac
  guest "echo $port > /proc/sys/net/sctp/encap_port"
  case $part in
    programs)
      measure_out $carrier 10.99.1.2
      measure_in $carrier 10.99.1.1
      messages_out $carrier 10.99.1.2
      messages_in $carrier 10.99.1.1
      programs $carrier
      ;;
    diameter)
      diameter_out $carrier
      diameter_in $carrier
      ;;
  esac
done
exit 0

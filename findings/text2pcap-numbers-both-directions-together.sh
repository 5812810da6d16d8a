#!/usr/bin/env bash
# text2pcap 4.0.17 (Debian, Wireshark), -D -S: both directions of a made-up SCTP association share one TSN and one stream number.
#
# Guess: with -D, which turns ports and addresses round for outgoing packets, each direction counts for itself, as sequence numbers of TCP do
#   in the same program with -T: a log of a dialogue of M3UA or Diameter becomes a capture that a reader can put together.
# Seen: in, out, in, out get the TSNs 0, 1, 2, 3 and the stream sequence numbers 0, 1, 2, 3, so that in each direction every second message
#   lacks. All are ordered: a stack to which such packets are given delivers one message of "in" and none of "out", which begins
#   at 1 and has nothing before it (RFC 9260 §6.6). With -T and the same input each direction's numbers follow its bytes.
# Source: ui/text_import.c: hdr_data_chunk.tsn and .ssn, one of each, against tcp_in_seq_num and tcp_out_seq_num.
# Output seen: "sctp 2905: 0,0 2,2", "sctp 2906: 1,1 3,3", "tcp 2905: 0 2", "tcp 2906: 0 3"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder PATH=$folder/root/usr/bin:$PATH
tshark --version >/dev/null 2>&1 || exit 2
printf '%s\n' 'I 000000 61 61' 'O 000000 62 62 62' 'I 000000 63 63' 'O 000000 64 64 64' >dialogue
text2pcap -q -D -S 2905,2906,3 dialogue sctp.pcapng >/dev/null 2>&1 || exit 2
text2pcap -q -D -T 2905,2906 dialogue tcp.pcapng >/dev/null 2>&1 || exit 2
fields() { tshark -r "$1" -o tcp.relative_sequence_numbers:FALSE -T fields -E separator=, "${@:2}" 2>/dev/null; }
seen=$(
  for port in 2905 2906; do
    echo "sctp $port:" $(fields sctp.pcapng -Y "sctp.srcport == $port" -e sctp.data_tsn_raw -e sctp.data_ssn)
  done
  for port in 2905 2906; do
    echo "tcp $port:" $(fields tcp.pcapng -Y "tcp.srcport == $port" -e tcp.seq)
  done
)
echo "$seen"
[ "$seen" = "sctp 2905: 0,0 2,2
sctp 2906: 1,1 3,3
tcp 2905: 0 2
tcp 2906: 0 3" ] || { echo "changed" >&2; exit 1; }

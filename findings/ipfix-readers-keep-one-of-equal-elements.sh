#!/usr/bin/env bash
# netflow 0.12.2 (PyPI) and ipfixrw 0.1.0 (crate): of elements that an IPFIX template has twice a record holds the last.
#
# Guess: a template may have an element several times, whose order counts (RFC 7011 §8): the first sourceIPv4Address of a
#   tunnelled packet is that of the outer header, the second of the inner one; two egressInterface are two copies.
# Seen: a record is a dictionary by the element's name, in both, so that each value takes the place of the one before. No
#   error, and the outer address, of the gateway to be looked at, is gone. What ipfixrw has read so it cannot write again: it
#   puts the last value in all the places. netflow_parser 1.0.6 (crate), whose records are lists, has both.
# Source: netflow/ipfix.py, IPFIXDataRecord; ipfixrw, src/parser.rs, DataRecord.
# Output seen: "netflow: 192.0.2.2", "ipfixrw: 192.0.2.2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install netflow==0.12.2 || exit 2
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
ipfixrw = "=0.1.0"
TOML
cat >src/main.rs <<'RUST'
use ipfixrw::parser::DataRecordValue;
use std::{cell::RefCell, collections::HashMap, rc::Rc};

fn main() {
    let bytes = std::fs::read("packet").unwrap();
    let formatter = Rc::new(ipfixrw::information_elements::get_default_formatter());
    let templates = Rc::new(RefCell::new(HashMap::new()));
    let message = ipfixrw::parse_ipfix_message(&bytes, templates, formatter).unwrap();
    for value in message.iter_data_records().flat_map(|record| record.values.values()) {
        if let DataRecordValue::Ipv4Addr(address) = value {
            println!("ipfixrw: {address}");
        }
    }
}
RUST
cat >run.py <<'PY'
import ipaddress
import struct
import netflow

sets = struct.pack("!HHHHHHHH", 2, 16, 256, 2, 8, 4, 8, 4) + struct.pack("!HH", 256, 12)
sets += bytes([192, 0, 2, 1, 192, 0, 2, 2])
packet = struct.pack("!HHIII", 10, 16 + len(sets), 1700000000, 0, 1) + sets
open("packet", "wb").write(packet)
for flow in netflow.parse_packet(packet, {"netflow": {}, "ipfix": {}}).flows:
    for value in flow.data.values():
        print(f"netflow: {ipaddress.ip_address(value)}")
PY
seen=$(v/bin/python run.py && CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "netflow: 192.0.2.2
ipfixrw: 192.0.2.2" ] || { echo "changed" >&2; exit 1; }

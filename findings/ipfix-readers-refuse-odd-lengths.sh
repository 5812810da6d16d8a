#!/usr/bin/env bash
# ipfix 0.9.7 and netflow 0.12.2 (PyPI) and ipfixrw 0.1.0 (crate): a counter of three bytes makes the whole message an error.
#
# Guess: integers may be sent with fewer bytes than their type has (RFC 7011 §6.2), any number of them: an octetDeltaCount of
#   1 to 8, so that 3 and 5 are read as 1, 2 and 4 are. Meters take what fits their counters.
# Seen: 1, 2, 4 and 8 bytes are numbers in all three, 3, 5, 6 and 7 are errors: "No RLE", IPFIXTemplateError and "no variants
#   matched". Nothing of the message is returned, other sets and templates included, and over SCTP, where templates are sent
#   once, all later messages go with it.
# Source: ipfix/types.py; netflow/ipfix.py, the format letters for struct; ipfixrw, src/parser.rs, DataRecordValue.
# Output seen: "2: ipfix 515, netflow 515, ipfixrw 515", "3: ipfix error, netflow error, ipfixrw error", the same for 5
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ipfix==0.9.7 netflow==0.12.2 || exit 2
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
ipfixrw = "=0.1.0"
TOML
cat >src/main.rs <<'RUST'
use ipfixrw::parser::DataRecordKey;
use std::{cell::RefCell, collections::HashMap, rc::Rc};

fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let formatter = Rc::new(ipfixrw::information_elements::get_default_formatter());
    match ipfixrw::parse_ipfix_message(&bytes, Rc::new(RefCell::new(HashMap::new())), formatter) {
        Ok(message) => {
            let value = &message.iter_data_records().next().unwrap().values[&DataRecordKey::Str("octetDeltaCount")];
            let text = format!("{value:?}");
            print!("{}", text.split(['(', ')']).nth(1).unwrap());
        }
        Err(_) => print!("error"),
    }
}
RUST
CARGO_TARGET_DIR=$folder/target nice -n 15 cargo build --quiet 2>/dev/null || exit 2
cat >run.py <<'PY'
import io
import struct
import subprocess
import ipfix.ie
import ipfix.reader
import netflow

ipfix.ie.use_iana_default()

def first(packet):
    return next(ipfix.reader.from_stream(io.BytesIO(packet)).namedict_iterator())

def second(packet):
    return netflow.parse_packet(packet, {"netflow": {}, "ipfix": {}}).flows[0].data

def read(reader, packet):
    try:
        return reader(packet)["octetDeltaCount"]
    except Exception:
        return "error"

for size in (2, 3, 5):
    value = int(515).to_bytes(size, "big")
    sets = struct.pack("!HHHHHH", 2, 12, 256, 1, 1, size) + struct.pack("!HH", 256, 4 + size) + value
    packet = struct.pack("!HHIII", 10, 16 + len(sets), 1700000000, 0, 1) + sets
    open("packet", "wb").write(packet)
    third = subprocess.run(["target/debug/finding", "packet"], capture_output=True, text=True, check=True).stdout
    print(f"{size}: ipfix {read(first, packet)}, netflow {read(second, packet)}, ipfixrw {third}")
PY
seen=$(v/bin/python -W ignore run.py)
echo "$seen"
[ "$seen" = "2: ipfix 515, netflow 515, ipfixrw 515
3: ipfix error, netflow error, ipfixrw error
5: ipfix error, netflow error, ipfixrw error" ] || { echo "changed" >&2; exit 1; }

#!/usr/bin/env bash
# ipfix 0.9.7 (PyPI) and ipfixrw 0.1.0 (crate): an IPFIX message that withdraws all templates at once is an error.
#
# Guess: a template record with the number 2 (or 3, of options) and no fields withdraws all templates of its kind (RFC 7011
#   §8.1); an exporter over SCTP or TCP sends it before it begins anew. The withdrawal of one template is read in both.
# Seen: ValueError "bad template ID 2", and "no variants matched": both ask for numbers above 255, of templates that are
#   withdrawn, too. The records of the message in front of it are lost in ipfixrw; ipfix ends the reading of the stream. A
#   collector that starts afresh after such an error meets data without templates.
# Source: ipfix/template.py, decode_template_from; ipfixrw, src/parser.rs, the assertion on TemplateRecord.
# Output seen: "one: ipfix 1 flows, ipfixrw 1 flows", "all: ipfix ValueError, ipfixrw error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install ipfix==0.9.7 || exit 2
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
ipfixrw = "=0.1.0"
TOML
cat >src/main.rs <<'RUST'
use std::{cell::RefCell, collections::HashMap, rc::Rc};

fn main() {
    let bytes = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let formatter = Rc::new(ipfixrw::information_elements::get_default_formatter());
    match ipfixrw::parse_ipfix_message(&bytes, Rc::new(RefCell::new(HashMap::new())), formatter) {
        Ok(message) => print!("{} flows", message.iter_data_records().count()),
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

ipfix.ie.use_iana_default()
flows = struct.pack("!HHHHHH", 2, 12, 256, 1, 7, 2) + struct.pack("!HHH", 256, 6, 5000)
for name, number in (("one", 256), ("all", 2)):
    sets = flows + struct.pack("!HHHH", 2, 8, number, 0)
    packet = struct.pack("!HHIII", 10, 16 + len(sets), 1700000000, 0, 1) + sets
    open("packet", "wb").write(packet)
    found, reader = 0, ipfix.reader.from_stream(io.BytesIO(packet))
    try:
        for _ in reader.namedict_iterator():
            found += 1
        first = f"{found} flows"
    except Exception as error:
        first = type(error).__name__
    second = subprocess.run(["target/debug/finding", "packet"], capture_output=True, text=True, check=True).stdout
    print(f"{name}: ipfix {first}, ipfixrw {second}")
PY
seen=$(v/bin/python -W ignore run.py)
echo "$seen"
[ "$seen" = "one: ipfix 1 flows, ipfixrw 1 flows
all: ipfix ValueError, ipfixrw error" ] || { echo "changed" >&2; exit 1; }

#!/usr/bin/env bash
# pycrate 0.8.1, asn1tools 0.169.0 (PyPI) and erlang-asn1 25.2.3 (Debian): no two write all short strings alike in aligned PER.
#
# Guess: three mature stacks agree on strings, as they do on a PrintableString (SIZE(1..150,...)), the name of a node in S1AP and NGAP.
#   X.691 §30.5.6 and §30.5.7 say when a string begins at an octet: with one size if it has more than 16 bits, with a range of
#   sizes if the largest has 16 bits or more.
# Seen: at 16 bits and below each has a rule of its own. pycrate aligns each range of sizes, and 16 bits of digits but not of
#   letters; asn1tools aligns each range that goes beyond one character; Erlang aligns 16 bits also with one size. Of six types
#   pycrate has three wrong, Erlang two, asn1tools one. Each reads what it wrote, and a peer's octets as other characters
#   or as an error.
# Who cares: protocols with short codes and digits in strings; whoever takes a second stack as the reference for the first.
# Source: pycrate_asn1rt/asnobj_str.py; asn1tools/codecs/per.py, KnownMultiplierStringType; asn1-5.0.21/src/asn1ct_imm.erl.
# Output seen: "NumericString 0..3: c46007; pycrate c02307, asn1tools c02307", "NumericString 4..4: 91a28007; pycrate
#   80234507, Erlang 80234507", "PrintableString 2..2: b0b10007; Erlang 80616207", "PrintableString 1..2: c0616207; all agree"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
command -v erl >/dev/null || exit 2
apt-get download -qq erlang-asn1=1:25.2.3+dfsg-1+deb12u4 2>/dev/null || exit 2
dpkg -x erlang-asn1_*.deb root
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install pycrate==0.8.1 asn1tools==0.169.0 || exit 2
cat >run.py <<'PY'
import contextlib
import io
import subprocess
import asn1tools
from pycrate_asn1c.asnproc import PycrateGenerator, compile_text, generate_modules

# Type, bits of a character in aligned PER, sizes, value, and the bits of the characters.
STRINGS = [
    ("NumericString", 4, 0, 3, "12", "00100011"), ("NumericString", 4, 4, 4, "1234", "0010001101000101"),
    ("PrintableString", 8, 0, 1, "a", "01100001"), ("PrintableString", 8, 2, 2, "ab", "0110000101100010"),
    ("PrintableString", 8, 1, 2, "ab", "0110000101100010"), ("NumericString", 4, 5, 5, "12345", "00100011010001010110"),
]


def expected(bits, low, high, value, characters):
    """A BOOLEAN that is set, the string by X.691, and an octet with 7."""
    written = "1"
    if low != high:
        written += format(len(value) - low, f"0{(high - low).bit_length()}b")
    if high * bits > 16 or (low != high and high * bits == 16):
        written += "0" * (-len(written) % 8)
    written += characters
    written += "0" * (-len(written) % 8) + "00000111"
    return int(written, 2).to_bytes(len(written) // 8, "big").hex()


text = "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN\n"
erlang = ["ok = asn1ct:compile(\"M\", [per, noobj]), {ok, _} = compile:file('M', [])"]
for number, (kind, _, low, high, value, _) in enumerate(STRINGS):
    size = low if low == high else f"{low}..{high}"
    text += f"T{number} ::= SEQUENCE {{ set BOOLEAN, text {kind} (SIZE({size})), octet INTEGER (0..255) }}\n"
    erlang.append(f"{{ok, B{number}}} = 'M':encode('T{number}', {{'T{number}', true, \"{value}\", 7}})")
    erlang.append(f'[io:format("~2.16.0b", [X]) || <<X>> <= B{number}], io:nl()')
text += "END\n"
with open("M.asn1", "w", encoding="ascii") as file:
    file.write(text)
with contextlib.redirect_stdout(io.StringIO()):
    compile_text(text)
    generate_modules(PycrateGenerator, "compiled.py")
import compiled

codec = asn1tools.compile_string(text, "per")
command = ["erl", "-noshell", "-pa", "root/usr/lib/erlang/lib/asn1-5.0.21/ebin", "-eval", ", ".join(erlang + ["halt()."])]
third = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
for number, (kind, bits, low, high, value, characters) in enumerate(STRINGS):
    fields = {"set": True, "text": value, "octet": 7}
    first = getattr(compiled.M, f"T{number}")
    first.set_val(fields)
    right = expected(bits, low, high, value, characters)
    stacks = {"pycrate": first.to_aper().hex(), "asn1tools": codec.encode(f"T{number}", fields).hex(), "Erlang": third[number]}
    wrong = [f"{stack} {octets}" for stack, octets in stacks.items() if octets != right]
    print(f"{kind} {low}..{high}: {right}; {', '.join(wrong) or 'all agree'}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "NumericString 0..3: c46007; pycrate c02307, asn1tools c02307
NumericString 4..4: 91a28007; pycrate 80234507, Erlang 80234507
PrintableString 0..1: d84007; pycrate c06107
PrintableString 2..2: b0b10007; Erlang 80616207
PrintableString 1..2: c0616207; all agree
NumericString 5..5: 8023456007; all agree" ] || { echo "changed" >&2; exit 1; }

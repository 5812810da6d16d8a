#!/usr/bin/env bash
# org.mobicents.protocols.asn:asn 2.2.0-143 (Maven, the ASN.1 library of jSS7): -129 is written as 127, and so are other numbers below a full octet.
#
# Guess: writeInteger(long) writes the fewest octets of two's complement whose first bit is the sign (X.690 §8.3.2): ff 7f for -129, as it writes
#   00 80 for 128 with a zero in front; what is written is read again as the same number.
# Seen: an octet of ones in front is left out also where the next octet has no sign: -129 is the one octet 7f. So it is for -129 to -255, for
#   -32769 to -65535 and -8388609, which arrive as 127 to 1, as 32767 to 1 and as 8388607. -128, -256, -300 and -32768 are right, and so is each
#   positive number, which the usual tests of edges are made of.
# Source: AsnOutputStream.writeIntegerData.
# Output seen: "-128 80 -128", "-129 7f 127", "-255 01 1", "-256 ff00 -256", "-32769 7fff 32767", "-8388609 7fffff 8388607", "128 0080 128"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.mobicents.protocols.asn:asn:2.2.0-143 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import java.util.HexFormat;
import org.mobicents.protocols.asn.AsnInputStream;
import org.mobicents.protocols.asn.AsnOutputStream;

public class Finding {
    public static void main(String[] arguments) throws Exception {
        for (long number : new long[] {-128, -129, -255, -256, -32769, -8388609, 128}) {
            AsnOutputStream output = new AsnOutputStream();
            output.writeInteger(number);
            byte[] written = output.toByteArray();
            AsnInputStream input = new AsnInputStream(written);
            input.readTag();
            System.out.println(number + " " + HexFormat.of().formatHex(written, 2, written.length) + " " + input.readInteger());
        }
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "-128 80 -128
-129 7f 127
-255 01 1
-256 ff00 -256
-32769 7fff 32767
-8388609 7fffff 8388607
128 0080 128" ] || { echo "changed" >&2; exit 1; }

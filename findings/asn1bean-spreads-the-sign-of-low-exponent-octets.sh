#!/usr/bin/env bash
# com.beanit:asn1bean 1.14.0 (Maven): a REAL of 1e60 that the library wrote is read as 8.6e-18, 1e-100 as 1.2e-23.
#
# Guess: what encode writes decode reads, for each double; and the bases 8 and 16 with a scaling factor, which BER allows and other stacks send, are read as well
#   (X.690, §8.5.7.2 and §8.5.7.3).
# Seen: the octets of an exponent are put together as signed ones: a second octet from 80 to ff fills all bits above it. An exponent of 00 95, 149, is -107, one of
#   fe 83, -381, is -125. Exponents of one octet are right, and those whose second octet is below 80, as in 1e100, which is the value that one
#   would test. Base and scaling factor are not looked at: 16 times 16 is 32. No error in either case.
# Source: com/beanit/asn1bean/ber/types/BerReal.java, decode (byteCode[1 + i] << ..., without & 0xff).
# Output seen: "1.0E60: 81009504fa793930bcd1, read 8.636168555094444E-18", "1.0E100: ... the same", "base 16, 16 * 16^1: read 32.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=com.beanit:asn1bean:1.14.0 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import com.beanit.asn1bean.ber.ReverseByteArrayOutputStream;
import com.beanit.asn1bean.ber.types.BerReal;
import java.io.ByteArrayInputStream;
import java.util.HexFormat;

public class Finding {
    static double read(byte[] octets) throws Exception {
        BerReal real = new BerReal();
        real.decode(new ByteArrayInputStream(octets));
        return real.value;
    }

    public static void main(String[] arguments) throws Exception {
        HexFormat hex = HexFormat.of();
        for (double value : new double[] {1.5, 1e30, 1e60, 1e100, 1e-100}) {
            ReverseByteArrayOutputStream stream = new ReverseByteArrayOutputStream(32);
            new BerReal(value).encode(stream);
            System.out.println(value + ": " + hex.formatHex(stream.getArray()).substring(4) + ", read " + read(stream.getArray()));
        }
        System.out.println("base 2, 16 * 2^1: read " + read(hex.parseHex("0903800110")));
        System.out.println("base 16, 16 * 16^1: read " + read(hex.parseHex("0903a00110")));
        System.out.println("factor 4, 3 * 4 * 2^1: read " + read(hex.parseHex("0903880103")));
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "1.5: 80ff03, read 1.5
1.0E30: 80300c9f2c9cd04675, read 1.0E30
1.0E60: 81009504fa793930bcd1, read 8.636168555094444E-18
1.0E100: 8101181249ad2594c37d, read 1.0E100
1.0E-100: 81fe8301bff2ee48e053, read 1.157920892373162E-23
base 2, 16 * 2^1: read 32.0
base 16, 16 * 16^1: read 32.0
factor 4, 3 * 4 * 2^1: read 6.0" ] || { echo "changed" >&2; exit 1; }

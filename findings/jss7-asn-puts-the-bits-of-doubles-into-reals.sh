#!/usr/bin/env bash
# org.mobicents.protocols.asn:asn 2.2.0-143 (Maven, the ASN.1 library of jSS7): a REAL is IEEE's exponent and fraction as they lie in a double.
#
# Guess: writeReal(1.0) is a mantissa and an exponent of base 2 with 1 = M x 2^E (X.690 §8.5.7), such as 80 00 01, and readReal() reads what any
#   other BER encoder writes.
# Seen: the exponent is 1023 with IEEE's bias still on it, and the mantissa is the fraction without its hidden one, which for 1.0 is zero: by X.690
#   the octets mean 0, and those of 0.1 a number that no double holds. The other way 80 00 01 (1) is read as 4.9E-324, the smallest double
#   there is. The library reads back what it wrote, and reals in decimal form are right, so that tests
#   of it alone pass.
# Source: AsnOutputStream.writeRealData(double) and AsnInputStream.readRealData.
# Output seen: "1.0 written 8103ff00000000000000, by X.690 0, read 1.0", "800001, by X.690 1, read 4.9E-324", "80ff01, by X.690 0.5, read 6.4E-232", "03312e35 read 1.5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mvn -q -B dependency:copy -Dartifact=org.mobicents.protocols.asn:asn:2.2.0-143 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HexFormat;
import org.mobicents.protocols.asn.AsnInputStream;
import org.mobicents.protocols.asn.AsnOutputStream;

public class Finding {
    /** The value of a binary REAL of base 2 without scaling, as X.690 has it. */
    static String standard(byte[] contents) {
        int size = (contents[0] & 3) + 1;
        int exponent = new BigInteger(Arrays.copyOfRange(contents, 1, 1 + size)).intValueExact();
        BigDecimal mantissa = new BigDecimal(new BigInteger(1, Arrays.copyOfRange(contents, 1 + size, contents.length)));
        BigDecimal power = exponent < 0 ? BigDecimal.ONE.divide(BigDecimal.valueOf(2).pow(-exponent)) : BigDecimal.valueOf(2).pow(exponent);
        return mantissa.multiply(power).stripTrailingZeros().toPlainString();
    }

    static double read(byte[] contents) throws Exception {
        byte[] whole = new byte[contents.length + 2];
        whole[0] = 9;
        whole[1] = (byte) contents.length;
        System.arraycopy(contents, 0, whole, 2, contents.length);
        AsnInputStream input = new AsnInputStream(whole);
        input.readTag();
        return input.readReal();
    }

    public static void main(String[] arguments) throws Exception {
        HexFormat hex = HexFormat.of();
        AsnOutputStream output = new AsnOutputStream();
        output.writeReal(1.0);
        byte[] written = output.toByteArray();
        byte[] contents = Arrays.copyOfRange(written, 2, written.length);
        System.out.println("1.0 written " + hex.formatHex(contents) + ", by X.690 " + standard(contents) + ", read " + read(contents));
        for (String text : new String[] {"800001", "80ff01"}) {
            contents = hex.parseHex(text);
            System.out.printf("%s, by X.690 %s, read %.1E%n", text, standard(contents), read(contents));
        }
        System.out.println("03312e35 read " + read(hex.parseHex("03312e35")));
    }
}
JAVA
seen=$(LC_ALL=C java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "1.0 written 8103ff00000000000000, by X.690 0, read 1.0
800001, by X.690 1, read 4.9E-324
80ff01, by X.690 0.5, read 6.4E-232
03312e35 read 1.5" ] || { echo "changed" >&2; exit 1; }

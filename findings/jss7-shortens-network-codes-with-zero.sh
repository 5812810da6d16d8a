#!/usr/bin/env bash
# map-impl 3.0.1336 (Maven, of jSS7): a mobile network code of three digits that begins with 0 becomes one of two digits.
#
# Guess: a PLMN in MAP has an MCC and an MNC of two or three digits, as the filler says (TS 23.003 §2.2, TS 29.002 PLMN-Id): 13 20 10 is
#   310-012. What getMcc and getMnc give makes the same octets again, be it through text or through a second flag.
# Seen: both are ints: 012 is 12, and 12 is written with two digits and a filler, 13 f0 21, which is network 310-12. The
#   length is told nowhere else in the interface. Cell identities are built the same way: a cell of one operator is
#   reported as one of another, or of none. Codes from 100 on, and all of two digits, are right.
# Who cares: North America and India use such codes; location and roaming gateways on SIGTRAN that copy identities.
# Source: org/mobicents/protocols/ss7/map/primitives/PlmnIdImpl.java (b1 == 0), and the same lines in
#   CellGlobalIdOrServiceAreaIdFixedLengthImpl.java; later forks keep them.
# Output seen: "132010: 310, 12, written 13f021", "130014: 310, 410, written 130014", "cell 13201000010002: written 13f02100010002"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in ss7.map:map-impl:3.0.1336 ss7.map:map-api:3.0.1336 asn:asn:2.2.0-143; do
    mvn -q -B dependency:copy -Dartifact=org.mobicents.protocols.$artifact -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
mvn -q -B dependency:copy -Dartifact=javolution:javolution:5.5.1 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
cat >Finding.java <<'JAVA'
import java.util.HexFormat;
import org.mobicents.protocols.ss7.map.primitives.CellGlobalIdOrServiceAreaIdFixedLengthImpl;
import org.mobicents.protocols.ss7.map.primitives.PlmnIdImpl;

public class Finding {
    public static void main(String[] arguments) throws Exception {
        HexFormat hex = HexFormat.of();
        for (String octets : new String[] {"132010", "130014", "13f021"}) {
            PlmnIdImpl network = new PlmnIdImpl(hex.parseHex(octets));
            byte[] written = new PlmnIdImpl(network.getMcc(), network.getMnc()).getData();
            System.out.println(octets + ": " + network.getMcc() + ", " + network.getMnc() + ", written " + hex.formatHex(written));
        }
        String octets = "13201000010002";
        CellGlobalIdOrServiceAreaIdFixedLengthImpl cell = new CellGlobalIdOrServiceAreaIdFixedLengthImpl(hex.parseHex(octets));
        byte[] written = new CellGlobalIdOrServiceAreaIdFixedLengthImpl(
            cell.getMCC(), cell.getMNC(), cell.getLac(), cell.getCellIdOrServiceAreaCode()).getData();
        System.out.println("cell " + octets + ": written " + hex.formatHex(written));
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "132010: 310, 12, written 13f021
130014: 310, 410, written 130014
13f021: 310, 12, written 13f021
cell 13201000010002: written 13f02100010002" ] || { echo "changed" >&2; exit 1; }

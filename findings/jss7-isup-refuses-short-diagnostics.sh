#!/usr/bin/env bash
# isup-impl 3.0.1336 (Maven, of jSS7): a cause with a diagnostic of one octet cannot be read, three or six octets can.
#
# Guess: the length of a diagnostic depends on the cause (Q.850, table of cause values; Q.763 §3.12): the name of the parameter that was
#   not known is one octet (cause 99), a message type one (97), a new number any length (22), the number of a timer three (102).
#   The class holds octets and says nothing of their number, so that it takes all of them.
# Seen: the rest must be a multiple of three octets, else ParameterException: of a Confusion message, by which an exchange reports a
#   parameter that it does not know, the one mandatory parameter is refused, and with it the message. A diagnostic that was set
#   by a program is written at any length, so that the library cannot read what it wrote. Causes without a diagnostic, and timers,
#   are right.
# Who cares: soft switches on SIGTRAN with a newer exchange beside them: only then do such messages come.
# Source: org/mobicents/protocols/ss7/isup/impl/message/parameter/CauseIndicatorsImpl.java, decode ("3xN bytes"); forks keep it.
# Output seen: "8090: cause 16", "80e6333031: cause 102", "80e339: refused" (cause 99, parameter 39), "own 80e339: refused"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in isup-impl isup-api; do
    mvn -q -B dependency:copy -Dartifact=org.mobicents.protocols.ss7.isup:$artifact:3.0.1336 -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
for artifact in log4j:log4j:1.2.17 javolution:javolution:5.5.1; do
    mvn -q -B dependency:copy -Dartifact=$artifact -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
cat >Finding.java <<'JAVA'
import java.util.HexFormat;
import org.mobicents.protocols.ss7.isup.ParameterException;
import org.mobicents.protocols.ss7.isup.impl.message.parameter.CauseIndicatorsImpl;

public class Finding {
    static String read(String octets) {
        try {
            CauseIndicatorsImpl cause = new CauseIndicatorsImpl();
            cause.decode(HexFormat.of().parseHex(octets));
            return "cause " + cause.getCauseValue();
        } catch (ParameterException error) {
            return "refused";
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (String octets : new String[] {"8090", "80e6333031", "80e339"}) {
            System.out.println(octets + ": " + read(octets));
        }
        CauseIndicatorsImpl own = new CauseIndicatorsImpl();
        own.setCauseValue(99);
        own.setDiagnostics(new byte[] {0x39});
        String octets = HexFormat.of().formatHex(own.encode());
        System.out.println("own " + octets + ": " + read(octets));
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "8090: cause 16
80e6333031: cause 102
80e339: refused
own 80e339: refused" ] || { echo "changed" >&2; exit 1; }

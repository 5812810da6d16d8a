#!/usr/bin/env bash
# org.eclipse.leshan:leshan-core 1.5.0 (Maven): a comma inside a quoted attribute ends the link, and what follows it is a link with a cut name.
#
# Guess: Link.parse() reads CoRE links (RFC 6690 §2), in which the value of title, rt and if is a quoted string that may have commas and semicolons
#   (quoted-string of RFC 2616); a device whose title is "hall, north" is one link, or an error.
# Seen: two links: /a with a title that has one quote only, and a second whose address is what stands behind the comma, north". A semicolon in
#   quotes makes a second attribute. The list goes on as if a device had said so: a server takes the piece for an object of the
#   device, and writes it as <north"> in what it sends on. There is no exception.
# Source: org/eclipse/leshan/core/Link.java, parse (split by "," and then by ";").
# Output seen: "hall north: [/a] 1 [/b] 0", "hall, north: [/a] 1 [north"] 0 [/b] 0", "hall; north: [/a] 2 [/b] 0" (addresses, numbers of attributes)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for artifact in org.eclipse.leshan:leshan-core:1.5.0 org.slf4j:slf4j-api:1.7.36 org.slf4j:slf4j-nop:1.7.36; do
  mvn -q -B dependency:copy -Dartifact=$artifact -DoutputDirectory=lib >/dev/null 2>&1 || exit 2
done
cat >Finding.java <<'JAVA'
import java.nio.charset.StandardCharsets;
import org.eclipse.leshan.core.Link;

public class Finding {
    public static void main(String[] arguments) {
        for (String title : new String[] {"hall north", "hall, north", "hall; north"}) {
            Link[] links = Link.parse(("</a>;title=\"" + title + "\",</b>").getBytes(StandardCharsets.UTF_8));
            StringBuilder line = new StringBuilder(title + ":");
            for (Link link : links) {
                line.append(" [").append(link.getUrl()).append("] ").append(link.getAttributes().size());
            }
            System.out.println(line);
        }
    }
}
JAVA
seen=$(java -cp 'lib/*' Finding.java 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'hall north: [/a] 1 [/b] 0
hall, north: [/a] 1 [north"] 0 [/b] 0
hall; north: [/a] 2 [/b] 0' ] || { echo "changed" >&2; exit 1; }

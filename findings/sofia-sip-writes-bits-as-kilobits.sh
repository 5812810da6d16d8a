#!/usr/bin/env bash
# sofia-sip 1.12.11 (Debian libsofia-sip-ua0): b=TIAS, b=RS and b=RR are written as b=AS, and b=AS is an unknown kind.
#
# Guess: a description that is parsed and written keeps its b= lines, since a kind that a program does not know is ignored or
#   passed on (RFC 8866 §5.8); in the parsed form AS is sdp_bw_as, and others are sdp_bw_x, "unknown", with their name.
# Seen: it is the other way about: AS is sdp_bw_x with the name "AS", each other kind but CT is sdp_bw_as and loses its name. TIAS
#   (RFC 3890 §6.2) and the RTCP shares RS and RR (RFC 3556 §2) are bits a second, AS is kilobits: 30 kbit/s for a medium
#   leave a gateway as 30 Mbit/s, and RR:200, the RTCP of its receivers, as a medium of 200 kbit/s. A program that looks for
#   sdp_bw_as to find the limit of the session finds none.
# Source: libsofia-sip-ua/sdp/sdp_parse.c, parse_bandwidth: the test for "AS" is reversed in this version.
# Output seen: "AS:30 -> kind 0 name AS, b=AS:30", "TIAS:30000 -> kind 2 name none, b=AS:30000" (sdp_bw_x is 0, sdp_bw_as 2)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v gcc >/dev/null || exit 2
apt-get download -qq {libsofia-sip-ua0,libsofia-sip-ua-dev}=1.12.11+20110422.1+1e14eea~dfsg-6 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
cat >finding.c <<'C'
#include <sofia-sip/sdp.h>
#include <sofia-sip/su_alloc.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const char *lines[] = {"AS:30", "CT:30", "TIAS:30000", "RS:100", "RR:200"};
    su_home_t *home = su_home_new(sizeof *home);
    for (size_t at = 0; at < sizeof lines / sizeof *lines; at++) {
        char text[400];
        snprintf(text, sizeof text,
                 "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\n"
                 "m=audio 4000 RTP/AVP 0\r\nc=IN IP4 192.0.2.1\r\nb=%s\r\n", lines[at]);
        sdp_session_t *session = sdp_session(sdp_parse(home, text, strlen(text), 0));
        sdp_bandwidth_t *rate = session->sdp_media->m_bandwidths;
        const char *written = strstr(sdp_message(sdp_print(home, session, NULL, 0, 0)), "\r\nb=") + 2;
        const char *name = rate->b_modifier_name ? rate->b_modifier_name : "none";
        printf("%s -> kind %d name %s, %.*s\n", lines[at], rate->b_modifier, name, (int)strcspn(written, "\r"), written);
    }
    return 0;
}
C
gcc -I root/usr/include/sofia-sip-1.12 finding.c -o finding "$libraries/libsofia-sip-ua.so.0" || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./finding) || exit 2
echo "$seen"
[ "$seen" = "AS:30 -> kind 0 name AS, b=AS:30
CT:30 -> kind 1 name none, b=CT:30
TIAS:30000 -> kind 2 name none, b=AS:30000
RS:100 -> kind 2 name none, b=AS:100
RR:200 -> kind 2 name none, b=AS:200" ] || { echo "changed" >&2; exit 1; }

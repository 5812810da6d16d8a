#!/usr/bin/env bash
# Device::Gsm 1.61 (Debian libdevice-gsm-perl): parts of a message with a reference of 16 bits are read without their first letter.
#
# Guess: behind a header the text begins at the next septet, so that there are 0 to 6 bits to fill (TS 23.040 §9.2.3.24): one
#   behind the six octets with a reference of 8 bits (§9.2.3.24.1), none behind the seven with one of 16 bits (§9.2.3.24.8). Both
#   forms are read, as the module knows both by name.
# Seen: the bits to fill are counted as 7 - (octets * 8 mod 7), which is 7 where it should be 0. Of the header with 16 bits a whole
#   letter is passed over in every part, without an error, so that a message of three parts lacks its 1st, 153rd and 305th letter.
# Who cares: readers of modems; the centre of the sender's network chooses which of both forms arrives.
# Source: Device/Gsm/Sms/Token/UDH.pm, calculate_padding.
# Output seen: "no header: Transfer of calls", "8 bits: Transfer of calls", "16 bits: ransfer of calls"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libdevice-gsm-perl=1.61-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Device::Gsm::Sms;

my $text = "Transfer of calls";
for (["no header", "04", "", 0, 0], ["8 bits", "44", "0500032a0301", 7, 1], ["16 bits", "44", "060804002a0301", 8, 0]) {
    my ($name, $first, $header, $septets, $fill) = @$_;
    my $packed = unpack "H*", pack "b*", "0" x $fill . join "", unpack "(b7)*", $text;
    my $pdu = sprintf "00%s0c914477581006500000%s%02x%s%s", $first, "62113041000000", $septets + length $text, $header, $packed;
    my $message = Device::Gsm::Sms->new(header => "+CMGL: 1,1,,40", pdu => uc $pdu);
    print "$name: ", $message->text, "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "no header: Transfer of calls
8 bits: Transfer of calls
16 bits: ransfer of calls" ] || { echo "changed" >&2; exit 1; }

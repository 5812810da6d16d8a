#!/usr/bin/env bash
# Device::Gsm 1.61 (Debian libdevice-gsm-perl): an absolute or enhanced validity of a stored message is read as its text.
#
# Guess: the first octet of an SMS-SUBMIT says which of three validity periods follows (TS 23.040 §9.2.3.3): a relative one of one
#   octet, an absolute or an enhanced one of seven (§9.2.3.12). The module has a name for all four values of the two bits.
# Seen: an absolute period counts as a relative one of one octet, and of an enhanced one nothing is passed over. What is left of it
#   is taken for the length and the letters of the text, in front of the text. No error; the recipient is right.
# Who cares: tools that show or archive what a telephone has sent, and gateways that read their own queue of PDUs.
# Source: Device/Gsm/Sms/Token/VP.pm, decode: `$vpf & 0x02` is true of both, and one octet goes away.
# Output seen: "none: right", "relative: right", "absolute: wrong", "enhanced: wrong", each with the recipient +447785016005
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
my $packed = unpack "H*", pack "b*", join "", unpack "(b7)*", $text;
for (["none", "01", ""], ["relative", "11", "aa"], ["absolute", "19", "62113041000000"], ["enhanced", "09", "01050000000000"]) {
    my ($name, $first, $period) = @$_;
    my $pdu = uc sprintf "00%s000c914477581006500000%s%02x%s", $first, $period, length $text, $packed;
    my $message = Device::Gsm::Sms->new(header => "+CMGL: 1,2,,40", pdu => $pdu);
    print "$name: ", $message->text eq $text ? "right" : "wrong", ", to ", $message->recipient, "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "none: right, to +447785016005
relative: right, to +447785016005
absolute: wrong, to +447785016005
enhanced: wrong, to +447785016005" ] || { echo "changed" >&2; exit 1; }

#!/usr/bin/env bash
# Asterisk::Conf 1.08 (Debian libasterisk-agi-perl): a section whose name has a hyphen belongs to the one before, and zeros are not written.
#
# Guess: [from-trunk] is a section as [guest] is: names with hyphens are what Asterisk's own sample files have; and what was read is written.
# Seen: a name of a section is letters, digits and underscores, or the line is passed over, silently: the language of the trunk is that of [general],
#   and a rewrite of the file puts it there. Templates, [phone](!), go the same way. A setting of 0 is left out when the file is
#   written, so that the default takes its place: maxcallnumbers, qualifyfreqnotok, trunktimestamps.
# Source: Asterisk/Conf.pm, readconfig (the pattern ^\[(\w+)\]$), writeconfig (next if (!...{val})).
# Output seen: "sections: general guest", "language of general: de", "of guest: type=user, maxcallnumbers=0", "written: type => user"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libasterisk-agi-perl=1.08-1 2>/dev/null || exit 2
dpkg -x libasterisk-agi-perl_*.deb root
cat >iax.conf <<'CONF'
[general]
port=4569

[from-trunk]
type=peer
language=de

[guest]
type=user
maxcallnumbers=0
CONF
cat >run.pl <<'PL'
use strict;
use warnings;
use Asterisk::Conf::IAX;

my $conf = Asterisk::Conf::IAX->new;
$conf->configfile("iax.conf");
$conf->readconfig;
print "sections: @{[$conf->_contextorder]}\n";
print "language of general: $conf->{config}{general}{language}{val}\n";
my $text = "";
open my $handle, ">", \$text or die;
{
    no warnings;
    $conf->writeconfig($handle);
}
my ($guest) = $text =~ /^\[guest\]\n(.*?)\n\n/ms;
print "of guest: type=$conf->{config}{guest}{type}{val}, maxcallnumbers=$conf->{config}{guest}{maxcallnumbers}{val}\n";
print "written: $guest\n";
PL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "sections: general guest
language of general: de
of guest: type=user, maxcallnumbers=0
written: type => user" ] || { echo "changed" >&2; exit 1; }

#!/usr/bin/env bash
# TOML::Tiny 0.15 (Debian libtoml-tiny-perl 0.15-1): a text in which a date or a time stands is written without quotes.
#
# Guess: to_toml writes each text in quotes, so that from_toml(to_toml($data)) is $data; 1.0 stays a number with a fraction.
# Seen: a text is looked through for a date or time at any place and, if one is found, written bare: "restarted at 12:00:00" makes the whole file a
#   syntax error for each reader, "2026-11-30" becomes a date, and the texts "nan" and "inf" become numbers. 1.0 is
#   written as the integer 1, so that a reader with types refuses it. 0.10 is a Math::BigFloat, since its digits are not those that Perl prints
#   for 0.1, and a third of it has forty digits.
# Source: TOML/Tiny/Writer.pm, to_toml (/$DateTime/ is not anchored); TOML/Tiny/Parser.pm, inflate_float (0 + $value eq $value).
# Output seen: 'note=restarted at 12:00:00', 'day=2026-11-30', 'limit=inf', 'delay=1', "read again: toml syntax error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libtoml-tiny-perl=0.15-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use TOML::Tiny qw(from_toml to_toml);

my ($read) = from_toml(qq{note = "restarted at 12:00:00"\nday = "2026-11-30"\nlimit = "inf"\nhost = "stp"\ndelay = 1.0\nloss = 0.10\n});
my $written = to_toml($read);
print "$written\n";
my (undef, $error) = from_toml($written);
print "read again: ", $error ? $error =~ /(toml \w+ error)/ : "well", "\n";
print "loss: ", ref $read->{loss}, "\n";
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'day=2026-11-30
delay=1
host="stp"
limit=inf
loss=0.1
note=restarted at 12:00:00
read again: toml syntax error
loss: Math::BigFloat' ] || { echo "changed" >&2; exit 1; }

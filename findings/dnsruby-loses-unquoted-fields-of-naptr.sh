#!/usr/bin/env bash
# dnsruby 1.61.5 (Debian ruby-dnsruby): in a NAPTR record flags and service without quotes are nothing, and a blank ends the expression.
#
# Guess: a string of a zone file is a run of characters without blanks or is in quotes (RFC 1035, §5.1): u and "u" are the same, and between quotes blanks count;
#   ENUM records (RFC 6116) are written both ways.
# Seen: quotes are taken off by gsub!, which returns nil where there was none: no flag and no service, shown as "" "", so that a terminal rule is one
#   that goes on (RFC 3403, §4.1), and sending it is a NoMethodError. The line is split at blanks, quotes or not: the expression ends at the first, its rest is
#   the replacement, silently. Of a TXT the strings without quotes behind one with are lost.
# Source: dnsruby/resource/NAPTR.rb, from_string (values[2].gsub!, split(" ")); TXT.rb, parse.
# Output seen: 'quoted: 100 10 "u" "E2U+sip" ...', 'unquoted: 100 10 "" ""', then "encode: NoMethodError", 'blank: ... "!^.*$!mailto:a@example.com?subject=a" ...'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-dnsruby=1.61.5-3 ruby-simpleidn ruby-unf ruby-unf-ext 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby:$lib/x86_64-linux-gnu/ruby/vendor_ruby/3.1.0
for gem in "$lib"/ruby/gems/3.1.0/gems/net-ftp-*/lib "$folder"/root/usr/share/rubygems-integration/all/gems/*/lib; do path=$path:$gem; done
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "dnsruby"

def read(name, data)
  record = Dnsruby::RR.create("x.example. 60 IN #{data}")
  puts "#{name}: #{record.rdata_to_string}"
  record
end

read("quoted", 'NAPTR 100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .')
record = read("unquoted", 'NAPTR 100 10 u E2U+sip "!^.*$!sip:info@example.com!" .')
begin
  message = Dnsruby::Message.new
  message.add_answer(record)
  puts "encode: #{message.encode.length}"
rescue NoMethodError
  puts "encode: NoMethodError"
end
read("blank", 'NAPTR 100 10 "u" "E2U+email:mailto" "!^.*$!mailto:a@example.com?subject=a b!" example.')
read("TXT", 'TXT "a b" c')
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = 'quoted: 100 10 "u" "E2U+sip" "!^.*$!sip:info@example.com!" .
unquoted: 100 10 "" "" "!^.*$!sip:info@example.com!" .
encode: NoMethodError
blank: 100 10 "u" "E2U+email:mailto" "!^.*$!mailto:a@example.com?subject=a" b!\"
TXT: "a b"' ] || { echo "changed" >&2; exit 1; }

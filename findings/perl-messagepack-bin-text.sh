#!/bin/sh
# Perl's Data::MessagePack 1.02: text is sent as bin, unless the option `utf8` is set.
#
# One would expect str, at least for a string that Perl marks as text, as from the libraries of other
# languages. A server that requires text refuses such messages, and one in Python finds the bytes
# b"Ada" under the key b"name". With `utf8`, all strings are sent as str, also those of arbitrary
# bytes.
#
# Observed: "Ada" is c4 03 41 64 61 (bin), and "Zoë", a text with U+00EB, is c4 04 with its UTF-8;
# with `utf8` they are a3 and a4 (str).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libdata-messagepack-perl=1.02-1+b1 2>/dev/null || exit 2
dpkg-deb --extract ./*.deb . || exit 2
PERL5LIB=$(echo usr/lib/*/perl5/*)
export PERL5LIB
perl -e 'use Data::MessagePack' || exit 2
cat >run.pl <<'PERL'
use strict;
use warnings;
use Data::MessagePack;

my $text = Data::MessagePack->new->utf8;
for (["Ada", "c403416461", "a3416461"], ["Zo\x{eb}", "c4045a6fc3ab", "a45a6fc3ab"]) {
    my ($word, @expected) = @$_;
    utf8::upgrade($word);
    my @found = map { unpack "H*", $_ } Data::MessagePack->pack($word), $text->pack($word);
    print "by default $found[0], with utf8 $found[1]\n";
    die "changed\n" if "@found" ne "@expected";
}
PERL
perl run.pl || exit 1

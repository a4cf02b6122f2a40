#!/bin/sh
# Mojolicious 9.31: its WebSocket client closes the connection with 1009 at a message of more than
# 256 KiB.
#
# One would expect a limit of a megabyte, as of Python's websockets, or none by default, as of
# browsers. `finish` reports 1009 like a code that the server has sent. The transaction's attribute
# `max_websocket_size` raises the limit, if it is set before the message arrives.
#
# Observed: 262,144 bytes arrive, and 262,145 end the connection with 1009; with the attribute set,
# they arrive.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libmojolicious-perl=9.31+dfsg-1 2>/dev/null || exit 2
dpkg-deb --extract ./*.deb . || exit 2
# Links to files of packages that only its pages need.
find usr -xtype l -delete
PERL5LIB=usr/share/perl5
export PERL5LIB
perl -e 'use Mojolicious' || exit 2
cat >run.pl <<'PERL'
BEGIN { $ENV{MOJO_LOG_LEVEL} = "fatal" }
use Mojolicious::Lite -signatures;
use Mojo::IOLoop;
use Mojo::Server::Daemon;
use Mojo::UserAgent;

websocket "/" => sub ($c) {
    $c->on(message => sub ($c, $size) { $c->send({binary => "x" x $size}) });
};
my $server = Mojo::Server::Daemon->new(app => app, listen => ["http://127.0.0.1"], silent => 1)->start;
my $url = "ws://127.0.0.1:" . $server->ports->[0];

sub received ($size, $most = undef) {
    my $ua = Mojo::UserAgent->new;
    my $found = "nothing";
    $ua->websocket($url => sub ($ua, $tx) {
        $tx->max_websocket_size($most) if $most;
        $tx->on(finish => sub ($tx, $code, $why = undef) { $found = "closed with $code"; Mojo::IOLoop->stop });
        $tx->on(binary => sub ($tx, $bytes) { $found = length $bytes; Mojo::IOLoop->stop });
        $tx->send($size);
    });
    Mojo::IOLoop->start;
    print "$size bytes: $found\n";
    return $found;
}

die "changed\n" if received(262_144) ne 262_144;
die "changed\n" if received(262_145) ne "closed with 1009";
die "changed\n" if received(262_145, 1_000_000) ne 262_145;
PERL
perl run.pl 2>/dev/null || exit 1

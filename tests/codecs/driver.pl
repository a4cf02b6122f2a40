# `perl driver.pl [utf8]`: packs the JSON of each line, or unpacks the hexadecimal of one that starts with `<`.
use strict;
use warnings;
use B;
use Data::MessagePack;
use JSON::PP;

$| = 1;
my $codec = Data::MessagePack->new;
$codec->utf8 if @ARGV;

# The library has true and false of its own.
sub own {
    my ($value) = @_;
    return [map { own($_) } @$value] if ref $value eq "ARRAY";
    return $value unless ref $value;
    return $value ? Data::MessagePack::true() : Data::MessagePack::false();
}

sub shown {
    my ($value) = @_;
    return "n" unless defined $value;
    return "[" . join(",", map { shown($_) } @$value) . "]" if ref $value eq "ARRAY";
    return $value ? "t" : "f" if ref $value;
    return "i$value" unless B::svref_2object(\$value)->FLAGS & B::SVf_POK;
    utf8::encode($value) if utf8::is_utf8($value);
    return "s" . unpack "H*", $value;
}

while (my $line = <STDIN>) {
    chomp $line;
    print $line =~ /^</
        ? shown($codec->unpack(pack "H*", substr $line, 1)) . "\n"
        : unpack("H*", $codec->pack(own(decode_json($line)))) . "\n";
}

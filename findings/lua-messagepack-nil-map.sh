#!/bin/sh
# lua-MessagePack 0.5.2: a table with a nil before its last value is sent as a map, and a nil at the
# end is not sent.
#
# One would expect an array with null, since the values were written as a list. Lua does not store
# nil, so the library sees keys with a gap; `set_array("with_hole")` sends arrays also then. A nil at
# the end leaves no trace in either case. In the other direction, the length of a table that was
# unpacked from an array with nulls is not the number of its elements.
#
# Observed: {1, nil, 3} is 82 01 01 03 03 (a map), and with_hole 93 01 c0 03; {1, nil} is 91 01.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq lua-messagepack=0.5.2-1 lua5.4=5.4.4-3+deb12u1 2>/dev/null || exit 2
for package in ./*.deb; do
    dpkg-deb --extract "$package" . || exit 2
done
usr/bin/lua5.4 -v >/dev/null || exit 2
cat >run.lua <<'LUA'
local msgpack = require("MessagePack")

local function packed(value)
  return (msgpack.pack(value):gsub(".", function(byte)
    return string.format("%02x", byte:byte())
  end))
end

local function expect(value, wanted)
  print(packed(value))
  assert(packed(value) == wanted)
end

local function either_order(value, ...)
  local found = packed(value)
  print(found)
  for _, wanted in ipairs({ ... }) do
    if found == wanted then
      return
    end
  end
  error(found)
end

expect({ 1, 2, 3 }, "93010203")
either_order({ 1, nil, 3 }, "8201010303", "8203030101")
expect({ 1, nil }, "9101")
msgpack.set_array("with_hole")
expect({ 1, nil, 3 }, "9301c003")
expect({ 1, nil }, "9101")
LUA
LUA_PATH='usr/share/lua/5.3/?.lua' usr/bin/lua5.4 run.lua || exit 1

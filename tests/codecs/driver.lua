-- `lua driver.lua [with_hole]`: packs the Lua value of each line, or unpacks the hexadecimal of one that starts with `<`.
local msgpack = require("MessagePack")
if arg[1] then
  msgpack.set_array(arg[1])
end
io.stdout:setvbuf("line")

local function hex(text)
  return (text:gsub(".", function(byte)
    return string.format("%02x", byte:byte())
  end))
end

local function shown(value)
  if value == nil then
    return "n"
  elseif type(value) == "boolean" then
    return value and "t" or "f"
  elseif type(value) == "number" then
    return "i" .. string.format("%d", value)
  elseif type(value) == "string" then
    return "s" .. hex(value)
  end
  local last, parts = 0, {}
  for key in pairs(value) do
    last = math.max(last, key)
  end
  for key = 1, last do
    parts[key] = shown(value[key])
  end
  return "[" .. table.concat(parts, ",") .. "]"
end

for line in io.lines() do
  if line:sub(1, 1) == "<" then
    local bytes = line:sub(2):gsub("..", function(two)
      return string.char(tonumber(two, 16))
    end)
    print(shown(msgpack.unpack(bytes)))
  else
    print(hex(msgpack.pack(load("return " .. line)())))
  end
end

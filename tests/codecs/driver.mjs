// `node driver.mjs LIBRARY`: packs the JSON of each line, or unpacks the hexadecimal of one that starts with `<`.
import { createInterface } from "node:readline";

const library = await import(process.argv[2]);
const { encode = library.pack, decode = library.unpack } = { ...library, ...library.default };

function shown(value) {
  if (value === null) return "n";
  if (value === undefined) return "undefined";
  if (typeof value === "boolean") return value ? "t" : "f";
  if (typeof value === "bigint") return `b${value}`;
  if (typeof value === "number") return Number.isInteger(value) ? `i${value}` : `d${value}`;
  if (typeof value === "string") return `s${Buffer.from(value).toString("hex")}`;
  if (value instanceof Uint8Array) return `s${Buffer.from(value).toString("hex")}`;
  return Array.isArray(value) ? `[${value.map(shown).join(",")}]` : "object";
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = line.startsWith("<")
    ? shown(decode(Buffer.from(line.slice(1), "hex")))
    : Buffer.from(encode(JSON.parse(line))).toString("hex");
  console.log(answer);
}

import { decodeQR } from "qr/decode.js";
import { expect, it } from "vitest";
import { type QrDrawing, qrDrawing } from "../src/kit/qr.ts";

/** Return a drawing as an image, as a camera sees it, with `scale` pixels per module. */
function seen({ size, path }: QrDrawing, scale = 6) {
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let down = 0; down < scale; down++) {
      const row = (Number(y) * scale + down) * width + Number(x) * scale;
      for (let across = 0; across < scale; across++)
        data.fill(0, 4 * (row + across), 4 * (row + across) + 3);
    }
  }
  return { width, height: width, data };
}

it.each(["https://samedeal.example/r/KCES2M4X", "http://192.168.178.30:8000/r/H7KQ2M4X"])(
  "draws %s as a QR code that decodes to it",
  (address) => {
    expect(decodeQR(seen(qrDrawing(address)))).toBe(address);
  },
);

/** QR codes as SVG paths. */

import { encodeQR } from "qr";

/** The quiet zone around a code, in modules, as the standard requires. */
const QUIET = 4;

export interface QrDrawing {
  /** Modules from edge to edge. */
  readonly size: number;
  /** The dark modules, as an SVG path with one unit per module. */
  readonly path: string;
}

/** Return the QR code of a URL, with 15 percent error correction (level M). */
export function qrDrawing(address: string): QrDrawing {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET });
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  );
  return { size: rows.length, path: dark.join("") };
}

/** QR codes as drawings. */

import { encodeQR } from "qr";

/** Modules that stay free about a code, as its standard wants. */
const QUIET = 4;

export interface QrDrawing {
  /** Modules from edge to edge. */
  readonly size: number;
  /** The dark modules, as an SVG path with a module for a unit. */
  readonly path: string;
}

/** The QR code of an address. Fifteen percent of it may be unreadable. */
export function qrDrawing(address: string): QrDrawing {
  const rows = encodeQR(address, "raw", { ecc: "medium", border: QUIET });
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])),
  );
  return { size: rows.length, path: dark.join("") };
}

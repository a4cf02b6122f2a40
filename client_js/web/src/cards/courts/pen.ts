/** Drawing tools for the figures on the courts: their colours, and shapes as SVG. */

export const MAIN = "var(--main)";
export const SECOND = "var(--second)";
export const LIGHT = "var(--light)";
export const INK = "#1d2433";
export const IVORY = "#fdfbf4";
export const BRASS = "#e0a92e";
export const SILVER = "#b9c6d4";

interface Stroke {
  readonly stroke: string;
  readonly width: number;
}

export function path(d: string, fill: string, outline?: Stroke): string {
  const stroke = outline
    ? ` stroke="${outline.stroke}" stroke-width="${outline.width}" stroke-linejoin="round" stroke-linecap="round"`
    : "";
  return `<path d="${d}" fill="${fill}"${stroke}/>`;
}

export function line(d: string, stroke: string, width: number): string {
  return path(d, "none", { stroke, width });
}

export function dot(x: number, y: number, r: number, fill: string): string {
  return `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`;
}

export function at(x: number, y: number, turn: number, inner: string): string {
  return `<g transform="translate(${x} ${y}) rotate(${turn})">${inner}</g>`;
}

/** Mirror a drawing to both sides of the middle. */
export function both(inner: string): string {
  return `${inner}<g transform="scale(-1 1)">${inner}</g>`;
}

/** The bytes of a PNG file, or RGBA bytes with their size, as ImageData has them. */
export type Picture = Uint8Array | { width: number; height: number; data: Uint8Array | Uint8ClampedArray };

export interface CompareOptions {
  /** Without it the envelope decides where there is one, else ꟻLIP. */
  metric?: "envelope" | "exact" | "threshold" | "flip" | "psnr" | "ssim" | "fuzzy" | "yiq";
  /** What the metric accepts; its own default without it. */
  threshold?: number;
  /** How many pixels the metric may blame. */
  maxDiffering?: number;
  /** For the metric flip: how many pixels the viewer sees in a degree. */
  pixelsPerDegree?: number;
  /** Rectangles that do not count: x, y, width, height. */
  ignore?: [number, number, number, number][];
  /** The bytes of the golden's .envelope file. */
  envelope?: Uint8Array;
}

export interface Comparison {
  same: boolean;
  /** The metric's number and what it was held against, in one line. */
  text: string;
  /** As in `refrast compare --json`. */
  measurement: Record<string, unknown>;
  /** A PNG of the differences; empty where there are none. */
  differences: Uint8Array;
}

/** Reads the WebAssembly, once. */
export function load(source?: BufferSource): Promise<void>;
/** Throws where the pictures can not be compared. */
export function compare(golden: Picture, candidate: Picture, options?: CompareOptions): Comparison;

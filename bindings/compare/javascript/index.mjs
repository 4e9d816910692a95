// Comparing pictures as refrast does. The WebAssembly beside this file does the work; here bytes go in and out.

let library = null;

/** Reads the WebAssembly once; `source` may hold its bytes where they can not be read from beside this file. */
export async function load(source) {
  library ??= (await WebAssembly.instantiate(source ?? (await bytesBeside()), {})).instance.exports;
}

async function bytesBeside() {
  const address = new URL("refrast_compare.wasm", import.meta.url);
  // Node reads no files by fetch.
  if (address.protocol === "file:" && typeof process === "object") return (await import("node:fs/promises")).readFile(address);
  return (await fetch(address)).arrayBuffer();
}

const [GOLDEN, CANDIDATE, ENVELOPE, OPTIONS] = [0, 1, 2, 3];
const [ANSWER, DIFFERENCES] = [0, 1];

/**
 * Compares two pictures: each the bytes of a PNG file, or { width, height, data } with RGBA bytes, as ImageData has them.
 * Throws where they can not be compared.
 */
export function compare(golden, candidate, { metric, threshold, maxDiffering, pixelsPerDegree, ignore, envelope } = {}) {
  if (!library) throw new Error("call `await load()` before the first comparison");
  const size = (picture) => (picture.data ? [picture.width, picture.height] : undefined);
  const words = { golden: size(golden), candidate: size(candidate), metric, threshold, max_differing: maxDiffering, pixels_per_degree: pixelsPerDegree, ignore };
  fill(GOLDEN, golden.data ?? golden);
  fill(CANDIDATE, candidate.data ?? candidate);
  fill(ENVELOPE, envelope ?? new Uint8Array());
  fill(OPTIONS, new TextEncoder().encode(JSON.stringify(words)));
  library.refrast_compare();
  const { verdict, text, measurement } = JSON.parse(new TextDecoder().decode(taken(ANSWER)));
  if (verdict === "error") throw new Error(text);
  return { same: verdict === "same", text, measurement, differences: taken(DIFFERENCES) };
}

function fill(input, bytes) {
  const place = library.refrast_input(input, bytes.length);
  if (!place) throw new Error(`there is no memory for ${bytes.length} bytes`);
  // The memory may have grown, and then the old view of it is empty.
  new Uint8Array(library.memory.buffer, place, bytes.length).set(bytes);
}

function taken(output) {
  return new Uint8Array(library.memory.buffer, library.refrast_output(output), library.refrast_output_length(output)).slice();
}

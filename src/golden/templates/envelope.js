"use strict";
// Reads the envelope's file, which lies in the page; src/golden/envelope/FORMAT.md describes it. A file beside the page can
// not be read from here, and then only the pixels of the table show their boxes.
function openEnvelope(address) {
  if (!address.startsWith("data:")) return null;
  const bytes = Uint8Array.from(atob(address.slice(address.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer), number = (offset) => view.getUint32(offset, true);
  const width = number(12), height = number(16), bandRows = number(20), shapeCount = number(56), bandCount = number(60);
  const background = { low: [...bytes.subarray(32, 36)], high: [...bytes.subarray(36, 40)] };
  const table = 64 + 8 * shapeCount, unpacked = new Map();
  const inside = (own, color) => color.every((value, c) => own.low[c] <= value && value <= own.high[c]);

  function band(index) {
    if (!unpacked.has(index)) unpacked.set(index, (async () => {
      let start = table + 8 * bandCount + 8;
      for (let before = 0; before < index; before++) start += number(table + 8 * before);
      const packed = new Blob([bytes.subarray(start, start + number(table + 8 * index))]).stream();
      const data = new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
      const pixels = width * Math.min(bandRows, height - index * bandRows);
      // Where the further boxes of each pixel begin, and how many written-out boxes come before each code.
      const begin = new Uint32Array(pixels + 1), firstEscapes = new Uint32Array(pixels + 1);
      for (let pixel = 0; pixel < pixels; pixel++) {
        begin[pixel + 1] = begin[pixel] + data[pixels + pixel];
        firstEscapes[pixel + 1] = firstEscapes[pixel] + (data[pixel] === 255);
      }
      const others = begin[pixels], escapes = new Uint32Array(others + 1);
      for (let other = 0; other < others; other++) escapes[other + 1] = escapes[other] + (data[2 * pixels + other] === 255);
      return { data, pixels, begin, firstEscapes, others, escapes };
    })());
    return unpacked.get(index);
  }

  async function boxes(x, y, golden) {
    const { data, pixels, begin, firstEscapes, others, escapes } = await band(Math.floor(y / bandRows));
    const pixel = (y % bandRows) * width + x, escapesAt = 2 * pixels + 2 * others;
    const planes = firstEscapes[pixels] + escapes[others];
    const make = (code, escape, loose) => {
      if (code === 252) return { ...background, loose };
      const offsets = code === 255 ? [...Array(8).keys()].map((plane) => data[escapesAt + plane * planes + escape]) : bytes.subarray(64 + 8 * code, 72 + 8 * code);
      return { low: golden.map((value, c) => (value + offsets[c]) & 255), high: golden.map((value, c) => (value + offsets[4 + c]) & 255), loose };
    };
    const found = data[pixel] === 253 ? [] : [make(data[pixel], firstEscapes[pixel], false)];
    for (let other = begin[pixel]; other < begin[pixel + 1]; other++) {
      found.push(make(data[2 * pixels + other], firstEscapes[pixels] + escapes[other], data[2 * pixels + others + other] === 1));
    }
    return found;
  }

  function classify(found, color) {
    if (found.some((own) => !own.loose && inside(own, color))) return "right";
    if (found.some((own) => inside(own, color))) return "undecided";
    if (inside(background, color)) return "missing";
    return found.every((own) => inside(background, own.low) && inside(background, own.high)) ? "unexpected" : "outside";
  }
  return { boxes, classify };
}

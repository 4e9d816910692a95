"use strict";
// Judges a picture that is dropped on the page, chosen or pasted, as the case's own candidate was judged. The page carries the
// comparing part of refrast as WebAssembly; it is unpacked when the first picture comes.
let unpacked = null;

const unpack = () => unpacked ??= (async () => {
  const packed = Uint8Array.from(atob(byId("module").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  await refrastCompare.load(await new Response(stream).arrayBuffer());
})();

// Pictures beside the page can be read where a server hands them out, and not from a folder.
async function bytesAt(address) {
  try { return new Uint8Array(await (await fetch(address)).arrayBuffer()); } catch {
    throw new Error(`the browser keeps ${address} from a page that is a file: open the report through a server, as with python3 -m http.server`);
  }
}

async function measured(chosen, file) {
  const { golden, boxes } = Object.fromEntries(chosen.pictures);
  if (!chosen.words) throw new Error("this report is of a version that does not say how its cases were compared");
  if (!golden && chosen.verdict === "same") throw new Error("golden and candidate are equal, and such pictures are left out of a report");
  if (!golden) throw new Error("the report has no golden of this case");
  const { metric, threshold, max_differing: maxDiffering, pixels_per_degree: pixelsPerDegree, ignore } = chosen.words;
  const candidate = new Uint8Array(await file.arrayBuffer());
  const [reference, envelope] = await Promise.all([bytesAt(golden), boxes && bytesAt(boxes), unpack()]);
  return refrastCompare.compare(reference, candidate, { metric, threshold, maxDiffering, pixelsPerDegree, ignore, envelope });
}

async function judge(file) {
  const chosen = cases[current], said = (text, kind) => Object.assign(byId("judged"), { textContent: `${file.name}: ${text}`, className: kind });
  said("is being judged\u2026", "");
  // The line has to be seen before the work, which holds the page up.
  await new Promise((next) => setTimeout(next, 30));
  try {
    const result = await measured(chosen, file);
    // The reader may have gone on.
    if (chosen !== cases[current]) return;
    said((result.same ? "same: " : "different: ") + result.text, result.same ? "same" : "different");
    showJudged(file, result);
  } catch (error) {
    if (chosen === cases[current]) said(error.message, "error");
  }
}

// The picture in place of the report's own candidate, until another case is chosen. It can not be approved: nobody but the report knows it.
function showJudged(file, { measurement, differences }) {
  forgetJudged();
  judgedAddresses = { candidate: URL.createObjectURL(file) };
  if (differences.length) judgedAddresses.difference = URL.createObjectURL(new Blob([differences], { type: "image/png" }));
  for (const role of ["candidate", "difference", "envelope"]) { delete images[role]; delete samples[role]; delete missing[role]; }
  for (const [role, address] of Object.entries(judgedAddresses)) loadImage(role, address);
  const wrong = measurement.score.worst ?? [];
  showWorst(measurement.worst.map(({ x, y, golden, candidate, error }) => {
    const own = wrong.find((pixel) => pixel.x === x && pixel.y === y);
    return {
      x, y, golden: golden.join(" "), candidate: candidate.join(" "),
      error: own ? `${own.class}, ${own.distance} steps` : error.toFixed(4), boxes: own ? own.boxes.map(boxText) : [], causes: [],
    };
  }));
  suppose(-1);
  for (const id of ["marks", "bless", "hypotheses"]) byId(id).hidden = true;
  byId("own").hidden = false;
  if (mode === "envelope") mode = "side";
  draw();
  tellPointed();
}

let judgedAddresses = {};
function forgetJudged() {
  Object.values(judgedAddresses).forEach((address) => URL.revokeObjectURL(address));
  judgedAddresses = {};
}

stage.addEventListener("case", () => {
  forgetJudged();
  byId("own").hidden = true;
  byId("other").value = "";
  Object.assign(byId("judged"), { textContent: "or drop it here, or paste it", className: "" });
});
byId("own").addEventListener("click", () => {
  const index = current;
  current = -1;
  select(index);
  byId("other").focus();
});
byId("other").addEventListener("change", () => { if (byId("other").files.length) judge(byId("other").files[0]); });
keys.p = () => byId("other").click();
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files.length) judge(event.dataTransfer.files[0]);
});
addEventListener("paste", (event) => { if (event.clipboardData?.files.length) judge(event.clipboardData.files[0]); });

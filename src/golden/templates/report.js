"use strict";
// The viewer. All cases come from the JSON island; pictures are only loaded for the case that is looked at.
const cases = JSON.parse(document.getElementById("data").textContent).rows;
const byId = (id) => document.getElementById(id);
const stage = byId("stage");
const buttons = [...document.querySelectorAll("#cases button")];
const modes = ["side", "slider", "blink", "golden", "candidate", "difference", "envelope"];
let current = -1, mode = "side", split = 0.5, blinkTimer = 0;
let view = { scale: 0, x: 0, y: 0 };
// Whether the picture is to fill the pane; ends when the user zooms or moves.
let fitted = true;
let images = {}, samples = {}, envelope = null, pointed = "", marked = null;
// The verdict that alone is listed, if one is.
let only = "";

const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
};

function select(index, focus) {
  if (index < 0 || index >= cases.length) return;
  const chosen = cases[index], before = current;
  current = index;
  buttons[before]?.removeAttribute("aria-current");
  buttons[index].setAttribute("aria-current", "true");
  buttons[index].scrollIntoView({ block: "nearest" });
  if (focus) buttons[index].focus({ preventScroll: true });
  byId("name").textContent = chosen.name;
  byId("summary").textContent = chosen.verdict + ": " + chosen.summary;
  byId("notes").replaceChildren(...chosen.notes.map((note) => make("li", note)));
  byId("worst").hidden = chosen.worst.length === 0;
  // Columns that nobody has filled in only take room.
  byId("worst").classList.toggle("no-boxes", !chosen.worst.some((pixel) => pixel.boxes.length));
  byId("worst").classList.toggle("no-causes", !chosen.worst.some((pixel) => pixel.causes.length));
  byId("worst").tBodies[0].replaceChildren(...chosen.worst.map((pixel) => {
    const row = make("tr"), place = make("td"), button = make("button", pixel.x + ", " + pixel.y);
    button.addEventListener("click", () => goTo(pixel.x, pixel.y));
    place.append(button);
    row.append(place, make("td", pixel.golden), make("td", pixel.candidate), make("td", pixel.error));
    row.append(make("td", pixel.boxes.join(" or ")), make("td", pixel.causes.join("; ")));
    return row;
  }));
  images = {}; samples = {}; envelope = null; pointed = ""; marked = null;
  view = { scale: 0, x: 0, y: 0 };
  fitted = true;
  for (const [role, address] of chosen.pictures) {
    if (role === "boxes") { envelope = openEnvelope(address); continue; }
    const image = new Image();
    image.addEventListener("load", () => { if (images[role] === image) refresh(); });
    // Pictures beside the page are gone where somebody has carried the page alone away.
    image.addEventListener("error", () => { if (images[role] === image) { delete images[role]; draw(); byId("pixel").textContent = address + " is not there: keep the folder images beside this page"; } });
    image.src = address;
    images[role] = image;
  }
  if (mode === "envelope" && !images.envelope) mode = "side";
  draw();
}

function pane(roles, label) {
  const element = make("div", undefined, "pane");
  for (const role of roles) {
    if (!images[role]) continue;
    const image = images[role].cloneNode();
    image.dataset.role = role;
    image.alt = role + " of " + cases[current].name;
    element.append(image);
  }
  element.append(make("span", label));
  if (!roles.some((role) => images[role])) element.replaceChildren(make("span", "no " + label, "empty"));
  return element;
}

function draw() {
  clearInterval(blinkTimer);
  for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  byId("legend").hidden = mode !== "envelope" && !(mode === "side" && images.envelope);
  document.querySelector('[data-mode="envelope"]').disabled = !images.envelope;
  if (!cases[current].pictures.length) {
    stage.replaceChildren(pane([], cases[current].verdict === "same" ? "difference: every pixel is equal" : "picture"));
  } else if (mode === "side") {
    stage.replaceChildren(pane(["golden"], "golden"), pane(["candidate"], "candidate"),
      images.envelope ? pane(["envelope"], "envelope") : pane(["difference"], "difference"));
  } else if (mode === "slider") {
    const element = pane(["golden", "candidate"], "golden | candidate");
    element.append(make("div", undefined, "divider"));
    stage.replaceChildren(element);
  } else if (mode === "blink") {
    const element = pane(["golden", "candidate"], "golden");
    stage.replaceChildren(element);
    let second = false;
    const label = element.querySelector("span");
    const show = () => {
      for (const image of element.querySelectorAll("img")) {
        image.style.visibility = (image.dataset.role === "candidate") === second ? "visible" : "hidden";
      }
      label.textContent = second ? "candidate" : "golden";
      second = !second;
    };
    show();
    blinkTimer = setInterval(show, 500);
  } else {
    stage.replaceChildren(pane([mode], mode));
  }
  refresh();
}

const refresh = () => { if (fitted) fit(); else place(); };

function size() {
  const image = images.golden || images.candidate;
  return image && image.naturalWidth ? [image.naturalWidth, image.naturalHeight] : null;
}

function fit() {
  const extent = size(), element = stage.querySelector(".pane");
  if (!extent || !element) return;
  fitted = true;
  view.scale = Math.min(element.clientWidth / extent[0], element.clientHeight / extent[1]);
  view.x = (element.clientWidth - extent[0] * view.scale) / 2;
  view.y = (element.clientHeight - extent[1] * view.scale) / 2;
  place();
}

function place() {
  byId("zoom").textContent = view.scale ? Math.round(view.scale * 100) + " %" : "";
  for (const image of stage.querySelectorAll("img")) {
    image.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale || 1})`;
  }
  for (const element of stage.querySelectorAll(".pane")) {
    element.querySelector(".mark")?.remove();
    if (!marked || view.scale < 3) continue;
    const frame = make("div", undefined, "mark");
    Object.assign(frame.style, { left: view.x + marked[0] * view.scale + "px", top: view.y + marked[1] * view.scale + "px", width: view.scale + "px", height: view.scale + "px" });
    element.append(frame);
  }
  const element = stage.querySelector(".pane"), divider = stage.querySelector(".divider");
  if (divider) {
    const edge = split * element.clientWidth;
    divider.style.left = edge + "px";
    // Each is cut at the divider, in its own pixels, so that neither shows through the other.
    const cut = (edge - view.x) / (view.scale || 1);
    for (const image of element.querySelectorAll("img")) {
      image.style.clipPath = image.dataset.role === "candidate" ? `inset(0 0 0 ${cut}px)` : `inset(0 ${image.naturalWidth - cut}px 0 0)`;
    }
  }
}

function zoom(factor, x, y) {
  const element = stage.querySelector(".pane");
  if (!element || !view.scale) return;
  x ??= element.clientWidth / 2; y ??= element.clientHeight / 2;
  fitted = false;
  const scale = Math.min(64, Math.max(0.02, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  place();
}

function goTo(x, y) {
  const element = stage.querySelector(".pane");
  if (!element) return;
  fitted = false;
  view.scale = Math.max(view.scale, 16);
  marked = [x, y];
  view.x = element.clientWidth / 2 - (x + 0.5) * view.scale;
  view.y = element.clientHeight / 2 - (y + 0.5) * view.scale;
  place();
  tell(x, y);
}

// Browsers refuse to read pixels of files beside the page; then only the place is shown.
function sample(role, x, y) {
  const image = images[role];
  if (!image || !image.naturalWidth) return null;
  if (samples[role] === undefined) {
    try {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      context.getImageData(0, 0, 1, 1);
      samples[role] = context;
    } catch { samples[role] = null; }
  }
  return samples[role] ? [...samples[role].getImageData(x, y, 1, 1).data].join(" ") : null;
}

function tell(x, y) {
  const extent = size();
  if (!extent || x < 0 || y < 0 || x >= extent[0] || y >= extent[1]) { byId("pixel").textContent = "\u00a0"; return; }
  const listed = cases[current].worst.find((pixel) => pixel.x === x && pixel.y === y);
  const values = ["golden", "candidate"].map((role) => [role, listed ? listed[role] : sample(role, x, y)]);
  const text = `(${x}, ${y})` + values.map(([role, value]) => value ? `  ${role} ${value}` : "").join("");
  byId("pixel").textContent = listed ? withBoxes(text, listed.error, listed.boxes) : text;
  pointed = x + "," + y;
  if (listed || !envelope || !values[0][1]) return;
  const place = pointed, [golden, candidate] = values.map(([, value]) => value && value.split(" ").map(Number));
  envelope.boxes(x, y, golden).then((found) => {
    // The pointer may have gone on.
    if (pointed !== place) return;
    byId("pixel").textContent = withBoxes(text, candidate ? envelope.classify(found, candidate) : "", found.map(boxText));
  }).catch(() => { envelope = null; });
}

const withBoxes = (text, verdict, boxes) => text + (verdict ? `: ${verdict}` : "") + (boxes.length ? `; right would be ${boxes.join(" or ")}` : "");
const boxText = ({ low, high, loose }) => low.map((least, c) => least === high[c] ? least : least + "\u2013" + high[c]).join(" ") + (loose ? " (loose)" : "");

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

let drag = null;
stage.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".pane")) return;
  drag = { x: event.clientX, y: event.clientY, slides: event.target.classList.contains("divider") };
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener("pointermove", (event) => {
  const element = document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".pane") || stage.querySelector(".pane");
  if (!element) return;
  const box = element.getBoundingClientRect();
  if (drag && drag.slides) {
    split = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    place();
  } else if (drag) {
    move(event.clientX - drag.x, event.clientY - drag.y);
    drag.x = event.clientX; drag.y = event.clientY;
  }
  if (view.scale) tell(Math.floor((event.clientX - box.left - view.x) / view.scale), Math.floor((event.clientY - box.top - view.y) / view.scale));
});
stage.addEventListener("pointerup", () => { drag = null; });
stage.addEventListener("wheel", (event) => {
  const element = event.target.closest(".pane");
  if (!element) return;
  event.preventDefault();
  const box = element.getBoundingClientRect();
  zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

function step(direction) {
  let index = current + direction;
  while (index >= 0 && index < cases.length && buttons[index].parentElement.hidden) index += direction;
  select(index, true);
}

const move = (x, y) => { fitted = false; view.x += x; view.y += y; place(); };
const slide = (by) => { split = Math.min(1, Math.max(0, split + by)); place(); };
const keys = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: fit,
  w: () => move(0, 60), s: () => move(0, -60), a: () => move(60, 0), d: () => move(-60, 0),
  "[": () => slide(-0.02), "]": () => slide(0.02), "/": () => byId("find").focus(),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("find")) { if (event.key === "Escape") buttons[current]?.focus(); return; }
  const chosen = modes[Number(event.key) - 1];
  if (chosen === "envelope" && !images.envelope) return;
  if (chosen) { mode = chosen; draw(); } else if (keys[event.key]) keys[event.key](); else return;
  event.preventDefault();
});
byId("cases").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) select(Number(button.dataset.case));
});
byId("modes").addEventListener("click", (event) => {
  const { mode: chosen, zoom: by } = event.target.closest("button")?.dataset ?? {};
  if (chosen) { mode = chosen; draw(); }
  if (by === "fit") fit(); else if (by) zoom(by === "in" ? 1.5 : 1 / 1.5);
});
function filter() {
  const part = byId("find").value.toLowerCase();
  let count = 0;
  buttons.forEach((button, index) => {
    const shown = (!only || cases[index].verdict === only) && cases[index].name.toLowerCase().includes(part);
    button.parentElement.hidden = !shown;
    count += shown;
  });
  byId("shown").textContent = part || only ? `${count} of ${cases.length} cases` : "";
}
byId("find").addEventListener("input", filter);
byId("counts").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  only = only === button.dataset.verdict ? "" : button.dataset.verdict;
  for (const other of byId("counts").querySelectorAll("button")) other.setAttribute("aria-pressed", String(other.dataset.verdict === only));
  filter();
  if (buttons[current].parentElement.hidden) select(buttons.findIndex((other) => !other.parentElement.hidden));
});
addEventListener("resize", refresh);
// A link such as index.html#case=3&mode=slider&pixel=120,80 opens that case in that view at that pixel.
const wanted = new URLSearchParams(location.hash.slice(1));
if (modes.includes(wanted.get("mode"))) mode = wanted.get("mode");
select(Math.min(Math.max(0, Number(wanted.get("case")) || 0), cases.length - 1));
const pixel = (wanted.get("pixel") || "").split(",").map(Number);
if (pixel.length === 2 && pixel.every(Number.isInteger)) Promise.all(Object.values(images).map((image) => image.decode())).then(() => goTo(...pixel), () => {});

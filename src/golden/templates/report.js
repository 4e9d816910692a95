// The viewer. All cases come from the JSON island; pictures are only loaded for the case that is looked at. The address bar
// says what is looked at: index.html#case=walk-front&mode=slider&pixel=120,80.
const page = JSON.parse(document.getElementById("data").textContent);
const cases = page.rows;
const byId = (id) => document.getElementById(id);
const stage = byId("stage");
const buttons = [...document.querySelectorAll("#cases button")];
const modes = ["side", "slider", "blink", "golden", "candidate", "difference", "envelope"];
let current = -1, mode = "side", split = 0.5, blinkTimer = 0;
let view = { scale: 0, x: 0, y: 0 };
// Whether the picture is to fill the pane; ends when the user zooms or moves.
let fitted = true;
let images = {}, samples = {}, missing = {}, envelope = null, marked = null;
// The pixel that the line of values is about, if it is about one, and where the pointer is while it is over the pictures.
let pointed = null, pointer = null;
// The worst pixels of the pictures that are shown.
let worst = [];
// The verdict that alone is listed, if one is.
let only = "";
// The hypothesis whose picture stands in the golden's place, if one does.
let supposed = -1;

const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
};

// What stands in the golden's place, what it is called, and how the candidate differs from it.
const first = () => supposed < 0 ? "golden" : "hypothesis-" + supposed;
const firstName = () => supposed < 0 ? "golden" : cases[current].hypotheses[supposed].name;
const difference = () => supposed < 0 ? "difference" : first() + "-difference";

// Lets a hypothesis stand in the golden's place, or the golden itself.
function suppose(index) {
  supposed = index;
  if (index >= 0 && mode === "envelope") mode = "side";
  [...byId("hypotheses").querySelectorAll("button")].forEach((button, at) => button.setAttribute("aria-pressed", String(at - 1 === index)));
  byId("about").textContent = index < 0 ? "" : cases[current].hypotheses[index].about;
}

// A button for each hypothesis of the case, behind the one for the golden.
function showHypotheses(list) {
  byId("hypotheses").hidden = list.length === 0;
  const button = (name, index) => {
    const element = make("button", name);
    element.addEventListener("click", () => { suppose(index); draw(); remember(); });
    return element;
  };
  byId("names").replaceChildren(button("golden", -1), ...list.map(({ name }, index) => button(name, index)));
  suppose(-1);
}

function select(index, focus) {
  if (index < 0 || index >= cases.length || index === current) return;
  const chosen = cases[index], before = current;
  current = index;
  buttons[before]?.removeAttribute("aria-current");
  buttons[index].setAttribute("aria-current", "true");
  buttons[index].scrollIntoView({ block: "nearest" });
  if (focus) buttons[index].focus({ preventScroll: true });
  byId("name").textContent = chosen.name;
  byId("summary").textContent = chosen.verdict + ": " + chosen.summary;
  byId("notes").replaceChildren(...chosen.notes.map((note) => make("li", note)));
  showWorst(chosen.worst);
  showHypotheses(chosen.hypotheses);
  images = {}; samples = {}; missing = {}; envelope = null; pointed = null; marked = null;
  byId("pixel").textContent = "\u00a0";
  view = { scale: 0, x: 0, y: 0 };
  fitted = true;
  for (const [role, address] of chosen.pictures) {
    if (role === "boxes") envelope = openEnvelope(address); else loadImage(role, address);
  }
  if (mode === "envelope" && !images.envelope) mode = "side";
  byId("bless").hidden = !blessing(chosen);
  byId("command").textContent = blessing(chosen);
  showMark(chosen);
  // What else shows something of the case.
  stage.dispatchEvent(new Event("case"));
  draw();
  remember();
}

function showWorst(list) {
  worst = list;
  byId("worst").hidden = worst.length === 0;
  // Columns that nobody has filled in only take room.
  byId("worst").classList.toggle("no-boxes", !worst.some((pixel) => pixel.boxes.length));
  byId("worst").classList.toggle("no-causes", !worst.some((pixel) => pixel.causes.length));
  byId("worst").tBodies[0].replaceChildren(...worst.map((pixel) => {
    const row = make("tr"), place = make("td"), button = make("button", pixel.x + ", " + pixel.y);
    button.addEventListener("click", () => {
      goTo(pixel.x, pixel.y);
      stage.scrollIntoView({ block: "nearest" });
    });
    place.append(button);
    row.append(place, make("td", pixel.golden), make("td", pixel.candidate), make("td", pixel.error));
    row.append(make("td", pixel.boxes.join(" or ")), make("td", pixel.causes.join("; ")));
    return row;
  }));
}

function loadImage(role, address) {
  const image = new Image();
  image.addEventListener("load", () => { if (images[role] === image) { refresh(); tellPointed(); } });
  // Pictures beside the page are gone where somebody has carried the page alone away.
  image.addEventListener("error", () => {
    if (images[role] !== image) return;
    delete images[role];
    missing[role] = address;
    draw();
  });
  image.src = address;
  images[role] = image;
}

// What a shell is told to make the new picture of a case the golden.
function blessing(chosen) {
  if (!page.bless || chosen.verdict === "same") return "";
  const plain = /^[A-Za-z0-9_.\/-]+$/.test(chosen.name);
  return page.bless + " --exact " + (plain ? chosen.name : "'" + chosen.name.replaceAll("'", "'\\''") + "'");
}

function pane(roles, label) {
  const element = make("div", undefined, "pane");
  for (const role of roles) {
    if (!images[role]) continue;
    const image = images[role].cloneNode();
    image.dataset.role = role;
    image.alt = (role === first() ? firstName() : role) + " of " + cases[current].name;
    element.append(image);
  }
  element.append(make("span", label));
  if (!roles.some((role) => images[role])) {
    const lost = roles.map((role) => missing[role]).find((address) => address);
    const why = lost ? `${label}: ${lost} is not there; keep the folder images beside this page` : "no " + label;
    element.replaceChildren(make("span", why, "empty"));
  }
  return element;
}

function draw() {
  clearInterval(blinkTimer);
  for (const button of document.querySelectorAll("[data-mode]")) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  byId("legend").hidden = mode !== "envelope" && !(mode === "side" && images.envelope && supposed < 0);
  document.querySelector('[data-mode="envelope"]').disabled = !images.envelope || supposed >= 0;
  if (!cases[current].pictures.length) {
    stage.replaceChildren(pane([], cases[current].verdict === "same" ? "difference: every pixel is equal" : "picture"));
  } else if (mode === "side") {
    stage.replaceChildren(pane([first()], firstName()), pane(["candidate"], "candidate"),
      images.envelope && supposed < 0 ? pane(["envelope"], "envelope") : pane([difference()], "difference"));
  } else if (mode === "slider") {
    const element = pane([first(), "candidate"], firstName() + " | candidate");
    element.append(make("div", undefined, "divider"));
    stage.replaceChildren(element);
  } else if (mode === "blink") {
    const element = pane([first(), "candidate"], firstName());
    stage.replaceChildren(element);
    let second = false;
    const label = element.querySelector("span");
    const show = () => {
      for (const image of element.querySelectorAll("img")) {
        image.style.visibility = (image.dataset.role === "candidate") === second ? "visible" : "hidden";
      }
      label.textContent = second ? "candidate" : firstName();
      second = !second;
    };
    show();
    blinkTimer = setInterval(show, 500);
  } else {
    const [role, name] = { golden: [first(), firstName()], difference: [difference(), mode] }[mode] ?? [mode, mode];
    stage.replaceChildren(pane([role], name));
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
  const element = stage.querySelector(".pane"), extent = size();
  if (!element || !extent || x < 0 || y < 0 || x >= extent[0] || y >= extent[1]) return;
  fitted = false;
  view.scale = Math.max(view.scale, 16);
  marked = [x, y];
  view.x = element.clientWidth / 2 - (x + 0.5) * view.scale;
  view.y = element.clientHeight / 2 - (y + 0.5) * view.scale;
  place();
  tell(x, y);
  remember();
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
  if (!extent || x < 0 || y < 0 || x >= extent[0] || y >= extent[1]) { byId("pixel").textContent = "\u00a0"; pointed = null; return; }
  const listed = worst.find((pixel) => pixel.x === x && pixel.y === y);
  const values = ["golden", "candidate"].map((role) => [role, listed ? listed[role] : sample(role, x, y)]);
  if (supposed >= 0) values.push([firstName(), sample(first(), x, y)]);
  const text = `(${x}, ${y})` + values.map(([role, value]) => value ? `  ${role} ${value}` : "").join("");
  byId("pixel").textContent = listed ? withBoxes(text, listed.error, listed.boxes) : text;
  const place = pointed = { x, y };
  if (listed || !envelope || !values[0][1]) return;
  const [golden, candidate] = values.map(([, value]) => value && value.split(" ").map(Number));
  envelope.boxes(x, y, golden).then((found) => {
    // The pointer may have gone on.
    if (pointed !== place) return;
    byId("pixel").textContent = withBoxes(text, candidate ? envelope.classify(found, candidate) : "", found.map(boxText));
  }).catch(() => { envelope = null; });
}

const withBoxes = (text, verdict, boxes) => text + (verdict ? `: ${verdict}` : "") + (boxes.length ? `; right would be ${boxes.join(" or ")}` : "");
const boxText = ({ low, high, loose }) => low.map((least, c) => least === high[c] ? least : least + "\u2013" + high[c]).join(" ") + (loose ? " (loose)" : "");

const paneUnder = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".pane") || stage.querySelector(".pane");

// The line of values follows the pointer, and stays with it when another case comes.
function tellPointed() {
  const element = pointer && paneUnder(pointer);
  if (!element || !view.scale) return;
  const box = element.getBoundingClientRect();
  tell(Math.floor((pointer.clientX - box.left - view.x) / view.scale), Math.floor((pointer.clientY - box.top - view.y) / view.scale));
}

let drag = null;
stage.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".pane")) return;
  drag = { x: event.clientX, y: event.clientY, slides: event.target.classList.contains("divider") };
  stage.setPointerCapture(event.pointerId);
});
stage.addEventListener("pointermove", (event) => {
  pointer = event;
  const element = paneUnder(event);
  if (!element) return;
  const box = element.getBoundingClientRect();
  if (drag && drag.slides) {
    split = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    place();
  } else if (drag) {
    move(event.clientX - drag.x, event.clientY - drag.y);
    drag.x = event.clientX; drag.y = event.clientY;
  }
  tellPointed();
});
stage.addEventListener("pointerleave", () => { pointer = null; });
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

function nextHypothesis() {
  if (byId("hypotheses").hidden) return;
  suppose(supposed + 1 < cases[current].hypotheses.length ? supposed + 1 : -1);
  draw();
  tellPointed();
  remember();
}
const move = (x, y) => { fitted = false; view.x += x; view.y += y; place(); };
const slide = (by) => { split = Math.min(1, Math.max(0, split + by)); place(); };
const keys = {
  j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: fit,
  w: () => move(0, 60), s: () => move(0, -60), a: () => move(60, 0), d: () => move(-60, 0),
  "[": () => slide(-0.02), "]": () => slide(0.02), "/": () => byId("find").focus(),
  y: () => mark("approve"), n: () => mark("reject"), h: nextHypothesis,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === byId("find")) {
    if (event.key === "Escape") buttons[current]?.focus();
    // The case that is looked at stays where it is listed; else the first that is.
    const found = buttons[current]?.parentElement.hidden ? buttons.findIndex((button) => !button.parentElement.hidden) : current;
    if ((event.key === "Enter" || event.key === "ArrowDown") && found >= 0) {
      event.preventDefault();
      select(found);
      buttons[found].focus();
    }
    return;
  }
  const chosen = modes[Number(event.key) - 1];
  if (chosen === "envelope" && (!images.envelope || supposed >= 0)) return;
  if (chosen) show(chosen); else if (keys[event.key]) keys[event.key](); else return;
  event.preventDefault();
});
byId("cases").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) select(Number(button.dataset.case));
});
byId("modes").addEventListener("click", (event) => {
  const { mode: chosen, zoom: by } = event.target.closest("button")?.dataset ?? {};
  if (chosen) show(chosen);
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
addEventListener("hashchange", openAddress);

function show(chosen) { mode = chosen; draw(); remember(); }

// Names what is looked at in the address bar, so that a link can be copied and the page loaded anew.
function remember() {
  const words = new URLSearchParams({ case: cases[current].name });
  if (supposed >= 0) words.set("hypothesis", firstName());
  if (mode !== "side") words.set("mode", mode);
  if (marked) words.set("pixel", marked.join(","));
  // Commas and slashes need no escape here, and a person reads it.
  history.replaceState(null, "", "#" + words.toString().replaceAll("%2C", ",").replaceAll("%2F", "/"));
}

// Shows what the address bar names; a case that is not there any more leaves the first.
function openAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1)), pixel = (wanted.get("pixel") || "").split(",").map(Number);
  const named = cases.findIndex((own) => own.name === wanted.get("case"));
  mode = modes.includes(wanted.get("mode")) ? wanted.get("mode") : "side";
  // The case that is looked at already is only shown anew.
  marked = pointed = null;
  byId("pixel").textContent = "\u00a0";
  if (Math.max(named, 0) === current) show(mode === "envelope" && !images.envelope ? "side" : mode);
  select(Math.max(named, 0));
  const chosen = current, guess = cases[current].hypotheses.findIndex(({ name }) => name === wanted.get("hypothesis"));
  if (guess !== supposed) { suppose(guess); draw(); remember(); }
  if (named < 0 || pixel.length !== 2 || !pixel.every(Number.isInteger)) return;
  // What does not load says so in its place.
  Promise.allSettled(Object.values(images).map((image) => image.decode())).then(() => { if (chosen === current) goTo(...pixel); });
}

// What somebody thinks of each picture: approved, rejected, or nothing yet. The list is what `refrast golden bless --from`
// reads. It names the picture by its hash, so that nobody blesses another one than was looked at.
const wordOf = { approve: "approved", reject: "rejected" };
const storage = "refrast-marks " + page.title;
let marks = new Map();

// Marks stay with the browser, as far as it keeps anything for a file. Those of another picture of the case are gone.
function recallMarks() {
  try {
    const kept = new Map(JSON.parse(localStorage.getItem(storage) || "[]"));
    marks = new Map([...kept].filter(([name, mark]) => cases.some((own) => own.name === name && own.hash === mark.hash && wordOf[mark.word])));
  } catch { marks = new Map(); }
}

function mark(word) {
  const chosen = cases[current];
  // Beside a picture that is not the report's there are no marks.
  if (!chosen.hash || !page.bless || byId("marks").hidden) return;
  if (marks.get(chosen.name)?.word === word) marks.delete(chosen.name); else marks.set(chosen.name, { word, hash: chosen.hash });
  try { localStorage.setItem(storage, JSON.stringify([...marks])); } catch { /* Nothing is kept, and the list can still be saved. */ }
  showMark(chosen);
}

function showMark(chosen) {
  byId("list").hidden = !page.bless;
  byId("marks").hidden = !page.bless || !chosen.hash;
  const own = marks.get(chosen.name)?.word;
  for (const button of document.querySelectorAll("[data-mark]")) button.setAttribute("aria-pressed", String(button.dataset.mark === own));
  buttons.forEach((button, index) => { button.dataset.marked = wordOf[marks.get(cases[index].name)?.word] ?? ""; });
  const count = (word) => [...marks.values()].filter((other) => other.word === word).length;
  byId("marked").textContent = marks.size ? `${count("approve")} approved, ${count("reject")} rejected` : "";
  byId("save").disabled = !marks.size;
}

const list = () => "# Marks of a report of refrast: refrast golden bless --from THIS-FILE\n" +
  [...marks].map(([name, { word, hash }]) => `${word} ${hash} ${name}\n`).join("");

function saveMarks() {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([list()], { type: "text/plain" }));
  link.download = "marks.txt";
  link.click();
  URL.revokeObjectURL(link.href);
}

async function copyCommand() {
  const text = byId("command").textContent;
  // Pages from a file may have no clipboard; then the command is selected, and Ctrl-C takes it.
  try { await navigator.clipboard.writeText(text); byId("copied").textContent = "copied"; } catch {
    getSelection().selectAllChildren(byId("command"));
    byId("copied").textContent = "selected: press Ctrl-C";
  }
}

byId("marks").addEventListener("click", (event) => {
  const word = event.target.closest("button")?.dataset.mark;
  if (word) mark(word);
});
byId("save").addEventListener("click", saveMarks);
byId("copy").addEventListener("click", copyCommand);
recallMarks();

// The package as its users have it, installed from its archive, in node. REFRAST is the binary; both must say the same of the
// same pictures.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compare, load } from "refrast-compare";

const folder = mkdtempSync(join(tmpdir(), "refrast-compare-"));
const refrast = (...words) => spawnSync(process.env.REFRAST, words, { cwd: folder, encoding: "utf8" });
refrast("golden", "new", "walk", "mannequin", "--animation", "Walk", "--time", "0.3", "--size", "96x128");
refrast("golden", "bless", "--yes");
refrast("render", "mannequin", "-o", "right.png", "--animation", "Walk", "--time", "0.3", "--size", "96x128");
// The case's camera holds the whole clip, as that of one moment does.
refrast("render", "mannequin", "-o", "wrong.png", "--animation", "Walk", "--time", "0.4", "--size", "96x128");
const file = (name) => new Uint8Array(readFileSync(join(folder, name)));

// Ten lines.
await load();
const golden = file("golden/walk.png"), envelope = file("golden/walk.envelope");
assert.equal(compare(golden, file("right.png"), { envelope }).text, "envelope: all 12288 pixels right");
const wrong = compare(golden, file("wrong.png"), { envelope });
assert.equal(wrong.same, false);
assert.deepEqual([...wrong.differences.slice(1, 4)], [...Buffer.from("PNG")]);
assert.throws(() => compare(golden, golden, { metric: "taste" }), /taste/);
assert.throws(() => compare(golden, { width: 2, height: 2, data: new Uint8Array(4) }), /the candidate/);

// The same numbers as the binary, by every metric.
for (const metric of ["envelope", "exact", "threshold", "flip", "psnr", "ssim", "fuzzy", "yiq"]) {
  const said = refrast("compare", "golden/walk.png", "wrong.png", "--metric", metric, "--json");
  const [{ measurement }] = JSON.parse(said.stdout).cases;
  const own = compare(golden, file("wrong.png"), { metric, envelope });
  assert.deepEqual(own.measurement, measurement, metric);
  assert.equal(own.same ? 0 : 1, said.status, metric);
}
console.log("refrast-compare in node: the same as the binary");

rmSync(folder, { recursive: true, force: true });

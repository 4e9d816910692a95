// The scoreboard of engines: node board.mjs [ENGINE ...] [--cases WORD,...] [--join] [--check] [--refrast PROGRAM]
//
// Draws every case with every engine, asks `refrast golden check` and `refrast compare`, and writes docs/engines.md. A row that is not right
// and not explained, or explained and right, fails: exit status 1. With --check nothing is written. With
// --join the rows of engines that are not named, and of other cases, are those of the last run.

import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openBrowser } from "./browser.mjs";
import { cases, moments, toml } from "./cases.mjs";
import { draw, mannequin } from "./draw.mjs";
import { engines } from "./engines.mjs";
import { explanations } from "./explained.mjs";
import { copy, withLights } from "./gltf.mjs";
import { matching, page, unexplained } from "./page.mjs";
import { misreadings } from "./sayings.mjs";
import { scenes } from "./scenes.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");
const run = promisify(execFile);

const words = process.argv.slice(2);
const option = (name) => { const at = words.indexOf(name); return at < 0 ? undefined : words.splice(at, 2)[1]; };
const refrast = option("--refrast") ?? join(root, "target/release/refrast");
const chosen = option("--cases")?.split(",");
const flag = (name) => words.includes(name) && words.splice(words.indexOf(name), 1);
const [isCheck, isJoined] = ["--check", "--join"].map(flag);
const names = words.length ? words : Object.keys(engines);
const models = process.env.REFRAST_MODELS ?? join(root, "models");
const out = join(root, "refrast-out/engines");
const last = join(root, "refrast-out/engines.json");
const isDrawn = ({ engine, name }) => names.includes(engine) && (!chosen || chosen.some((word) => name.includes(word)));
const before = isJoined ? JSON.parse(readFileSync(last, "utf8")) : { rows: [], versions: {} };
// Explanations are told by their numbers, and there may be others since.
const others = before.rows.filter((row) => !isDrawn(row)).map((row) => (row.reasons ? { ...row, reasons: matching(row) } : row));

/** What a command of refrast prints, also where it is "different" or an error of a case. */
async function ask(...words) {
    const options = { maxBuffer: 1 << 30, cwd: root, env: { ...process.env, REFRAST_BROWSER: address } };
    try {
        return (await run(refrast, words, options)).stdout;
    } catch (error) {
        if (!error.stdout) throw new Error(`refrast ${words.join(" ")}: ${error.stderr || error.message}`);
        return error.stdout;
    }
}

/** A camera for tasks that show nothing. */
const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const anyView = { width: 64, height: 64, samples: 1, shading: "none", background: "#000000", view: identity, projection: identity };

/** Where a scene lies. What is lit and has no lights gets some, in a copy. */
function place({ name, scene, own, golden, isLit }) {
    if (own) return join(out, "scenes", `${own}.gltf`);
    if (golden) return join(root, "golden", golden);
    const file = scene === "mannequin" ? scene : join(models, scene);
    if (!isLit) return file;
    const model = scene === "mannequin" ? mannequin : file;
    return existsSync(model) ? copy(model, join(out, "lit", name), [withLights]) : model;
}
const isChosen = ({ name, scene }) => (scene === "mannequin" || existsSync(scene)) && (!chosen || chosen.some((word) => name.includes(word)));

// What is missing is said, and fails only where it is required (as drivers are).
const installed = await Promise.all(Object.keys(engines).map(async (name) => [name, await versionOf(engines[name])]));
const versions = { ...before.versions, ...Object.fromEntries(installed.filter(([, version]) => version)) };
const missing = names.filter((name) => !installed.some(([own, version]) => own === name && version));
if (missing.length) {
    console.log(`SKIPPED: engines (${missing.join(", ")} not installed: tests/engines/README.md says how)`);
    process.exit(process.env.REFRAST_REQUIRE?.split(",").includes("engines") ? 2 : 0);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "scenes"), { recursive: true });
mkdirSync(join(out, "goldens"));
for (const [name, text] of Object.entries(scenes)) writeFileSync(join(out, "scenes", `${name}.gltf`), text());
const left = cases(place).filter(isChosen);
const looked = moments(place).filter(isChosen);
writeFileSync(join(out, "goldens/manifest.toml"), left.map(toml).join("\n"));

const browser = await openBrowser();
// draw.mjs asks here, so that a browser is opened once.
const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { engine, file, out } = JSON.parse(Buffer.concat(parts));
    draw(browser, engine, JSON.parse(readFileSync(file, "utf8")), out)
        .then(() => response.end(), (error) => response.writeHead(500).end(error.message));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}`;

try {
    const goldens = join(out, "goldens");
    await ask("golden", "bless", "--yes", "--folder", goldens, "--output", join(out, "bless"));
    for (const { name, scene, animation, time } of looked) {
        const clip = animation === undefined ? [] : ["--animation", animation, "--time", `${time}`];
        await ask("vertices", scene, "--output", join(out, `${name}.npy`), ...clip);
    }
    const rows = [];
    for (const engine of names) {
        console.error(engine);
        const report = engine === names[0] ? await asUsersDo(engine) : await drawn(engine);
        for (const { name, verdict, measurement, reason } of report) {
            const score = measurement?.score;
            const wrong = measurement && score.outside + score.missing + score.unexpected;
            rows.push({ engine, name, kind: "picture", verdict, reason, wrong, farthest: score?.farthest });
        }
        if (engines[engine].vertices) for (const moment of looked) rows.push(await vertices({ engine, ...moment }));
    }
    await prove(rows);
    rows.push(...others);
    if (!chosen || isJoined) writeFileSync(last, JSON.stringify({ rows, versions }));
    const columns = Object.keys(engines).filter((engine) => rows.some((row) => row.engine === engine));
    const failures = unexplained(rows, { isWhole: columns.length === Object.keys(engines).length && (!chosen || isJoined) });
    if (!isCheck) {
        writeFileSync(join(root, "docs/engines.md"), page(rows, { names: columns, versions, browser: browser.version, earlier: earlier(columns) }));
    }
    for (const { engine, name, kind, problem } of failures) console.log(`${engine} ${name} (${kind}): ${problem}`);
    const right = rows.filter((row) => row.verdict === "same").length;
    console.log(`${rows.length} rows: ${right} right, ${rows.length - right} not, ${failures.length} of all unexplained`);
    process.exitCode = failures.length ? 1 : 0;
} finally {
    server.closeAllConnections();
    server.close();
    await browser.close();
}

/** What of the engines an earlier run has drawn, in words. */
function earlier(columns) {
    const of = (engine) => others.filter((row) => row.engine === engine);
    const all = columns.filter((engine) => of(engine).length && !names.includes(engine));
    const some = columns.filter((engine) => of(engine).length && names.includes(engine));
    const part = `all but ${chosen?.map((word) => `\`${word}\``).join(" and ")} of`;
    return [...(all.length ? [`All rows of ${all.join(", ")}`] : []), ...some.map((engine) => `${part} ${engine}`)];
}

/** The version of an engine that is installed: as npm has it, or as the last word of what its program says. */
async function versionOf({ package: name, version }) {
    // Not every program ends well that was only asked for its version.
    if (version) return run(version[0], version.slice(1)).catch((error) => error).then(({ stdout = "" }) => stdout.trim().split(/\s+/).at(-1));
    const file = join(here, "node_modules", name, "package.json");
    return existsSync(file) ? JSON.parse(readFileSync(file)).version : undefined;
}

/** The pictures of the first engine: `golden check --against`, as users call it. It leaves the cases as files. */
async function asUsersDo(engine) {
    const against = `node ${join(here, "draw.mjs")} ${engine} {case} {out}`;
    const words = ["--output", join(out, engine), "--json", "--against", against, ...(engines[engine].only ?? [])];
    const { cases } = JSON.parse(await ask("golden", "check", "--folder", join(out, "goldens"), ...words));
    return cases.filter(({ name }) => isOwn(engine, name));
}

/** Whether an engine draws a case: materials under lights only where its adapter says so. */
function isOwn(engine, name) {
    const { only = [""], lit } = engines[engine];
    return only.some((word) => name.includes(word)) && (lit || !name.includes("-lit-"));
}

/** The pictures of another engine: drawn from the same files without a process for each, and compared at once. */
async function drawn(engine) {
    const candidates = join(out, engine, "candidates");
    mkdirSync(candidates, { recursive: true });
    const own = left.filter(({ name }) => isOwn(engine, name));
    const errors = [];
    for (const { name } of own) {
        const words = JSON.parse(readFileSync(join(out, names[0], "candidates", `${name}.json`), "utf8"));
        await draw(browser, engine, words, join(candidates, `${name}.png`)).catch(({ message }) => errors.push({ name, verdict: "error", reason: message }));
    }
    const compared = JSON.parse(await ask("compare", join(out, "goldens"), candidates, "--json")).cases;
    const bare = compared.map((entry) => ({ ...entry, name: entry.name.replace(/\.png$/, "") }));
    return [...errors, ...bare.filter(({ name }) => own.some((entry) => entry.name === name) && !errors.some((error) => error.name === name))];
}

/** A row about an engine's own vertices, where its adapter has them. */
async function vertices({ engine, name, scene, animation, time }) {
    const row = { engine, name, kind: "vertices" };
    const own = join(out, engine, `${name}.npy`);
    const words = { scene_file: scene === "mannequin" ? undefined : scene, animation, time: time ?? 0, ...anyView };
    try {
        await draw(browser, engine, words, own);
    } catch (error) {
        return { ...row, verdict: "error", reason: error.message };
    }
    const { verdict, attributes: [position] = [], mismatch } = JSON.parse(await ask("compare", join(out, `${name}.npy`), own, "--json"));
    return { ...row, verdict, wrong: position?.outside, reason: mismatch };
}

/** Proves what explains the rows that are not right: right with other words, right by a driver's one mistake, or named by diagnosis. */
async function prove(rows) {
    const proofs = join(out, "proofs"), candidates = join(out, "proofs-candidates");
    const entries = [];
    for (const row of rows.filter((row) => row.verdict !== "same")) {
        row.reasons = matching(row);
        const own = row.reasons.map((number) => explanations[number]);
        const again = own.filter((explanation) => explanation.again);
        const drawn = join(candidates, row.engine, `${row.name}.${row.kind === "vertices" ? "npy" : "png"}`);
        mkdirSync(dirname(drawn), { recursive: true });
        if (again.length) {
            const failed = await drawAgain(row, again, drawn).then(() => false, ({ message }) => message);
            if (failed) { row.reason = failed; continue; }
        } else if (row.verdict === "error") continue;
        if (row.kind === "vertices") {
            row.proved = own.length > 0 && await isMoved(row, own, again.length ? drawn : join(out, row.engine, `${row.name}.npy`));
            continue;
        }
        // What stands by its source alone has nothing to be drawn again.
        row.proved = own.some(({ right, fault, check, again, ignores }) => !right && !fault && !check && !again && !ignores);
        if (!again.length) copyFileSync(join(out, row.engine, "candidates", `${row.name}.png`), drawn);
        const fault = own.find(({ fault }) => fault)?.fault;
        const others = Object.assign({}, ...own.map(({ right }) => right));
        const { scene, ...seen } = taken(row, own);
        if (fault) row.proved = await isNamed(row, fault, { ...others, ...seen }, { scene, drawn });
        const check = own.find(({ check }) => check)?.check;
        if (check) row.proved = await isRight(row, check, { ...others, ...seen }, { scene, drawn });
        if (row.proved) continue;
        entries.push([row, { ...left.find(({ name }) => name === row.name), scene, ...others, ...seen, name: `${row.engine}/${row.name}` }]);
    }
    if (!entries.length) return;
    mkdirSync(proofs);
    writeFileSync(join(proofs, "manifest.toml"), entries.map(([, entry]) => toml(entry)).join("\n"));
    const prover = join(dirname(refrast), "examples/sample_depths");
    if (!existsSync(prover)) throw new Error(`${prover} is missing: cargo build --release --example sample_depths`);
    const { stdout } = await run(prover, [proofs, candidates], { maxBuffer: 1 << 30 });
    const judged = new Map(stdout.trim().split("\n").map((line) => JSON.parse(line)).map((line) => [line.name, line]));
    for (const [row, { name }] of entries) {
        const { wrong, wrong_if_mirrored: mirrored } = judged.get(name);
        row.isDriver = wrong > 0 && mirrored === 0 && row.name.endsWith("-4x") && !engines[row.engine].program;
        row.proved = (wrong === 0 && row.reasons.length > 0) || row.isDriver;
        row.remaining = wrong;
    }
}

/** The scene that an engine takes a row's for: without what it ignores, by the camera of the whole scene. */
function taken({ engine, name, kind }, explained) {
    const words = (kind === "vertices" ? looked : left).find((entry) => entry.name === name);
    const ignored = [...new Set(explained.flatMap(({ ignores = [] }) => ignores))];
    if (!ignored.length) return { scene: words.scene };
    const folder = join(out, "taken", engine, name);
    const scene = copy(words.scene === "mannequin" ? mannequin : words.scene, folder, ignored.map((name) => (file) => misreadings[name](file, words)));
    if (kind === "vertices") return { scene };
    const { convention = "opengl", view, projection } = JSON.parse(readFileSync(join(out, names[0], "candidates", `${name}.json`), "utf8"));
    const camera = join(folder, "camera.json");
    writeFileSync(camera, JSON.stringify({ convention, view, projection }));
    return { scene, camera };
}

/** Draws a row again as its explanations have it: from a file that says the same, with lines of the engine mended, by another driver. */
async function drawAgain({ engine, name, kind }, explained, to) {
    const all = (key) => [...new Set(explained.flatMap(({ again }) => again[key] ?? []))];
    const again = { says: all("says"), mend: all("mend"), env: Object.assign({}, ...all("env")) };
    if (kind === "picture") return draw(browser, engine, { ...JSON.parse(readFileSync(join(out, names[0], "candidates", `${name}.json`), "utf8")), ...again }, to);
    const { scene, animation, time = 0 } = looked.find((entry) => entry.name === name);
    return draw(browser, engine, { scene_file: scene === "mannequin" ? undefined : scene, animation, time, ...anyView, ...again }, to);
}

/** Whether diagnosis names a mistake that explains every wrong pixel of a row. */
async function isNamed({ name }, fault, others, { scene, drawn }) {
    const { size } = left.find((entry) => entry.name === name);
    const words = ["--candidate", drawn, "--size", size, ...optionsOf(name, others)];
    const said = JSON.parse(await ask("diagnose", scene, "--json", ...words));
    return said.findings.some((finding) => finding.explains && [finding.cause, ...finding.same].includes(fault));
}

/** Whether `refrast check` with other options finds a row right. */
async function isRight({ name }, options, others, { scene, drawn }) {
    return JSON.parse(await ask("check", scene, drawn, "--json", ...options, ...optionsOf(name, others))).right;
}

/** Whether vertices are right by what explains them, as far as that can be said in options; what can not stands by its source. */
async function isMoved(row, own, drawn) {
    const said = own.flatMap(({ check = [], right = {} }) => [...check, ...(right["max-influences"] ? ["--max-influences", `${right["max-influences"]}`] : [])]);
    if (!said.length && !own.some(({ again, ignores }) => again || ignores)) return true;
    const { animation, time } = looked.find(({ name }) => name === row.name);
    const { scene } = taken(row, own);
    const clip = animation === undefined ? [] : ["--animation", animation, "--time", `${time}`];
    return JSON.parse(await ask("check", scene, drawn, "--json", ...clip, ...said)).verdict === "same";
}

/** A case as options of `check` and `diagnose`, which take the size each in its own way. */
function optionsOf(name, others) {
    const { animation, time, camera, shading, ambient, samples, profile } = left.find((entry) => entry.name === name);
    const words = Object.entries({ animation, time, camera, shading, ambient, samples, profile, ...others }).filter(([, value]) => value !== undefined);
    return words.flatMap(([key, value]) => [`--${key}`, `${value}`]);
}

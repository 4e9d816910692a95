// One task for one engine: node draw.mjs ENGINE CASE.json OUT.png (or OUT.npy for its vertices in world space).
//
// This is the command that `refrast golden check --against 'node tests/engines/draw.mjs three {case} {out}'` calls. With the board's browser
// (REFRAST_BROWSER, an address) a task takes a moment; without it one is opened for this task alone.

import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openBrowser } from "./browser.mjs";
import { engines } from "./engines.mjs";
import { contents, copy, withoutLight } from "./gltf.mjs";
import { png } from "./png.mjs";
import { sayings } from "./sayings.mjs";

const run = promisify(execFile);
export const mannequin = join(dirname(fileURLToPath(import.meta.url)), "../../src/scene/mannequin.glb");

/** What an adapter is told: the case's words, the clip by its place in the file, the background in bytes. */
export function taskOf(engine, words, wants) {
    const file = words.scene_file ?? mannequin;
    const names = (contents(file).animations ?? []).map(({ name }) => name);
    const named = names.indexOf(words.animation);
    const clip = words.animation == null ? null : named >= 0 ? named : Number(words.animation);
    const background = [1, 3, 5].map((at) => parseInt(words.background.slice(at, at + 2), 16));
    const { time, width, height, samples, shading, view, projection, mend } = words;
    return [{ engine, wants, clip, time, width, height, samples: parseInt(samples), shading, view, projection, background, mend }, file];
}

/** A case's file, or a copy that says its scene as `says` has it, with more changes. */
function said({ says = [], ...words }, out, more = []) {
    const scene = words.scene_file ?? mannequin;
    const changes = [...says.map((name) => (file) => sayings[name](file, words)), ...more];
    return { ...words, scene_file: changes.length ? copy(scene, `${out}.scene`, changes) : scene };
}

/**
 * Draws with an engine that is a program: it is called with a case as refrast writes it, and with the place for what it makes. Its file has
 * materials without light where the case has none, as pages have it. `env` are words for its environment.
 */
async function asProgram(engine, { env = {}, ...words }, out) {
    writeFileSync(`${out}.json`, JSON.stringify(said(words, out, words.shading === "unlit" ? [withoutLight] : [])));
    const [program, ...before] = engines[engine].program;
    const options = { timeout: 300_000, maxBuffer: 1 << 26, env: { ...process.env, ...env } };
    await run(program, [...before, `${out}.json`, out], options).catch(({ stderr, message }) => {
        throw new Error((stderr?.trim() || message).split("\n").slice(-3).join("; "));
    });
    if (!existsSync(out)) throw new Error(`${program} made no ${out}`);
}

/** Draws with a browser that is open, or with the program that the engine is. */
export async function draw(browser, engine, words, out) {
    if (engines[engine].program) return asProgram(engine, words, out);
    const wants = extname(out) === ".npy" ? "vertices" : "picture";
    const bytes = await browser.perform(...taskOf(engine, said(words, out), wants));
    writeFileSync(out, wants === "picture" ? png(words.width, words.height, bytes) : bytes);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [engine, file, out] = process.argv.slice(2);
    try {
        if (!out || !engines[engine]) throw new Error(`node draw.mjs ENGINE CASE.json OUT, ENGINE one of ${Object.keys(engines).join(", ")}`);
        const address = process.env.REFRAST_BROWSER;
        if (address) {
            const answer = await fetch(address, { method: "POST", body: JSON.stringify({ engine, file, out }) });
            if (!answer.ok) throw new Error(await answer.text());
        } else {
            const browser = await openBrowser();
            await draw(browser, engine, JSON.parse(readFileSync(file, "utf8")), out).finally(() => browser.close());
        }
    } catch (error) {
        console.error(error.message);
        process.exitCode = 2;
    }
}

// A browser without a screen that draws with engines, and a server of its own that hands it work.
//
// Why it exists: an engine on the web needs a page. The page here asks for tasks one after the other and opens a frame for each, with
// the modules of one engine and nothing left from the task before. No library drives the browser: a page that asks needs none.

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { engines } from "./engines.mjs";
import { unlit } from "./gltf.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const snippets = join(here, "../../docs/write-vertices");
const run = promisify(execFile);
const names = ["chromium", "chromium-browser", "google-chrome"];
const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json",
    ".gltf": "model/gltf+json", ".glb": "model/gltf-binary", ".png": "image/png", ".jpg": "image/jpeg", ".wasm": "application/wasm" };
// A frame that takes longer has lost its context or waits for something that does not come.
const patience = 310_000;

/** Opens the browser; `perform(task)` gives the bytes that an adapter makes, `close()` ends it. */
export async function openBrowser() {
    const tasks = [];
    const scenes = [];
    let wake = () => {};
    const server = createServer(async (request, response) => {
        const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
        if (path === "/next") {
            if (!tasks.some((task) => !task.given)) await new Promise((resolve) => { wake = resolve; setTimeout(resolve, 20_000); });
            const task = tasks.find((task) => !task.given);
            if (task) task.given = true;
            response.writeHead(task ? 200 : 204).end(task && JSON.stringify(task.words));
        } else if (path.startsWith("/done/")) {
            const [, , id, how] = path.split("/");
            const parts = [];
            for await (const part of request) parts.push(part);
            response.end();
            const place = tasks.findIndex((task) => task.words.id === Number(id));
            if (place >= 0) tasks.splice(place, 1)[0].settle(how, Buffer.concat(parts));
        } else {
            const file = find(path, scenes);
            const page = path === "/frame.html" && frame(new URL(request.url, "http://localhost").searchParams.get("engine"));
            if (!page && !(file && existsSync(file))) return response.writeHead(404).end();
            response.writeHead(200, { "content-type": page ? "text/html" : (types[extname(file)] ?? "application/octet-stream") });
            const isUnlit = path.startsWith("/unlit/") && /\.gl(tf|b)$/.test(path);
            response.end(page || (isUnlit ? unlit(file) : readFileSync(file)));
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${server.address().port}`;
    const profile = mkdtempSync(join(tmpdir(), "refrast-browser-"));
    const program = process.env.CHROMIUM ?? onPath();
    const version = await run(program, ["--version"]).then(({ stdout }) => stdout.replace(/ built on.*| snap.*/, "").trim(), () => program);
    const browser = spawn(program, [
        "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
        // Only what is asked for: no first page, no updates, and frames are drawn though nobody sees them.
        "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding", `--user-data-dir=${profile}`, `${address}/page/tasks.html`,
    ], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    browser.stderr.on("data", (text) => { said = (said + text).slice(-2000); });
    const failed = (why) => tasks.splice(0).forEach((task) => task.settle("error", why));
    browser.on("error", (error) => failed(`chromium can not be started (${error.message}); install it, or name it in CHROMIUM`));
    browser.on("exit", (status) => failed(`chromium ended with ${status}: ${said}`));
    let last = 0;
    return {
        version,
        perform(words, file) {
            scenes.push(dirname(file));
            const id = last++;
            const scene = `/${words.shading === "unlit" ? "unlit" : "scene"}/${scenes.length - 1}/${encodeURIComponent(file.slice(dirname(file).length + 1))}`;
            return new Promise((resolve, reject) => {
                const settle = (how, body) => {
                    clearTimeout(timer);
                    if (how === "bytes") resolve(body);
                    else reject(new Error(body.toString()));
                };
                const late = () => { tasks.splice(tasks.findIndex((task) => task.words.id === id), 1); settle("error", "the frame takes too long"); };
                const timer = setTimeout(late, patience);
                tasks.push({ words: { ...words, id, file: scene }, settle, given: false });
                if (browser.exitCode !== null) failed(`chromium has ended: ${said}`);
                wake();
            });
        },
        async close() {
            const ended = new Promise((resolve) => browser.once("exit", resolve));
            if (browser.exitCode === null && browser.kill()) await ended;
            server.closeAllConnections();
            server.close();
            try { rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }); } catch { /* A process of the browser still writes; the folder is one for what may go. */ }
        },
    };
}

/** The file behind an address: of this folder, of a scene's folder, or the page that users copy. */
function find(path, scenes) {
    const [, place, number, ...rest] = path.split("/");
    if (path.includes("..")) return undefined;
    if (place === "scene" || place === "unlit") return scenes[number] && join(scenes[number], normalize(rest.join("/")));
    if (path === "/refrast_vertices.mjs") return join(snippets, "refrast_vertices.mjs");
    return ["page", "adapters", "node_modules"].includes(place) ? join(here, path) : undefined;
}

/** The page of one engine: its modules by the names that its examples import, its scripts, and its adapter. */
function frame(name) {
    const { adapter, imports = {}, scripts = [] } = engines[name];
    const at = (path) => `/node_modules/${path}`;
    const map = Object.fromEntries(Object.entries(imports).map(([name, path]) => [name, at(path)]));
    return `<!doctype html><body><script type="importmap">${JSON.stringify({ imports: map })}</script>
${scripts.map((path) => `<script src="${at(path)}"></script>`).join("\n")}
<script type="module">
import { perform } from "/page/perform.mjs";
perform(() => import("/adapters/${adapter}"));
</script>`;
}

function onPath() {
    const folders = (process.env.PATH ?? "").split(":");
    return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync) ?? names[0];
}

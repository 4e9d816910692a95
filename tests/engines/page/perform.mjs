// Performs the task of a frame with the frame's adapter, and hands the bytes to the page around it.

import { vertexFile } from "/refrast_vertices.mjs";

export async function perform(load) {
    const { task } = parent;
    const answer = (message, owned = []) => parent.postMessage({ id: task.id, ...message }, "*", owned);
    const said = [];
    addEventListener("unhandledrejection", ({ reason }) => answer({ error: words(reason) }));
    addEventListener("error", ({ message }) => said.push(message));
    const { error } = console;
    console.error = (...values) => { said.push(values.map(words).join(" ")); error(...values); };
    try {
        const adapter = await load();
        const left = mend((task.mend ?? []).map((name) => adapter.mends[name]));
        const bytes = task.wants === "vertices" ? vertexFile(await adapter.vertices(task)) : await picture(adapter, task);
        if (left.size) throw new Error(`no shader has ${[...left].join(" and ")}`);
        answer({ bytes }, [bytes.buffer]);
    } catch (error) {
        answer({ error: [words(error), ...said].join("; ") });
    }
}

/**
 * Puts lines in place of others in every shader that is compiled: what a proof shows to be the only reason. The answer is the lines that
 * have been in none so far: a proof by them would be none.
 */
function mend(lines) {
    const left = new Set(lines.map(([line]) => line));
    const { shaderSource } = WebGL2RenderingContext.prototype;
    WebGL2RenderingContext.prototype.shaderSource = function (shader, text) {
        left.forEach((line) => text.includes(line) && left.delete(line));
        shaderSource.call(this, shader, lines.reduce((text, [line, other]) => text.replaceAll(line, other), text));
    };
    return left;
}

/** What the adapter draws, as RGBA rows from the top: the canvas's own bytes. */
async function picture(adapter, task) {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: task.width, height: task.height });
    canvas.style.cssText = `width: ${task.width}px; height: ${task.height}px`;
    document.body.append(canvas);
    // Whatever context the engine asks for keeps what was drawn until it has been read.
    const { getContext } = HTMLCanvasElement.prototype;
    let gl;
    HTMLCanvasElement.prototype.getContext = function (type, attributes) {
        const context = getContext.call(this, type, { ...attributes, preserveDrawingBuffer: true });
        if (this === canvas) gl = context;
        return context;
    };
    await adapter.draw(canvas, task);
    if (canvas.width !== task.width || canvas.height !== task.height) throw new Error(`the engine made the canvas ${canvas.width}x${canvas.height}`);
    // An engine that resolves in a target of its own says so.
    if (!adapter.resolves && gl.getParameter(gl.SAMPLES) !== (task.samples > 1 ? task.samples : 0)) throw new Error(`the canvas has ${gl.getParameter(gl.SAMPLES)} samples`);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const rows = new Uint8Array(4 * task.width * task.height);
    gl.readPixels(0, 0, task.width, task.height, gl.RGBA, gl.UNSIGNED_BYTE, rows);
    const bytes = new Uint8Array(rows.length);
    for (let y = 0; y < task.height; y++) {
        const row = 4 * task.width * (task.height - 1 - y);
        bytes.set(rows.subarray(row, row + 4 * task.width), 4 * task.width * y);
    }
    return bytes;
}

const words = (value) => (value instanceof Error ? `${value.message} ${value.stack?.split("\n")[1]?.trim() ?? ""}` : String(value?.message ?? value));

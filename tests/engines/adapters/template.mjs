// Your engine on the web: fill in `draw`, and `vertices` if it can evaluate them on the CPU. Then add a line to engines.mjs.
//
// A task says what to draw:
//   file              address of the .gltf or .glb; for `unlit` its materials have KHR_materials_unlit
//   clip, time        place of the animation in the file (null is the rest pose) and the moment in seconds
//   view, projection  world to view space and view to clip space, sixteen numbers, column by column, for OpenGL's clip space
//   width, height     of the canvas
//   samples           1, or 4 for an antialiased canvas
//   shading           `unlit`, `lit` (materials under the file's lights and no others, without exposure and tone, where engines.mjs says `lit`), or
//                     `normals`: unit normals in world space, half of them plus a half, without encoding
//   background        red, green and blue in bytes

import { Engine } from "your-engine";

/** Draws the task on the canvas. When the promise is settled the picture is on it; its bytes are read from there. */
export async function draw(canvas, task) {
    const engine = new Engine(canvas, { antialias: task.samples > 1, alpha: false });
    const model = await engine.load(task.file);
    if (task.clip !== null) model.play(task.clip, { at: task.time });
    engine.clear(task.background);
    engine.render(model, { view: task.view, projection: task.projection });
}

/** World-space positions as a Float32Array, three numbers a vertex, in the file's order of node, primitive and vertex. */
export async function vertices(task) {
    const model = await new Engine(document.createElement("canvas")).load(task.file);
    if (task.clip !== null) model.play(task.clip, { at: task.time });
    return Float32Array.from(model.primitives.flatMap((primitive) => primitive.skinnedPositions()));
}

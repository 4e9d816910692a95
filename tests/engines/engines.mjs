// The engines of the board: the npm package whose version counts, the adapter, and what its page needs of `node_modules`.
//
// `only` are words of cases that it draws, where that is not everything.
// `vertices` says whether it gives vertices, `lit` whether it draws materials under lights.
// `imports` are the names that modules import, `scripts` are scripts that bring a global. To hold an engine of your own against refrast, copy
// adapters/template.mjs, fill it in, and add a line here.
//
// An engine that is no page is a `program`, called with a case and the place for its picture or vertices, and `version` is what says its version.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const adapters = join(dirname(fileURLToPath(import.meta.url)), "adapters");
/** A program that opens a window gets a screen that nobody sees. */
const onScreen = ({ program, ...words }) => ({ program: ["xvfb-run", "--auto-servernum", ...program], ...words });
/** The Python that has the engines of PyPI. */
export const python = process.env.PYTHON ?? "python3";
const pypi = (distribution, adapter) => ({
    program: [python, join(adapters, adapter)],
    version: [python, "-c", `import importlib.metadata; print(importlib.metadata.version("${distribution}"))`],
});

/** A package of its own, not built with anything else (bevy/Cargo.toml); `BEVY` names its program where that lies elsewhere. */
const bevy = process.env.BEVY ?? join(adapters, "bevy/target/release/refrast-bevy");

const three = (folder, current = {}) => ({
    package: folder,
    adapter: "three.mjs",
    ...current,
    imports: { three: `${folder}/build/three.module.js`, "three/addons/": `${folder}/examples/jsm/` },
});

export const engines = {
    "three": three("three", { vertices: true, lit: true }),
    "three-0.140": three("three-0.140"),
    // What they are known for; much else is mended since.
    "three-0.130": { ...three("three-0.130"), only: ["names-unlit", "root-unlit", "box-textured-unlit"] },
    "three-0.110": { ...three("three-0.110"), only: ["names-unlit", "root-unlit", "box-textured-unlit"] },
    "babylon": { package: "babylonjs", adapter: "babylon.mjs", vertices: true, lit: true, scripts: ["babylonjs/babylon.js", "babylonjs-loaders/babylon.glTF2FileLoader.min.js"] },
    "babylon-default": { package: "babylonjs", adapter: "babylon-default.mjs", only: ["fox-run-unlit", "box-textured", "mannequin-walk-unlit"], scripts: ["babylonjs/babylon.js", "babylonjs-loaders/babylon.glTF2FileLoader.min.js"] },
    "playcanvas": { package: "playcanvas", adapter: "playcanvas.mjs", vertices: true, lit: true, imports: { playcanvas: "playcanvas/build/playcanvas.mjs" } },
    "galacean": { package: "@galacean/engine", adapter: "galacean.mjs", vertices: true, lit: true, scripts: ["@galacean/engine/dist/browser.js"], only: ["lit"] },
    "khronos": { package: "@khronosgroup/gltf-viewer", adapter: "khronos.mjs", lit: true, only: ["-lit-"], imports: { "@khronosgroup/gltf-viewer": "@khronosgroup/gltf-viewer/dist/gltf-viewer.module.js" } },
    "panda3d": { ...pypi("panda3d", "with_panda3d.py"), vertices: true, lit: true },
    "raylib": { ...onScreen(pypi("raylib", "with_raylib.py")), vertices: true },
    "godot3": { program: [process.execPath, join(adapters, "with_godot3.mjs")], version: ["godot3", "--version"], vertices: true, lit: true },
    "bevy": { program: [bevy], version: [bevy, "--version"], vertices: true, lit: true },
};

// Scenes of our own, each with what an engine is known to get wrong: written as .gltf with everything in it.
//
// Why it exists: people's models have few of the things that engines differ on, and none of them alone.

import { png } from "./png.mjs";

const FLOAT = 5126, UINT16 = 5123, UINT8 = 5121;
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** A file under construction: accessors over one buffer. */
class File {
    parts = [];
    length = 0;
    words = { asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [] }], nodes: [], meshes: [], accessors: [], bufferViews: [], buffers: [] };

    accessor(type, numbers, componentType = FLOAT) {
        const kind = { [FLOAT]: Float32Array, [UINT16]: Uint16Array, [UINT8]: Uint8Array }[componentType];
        const bytes = Buffer.from(kind.from(numbers).buffer);
        const width = WIDTHS[type];
        const columns = Array.from({ length: width }, (_, column) => numbers.filter((_, at) => at % width === column));
        const bounds = type === "MAT4" ? {} : { min: columns.map((all) => Math.fround(Math.min(...all))), max: columns.map((all) => Math.fround(Math.max(...all))) };
        this.words.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length });
        const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
        this.parts.push(padded);
        this.length += padded.length;
        this.words.accessors.push({ bufferView: this.words.bufferViews.length - 1, componentType, count: numbers.length / width, type, ...bounds });
        return this.words.accessors.length - 1;
    }

    add(list, item) {
        (this.words[list] ??= []).push(item);
        return this.words[list].length - 1;
    }

    node(item, isRoot = false) {
        const number = this.add("nodes", item);
        if (isRoot) this.words.scenes[0].nodes.push(number);
        return number;
    }

    /** A texture of size × size texels; `texel(x, y)` gives RGBA bytes. */
    texture(width, height, texel, sampler) {
        const bytes = new Uint8Array(4 * width * height);
        for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) bytes.set(texel(x, y), 4 * (y * width + x));
        const source = this.add("images", { uri: `data:image/png;base64,${png(width, height, bytes).toString("base64")}` });
        return { index: this.add("textures", { source, ...(sampler && { sampler: this.add("samplers", sampler) }) }) };
    }

    text() {
        const buffer = Buffer.concat(this.parts);
        this.words.buffers.push({ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString("base64")}` });
        return JSON.stringify(this.words);
    }
}

const nearestSampler = { magFilter: 9728, minFilter: 9728 };
const linearSampler = { magFilter: 9729, minFilter: 9987 };
const turned = (degrees, [x, y, z]) => {
    const half = (degrees * Math.PI) / 360;
    return [x * Math.sin(half), y * Math.sin(half), z * Math.sin(half), Math.cos(half)];
};

/**
 * A six-sided tube along +Y, one metre high, on a chain of joints that bends.
 * `names` of the joints and the mesh's node, `scale` of the second joint, `sets` of four influences, `spline` keys, `material`.
 */
function limb({ names = ["hip", "knee", "toe"], mesh = "tube", scale, sets = 1, spline = false, material }) {
    const file = new File();
    const [sides, rings] = [6, 9];
    const [positions, normals, texcoords, indices] = [[], [], [], []];
    const joints = Array.from({ length: sets }, () => []), weights = Array.from({ length: sets }, () => []);
    for (let ring = 0; ring <= rings; ring++) {
        for (let side = 0; side <= sides; side++) {
            const angle = (2 * Math.PI * side) / sides, height = ring / rings;
            const [x, z] = [Math.cos(angle), Math.sin(angle)];
            positions.push(0.2 * x, height, 0.2 * z);
            normals.push(x, 0, z);
            texcoords.push(side / sides, 1 - height);
            // Each joint pulls by its distance; what is left over after rounding goes to the first.
            const pull = names.map((_, joint) => Math.max(0, 1 - (sets === 2 ? 2.2 : 1.4) * Math.abs(height - (joint + 0.5) / names.length)));
            const all = Array.from({ length: 4 * sets }, (_, place) => [place < names.length ? place : 0, pull[place] ?? 0]);
            // The heaviest come first, as exporters write them.
            all.sort(([, a], [, b]) => b - a);
            const sum = all.reduce((sum, [, weight]) => sum + weight, 0);
            all.forEach(([joint, weight], place) => {
                joints[place >> 2].push(joint);
                weights[place >> 2].push(weight / sum);
            });
        }
    }
    for (let ring = 0; ring < rings; ring++) for (let side = 0; side < sides; side++) {
        const a = ring * (sides + 1) + side, b = a + sides + 1;
        indices.push(a, b, a + 1, a + 1, b, b + 1);
    }
    const attributes = { POSITION: file.accessor("VEC3", positions), NORMAL: file.accessor("VEC3", normals), TEXCOORD_0: file.accessor("VEC2", texcoords) };
    for (let set = 0; set < sets; set++) {
        attributes[`JOINTS_${set}`] = file.accessor("VEC4", joints[set], UINT8);
        attributes[`WEIGHTS_${set}`] = file.accessor("VEC4", weights[set]);
    }
    const length = 1 / names.length;
    const inverse = names.flatMap((_, joint) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -joint * length, 0, 1]);
    const chain = names.map((name, joint) => file.node({ name, translation: [0, joint === 0 ? 0 : length, 0] }, joint === 0));
    chain.slice(0, -1).forEach((joint, place) => { file.words.nodes[joint].children = [chain[place + 1]]; });
    if (scale) file.words.nodes[chain[1]].scale = scale;
    const skin = file.add("skins", { joints: chain, inverseBindMatrices: file.accessor("MAT4", inverse) });
    const drawn = { baseColorTexture: material(file) };
    file.add("materials", { pbrMetallicRoughness: drawn, ...material.words });
    file.add("meshes", { primitives: [{ attributes, indices: file.accessor("SCALAR", indices, UINT16), material: 0 }] });
    // What a skinned mesh's node hangs from does not matter; an engine that looks joints up by name may find it first.
    const drawnNode = file.node({ name: mesh, mesh: 0, skin }, mesh === "tube");
    if (mesh !== "tube") file.words.nodes[chain[0]].children.unshift(drawnNode);
    const keys = [[0, 0], [40, 20], [-30, 10]].map(([degrees, twist]) => turned(degrees + twist, [0, 0.28, 0.96]));
    const rest = [0, 0, 0, 0];
    const output = spline ? keys.flatMap((key, place) => [rest, key, place === 1 ? [0.1, 0, 0.4, -0.2] : rest].flat()) : keys.flat();
    const [input, values] = [file.accessor("SCALAR", [0, 0.5, 1]), file.accessor("VEC4", output)];
    const samplers = [{ input, output: values, interpolation: spline ? "CUBICSPLINE" : "LINEAR" }];
    file.add("animations", { name: "bend", samplers, channels: chain.slice(1).map((node) => ({ sampler: 0, target: { node, path: "rotation" } })) });
    return file.text();
}

const chequered = (file) => file.texture(16, 16, (x, y) => [60 + 12 * x, (x + y) % 2 ? 210 : 90, 230 - 12 * y, 255], linearSampler);
/** Holes: alpha runs from 0 to 255 around points of a grid. */
const holed = Object.assign((file) => file.texture(32, 32, (x, y) => [200, 90 + 4 * x, 60 + 5 * y, Math.min(255, 40 * Math.hypot((x % 8) - 3.5, (y % 8) - 3.5))], linearSampler), {
    words: { alphaMode: "MASK", alphaCutoff: 0.4, doubleSided: true },
});

/** Six tiles on a floor: turned textures, odd sizes, no sampler, wrapping, vertex colours. */
function tiles() {
    const file = new File();
    const texel = (x, y) => [x % 4 < 2 ? 230 : 40, y % 4 < 2 ? 200 : 60, (x * 16) % 256, 255];
    const kinds = [
        { texture: [16, 16, linearSampler], transform: { rotation: 0.6, offset: [0.2, 0.1], scale: [1.5, 0.7] } },
        { texture: [13, 7, linearSampler] },
        { texture: [64, 64, undefined] },
        { texture: [16, 16, { magFilter: 9729, minFilter: 9729, wrapS: 33648, wrapT: 33071 }], repeat: 2.5 },
        { texture: [16, 16, nearestSampler] },
        { texture: [16, 16, linearSampler], colors: true },
    ];
    kinds.forEach(({ texture: [width, height, sampler], transform, repeat = 1, colors }, place) => {
        const texture = file.texture(width, height, texel, sampler);
        if (transform) {
            texture.extensions = { KHR_texture_transform: transform };
            file.words.extensionsUsed = ["KHR_texture_transform"];
        }
        const material = file.add("materials", { pbrMetallicRoughness: { baseColorTexture: texture, baseColorFactor: [0.9, 0.7, 1, 1] } });
        const attributes = {
            POSITION: file.accessor("VEC3", [0, 0, 0, 0.9, 0, 0, 0.9, 0, 0.9, 0, 0, 0.9]),
            NORMAL: file.accessor("VEC3", [0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0]),
            TEXCOORD_0: file.accessor("VEC2", [0, 0, repeat, 0, repeat, repeat, 0, repeat]),
            ...(colors && { COLOR_0: file.accessor("VEC4", [1, 0, 0, 1, 0, 1, 0, 1, 0.2, 0.2, 1, 1, 1, 1, 1, 1]) }),
        };
        const mesh = file.add("meshes", { primitives: [{ attributes, indices: file.accessor("SCALAR", [0, 2, 1, 0, 3, 2], UINT16), material }] });
        file.node({ mesh, translation: [place % 3, 0, Math.floor(place / 3)] }, true);
    });
    return file.text();
}

/** A tetrahedron beside its mirror image, which a node with a negative scale makes, stretched and turned. */
function mirrored() {
    const file = new File();
    const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    const third = Math.sqrt(1 / 3);
    const normals = [[0, 0, -1], [0, -1, 0], [-1, 0, 0], [third, third, third]];
    const attributes = {
        POSITION: file.accessor("VEC3", faces.flat().flatMap((corner) => corners[corner])),
        NORMAL: file.accessor("VEC3", normals.flatMap((normal) => [normal, normal, normal].flat())),
    };
    const material = file.add("materials", { pbrMetallicRoughness: { baseColorFactor: [0.8, 0.5, 0.2, 1] } });
    const mesh = file.add("meshes", { primitives: [{ attributes, material }] });
    file.node({ mesh, translation: [0.3, 0, 0], rotation: turned(25, [0, 1, 0]) }, true);
    file.node({ mesh, translation: [-0.3, 0, 0], rotation: turned(-40, [0, 1, 0]), scale: [-1, 1.5, 0.6] }, true);
    return file.text();
}

/** Name and text of each scene. */
export const scenes = {
    "cut-out": () => limb({ material: holed }),
    "names": () => limb({ material: chequered, mesh: "knee" }),
    "root": () => limb({ material: chequered, names: ["hip", "root", "toe"] }),
    "stretched": () => limb({ material: chequered, scale: [1.6, 0.8, 0.7] }),
    "eight-influences": () => limb({ material: chequered, names: ["a", "b", "c", "d", "e", "f", "g"], sets: 2 }),
    "spline": () => limb({ material: chequered, spline: true }),
    "tiles": tiles,
    "mirrored": mirrored,
};

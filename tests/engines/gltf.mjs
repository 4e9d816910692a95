// glTF files as adapters get them: for `unlit` every material says so, and draws like its base colour.
//
// Why it exists: with KHR_materials_unlit in the file an adapter need not know how its engine makes a material without light, and the
// engine's own way to read one is what is tested. Geometry, textures and everything else stay the file's own bytes, unless a proof asks for
// the same scene in other words (sayings.mjs).

import { cpSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const JSON_CHUNK = 0x4e4f534a;
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const readers = {
    5120: [1, "readInt8", (value) => Math.max(value / 127, -1)], 5121: [1, "readUInt8", (value) => value / 255],
    5122: [2, "readInt16LE", (value) => Math.max(value / 32767, -1)], 5123: [2, "readUInt16LE", (value) => value / 65535],
    5125: [4, "readUInt32LE"], 5126: [4, "readFloatLE"],
};

/** The JSON of a .gltf or .glb file. */
export const contents = (file) => words(readFileSync(file));

/** The file's bytes with every material unlit. */
export const unlit = (file) => rewritten(file, [withoutLight]);

/** A folder like the file's own, in which it is changed. The other files are not symbolic links: nobody needs to read outside of it. */
export function copy(file, folder, changes) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const bytes = rewritten(file, changes);
    const own = join(folder, basename(file).replace(/\.gl(b|tf)$/, isBinary(bytes) ? ".glb" : ".gltf"));
    for (const name of readdirSync(dirname(file))) if (name !== basename(file)) linkOrCopy(join(dirname(file), name), join(folder, name));
    writeFileSync(own, bytes);
    return own;
}

function linkOrCopy(from, to) {
    try {
        linkSync(from, to);
    } catch {
        cpSync(from, to, { recursive: true });
    }
}

/** Says of every material that it is without light. */
export function withoutLight({ words }) {
    words.materials ??= [];
    const primitives = (words.meshes ?? []).flatMap((mesh) => mesh.primitives);
    if (primitives.some((primitive) => primitive.material === undefined)) {
        primitives.forEach((primitive) => { primitive.material ??= words.materials.length; });
        words.materials.push({});
    }
    for (const material of words.materials) (material.extensions ??= {}).KHR_materials_unlit = {};
    words.extensionsUsed = [...new Set([...(words.extensionsUsed ?? []), "KHR_materials_unlit"])];
}

/** Lights a file that has no lights by two that are far away: one 40° above and to the right of who looks along -z, one from behind. */
export function withLights({ words }) {
    const lights = [{ type: "directional", color: [1, 0.96, 0.9], intensity: 3.2 }, { type: "directional", color: [0.6, 0.75, 1], intensity: 1.6 }];
    const turns = [[-0.3261904, 0.282571, 0.1028474, 0.8962008], [-0.0560187, -0.9430295, -0.2090646, 0.252684]];
    words.scene ??= 0;
    turns.forEach((rotation, light) => {
        words.scenes[words.scene].nodes.push(words.nodes.length);
        words.nodes.push({ name: `light ${light}`, rotation, extensions: { KHR_lights_punctual: { light } } });
    });
    (words.extensions ??= {}).KHR_lights_punctual = { lights };
    words.extensionsUsed = [...new Set([...(words.extensionsUsed ?? []), "KHR_lights_punctual"])];
}

/** A file that is being changed: its JSON, the numbers of its accessors, and a place for new ones. */
class File {
    constructor(file, bytes) {
        this.words = words(bytes);
        this.folder = dirname(file);
        this.chunk = isBinary(bytes) ? bytes.subarray(28 + bytes.readUInt32LE(12)) : undefined;
    }

    buffer(number) {
        const { uri } = this.words.buffers[number];
        if (uri === undefined) return this.chunk;
        return uri.startsWith("data:") ? Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64") : readFileSync(join(this.folder, decodeURIComponent(uri)));
    }

    /** The bytes of a buffer view. */
    view = (number) => {
        const { buffer, byteOffset = 0, byteLength } = this.words.bufferViews[number];
        return this.buffer(buffer).subarray(byteOffset, byteOffset + byteLength);
    };

    /** The numbers of an accessor, sparse ones in their places, whole ones as the fractions that they stand for. */
    numbers(place) {
        const { bufferView, byteOffset = 0, componentType, count, type, normalized, sparse } = this.words.accessors[place];
        const width = widths[type];
        const view = (number, offset, kind, rows, width) => {
            const { buffer, byteOffset = 0, byteStride } = this.words.bufferViews[number];
            const [size, name, fraction = (value) => value] = readers[kind];
            const bytes = this.buffer(buffer), stride = byteStride ?? size * width;
            return Array.from({ length: rows * width }, (_, at) => {
                const value = bytes[name](byteOffset + offset + Math.floor(at / width) * stride + (at % width) * size);
                return normalized ? fraction(value) : value;
            });
        };
        const all = bufferView === undefined ? Array(count * width).fill(0) : view(bufferView, byteOffset, componentType, count, width);
        if (sparse) {
            const rows = view(sparse.indices.bufferView, sparse.indices.byteOffset ?? 0, sparse.indices.componentType, sparse.count, 1);
            const values = view(sparse.values.bufferView, sparse.values.byteOffset ?? 0, componentType, sparse.count, width);
            rows.forEach((row, place) => values.slice(place * width, (place + 1) * width).forEach((value, column) => { all[row * width + column] = value; }));
        }
        return all;
    }

    /** A new accessor of floats, or of whole numbers in 16 bits. */
    add(type, numbers, componentType = 5126) {
        const kind = componentType === 5126 ? Float32Array : Uint16Array;
        const bytes = Buffer.from(kind.from(numbers).buffer), width = widths[type];
        const columns = Array.from({ length: width }, (_, column) => numbers.filter((_, at) => at % width === column).map(Math.fround));
        const least = (all) => all.reduce((a, b) => Math.min(a, b)), most = (all) => all.reduce((a, b) => Math.max(a, b));
        this.words.buffers.push({ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString("base64")}` });
        this.words.bufferViews.push({ buffer: this.words.buffers.length - 1, byteLength: bytes.length });
        this.words.accessors.push({
            bufferView: this.words.bufferViews.length - 1, componentType, count: numbers.length / width, type, min: columns.map(least), max: columns.map(most),
        });
        return this.words.accessors.length - 1;
    }
}

/** The file's bytes after changes. */
function rewritten(path, changes) {
    const bytes = readFileSync(path);
    const file = new File(path, bytes);
    const buffers = file.words.buffers?.length;
    for (const change of changes) change(file);
    // Not every engine reads a second buffer beside a chunk.
    const isWhole = file.chunk && file.words.buffers.length > buffers;
    if (isWhole) file.words.buffers[0].uri = `data:application/octet-stream;base64,${file.chunk.toString("base64")}`;
    const text = Buffer.from(JSON.stringify(file.words));
    return isBinary(bytes) && !isWhole ? binary(text, bytes.subarray(20 + bytes.readUInt32LE(12))) : text;
}

const isBinary = (bytes) => bytes.subarray(0, 4).toString("latin1") === "glTF";
const words = (bytes) => JSON.parse(isBinary(bytes) ? bytes.subarray(20, 20 + bytes.readUInt32LE(12)) : bytes);

/** A .glb of JSON and the chunks after it. */
function binary(text, rest) {
    const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
    const header = Buffer.alloc(20);
    header.write("glTF", "latin1");
    [2, header.length + padded.length + rest.length, padded.length, JSON_CHUNK].forEach((number, place) => header.writeUInt32LE(number, 4 * (place + 1)));
    return Buffer.concat([header, padded, rest]);
}

// glTF files as adapters get them: for `unlit` every material says so, and draws like its base colour.
//
// Why it exists: with KHR_materials_unlit in the file an adapter need not know how its engine makes a material without light, and the
// engine's own way to read one is what is tested. Geometry, textures and everything else stay the file's own bytes.

import { readFileSync } from "node:fs";

const JSON_CHUNK = 0x4e4f534a;

/** The JSON of a .gltf or .glb file. */
export function contents(file) {
    return JSON.parse(isBinary(readFileSync(file)) ? chunk(readFileSync(file)) : readFileSync(file));
}

/** The file's bytes with every material unlit. */
export function unlit(file) {
    const bytes = readFileSync(file);
    const words = JSON.parse(isBinary(bytes) ? chunk(bytes) : bytes);
    words.materials ??= [];
    const primitives = (words.meshes ?? []).flatMap((mesh) => mesh.primitives);
    if (primitives.some((primitive) => primitive.material === undefined)) {
        primitives.forEach((primitive) => { primitive.material ??= words.materials.length; });
        words.materials.push({});
    }
    for (const material of words.materials) (material.extensions ??= {}).KHR_materials_unlit = {};
    words.extensionsUsed = [...new Set([...(words.extensionsUsed ?? []), "KHR_materials_unlit"])];
    const text = Buffer.from(JSON.stringify(words));
    return isBinary(bytes) ? binary(text, bytes.subarray(20 + bytes.readUInt32LE(12))) : text;
}

const isBinary = (bytes) => bytes.subarray(0, 4).toString("latin1") === "glTF";
const chunk = (bytes) => bytes.subarray(20, 20 + bytes.readUInt32LE(12));

/** A .glb of JSON and the chunks after it. */
function binary(text, rest) {
    const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
    const header = Buffer.alloc(20);
    header.write("glTF", "latin1");
    [2, header.length + padded.length + rest.length, padded.length, JSON_CHUNK].forEach((number, place) => header.writeUInt32LE(number, 4 * (place + 1)));
    return Buffer.concat([header, padded, rest]);
}

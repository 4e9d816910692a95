// Godot 3 (Debian: godot3, godot3-server): node with_godot3.mjs CASE.json OUT.png, or OUT.npy for its vertices in world space.
//
// A project is made around the file (godot3/), the editor imports it without a screen, and the engine runs the project's script by OpenGL ES 3.
// The importer's own settings hold, but that meshes are not compressed and keys not thinned out.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vertexFile } from "../../../docs/write-vertices/refrast_vertices.mjs";
import { mended } from "./mended_godot3.mjs";

// All of them: one that is missing is taken for nothing and not for its default.
const settings = `[remap]

importer="scene"
type="PackedScene"

[params]

nodes/root_type="Spatial"
nodes/root_name="Scene Root"
nodes/root_scale=1.0
nodes/custom_script=""
nodes/storage=0
nodes/use_legacy_names=false
materials/location=1
materials/storage=0
materials/keep_on_reimport=true
meshes/compress=false
meshes/ensure_tangents=false
meshes/storage=0
meshes/light_baking=0
meshes/lightmap_texel_size=0.1
skins/use_named_skins=true
external_files/store_in_subdir=false
animation/import=true
animation/fps=15
animation/filter_script=""
animation/storage=false
animation/keep_custom_tracks=false
animation/optimizer/enabled=false
animation/clips/amount=0
`;

/** The file with everything in it: images beside it would be imported by settings of their own. */
function whole(path) {
    const bytes = readFileSync(path);
    if (bytes.subarray(0, 4).toString("latin1") === "glTF") return bytes;
    const words = JSON.parse(bytes);
    for (const part of [...(words.images ?? []), ...(words.buffers ?? [])]) {
        if (!part.uri || part.uri.startsWith("data:")) continue;
        const type = { ".png": "image/png", ".jpg": "image/jpeg" }[extname(part.uri)] ?? "application/octet-stream";
        if (type.startsWith("image/")) part.mimeType = type;
        part.uri = `data:${type};base64,${readFileSync(join(dirname(path), decodeURIComponent(part.uri))).toString("base64")}`;
    }
    return JSON.stringify(words);
}

const [caseFile, out] = process.argv.slice(2);
const words = JSON.parse(readFileSync(caseFile));
const project = mkdtempSync(join(tmpdir(), "refrast-godot-"));
try {
    cpSync(join(dirname(fileURLToPath(import.meta.url)), "godot3"), project, { recursive: true });
    const file = `scene${extname(words.scene_file)}`;
    writeFileSync(join(project, file), whole(words.scene_file));
    writeFileSync(join(project, `${file}.import`), settings);
    writeFileSync(join(project, "case.json"), JSON.stringify({ ...words, file }));
    const engine = mended(words.mend ?? [], join(project, "engine"));
    const options = { encoding: "utf8", stdio: "pipe", timeout: 70_000, maxBuffer: 1 << 26 };
    execFileSync("godot3-server", ["--editor", "--quit", "--path", project], options);
    const wants = extname(out) === ".npy" ? "vertices" : "picture";
    const said = execFileSync("xvfb-run", ["--auto-servernum", "timeout", "60", engine, "--audio-driver", "Dummy", "--video-driver", "GLES3", "--path", project, "--script", "draw.gd", wants], options);
    const made = join(project, wants === "vertices" ? "out.raw" : "out.png");
    if (!existsSync(made)) throw new Error(`Godot made nothing: ${said}`);
    const bytes = readFileSync(made);
    writeFileSync(out, wants === "vertices" ? vertexFile(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)) : bytes);
} finally {
    rmSync(project, { recursive: true, force: true });
}

// Lines of Godot's shader for materials put right: the board proves with them what it says of the engine. No part of an adapter that draws it as it is.
//
// The text stands in the program, and nothing reads it from elsewhere: it is changed in a copy of that.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

/** What stands there, in all of its places, and what is put there. */
const mends = {
    energy: [
        ["light_color_energy.rgb, light_attenuation", "light_color_energy.rgb / M_PI, light_attenuation"],
        ["light_params.z * specular_blob_intensity", "specular_blob_intensity"],
        ["spot_lights[idx].light_params.z * p_blob_intensity", "p_blob_intensity"],
    ],
    masking: [[
        "float G = G_GGX_2cos(cNdotL, alpha_ggx) * G_GGX_2cos(cNdotV, alpha_ggx);",
        "float a2 = alpha_ggx * alpha_ggx, G = 0.5 / (cNdotL * sqrt(cNdotV * cNdotV * (1.0 - a2) + a2) + cNdotV * sqrt(cNdotL * cNdotL * (1.0 - a2) + a2));",
    ]],
    eye: [["float cNdotV = max(NdotV, 0.0);", "float cNdotV = abs(NdotV);"]],
    bitangent: [[
        "vec3 normal = normalize(normal_interp);",
        "vec3 normal = normalize(normal_interp);\n#if defined(ENABLE_NORMALMAP)\nbinormal = cross(normal, tangent) * sign(dot(cross(normal, tangent), binormal));\n#endif",
    ]],
    flat: [["vec3 normal = normalize(normal_interp);", "vec3 normal = normalize(cross(dFdx(vertex), dFdy(vertex)));"]],
    // What the importer makes of intensity, range and cone is turned back.
    fall: [[
        "spot_attenuation = pow(1.0 - normalized_distance, spot_lights[idx].light_direction_attenuation.w);",
        "spot_attenuation = 100.0 / (spot_lights[idx].light_pos_inv_radius.w * spot_lights[idx].light_direction_attenuation.w) * (1.0 - pow(normalized_distance, 4.0)) / (light_length * light_length);",
    ]],
    cone: [[
        "spot_attenuation *= 1.0 - pow(spot_rim, spot_lights[idx].light_params.x);",
        "float inner = cos(acos(spot_cutoff) * (1.0 - 0.2 / (spot_lights[idx].light_params.x + 0.1))), part = min((scos - spot_cutoff) / (inner - spot_cutoff), 1.0); spot_attenuation *= part * part;",
    ]],
};

/** The engine's program; with names, a copy with its shader in other words. The text stays as long as it was: comments make room. */
export function mended(names, to) {
    const engine = execFileSync("sh", ["-c", "command -v godot3"], { encoding: "utf8" }).trim();
    if (!names.length) return engine;
    const lines = names.flatMap((name) => mends[name]);
    const bytes = readFileSync(engine);
    for (let at = bytes.indexOf("void light_compute("); at >= 0; at = bytes.indexOf("void light_compute(", at + 1)) {
        const start = bytes.lastIndexOf(0, at) + 1, end = bytes.indexOf(0, at);
        const text = bytes.toString("latin1", start, end);
        if (!lines.every(([line]) => text.includes(line))) continue;
        const right = lines.reduce((text, [line, right]) => text.replaceAll(line, right), text).replace(/\/\/ .*/g, "");
        if (right.length > text.length) throw new Error("the shader has no room for that");
        bytes.write(right.padEnd(text.length), start, "latin1");
        writeFileSync(to, bytes, { mode: 0o755 });
        return to;
    }
    throw new Error(`no shader of Godot has what ${names.join(", ")} would change`);
}

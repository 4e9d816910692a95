// What the engines draw: scenes in the words of a manifest, each at one sample and at four.

/** The shared models, as they lie in the folder that REFRAST_MODELS names. `own` are scenes of scenes.mjs. */
const pictures = [
    ["fox-run", { scene: "Fox/Fox.glb", animation: "Run", time: 0.25, camera: "orbit:60,15" }, ["unlit", "normals"]],
    ["fox-survey", { scene: "Fox/Fox.glb", animation: "Survey", time: 2.1, camera: "orbit:-30,20" }, ["unlit"]],
    ["cesium-man", { scene: "CesiumMan/CesiumMan.glb", animation: "0", time: 0.6, camera: "orbit:60,15" }, ["unlit", "normals"]],
    ["greenman", { scene: "Greenman/greenman.glb", animation: "3_attack", time: 0.4, camera: "orbit:20,15" }, ["unlit", "normals"]],
    ["morph-cube", { scene: "AnimatedMorphCube/AnimatedMorphCube.gltf", animation: "Square", time: 1.7, camera: "orbit:30,25" }, ["normals"]],
    ["morph-stress", { scene: "MorphStressTest/MorphStressTest.gltf", animation: "TheWave", time: 0.9, camera: "orbit:20,30" }, ["unlit", "normals"]],
    ["simple-skin", { scene: "SimpleSkin/SimpleSkin.gltf", animation: "0", time: 1.3, camera: "orbit:20,10" }, ["unlit"]],
    ["box-textured", { scene: "BoxTextured/BoxTextured.gltf", camera: "orbit:30,25" }, ["unlit", "normals"]],
    ["texture-transform", { scene: "TextureTransformTest/TextureTransformTest.gltf", camera: "orbit:10,5" }, ["unlit"]],
    ["flight-helmet", { scene: "FlightHelmet/FlightHelmet.gltf", camera: "orbit:30,10" }, ["unlit", "normals"]],
    ["mannequin-walk", { scene: "mannequin", animation: "Walk", time: 0.3, camera: "orbit:25,10" }, ["unlit", "normals"]],
    ["mannequin-expression", { scene: "mannequin", animation: "Expression", time: 1.2, camera: "orbit:10,5,0.5" }, ["unlit"]],
    ["cut-out", { own: "cut-out", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit"]],
    ["names", { own: "names", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit"]],
    ["root", { own: "root", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit"]],
    ["stretched", { own: "stretched", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit", "normals"]],
    ["eight-influences", { own: "eight-influences", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit"]],
    ["spline", { own: "spline", animation: "bend", time: 0.6, camera: "orbit:25,15" }, ["unlit", "normals"]],
    ["tiles", { own: "tiles", camera: "orbit:20,30" }, ["unlit"]],
    ["mirrored", { own: "mirrored", camera: "orbit:20,30" }, ["unlit", "normals"]],
];

/** With the materials that files ask for, under lights: the models under the two of withLights (gltf.mjs), a scene of golden/ under its own. */
const lit = [
    ["fox-run", { scene: "Fox/Fox.glb", animation: "Run", time: 0.25, camera: "orbit:60,15" }],
    ["cesium-man", { scene: "CesiumMan/CesiumMan.glb", animation: "0", time: 0.6, camera: "orbit:60,15" }],
    ["flight-helmet", { scene: "FlightHelmet/FlightHelmet.gltf", camera: "orbit:30,10" }],
    ["mannequin-walk", { scene: "mannequin", animation: "Walk", time: 0.3, camera: "orbit:25,10" }],
    ["lamps", { golden: "lamps.gltf", camera: "before the stage" }],
];

/** A canvas of WebGL on SwiftShader: four bits of everything, stored bytes averaged, the pattern of samples in a mirror. */
const canvas = { profile: "webgl2", given: "file", size: "320x240" };
const samples = { "1x": 1, "4x": "4-mirrored" };

/** The cases of a manifest: one a picture, mode and number of samples. `place(words)` says where its scene lies. */
export function cases(place) {
    const all = [...pictures, ...lit.map(([name, words]) => [name, { ...words, ambient: 0 }, ["lit"]])];
    return all.flatMap(([name, { scene, own, golden, ...words }, modes]) => modes.flatMap((shading) => Object.entries(samples).map(([count, samples]) => ({
        name: `${name}-${shading}-${count}`, scene: place({ name, scene, own, golden, isLit: shading === "lit" }), ...words, shading, ...canvas, samples,
    }))));
}

/** Scenes and moments of which vertices are compared: each once. */
export function moments(place) {
    return pictures.map(([name, { scene, own, ...words }]) => ({ name, scene: place({ scene, own }), ...words }));
}

/** A case as TOML. */
export function toml(words) {
    return `[[case]]\n${Object.entries(words).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join("\n")}\n`;
}

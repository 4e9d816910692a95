// Babylon.js with exact sRGB and without anisotropic filtering, which it has by default.

/* global BABYLON */

const fileOf = (task) => [task.file.slice(0, task.file.lastIndexOf("/") + 1), task.file.slice(task.file.lastIndexOf("/") + 1)];

/** The scene of the file at the moment of the task, on a canvas. */
async function load(canvas, task, options) {
    const engine = new BABYLON.Engine(canvas, task.samples > 1, options);
    const scene = new BABYLON.Scene(engine);
    scene.useRightHandedSystem = true;
    const [r, g, b] = task.background.map((byte) => byte / 255);
    scene.clearColor = new BABYLON.Color4(r, g, b, 1);
    const camera = new BABYLON.FreeCamera("refrast", BABYLON.Vector3.Zero(), scene);
    camera._getViewMatrix = () => BABYLON.Matrix.FromArray(task.view);
    camera.freezeProjectionMatrix(BABYLON.Matrix.FromArray(task.projection));
    let file;
    BABYLON.SceneLoader.OnPluginActivatedObservable.addOnce((plugin) => {
        plugin.animationStartMode = BABYLON.GLTFLoaderAnimationStartMode.NONE;
        plugin.onMeshLoadedObservable.addOnce(() => { file = plugin._loader.gltf; });
    });
    await BABYLON.SceneLoader.AppendAsync(...fileOf(task), scene);
    if (task.clip !== null) {
        const group = scene.animationGroups[task.clip];
        group.start(false);
        group.pause();
        group.goToFrame(task.time * group.targetedAnimations[0].animation.framePerSecond);
    }
    return { scene, file };
}

/** Lines of its shaders that proofs change. */
export const mends = {
    range: ["attenuation*=attenuation;", ""],
    roughness: ["return vec2(geometricRoughnessFactor,geometricAlphaGFactor);", "return vec2(0.0);"],
    scattering: ["finalSpecularScaled*=coloredEnergyConservationFactor;", ""],
};

export async function draw(canvas, task, options = { useExactSrgbConversions: true }, anisotropy = 1) {
    const { scene } = await load(canvas, task, { alpha: false, ...options });
    for (const texture of scene.textures) texture.anisotropicFilteringLevel = anisotropy;
    if (task.shading === "normals") {
        const materials = [...scene.materials, ...scene.meshes.map((mesh) => mesh.material)];
        for (const material of materials) if (material) Object.assign(material, { debugMode: 5, bumpTexture: null });
    }
    // The first frame finds out which nodes are stretched, and asks for shaders that the second has.
    for (let frame = 0; frame < 2; frame++) {
        await scene.whenReadyAsync();
        scene.render();
    }
}

/** World-space positions in the order of node, primitive and vertex. */
export async function vertices(task) {
    const { scene, file } = await load(document.createElement("canvas"), task, {});
    await scene.whenReadyAsync();
    scene.render();
    const meshes = file.nodes.flatMap((node) => node._primitiveBabylonMeshes ?? []);
    return Float32Array.from(meshes.flatMap((mesh) => {
        const positions = mesh.getPositionData(true, true);
        const world = mesh.computeWorldMatrix(true);
        const moved = new Array(positions.length);
        for (let at = 0; at < positions.length; at += 3) {
            BABYLON.Vector3.TransformCoordinates(BABYLON.Vector3.FromArray(positions, at), world).toArray(moved, at);
        }
        return moved;
    }));
}

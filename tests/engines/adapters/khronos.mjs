// Khronos' sample viewer, which glTF's own renders come from: with a file's lights alone, without its surroundings and without a tone curve.

import { GltfState, GltfView } from "@khronosgroup/gltf-viewer";

const libraries = "/node_modules/@khronosgroup/gltf-viewer/dist/libs/";
/** It wants decoders of Draco and of KTX also where no file needs them. */
const noDraco = ({ onModuleLoaded }) => onModuleLoaded(null);
const noTextures = async () => ({ GL: { createContext: () => null, makeContextCurrent: () => {} } });

export async function draw(canvas, task) {
    const context = canvas.getContext("webgl2", { alpha: false, antialias: task.samples > 1 });
    // It asks for as many samples of a texture as there are.
    const { getExtension } = context;
    context.getExtension = (name) => (name === "EXT_texture_filter_anisotropic" ? null : getExtension.call(context, name));
    const viewer = new GltfView(context);
    // Surroundings are asked for though they are switched off.
    viewer.renderer.applyEnvironmentMap = (_, slot) => slot;
    const state = viewer.createState();
    const loader = viewer.createResourceLoader(noDraco, noTextures, libraries);
    state.gltf = await loader.loadGltf(task.file);
    state.sceneIndex = state.gltf.scene ?? 0;
    if (task.clip !== null) {
        state.animationIndices = [task.clip];
        // It plays in a circle, so that the end of a clip would be its start.
        state.animationTimer.elapsedSec = () => task.time;
    }
    Object.assign(state.renderingParameters, {
        clearColor: [...task.background.map((byte) => byte / 255), 1], useIBL: false, renderEnvironmentMap: false, toneMap: GltfState.ToneMaps.NONE,
    });
    const camera = state.userCamera;
    camera.getViewMatrix = () => Float32Array.from(task.view);
    camera.getProjectionMatrix = () => Float32Array.from(task.projection);
    camera.getPosition = () => Float32Array.from(eye(task.view));
    viewer.renderFrame(state, task.width, task.height);
}

/** Where a view of turns and moves alone is seen from. */
const eye = (view) => [0, 1, 2].map((row) => -[0, 1, 2].reduce((sum, column) => sum + view[4 * row + column] * view[12 + column], 0));

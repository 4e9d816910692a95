// Galacean. Its own clock is stood still: a clip is asked for at a moment.

/* global Galacean */

// Its canvas has no samples: it draws into a target of its own.
export const resolves = true;

/** Lines of its shaders that proofs change. */
export const mends = {
    pi: ["vec3 irradiance = dotNL * color * PI;", "vec3 irradiance = dotNL * color;"],
    roughness: ["min(roughness + getAARoughnessFactor(geometry.normal), 1.0)", "min(roughness, 1.0)"],
    fresnel: ["float fresnel = exp2( ( -5.55473 * dotLH - 6.98316 ) * dotLH );", "float fresnel = pow( 1.0 - dotLH, 5.0 );"],
    distance: ["color *= spotEffect * decayEffect;", "color *= spotEffect * decayEffect / (lightDistance * lightDistance);"],
    spot: ["float spotEffect = smoothstep( spotLight.penumbraCos, spotLight.angleCos, angleCos );", "float spotEffect = pow2( clamp( ( angleCos - spotLight.penumbraCos ) / ( spotLight.angleCos - spotLight.penumbraCos ), 0.0, 1.0 ) );"],
};

/** The scene of the file at the moment of the task, on a canvas. */
async function load(canvas, task) {
    const engine = await Galacean.WebGLEngine.create({ canvas, graphicDeviceOptions: { antialias: task.samples > 1, alpha: false } });
    engine.canvas.width = task.width;
    engine.canvas.height = task.height;
    const scene = engine.sceneManager.activeScene;
    const [r, g, b] = task.background.map((byte) => byte / 255);
    scene.background.solidColor = new Galacean.Color(...[r, g, b].map(Galacean.Color.gammaToLinearSpace ?? ((value) => value)), 1);
    if (task.shading === "lit") scene.ambientLight.diffuseSolidColor = new Galacean.Color(0, 0, 0, 1);
    const root = scene.createRootEntity();
    const file = await engine.resourceManager.load({ type: Galacean.AssetType.GLTF, url: task.file, params: { keepMeshData: true } });
    const model = file.instantiateSceneRoot();
    root.addChild(model);
    const camera = root.createChild().addComponent(Galacean.Camera);
    const view = new Galacean.Matrix(...task.view);
    camera.viewMatrix = view;
    // Where highlights are seen from.
    const eye = view.clone();
    eye.invert();
    camera.entity.transform.worldMatrix = eye;
    camera.projectionMatrix = new Galacean.Matrix(...task.projection);
    camera.msaaSamples = task.samples;
    if (task.clip !== null) {
        const animator = model.getComponent(Galacean.Animator);
        const clip = file.animations[task.clip];
        animator.speed = 0;
        animator.play(clip.name, 0, task.time / clip.length);
    }
    engine.update();
    return { file, model };
}

export const draw = load;

/** World-space positions in the order of node, primitive and vertex, by the matrices that the engine uploads. */
export async function vertices(task) {
    const { file, model } = await load(document.createElement("canvas"), task);
    const entities = new Map();
    const walk = (node, entity) => {
        entities.set(file.entities.indexOf(node), entity);
        node.children.forEach((child, place) => walk(child, entity.children[place]));
    };
    walk(file.defaultSceneRoot, model);
    const parts = file.entities.flatMap((_, number) => entities.get(number)?.getComponents(Galacean.MeshRenderer, []) ?? []);
    return Float32Array.from(parts.flatMap(placed));
}

/** Morphed and skinned as its shaders do: the matrix of the root joint, times the joints' relative to it. */
function placed({ entity, mesh, skin, blendShapeWeights }) {
    const positions = mesh.getPositions().map((position) => position.clone());
    mesh.blendShapes.forEach(({ frames: [{ deltaPositions }] }, number) => {
        const weight = blendShapeWeights?.[number] ?? 0;
        positions.forEach((position, vertex) => {
            for (const axis of ["x", "y", "z"]) position[axis] += weight * deltaPositions[vertex][axis];
        });
    });
    const at = ({ x, y, z }, m) => [0, 1, 2].map((row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]);
    const world = (skin?.rootBone ?? entity).transform.worldMatrix.elements;
    const [joints, weights] = skin ? [mesh.getBoneIndices(), mesh.getBoneWeights()] : [];
    return positions.flatMap((position, vertex) => {
        if (!skin) return at(position, world);
        const sum = [0, 0, 0];
        const whole = ["x", "y", "z", "w"].reduce((sum, place) => sum + weights[vertex][place], 0);
        for (const place of ["x", "y", "z", "w"]) {
            const moved = at(position, skin._skinMatrices.subarray(16 * joints[vertex][place]));
            moved.forEach((value, row) => { sum[row] += (weights[vertex][place] / whole) * value; });
        }
        return at({ x: sum[0], y: sum[1], z: sum[2] }, world);
    });
}

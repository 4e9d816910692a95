// PlayCanvas. It encodes by a power of 1/2.2: declared on the board.

import * as pc from "playcanvas";

/** The scene of the file at the moment of the task, on a canvas. */
async function load(canvas, task) {
    const app = new pc.Application(canvas, { graphicsDeviceOptions: { antialias: task.samples > 1, alpha: false } });
    app.setCanvasResolution(pc.RESOLUTION_FIXED, task.width, task.height);
    app.setCanvasFillMode(pc.FILLMODE_NONE, task.width, task.height);
    app.autoRender = false;
    app.start();
    const asset = new pc.Asset("task", "container", { url: task.file }, undefined, { morphPreserveData: true });
    const loaded = new Promise((resolve, reject) => { asset.once("load", resolve); asset.once("error", (error) => reject(new Error(error))); });
    app.assets.add(asset);
    app.assets.load(asset);
    const file = (await loaded).resource;
    const scene = file.instantiateRenderEntity({ castShadows: false });
    app.root.addChild(scene);
    if (task.clip !== null) {
        scene.addComponent("anim", { activate: true });
        scene.anim.assignAnimation("clip", file.animations[task.clip].resource, undefined, 1, false);
        scene.anim.baseLayer.play("clip");
    }
    return { app, file, scene };
}

/** What appendix B has in the place of Blinn's highlight: D·V, a being α². */
const ggx = `float a = pow(1.0 - gloss, 4.0), nl = max(dot(worldNormal, -lightDirNorm), 0.0), nv = abs(dot(worldNormal, viewDir)), nh = min(dot(worldNormal, h), 1.0);
    float d = nh * nh * (a - 1.0) + 1.0;
    return a / (3.14159265 * d * d) * 0.5 / max(nl * sqrt(nv * nv * (1.0 - a) + a) + nv * sqrt(nl * nl * (1.0 - a) + a), 1e-6);`;

/** Lines of its shaders that proofs change. */
export const mends = {
    pi: ["dDiffuseLight += dAtten * lightColor;", "dDiffuseLight += dAtten * lightColor / 3.14159265;"],
    lamp: ["dDiffuseLight += punctualDiffuse;", "dDiffuseLight += punctualDiffuse / 3.14159265;"],
    highlight: ["return calcLightSpecular(gloss, worldNormal, h);", ggx],
    edge: ["max(vec3(glossSq * specIntensity), specularity)", "vec3(1.0)"],
    occlusion: ["occludeSpecular(litArgs_gloss, litArgs_ao, litArgs_worldNormal, dViewDirW);", ""],
    distance: ["float falloff = 1.0 / (sqrDist + 1.0);", "float falloff = 1.0 / 16.0 / sqrDist;"],
    range: ["falloff *= square(saturate(1.0 - square(sqrDist * square(invRadius))));", "falloff *= saturate(1.0 - square(sqrDist * square(invRadius)));"],
    // Angles of the cones that are drawn are whole hundredths.
    inner: ["mix(innerVal, 1.0 - innerVal, innerIsVersine),", "cos(round(100.0 * acos(mix(innerVal, 1.0 - innerVal, innerIsVersine))) / 100.0),"],
    outer: ["mix(outerVal, 1.0 - outerVal, outerIsVersine)", "cos(round(100.0 * acos(mix(outerVal, 1.0 - outerVal, outerIsVersine))) / 100.0)"],
    spot: ["return smoothstep(lightOuterConeAngle, lightInnerConeAngle, cosAngle);", "return square(saturate((cosAngle - lightOuterConeAngle) / (lightInnerConeAngle - lightOuterConeAngle)));"],
};

export async function draw(canvas, task) {
    const { app, file, scene } = await load(canvas, task);
    const camera = new pc.Entity();
    const [r, g, b] = task.background.map((byte) => byte / 255);
    camera.addComponent("camera", { clearColor: new pc.Color(r, g, b, 1) });
    camera.camera.calculateProjection = (matrix) => matrix.set(task.projection);
    const stands = new pc.Mat4().set(task.view).invert();
    camera.camera.calculateTransform = (matrix) => matrix.copy(stands);
    // Where surfaces are seen from is asked of the entity.
    camera.setPosition(stands.getTranslation());
    if (task.shading === "lit") {
        // A program switches a file's lights on, and has them in the file's units.
        for (const light of scene.findComponents("light")) light.enabled = true;
        app.scene.physicalUnits = true;
        camera.camera.camera.getExposure = () => 1;
    }
    if (task.shading === "normals") for (const material of file.materials) {
        Object.assign(material.resource, { normalMap: null }).update();
    }
    if (task.shading === "normals") camera.camera.setShaderPass(pc.SHADERPASS_WORLDNORMAL);
    app.root.addChild(camera);
    app.update(task.time);
    app.render();
}

/** World-space positions in the order of node, primitive and vertex, by the matrices that the engine uploads. */
export async function vertices(task) {
    const { app, file, scene } = await load(document.createElement("canvas"), task);
    app.update(task.time);
    const entities = new Map();
    const walk = (node, entity) => {
        entities.set(file.data.nodes.indexOf(node), entity);
        node.children.forEach((child, place) => walk(child, entity.children[place]));
    };
    walk(file.data.scenes[0], scene);
    const parts = file.data.nodes.flatMap((_, number) => entities.get(number)?.render?.meshInstances ?? []);
    return Float32Array.from(parts.flatMap(placed));
}

/** Morphed and skinned as its shaders do: the mesh node's matrix, times the joints' relative to it. */
function placed({ mesh, node, morphInstance, skinInstance }) {
    const read = (semantic) => { const values = []; mesh.getVertexStream(semantic, values); return values; };
    const positions = Float64Array.from(read(pc.SEMANTIC_POSITION));
    mesh.morph?.targets.forEach((target, number) => {
        const weight = morphInstance.getWeight(number);
        target.options.deltaPositions?.forEach((delta, place) => { positions[place] += weight * delta; });
    });
    // Never the update that was the last.
    skinInstance?.updateMatrixPalette(node, NaN);
    const joints = skinInstance && read(pc.SEMANTIC_BLENDINDICES), weights = skinInstance && read(pc.SEMANTIC_BLENDWEIGHT);
    const world = node.getWorldTransform(), [own, moved] = [new pc.Vec3(), new pc.Vec3()];
    const rows = [];
    for (let at = 0; at < positions.length; at += 3) {
        const vertex = at / 3;
        own.set(...positions.slice(at, at + 3));
        if (skinInstance) {
            const whole = weights.slice(4 * vertex, 4 * vertex + 4).reduce((sum, weight) => sum + weight);
            const sum = new pc.Vec3();
            for (let place = 4 * vertex; place < 4 * vertex + 4; place++) {
                skinInstance.matrices[joints[place]].transformPoint(own, moved);
                sum.addScaled(moved, weights[place] / whole);
            }
            own.copy(sum);
        }
        world.transformPoint(own, moved);
        rows.push(moved.x, moved.y, moved.z);
    }
    return rows;
}

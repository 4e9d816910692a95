// PlayCanvas. It encodes by a power of 1/2.2: declared on the board.

import * as pc from "playcanvas";

export async function draw(canvas, task) {
    const app = new pc.Application(canvas, { graphicsDeviceOptions: { antialias: task.samples > 1, alpha: false } });
    app.setCanvasResolution(pc.RESOLUTION_FIXED, task.width, task.height);
    app.setCanvasFillMode(pc.FILLMODE_NONE, task.width, task.height);
    app.autoRender = false;
    app.start();
    const file = await new Promise((resolve, reject) => app.assets.loadFromUrl(task.file, "container", (error, asset) => (error ? reject(new Error(error)) : resolve(asset.resource))));
    const scene = file.instantiateRenderEntity({ castShadows: false });
    app.root.addChild(scene);
    if (task.clip !== null) {
        scene.addComponent("anim", { activate: true });
        scene.anim.assignAnimation("clip", file.animations[task.clip].resource, undefined, 1, false);
        scene.anim.baseLayer.play("clip");
    }
    const camera = new pc.Entity();
    const [r, g, b] = task.background.map((byte) => byte / 255);
    camera.addComponent("camera", { clearColor: new pc.Color(r, g, b, 1) });
    camera.camera.calculateProjection = (matrix) => matrix.set(task.projection);
    camera.camera.calculateTransform = (matrix) => matrix.copy(new pc.Mat4().set(task.view).invert());
    if (task.shading === "normals") for (const material of file.materials) {
        Object.assign(material.resource, { normalMap: null }).update();
    }
    if (task.shading === "normals") camera.camera.setShaderPass(pc.SHADERPASS_WORLDNORMAL);
    app.root.addChild(camera);
    app.update(task.time);
    app.render();
}

// Galacean. Its own clock is stood still: a clip is asked for at a moment.

/* global Galacean */

// Its canvas has no samples: it draws into a target of its own.
export const resolves = true;

export async function draw(canvas, task) {
    const engine = await Galacean.WebGLEngine.create({ canvas, graphicDeviceOptions: { antialias: task.samples > 1, alpha: false } });
    engine.canvas.width = task.width;
    engine.canvas.height = task.height;
    const scene = engine.sceneManager.activeScene;
    const [r, g, b] = task.background.map((byte) => byte / 255);
    scene.background.solidColor = new Galacean.Color(...[r, g, b].map(Galacean.Color.gammaToLinearSpace ?? ((value) => value)), 1);
    const root = scene.createRootEntity();
    const file = await engine.resourceManager.load({ type: Galacean.AssetType.GLTF, url: task.file });
    const model = file.instantiateSceneRoot();
    root.addChild(model);
    const camera = root.createChild().addComponent(Galacean.Camera);
    camera.viewMatrix = new Galacean.Matrix(...task.view);
    camera.projectionMatrix = new Galacean.Matrix(...task.projection);
    camera.msaaSamples = task.samples;
    if (task.clip !== null) {
        const animator = model.getComponent(Galacean.Animator);
        const clip = file.animations[task.clip];
        animator.speed = 0;
        animator.play(clip.name, 0, task.time / clip.length);
    }
    engine.update();
}

// three.js, from 0.110 on.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const revision = parseInt(THREE.REVISION);

/** The scene of the file at the moment of the task. */
async function load({ file, clip, time }) {
    const gltf = await new Promise((resolve, reject) => new GLTFLoader().load(file, resolve, undefined, reject));
    if (clip !== null) {
        const mixer = new THREE.AnimationMixer(gltf.scene);
        const action = mixer.clipAction(gltf.animations[clip]);
        Object.assign(action, { loop: THREE.LoopOnce, clampWhenFinished: true }).play();
        mixer.update(time);
    }
    gltf.scene.updateMatrixWorld(true);
    return gltf;
}

/** Lines of its shaders that proofs change. */
export const mends = {
    roughness: ["material.roughness += geometryRoughness;", ""],
    scattering: ["irradiance * specularBRDF * material.multiScatteringCompensation", "irradiance * specularBRDF"],
    range: ["distanceFalloff *= pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) );", "distanceFalloff *= saturate( 1.0 - pow4( lightDistance / cutoffDistance ) );"],
    spot: ["return smoothstep( coneCosine, penumbraCosine, angleCosine );", "return pow2( saturate( ( angleCosine - coneCosine ) / ( penumbraCosine - coneCosine ) ) );"],
};

export async function draw(canvas, task) {
    const { scene } = await load(task);
    const view = new THREE.Matrix4().fromArray(task.view);
    if (task.shading === "normals") scene.traverse((mesh) => { if (mesh.material) mesh.material = normals(mesh, view.clone()); });
    const camera = new THREE.Camera();
    camera.projectionMatrix.fromArray(task.projection);
    camera.matrix.copy(revision < 123 ? new THREE.Matrix4().getInverse(view) : view.invert());
    camera.matrixAutoUpdate = false;
    camera.updateMatrixWorld(true);
    const attributes = { alpha: false, antialias: task.samples > 1, depth: true, stencil: false };
    const renderer = new THREE.WebGLRenderer({ canvas, context: canvas.getContext("webgl2", attributes), ...attributes });
    if (task.shading === "unlit" && revision < 112) renderer.gammaOutput = true;
    if (task.shading === "unlit" && revision < 152) renderer.outputEncoding = THREE.sRGBEncoding;
    const [r, g, b] = task.background;
    renderer.setClearColor((r << 16) | (g << 8) | b, 1);
    renderer.render(scene, camera);
}

/** Normals in world space: three.js has those of view space. */
function normals({ material: { side, flatShading }, isSkinnedMesh, geometry }, view) {
    const material = new THREE.MeshNormalMaterial({ side, flatShading });
    // What old versions have to be told.
    const { position, normal } = geometry.morphAttributes;
    if (revision < 128) Object.assign(material, { skinning: isSkinnedMesh === true, morphTargets: Boolean(position), morphNormals: Boolean(normal) });
    material.onBeforeCompile = (shader) => {
        shader.uniforms.taskView = { value: view };
        shader.fragmentShader = shader.fragmentShader
            .replace("void main", "uniform mat4 taskView;\nvec3 world(vec3 n) { return normalize((vec4(n, 0.0) * taskView).xyz); }\nvoid main")
            .replace(/packNormalToRGB\( normal \)|normalize\( normal \) \* 0\.5 \+ 0\.5/, "world(normal) * 0.5 + 0.5");
    };
    return material;
}

/** World-space positions in the order of node, primitive and vertex; from 0.151 on, which evaluates them on the CPU. */
export async function vertices(task) {
    const { scene, parser } = await load(task);
    const rows = [];
    const point = new THREE.Vector3();
    for (let number = 0; number < (parser.json.nodes ?? []).length; number++) {
        const node = await parser.getDependency("node", number);
        const isDrawn = parser.json.nodes[number].mesh !== undefined && isUnder(node, scene);
        const parts = !isDrawn ? [] : node.isMesh ? [node] : node.children.filter((part) => parser.associations.get(part)?.primitives !== undefined);
        for (const mesh of parts) {
            for (let vertex = 0; vertex < mesh.geometry.attributes.position.count; vertex++) {
                rows.push(...mesh.getVertexPosition(vertex, point).applyMatrix4(mesh.matrixWorld).toArray());
            }
        }
    }
    return new Float32Array(rows);
}

const isUnder = (node, scene) => node !== null && (node === scene || isUnder(node.parent, scene));

// What a proof puts in place of a file: the same scene in other words, and the other scene that an engine takes it for.
//
// Why it exists: where an engine is wrong about one thing that a file says, it is right about a file that says the same without that thing.
// `sayings` change how a file puts a scene and not the scene, at the moment of a case: the engine gets what they make. And what an engine
// does not read it takes for nothing: `misreadings` leave out what it leaves out, and the picture is judged by what they make.

const paths = { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1] };

/** Clips stand still at the moment: nothing is sampled. */
function held(file, { animation, time }) {
    const clip = clipOf(file, animation);
    clip?.samplers.forEach((sampler) => {
        const { target } = clip.channels.find((channel) => clip.samplers[channel.sampler] === sampler) ?? {};
        if (target) standStill(file, sampler, target.path, time);
    });
}

/** Of a skin that a clip moves, every joint has keys for its translation, rotation and scale. */
function keyed(file, { animation }) {
    const clip = clipOf(file, animation);
    const joints = new Set((file.words.skins ?? []).flatMap(({ joints }) => joints));
    if (clip) for (const node of joints) for (const [path, rest] of Object.entries(paths)) {
        if (clip.channels.some(({ target }) => target.node === node && target.path === path)) continue;
        const value = file.words.nodes[node][path] ?? rest;
        const end = Math.max(...clip.samplers.flatMap(({ input }) => file.numbers(input)));
        const [input, output] = [file.add("SCALAR", [0, end]), file.add(path === "rotation" ? "VEC4" : "VEC3", [...value, ...value])];
        clip.samplers.push({ input, output, interpolation: "LINEAR" });
        clip.channels.push({ sampler: clip.samplers.length - 1, target: { node, path } });
    }
}

/** Nodes above a skin's joints that do not move are one node. */
function rooted({ words }) {
    const parent = (child) => words.nodes.findIndex(({ children = [] }) => children.includes(child));
    for (const { joints } of words.skins ?? []) {
        const [root] = joints.filter((joint) => !joints.includes(parent(joint)));
        const chain = [];
        for (let node = parent(root); node >= 0; node = parent(node)) chain.push(node);
        if (chain.length < 2) continue;
        const whole = chain.map((node) => matrixOf(words.nodes[node])).reduce((below, above) => product(above, below));
        chain.forEach((node, place) => {
            for (const key of ["matrix", ...Object.keys(paths)]) delete words.nodes[node][key];
            if (place === 0) words.nodes[node].matrix = whole;
        });
    }
}

/** Attributes are those of glTF: applications' own scale ambient light at most, and cases have none. */
function standard({ words }) {
    const parts = words.meshes.flatMap(({ primitives }) => primitives.flatMap(({ attributes, targets = [] }) => [attributes, ...targets]));
    for (const part of parts) for (const name of Object.keys(part)) if (name.startsWith("_")) delete part[name];
}

/** Vertices have the four influences of the first set, which sum to 1. */
function four(file) {
    for (const { primitives } of file.words.meshes) for (const { attributes } of primitives) {
        if (attributes.WEIGHTS_1 === undefined) continue;
        delete attributes.JOINTS_1;
        delete attributes.WEIGHTS_1;
        const weights = file.numbers(attributes.WEIGHTS_0);
        attributes.WEIGHTS_0 = file.add("VEC4", weights.map((weight, at) => {
            const first = at - (at % 4);
            return weight / weights.slice(first, first + 4).reduce((sum, weight) => sum + weight);
        }));
    }
}

/** No accessor is sparse or without bytes. */
function dense(file) {
    file.words.accessors.slice().forEach((accessor, place) => {
        if (accessor.bufferView !== undefined && !accessor.sparse) return;
        const whole = file.words.accessors[file.add(accessor.type, file.numbers(place))];
        file.words.accessors[place] = whole;
        file.words.accessors.pop();
    });
}

/** Every vertex has a normal; which one does not matter to where it is. */
function faced(file) {
    for (const { primitives } of file.words.meshes) for (const { attributes } of primitives) {
        const { count } = file.words.accessors[attributes.POSITION];
        attributes.NORMAL ??= file.add("VEC3", Array.from({ length: count }, () => [0, 0, 1]).flat());
    }
}

/** What vertices have is floats and no fractions of whole numbers. */
function plain(file) {
    const parts = file.words.meshes.flatMap(({ primitives }) => primitives.flatMap(({ attributes, targets = [] }) => [attributes, ...targets]));
    for (const part of parts) for (const [name, place] of Object.entries(part)) {
        const { normalized, type } = file.words.accessors[place];
        if (normalized) part[name] = file.add(type, file.numbers(place));
    }
}

/** Every image says what it is, and a buffer in a data URI is application/octet-stream. */
function typed({ words }) {
    for (const image of words.images ?? []) image.mimeType ??= /^data:([^;]*)/.exec(image.uri)?.[1] ?? (image.uri.endsWith(".png") ? "image/png" : "image/jpeg");
    for (const buffer of words.buffers) if (buffer.uri?.startsWith("data:")) buffer.uri = buffer.uri.replace(/^data:[^,]*/, "data:application/octet-stream;base64");
}

/** What a clip that stands still moves is there at rest. */
function rested(file, { animation }) {
    const clip = clipOf(file, animation);
    for (const { sampler, target: { node, path } } of clip.channels) {
        const output = file.numbers(clip.samplers[sampler].output);
        if (path !== "weights") file.words.nodes[node][path] = output.slice(0, output.length / 2);
    }
}

/** Every texture says how it is filtered: as refrast takes it where a file leaves it open. */
function filtered({ words }) {
    for (const texture of words.textures ?? []) {
        const own = words.samplers?.[texture.sampler] ?? {};
        texture.sampler = (words.samplers ??= []).push({ magFilter: 9729, minFilter: 9987, ...own }) - 1;
    }
}

/** The nodes of skinned meshes hang nowhere and stand nowhere: a skinned mesh is where its joints are. */
function free({ words }) {
    words.nodes.forEach((node, number) => {
        if (node.skin === undefined) return;
        for (const key of ["matrix", ...Object.keys(paths)]) delete node[key];
        for (const { nodes } of words.scenes) if (!nodes.includes(number)) nodes.push(number);
        for (const other of words.nodes) if (other.children?.includes(number)) withoutChild(other, number);
    });
}

/** A skinned mesh whose node has children has another one, at the scene's root. */
function apart({ words }) {
    words.nodes.forEach((node) => {
        if (node.skin === undefined || !node.children) return;
        const { mesh, skin } = node;
        delete node.mesh;
        delete node.skin;
        const own = words.nodes.push({ mesh, skin }) - 1;
        for (const { nodes } of words.scenes) nodes.push(own);
    });
}

/** Nodes with matrices have translations, rotations and scales instead. Of matrices that neither shear nor mirror. */
function parted({ words }) {
    for (const node of words.nodes) {
        if (!node.matrix) continue;
        const m = node.matrix;
        const columns = [0, 4, 8].map((first) => m.slice(first, first + 3));
        const scale = columns.map((column) => Math.hypot(...column));
        const [[a, b, c], [d, e, f], [g, h, i]] = columns.map((column, axis) => column.map((part) => part / scale[axis]));
        // The greatest of four, so that nothing is divided by little.
        const squares = [1 + a - e - i, 1 - a + e - i, 1 - a - e + i, 1 + a + e + i];
        const most = squares.indexOf(Math.max(...squares));
        const four = [[squares[0], d + b, g + c, f - h], [d + b, squares[1], h + f, g - c], [g + c, h + f, squares[2], b - d], [f - h, g - c, b - d, squares[3]]][most];
        delete node.matrix;
        Object.assign(node, { translation: m.slice(12, 15), rotation: four.map((part) => part / Math.hypot(...four)), scale });
    }
}

/** Nodes that mirror a mesh do not: its triangles are, and turned round. Of meshes without indices. */
function turned(file) {
    const { words } = file;
    for (const node of words.nodes) {
        const factor = (node.scale ?? paths.scale).reduce((product, part) => product * part);
        if (node.mesh === undefined || factor > 0) continue;
        const mesh = structuredClone(words.meshes[node.mesh]);
        for (const { attributes } of mesh.primitives) for (const [name, type] of [["POSITION", "VEC3"], ["NORMAL", "VEC3"]]) {
            const signs = node.scale.map(Math.sign), all = file.numbers(attributes[name]);
            const corner = (vertex) => all.slice(3 * vertex, 3 * vertex + 3).map((part, axis) => part * signs[axis]);
            attributes[name] = file.add(type, Array.from({ length: all.length / 3 }, (_, vertex) => corner(vertex + [0, 1, -1][vertex % 3])).flat());
        }
        node.scale = node.scale.map(Math.abs);
        node.mesh = words.meshes.push(mesh) - 1;
    }
}

/** Colours of lights are encoded by a power of 1/2.2: the same scene for an engine that takes them for encoded ones. */
function encoded({ words }) {
    for (const light of words.extensions?.KHR_lights_punctual?.lights ?? []) light.color = light.color?.map((channel) => channel ** (1 / 2.2));
}

/** Colours of lights are encoded as sRGB has it. */
function stored({ words }) {
    const encoded = (channel) => (channel <= 0.0031308 ? 12.92 * channel : 1.055 * channel ** (1 / 2.4) - 0.055);
    for (const light of words.extensions?.KHR_lights_punctual?.lights ?? []) light.color = light.color?.map(encoded);
}

export const sayings = { encoded, stored, held, rested, keyed, rooted, four, standard, dense, plain, faced, typed, filtered, free, apart, parted, turned };

/** Samplers. */
function samplers({ words }) {
    for (const texture of words.textures ?? []) delete texture.sampler;
}

/** That the nearest texel is taken where mip levels are mixed. */
function nearest({ words }) {
    for (const sampler of words.samplers ?? []) if (sampler.minFilter === 9986) sampler.minFilter = 9987;
}

/** That a light without a range reaches everywhere: it reaches 20 metres. */
function reach({ words }) {
    for (const light of words.extensions?.KHR_lights_punctual?.lights ?? []) if (light.type !== "directional") light.range ??= 20;
}

/** Colours of vertices. */
function tints({ words }) {
    for (const { primitives } of words.meshes) for (const { attributes } of primitives) delete attributes.COLOR_0;
}

/** Weights of morph targets: all are 0. */
function targets(file) {
    for (const part of [...file.words.meshes, ...file.words.nodes]) delete part.weights;
    for (const { channels, samplers } of file.words.animations ?? []) {
        for (const { sampler } of channels.filter(({ target }) => target.path === "weights")) {
            samplers[sampler].output = file.add("SCALAR", file.numbers(samplers[sampler].output).fill(0));
        }
    }
}

/** Alpha: everything is opaque. */
function alpha({ words }) {
    for (const material of words.materials ?? []) delete material.alphaMode;
}

/** That both sides of a material are seen. */
function sides({ words }) {
    for (const material of words.materials ?? []) delete material.doubleSided;
}

/** KHR_texture_transform. */
function transforms({ words }) {
    for (const { pbrMetallicRoughness } of words.materials ?? []) delete pbrMetallicRoughness?.baseColorTexture?.extensions;
}

/** Of colours of vertices and of factors, everything below a byte. */
function fractions(file) {
    const cut = (part) => Math.trunc(Math.fround(part * 255)) / 255;
    for (const { primitives } of file.words.meshes) for (const { attributes } of primitives) {
        if (attributes.COLOR_0 !== undefined) attributes.COLOR_0 = file.add("VEC4", file.numbers(attributes.COLOR_0).map(cut));
    }
    for (const { pbrMetallicRoughness } of file.words.materials ?? []) {
        if (pbrMetallicRoughness?.baseColorFactor) pbrMetallicRoughness.baseColorFactor = pbrMetallicRoughness.baseColorFactor.map(cut);
    }
}

/** Shear: where a joint is in the world is kept as a translation, a rotation and a scale. Of joints that stand still, parents before children. */
function composed(file, { animation }) {
    const { words } = file;
    const parent = (child) => words.nodes.findIndex(({ children = [] }) => children.includes(child));
    for (const { joints } of words.skins ?? []) {
        const parents = joints.map(parent);
        joints.forEach((joint, place) => {
            const node = words.nodes[joint], above = words.nodes[parents[place]];
            if (!joints.includes(parents[place])) return;
            const [t, r, s] = Object.keys(paths).map((path) => node[path] ?? paths[path]);
            const [T, R, S] = Object.keys(paths).map((path) => above[path] ?? paths[path]);
            node.translation = rotated(t.map((part, axis) => part * S[axis]), R).map((part, axis) => part + T[axis]);
            node.rotation = after(R, r);
            node.scale = s.map((part, axis) => part * S[axis]);
        });
        joints.forEach((joint, place) => {
            if (!joints.includes(parents[place])) return;
            withoutChild(words.nodes[parents[place]], joint);
            words.scenes.forEach(({ nodes }) => nodes.push(joint));
        });
    }
    const clip = clipOf(file, animation);
    for (const { sampler, target } of clip.channels) {
        const { rotation } = words.nodes[target.node];
        clip.samplers[sampler].output = file.add("VEC4", [...rotation, ...rotation]);
    }
}

/** That triangles without normals are flat as they are posed: they get normals as they rest. Of triangles that have only positions and joints. */
function normals(file) {
    for (const { primitives } of file.words.meshes) for (const primitive of primitives) {
        const { attributes } = primitive;
        if (attributes.NORMAL !== undefined) continue;
        const rows = primitive.indices === undefined ? undefined : file.numbers(primitive.indices);
        for (const [name, place] of Object.entries(attributes)) {
            const { type, count } = file.words.accessors[place], all = file.numbers(place), width = all.length / count;
            const own = rows ? rows.flatMap((row) => all.slice(width * row, width * row + width)) : all;
            attributes[name] = name.startsWith("JOINTS") ? file.add(type, own, 5123) : file.add(type, own);
        }
        delete primitive.indices;
        const all = file.numbers(attributes.POSITION);
        const corner = (vertex) => all.slice(3 * vertex, 3 * vertex + 3);
        const made = Array.from({ length: all.length / 9 }, (_, triangle) => {
            const [a, b, c] = [0, 1, 2].map((place) => corner(3 * triangle + place));
            const [u, v] = [b, c].map((end) => end.map((part, axis) => part - a[axis]));
            const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            const unit = normal.map((part) => part / Math.hypot(...normal));
            return [...unit, ...unit, ...unit];
        });
        attributes.NORMAL = file.add("VEC3", made.flat());
    }
}

/** A clip that stands still is the pose of its nodes, and moves one joint to where it is. */
function posed(file, words) {
    rested(file, words);
    const clip = clipOf(file, words.animation);
    clip.channels = clip.channels.filter(({ target }) => target.path === "rotation").slice(0, 1);
}

const misread = { samplers, nearest, reach, tints, targets, alpha, sides, transforms, fractions, normals };
export const misreadings = { ...misread, shear: (file, words) => [held, posed, composed].forEach((change) => change(file, words)) };

function withoutChild(node, child) {
    node.children = node.children.filter((other) => other !== child);
    if (!node.children.length) delete node.children;
}

const clipOf = ({ words }, animation) => animation == null ? undefined : words.animations.find(({ name }) => name === animation) ?? words.animations[animation];

/** A sampler's value at a moment, as two keys (glTF 2.0, appendix C). */
function standStill(file, sampler, path, time) {
    const times = file.numbers(sampler.input), all = file.numbers(sampler.output);
    const isSpline = sampler.interpolation === "CUBICSPLINE";
    const width = all.length / times.length / (isSpline ? 3 : 1);
    const at = (key, part = 1) => all.slice((isSpline ? 3 * key + part : key) * width, (isSpline ? 3 * key + part + 1 : key + 1) * width);
    const after = times.findIndex((key) => key > time);
    const next = after < 0 ? times.length - 1 : after, last = after < 0 ? next : Math.max(after - 1, 0);
    const length = times[next] - times[last], t = length > 0 ? (time - times[last]) / length : 0;
    let value = mean(at(last), at(next), t);
    if (sampler.interpolation === "STEP") value = at(last);
    else if (isSpline) value = at(last).map((_, axis) => {
        const [a, b] = [at(last)[axis], at(next)[axis]], [out, into] = [length * at(last, 2)[axis], length * at(next, 0)[axis]];
        return (2 * t ** 3 - 3 * t ** 2 + 1) * a + (t ** 3 - 2 * t ** 2 + t) * out + (3 * t ** 2 - 2 * t ** 3) * b + (t ** 3 - t ** 2) * into;
    });
    else if (path === "rotation") value = sphericalMean(at(last), at(next), t);
    if (path === "rotation" && isSpline) value = value.map((part) => part / Math.hypot(...value));
    sampler.input = file.add("SCALAR", [0, Math.max(times.at(-1), 0.1)]);
    sampler.output = file.add(path === "weights" ? "SCALAR" : path === "rotation" ? "VEC4" : "VEC3", [...value, ...value]);
    sampler.interpolation = "LINEAR";
}

const mean = (a, b, t) => a.map((part, axis) => part + t * (b[axis] - part));

function sphericalMean(a, b, t) {
    const cosine = a.reduce((sum, part, axis) => sum + part * b[axis], 0);
    const near = cosine < 0 ? b.map((part) => -part) : b;
    const angle = Math.acos(Math.min(Math.abs(cosine), 1));
    if (angle < 1e-6) return mean(a, near, t);
    return a.map((part, axis) => (Math.sin((1 - t) * angle) * part + Math.sin(t * angle) * near[axis]) / Math.sin(angle));
}

/** The rotation of a quaternion after that of another. */
const after = ([x, y, z, w], [a, b, c, d]) => [w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c];

function rotated(point, [x, y, z, w]) {
    const [a, b, c] = after(after([x, y, z, w], [...point, 0]), [-x, -y, -z, w]);
    return [a, b, c];
}

/** A node's matrix, by columns. */
function matrixOf({ matrix, translation = paths.translation, rotation: [x, y, z, w] = paths.rotation, scale = paths.scale }) {
    if (matrix) return matrix;
    const turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
        [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
        [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ];
    return [...turn.flatMap((column, axis) => [...column.map((part) => part * scale[axis]), 0]), ...translation, 1];
}

const product = (a, b) => Array.from({ length: 16 }, (_, at) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (at % 4)] * b[4 * Math.floor(at / 4) + k], 0));

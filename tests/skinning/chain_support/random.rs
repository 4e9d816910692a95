//! Random scenes as .glb: chains of up to 20 nodes, keys that are not of unit length, eight influences, morph targets.

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};

use crate::vertex_support::rig::Random;

pub(crate) const VERTICES: usize = 12;

/// What a scene has, by its number.
pub(crate) struct RandomScene {
    pub(crate) glb: Vec<u8>,
    /// Moments of its clip: at a key, between keys, before the first and after the last.
    pub(crate) times: Vec<f64>,
}

#[derive(Default)]
struct Builder {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    fn accessor(&mut self, bytes: &[u8], component: u32, shape: &str, count: usize, normalized: bool) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        self.views.push(json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() }));
        self.binary.extend_from_slice(bytes);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": shape,
            "normalized": normalized,
        }));
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, vectors: &[[f32; N]]) -> usize {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"].get(N - 1).copied().unwrap_or("MAT4");
        self.accessor(&bytes, 5126, shape, vectors.len(), false)
    }
}

fn number(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

fn vector(random: &mut Random, reach: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| number(random, -reach, reach)))
}

fn rotation(random: &mut Random, reach: f64) -> DQuat {
    let v = vector(random, reach);
    DQuat::from_xyzw(v.x, v.y, v.z, 1.0).normalize()
}

/// How the file has its rotations.
#[derive(Clone, Copy, PartialEq)]
enum Digits {
    /// f32, or all of f64 in JSON.
    All,
    /// 0.707
    Three,
    /// Normalised 16 bits.
    Short,
}

fn digits(q: DQuat, digits: Digits) -> DQuat {
    match digits {
        Digits::Three => DQuat::from_array(q.to_array().map(|x| (x * 1000.0).round() / 1000.0)),
        Digits::All | Digits::Short => q,
    }
}

impl RandomScene {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed ^ 0x5eed_c4a1);
        let mut builder = Builder::default();
        let nodes = 2 + random.below(19);
        let kind = match seed % 5 {
            0 => Digits::Three,
            1 => Digits::Short,
            _ => Digits::All,
        };
        let skinned = seed % 4 != 3;
        let mut parents: Vec<Option<usize>> = vec![None];
        let mut json_nodes: Vec<Value> = Vec::new();
        let mut locals: Vec<DMat4> = Vec::new();
        let mut fixed = Vec::new();
        for node in 0..nodes {
            if node > 0 {
                let chained = random.below(5) > 0;
                parents.push(Some(if chained { node - 1 } else { random.below(node) }));
            }
            let scale = if random.below(3) == 0 { vector(&mut random, 0.2) + DVec3::ONE } else { DVec3::ONE };
            let turn = digits(rotation(&mut random, 0.8), kind);
            let moved = vector(&mut random, 0.5);
            let exact = DMat4::from_scale_rotation_translation(scale, turn.normalize(), moved);
            fixed.push(random.below(8) == 0);
            locals.push(exact);
            json_nodes.push(match (fixed[node], random.below(6)) {
                (true, _) => json!({ "matrix": exact.to_cols_array().map(|x| f64::from(x as f32)) }),
                (false, 0) => json!({ "translation": moved.to_array() }),
                (false, _) => {
                    json!({ "translation": moved.to_array(), "rotation": turn.to_array(), "scale": scale.to_array() })
                }
            });
            if json_nodes[node].get("rotation").is_none() && !fixed[node] {
                locals[node] = DMat4::from_translation(moved);
            }
        }
        let worlds: Vec<DMat4> = (0..nodes)
            .scan(Vec::<DMat4>::new(), |worlds, node| {
                let world = parents[node].map_or(locals[node], |parent: usize| worlds[parent] * locals[node]);
                worlds.push(world);
                Some(world)
            })
            .collect();
        // The mesh hangs on a node in the middle, which a skin does not regard.
        let drawing = nodes;
        let place = random.below(nodes);
        parents.push(Some(place));
        json_nodes
            .push(json!({ "mesh": 0, "translation": vector(&mut random, 0.3).to_array(), "weights": [0.25, -0.5] }));
        let mut children = vec![Vec::new(); nodes + 1];
        (0..=nodes).for_each(|node| children[node].extend((0..=nodes).filter(|child| parents[*child] == Some(node))));
        for (node, children) in children.iter().enumerate().filter(|(_, children)| !children.is_empty()) {
            json_nodes[node]["children"] = json!(children);
        }
        let mut document = json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }] });
        let joints: Vec<usize> = (0..nodes).filter(|node| *node == nodes - 1 || random.below(4) > 0).collect();
        if skinned {
            let binds: Vec<[f32; 16]> = joints
                .iter()
                .map(|joint| {
                    let nudge = DMat4::from_rotation_translation(rotation(&mut random, 0.2), vector(&mut random, 0.1));
                    (worlds[*joint].inverse() * nudge).to_cols_array().map(|x| x as f32)
                })
                .collect();
            let mut skin = json!({ "joints": joints });
            if seed % 10 != 4 {
                // The fourth row is exactly (0, 0, 0, 1) in all of them.
                skin["inverseBindMatrices"] = json!(builder.floats(&binds));
            }
            document["skins"] = json!([skin]);
            json_nodes[drawing]["skin"] = json!(0);
        }
        document["meshes"] = json!([{ "primitives": [primitive(&mut random, &mut builder, joints.len(), skinned)], "weights": [0.5, 0.5] }]);
        let animated: Vec<usize> = (0..nodes).filter(|node| !fixed[*node] && random.below(3) > 0).collect();
        let mut times = vec![-0.5, 9.0];
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let mut channel = |node: usize, path: &str, sampler: Value| {
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
            samplers.push(sampler);
        };
        for node in animated {
            for path in ["rotation", "translation", "scale"] {
                if random.below(if path == "rotation" { 5 } else { 2 }) > 0 {
                    let sampler = sampler(&mut random, &mut builder, path, kind, &mut times);
                    channel(node, path, sampler);
                }
            }
        }
        if random.below(2) == 0 {
            let sampler = sampler(&mut random, &mut builder, "weights", kind, &mut times);
            channel(drawing, "weights", sampler);
        }
        if !channels.is_empty() {
            document["animations"] = json!([{ "channels": channels, "samplers": samplers }]);
        }
        document["nodes"] = json!(json_nodes);
        document["accessors"] = json!(builder.accessors);
        document["bufferViews"] = json!(builder.views);
        document["buffers"] = json!([{ "byteLength": builder.binary.len() }]);
        times.truncate(2 + 3);
        Self { glb: container(&document, &builder.binary), times }
    }
}

fn primitive(random: &mut Random, builder: &mut Builder, joints: usize, skinned: bool) -> Value {
    let mut vectors =
        |reach: f64| -> Vec<[f32; 3]> { (0..VERTICES).map(|_| vector(random, reach).as_vec3().to_array()).collect() };
    let (positions, targets) = (vectors(1.0), [[vectors(0.3), vectors(0.2)], [vectors(0.3), vectors(0.2)]]);
    let normals: Vec<DVec3> = (0..VERTICES).map(|_| (vector(random, 1.0) + DVec3::splat(0.01)).normalize()).collect();
    let tangent = |normal: &DVec3| normal.any_orthonormal_vector().extend(-1.0).as_vec4().to_array();
    let mut attributes = json!({
        "POSITION": builder.floats(&positions),
        "NORMAL": builder.floats(&normals.iter().map(|normal| normal.as_vec3().to_array()).collect::<Vec<_>>()),
        "TANGENT": builder.floats(&normals.iter().map(tangent).collect::<Vec<_>>()),
    });
    if skinned {
        let kind = random.below(3);
        let weights: Vec<[f64; 8]> = (0..VERTICES)
            .map(|_| {
                let mut weights = [0; 8].map(|_| number(random, 0.05, 1.0));
                let sum: f64 = weights.iter().sum();
                weights.iter_mut().for_each(|weight| *weight /= sum);
                weights
            })
            .collect();
        for set in 0..2 {
            let indices: Vec<u8> = (0..4 * VERTICES).map(|_| random.below(joints) as u8).collect();
            attributes[format!("JOINTS_{set}")] = json!(builder.accessor(&indices, 5121, "VEC4", VERTICES, false));
            let own: Vec<[f64; 4]> = weights.iter().map(|all| [0, 1, 2, 3].map(|i| all[4 * set + i])).collect();
            let accessor = match kind {
                0 => {
                    let bytes: Vec<u8> = own.iter().flatten().map(|weight| (weight * 255.0).round() as u8).collect();
                    builder.accessor(&bytes, 5121, "VEC4", VERTICES, true)
                }
                // Sums of 1 to within f32, and sums of 2.
                1 => builder.floats(&own.iter().map(|own| own.map(|weight| weight as f32)).collect::<Vec<_>>()),
                _ => builder.floats(&own.iter().map(|own| own.map(|weight| (2.0 * weight) as f32)).collect::<Vec<_>>()),
            };
            attributes[format!("WEIGHTS_{set}")] = json!(accessor);
        }
    }
    let targets = targets.map(
        |[positions, normals]| json!({ "POSITION": builder.floats(&positions), "NORMAL": builder.floats(&normals) }),
    );
    let indices: Vec<u8> = (0..VERTICES as u8).collect();
    json!({ "attributes": attributes, "targets": targets, "indices": builder.accessor(&indices, 5121, "SCALAR", VERTICES, false) })
}

fn sampler(random: &mut Random, builder: &mut Builder, path: &str, kind: Digits, moments: &mut Vec<f64>) -> Value {
    let interpolation = ["LINEAR", "LINEAR", "STEP", "CUBICSPLINE"][random.below(4)];
    let keys = 1 + random.below(5);
    let mut time = number(random, 0.0, 0.7);
    let times: Vec<[f32; 1]> = (0..keys)
        .map(|_| {
            time += number(random, 0.03, 1.2);
            [time as f32]
        })
        .collect();
    // Between the first keys, and at one.
    let second = times.get(1).map_or(1.3, |time| f64::from(time[0]));
    moments.extend([f64::from(times[0][0]) * 0.37 + second * 0.63, second, number(random, 0.0, 3.0)]);
    let input = builder.floats(&times);
    let cubic = interpolation == "CUBICSPLINE";
    let first = rotation(random, 0.8);
    let mut value = |tangent: bool| -> Vec<f64> {
        match (path, tangent) {
            (_, true) => (0..if path == "rotation" { 4 } else { 3 }).map(|_| number(random, -0.4, 0.4)).collect(),
            ("rotation", false) => {
                // Near and far keys, on either side.
                let reach = [0.02, 0.3, 1.5][random.below(3)];
                let q = digits(first * rotation(random, reach), kind);
                // A spline has no shorter way: between q and −q it goes through 0.
                (if cubic || random.below(2) == 0 { q } else { -q }).to_array().to_vec()
            }
            ("scale", false) => (0..3).map(|_| number(random, 0.8, 1.25)).collect(),
            _ => (0..3).map(|_| number(random, -0.5, 0.5)).collect(),
        }
    };
    let elements = if cubic { 3 * keys } else { keys };
    let values: Vec<Vec<f64>> = (0..elements).map(|element| value(cubic && element % 3 != 1)).collect();
    let output = match path {
        "rotation" if kind == Digits::Short => {
            let short = |x: &f64| ((x * 32767.0).round().clamp(-32767.0, 32767.0) as i16).to_le_bytes();
            let bytes: Vec<u8> = values.iter().flatten().flat_map(short).collect();
            builder.accessor(&bytes, 5122, "VEC4", elements, true)
        }
        "rotation" => builder.floats(&values.iter().map(|q| [0, 1, 2, 3].map(|i| q[i] as f32)).collect::<Vec<_>>()),
        "weights" => builder.floats(&values.iter().flat_map(|v| [[v[0] as f32], [v[1] as f32]]).collect::<Vec<_>>()),
        _ => builder.floats(&values.iter().map(|v| [0, 1, 2].map(|i| v[i] as f32)).collect::<Vec<_>>()),
    };
    json!({ "input": input, "output": output, "interpolation": interpolation })
}

fn container(document: &Value, binary: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2u32.to_le_bytes());
    bytes.extend((28 + text.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", &text), (b"BIN\0", &binary)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    bytes
}

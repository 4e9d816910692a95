//! The built-in character as a file: what issue "The built-in character" promises of it, read with the `gltf` crate
//! alone, so that no code of ours vouches for itself.

use gltf::{
    animation::{Interpolation, Property},
    mesh::util::{ReadIndices, ReadJoints, ReadWeights},
};
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

struct File {
    document: gltf::Document,
    binary: Vec<u8>,
    /// The whole document: the `gltf` crate leaves out what targets move besides positions, normals and tangents.
    json: serde_json::Value,
    length: usize,
}

/// Attributes of one primitive.
struct Vertices {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    texcoords: Vec<[f32; 2]>,
    joints: Vec<[u8; 4]>,
    weights: Vec<[u16; 4]>,
    indices: Vec<u32>,
}

fn load() -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scene/mannequin.glb");
    let bytes = std::fs::read(&path).unwrap();
    // The crate's own validation runs here.
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
    let text_length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&bytes[20..20 + text_length]).unwrap();
    File { document, binary: blob.unwrap(), json, length: bytes.len() }
}

impl File {
    fn primitives(&self) -> Vec<Vertices> {
        let mesh = self.document.meshes().next().unwrap();
        mesh.primitives().map(|primitive| self.vertices(&primitive)).collect()
    }

    fn vertices(&self, primitive: &gltf::Primitive<'_>) -> Vertices {
        let reader = primitive.reader(|_| Some(self.binary.as_slice()));
        let Some(ReadJoints::U8(joints)) = reader.read_joints(0) else { panic!("joints are bytes") };
        let Some(ReadWeights::U16(weights)) = reader.read_weights(0) else { panic!("weights are sixteen bits") };
        let indices = match reader.read_indices().unwrap() {
            ReadIndices::U16(indices) => indices.map(u32::from).collect(),
            ReadIndices::U32(indices) => indices.collect(),
            ReadIndices::U8(_) => panic!("so few vertices have no business here"),
        };
        Vertices {
            positions: reader.read_positions().unwrap().collect(),
            normals: reader.read_normals().unwrap().collect(),
            tangents: reader.read_tangents().unwrap().collect(),
            texcoords: reader.read_tex_coords(0).unwrap().into_f32().collect(),
            joints: joints.collect(),
            weights: weights.collect(),
            indices,
        }
    }

    fn joint_names(&self) -> Vec<String> {
        let skin = self.document.skins().next().unwrap();
        skin.joints().map(|joint| joint.name().unwrap().to_owned()).collect()
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[test]
fn it_is_small_and_says_whose_it_is() {
    let file = load();
    let asset = &file.document.as_json().asset;
    assert!(file.length < 5_000_000, "{} bytes", file.length);
    assert_eq!(asset.generator.as_deref(), Some("refrast build_mannequin"));
    assert!(asset.copyright.as_deref().unwrap().contains("CC0"));
    assert!(file.document.extensions_required().next().is_none());
}

#[test]
fn it_has_the_promised_joints_triangles_and_materials() {
    let file = load();
    let names = file.joint_names();
    assert_eq!(names.len(), 85);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 85, "every joint has a name of its own");
    let triangles: usize = file.primitives().iter().map(|vertices| vertices.indices.len() / 3).sum();
    assert!((25_000..=60_000).contains(&triangles), "{triangles} triangles");
    let materials: Vec<_> = file.document.materials().filter(|material| material.index().is_some()).collect();
    assert_eq!(materials.len(), 2);
    for material in materials {
        assert!(material.pbr_metallic_roughness().base_color_texture().is_some());
        assert!(material.normal_texture().is_some());
        // One picture for the numbers of the surface: occlusion in red, roughness in green, metal in blue.
        let numbers = material.pbr_metallic_roughness().metallic_roughness_texture().unwrap().texture();
        assert_eq!(material.occlusion_texture().unwrap().texture().index(), numbers.index());
        assert!(!material.double_sided());
    }
}

/// The pixels of a texture that the file holds, and whether they are marked as sRGB.
fn pixels(file: &File, texture: &gltf::Texture<'_>) -> (Vec<[u8; 3]>, bool) {
    let gltf::image::Source::View { view, .. } = texture.source().source() else { panic!("pictures lie in the file") };
    let bytes = &file.binary[view.offset()..][..view.length()];
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let is_srgb = reader.info().srgb.is_some();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    (pixels.as_chunks::<3>().0.to_vec(), is_srgb)
}

#[test]
fn normal_maps_hold_unit_vectors_that_look_outwards() {
    let file = load();
    for material in file.document.materials() {
        let (pixels, is_srgb) = pixels(&file, &material.normal_texture().unwrap().texture());
        assert!(!is_srgb, "normals are numbers");
        for pixel in &pixels {
            let [x, y, z] = pixel.map(|byte| f32::from(byte) / 127.5 - 1.0);
            // Half a step off in each of three numbers; texels between charts are means of others.
            assert!((x * x + y * y + z * z).sqrt() > 0.6 && z > 0.0, "{pixel:?}");
        }
        let is_bent = |pixel: &&[u8; 3]| pixel[0].abs_diff(128).max(pixel[1].abs_diff(128)) > 12;
        assert!(pixels.iter().filter(is_bent).count() > 10_000, "relief is seen");
    }
}

#[test]
fn only_buckle_and_zip_are_metal() {
    let file = load();
    let shares: Vec<usize> = file
        .document
        .materials()
        .map(|material| {
            let texture = material.pbr_metallic_roughness().metallic_roughness_texture().unwrap().texture();
            let (pixels, is_srgb) = pixels(&file, &texture);
            assert!(!is_srgb, "roughness is a number");
            assert!(pixels.iter().all(|[_, roughness, _]| *roughness > 0), "no mirror");
            pixels.iter().filter(|[.., metallic]| *metallic > 127).count()
        })
        .collect();
    assert_eq!(shares[0], 0, "skin");
    assert!((200..4_000).contains(&shares[1]), "{} texels of the suit", shares[1]);
}

#[test]
fn light_reaches_less_into_folds_and_expressions_change_that() {
    let file = load();
    let mesh = file.document.meshes().next().unwrap();
    let floats = |accessor: &serde_json::Value| -> Vec<f32> {
        let accessor = file.document.accessors().nth(accessor.as_u64().unwrap() as usize).unwrap();
        gltf::accessor::Iter::new(accessor, |_| Some(file.binary.as_slice())).unwrap().collect()
    };
    let mut changed = [0usize; 3];
    for (number, primitive) in mesh.primitives().enumerate() {
        let json = &file.json["meshes"][0]["primitives"][number];
        let rest = floats(&json["attributes"]["_OCCLUSION"]);
        let reader = primitive.reader(|_| Some(file.binary.as_slice()));
        let positions: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        assert_eq!(rest.len(), positions.len());
        assert!(rest.iter().all(|open| (0.0..=1.0).contains(open)));
        for (target, changed) in changed.iter_mut().enumerate() {
            for (change, [_, height, _]) in floats(&json["targets"][target]["_OCCLUSION"]).iter().zip(&positions) {
                assert!(change.abs() <= 1.0 && (*change == 0.0 || *height > 1.5), "an expression shades the head");
                *changed += usize::from(change.abs() > 0.02);
            }
        }
        // The crown is free; the insides of the thighs are not.
        let least = |is_there: &dyn Fn([f32; 3]) -> bool| {
            let there = positions.iter().zip(&rest).filter(|(position, _)| is_there(**position));
            there.map(|(_, open)| *open).reduce(f32::min)
        };
        if number == 0 {
            assert!(least(&|[_, y, _]| y > 1.78).expect("the crown") > 0.95);
        } else {
            assert!(least(&|[x, y, _]| x.abs() < 0.05 && (0.7..0.9).contains(&y)).expect("the thighs") < 0.7);
        }
    }
    assert!(changed.iter().all(|count| *count > 100), "{changed:?}");
}

#[test]
fn joints_have_rotation_and_translation_only_and_inverse_binds_undo_them() {
    let file = load();
    let skin = file.document.skins().next().unwrap();
    let mut worlds: HashMap<usize, glam::DMat4> = HashMap::new();
    let matrix = |node: &gltf::Node<'_>| {
        glam::DMat4::from_cols_array(
            &node.transform().matrix().concat().try_into().map(|m: [f32; 16]| m.map(f64::from)).unwrap(),
        )
    };
    // Parents come before children in this file.
    let root = skin.joints().next().unwrap();
    worlds.insert(root.index(), matrix(&root));
    for joint in skin.joints() {
        let (_, _, scale) = joint.transform().decomposed();
        assert_eq!(scale, [1.0; 3]);
        let world = worlds[&joint.index()];
        for child in joint.children() {
            worlds.insert(child.index(), world * matrix(&child));
        }
    }
    let binds: Vec<_> = skin.reader(|_| Some(file.binary.as_slice())).read_inverse_bind_matrices().unwrap().collect();
    for (joint, bind) in skin.joints().zip(binds) {
        let bind = glam::DMat4::from_cols_array_2d(&bind.map(|column| column.map(f64::from)));
        let product = worlds[&joint.index()] * bind;
        assert!(product.abs_diff_eq(glam::DMat4::IDENTITY, 2e-6), "{:?}: {product}", joint.name());
    }
}

#[test]
fn weights_sum_exactly_and_every_joint_but_the_root_moves_something() {
    let file = load();
    let names = file.joint_names();
    let mut used = vec![false; names.len()];
    for vertices in file.primitives() {
        for (joints, weights) in vertices.joints.iter().zip(&vertices.weights) {
            assert_eq!(weights.iter().map(|&weight| u32::from(weight)).sum::<u32>(), 65_535);
            for (&joint, &weight) in joints.iter().zip(weights) {
                assert!(usize::from(joint) < names.len());
                assert!(weight > 0 || joint == 0, "an unused place names joint 0");
                used[usize::from(joint)] |= weight > 0;
            }
        }
    }
    let idle: Vec<_> = names.iter().zip(&used).filter(|(_, used)| !**used).map(|(name, _)| name.as_str()).collect();
    assert_eq!(idle, ["root"]);
}

#[test]
fn left_weights_stay_left() {
    let file = load();
    let names = file.joint_names();
    for vertices in file.primitives() {
        for (vertex, position) in vertices.positions.iter().enumerate().filter(|(_, position)| position[0].abs() > 0.12)
        {
            let foreign = if position[0] > 0.0 { "_right" } else { "_left" };
            for (&joint, &weight) in vertices.joints[vertex].iter().zip(&vertices.weights[vertex]) {
                assert!(
                    weight == 0 || !names[usize::from(joint)].ends_with(foreign),
                    "vertex {vertex} at {position:?}"
                );
            }
        }
    }
}

#[test]
fn vectors_are_unit_and_tangents_lie_in_the_surface() {
    for vertices in load().primitives() {
        for (vertex, (&normal, &tangent)) in vertices.normals.iter().zip(&vertices.tangents).enumerate() {
            let [x, y, z, w] = tangent;
            assert!((dot(normal, normal).sqrt() - 1.0).abs() < 1e-5, "normal {vertex}: {normal:?}");
            assert!((dot([x, y, z], [x, y, z]).sqrt() - 1.0).abs() < 1e-5, "tangent {vertex}: {tangent:?}");
            assert!(dot(normal, [x, y, z]).abs() < 1e-4, "tangent {vertex} leaves the surface");
            assert!(w == 1.0 || w == -1.0);
        }
        assert!(vertices.texcoords.iter().flatten().all(|&coordinate| (0.0..=1.0).contains(&coordinate)));
    }
}

#[test]
fn normals_agree_with_the_triangles() {
    let (mut agreeing, mut all) = (0usize, 0usize);
    for vertices in load().primitives() {
        for triangle in vertices.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| glam::Vec3::from(vertices.positions[index as usize]));
            let face = (b - a).cross(c - a).normalize();
            all += 3;
            agreeing +=
                triangle.iter().filter(|&&index| face.dot(vertices.normals[index as usize].into()) > 0.5).count();
        }
    }
    assert!(agreeing * 1000 > all * 995, "{agreeing} of {all} corners");
}

#[test]
fn welded_by_position_it_is_a_closed_oriented_manifold() {
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for vertices in load().primitives() {
        for triangle in vertices.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|index| {
                let next = numbers.len() as u32;
                *numbers.entry(vertices.positions[index as usize].map(f32::to_bits)).or_insert(next)
            });
            assert!(a != b && b != c && c != a, "a triangle without area");
            for edge in [[a, b], [b, c], [c, a]] {
                *edges.entry(edge).or_default() += 1;
            }
        }
    }
    for (&[a, b], &count) in &edges {
        assert_eq!(count, 1, "two triangles run the same way along one edge");
        assert_eq!(edges.get(&[b, a]), Some(&1), "an edge without its second triangle");
    }
}

#[test]
fn it_stands_on_the_floor_and_is_as_tall_as_a_person() {
    let positions: Vec<[f32; 3]> = load().primitives().into_iter().flat_map(|vertices| vertices.positions).collect();
    let low = positions.iter().map(|position| position[1]).fold(f32::INFINITY, f32::min);
    let high = positions.iter().map(|position| position[1]).fold(f32::NEG_INFINITY, f32::max);
    assert!(low.abs() < 0.003, "the soles are at {low}");
    assert!((high - 1.80).abs() < 0.01, "the crown is at {high}");
}

#[test]
fn clips_close_and_use_all_three_interpolations() {
    let file = load();
    let mut interpolations = BTreeSet::new();
    let names: Vec<_> = file.document.animations().map(|animation| animation.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["Walk", "Flex", "Expression"]);
    for animation in file.document.animations() {
        for channel in animation.channels() {
            let sampler = channel.sampler();
            interpolations.insert(format!("{:?}", sampler.interpolation()));
            let reader = channel.reader(|_| Some(file.binary.as_slice()));
            let times: Vec<f32> = reader.read_inputs().unwrap().collect();
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
            let numbers: Vec<f32> = match reader.read_outputs().unwrap() {
                gltf::animation::util::ReadOutputs::Translations(values) => values.flatten().collect(),
                gltf::animation::util::ReadOutputs::Rotations(values) => values.into_f32().flatten().collect(),
                gltf::animation::util::ReadOutputs::MorphTargetWeights(values) => values.into_f32().collect(),
                gltf::animation::util::ReadOutputs::Scales(_) => panic!("no joint is scaled"),
            };
            assert!(numbers.iter().all(|number| number.is_finite()));
            if channel.target().property() == Property::Rotation {
                for rotation in numbers.as_chunks::<4>().0 {
                    let length = rotation.iter().map(|number| number * number).sum::<f32>().sqrt();
                    assert!((length - 1.0).abs() < 1e-5);
                }
            }
            let rows = if sampler.interpolation() == Interpolation::CubicSpline { 3 } else { 1 };
            let width = numbers.len() / times.len();
            let value = |key: usize| &numbers[key * width..][(rows / 2) * width / rows..][..width / rows];
            assert_eq!(value(0), value(times.len() - 1), "{:?} does not close", animation.name());
        }
    }
    assert_eq!(interpolations.into_iter().collect::<Vec<_>>(), ["CubicSpline", "Linear", "Step"]);
}

#[test]
fn expressions_are_named_and_move_only_the_head() {
    let file = load();
    let mesh = file.document.meshes().next().unwrap();
    let extras: serde_json::Value = serde_json::from_str(mesh.extras().as_ref().unwrap().get()).unwrap();
    assert_eq!(extras["targetNames"], serde_json::json!(["smile", "blink", "surprise"]));
    let mut moved = [0usize; 3];
    for primitive in mesh.primitives() {
        let reader = primitive.reader(|_| Some(file.binary.as_slice()));
        let rest: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
        assert_eq!(reader.read_morph_targets().count(), 3);
        for (target, (positions, _, _)) in reader.read_morph_targets().enumerate() {
            for (position, delta) in rest.iter().zip(positions.unwrap()) {
                assert!(delta.iter().all(|&number| number.abs() < 0.02), "at {position:?}");
                if delta != [0.0; 3] {
                    assert!(position[1] > 1.5, "{position:?} is not on the head");
                    moved[target] += 1;
                }
            }
        }
    }
    assert!(moved.iter().all(|&count| count > 100), "{moved:?}");
}

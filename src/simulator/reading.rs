//! Mistakes in the reading of a file: the scene that a backend believes it has.
//!
//! Why it exists: an importer's mistake is a wrong scene, drawn rightly. So these faults change a copy of the scene, and
//! nothing after this module knows of them.

use std::{borrow::Cow, collections::HashMap};

use glam::{Mat4, Quat, Vec3};

use super::{
    arithmetic::{Arithmetic, Vector, add, subtract},
    faults::Faults,
    transfer::srgb_to_linear,
};
use crate::{Fault, InfluenceChoice, ParametricFault, fault::Part};
use refrast_scene::{
    AlphaMode, Channel, ChannelTarget, Filter, Material, MorphTarget, Primitive, Sampler, Scene, TextureReference,
    TextureTransform, Topology, Wrap,
};

const PLAIN: Arithmetic = Arithmetic { fused: false, reversed: false };

/// The scene as a backend with these faults reads it. Images are left out of a changed scene: textures are prepared
/// from those of the file.
pub(super) fn read(scene: &Scene, faults: Faults) -> Cow<'_, Scene> {
    if !faults.any_in(Part::Reading) {
        return Cow::Borrowed(scene);
    }
    let mut read = Scene {
        source: scene.source.clone(),
        nodes: scene.nodes.clone(),
        parents_first: scene.parents_first.clone(),
        drawn: scene.drawn.clone(),
        meshes: scene.meshes.clone(),
        skins: scene.skins.clone(),
        animations: scene.animations.clone(),
        materials: scene.materials.clone(),
        textures: scene.textures.clone(),
        images: Vec::new(),
        cameras: scene.cameras.clone(),
        lights: scene.lights.clone(),
    };
    read.meshes
        .iter_mut()
        .flat_map(|mesh| &mut mesh.primitives)
        .for_each(|primitive| read_primitive(primitive, faults));
    read.materials.iter_mut().for_each(|material| read_material(material, faults));
    read.textures.iter_mut().for_each(|texture| read_sampler(&mut texture.sampler, faults));
    if faults.has(Fault::JointBoundByName) {
        let first = first_of_each_name(scene);
        let joints = read.skins.iter_mut().flat_map(|skin| &mut skin.joints);
        joints.for_each(|joint| {
            let name = scene.nodes[*joint].name.as_deref();
            *joint = name.and_then(|name| first.get(name)).copied().unwrap_or(*joint);
        });
    }
    for fault in faults.parametric() {
        read_node(&mut read, fault);
    }
    for light in &mut read.lights {
        if faults.has(Fault::LightColorIgnored) {
            light.color = [1.0; 3];
        }
        if faults.has(Fault::LightColorDecoded) {
            light.color = light.color.map(srgb_to_linear);
        }
        if faults.has(Fault::LightRangeIgnored) {
            light.range = None;
        }
    }
    Cow::Owned(read)
}

/// Mistakes about one node or joint.
fn read_node(read: &mut Scene, fault: ParametricFault) {
    match fault {
        ParametricFault::NodeMissing { node } => {
            let node = node as usize;
            if let Some(node) = read.nodes.get_mut(node) {
                (node.mesh, node.skin) = (None, None);
            }
            // Weights of a mesh that is gone have nowhere to go.
            let is_kept = |channel: &Channel| channel.node != node || channel.target != ChannelTarget::Weights;
            read.animations.iter_mut().for_each(|clip| clip.channels.retain(is_kept));
        }
        ParametricFault::NodeMoved { node, by, scale } => read_moved(read, node, Vec3::from(by), scale),
        ParametricFault::JointTurned { joint, by } => {
            let matrices =
                read.skins.iter_mut().filter_map(|skin| skin.inverse_bind_matrices.get_mut(usize::from(joint)));
            let turn = turn(Vec3::from(by));
            matrices.for_each(|matrix| *matrix = turn * *matrix);
        }
        ParametricFault::InsideOut { node, primitive } => read_parts(read, node, primitive, |own| {
            let is_filled = own.topology == Topology::Triangles;
            let corners = own.indices.as_chunks_mut::<3>().0.iter_mut().filter(|_| is_filled);
            corners.for_each(|corners| corners.swap(1, 2));
        }),
        ParametricFault::NormalsReversed { node, primitive } => read_parts(read, node, primitive, |own| {
            let of_targets = own.targets.iter_mut().flat_map(|target| target.normals.iter_mut().flatten());
            let all = own.normals.iter_mut().flatten().chain(of_targets);
            all.for_each(|normal| *normal = normal.map(|part| -part));
        }),
        _ => {}
    }
}

/// Moves and scales the vertices of a node's mesh.
fn read_moved(read: &mut Scene, node: u32, by: Vec3, scale: f32) {
    let mesh = read.nodes.get(node as usize).and_then(|node| read.meshes.get(node.mesh?));
    let positions = mesh.into_iter().flat_map(|mesh| &mesh.primitives).flat_map(|own| &own.positions);
    let ends = positions.map(|at| (Vec3::from(*at), Vec3::from(*at)));
    let Some((low, high)) = ends.reduce(|(low, high), (at, _)| (low.min(at), high.max(at))) else { return };
    let (middle, size) = (0.5 * (low + high), (high - low).length());
    read_parts(read, node, None, |own| {
        let moved = |at: [f32; 3]| middle + scale * (Vec3::from(at) - middle) + size * by;
        own.positions.iter_mut().for_each(|at| *at = moved(*at).into());
    });
}

/// The turn about an axis by as many degrees as it is long.
fn turn(by: Vec3) -> Mat4 {
    let degrees = by.length();
    let half = 0.5 * f64::from(degrees).to_radians();
    let axis = by.normalize_or_zero() * libm::sin(half) as f32;
    Mat4::from_quat(Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(half) as f32))
}

/// Changes one primitive of a node, or all of them, and not those of other nodes that draw the same mesh.
fn read_parts(read: &mut Scene, node: u32, primitive: Option<u16>, change: impl Fn(&mut Primitive)) {
    let Some(node) = read.nodes.get_mut(node as usize) else { return };
    let Some(mut mesh) = node.mesh.and_then(|mesh| read.meshes.get(mesh)).cloned() else { return };
    let is_meant = |place: usize| primitive.is_none_or(|meant| usize::from(meant) == place);
    mesh.primitives.iter_mut().enumerate().filter(|(place, _)| is_meant(*place)).for_each(|(_, own)| change(own));
    node.mesh = Some(read.meshes.len());
    read.meshes.push(mesh);
}

/// The node of each name that a search from the roots meets first: parents before children, and the first child with all below it
/// before the second.
fn first_of_each_name(scene: &Scene) -> HashMap<&str, usize> {
    let mut first = HashMap::new();
    let roots = scene.nodes.iter().enumerate().filter(|(_, node)| node.parent.is_none());
    let mut open: Vec<usize> = roots.map(|(node, _)| node).rev().collect();
    while let Some(node) = open.pop() {
        if let Some(name) = &scene.nodes[node].name {
            first.entry(name.as_str()).or_insert(node);
        }
        open.extend(scene.nodes[node].children.iter().rev());
    }
    first
}

fn read_primitive(primitive: &mut Primitive, faults: Faults) {
    if faults.has(Fault::SparseIgnored) {
        let zeros = |values: &[Vector]| 2 * values.iter().filter(|value| **value == [0.0; 3]).count() >= values.len();
        for target in &mut primitive.targets {
            for values in [&mut target.positions, &mut target.normals, &mut target.tangents] {
                *values = values.take().filter(|values| !zeros(values));
            }
        }
    }
    if faults.has(Fault::AccessorWithoutView) {
        read_without_view(primitive);
    }
    if let Some(normals) = primitive.normals.as_ref().filter(|_| faults.has(Fault::InterleavedStride)) {
        let interleaved = primitive.positions.iter().zip(normals).flat_map(|(position, normal)| [*position, *normal]);
        primitive.positions = interleaved.take(primitive.positions.len()).collect();
    }
    if faults.has(Fault::SnormMinus128) {
        read_quantised(&mut primitive.positions);
    }
    for (target, base) in primitive.targets.iter_mut().map(|target| (target, &primitive.positions)) {
        if faults.has(Fault::MorphNormalDropped) {
            (target.normals, target.tangents) = (None, None);
        }
        if let Some(positions) = target.positions.as_mut().filter(|_| faults.has(Fault::MorphAbsolute)) {
            positions.iter_mut().zip(base).for_each(|(moved, base)| *moved = subtract(*moved, *base));
        }
    }
    if faults.has(Fault::MissingNormalsSmooth) && primitive.flat && primitive.topology == Topology::Triangles {
        primitive.normals = Some(smooth_normals(primitive));
        primitive.flat = false;
    }
    if faults.has(Fault::NormalsInBytes) {
        // Unsigned bytes, decoded by 2c/255 − 1: no byte means 0.
        let byte = |x: &mut f32| *x = (*x * 127.5 + 127.5).round_ties_even().clamp(0.0, 255.0) / 127.5 - 1.0;
        primitive.normals.iter_mut().flatten().flatten().for_each(byte);
    }
    for fault in faults.parametric() {
        read_by_numbers(primitive, fault);
    }
    read_tangents(primitive, faults);
    read_indices(primitive, faults);
    if faults.has(Fault::VertexOcclusionNotMorphed) {
        primitive.targets.iter_mut().for_each(|target| target.occlusion = None);
    }
    if faults.has(Fault::VertexOcclusionIgnored) {
        primitive.occlusion = None;
        primitive.targets.iter_mut().for_each(|target| target.occlusion = None);
    }
    if faults.has(Fault::VertexColorIgnored) {
        primitive.colors = None;
    }
    if faults.has(Fault::VertexColorSrgb) {
        let colors = primitive.colors.iter_mut().flatten();
        colors.flat_map(|color| &mut color[..3]).for_each(|channel| *channel = srgb_to_linear(*channel));
    }
}

/// Mistakes with numbers in them.
fn read_by_numbers(primitive: &mut Primitive, fault: ParametricFault) {
    match fault {
        ParametricFault::TexcoordsMoved { .. } => {
            primitive.texcoords.iter_mut().flatten().for_each(|uv| *uv = moved(*uv, fault));
        }
        ParametricFault::InfluencesKept { count, choice } => {
            for weights in weights_of(primitive) {
                keep_influences(weights, count.into(), choice);
            }
        }
        ParametricFault::WeightBits { bits, corrected } => {
            let most = ((1u32 << bits.min(24)) - 1) as f32;
            for weights in weights_of(primitive) {
                weights.iter_mut().for_each(|weight| *weight = (*weight * most).round_ties_even() / most);
                let sum: f32 = weights.iter().sum();
                let heaviest = weights.iter_mut().max_by(|one, other| one.total_cmp(other));
                if let Some(heaviest) = heaviest.filter(|_| corrected) {
                    *heaviest += 1.0 - sum;
                }
            }
        }
        ParametricFault::MorphTargetsShifted { by } => {
            // Weight i moves target i + by; those that no weight reaches do nothing.
            let all = std::mem::take(&mut primitive.targets);
            let target = |index: usize| index.checked_add_signed(by.into()).and_then(|index| all.get(index)).cloned();
            primitive.targets = (0..all.len()).map(|index| target(index).unwrap_or_default()).collect();
            let sets = primitive.texcoords.len();
            primitive.targets.iter_mut().for_each(|target| target.texcoords.resize(sets, None));
        }
        ParametricFault::MorphTargetMissing { target } => {
            let sets = primitive.texcoords.len();
            if let Some(target) = primitive.targets.get_mut(usize::from(target)) {
                *target = MorphTarget { texcoords: vec![None; sets], ..MorphTarget::default() };
            }
        }
        _ => {}
    }
}

/// Texture coordinates as a mistake moves them.
pub(super) fn moved(uv: [f32; 2], fault: ParametricFault) -> [f32; 2] {
    let ParametricFault::TexcoordsMoved { scale: [su, sv], offset: [ou, ov], swapped } = fault else { return uv };
    let [u, v] = if swapped { [uv[1], uv[0]] } else { uv };
    [su * u + ou, sv * v + ov]
}

/// Whether coordinates may be moved where they are interpolated as well as where they are read: each draw has those that its textures
/// ask for, and no morph target displaces them.
pub(super) fn has_plain_texcoords(scene: &Scene) -> bool {
    scene.meshes.iter().flat_map(|mesh| &mesh.primitives).all(|own| {
        let has_set = |reference: TextureReference| reference.texcoord < own.texcoords.len();
        let is_displaced = |target: &MorphTarget| target.texcoords.iter().any(Option::is_some);
        scene.materials[own.material].textures().all(has_set) && !own.targets.iter().any(is_displaced)
    })
}

/// The weights of each vertex.
fn weights_of(primitive: &mut Primitive) -> impl Iterator<Item = &mut [f32]> {
    let influences = primitive.influences.iter_mut();
    influences.flat_map(|influences| influences.weights.chunks_exact_mut(influences.per_vertex.max(1)))
}

fn keep_influences(weights: &mut [f32], count: usize, choice: InfluenceChoice) {
    match choice {
        InfluenceChoice::First => weights.iter_mut().skip(count).for_each(|weight| *weight = 0.0),
        InfluenceChoice::FirstRescaled => {
            weights.iter_mut().skip(count).for_each(|weight| *weight = 0.0);
            let sum: f32 = weights.iter().sum();
            if sum > 0.0 {
                weights.iter_mut().for_each(|weight| *weight /= sum);
            }
        }
        InfluenceChoice::Heaviest => {
            let mut order: Vec<usize> = (0..weights.len()).collect();
            order.sort_by(|one, other| weights[*other].total_cmp(&weights[*one]));
            order.into_iter().skip(count).for_each(|slot| weights[slot] = 0.0);
        }
    }
}

fn read_tangents(primitive: &mut Primitive, faults: Faults) {
    let (Some(tangents), Some(normals)) = (&mut primitive.tangents, &primitive.normals) else { return };
    for (tangent, normal) in tangents.iter_mut().zip(normals) {
        if faults.has(Fault::TangentNotMikktspace) {
            let axis = if normal[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
            let [x, y, z] = PLAIN.normalize(PLAIN.cross(axis, *normal));
            *tangent = [x, y, z, tangent[3]];
        }
        if faults.has(Fault::TangentHandedness) {
            tangent[3] = -tangent[3];
        }
    }
}

fn read_indices(primitive: &mut Primitive, faults: Faults) {
    if faults.has(Fault::Index16BitWrap) {
        primitive.indices.iter_mut().for_each(|index| *index &= 0xffff);
    }
    if primitive.topology != Topology::Triangles {
        return;
    }
    if faults.has(Fault::StripParity) {
        primitive.indices.as_chunks_mut::<3>().0.iter_mut().skip(1).step_by(2).for_each(|triangle| triangle.swap(1, 2));
    }
    if faults.has(Fault::LastTriangleDropped) {
        primitive.indices.truncate(primitive.indices.len().saturating_sub(3));
    }
}

/// Arrays of nothing but zeros are what a file may leave out: here they are read from where the positions are.
fn read_without_view(primitive: &mut Primitive) {
    for set in &mut primitive.texcoords {
        if set.iter().flatten().all(|value| *value == 0.0) {
            set.iter_mut().zip(&primitive.positions).for_each(|(uv, [x, y, _])| *uv = [*x, *y]);
        }
    }
    for target in &mut primitive.targets {
        for values in [&mut target.positions, &mut target.normals, &mut target.tangents].into_iter().flatten() {
            if values.iter().flatten().all(|value| *value == 0.0) {
                values.clone_from(&primitive.positions);
            }
        }
    }
}

/// Positions that are all multiples of 1/127 or of 1/32767 within [−1, 1] come from normalised integers.
fn read_quantised(positions: &mut [Vector]) {
    for steps in [127.0f32, 32767.0] {
        let whole = |x: &f32| x.abs() <= 1.0 && (x * steps - (x * steps).round_ties_even()).abs() < 1e-3;
        if positions.iter().flatten().all(whole) {
            positions.iter_mut().flatten().for_each(|x| *x *= steps / (steps + 1.0));
            return;
        }
    }
}

/// The mean direction of the triangles around each place, by area.
fn smooth_normals(primitive: &Primitive) -> Vec<Vector> {
    let key = |vertex: u32| primitive.positions[vertex as usize].map(f32::to_bits);
    let mut sums: HashMap<[u32; 3], Vector> = HashMap::new();
    for triangle in primitive.indices.as_chunks::<3>().0 {
        let [a, b, c] = triangle.map(|vertex| primitive.positions[vertex as usize]);
        let normal = PLAIN.cross(subtract(b, a), subtract(c, a));
        for vertex in triangle {
            let sum = sums.entry(key(*vertex)).or_default();
            *sum = add(*sum, normal);
        }
    }
    let normal = |vertex: usize| sums.get(&key(vertex as u32)).map_or([0.0; 3], |sum| PLAIN.normalize_scaled(*sum));
    (0..primitive.positions.len()).map(normal).collect()
}

fn read_material(material: &mut Material, faults: Faults) {
    if faults.has(Fault::DoubleSidedIgnored) {
        material.double_sided = false;
    }
    if faults.has(Fault::AnisotropyIgnored) {
        material.anisotropy = None;
    }
    if let Some(anisotropy) = material.anisotropy.as_mut().filter(|_| faults.has(Fault::AnisotropyRotationSign)) {
        anisotropy.rotation = -anisotropy.rotation;
    }
    if faults.has(Fault::SheenIgnored) {
        material.sheen = None;
    }
    if faults.has(Fault::UnlitIgnored) {
        material.unlit = false;
    }
    material.alpha_mode = match material.alpha_mode {
        AlphaMode::Mask { .. } if faults.has(Fault::MaskAsOpaque) => AlphaMode::Opaque,
        AlphaMode::Mask { .. } if faults.has(Fault::MaskAsBlend) => AlphaMode::Blend,
        AlphaMode::Mask { .. } if faults.has(Fault::MaskCutoffDefault) => AlphaMode::Mask { cutoff: 0.5 },
        AlphaMode::Opaque if faults.has(Fault::OpaqueUsesAlpha) => AlphaMode::Blend,
        AlphaMode::Blend if faults.has(Fault::BlendAsOpaque) => AlphaMode::Opaque,
        mode => mode,
    };
    if faults.has(Fault::FactorSrgb) {
        let factors = material.base_color_factor[..3].iter_mut().chain(&mut material.emissive_factor);
        factors.for_each(|factor| *factor = srgb_to_linear(*factor));
    }
    if faults.has(Fault::BaseColorFactorIgnored) {
        material.base_color_factor = [1.0; 4];
    }
    if faults.has(Fault::EmissiveIgnored) {
        (material.emissive_factor, material.emissive_texture) = ([0.0; 3], None);
    }
    if faults.has(Fault::EmissiveTextureIgnored) {
        material.emissive_texture = None;
    }
    for reference in [&mut material.base_color_texture, &mut material.emissive_texture].into_iter().flatten() {
        read_reference(reference, faults);
    }
}

fn read_reference(reference: &mut TextureReference, faults: Faults) {
    if faults.has(Fault::TextureTransformIgnored) {
        reference.transform = TextureTransform::default();
    }
    if faults.has(Fault::TextureTransformRotationIgnored) {
        reference.transform.rotation = 0.0;
    }
    if faults.has(Fault::TextureTransformRotation) {
        reference.transform.rotation = -reference.transform.rotation;
    }
    if faults.has(Fault::TexcoordSetIgnored) {
        reference.texcoord = 0;
    }
}

fn read_sampler(sampler: &mut Sampler, faults: Faults) {
    if faults.has(Fault::WrapAxesSwapped) {
        (sampler.wrap_u, sampler.wrap_v) = (sampler.wrap_v, sampler.wrap_u);
    }
    for wrap in [&mut sampler.wrap_u, &mut sampler.wrap_v] {
        match *wrap {
            Wrap::Repeat if faults.has(Fault::WrapDefaultClamp) => *wrap = Wrap::ClampToEdge,
            Wrap::MirroredRepeat if faults.has(Fault::WrapMirrorAsRepeat) => *wrap = Wrap::Repeat,
            _ => {}
        }
    }
    if faults.has(Fault::FiltersSwapped) {
        (sampler.magnification, sampler.minification) = (sampler.minification, sampler.magnification);
    }
    if faults.has(Fault::FilterNearest) {
        (sampler.magnification, sampler.minification) = (Filter::Nearest, Filter::Nearest);
    }
    if faults.has(Fault::MipNone) {
        sampler.mip = None;
    }
    if faults.has(Fault::MipFilterNearest) {
        sampler.mip = sampler.mip.map(|_| Filter::Nearest);
    }
}

//! Reads meshes and their primitives.
//!
//! Why it exists: this is where a primitive becomes what the rooms above may trust: a list of points, lines or
//! triangles, arrays of one length, indices in range, flat where the file has no normals, with tangents where a normal
//! map needs them.

use gltf::{
    json,
    json::{
        Value,
        accessor::{ComponentType, Type},
    },
};

use super::{
    accessor::{U8, U16, U32},
    attributes::Attributes,
    document::Document,
    error::{Problem, Result},
    influences,
    model::{Material, Mesh, MorphTarget, Primitive, Topology},
    remark::RemarkKind,
    split, tangents, topology,
};

/// What a vertex takes from the file to the frame: attributes, their copies for the kernels, world space, clip space and
/// varyings. Measured: 12 GB for a frame of 3·10⁷ vertices in 10⁷ triangles without normals.
const VERTEX_BYTES: u64 = 320;
/// What an index takes: a third of a triangle on the rasteriser's grid.
const INDEX_BYTES: u64 = 72;

/// Reads all meshes. `materials` ends with the default material.
pub(super) fn read_meshes(document: &Document, materials: &[Material]) -> Result<Vec<Mesh>> {
    let read = |(index, mesh): (usize, &json::Mesh)| read_mesh(document, index, mesh, materials);
    document.root.meshes.iter().enumerate().map(read).collect()
}

fn read_mesh(document: &Document, index: usize, mesh: &json::Mesh, materials: &[Material]) -> Result<Mesh> {
    let place = format!("meshes[{index}]");
    let raw = &document.raw["meshes"][index];
    let read = |(number, primitive)| {
        let place = format!("{place}.primitives[{number}]");
        read_primitive(document, primitive, &raw["primitives"][number], &place, materials)
    };
    let primitives: Vec<Primitive> = mesh.primitives.iter().enumerate().map(read).collect::<Result<_>>()?;
    let Some(first) = primitives.first() else {
        return Err(document.error(format!("{place}.primitives"), Problem::Missing("a primitive".to_owned())));
    };
    let target_count = first.targets.len();
    for (number, primitive) in primitives.iter().enumerate() {
        if primitive.targets.len() != target_count {
            let place = format!("{place}.primitives[{number}].targets");
            let found = primitive.targets.len();
            return Err(document.error(place, Problem::Count { what: "morph targets", found, expected: target_count }));
        }
    }
    let weights = match &mesh.weights {
        None => vec![0.0; target_count],
        Some(weights) => check_weights(document, weights, target_count, &format!("{place}.weights"))?,
    };
    Ok(Mesh { name: mesh.name.clone(), primitives, weights, target_names: target_names(raw, target_count) })
}

/// Checks that there is one finite weight for each morph target.
pub(super) fn check_weights(document: &Document, weights: &[f32], targets: usize, place: &str) -> Result<Vec<f32>> {
    if weights.len() != targets {
        let problem = Problem::Count { what: "morph weights", found: weights.len(), expected: targets };
        return Err(document.error(place, problem));
    }
    match weights.iter().position(|weight| !weight.is_finite()) {
        None => Ok(weights.to_vec()),
        Some(element) => Err(document.error(place, Problem::NotFinite { element, value: weights[element] })),
    }
}

/// `extras.targetNames`, a habit of exporters and no part of glTF: anything unexpected means no names.
fn target_names(raw_mesh: &Value, target_count: usize) -> Vec<String> {
    let names: Vec<String> = raw_mesh["extras"]["targetNames"]
        .as_array()
        .map(|names| names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    if names.len() == target_count { names } else { Vec::new() }
}

fn read_primitive(
    document: &Document,
    json: &json::mesh::Primitive,
    raw: &Value,
    place: &str,
    materials: &[Material],
) -> Result<Primitive> {
    let default_material = materials.len() - 1;
    let material = match json.material {
        None => default_material,
        Some(index) => {
            document.check_index("material", index.value(), default_material, &format!("{place}.material"))?
        }
    };
    let mode = document.valid(&json.mode, &format!("{place}.mode"))?;
    let raw_targets = raw["targets"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(attributes) = Attributes::new(document, json, place)? else {
        // Without positions a primitive draws nothing (section 3.7.2.1), but still counts its morph targets.
        let targets = vec![MorphTarget::default(); raw_targets.len()];
        return Ok(Primitive { material, targets, ..Primitive::default() });
    };

    let vertex_count = attributes.vertex_count();
    document.reserve((vertex_count as u64).saturating_mul(VERTEX_BYTES), place)?;
    let (topology, indices) = topology::expand(mode, read_indices(document, json, vertex_count, place)?);
    let texcoords = attributes.texcoords()?;
    let colors = attributes.colors()?;
    let mut primitive = Primitive {
        topology,
        indices,
        source_vertices: (0..vertex_count as u32).collect(),
        source_vertex_count: vertex_count,
        positions: attributes.positions()?,
        normals: attributes.normals()?,
        flat: false,
        tangents: attributes.tangents()?,
        influences: influences::read(&attributes)?,
        targets: Vec::new(),
        material,
        texcoords,
        colors,
        occlusion: attributes.occlusion(&raw["attributes"])?,
    };
    let (sets, has_colors) = (primitive.texcoords.len(), primitive.colors.is_some());
    let read_target =
        |(number, target)| attributes.morph_target(target, &format!("{place}.targets[{number}]"), sets, has_colors);
    primitive.targets = raw_targets.iter().enumerate().map(read_target).collect::<Result<_>>()?;
    drop_displacements_without_base(document, &mut primitive, place);
    check_texture_sets(document, &primitive, &materials[material], place)?;
    complete_surface(document, &mut primitive, &materials[material], place)?;
    Ok(primitive)
}

/// The file's indices, or a count up where it gives none.
fn read_indices(
    document: &Document,
    json: &json::mesh::Primitive,
    vertex_count: usize,
    place: &str,
) -> Result<Vec<u32>> {
    let Some(index) = json.indices else {
        document.reserve((vertex_count as u64).saturating_mul(INDEX_BYTES), place)?;
        return Ok((0..vertex_count as u32).collect());
    };
    let accessor = document.accessor(index.value(), &format!("{place}.indices"))?;
    accessor.require(&[Type::Scalar], &[U8, U16, U32])?;
    document.reserve((accessor.count() as u64).saturating_mul(INDEX_BYTES), place)?;
    let indices = accessor.integers()?;
    let restart = match accessor.number().0 {
        ComponentType::U8 => u32::from(u8::MAX),
        ComponentType::U16 => u32::from(u16::MAX),
        _ => u32::MAX,
    };
    for (element, index) in indices.iter().enumerate() {
        if *index == restart {
            let reason = format!("element {element} is {restart}, the primitive restart value, which glTF forbids");
            return Err(accessor.error(Problem::Value(reason)));
        }
        if *index as usize >= vertex_count {
            return Err(accessor.error(Problem::Index { what: "vertex", index: *index as usize, count: vertex_count }));
        }
    }
    Ok(indices)
}

/// Every texture of the material must find its coordinates.
fn check_texture_sets(document: &Document, primitive: &Primitive, material: &Material, place: &str) -> Result<()> {
    let mut textures = material.textures();
    match textures.find(|reference| reference.texcoord >= primitive.texcoords.len()) {
        None => Ok(()),
        Some(reference) => {
            let missing = format!("TEXCOORD_{}, which a texture of its material uses,", reference.texcoord);
            Err(document.error(format!("{place}.attributes"), Problem::Missing(missing)))
        }
    }
}

/// A displacement needs a base (section 3.7.2.2): flat normals and generated tangents are none of the file's.
fn drop_displacements_without_base(document: &Document, primitive: &mut Primitive, place: &str) {
    let (normals, tangents) = (primitive.normals.is_some(), primitive.tangents.is_some());
    let occlusion = primitive.occlusion.is_some();
    for (number, target) in primitive.targets.iter_mut().enumerate() {
        let ignored = [
            ("NORMAL", target.normals.take_if(|_| !normals).is_some()),
            ("TANGENT", target.tangents.take_if(|_| !tangents).is_some()),
            ("_OCCLUSION", target.occlusion.take_if(|_| !occlusion).is_some()),
        ];
        for (name, _) in ignored.into_iter().filter(|(_, ignored)| *ignored) {
            let detail = format!("the primitive has no {name} that this could displace; it is ignored");
            document.warn(RemarkKind::MorphWithoutBase, format!("{place}.targets[{number}].{name}"), detail);
        }
    }
}

/// Fills in what triangles lack: flat normals where there are none, tangents where the material has a normal map.
fn complete_surface(document: &Document, primitive: &mut Primitive, material: &Material, place: &str) -> Result<()> {
    if primitive.topology != Topology::Triangles {
        return Ok(());
    }
    let reserve_split = |primitive: &Primitive| {
        let numbers = split::numbers_per_vertex(primitive).saturating_mul(primitive.indices.len() as u64);
        document.reserve_numbers(numbers, place)
    };
    if primitive.normals.is_none() {
        reserve_split(primitive)?;
        split::flatten(primitive);
    }
    if primitive.tangents.is_none() && material.anisotropy.is_some() && material.mapped_normals().is_none() {
        let detail = "are not there, nor a normal map that they could be made for; anisotropy, which asks for one of the two, \
                      is left out";
        document.warn(RemarkKind::TangentsMissing, format!("{place}.attributes.TANGENT"), detail);
    }
    if primitive.tangents.is_none()
        && let Some(reference) = material.mapped_normals()
    {
        let detail = "are not there, but the material has a normal map; they are made by MikkTSpace";
        document.note(RemarkKind::TangentsMissing, format!("{place}.attributes.TANGENT"), detail);
        reserve_split(primitive)?;
        tangents::generate(primitive, reference.texcoord).map_err(|problem| document.error(place, problem))?;
    }
    Ok(())
}

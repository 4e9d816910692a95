//! Primitives that KHR_draco_mesh_compression holds.
//!
//! Why it exists: Draco gives a mesh of its own numbering and number types; here it becomes the bytes that the primitive's
//! accessors would have had, so that everything after this sees plain data. The accessors say beforehand how large the mesh
//! may be (the specification demands that they match), and the decoder is held to that.

use draco_core::{
    AttributeValueIndex, DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute, PointIndex,
};
use gltf::json::accessor::ComponentType;

use super::{
    super::{
        accessor::{Filler, number_name, rows_and_columns},
        document::Document,
        error::{Problem, Result},
    },
    DRACO,
};

/// Bytes that the decoder takes for a face and for a vertex beside what it gives: corners, opposite corners, symbols and
/// predictions.
const FACE_BYTES: u64 = 96;
const VERTEX_BYTES: u64 = 64;

/// The bytes of accessors of one primitive, tightly packed.
type Filled = Vec<(usize, Vec<u8>)>;

impl Document {
    /// The bytes of an accessor that Draco fills, tightly packed; `None` where it is none.
    ///
    /// # Errors
    /// The compressed data is not there or broken, does not match the accessors, or takes more than the scene's budget has left.
    pub(in super::super) fn decompressed_accessor(&self, index: usize) -> Result<Option<&[u8]>> {
        let Some(filler) = self.fillers.get(&index).filter(|filler| filler.extension == DRACO) else { return Ok(None) };
        let cells = &self.decompressed.accessors;
        if cells[index].get().is_none() {
            for (accessor, bytes) in decode_primitive(self, filler)? {
                // Two primitives may share an accessor, of which both hold the same data.
                let _ = cells[accessor].set(bytes);
            }
        }
        Ok(cells[index].get().map(Vec::as_slice))
    }
}

/// Decodes the primitive that fills an accessor; returns the bytes of all accessors that it fills.
///
/// # Errors
/// The compressed data is not there or broken, does not match the accessors, or takes more than the scene's budget has left.
fn decode_primitive(document: &Document, filler: &Filler) -> Result<Filled> {
    let raw = &document.raw["meshes"][filler.mesh]["primitives"][filler.primitive];
    let primitive_place = format!("meshes[{}].primitives[{}]", filler.mesh, filler.primitive);
    let place = format!("{primitive_place}.extensions.{DRACO}");
    let own = &raw["extensions"][DRACO];
    // 4 is a list of triangles, the default.
    if raw["mode"].as_u64().is_some_and(|mode| mode != 4) {
        let reason = format!("is {}, but only lists of triangles (4) are decompressed", raw["mode"]);
        return Err(document.error(format!("{primitive_place}.mode"), Problem::Value(reason)));
    }
    let view = own["bufferView"].as_u64().map_or(usize::MAX, |view| view as usize);
    let encoded = document.view(view, &format!("{place}.bufferView"))?.bytes;

    // Attributes by Draco's own numbers, and the accessors that they fill.
    let mut wanted = Vec::new();
    for (name, unique) in own["attributes"].as_object().into_iter().flatten() {
        let accessor = raw["attributes"][name].as_u64().map(|accessor| accessor as usize);
        let unique = unique.as_u64().and_then(|unique| u32::try_from(unique).ok());
        let (Some(accessor), Some(unique)) = (accessor, unique) else {
            let missing = Problem::Missing("an attribute of this name in the primitive, and its number,".to_owned());
            return Err(document.error(format!("{place}.attributes.{name}"), missing));
        };
        wanted.push((name, accessor, unique));
    }
    let Some(indices) = raw["indices"].as_u64().map(|accessor| accessor as usize) else {
        return Err(
            document.error(primitive_place, Problem::Missing("indices, which compressed triangles have,".to_owned()))
        );
    };
    let count = |accessor: usize, of: String| -> Result<u64> {
        let accessor = document.check_index("accessor", accessor, document.root.accessors.len(), &of)?;
        Ok(document.root.accessors[accessor].count.0)
    };
    let (mut vertices, mut bytes) = (0, 0_u64);
    for (name, accessor, _) in &wanted {
        vertices = count(*accessor, format!("{primitive_place}.attributes.{name}"))?.max(vertices);
        // Four components of four bytes at most, as the decoder has them and as they are kept.
        bytes = bytes.saturating_add(vertices.saturating_mul(32));
    }
    let corners = count(indices, format!("{primitive_place}.indices"))?;
    let working = vertices.saturating_mul(VERTEX_BYTES).saturating_add((corners / 3).saturating_mul(FACE_BYTES));
    document.reserve(bytes.saturating_add(corners.saturating_mul(4)).saturating_add(working), &place)?;

    let limits =
        DecodeLimits::default().with_max_points(vertices).with_max_faces(corners / 3).with_max_decoded_bytes(bytes);
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut DecoderBuffer::new(encoded).with_limits(limits), &mut mesh).map_err(|error| {
        let reason = format!("the compressed data can not be decoded: {error}");
        document.error(place.as_str(), Problem::Undecodable(reason))
    })?;

    let mut filled = Filled::new();
    for (name, accessor, unique) in wanted {
        let attribute_place = format!("{place}.attributes.{name}");
        let Some(attribute) = mesh.attribute_by_unique_id(unique) else {
            let missing = Problem::Missing(format!("attribute {unique} of the compressed data"));
            return Err(document.error(attribute_place, missing));
        };
        filled.push((accessor, attribute_bytes(document, &mesh, attribute, accessor, &attribute_place)?));
    }
    filled.push((indices, index_bytes(document, &mesh, indices, &format!("{primitive_place}.indices"))?));
    Ok(filled)
}

/// The numbers of an attribute, vertex by vertex, in the accessor's number type.
fn attribute_bytes(
    document: &Document,
    mesh: &Mesh,
    attribute: &PointAttribute,
    accessor: usize,
    place: &str,
) -> Result<Vec<u8>> {
    let json = &document.root.accessors[accessor];
    let vertices = mesh.num_points();
    let expected = usize::try_from(json.count.0).unwrap_or(usize::MAX);
    if vertices != expected {
        return Err(document.error(place, Problem::Count { what: "compressed vertices", found: vertices, expected }));
    }
    let shape = document.valid(&json.type_, &format!("accessors[{accessor}].type"))?;
    let component = document.valid(&json.component_type, &format!("accessors[{accessor}].componentType"))?.0;
    let (rows, columns) = rows_and_columns(shape);
    let stored = attribute.data_type();
    let same_kind = (component == ComponentType::F32) == (stored == DataType::Float32);
    if usize::from(attribute.num_components()) != rows || columns != 1 || !same_kind {
        let found = format!("{} components of {stored:?}", attribute.num_components());
        let expected = format!("{rows} of {}, as the accessor says", number_name((component, false)));
        return Err(document.error(place, Problem::Type { found, expected }));
    }
    let size = stored.byte_length();
    let data = attribute.buffer().data();
    let stride = usize::try_from(attribute.byte_stride()).unwrap_or(0);
    let value = |vertex: usize| {
        let AttributeValueIndex(value) = attribute.mapped_index(PointIndex(vertex as u32));
        let start = (value as usize).checked_mul(stride)?;
        data.get(start..start.checked_add(rows * size)?)
    };
    let mut bytes = Vec::with_capacity(vertices * rows * component.size());
    for vertex in 0..vertices {
        let Some(value) = value(vertex) else {
            let reason = format!("the compressed data has no value for vertex {vertex}");
            return Err(document.error(place, Problem::Undecodable(reason)));
        };
        for number in value.chunks_exact(size) {
            if !push_number(&mut bytes, number, stored, component) {
                let reason = format!("a number of vertex {vertex} does not fit the accessor's type");
                return Err(document.error(place, Problem::Value(reason)));
            }
        }
    }
    Ok(bytes)
}

/// Appends a number in another type of its kind; false where it does not fit.
fn push_number(bytes: &mut Vec<u8>, number: &[u8], stored: DataType, component: ComponentType) -> bool {
    let mut wide = [0; 8];
    wide[..number.len()].copy_from_slice(number);
    let signed = matches!(stored, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64);
    if signed && number.last().is_some_and(|last| *last >= 0x80) {
        wide[number.len()..].fill(0xff);
    }
    let value = i64::from_le_bytes(wide);
    let size = component.size();
    let (least, most) = match component {
        ComponentType::I8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        ComponentType::U8 => (0, i64::from(u8::MAX)),
        ComponentType::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        ComponentType::U16 => (0, i64::from(u16::MAX)),
        // The bits of a float are those of a word.
        ComponentType::U32 | ComponentType::F32 => (0, i64::from(u32::MAX)),
    };
    bytes.extend_from_slice(&wide[..size]);
    (least..=most).contains(&value)
}

/// The corners of all triangles in the accessor's number type.
fn index_bytes(document: &Document, mesh: &Mesh, accessor: usize, place: &str) -> Result<Vec<u8>> {
    let json = &document.root.accessors[accessor];
    let found = mesh.num_faces() * 3;
    let expected = usize::try_from(json.count.0).unwrap_or(usize::MAX);
    if found != expected {
        return Err(document.error(place, Problem::Count { what: "compressed indices", found, expected }));
    }
    let component = document.valid(&json.component_type, &format!("accessors[{accessor}].componentType"))?.0;
    let mut bytes = Vec::with_capacity(found * component.size());
    for PointIndex(vertex) in mesh.faces().iter().flatten() {
        if !push_number(&mut bytes, &vertex.to_le_bytes(), DataType::Uint32, component) {
            let reason = format!("the compressed index {vertex} does not fit the accessor's type");
            return Err(document.error(place, Problem::Value(reason)));
        }
    }
    Ok(bytes)
}

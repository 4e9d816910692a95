//! Where the vertices of a pack's draws must be.
//!
//! Why it exists: a picture says that something is wrong, a vertex says what. A row here is a vertex of a draw of the
//! pack and not one of the scene's file, which a backend that reads packs has never seen.

use super::{PackError, describe::submitted, files::Files};
use crate::cases::{PreparedCase, case::wrong};
use refrast_envelope::vertex::{VertexInputs, exact_vertices};
use refrast_golden::{Attribute, VertexBuffer, VertexId};

/// Writes them; the file's place in the pack.
pub(super) fn write(case: &PreparedCase, files: &Files) -> Result<String, PackError> {
    let mut renderer = case.renderer()?;
    renderer.render(&case.pose, &case.camera).map_err(wrong(&case.entry, "pack"))?;
    let settings = &case.settings;
    let rounding = case.profile.rounding();
    let (mut ids, mut position) = (Vec::new(), Attribute::default());
    let (mut normal, mut tangent) = (Attribute::default(), Attribute::default());
    for (number, draw) in submitted(&renderer).iter().enumerate() {
        let (node, primitive) = (draw.vertices.node, draw.vertices.primitive);
        let inputs = VertexInputs {
            method: settings.skinning,
            normals: settings.normals,
            max_influences: settings.max_influences,
            ..VertexInputs::of_scene(&case.scene, &case.pose, node, primitive)
        };
        let exact = exact_vertices(&inputs, rounding).map_err(wrong(&case.entry, "pack"))?;
        let count = primitive.positions.len();
        append(&mut position, Some(exact.position), count);
        append(&mut normal, exact.normal, count);
        append(&mut tangent, exact.tangent, count);
        ids.extend((0..count).map(|vertex| VertexId { node: number as u32, primitive: 0, vertex: vertex as u32 }));
    }
    let buffer = VertexBuffer {
        ids: Some(ids),
        position,
        normal: Some(normal),
        tangent: Some(tangent),
        ..VertexBuffer::default()
    };
    let bytes = buffer.to_npy();
    files.shared(&bytes, "npy")
}

/// Appends the rows of a draw, which are NaN where it has none.
fn append<const N: usize>(to: &mut Attribute<N>, from: Option<Attribute<N>>, count: usize) {
    let Attribute { values, bounds } = from.unwrap_or_default();
    let filled = |mut rows: Vec<[f64; N]>| {
        rows.resize(count, [f64::NAN; N]);
        rows
    };
    to.values.extend(filled(values));
    to.bounds.get_or_insert_default().extend(filled(bounds.unwrap_or_default()));
}

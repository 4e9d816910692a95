//! Gives triangles vertices of their own.
//!
//! Why it exists: flat normals and generated tangents belong to a triangle's corner, not to a vertex, so vertices of
//! the file must be split. `source_vertices` keeps the way back, since a backend's buffer is compared vertex by vertex
//! of the file.

use super::model::Primitive;

/// Numbers that a vertex of the primitive has in all attributes together: what splitting multiplies.
pub(super) fn numbers_per_vertex(primitive: &Primitive) -> u64 {
    let target_numbers = |target: &super::model::MorphTarget| {
        3 * (usize::from(target.positions.is_some())
            + usize::from(target.normals.is_some())
            + usize::from(target.tangents.is_some()))
            + 2 * target.texcoords.iter().flatten().count()
            + 4 * usize::from(target.colors.is_some())
            + usize::from(target.occlusion.is_some())
    };
    let base = 4
        + 3 * usize::from(primitive.normals.is_some())
        + 4 * usize::from(primitive.tangents.is_some())
        + 2 * primitive.texcoords.len()
        + 4 * usize::from(primitive.colors.is_some())
        + usize::from(primitive.occlusion.is_some())
        + primitive.influences.as_ref().map_or(0, |influences| 2 * influences.per_vertex);
    (base + primitive.targets.iter().map(target_numbers).sum::<usize>()) as u64
}

/// Gives every corner of every triangle a vertex of its own, in the order of the indices, and marks the primitive as
/// flat. Tangents of the file, and what morph targets do to normals and tangents, are dropped (glTF 2.0 section
/// 3.7.2.1: they are ignored where normals are missing).
pub(super) fn flatten(primitive: &mut Primitive) {
    primitive.flat = true;
    primitive.tangents = None;
    for target in &mut primitive.targets {
        target.normals = None;
        target.tangents = None;
    }
    let corners = std::mem::take(&mut primitive.indices);
    gather(primitive, &corners);
    primitive.indices = (0..corners.len() as u32).collect();
}

/// Rebuilds all vertex arrays so that new vertex i is a copy of old vertex `order[i]`. Indices are left alone.
pub(super) fn gather(primitive: &mut Primitive, order: &[u32]) {
    fn pick<T: Copy>(values: &mut Vec<T>, order: &[u32]) {
        *values = order.iter().map(|vertex| values[*vertex as usize]).collect();
    }
    fn pick_some<T: Copy>(values: &mut Option<Vec<T>>, order: &[u32]) {
        if let Some(values) = values {
            pick(values, order);
        }
    }
    pick(&mut primitive.source_vertices, order);
    pick(&mut primitive.positions, order);
    pick_some(&mut primitive.normals, order);
    pick_some(&mut primitive.tangents, order);
    pick_some(&mut primitive.colors, order);
    pick_some(&mut primitive.occlusion, order);
    for set in &mut primitive.texcoords {
        pick(set, order);
    }
    if let Some(influences) = &mut primitive.influences {
        let slots = |vertex: u32| {
            let first = vertex as usize * influences.per_vertex;
            first..first + influences.per_vertex
        };
        influences.joints = order.iter().flat_map(|vertex| influences.joints[slots(*vertex)].iter().copied()).collect();
        influences.weights =
            order.iter().flat_map(|vertex| influences.weights[slots(*vertex)].iter().copied()).collect();
    }
    for target in &mut primitive.targets {
        pick_some(&mut target.positions, order);
        pick_some(&mut target.normals, order);
        pick_some(&mut target.tangents, order);
        pick_some(&mut target.colors, order);
        pick_some(&mut target.occlusion, order);
        for set in &mut target.texcoords {
            pick_some(set, order);
        }
    }
}

//! Vertices into planes, planes into vertices.

use fearless_simd::{Simd, f32x4, mask32x4, prelude::*};

use super::{arena::Arena, decode::Planes};
use crate::vertex_program::scalar::UNSET;

/// The values of one attribute register for all vertices of a draw. Components that are not given are those of
/// (0, 0, 0, 1), as OpenGL and Direct3D fill them.
#[derive(Clone, Copy, Debug)]
pub enum AttributeData<'a> {
    /// The same value for every vertex.
    Same([f32; 4]),
    /// One row a vertex: components `values[vertex · stride ..][..components]`.
    Rows {
        /// The array.
        values: &'a [f32],
        /// Components in a row, 1 to 4.
        components: usize,
        /// Floats from one row to the next.
        stride: usize,
    },
    /// One array a component, x first, 1 to 4 of them.
    Planes(&'a [&'a [f32]]),
}

impl AttributeData<'_> {
    /// How many vertices there is data for; `None` for any number.
    pub(super) fn vertices(&self) -> Option<usize> {
        match *self {
            Self::Same(_) => None,
            Self::Rows { values, components, stride } => {
                Some((values.len() + stride.max(1)).saturating_sub(components) / stride.max(1))
            }
            Self::Planes(planes) => planes.iter().map(|plane| plane.len()).min(),
        }
    }

    /// Whether the number of components is 1 to 4, and rows do not overlap.
    pub(super) fn is_shaped(&self) -> bool {
        match *self {
            Self::Same(_) => true,
            Self::Rows { components, stride, .. } => (1..=4).contains(&components) && stride >= components,
            Self::Planes(planes) => (1..=4).contains(&planes.len()),
        }
    }
}

/// An attribute register and its data.
#[derive(Clone, Copy, Debug)]
pub struct AttributeArray<'a> {
    /// The register, 0..=15.
    pub register: u8,
    /// Its values.
    pub data: AttributeData<'a>,
}

/// Transposes a 4×4 block.
#[inline(always)]
pub(super) fn transpose<S: Simd>(rows: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let even_low = rows[0].zip_low(rows[2]);
    let even_high = rows[0].zip_high(rows[2]);
    let odd_low = rows[1].zip_low(rows[3]);
    let odd_high = rows[1].zip_high(rows[3]);
    [even_low.zip_low(odd_low), even_low.zip_high(odd_low), even_high.zip_low(odd_high), even_high.zip_high(odd_high)]
}

/// Loads the attribute of vertices `first..first + count` into planes. `planes[c]` is where component c starts, if it
/// is wanted. Lanes past `count` repeat the last vertex, so that no strange numbers cost time.
#[inline(always)]
pub(super) fn load_attribute<S: Simd>(
    simd: S,
    data: &AttributeData<'_>,
    first: usize,
    count: usize,
    planes: Planes,
    arena: &mut Arena,
) {
    let wanted = planes.iter().enumerate().filter_map(|(c, &plane)| Some((c, plane?)));
    match *data {
        AttributeData::Same(value) => wanted.for_each(|(c, plane)| arena.plane_mut(plane).fill(value[c])),
        AttributeData::Planes(arrays) => wanted.for_each(|(c, plane)| {
            let target = arena.plane_mut(plane);
            match arrays.get(c) {
                Some(array) => {
                    target[..count].copy_from_slice(&array[first..first + count]);
                    let last = target[count - 1];
                    target[count..].fill(last);
                }
                None => target.fill(UNSET[c]),
            }
        }),
        AttributeData::Rows { values, components, stride } => {
            let given = mask32x4::from_bitmask(simd, (1 << components) - 1);
            let unset = f32x4::from_slice(simd, &UNSET);
            let row = |vertex: usize| -> f32x4<S> {
                let start = (first + vertex.min(count - 1)) * stride;
                let four = match values.get(start..start + 4) {
                    Some(four) => f32x4::from_slice(simd, four),
                    // The last rows of a packed array.
                    None => {
                        let mut four = UNSET;
                        four[..components].copy_from_slice(&values[start..start + components]);
                        f32x4::from_slice(simd, &four)
                    }
                };
                given.select(four, unset)
            };
            for quad in (0..arena.length).step_by(4) {
                let columns = transpose([row(quad), row(quad + 1), row(quad + 2), row(quad + 3)]);
                for (plane, column) in planes.iter().zip(columns) {
                    if let &Some(start) = plane {
                        column.store_slice(&mut arena.values[start + quad..][..4]);
                    }
                }
            }
        }
    }
}

/// Stores a result register of `count` vertices as rows: `target[vertex · stride + column ..][..4]`.
#[inline(always)]
pub(super) fn store_rows<S: Simd>(
    simd: S,
    planes: [&[f32]; 4],
    count: usize,
    target: &mut [f32],
    stride: usize,
    column: usize,
) {
    for quad in (0..count).step_by(4) {
        let rows = transpose(planes.map(|plane| f32x4::from_slice(simd, &plane[quad..quad + 4])));
        for (lane, row) in rows.iter().enumerate().take(count - quad) {
            let start = (quad + lane) * stride + column;
            row.store_slice(&mut target[start..start + 4]);
        }
    }
}

//! Vertices into planes, planes into vertices.

use fearless_simd::{Simd, f32x4, f32x8, mask32x4, prelude::*};
use fearless_simd_macros::simd;

use super::{
    BLOCK,
    arena::{Plane, Values},
    transpose::{rows_of_eight, transpose, transpose_eight},
};
use crate::scalar::UNSET;
use refrast_simd::unroll;

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

/// Loads the attribute of vertices `first..first + count` into `planes`, one a component. Lanes past `count`, up to
/// `length`, repeat the last vertex, so that no strange numbers cost time.
#[simd]
#[inline(never)]
pub(super) fn load_attribute<S: Simd>(
    simd: S,
    data: &AttributeData<'_>,
    first: usize,
    count: usize,
    length: usize,
    planes: &mut [Plane; 4],
) {
    match *data {
        AttributeData::Same(value) => {
            for (plane, value) in planes.iter_mut().zip(value) {
                plane.fill(value);
            }
        }
        AttributeData::Planes(arrays) => {
            for (c, plane) in planes.iter_mut().enumerate() {
                plane.fill(UNSET[c]);
                if let Some(array) = arrays.get(c) {
                    plane[..count].copy_from_slice(&array[first..first + count]);
                    let last = plane[count - 1];
                    plane[count..].fill(last);
                }
            }
        }
        AttributeData::Rows { values, components, stride } => {
            let quads = (length / 4).min(BLOCK / 4);
            if (components, stride) == (4, 4) && count == length {
                // Nothing is left out, nothing lies between.
                let (rows, _) = values[4 * first..].as_chunks::<4>();
                let (pieces, _) = rows.as_chunks::<8>();
                for (index, piece) in pieces.iter().take(quads / 2).enumerate() {
                    for (plane, column) in planes.iter_mut().zip(transpose_eight(simd, piece.each_ref())) {
                        column.store_slice(&mut plane[8 * index..8 * index + 8]);
                    }
                }
                return;
            }
            let given = mask32x4::from_bitmask(simd, (1 << components) - 1);
            let unset = f32x4::from_slice(simd, &UNSET);
            // Rows from `first` on that have four floats after their start: not the last ones of a packed array.
            let whole = values.len().checked_sub(4).map_or(0, |rest| rest / stride + 1).saturating_sub(first);
            for quad in 0..quads {
                let vertex = 4 * quad;
                let four = if vertex + 4 <= count.min(whole) {
                    let start = (first + vertex) * stride;
                    unroll!(k in [0, 1, 2, 3] => f32x4::from_slice(simd, &values[start + k * stride..][..4]))
                } else {
                    let start = |k: usize| (first + (vertex + k).min(count - 1)) * stride;
                    unroll!(k in [0, 1, 2, 3] => short_row(simd, values, start(k), components))
                };
                let columns = transpose(unroll!(k in [0, 1, 2, 3] => given.select(four[k], unset)));
                for (plane, column) in planes.iter_mut().zip(columns) {
                    column.store_slice(&mut plane[vertex..vertex + 4]);
                }
            }
        }
    }
}

/// A row that is perhaps the last one, and has no fourth component.
#[inline(always)]
fn short_row<S: Simd>(simd: S, values: &[f32], start: usize, components: usize) -> f32x4<S> {
    let mut four = UNSET;
    four[..components].copy_from_slice(&values[start..start + components]);
    f32x4::from_slice(simd, &four)
}

/// Stores a result register of `count` vertices as rows: `target[vertex · stride + column ..][..4]`.
#[simd]
#[inline(never)]
pub(super) fn store_rows<S: Simd>(
    simd: S,
    planes: [&Values; 4],
    count: usize,
    target: &mut [f32],
    stride: usize,
    column: usize,
) {
    let eights = (count / 8).min(BLOCK / 8);
    for eight in 0..eights {
        let columns = unroll!(c in [0, 1, 2, 3] => f32x8::from_slice(simd, &planes[c][8 * eight..8 * eight + 8]));
        let target = &mut target[8 * eight * stride..8 * (eight + 1) * stride];
        for (row, values) in rows_of_eight(columns).into_iter().enumerate() {
            values.store_slice(&mut target[row * stride + column..][..4]);
        }
    }
    for vertex in 8 * eights..count.min(BLOCK) {
        let row = unroll!(c in [0, 1, 2, 3] => planes[c][vertex]);
        target[vertex * stride + column..][..4].copy_from_slice(&row);
    }
}

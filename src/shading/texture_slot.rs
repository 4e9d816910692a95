//! A texture as a material uses it: which coordinates, moved how, sampled where.

use fearless_simd::{Simd, f32x8};

use super::{
    sample::Coordinates,
    texture::{PreparedTexture, TextureSet},
    varyings::VaryingLayout,
};
use refrast_draw::{FragmentBatch, Interpolated};
use refrast_scene::{TextureReference, TextureTransform};

/// A texture bound to the varyings of a draw.
pub(super) struct TextureSlot<'a> {
    texture: &'a PreparedTexture,
    /// First float of the block that holds the coordinates.
    block: usize,
    /// 0 or 2: the place of u in the block.
    place: usize,
    /// `None` for the identity.
    transform: Option<TextureMatrix>,
}

impl<'a> TextureSlot<'a> {
    /// `None` where the layout does not carry the coordinates or no such texture is prepared: then nobody reads it.
    pub(super) fn new(reference: &TextureReference, layout: &VaryingLayout, textures: &'a TextureSet) -> Option<Self> {
        Self::of(reference, layout, textures.color(reference.texture))
    }

    /// As [`new`](Self::new), for a texture of plain numbers.
    pub(super) fn of_data(
        reference: &TextureReference,
        layout: &VaryingLayout,
        textures: &'a TextureSet,
    ) -> Option<Self> {
        Self::of(reference, layout, textures.data(reference.texture))
    }

    fn of(reference: &TextureReference, layout: &VaryingLayout, texture: Option<&'a PreparedTexture>) -> Option<Self> {
        let (block, place) = layout.texcoord(reference.texcoord)?;
        let texture = texture?;
        let identity = reference.transform == TextureTransform::default();
        let transform = (!identity).then(|| TextureMatrix::new(&reference.transform));
        Some(Self { texture, block, place, transform })
    }

    /// The filtered colour, linear R G B and alpha.
    #[inline(always)]
    pub(super) fn sample<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let Interpolated { value, dx, dy } = batch.interpolate_with_derivatives(self.block);
        let pick = self.place;
        let mut coordinates = Coordinates {
            at: [value[pick], value[pick + 1]],
            dx: [dx[pick], dx[pick + 1]],
            dy: [dy[pick], dy[pick + 1]],
        };
        if let Some(matrix) = &self.transform {
            let [x, y] = matrix.turn(coordinates.at);
            coordinates.at = [x + matrix.offset[0], y + matrix.offset[1]];
            coordinates.dx = matrix.turn(coordinates.dx);
            coordinates.dy = matrix.turn(coordinates.dy);
        }
        self.texture.sample(&coordinates)
    }
}

/// Coordinates moved by KHR_texture_transform, one vertex at a time: what a fragment's own transform makes of them.
#[must_use]
pub fn transform_texcoord(transform: &TextureTransform, [u, v]: [f32; 2]) -> [f32; 2] {
    if *transform == TextureTransform::default() {
        return [u, v];
    }
    let matrix = TextureMatrix::new(transform);
    let moved = |row: usize| u * matrix.rows[row][0] + v * matrix.rows[row][1] + matrix.offset[row];
    [moved(0), moved(1)]
}

/// KHR_texture_transform as a matrix: T(offset) · R(rotation) · S(scale).
///
/// The sense of the rotation is that of the extension's example (offset (0, 1), rotation π/2, scale ½ shows the lower
/// left quadrant, v pointing down): u' = cos·u + sin·v, v' = −sin·u + cos·v after scaling.
struct TextureMatrix {
    rows: [[f32; 2]; 2],
    offset: [f32; 2],
}

impl TextureMatrix {
    /// Cosine and sine are libm's, in f32; each element is one rounded product.
    fn new(transform: &TextureTransform) -> Self {
        let (sine, cosine) = libm::sincosf(transform.rotation);
        let [scale_u, scale_v] = transform.scale;
        Self {
            rows: [[cosine * scale_u, sine * scale_v], [-sine * scale_u, cosine * scale_v]],
            offset: transform.offset,
        }
    }

    /// The linear part: row · (u, v), left to right.
    #[inline(always)]
    fn turn<S: Simd>(&self, [u, v]: [f32x8<S>; 2]) -> [f32x8<S>; 2] {
        let [[uu, uv], [vu, vv]] = self.rows;
        [u * uu + v * uv, u * vu + v * vv]
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    fn assert_near(actual: [f32; 2], expected: [f32; 2]) {
        assert!(actual.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-6), "{actual:?} is not {expected:?}");
    }

    #[test]
    fn the_extensions_example_shows_the_lower_left_quadrant() {
        let transform = TextureTransform { offset: [0.0, 1.0], rotation: FRAC_PI_2, scale: [0.5; 2] };
        assert_near(transform_texcoord(&transform, [0.0, 0.0]), [0.0, 1.0]);
        assert_near(transform_texcoord(&transform, [1.0, 0.0]), [0.0, 0.5]);
        assert_near(transform_texcoord(&transform, [0.0, 1.0]), [0.5, 1.0]);
    }

    #[test]
    fn scale_comes_before_rotation_and_offset_last() {
        let transform = TextureTransform { offset: [10.0, 20.0], rotation: FRAC_PI_2, scale: [2.0, 3.0] };
        // (1, 1) → scaled (2, 3) → turned (3, −2) → moved (13, 18).
        assert_near(transform_texcoord(&transform, [1.0, 1.0]), [13.0, 18.0]);
    }
}

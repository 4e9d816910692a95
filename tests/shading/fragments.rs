//! One fragment through a shader: a triangle whose rows of varyings are given, looked at through every SIMD level.

use refrast::{
    raster::{BlockShader, FragmentBlock, LANES},
    simd::SimdLevel,
};

/// A fragment of a triangle; by default in the middle of a front face that is seen face on, at one depth.
pub(crate) struct Fragment {
    /// The rows of the triangle's three vertices.
    pub(crate) rows: [Vec<f32>; 3],
    pub(crate) barycentrics: [f32; 2],
    pub(crate) dx: [f32; 2],
    pub(crate) dy: [f32; 2],
    pub(crate) depth: f32,
    pub(crate) front: bool,
}

impl Fragment {
    /// All three vertices have the same varyings, so nothing varies.
    pub(crate) fn constant(row: &[f32]) -> Self {
        Self {
            rows: [row.to_vec(), row.to_vec(), row.to_vec()],
            barycentrics: [0.25, 0.25],
            dx: [0.0; 2],
            dy: [0.0; 2],
            depth: 0.5,
            front: true,
        }
    }

    /// Linear RGBA from `shade`, and what `alpha` gives, after checking that every SIMD level gives the same bits.
    pub(crate) fn shaded(&self, shader: &impl BlockShader) -> ([f32; 4], f32) {
        let mut levels = SimdLevel::available().map(|level| (level, shade(level, shader, self)));
        let (_, expected) = levels.next().expect("there is always a level");
        let bits = |(color, alpha): ([f32; 4], f32)| (color.map(f32::to_bits), alpha.to_bits());
        for (level, result) in levels {
            assert_eq!(bits(result), bits(expected), "{level} differs from the slowest: {result:?}, {expected:?}");
        }
        expected
    }
}

fn shade(level: SimdLevel, shader: &impl BlockShader, fragment: &Fragment) -> ([f32; 4], f32) {
    let block = FragmentBlock {
        varyings: &fragment.rows.concat(),
        stride: fragment.rows[0].len(),
        vertices: [[0; LANES], [1; LANES], [2; LANES]],
        barycentrics: fragment.barycentrics.map(|weight| [weight; LANES]),
        dx: fragment.dx.map(|change| [change; LANES]),
        dy: fragment.dy.map(|change| [change; LANES]),
        depth: [fragment.depth; LANES],
        front: [-i32::from(fragment.front); LANES],
        x: [0; LANES],
        y: [0; LANES],
        active: u8::MAX,
    };
    let color = shader.shade(level.token_or_base(), &block);
    let alpha = shader.alpha(level.token_or_base(), &block);
    // Equal lanes must give equal results; one is enough then.
    for lane in 1..LANES {
        assert!(color.iter().all(|channel| channel[lane].to_bits() == channel[0].to_bits()));
    }
    (color.map(|channel| channel[0]), alpha[0])
}

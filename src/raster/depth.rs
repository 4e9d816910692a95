//! [`Rasteriser::draw_depth`]: the walk without colours, for maps that shadows are looked up in.

use super::{Rasteriser, Statistics, draw_list::DrawList, grid::Grid};
use refrast_draw::{BlockShader, DepthBias, DepthMap, DepthSettings, Draw, RasterError, RasterSettings};
use refrast_threads::{Chunks, over};

impl Rasteriser {
    /// Draws the depths of what is opaque, or kept by its alpha mask, into `map`. Blended draws leave nothing there.
    ///
    /// # Errors
    ///
    /// [`RasterError`] when the settings are out of range or a draw's lists do not fit together.
    pub fn draw_depth<F: BlockShader>(
        &mut self,
        settings: &DepthSettings,
        draws: &[Draw<'_, F>],
        map: &mut DepthMap,
    ) -> Result<Statistics, RasterError> {
        let DepthSettings { side, subpixel_bits, convention, clamp, bias, format, simd } = *settings;
        let square =
            RasterSettings { width: side, height: side, subpixel_bits, convention, simd, ..Default::default() };
        let mut grid = Grid::new(&square)?;
        grid.depth_clamp = clamp;
        grid.bias = (bias != DepthBias::default()).then_some((bias, format));
        let draws: &dyn DrawList = &draws;
        let statistics = self.set_up(&grid, &square, draws)?;
        let (side, size) = (side as usize, grid.tile_size());
        let this = &*self;
        // A band of tiles owns its rows of the map; in it tiles come one after the other.
        let rows = map.rows_mut(side);
        let stride = rows.len() / side;
        over(Chunks::new(rows, size * stride), |band, rows| {
            for column in 0..side.div_ceil(size) {
                let first = DepthMap::BORDER + column * size;
                let width = size.min(side - column * size);
                let number = band * side.div_ceil(size) + column;
                let is_drawn = this.depths_of(&grid, simd, draws, number, |y, depths| {
                    if let Some(row) = rows.get_mut(y * stride + first..y * stride + first + width) {
                        format.store(&depths[..width], row);
                    }
                });
                if !is_drawn {
                    rows.chunks_mut(stride).for_each(|row| row[first..first + width].fill(1.0));
                }
            }
        });
        Ok(statistics)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Simd, f32x8, prelude::*};
    use refrast_draw::{
        Convention, DepthFormat, DrawState, FragmentBatch, FragmentShader, PrimitiveTopology, VertexStream,
    };
    use refrast_simd::SimdLevel;

    struct Nothing;

    refrast_draw::block_shader!(Nothing);

    impl FragmentShader for Nothing {
        fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
            [f32x8::splat(batch.simd, 0.0); 4]
        }

        fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
            f32x8::splat(batch.simd, 1.0)
        }
    }

    fn settings() -> DepthSettings {
        DepthSettings {
            side: 100,
            subpixel_bits: 8,
            convention: Convention::D3d,
            clamp: false,
            bias: DepthBias::default(),
            format: DepthFormat::Float,
            simd: SimdLevel::default(),
        }
    }

    /// Two triangles over the whole map whose depth is `left` at its left side and `right` at its right one.
    fn drawn(settings: DepthSettings, [left, right]: [f32; 2]) -> DepthMap {
        let mut stream = VertexStream::default();
        stream.resize(4, 0);
        stream.x.copy_from_slice(&[-1.0, 1.0, 1.0, -1.0]);
        stream.y.copy_from_slice(&[1.0, 1.0, -1.0, -1.0]);
        stream.z.copy_from_slice(&[left, right, right, left]);
        stream.w.copy_from_slice(&[1.0; 4]);
        let (topology, state) = (PrimitiveTopology::Triangles, DrawState::default());
        let draw = Draw { stream: &stream, topology, indices: &[0, 1, 2, 0, 2, 3], state, shader: Nothing };
        let mut map = DepthMap::new();
        Rasteriser::new().draw_depth(&settings, &[draw], &mut map).expect("the settings are in range");
        map
    }

    #[test]
    fn a_plane_has_the_depths_of_its_texels_centres_and_the_border_is_far() {
        let map = drawn(settings(), [0.0, 1.0]);
        for column in 0..100 {
            let expected = (column as f32 + 0.5) / 100.0;
            assert!((map.depth(column, 70) - expected).abs() < 1e-6, "{column}");
        }
        assert_eq!(
            [map.depth(100, 5), map.with_border()[map.place(-1, 5)], map.with_border()[map.place(107, 50)]],
            [1.0; 3]
        );
        assert_eq!(map.with_border().len(), 116 * 116);
    }

    #[test]
    fn what_is_drawn_no_longer_is_gone_from_a_map_that_is_kept() {
        let mut map = drawn(settings(), [0.0, 1.0]);
        let none: [Draw<'_, Nothing>; 0] = [];
        Rasteriser::new().draw_depth(&settings(), &none, &mut map).expect("the settings are in range");
        assert!(map.with_border().iter().all(|depth| *depth == 1.0));
    }

    #[test]
    fn formats_store_whole_steps() {
        let stored = drawn(DepthSettings { format: DepthFormat::Bits16, ..settings() }, [0.5, 0.5]).depth(3, 4);
        // 0.5 · 65535 = 32767.5, which is even at 32768.
        assert_eq!(stored, (32_768.0 / 65_535.0) as f32);
        let stored = drawn(DepthSettings { format: DepthFormat::Bits24, ..settings() }, [0.25, 0.25]).depth(99, 99);
        assert_eq!(stored, (4_194_304.0 / 16_777_215.0) as f32);
    }

    #[test]
    fn a_bias_is_of_the_formats_steps_and_of_the_slope() {
        let biased = |bias, format| drawn(DepthSettings { bias, format, ..settings() }, [0.25, 0.75]).depth(50, 50);
        let own = 0.25 + 0.5 * 50.5 / 100.0;
        let constant = DepthBias { constant: 1000.0, ..DepthBias::default() };
        // The largest depth is 0.75 = 1.5·2⁻¹.
        for (format, r) in [(DepthFormat::Float, 1.0 / 16_777_216.0), (DepthFormat::Bits16, 1.0 / 65_536.0)] {
            let moved = f64::from(biased(constant, format)) - own;
            assert!((moved - 1000.0 * r).abs() < 0.6 / 65_535.0, "{format}: {moved}");
        }
        // Half a unit over a hundred texels.
        let slope = DepthBias { slope: 3.0, ..DepthBias::default() };
        assert!((f64::from(biased(slope, DepthFormat::Float)) - own - 0.015).abs() < 1e-6);
        let clamped = DepthBias { slope: 3.0, clamp: 0.01, ..DepthBias::default() };
        assert!((f64::from(biased(clamped, DepthFormat::Float)) - own - 0.01).abs() < 1e-6);
        let negative = DepthBias { slope: -3.0, clamp: -0.01, ..DepthBias::default() };
        assert!((f64::from(biased(negative, DepthFormat::Float)) - own + 0.01).abs() < 1e-6);
    }

    #[test]
    fn depth_clamp_keeps_what_is_before_the_near_plane_and_the_plane_stays_flat() {
        let cut = drawn(settings(), [-1.0, 1.0]);
        let kept = drawn(DepthSettings { clamp: true, ..settings() }, [-1.0, 1.0]);
        // Left of the middle the plane lies before the near plane.
        assert_eq!((cut.depth(20, 50), kept.depth(20, 50)), (1.0, 0.0));
        for column in 51..100 {
            let expected = (column as f32 + 0.5) / 50.0 - 1.0;
            assert!(
                (kept.depth(column, 50) - expected).abs() < 1e-6 && (cut.depth(column, 50) - expected).abs() < 1e-6
            );
        }
    }
}

//! [`TextureModel`]: everything that a conformant sampler may return at a fragment.
//!
//! Coordinates come with a radius from the weights, the arithmetic of the transform and of wrapping, and the fixed-point
//! grid of the filter ([`Freedoms::texel`]); λ comes as an interval ([`LevelOfDetail`]). Linear filters give one box,
//! because their results are continuous in both; nearest filters, nearest levels, and the switch between two filters give
//! a box for each choice.

use super::{
    boxes::ColorBoxes,
    filter::{Bounds, Coordinate, Decoding, Filtered, Level, intervals, widen},
    mips,
    scale::{Derivatives, LevelOfDetail},
    varyings::{Interpolator, Neighbourhood},
};
use refrast_range::Freedoms;
use refrast_scene::{Filter, Sampler, TextureTransform};
use refrast_shading::PreparedTexture;

/// A texture as a draw uses it.
pub(super) struct TextureModel<'a> {
    levels: Vec<Level<'a>>,
    decoding: Decoding,
    sampler: Sampler,
    /// The place of u in a row of varyings; v follows.
    place: usize,
    matrix: Option<Matrix>,
    freedoms: Freedoms,
}

/// KHR_texture_transform: rows of the linear part, and the offset.
struct Matrix {
    rows: [[f64; 2]; 2],
    offset: [f64; 2],
}

/// (u, v) in texture sizes at the fragment and around it.
struct Place {
    at: [f64; 2],
    radius: [f64; 2],
    around: [[f64; 9]; 2],
    around_radius: [f64; 2],
}

impl<'a> TextureModel<'a> {
    /// `place` is where u lies in a row of varyings.
    pub(super) fn new(
        texture: &'a PreparedTexture,
        place: usize,
        transform: &TextureTransform,
        freedoms: &Freedoms,
    ) -> Self {
        let identity = *transform == TextureTransform::default();
        Self {
            levels: mips::levels(texture, freedoms),
            decoding: Decoding::new(texture.color_space(), freedoms),
            sampler: texture.sampler(),
            place,
            matrix: (!identity).then(|| Matrix::new(transform)),
            freedoms: *freedoms,
        }
    }

    /// The linear R G B and alpha that sampling may give.
    pub(super) fn sample(&self, varyings: &Interpolator<'_>) -> ColorBoxes {
        let place = self.place(varyings);
        let Sampler { magnification, minification, mip, .. } = self.sampler;
        if self.freedoms.anisotropy > 1.0 {
            return self.stretched(&place);
        }
        let level = if mip.is_none() && magnification == minification {
            // Nobody asks.
            LevelOfDetail { low: 0.0, high: 0.0 }
        } else {
            self.level_of_detail(&place)
        };
        let magnify = level.may_magnify();
        if magnify && (!level.may_minify() || (magnification == minification && mip.is_none())) {
            return self.filtered(&place, 0, magnification);
        }
        let mut choices = self.minified(&place, level);
        // Where both filters are the same, level 0 is the end of the range that was just filtered.
        if magnify && magnification != minification {
            choices = choices.joined(&self.filtered(&place, 0, magnification));
        }
        choices
    }

    /// What a sampler may give that takes up to [`Freedoms::anisotropy`] samples along the longer axis of a pixel's footprint.
    ///
    /// Vulkan ("Texel Anisotropic Filtering"): with ρ_max and ρ_min the axes of the footprint, η = min(ρ_max ÷ ρ_min, most) and
    /// λ = log2(ρ_max ÷ η), the mean of samples on a line through the fragment's place, as long as the longer axis; "the
    /// particular scheme is implementation-dependent". So each sample is a filtered texel at a level of
    /// [`Derivatives::stretched_level_of_detail`], within half of the footprint, and their mean is in the hull of what they may be. Along an axis half of the footprint is at most ½·(|∂/∂x| + |∂/∂y|), whatever way the
    /// longer axis lies.
    fn stretched(&self, place: &Place) -> ColorBoxes {
        let Sampler { magnification, minification, .. } = self.sampler;
        let level = match self.derivatives(place) {
            Some(derivatives) => derivatives.stretched_level_of_detail(&self.freedoms),
            None => LevelOfDetail::ANY,
        };
        let mut wide =
            Place { at: place.at, radius: place.radius, around: place.around, around_radius: place.around_radius };
        for (axis, values) in place.around.iter().enumerate() {
            let steepest = |pairs: [[usize; 2]; 6]| {
                pairs.iter().fold(0.0f64, |most, &[from, to]| most.max((values[to] - values[from]).abs()))
            };
            // Of the nine pixels, row by row, those beside each other and those below each other.
            let across = steepest([[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8]]);
            let down = steepest([[0, 3], [3, 6], [1, 4], [4, 7], [2, 5], [5, 8]]);
            wide.radius[axis] += 0.5 * (across + down) + 2.0 * place.around_radius[axis];
        }
        let mut choices = self.minified(&wide, level);
        if level.may_magnify() {
            choices = choices.joined(&self.filtered(&wide, 0, magnification));
        }
        let hull = |channel: usize| choices.channel(channel);
        let [Some(red), Some(green), Some(blue), Some(alpha)] = [0, 1, 2, 3].map(hull) else { return choices };
        let mut joined = ColorBoxes::one([red, green, blue, alpha]);
        // Means of texels that lie apart lie between them, but not anywhere.
        if choices.loose() || minification == Filter::Nearest || magnification == Filter::Nearest {
            joined.set_loose();
        }
        joined
    }

    fn place(&self, varyings: &Interpolator<'_>) -> Place {
        let [u, v] = [varyings.at_center(self.place), varyings.at_center(self.place + 1)];
        let around = [varyings.neighbourhood(self.place), varyings.neighbourhood(self.place + 1)];
        let [Neighbourhood { values: us, radius: us_radius }, Neighbourhood { values: vs, radius: vs_radius }] = around;
        let (at, radius) = ([u.value, v.value], [u.radius, v.radius]);
        let (around, around_radius) = ([us, vs], [us_radius, vs_radius]);
        match &self.matrix {
            None => Place { at, radius, around, around_radius },
            Some(matrix) => matrix.moved(&Place { at, radius, around, around_radius }, self.freedoms.arithmetic),
        }
    }

    fn level_of_detail(&self, place: &Place) -> LevelOfDetail {
        self.derivatives(place).map_or(LevelOfDetail::ANY, |derivatives| derivatives.level_of_detail(&self.freedoms))
    }

    fn derivatives(&self, place: &Place) -> Option<Derivatives> {
        let base = self.levels.first()?;
        let [width, height] = base.size.map(|side| side as f64);
        let scaled = |values: &[f64; 9], size: f64| {
            let mut scaled = *values;
            scaled.iter_mut().for_each(|value| *value *= size);
            scaled
        };
        // Differences of coordinates, times the size: two more roundings.
        let error = 2.0 * self.freedoms.arithmetic;
        let radius = [0, 1].map(|axis: usize| {
            let largest = place.around[axis].iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            (place.around_radius[axis] + error * largest) * [width, height][axis]
        });
        let [u, v] = &place.around;
        Some(Derivatives::of(&scaled(u, width), &scaled(v, height), radius))
    }

    /// One level by one filter.
    fn filtered(&self, place: &Place, level: usize, filter: Filter) -> ColorBoxes {
        let Some(level) = self.levels.get(level) else { return ColorBoxes::default() };
        let at = self.on_level(place, level);
        match filter {
            Filter::Linear => {
                let mut boxes = ColorBoxes::one(intervals(&self.decoding.one_level(&level.linear(&self.decoding, at))));
                if level.is_loose() {
                    boxes.set_loose();
                }
                boxes
            }
            Filter::Nearest => level.nearest(&self.decoding, at),
        }
    }

    /// Texel coordinates on a level.
    ///
    /// Taking whole periods off, the product with the size and the subtraction of ½ round: four errors of the larger of
    /// the coordinate and 1, in texture sizes. Then the fixed-point number, off by [`Freedoms::texel`].
    fn on_level(&self, place: &Place, level: &Level<'_>) -> [Coordinate; 2] {
        [0, 1].map(|axis: usize| {
            let size = level.size[axis] as f64;
            let rounding = 4.0 * self.freedoms.arithmetic * place.at[axis].abs().max(1.0);
            Coordinate {
                center: place.at[axis] * size,
                radius: (place.radius[axis] + rounding) * size + self.freedoms.texel,
            }
        })
    }

    /// The minification filter on the levels that λ may choose.
    fn minified(&self, place: &Place, level: LevelOfDetail) -> ColorBoxes {
        let filter = self.sampler.minification;
        let last = self.levels.len().saturating_sub(1);
        let low = level.low.clamp(0.0, last as f64);
        let high = level.high.clamp(0.0, last as f64);
        match self.sampler.mip {
            None => self.filtered(place, 0, filter),
            Some(Filter::Nearest) => {
                // ⌈λ + ½⌉ − 1 is Vulkan's first choice, ⌊λ + ½⌋ its second and Direct3D's (7.18.10).
                let (first, end) = ((low + 0.5).ceil() as usize, (high + 0.5).floor() as usize);
                let mut choices = ColorBoxes::default();
                for level in first.saturating_sub(1)..=end.min(last) {
                    choices = choices.joined(&self.filtered(place, level, filter));
                }
                choices
            }
            Some(Filter::Linear) => match filter {
                Filter::Linear => self.trilinear(place, low, high),
                Filter::Nearest => self.nearest_mixed(place, low, high),
            },
        }
    }

    /// Linear on the levels and between them: continuous in λ, so one box.
    ///
    /// Between two whole numbers the result is linear in λ, so that its ends decide; the coordinates on two levels are
    /// taken as if they were free of each other.
    fn trilinear(&self, place: &Place, low: f64, high: f64) -> ColorBoxes {
        let at = |level: usize| {
            self.levels.get(level).map(|level| level.linear(&self.decoding, self.on_level(place, level)))
        };
        let first = low.floor();
        let mut level = first as usize;
        let Some(mut finer) = at(level) else { return ColorBoxes::default() };
        let mut hull: Option<Bounds> = None;
        loop {
            let base = level as f64;
            let (from, to) = ((low - base).max(0.0), (high - base).min(1.0));
            let next = if to > 0.0 { at(level + 1) } else { None };
            let coarser = next.unwrap_or(finer);
            for weight in [from, to] {
                let mixed = self.decoding.two_levels(&finer, &coarser, weight);
                match &mut hull {
                    None => hull = Some(mixed),
                    Some(hull) => widen(hull, &mixed),
                }
            }
            level += 1;
            if next.is_none() || level as f64 >= high {
                break;
            }
            finer = coarser;
        }
        let mut boxes = hull.map(|hull| ColorBoxes::one(intervals(&hull))).unwrap_or_default();
        // Of a chain of somebody else's all but the file's own level is loose.
        if self.levels.iter().take(1 + usize::from(high > 0.0)).any(Level::is_loose) {
            boxes.set_loose();
        }
        boxes
    }

    /// The nearest texel on each of two levels, mixed: a box for each pair of texels.
    fn nearest_mixed(&self, place: &Place, low: f64, high: f64) -> ColorBoxes {
        let mut choices = ColorBoxes::default();
        let mut level = low.floor() as usize;
        loop {
            let base = level as f64;
            let (from, to) = ((low - base).max(0.0), (high - base).min(1.0));
            let finer = self.filtered(place, level, Filter::Nearest);
            if to <= 0.0 || level + 1 >= self.levels.len() {
                return choices.joined(&finer);
            }
            let coarser = self.filtered(place, level + 1, Filter::Nearest);
            choices = choices.joined(&finer.combined(&coarser, |finer, coarser| {
                let [finer, coarser] = [finer, coarser].map(|texel| Filtered::texel(&texel));
                let mut mixed = self.decoding.two_levels(&finer, &coarser, from);
                widen(&mut mixed, &self.decoding.two_levels(&finer, &coarser, to));
                intervals(&mixed)
            }));
            level += 1;
            if level as f64 >= high {
                return choices;
            }
        }
    }
}

impl Matrix {
    /// T(offset) · R(rotation) · S(scale), the sense of the rotation as the extension says it.
    fn new(transform: &TextureTransform) -> Self {
        let (sine, cosine) = libm::sincosf(transform.rotation);
        let [sine, cosine] = [sine, cosine].map(f64::from);
        let [scale_u, scale_v] = transform.scale.map(f64::from);
        Self {
            rows: [[cosine * scale_u, sine * scale_v], [-sine * scale_u, cosine * scale_v]],
            offset: transform.offset.map(f64::from),
        }
    }

    /// Each element is rounded once and so are the products, the sum of three terms twice: four errors of all terms.
    fn moved(&self, place: &Place, arithmetic: f64) -> Place {
        let mut result = Place { at: [0.0; 2], radius: [0.0; 2], around: [[0.0; 9]; 2], around_radius: [0.0; 2] };
        for (axis, [across, down]) in self.rows.into_iter().enumerate() {
            let (u, v) = (place.at[0], place.at[1]);
            result.at[axis] = u * across + v * down + self.offset[axis];
            let terms = (u * across).abs() + (v * down).abs() + self.offset[axis].abs();
            let carried = |radius: [f64; 2]| radius[0] * across.abs() + radius[1] * down.abs();
            result.radius[axis] = carried(place.radius) + 4.0 * arithmetic * terms;
            let mut largest = 0.0f64;
            for (pixel, value) in result.around[axis].iter_mut().enumerate() {
                let (u, v) = (place.around[0][pixel], place.around[1][pixel]);
                *value = u * across + v * down;
                largest = largest.max((u * across).abs() + (v * down).abs());
            }
            let terms = largest + self.offset[axis].abs();
            result.around_radius[axis] = carried(place.around_radius) + 4.0 * arithmetic * terms;
        }
        result
    }
}

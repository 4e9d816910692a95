//! [`Shadows`]: maps of what the lights see, from the shading model's text (section 10).
//!
//! A backend is handed splits and matrices, as a pack hands them over. Everything else is its own: triangles are
//! scan-converted into maps as they are into pictures, a lookup walks over texels one by one, and the weight of each is
//! written down for itself instead of coming from sums of rows.

use glam::Mat4;

use super::{
    arithmetic::{Arithmetic, Vector, subtract},
    barycentric::Interpolation,
    coverage::Sides,
    depths::Depths,
    faults::Faults,
    shade::{Environment, Fragment, Shader},
    triangle::{Assembler, Sides as Seen, Triangle},
    variation::Variation,
    vertices::Draw,
    viewport::Viewport,
};
use crate::Fault;
use refrast_draw::{Convention, DepthBias, DepthFormat, RasterError, SampleCount};
use refrast_scene::{AlphaMode, Topology};
use refrast_shading::{Casters, ShadowPlan, ShadowSettings, SplitSelection};
use refrast_stage::RenderSettings;
use refrast_threads as threads;

/// All maps of a frame.
pub(super) struct Shadows {
    settings: ShadowSettings,
    /// Where splits begin and end.
    ends: Vec<[f32; 2]>,
    depth_row: [f32; 4],
    lights: Vec<Light>,
    eye: Vector,
    convention: Convention,
    arithmetic: Arithmetic,
    texel_steps: Option<f32>,
    faults: Faults,
}

/// A light that casts shadows.
struct Light {
    /// Its place among the lights.
    number: usize,
    cascaded: bool,
    /// World → map, and the depths, for each of its maps.
    maps: Vec<(Mat4, Vec<f32>)>,
}

/// What is drawn into maps, and how.
pub(super) struct Scene<'a> {
    pub(super) settings: &'a RenderSettings,
    pub(super) variation: &'a Variation,
    pub(super) faults: Faults,
    /// As the pass that draws pictures has it.
    pub(super) environment: &'a Environment<'a>,
    pub(super) shaders: &'a [Shader<'a>],
}

impl Shadows {
    /// Draws the maps of a plan; `project` gives the draws as the camera with this matrix has them, and `before` is the plan of the
    /// frame before.
    pub(super) fn new(
        scene: &Scene<'_>,
        (plan, before): (&ShadowPlan, &ShadowPlan),
        eye: Vector,
        project: impl Fn(&Mat4) -> Vec<Draw> + Sync,
    ) -> Result<Self, RasterError> {
        let own = &plan.settings;
        let draw = |view_projection: &Mat4| scene.map(own, &project(view_projection));
        let mut lights = Vec::new();
        for (number, light) in plan.lights.iter().enumerate() {
            let depths = threads::of(&light.maps, |map| draw(&map.view_projection));
            let depths: Vec<Vec<f32>> = depths.into_iter().collect::<Result<_, _>>()?;
            let stale = before.lights.get(number).filter(|_| scene.faults.has(Fault::CascadeMatrixStale));
            let lookup = |place: usize| {
                let map = stale.and_then(|light| light.maps.get(place)).unwrap_or(&light.maps[place]);
                map.lookup
            };
            let maps = depths.into_iter().enumerate().map(|(place, depths)| (lookup(place), depths)).collect();
            lights.push(Light { number: light.light, cascaded: light.cascaded, maps });
        }
        if scene.faults.has(Fault::LightMapSwapped) && lights.len() > 1 {
            // Each light looks into the maps of the one before it, with matrices of its own.
            let depths = |light: &Light| light.maps.iter().map(|(_, depths)| depths.clone()).collect::<Vec<_>>();
            let all: Vec<Vec<Vec<f32>>> = lights.iter().map(depths).collect();
            for (light, other) in lights.iter_mut().zip(all.iter().cycle().skip(all.len() - 1)) {
                let last = other.len() - 1;
                light.maps.iter_mut().enumerate().for_each(|(place, (_, own))| *own = other[place.min(last)].clone());
            }
        }
        Ok(Self {
            settings: *own,
            ends: plan.splits.iter().map(|split| [split.near, split.far]).collect(),
            depth_row: plan.depth_row,
            lights,
            eye,
            convention: scene.settings.convention,
            arithmetic: scene.variation.arithmetic(),
            texel_steps: scene.variation.texel_bits.map(|bits| (1u32 << bits) as f32),
            faults: scene.faults,
        })
    }

    /// The part of a light that arrives at a position.
    pub(super) fn part(&self, light: usize, position: Vector) -> f32 {
        let Some(light) = self.lights.iter().find(|own| own.number == light) else { return 1.0 };
        if !light.cascaded {
            return self.look_up(light, 0, position);
        }
        let [split, faded] = self.split(light, position);
        let of = |place: f32| {
            let place = place as usize;
            if place < light.maps.len() { self.look_up(light, place, position) } else { 1.0 }
        };
        let own = of(split);
        if faded > 0.0 && (split as usize) < light.maps.len() {
            return self.arithmetic.multiply_add(faded, of(split + 1.0) - own, own);
        }
        own
    }

    /// The number of the split that a position is in, by the first light that has some; `None` beyond.
    pub(super) fn number(&self, position: Vector) -> Option<usize> {
        let light = self.lights.iter().find(|light| light.cascaded)?;
        let [split, _] = self.split(light, position);
        Some(split as usize).filter(|split| *split < light.maps.len())
    }

    /// The split, and how far the next one is faded in.
    fn split(&self, light: &Light, position: Vector) -> [f32; 2] {
        let count = light.maps.len();
        if self.settings.selection == SplitSelection::Containment {
            let margin = self.settings.filter.lookups().div_ceil(2) as f32 / self.settings.side as f32;
            let inside = |place: &usize| {
                let [u, v, depth] = self.coordinates(light, *place, position);
                let within = |value: f32| value >= margin && value <= 1.0 - margin;
                within(u) && within(v) && (0.0..=1.0).contains(&depth)
            };
            return [(0..count).find(inside).unwrap_or(count) as f32, 0.0];
        }
        let [x, y, z, w] = self.depth_row;
        let mut depth = self.arithmetic.dot_plus([x, y, z], position, w);
        if self.faults.has(Fault::SplitByDistance) {
            let away = subtract(position, self.eye);
            depth = self.arithmetic.dot(away, away).sqrt();
        }
        let split = self.ends.iter().take_while(|[_, far]| depth >= *far).count();
        let Some([near, far]) = self.ends.get(split).filter(|_| self.settings.blend > 0.0) else {
            return [split as f32, 0.0];
        };
        let length = self.settings.blend * (far - near);
        [split as f32, ((depth - (far - length)) / length).clamp(0.0, 1.0)]
    }

    /// u, v and depth.
    fn coordinates(&self, light: &Light, place: usize, position: Vector) -> Vector {
        let matrix = &light.maps[place].0;
        let row = |row: usize| {
            let [x, y, z, w] = matrix.row(row).to_array();
            self.arithmetic.dot_plus([x, y, z], position, w)
        };
        let [mut u, mut v, mut depth] = [row(0), row(1), row(2)];
        if !light.cascaded && !self.faults.has(Fault::MapWNotDivided) {
            let w = row(3);
            (u, v, depth) = if w > 0.0 { (u / w, v / w, depth / w) } else { (-1.0, -1.0, 0.0) };
        }
        if self.faults.has(Fault::MapYFlipped) {
            v = 1.0 - v;
        }
        if self.faults.has(Fault::MapDepthRange) {
            // As if clip space had the other range of depth.
            depth = if self.convention == Convention::OpenGl { 2.0 * depth - 1.0 } else { 0.5 * depth + 0.5 };
        }
        [u, v, depth]
    }

    /// What a filter makes of the comparisons.
    fn look_up(&self, light: &Light, place: usize, position: Vector) -> f32 {
        let [u, v, depth] = self.coordinates(light, place, position);
        let depth = depth.clamp(0.0, 1.0);
        let side = self.settings.side as i64;
        let stored = &light.maps[place].1;
        let outside = if self.faults.has(Fault::MapBorder) { -1.0 } else { 1.0 };
        let lit = |column: i64, row: i64| {
            let inside = (0..side).contains(&column) && (0..side).contains(&row);
            let stored = if inside { stored[(row * side + column) as usize] } else { outside };
            if depth <= stored { 1.0 } else { 0.0 }
        };
        let lookups = self.settings.filter.lookups() as i64;
        let shift = match (lookups, self.faults.has(Fault::FilterHalfTexel)) {
            (0, false) | (1.., true) => 0.0,
            _ => 0.5,
        };
        // Far beyond a map all is border, and numbers stay small enough for whole ones.
        let place = [u, v].map(|coordinate| {
            let place = (coordinate * side as f32 - shift).clamp(-100.0, side as f32 + 100.0);
            let place = if lookups > 0 {
                self.texel_steps.map_or(place, |steps| (place * steps).round_ties_even() / steps)
            } else {
                place
            };
            if place.is_nan() { -100.0 } else { place }
        });
        let [column, row] = place.map(f32::floor);
        let [across, down] = [place[0] - column, place[1] - row];
        let [column, row] = [column as i64, row as i64];
        if lookups == 0 {
            return lit(column, row);
        }
        // The first and the last texel count for a part, those between for one each.
        let weight = |number: i64, fraction: f32| match number {
            0 => 1.0 - fraction,
            _ if number == lookups => fraction,
            _ => 1.0,
        };
        let before = (lookups - 1) / 2;
        let mut sum = 0.0;
        for y in 0..=lookups {
            for x in 0..=lookups {
                sum += weight(x, across) * weight(y, down) * lit(column - before + x, row - before + y);
            }
        }
        sum / (lookups * lookups) as f32
    }
}

impl Scene<'_> {
    /// The depths of a map, row by row from the top.
    fn map(&self, own: &ShadowSettings, draws: &[Draw]) -> Result<Vec<f32>, RasterError> {
        let Self { settings, variation, faults, .. } = *self;
        let square = RenderSettings { width: own.side, height: own.side, samples: SampleCount::One, ..*settings };
        let mut viewport = Viewport::new(&square, variation, faults)?;
        viewport.depth_clamp = own.casters == Casters::Clamp && !faults.has(Fault::CastersClipped);
        let interpolation = Interpolation { one: viewport.one, ..self.environment.interpolation };
        let environment =
            Environment { interpolation, center: viewport.center(faults), shadows: None, ..*self.environment };
        let assembler = Assembler::new(&viewport, variation, faults);
        let side = own.side as usize;
        let cleared = if faults.has(Fault::MapClearedToZero) { 0.0 } else { 1.0 };
        let mut depths: Vec<f32> = vec![cleared; side * side];
        for (number, draw) in draws.iter().enumerate() {
            let shader = &self.shaders[number];
            if draw.topology != Topology::Triangles || shader.material_blends() {
                continue;
            }
            let mut triangles = Vec::new();
            let seen = Seen { mirrored: draw.mirrored, front: true, back: true };
            assembler.assemble(number, draw, seen, &mut triangles);
            for triangle in &mut triangles {
                self.push_back(triangle, own, viewport.one);
                let plane = Depths::new(triangle, interpolation, faults);
                let one = viewport.one as i64;
                let sides = Sides::of(triangle, one, faults);
                let center = viewport.samples[0];
                let [top, bottom] =
                    [triangle.y.iter().min(), triangle.y.iter().max()].map(|y| y.map_or(0, |y| y.div_euclid(one)));
                for row in top.max(0)..=bottom.min(side as i64 - 1) {
                    let ends = [center[0], (side as i64 - 1) * one + center[0]];
                    let Some([first, last]) = sides.span(row * one + center[1], ends) else { continue };
                    let [first, last] =
                        [(first - center[0] + one - 1).div_euclid(one), (last - center[0]).div_euclid(one)];
                    for column in first..=last {
                        let at = [(column * one + center[0]) as f64, (row * one + center[1]) as f64];
                        if let AlphaMode::Mask { cutoff } = shader.alpha_mode {
                            let pixel = [column as usize, row as usize];
                            let fragment = Fragment::new(&environment, shader, draw, triangle, pixel, at);
                            if fragment.mask_alpha() < cutoff {
                                continue;
                            }
                        }
                        let depth = plane.at(at);
                        let kept = &mut depths[row as usize * side + column as usize];
                        *kept = kept.min(depth);
                    }
                }
            }
        }
        let steps = match own.format {
            DepthFormat::Bits16 => 65_535.0,
            DepthFormat::Bits24 => 16_777_215.0,
            DepthFormat::Float => return Ok(depths),
        };
        let stored = |depth: f32| ((f64::from(depth) * steps).round_ties_even() / steps) as f32;
        Ok(depths.into_iter().map(stored).collect())
    }

    /// Adds the bias to a triangle's depths.
    fn push_back(&self, triangle: &mut Triangle, own: &ShadowSettings, one: f64) {
        let Triangle { x, y, z, .. } = *triangle;
        let [x, y, z] = [x.map(|x| x as f64 / one), y.map(|y| y as f64 / one), z.map(f64::from)];
        // The normal of the plane through the corners, whose slopes are −x/z and −y/z.
        let edge = |v: [f64; 3], i: usize| v[i] - v[0];
        let minor = |a: [f64; 3], b: [f64; 3]| edge(a, 1) * edge(b, 2) - edge(a, 2) * edge(b, 1);
        let [right, down] = [(minor(y, z) / minor(x, y)).abs(), (minor(z, x) / minor(x, y)).abs()];
        let slope = if self.variation.bias_slope_by_length { libm::hypot(right, down) } else { right.max(down) };
        let deepest = z.iter().copied().fold(0.0, f64::max).min(1.0);
        let of_float = || {
            let exponent = libm::ilogb(deepest.max(f64::from(f32::MIN_POSITIVE)));
            libm::scalbn(1.0, exponent - 23)
        };
        let format = match (own.format, self.faults.has(Fault::ShadowBiasUnits)) {
            (format, false) => format,
            (DepthFormat::Bits16, true) => DepthFormat::Bits24,
            (DepthFormat::Bits24 | DepthFormat::Float, true) => DepthFormat::Bits16,
        };
        let unit = match format {
            DepthFormat::Bits16 => 1.0 / 65_536.0,
            DepthFormat::Bits24 => 1.0 / 16_777_216.0,
            DepthFormat::Float => of_float(),
        };
        let DepthBias { constant, slope: factor, clamp } = own.bias;
        let mut bias = f64::from(constant) * unit + f64::from(factor) * slope;
        if clamp > 0.0 {
            bias = bias.min(f64::from(clamp));
        } else if clamp < 0.0 {
            bias = bias.max(f64::from(clamp));
        }
        if self.faults.has(Fault::ShadowBiasSign) {
            bias = -bias;
        }
        triangle.z = triangle.z.map(|z| (f64::from(z) + bias) as f32);
    }
}

//! Fragment → linear RGBA, from the shading model's text.

mod surface;

use std::cell::OnceCell;

use glam::Mat4;

use super::{
    arithmetic::{Arithmetic, Vector, add, half, scale, subtract},
    barycentric::Interpolation,
    chain::Chains,
    depths::Depths,
    faults::Faults,
    light::Lights,
    physical::developed,
    reading::moved,
    shadow::Shadows,
    texture::{Bound, Footprint, TextureKind},
    transfer::to_stored,
    triangle::Triangle,
    variation::{Derivatives, Variation},
    vertices::{Draw, Vertex},
};
use crate::{Fault, ParametricFault};
use refrast_scene::{AlphaMode, Material, Scene};
use refrast_shading::{ColorSpace, Development, ShadingMode};

/// What fragments of all draws read.
#[derive(Clone, Copy)]
pub(super) struct Environment<'a> {
    pub(super) mode: ShadingMode,
    pub(super) development: Development,
    pub(super) lights: &'a Lights,
    /// The shadows that they cast.
    pub(super) shadows: Option<&'a Shadows>,
    pub(super) view: Mat4,
    pub(super) variation: &'a Variation,
    pub(super) interpolation: Interpolation,
    /// From a pixel's corner to where attributes are evaluated, in grid units.
    pub(super) center: f64,
    /// Whether vertices have the coordinates of the file, which mistakes are yet to move.
    pub(super) moves_texcoords: bool,
    pub(super) faults: Faults,
}

/// The textures of a surface that are neither base colour nor emission.
struct Maps<'a> {
    normal: Option<Bound<'a>>,
    metallic_roughness: Option<Bound<'a>>,
    occlusion: Option<Bound<'a>>,
    specular: Option<Bound<'a>>,
    specular_color: Option<Bound<'a>>,
    grain: Option<Bound<'a>>,
    sheen: Option<Bound<'a>>,
    sheen_roughness: Option<Bound<'a>>,
    coat: Option<Bound<'a>>,
    coat_roughness: Option<Bound<'a>>,
    coat_normal: Option<Bound<'a>>,
}

/// A draw's material, ready to shade.
pub(super) struct Shader<'a> {
    material: &'a Material,
    base_color: Option<Bound<'a>>,
    emissive: Option<Bound<'a>>,
    maps: Maps<'a>,
    pub(super) alpha_mode: AlphaMode,
}

impl<'a> Shader<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        material: usize,
        chains: &'a Chains,
        mode: ShadingMode,
        variation: &Variation,
        faults: Faults,
    ) -> Self {
        let material = &scene.materials[material];
        let bind = |reference: &Option<_>, kind: TextureKind| {
            reference.as_ref().and_then(|reference| Bound::new(reference, (scene, chains), kind, variation, faults))
        };
        let color = |reference| bind(reference, TextureKind::Color);
        let numbers = |reference| bind(reference, TextureKind::Numbers);
        let (coat, sheen) = (material.clearcoat.unwrap_or_default(), material.sheen.unwrap_or_default());
        let maps = Maps {
            normal: bind(&material.normal_texture, TextureKind::Normals),
            metallic_roughness: numbers(&material.metallic_roughness_texture),
            occlusion: numbers(&material.occlusion_texture),
            specular: numbers(&material.specular_texture),
            specular_color: color(&material.specular_color_texture),
            grain: numbers(&material.anisotropy.unwrap_or_default().texture),
            sheen: color(&sheen.color_texture),
            sheen_roughness: numbers(&sheen.roughness_texture),
            coat: numbers(&coat.texture),
            coat_roughness: numbers(&coat.roughness_texture),
            coat_normal: bind(&coat.normal_texture, TextureKind::Normals),
        };
        let alpha_mode = match material.alpha_mode {
            AlphaMode::Blend if !mode.blends() => AlphaMode::Opaque,
            alpha_mode => alpha_mode,
        };
        Self {
            material,
            base_color: color(&material.base_color_texture),
            emissive: color(&material.emissive_texture),
            maps,
            alpha_mode,
        }
    }
}

impl Shader<'_> {
    /// Whether the material lets light through, whatever the mode draws it like.
    pub(super) fn material_blends(&self) -> bool {
        self.material.alpha_mode == AlphaMode::Blend
    }
}

/// −1 … 1 as 0 … 1.
fn shown(vector: Vector) -> Vector {
    vector.map(|component| component * 0.5 + 0.5)
}

/// A triangle at a pixel.
pub(super) struct Fragment<'a> {
    pub(super) environment: &'a Environment<'a>,
    pub(super) shader: &'a Shader<'a>,
    pub(super) draw: &'a Draw,
    pub(super) triangle: &'a Triangle,
    /// Column and row.
    pub(super) pixel: [usize; 2],
    /// Where attributes are evaluated, in grid units.
    pub(super) at: [f64; 2],
    weights: [f32; 3],
    /// Weights of the pixels from whose difference derivatives are taken: left and right, upper and lower. All textures share them.
    beside: OnceCell<[[[f32; 3]; 2]; 2]>,
    /// Their exact derivatives.
    slopes: OnceCell<[[f32; 3]; 2]>,
}

impl<'a> Fragment<'a> {
    pub(super) fn new(
        environment: &'a Environment<'a>,
        shader: &'a Shader<'a>,
        draw: &'a Draw,
        triangle: &'a Triangle,
        pixel: [usize; 2],
        at: [f64; 2],
    ) -> Self {
        let flat = environment.faults.has(Fault::FlatInterpolation);
        let weights = if flat { [1.0, 0.0, 0.0] } else { environment.interpolation.weights(triangle, at) };
        Self {
            environment,
            shader,
            draw,
            triangle,
            pixel,
            at,
            weights,
            beside: OnceCell::new(),
            slopes: OnceCell::new(),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.environment.faults.has(fault)
    }

    fn arithmetic(&self) -> Arithmetic {
        self.environment.variation.arithmetic()
    }

    fn vertices(&self) -> [&'a Vertex; 3] {
        self.triangle.vertices.map(|vertex| &self.draw.vertices[vertex as usize])
    }

    /// a₀ + (l₁·(a₁ − a₀) + l₂·(a₂ − a₀)).
    fn interpolate<const N: usize>(&self, attribute: impl Fn(&Vertex) -> [f32; N]) -> [f32; N] {
        self.weighted(self.weights, attribute)
    }

    /// The same of what skinning leaves alone; `missing` where all vertices have that.
    fn interpolate_list<const N: usize>(&self, list: &[[f32; N]], missing: [f32; N]) -> [f32; N] {
        let value = |vertex: u32| list.get(vertex as usize).copied().unwrap_or(missing);
        self.mixed(self.weights, &self.triangle.vertices.map(value))
    }

    fn weighted<const N: usize>(&self, weights: [f32; 3], attribute: impl Fn(&Vertex) -> [f32; N]) -> [f32; N] {
        self.mixed(weights, &self.vertices().map(attribute))
    }

    #[inline(always)]
    fn mixed<const N: usize>(&self, weights: [f32; 3], [a, b, c]: &[[f32; N]; 3]) -> [f32; N] {
        let arithmetic = self.arithmetic();
        std::array::from_fn(|i| arithmetic.dot_plus([weights[1], weights[2]], [b[i] - a[i], c[i] - a[i]], a[i]))
    }

    /// A set of texture coordinates, 0 where the primitive has none.
    fn texcoords(&self, set: usize) -> &'a [[f32; 2]] {
        self.draw.attributes.texcoords.get(set).map_or(&[], Vec::as_slice)
    }

    /// What a texture gives here.
    fn sample(&self, texture: &Bound<'_>) -> [f32; 4] {
        texture.sample(self.footprint(texture.texcoord))
    }

    /// A set of texture coordinates with its derivatives.
    fn footprint(&self, set: usize) -> Footprint {
        let Environment { interpolation, variation, .. } = self.environment;
        let texcoords = self.texcoords(set);
        let mut corners =
            self.triangle.vertices.map(|vertex| texcoords.get(vertex as usize).copied().unwrap_or_default());
        for fault in self.environment.faults.parametric().filter(|_| self.environment.moves_texcoords) {
            corners = corners.map(|uv| moved(uv, fault));
        }
        let mut at = self.mixed(self.weights, &corners);
        if self.has(Fault::TexcoordsHalfPrecision) {
            at = at.map(half);
        }
        if self.has(Fault::FlatInterpolation) {
            return Footprint { at, dx: [0.0; 2], dy: [0.0; 2] };
        }
        if variation.derivatives == Derivatives::Exact {
            let [dx, dy] = self.slopes.get_or_init(|| interpolation.derivatives(self.triangle, self.at));
            let [a, b, c] = corners;
            let change = |d: &[f32; 3]| [0, 1].map(|i| d[1] * (b[i] - a[i]) + d[2] * (c[i] - a[i]));
            return Footprint { at, dx: change(dx), dy: change(dy) };
        }
        let [[left, right], [upper, lower]] = *self.beside();
        let value = |weights: [f32; 3]| self.mixed(weights, &corners);
        let difference = |a: [f32; 2], b: [f32; 2]| [b[0] - a[0], b[1] - a[1]];
        Footprint { at, dx: difference(value(left), value(right)), dy: difference(value(upper), value(lower)) }
    }

    /// The pixels from whose difference derivatives are taken, of this one's quad: left and right, upper and lower; of this
    /// pixel's row and column, or of the first ones.
    fn quad(&self) -> [[[usize; 2]; 2]; 2] {
        let [x, y] = self.pixel;
        let [left, top] = [x & !1, y & !1];
        let fine = self.environment.variation.derivatives == Derivatives::Fine;
        let [row, column] = if fine { [y, x] } else { [top, left] };
        [[[left, row], [left + 1, row]], [[column, top], [column, top + 1]]]
    }

    /// Where attributes of a pixel are evaluated, in grid units.
    fn place(&self, pixel: [usize; 2]) -> [f64; 2] {
        let Environment { interpolation, center, .. } = self.environment;
        pixel.map(|pixel| pixel as f64 * interpolation.one + center)
    }

    /// The weights of [`Self::quad`].
    fn beside(&self) -> &[[[f32; 3]; 2]; 2] {
        self.beside.get_or_init(|| {
            let flat = self.has(Fault::FlatInterpolation);
            let weights = |pixel: [usize; 2]| {
                let at = self.place(pixel);
                // One of them is mostly this pixel.
                if at == self.at && !flat {
                    self.weights
                } else {
                    self.environment.interpolation.weights(self.triangle, at)
                }
            };
            self.quad().map(|ends| ends.map(weights))
        })
    }

    /// How much the normal without a map changes to the next pixels: the most that a coordinate in view space does.
    fn curvature(&self) -> f32 {
        let arithmetic = self.arithmetic();
        let differences = self.beside().map(|ends| {
            let [from, to] = ends.map(|weights| {
                let normal = arithmetic.normalize(self.weighted(weights, |vertex| vertex.normal));
                self.environment.view.transform_vector3(self.faced(normal).into()).to_array()
            });
            subtract(to, from)
        });
        differences.as_flattened().iter().fold(0.0, |most, change| most.max(change.abs()))
    }

    /// How much a normal changes to the next pixels, as a roughness: the cube root of the larger squared difference.
    fn unevenness(&self, normal: impl Fn(&Self) -> Vector) -> f32 {
        let arithmetic = self.arithmetic();
        let squares = self.quad().map(|ends| {
            let [from, to] = ends.map(|pixel| {
                let Self { environment, shader, draw, triangle, .. } = *self;
                normal(&Fragment::new(environment, shader, draw, triangle, pixel, self.place(pixel)))
            });
            let change = subtract(to, from);
            arithmetic.dot(change, change)
        });
        libm::powf(squares[0].max(squares[1]).min(1.0), 0.333)
    }

    /// Factor · texture · vertex colour.
    fn base_color(&self) -> [f32; 4] {
        let mut product = self.shader.material.base_color_factor;
        let mut multiply = |factor: [f32; 4]| product.iter_mut().zip(factor).for_each(|(p, f)| *p *= f);
        if let Some(texture) = &self.shader.base_color {
            multiply(self.sample(texture));
        }
        if self.draw.has_colors {
            multiply(self.interpolate_list(&self.draw.attributes.colors, [1.0; 4]));
        }
        product
    }

    /// What a masked draw compares with its cutoff.
    pub(super) fn mask_alpha(&self) -> f32 {
        if self.has(Fault::MaskIgnoresFactor) {
            let texture = self.shader.base_color.as_ref();
            return texture.map_or(1.0, |texture| self.sample(texture)[3]);
        }
        self.base_color()[3]
    }

    fn normal(&self) -> Vector {
        let mut normal = self.interpolate(|vertex| vertex.normal);
        if !self.has(Fault::FragmentNormalNotNormalised) {
            normal = self.arithmetic().normalize(normal);
        }
        if self.has(Fault::FlatNormals) {
            let [a, b, c] = self.vertices().map(|vertex| vertex.position);
            let plane = self.arithmetic().normalize_scaled(self.arithmetic().cross(subtract(b, a), subtract(c, a)));
            normal = if self.arithmetic().dot(plane, normal) < 0.0 { scale(plane, -1.0) } else { plane };
        }
        normal = self.faced(normal);
        if self.has(Fault::NormalInViewSpace) {
            normal = self.environment.view.transform_vector3(normal.into()).to_array();
        }
        normal
    }

    /// Turned round where the back of a double-sided surface is seen.
    fn faced(&self, vector: Vector) -> Vector {
        if self.shader.material.double_sided && !self.triangle.front && !self.has(Fault::DoubleSidedNormal) {
            return vector.map(|component| -component);
        }
        vector
    }

    /// Tangent, or bitangent.
    fn frame_vector(&self, is_bitangent: bool) -> Vector {
        if !(self.draw.has_normals && self.draw.has_tangents) {
            return [0.0; 3];
        }
        let arithmetic = self.arithmetic();
        let [x, y, z, handedness] = self.interpolate(|vertex| vertex.tangent);
        let vector = match is_bitangent {
            true => scale(arithmetic.cross(self.interpolate(|vertex| vertex.normal), [x, y, z]), handedness),
            false => [x, y, z],
        };
        self.faced(arithmetic.normalize(vector))
    }

    /// What falls on the surface; 1 where the draw is not lit.
    fn light(&self) -> Vector {
        if !self.draw.has_normals {
            return [1.0; 3];
        }
        let position = self.interpolate(|vertex| vertex.position);
        let Environment { lights, faults, mode, .. } = *self.environment;
        // Views of numbers are lit without shadows.
        let shadows = self.environment.shadows.filter(|_| mode == ShadingMode::Lambert);
        lights.on((self.arithmetic(), shadows), self.normal(), position, faults)
    }

    /// The colour of the split that it is in.
    fn split_color(&self) -> Vector {
        let shadows = self.environment.shadows.filter(|_| self.draw.has_normals);
        match shadows.and_then(|shadows| shadows.number(self.interpolate(|vertex| vertex.position))) {
            Some(0) => [0.7, 0.15, 0.1],
            Some(1) => [0.15, 0.6, 0.15],
            Some(2) => [0.15, 0.25, 0.8],
            Some(3) => [0.7, 0.6, 0.1],
            Some(4) => [0.6, 0.15, 0.6],
            Some(5) => [0.1, 0.6, 0.6],
            Some(6) => [0.75, 0.35, 0.05],
            Some(_) => [0.35; 3],
            None => [0.6; 3],
        }
    }

    fn lit(&self, base: Vector) -> Vector {
        let light = self.light();
        [0, 1, 2].map(|i| base[i] * light[i])
    }

    fn emission(&self) -> Vector {
        let factor = self.shader.material.emissive_factor;
        let Some(texture) = &self.shader.emissive else { return factor };
        let texel = self.sample(texture);
        [0, 1, 2].map(|i| factor[i] * texel[i])
    }

    /// Linear RGBA, alpha not multiplied in.
    pub(super) fn shade(&self) -> [f32; 4] {
        let mut opacity = 1.0;
        let color = match self.environment.mode {
            ShadingMode::Lambert => {
                let [red, green, blue, alpha] = self.base_color();
                opacity = alpha;
                let base = [red, green, blue];
                if self.shader.material.unlit {
                    base
                } else if self.has(Fault::EmissiveLit) {
                    self.lit(add(base, self.emission()))
                } else {
                    add(self.lit(base), self.emission())
                }
            }
            ShadingMode::Lit => {
                let [red, green, blue, alpha] = self.base_color();
                opacity = alpha;
                let base = [red, green, blue];
                if self.shader.material.unlit {
                    base
                } else {
                    let emission = self.emission();
                    let tinted = self.has(Fault::EmissiveTinted);
                    let emission = if tinted { [0, 1, 2].map(|i| emission[i] * base[i]) } else { emission };
                    developed(self.environment.development, self.physical(base, emission))
                }
            }
            ShadingMode::BaseColor => {
                let [red, green, blue, _] = self.base_color();
                [red, green, blue]
            }
            ShadingMode::Metallic => [self.substance().metallic; 3],
            ShadingMode::Roughness => [self.substance().roughness; 3],
            ShadingMode::Occlusion => [self.substance().occlusion; 3],
            ShadingMode::Emissive => self.emission(),
            ShadingMode::ShadingNormals if self.draw.has_normals => shown(self.shading_normal()),
            ShadingMode::ShadingNormals => [0.5; 3],
            ShadingMode::Tangents => shown(self.frame_vector(false)),
            ShadingMode::Bitangents => shown(self.frame_vector(true)),
            ShadingMode::Unlit => {
                let [red, green, blue, alpha] = self.base_color();
                opacity = alpha;
                [red, green, blue]
            }
            ShadingMode::Normals if self.draw.has_normals => shown(self.normal()),
            ShadingMode::Normals => [0.5; 3],
            ShadingMode::Uv => {
                let [u, v] = self.interpolate_list(self.texcoords(0), [0.0; 2]);
                [u - u.floor(), v - v.floor(), 0.0]
            }
            ShadingMode::Depth => [1.0 - self.depth(); 3],
            ShadingMode::Joints if self.draw.has_joints => {
                self.interpolate_list(&self.draw.attributes.joint_colors, [0.0; 3])
            }
            ShadingMode::Joints => [0.2; 3],
            ShadingMode::Wireframe => self.with_edges(self.lit([0.6; 3])),
            ShadingMode::Splits => self.lit(self.split_color()),
        };
        let color = if self.environment.mode.color_space() == ColorSpace::Srgb {
            self.environment.faults.parametric().fold(color, |color, fault| match fault {
                ParametricFault::Exposure { factor } => scale(color, factor),
                _ => color,
            })
        } else {
            color
        };
        let color = if self.has(Fault::FogLeftOn) {
            let depth = self.depth();
            let fog = 0.5 * depth * depth;
            color.map(|channel| channel + fog * (0.5 - channel))
        } else {
            color
        };
        let color = if self.has(Fault::SrgbEncodeTwice) && self.environment.mode.color_space() == ColorSpace::Srgb {
            color.map(|channel| to_stored(channel.clamp(0.0, 1.0)))
        } else {
            color
        };
        let opacity = if self.shader.alpha_mode == AlphaMode::Blend { opacity } else { 1.0 };
        [color[0], color[1], color[2], opacity]
    }

    /// Window depth, without what is added for tests.
    fn depth(&self) -> f32 {
        Depths::new(self.triangle, self.environment.interpolation, self.environment.faults).at(self.at)
    }

    /// Lines over `fill`: full on an edge, faded to nothing one pixel beside it.
    fn with_edges(&self, fill: Vector) -> Vector {
        let [dx, dy] = self.environment.interpolation.derivatives(self.triangle, self.at);
        let mut line = 0.0f32;
        for i in 0..3 {
            let slope = (dx[i] * dx[i] + dy[i] * dy[i]).sqrt();
            if slope > 0.0 {
                line = line.max((1.0 - self.weights[i] / slope).min(1.0));
            }
        }
        fill.map(|channel| channel + line * (0.01 - channel))
    }
}

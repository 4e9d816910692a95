//! [`MaterialModel`]: glTF materials, and the debug views, over ranges.

use super::{
    boxes::ColorBoxes,
    debug_view, kept,
    light::{Direction, white_radiance},
    opaque, product,
    shadow::{Shades, ShadowBounds},
    surface::{Lit, SurfaceModel},
    texture::TextureModel,
    varyings::{Interpolated, Interpolator},
};
use crate::{Fragment, Interval};
use refrast_range::Freedoms;
use refrast_scene::{AlphaMode, Material, TextureReference};
use refrast_shading::{
    CLAY, Development, Lighting, SHOWN_TEXCOORD, SPLIT_COLORS, ShadingMode, TextureSet, UNSKINNED_COLOR, VaryingBlock,
    VaryingLayout,
};

/// What the colour of a draw depends on, besides its vertices: as [`MaterialShader`](refrast_shading::MaterialShader) takes
/// it.
#[derive(Clone, Copy)]
pub struct MaterialInputs<'a> {
    /// The material.
    pub material: &'a Material,
    /// What is in a row of varyings.
    pub layout: &'a VaryingLayout,
    /// Those of the material's scene.
    pub textures: &'a TextureSet,
    /// The light.
    pub lighting: &'a Lighting,
    /// The shadows that lights cast.
    pub shadows: Option<&'a ShadowBounds>,
    /// What is shown.
    pub mode: ShadingMode,
    /// What becomes of the light of [`ShadingMode::Lit`].
    pub development: Development,
    /// Window depths that the depth view shows white and black.
    pub depth_range: [f32; 2],
}

impl MaterialInputs<'_> {
    /// The cutoff of an alpha mask.
    pub(super) fn cutoff(&self) -> Option<f32> {
        match self.material.alpha_mode {
            AlphaMode::Mask { cutoff } => Some(cutoff),
            AlphaMode::Opaque | AlphaMode::Blend => None,
        }
    }
}

/// A material made ready.
pub(super) struct MaterialModel<'a> {
    mode: ShadingMode,
    lighting: &'a Lighting,
    shadows: Option<&'a ShadowBounds>,
    depth_range: [f64; 2],
    base_color_factor: [Interval; 4],
    emissive_factor: [Interval; 3],
    blended: bool,
    double_sided: bool,
    base_color: Option<TextureModel<'a>>,
    emissive: Option<TextureModel<'a>>,
    surface: Option<Box<SurfaceModel<'a>>>,
    normal: Option<usize>,
    position: Option<usize>,
    color: Option<usize>,
    joint_color: Option<usize>,
    shown_texcoord: Option<usize>,
    freedoms: Freedoms,
}

impl<'a> MaterialModel<'a> {
    pub(super) fn new(inputs: &MaterialInputs<'a>, freedoms: Freedoms) -> Self {
        let MaterialInputs { material, layout, textures, lighting, shadows, mode, depth_range, .. } = *inputs;
        let slot = |reference: Option<TextureReference>| {
            let reference = reference?;
            let (block, place) = layout.texcoord(reference.texcoord)?;
            let texture = textures.color(reference.texture)?;
            Some(TextureModel::new(texture, block + place, &reference.transform, &freedoms))
        };
        let emits = mode.reads(material).emission;
        let exact = |value: f32| Interval::exact(f64::from(value));
        Self {
            mode,
            lighting,
            shadows,
            depth_range: depth_range.map(f64::from),
            base_color_factor: material.base_color_factor.map(exact),
            emissive_factor: if emits { material.emissive_factor.map(exact) } else { [Interval::default(); 3] },
            blended: material.alpha_mode == AlphaMode::Blend && mode.blends(),
            double_sided: material.double_sided,
            base_color: slot(material.base_color_texture),
            emissive: slot(material.emissive_texture.filter(|_| emits)),
            surface: (mode != ShadingMode::Lit || !material.unlit)
                .then(|| Box::new(SurfaceModel::new(inputs, freedoms))),
            normal: layout.offset(VaryingBlock::Normal),
            position: layout.offset(VaryingBlock::Position),
            color: layout.offset(VaryingBlock::Color),
            joint_color: layout.offset(VaryingBlock::JointColor),
            shown_texcoord: layout.texcoord(SHOWN_TEXCOORD).map(|(block, place)| block + place),
            freedoms,
        }
    }

    /// Factor, times texture, times vertex colour.
    pub(super) fn base_color(&self, varyings: &Interpolator<'_>) -> ColorBoxes {
        let mut factor = self.base_color_factor;
        if let Some(first) = self.color {
            let color = [0, 1, 2, 3].map(|channel: usize| varyings.at_center(first + channel).interval());
            factor = product(factor, color, self.freedoms.arithmetic);
        }
        match &self.base_color {
            None => ColorBoxes::one(factor),
            Some(texture) => texture.sample(varyings).map(|texel| product(factor, texel, self.freedoms.arithmetic)),
        }
    }

    /// The colours, alpha included.
    pub(super) fn shade(&self, varyings: &Interpolator<'_>, fragment: &Fragment, cutoff: Option<f64>) -> ColorBoxes {
        let colors = match self.mode {
            ShadingMode::Lambert => {
                let base = kept(self.base_color(varyings), cutoff);
                let lit = self.lit(varyings, fragment, &base, &self.shades(varyings));
                self.with_emission(varyings, lit, Interval::exact(1.0))
            }
            ShadingMode::Lit => {
                let base = kept(self.base_color(varyings), cutoff);
                match &self.surface {
                    None => base,
                    Some(surface) => {
                        let shades = self.shades(varyings);
                        let Lit { colors, beneath } = surface.lit(varyings, fragment, (self.lighting, &shades), &base);
                        surface.developed(self.with_emission(varyings, colors, beneath))
                    }
                }
            }
            ShadingMode::Unlit | ShadingMode::BaseColor => kept(self.base_color(varyings), cutoff),
            ShadingMode::Emissive => self.with_emission(varyings, grey(Interval::exact(0.0)), Interval::exact(1.0)),
            ShadingMode::ShadingNormals
            | ShadingMode::Tangents
            | ShadingMode::Bitangents
            | ShadingMode::Metallic
            | ShadingMode::Roughness
            | ShadingMode::Occlusion => match &self.surface {
                Some(surface) => surface.shown(varyings, fragment, self.mode),
                None => grey(Interval::exact(0.5)),
            },
            ShadingMode::Normals => self.normals(varyings, fragment),
            ShadingMode::Uv => match self.shown_texcoord {
                Some(first) => {
                    debug_view::texcoord([varyings.at_center(first), varyings.at_center(first + 1)], &self.freedoms)
                }
                None => grey(Interval::exact(0.0)),
            },
            ShadingMode::Depth => grey(debug_view::depth(fragment.depth, self.depth_range, &self.freedoms)),
            ShadingMode::Joints => match self.joint_color {
                Some(first) => ColorBoxes::one(with_alpha(varyings.vector(first).map(Interpolated::interval))),
                None => grey(Interval::exact(f64::from(UNSKINNED_COLOR[0]))),
            },
            ShadingMode::Splits => self.lit(varyings, fragment, &self.split_colors(varyings), &Shades::none()),
            ShadingMode::Wireframe => {
                let clay = grey(Interval::exact(f64::from(CLAY[0])));
                let line = debug_view::edges(fragment, &self.freedoms);
                self.lit(varyings, fragment, &clay, &Shades::none())
                    .map(|fill| debug_view::with_lines(fill, line, self.freedoms.arithmetic))
            }
        };
        if self.blended { colors } else { colors.map(opaque) }
    }

    /// The directions that the shading normal may have: two where the side that is seen is not known.
    fn directions(&self, varyings: &Interpolator<'_>, fragment: &Fragment, first: usize) -> [Option<Direction>; 2] {
        let outside = Direction::of(varyings.vector(first));
        match (self.double_sided, fragment.front) {
            (false, _) | (true, Some(true)) => [Some(outside), None],
            (true, Some(false)) => [Some(outside.reversed()), None],
            (true, None) => [Some(outside), Some(outside.reversed())],
        }
    }

    /// What shadows may leave of each light.
    fn shades(&self, varyings: &Interpolator<'_>) -> Shades {
        match (self.shadows, self.position, self.normal) {
            (Some(shadows), Some(first), Some(_)) => {
                let position = varyings.ranged(first, &self.freedoms);
                shadows.shades(self.lighting.lights.len(), position, &self.freedoms)
            }
            _ => Shades::none(),
        }
    }

    /// The colours of the splits that the fragment may be in.
    fn split_colors(&self, varyings: &Interpolator<'_>) -> ColorBoxes {
        let color = |split: Option<&[f32; 3]>| {
            with_alpha(split.unwrap_or(&CLAY).map(|channel| Interval::exact(f64::from(channel))))
        };
        let (Some(shadows), Some(first)) = (self.shadows, self.position) else { return ColorBoxes::one(color(None)) };
        let count = shadows.plan.splits.len();
        let mut boxes = ColorBoxes::default();
        for split in shadows.splits(varyings.ranged(first, &self.freedoms)) {
            boxes.push(color(SPLIT_COLORS.get(split).filter(|_| split < count)));
        }
        boxes
    }

    /// What the lights make of `base`.
    fn lit(&self, varyings: &Interpolator<'_>, fragment: &Fragment, base: &ColorBoxes, shades: &Shades) -> ColorBoxes {
        match self.normal {
            None => *base,
            Some(first) => {
                let position = match self.position {
                    Some(first) => varyings.vector(first),
                    None => [Interpolated::default(); 3],
                };
                let mut lit = ColorBoxes::default();
                shades.mark(&mut lit);
                for normal in self.directions(varyings, fragment, first).iter().flatten() {
                    for parts in &shades.choices {
                        let [red, green, blue] = white_radiance(self.lighting, normal, position, parts, &self.freedoms);
                        let light = [red, green, blue, Interval::exact(1.0)];
                        lit.join(base, |base| product(base, light, self.freedoms.arithmetic));
                    }
                }
                lit
            }
        }
    }

    /// Emission on top, as far as it is let through.
    fn with_emission(&self, varyings: &Interpolator<'_>, lit: ColorBoxes, beneath: Interval) -> ColorBoxes {
        if self.emissive_factor.iter().all(|factor| factor.magnitude() == 0.0) {
            return lit;
        }
        let [red, green, blue] = self.emissive_factor;
        let factor = [red, green, blue, Interval::default()];
        // The factor may be a product already, with the strength of the emission, which is rounded once without a texture too.
        let rounding = 2.0 * self.freedoms.arithmetic;
        let emission = match &self.emissive {
            None => ColorBoxes::one(factor.map(|factor| factor.rounded(self.freedoms.arithmetic))),
            Some(texture) => texture.sample(varyings).map(|texel| product(factor, texel, rounding)),
        };
        lit.combined(&emission, |lit, emission| {
            [0, 1, 2, 3].map(|channel: usize| {
                let emission = match beneath == Interval::exact(1.0) {
                    true => emission[channel],
                    false => (emission[channel] * beneath).rounded(self.freedoms.arithmetic),
                };
                let lit = lit[channel];
                (lit + emission).widened((lit.magnitude() + emission.magnitude()) * rounding)
            })
        })
    }

    /// N·½ + ½.
    fn normals(&self, varyings: &Interpolator<'_>, fragment: &Fragment) -> ColorBoxes {
        let Some(first) = self.normal else { return grey(Interval::exact(0.5)) };
        let mut boxes = ColorBoxes::default();
        for normal in self.directions(varyings, fragment, first).iter().flatten() {
            let components = [0, 1, 2].map(|axis: usize| {
                let component = normal.component(axis, &self.freedoms);
                Interval { low: 0.5 * component.low + 0.5, high: 0.5 * component.high + 0.5 }
                    .widened(self.freedoms.arithmetic)
            });
            boxes.push(with_alpha(components));
        }
        boxes
    }
}

pub(super) fn with_alpha([red, green, blue]: [Interval; 3]) -> [Interval; 4] {
    [red, green, blue, Interval::exact(1.0)]
}

pub(super) fn grey(level: Interval) -> ColorBoxes {
    ColorBoxes::one(with_alpha([level; 3]))
}

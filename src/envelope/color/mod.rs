//! [`ColorModel`]: the colours that a fragment may have.
//!
//! Why it exists: the [shading model](refrast_shading) says which colour the reference gives a fragment. Here the same model
//! is evaluated over ranges: of weights, attributes, coordinates, levels and roundings. Each file derives the bounds of one
//! step, and nothing is shared with the f32 kernels whose results must lie inside.
//!
//! Roundings are counted as in N. Higham's standard model: a number that went through k operations of relative error u is off
//! by at most about k·u of the sum of the magnitudes that it was added up from, in any order and with or without fused
//! operations. Counts are rounded up generously: an ALU's 2⁻²⁴ is lost against an output step of 2⁻⁸.

mod boxes;
mod combiners;
mod debug_view;
mod filter;
mod jpeg;
mod light;
mod material;
mod mips;
mod scale;
mod shadow;
mod surface;
mod texture;
mod varyings;

#[cfg(test)]
mod tests;

pub use boxes::{ColorBoxes, MOST_BOXES};
pub use material::MaterialInputs;
pub use shadow::ShadowBounds;
pub use varyings::{Varying, VertexVaryings};

use self::{combiners::CombinerModel, material::MaterialModel, texture::TextureModel, varyings::Interpolator};
use super::{Fragment, Interval};
use refrast_range::Freedoms;
use refrast_scene::TextureTransform;
use refrast_shading::FixedFunctionShader;

/// What gives the fragments of one draw their colour, under one profile.
pub struct ColorModel<'a> {
    stage: Stage<'a>,
    freedoms: Freedoms,
    /// Alpha below which a fragment is dropped.
    cutoff: Option<f64>,
}

enum Stage<'a> {
    Material(Box<MaterialModel<'a>>),
    FixedFunction(Box<FixedFunctionModel<'a>>),
}

struct FixedFunctionModel<'a> {
    color: usize,
    texture: Option<TextureModel<'a>>,
    combiners: Option<CombinerModel<'a>>,
    blended: bool,
}

impl<'a> ColorModel<'a> {
    /// A draw with a material.
    #[must_use]
    pub fn material(inputs: &MaterialInputs<'a>, freedoms: Freedoms) -> Self {
        let cutoff = inputs.cutoff().map(f64::from);
        Self { stage: Stage::Material(Box::new(MaterialModel::new(inputs, freedoms))), freedoms, cutoff }
    }

    /// A draw behind a vertex program; `cutoff` is that of its alpha mask.
    #[must_use]
    pub fn fixed_function(shader: &FixedFunctionShader<'a>, cutoff: Option<f32>, freedoms: Freedoms) -> Self {
        let texture = shader
            .texture
            .map(|(texture, place)| TextureModel::new(texture, place, &TextureTransform::default(), &freedoms));
        let combiners = shader.dot3.map(|dot3| CombinerModel::new(dot3, &freedoms));
        let stage = FixedFunctionModel { color: shader.color, texture, combiners, blended: shader.blended };
        Self { stage: Stage::FixedFunction(Box::new(stage)), freedoms, cutoff: cutoff.map(f64::from) }
    }

    /// The linear RGBA that a fragment of the draw may have; `varyings` are the draw's.
    ///
    /// Where the colour itself is cut by an alpha mask, choices that are surely dropped are left out: no box at all where
    /// all are.
    #[must_use]
    pub fn color_boxes(&self, varyings: &VertexVaryings, fragment: &Fragment) -> ColorBoxes {
        let interpolator = Interpolator::new(varyings, fragment, &self.freedoms);
        let boxes = match &self.stage {
            Stage::Material(material) => material.shade(&interpolator, fragment, self.cutoff),
            Stage::FixedFunction(stage) => {
                let product = kept(self.base(&interpolator), self.cutoff);
                let lit = match &stage.combiners {
                    Some(combiners) => combiners.lit((&interpolator, stage.color), &product, &self.freedoms),
                    None => product,
                };
                if stage.blended { lit } else { lit.map(opaque) }
            }
        };
        boxes.map(sane)
    }

    /// The alpha that is compared with the cutoff of an alpha mask.
    #[must_use]
    pub fn alpha_interval(&self, varyings: &VertexVaryings, fragment: &Fragment) -> Interval {
        let base = self.base(&Interpolator::new(varyings, fragment, &self.freedoms));
        base.map(sane).channel(3).unwrap_or(Interval { low: f64::NEG_INFINITY, high: f64::INFINITY })
    }

    fn base(&self, interpolator: &Interpolator<'_>) -> ColorBoxes {
        match &self.stage {
            Stage::Material(material) => material.base_color(interpolator),
            Stage::FixedFunction(stage) => {
                let primary = stage.primary(interpolator);
                match &stage.texture {
                    None => ColorBoxes::one(primary),
                    Some(texture) => {
                        let rounding = self.freedoms.arithmetic;
                        texture.sample(interpolator).map(|texel| product(primary, texel, rounding))
                    }
                }
            }
        }
    }
}

impl FixedFunctionModel<'_> {
    /// What texels are multiplied by: COL0, of which combiners that light leave alpha.
    fn primary(&self, interpolator: &Interpolator<'_>) -> [Interval; 4] {
        [0, 1, 2, 3].map(|channel: usize| match &self.combiners {
            Some(_) if channel < 3 => Interval::exact(1.0),
            _ => interpolator.at_center(self.color + channel).interval(),
        })
    }
}

/// The boxes that an alpha mask does not surely drop.
#[inline(always)]
fn kept(boxes: ColorBoxes, cutoff: Option<f64>) -> ColorBoxes {
    match cutoff {
        None => boxes,
        Some(cutoff) => boxes.filtered(|channels| channels[3].high >= cutoff || channels[3].high.is_nan()),
    }
}

/// Component by component, rounded.
fn product(a: [Interval; 4], b: [Interval; 4], rounding: f64) -> [Interval; 4] {
    [0, 1, 2, 3].map(|channel: usize| (a[channel] * b[channel]).rounded(rounding))
}

/// Alpha 1.
fn opaque([red, green, blue, _]: [Interval; 4]) -> [Interval; 4] {
    [red, green, blue, Interval::exact(1.0)]
}

/// Nothing is claimed where a bound is not a number.
fn sane(channels: [Interval; 4]) -> [Interval; 4] {
    channels.map(|channel| {
        if channel.low <= channel.high { channel } else { Interval { low: f64::NEG_INFINITY, high: f64::INFINITY } }
    })
}

//! [`MaterialShader`]: glTF materials, and the debug views, as a fragment shader.

use fearless_simd::{Simd, f32x8, prelude::*};

use super::{
    debug_view::{CLAY, UNSKINNED_COLOR, split_color, with_edges},
    lane::Lane,
    light::Lighting,
    mode::ShadingMode,
    shadow::ShadowMaps,
    surface::SurfaceMaps,
    texture::TextureSet,
    texture_slot::TextureSlot,
    tone::Development,
    varyings::{SHOWN_TEXCOORD, VaryingBlock, VaryingLayout},
    vector::{Vector, add, multiply, normalize, splat},
};
use refrast_draw::{FragmentBatch, FragmentShader, block_shader};
use refrast_range::each;
use refrast_scene::{AlphaMode, Material};

/// Shades the fragments of one draw; the formulas stand in the [shading model](super).
pub struct MaterialShader<'a> {
    mode: ShadingMode,
    lighting: &'a Lighting,
    shadows: Option<&'a ShadowMaps>,
    /// Window depths that the depth view shows white and black.
    depth_range: [f32; 2],
    base_color_factor: [f32; 4],
    emissive_factor: [f32; 3],
    blended: bool,
    double_sided: bool,
    base_color: Option<TextureSlot<'a>>,
    emissive: Option<TextureSlot<'a>>,
    /// What only some modes read.
    surface: Option<Box<SurfaceMaps<'a>>>,
    development: Development,
    normal: Option<usize>,
    position: Option<usize>,
    color: Option<usize>,
    joint_color: Option<usize>,
    shown_texcoord: Option<usize>,
}

impl<'a> MaterialShader<'a> {
    /// For a draw with this material whose rows of varyings are laid out by `layout`, which must be made for the same
    /// material, mode and lighting.
    ///
    /// `textures` must be those of the material's scene. `depth_range` holds the window depths that
    /// [`ShadingMode::Depth`] shows white and black; `[0.0, 1.0]` shows all of them. The result shows the light as it is;
    /// [`developed`](Self::developed) changes that.
    #[must_use]
    pub fn new(
        material: &Material,
        layout: &VaryingLayout,
        textures: &'a TextureSet,
        lighting: &'a Lighting,
        mode: ShadingMode,
        depth_range: [f32; 2],
    ) -> Self {
        let slot =
            |reference: Option<_>| reference.and_then(|reference| TextureSlot::new(&reference, layout, textures));
        let reads = mode.reads(material);
        let emits = reads.emission;
        let surface = match mode {
            ShadingMode::Lit => !material.unlit,
            ShadingMode::ShadingNormals | ShadingMode::Tangents | ShadingMode::Bitangents => true,
            _ => reads.measures,
        };
        Self {
            mode,
            lighting,
            shadows: None,
            depth_range,
            base_color_factor: material.base_color_factor,
            emissive_factor: if emits { material.emissive_factor } else { [0.0; 3] },
            blended: material.alpha_mode == AlphaMode::Blend && mode.blends(),
            double_sided: material.double_sided,
            base_color: slot(material.base_color_texture),
            emissive: slot(material.emissive_texture.filter(|_| emits)),
            surface: surface.then(|| Box::new(SurfaceMaps::new(material, layout, textures))),
            development: Development::default(),
            normal: layout.offset(VaryingBlock::Normal),
            position: layout.offset(VaryingBlock::Position),
            color: layout.offset(VaryingBlock::Color),
            joint_color: layout.offset(VaryingBlock::JointColor),
            shown_texcoord: layout.texcoord(SHOWN_TEXCOORD).map(|(block, place)| block + place),
        }
    }

    /// The same, with the light of [`ShadingMode::Lit`] exposed and toned.
    #[must_use]
    pub fn developed(self, development: Development) -> Self {
        Self { development, ..self }
    }

    /// The same, with the shadows that lights cast; `layout` must have been made for a lighting that is
    /// [`shadowed`](Lighting::shadowed).
    #[must_use]
    pub fn shadowed(self, shadows: Option<&'a ShadowMaps>) -> Self {
        Self { shadows, ..self }
    }

    /// Factor, times texture, times vertex colour.
    #[inline(always)]
    fn base_color<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let simd = batch.simd;
        let [red, green, blue, alpha] = self.base_color_factor;
        let mut product =
            [f32x8::splat(simd, red), f32x8::splat(simd, green), f32x8::splat(simd, blue), f32x8::splat(simd, alpha)];
        if let Some(slot) = &self.base_color {
            multiply_by(&mut product, slot.sample(batch));
        }
        if let Some(offset) = self.color {
            multiply_by(&mut product, batch.interpolate(offset));
        }
        product
    }

    /// Unit world-space normal on the side that is seen; zeros where the draw has none.
    #[inline(always)]
    fn normal<S: Simd>(&self, batch: &FragmentBatch<'_, S>, offset: usize) -> Vector<S> {
        let [x, y, z, _] = batch.interpolate(offset);
        let [x, y, z] = normalize([x, y, z]);
        if !self.double_sided {
            return [x, y, z];
        }
        [batch.front.select(x, -x), batch.front.select(y, -y), batch.front.select(z, -z)]
    }

    /// What the lights make of `base`; `base` itself where the draw is not lit.
    #[inline(always)]
    fn lit<S: Simd>(&self, batch: &FragmentBatch<'_, S>, base: Vector<S>, shadows: Option<&ShadowMaps>) -> Vector<S> {
        let Some(offset) = self.normal else { return base };
        let (normal, position) = (self.normal(batch, offset), self.position(batch));
        let light = match shadows {
            None => self.lighting.white_radiance(normal, position),
            Some(shadows) => self.lighting.shadowed_radiance(shadows, normal, position),
        };
        multiply(base, light)
    }

    /// The place in the world, where something asks for it.
    #[inline(always)]
    fn position<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Vector<S> {
        match self.position {
            Some(offset) => {
                let [x, y, z, _] = batch.interpolate(offset);
                [x, y, z]
            }
            None => splat(batch.simd, [0.0; 3]),
        }
    }

    /// The colour of the split that fragments belong to.
    #[inline(always)]
    fn split_color<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Vector<S> {
        match self.shadows {
            Some(shadows) if self.position.is_some() => {
                let split = shadows.split(batch.simd, self.position(batch));
                split_color(split, shadows.plan.splits.len())
            }
            _ => splat(batch.simd, CLAY),
        }
    }

    /// Light and emission as the file asks for, developed.
    #[inline(always)]
    fn physical<S: Simd>(&self, batch: &FragmentBatch<'_, S>, surface: &SurfaceMaps<'_>, base: Vector<S>) -> Vector<S> {
        let color = surface.lit(batch, (self.lighting, self.shadows), (base, self.emission(batch)));
        let [red, green, blue] = self.development.developed(each(color, Lane));
        [red.0, green.0, blue.0]
    }

    #[inline(always)]
    fn emission<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Vector<S> {
        let factor = splat(batch.simd, self.emissive_factor);
        match &self.emissive {
            Some(slot) => {
                let [red, green, blue, _] = slot.sample(batch);
                multiply(factor, [red, green, blue])
            }
            None => factor,
        }
    }
}

#[inline(always)]
fn multiply_by<S: Simd>(product: &mut [f32x8<S>; 4], factor: [f32x8<S>; 4]) {
    for (component, factor) in product.iter_mut().zip(factor) {
        *component *= factor;
    }
}

block_shader!(MaterialShader<'_>);

impl FragmentShader for MaterialShader<'_> {
    fn derives(&self) -> bool {
        let is_plain = matches!(self.mode, ShadingMode::Unlit | ShadingMode::Lambert | ShadingMode::Normals);
        let samples = self.base_color.is_some() || self.emissive.is_some() || self.surface.is_some();
        !is_plain || samples
    }

    #[inline(always)]
    fn shade<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [f32x8<S>; 4] {
        let simd = batch.simd;
        let one = f32x8::splat(simd, 1.0);
        let half = f32x8::splat(simd, 0.5);
        let zero = f32x8::splat(simd, 0.0);
        let mut opacity = one;
        let [red, green, blue] = match self.mode {
            ShadingMode::Lambert => {
                let [red, green, blue, alpha] = self.base_color(batch);
                opacity = alpha;
                add(self.lit(batch, [red, green, blue], self.shadows), self.emission(batch))
            }
            ShadingMode::Lit => {
                let [red, green, blue, alpha] = self.base_color(batch);
                opacity = alpha;
                let base = [red, green, blue];
                match &self.surface {
                    Some(surface) => self.physical(batch, surface, base),
                    None => base,
                }
            }
            ShadingMode::BaseColor => {
                let [red, green, blue, _] = self.base_color(batch);
                [red, green, blue]
            }
            ShadingMode::Emissive => self.emission(batch),
            ShadingMode::ShadingNormals
            | ShadingMode::Tangents
            | ShadingMode::Bitangents
            | ShadingMode::Metallic
            | ShadingMode::Roughness
            | ShadingMode::Occlusion => match &self.surface {
                Some(surface) => surface.shown(batch, self.mode),
                None => [half; 3],
            },
            ShadingMode::Unlit => {
                let [red, green, blue, alpha] = self.base_color(batch);
                opacity = alpha;
                [red, green, blue]
            }
            ShadingMode::Normals => match self.normal {
                Some(offset) => {
                    let [x, y, z] = self.normal(batch, offset);
                    [x * half + half, y * half + half, z * half + half]
                }
                None => [half; 3],
            },
            ShadingMode::Uv => match self.shown_texcoord {
                Some(offset) => {
                    let [u, v, _, _] = batch.interpolate(offset);
                    [u - u.floor(), v - v.floor(), zero]
                }
                None => [zero; 3],
            },
            ShadingMode::Depth => {
                let [white, black] = self.depth_range;
                [(f32x8::splat(simd, black) - batch.depth) / (black - white); 3]
            }
            ShadingMode::Joints => match self.joint_color {
                Some(offset) => {
                    let [red, green, blue, _] = batch.interpolate(offset);
                    [red, green, blue]
                }
                None => splat(simd, UNSKINNED_COLOR),
            },
            ShadingMode::Wireframe => with_edges(batch, self.lit(batch, splat(simd, CLAY), None)),
            ShadingMode::Splits => self.lit(batch, self.split_color(batch), None),
        };
        [red, green, blue, if self.blended { opacity } else { one }]
    }

    #[inline(always)]
    fn alpha<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> f32x8<S> {
        let [_, _, _, alpha] = self.base_color(batch);
        alpha
    }
}

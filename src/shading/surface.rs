//! [`SurfaceMaps`]: the textures of a material, read for eight fragments at a time.

use fearless_simd::{Simd, f32x8, prelude::*};
use fearless_simd_macros::simd;

use super::{
    lane::Lane,
    light::Lighting,
    mode::ShadingMode,
    reflection::{Coat, Grain, MapReading, Sheen, Surface, grain_directions, mapped_normal, reflected},
    shadow::ShadowMaps,
    texture::TextureSet,
    texture_slot::TextureSlot,
    varyings::{VaryingBlock, VaryingLayout},
    vector::{Vector, add},
};
use refrast_draw::FragmentBatch;
use refrast_range::{Diffuse, Number, each, scaled};
use refrast_scene::Material;

/// What a material says of its surface, besides base colour and emission.
pub(super) struct SurfaceMaps<'a> {
    metallic_factor: f32,
    roughness_factor: f32,
    metallic_roughness: Option<TextureSlot<'a>>,
    normal_map: Option<(TextureSlot<'a>, f32)>,
    occlusion: Option<(TextureSlot<'a>, f32)>,
    /// Where the vertices' own lies in a row.
    vertex_occlusion: Option<usize>,
    /// Whether occlusion and metal-roughness are one texture read at one place.
    packed: bool,
    reflectance: [f32; 3],
    specular_factor: f32,
    specular: Option<TextureSlot<'a>>,
    specular_color: Option<TextureSlot<'a>>,
    grain: Option<GrainMaps<'a>>,
    sheen: Option<SheenMaps<'a>>,
    coat: Option<CoatMaps<'a>>,
    normal: Option<usize>,
    tangent: Option<usize>,
    position: Option<usize>,
    double_sided: bool,
}

/// Which way it says that the surface is brushed.
struct GrainMaps<'a> {
    strength: f32,
    /// Cosine and sine.
    turn: [f32; 2],
    texture: Option<TextureSlot<'a>>,
}

/// What it says of fibres that stand on it.
struct SheenMaps<'a> {
    color: ([f32; 3], Option<TextureSlot<'a>>),
    roughness: (f32, Option<TextureSlot<'a>>),
}

/// What it says of a clear coat.
struct CoatMaps<'a> {
    strength: (f32, Option<TextureSlot<'a>>),
    roughness: (f32, Option<TextureSlot<'a>>),
    normal_map: Option<(TextureSlot<'a>, f32)>,
}

/// The tangent frame of a fragment.
pub(super) struct Frame<S: Simd> {
    /// Unit length.
    pub(super) tangent: [Lane<S>; 3],
    /// Unit length.
    pub(super) bitangent: [Lane<S>; 3],
}

impl<'a> SurfaceMaps<'a> {
    pub(super) fn new(material: &Material, layout: &VaryingLayout, textures: &'a TextureSet) -> Self {
        let data = |reference: Option<_>| reference.and_then(|one| TextureSlot::of_data(&one, layout, textures));
        let color = |reference: Option<_>| reference.and_then(|one| TextureSlot::new(&one, layout, textures));
        let same = material.occlusion_texture == material.metallic_roughness_texture;
        Self {
            metallic_factor: material.metallic_factor,
            roughness_factor: material.roughness_factor,
            metallic_roughness: data(material.metallic_roughness_texture),
            normal_map: data(material.normal_texture).map(|slot| (slot, material.normal_scale)),
            occlusion: data(material.occlusion_texture).map(|slot| (slot, material.occlusion_strength)),
            vertex_occlusion: layout.offset(VaryingBlock::Occlusion),
            packed: same,
            reflectance: material.reflectance(),
            specular_factor: material.specular_factor,
            specular: data(material.specular_texture),
            specular_color: color(material.specular_color_texture),
            grain: material.anisotropy.map(|anisotropy| GrainMaps {
                strength: anisotropy.strength,
                turn: anisotropy.turn(),
                texture: data(anisotropy.texture),
            }),
            sheen: material.sheen.map(|sheen| SheenMaps {
                color: (sheen.color_factor, color(sheen.color_texture)),
                roughness: (sheen.roughness_factor, data(sheen.roughness_texture)),
            }),
            coat: material.clearcoat.map(|coat| CoatMaps {
                strength: (coat.factor, data(coat.texture)),
                roughness: (coat.roughness_factor, data(coat.roughness_texture)),
                normal_map: data(coat.normal_texture).map(|slot| (slot, coat.normal_scale)),
            }),
            normal: layout.offset(VaryingBlock::Normal),
            tangent: layout.offset(VaryingBlock::Tangent),
            position: layout.offset(VaryingBlock::Position),
            double_sided: material.double_sided,
        }
    }

    /// Metal, roughness and occlusion.
    #[inline(always)]
    pub(super) fn measures<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> [Lane<S>; 3] {
        let one = Lane::splat(batch.simd, 1.0);
        let (mut metallic, mut roughness) = (one.constant(self.metallic_factor), one.constant(self.roughness_factor));
        let mut red = None;
        if let Some(slot) = &self.metallic_roughness {
            let [first, green, blue, _] = slot.sample(batch);
            metallic = metallic * Lane(blue);
            roughness = roughness * Lane(green);
            red = Some(Lane(first)).filter(|_| self.packed);
        }
        let occlusion = match &self.occlusion {
            None => one,
            Some((slot, strength)) => {
                let red = red.unwrap_or_else(|| Lane(slot.sample(batch)[0]));
                one + one.constant(*strength) * (red - one)
            }
        };
        let occlusion = match self.vertex_occlusion {
            None => occlusion,
            Some(offset) => occlusion * Lane(batch.interpolate(offset)[0]),
        };
        [metallic, roughness, occlusion]
    }

    /// Reflectance of the dielectric, and how strong its reflection is.
    #[inline(always)]
    fn dielectric<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> ([Lane<S>; 3], Lane<S>) {
        let one = Lane::splat(batch.simd, 1.0);
        let mut reflectance = each(self.reflectance, |reflectance| one.constant(reflectance));
        if let Some(slot) = &self.specular_color {
            let [red, green, blue, _] = slot.sample(batch);
            reflectance = [reflectance[0] * Lane(red), reflectance[1] * Lane(green), reflectance[2] * Lane(blue)];
        }
        let mut specular = one.constant(self.specular_factor);
        if let Some(slot) = &self.specular {
            specular = specular * Lane(slot.sample(batch)[3]);
        }
        (each(reflectance, |reflectance| reflectance.at_most(1.0)), specular)
    }

    #[inline(always)]
    fn vector<S: Simd>(batch: &FragmentBatch<'_, S>, offset: usize) -> [Lane<S>; 3] {
        let [x, y, z, _] = batch.interpolate(offset);
        [Lane(x), Lane(y), Lane(z)]
    }

    /// Turned round on back faces of double-sided materials.
    #[inline(always)]
    fn faced<S: Simd>(&self, batch: &FragmentBatch<'_, S>, vector: [Lane<S>; 3]) -> [Lane<S>; 3] {
        if !self.double_sided {
            return vector;
        }
        let [Lane(x), Lane(y), Lane(z)] = vector;
        [Lane(batch.front.select(x, -x)), Lane(batch.front.select(y, -y)), Lane(batch.front.select(z, -z))]
    }

    /// The shading normal; `None` where the draw has no normals.
    #[inline(always)]
    pub(super) fn shading_normal<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Option<[Lane<S>; 3]> {
        self.normal_of(batch, self.normal_map.as_ref())
    }

    /// The normal of the surface or of its coat, by its map.
    #[inline(always)]
    fn normal_of<S: Simd>(
        &self,
        batch: &FragmentBatch<'_, S>,
        map: Option<&(TextureSlot<'a>, f32)>,
    ) -> Option<[Lane<S>; 3]> {
        let normal = Self::vector(batch, self.normal?);
        let own = match (map, self.tangent) {
            (Some((slot, scale)), Some(offset)) => {
                let [x, y, z, w] = batch.interpolate(offset);
                let [red, green, blue, _] = slot.sample(batch);
                let tangent = [Lane(x), Lane(y), Lane(z), Lane(w)];
                mapped_normal(normal, tangent, [Lane(red), Lane(green), Lane(blue)], (*scale, MapReading::default()))
            }
            _ => Number::normalized(normal),
        };
        Some(self.faced(batch, own))
    }

    /// Which way the surface is brushed; `None` where it is not, or where the draw has no tangents.
    #[inline(always)]
    fn grain<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Option<Grain<Lane<S>>> {
        let maps = self.grain.as_ref()?;
        let [x, y, z, w] = batch.interpolate(self.tangent?);
        let normal = Self::vector(batch, self.normal?);
        let mut strength = Lane::splat(batch.simd, maps.strength);
        let texel = maps.texture.as_ref().map(|slot| {
            let [red, green, blue, _] = slot.sample(batch);
            strength = strength * Lane(blue);
            [Lane(red), Lane(green)]
        });
        let [along, across] = grain_directions(normal, [Lane(x), Lane(y), Lane(z), Lane(w)], texel, maps.turn);
        Some(Grain { strength, along, across })
    }

    /// The fibres that stand on it; `None` where there are none.
    #[inline(always)]
    fn sheen<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Option<Sheen<Lane<S>>> {
        let maps = self.sheen.as_ref()?;
        let one = Lane::splat(batch.simd, 1.0);
        let mut color = each(maps.color.0, |factor| one.constant(factor));
        if let Some(slot) = &maps.color.1 {
            let [red, green, blue, _] = slot.sample(batch);
            color = [color[0] * Lane(red), color[1] * Lane(green), color[2] * Lane(blue)];
        }
        let mut roughness = one.constant(maps.roughness.0);
        if let Some(slot) = &maps.roughness.1 {
            roughness = roughness * Lane(slot.sample(batch)[3]);
        }
        Some(Sheen { color, roughness })
    }

    /// The clear coat; `None` where there is none.
    #[inline(always)]
    fn coat<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Option<Coat<Lane<S>>> {
        let maps = self.coat.as_ref()?;
        let normal = self.normal_of(batch, maps.normal_map.as_ref())?;
        let one = Lane::splat(batch.simd, 1.0);
        let (mut strength, mut roughness) = (one.constant(maps.strength.0), one.constant(maps.roughness.0));
        if let Some(slot) = &maps.strength.1 {
            strength = strength * Lane(slot.sample(batch)[0]);
        }
        if let Some(slot) = &maps.roughness.1 {
            roughness = roughness * Lane(slot.sample(batch)[1]);
        }
        Some(Coat { strength, roughness, normal })
    }

    /// Tangent and bitangent; `None` where the draw has none.
    #[inline(always)]
    pub(super) fn frame<S: Simd>(&self, batch: &FragmentBatch<'_, S>) -> Option<Frame<S>> {
        let normal = Self::vector(batch, self.normal?);
        let [x, y, z, w] = batch.interpolate(self.tangent?);
        let tangent = [Lane(x), Lane(y), Lane(z)];
        let bitangent = scaled(refrast_range::cross(normal, tangent), Lane(w));
        Some(Frame {
            tangent: self.faced(batch, Number::normalized(tangent)),
            bitangent: self.faced(batch, Number::normalized(bitangent)),
        })
    }

    /// What the debug views of the surface show; they are not hot, and compiled once.
    #[inline(always)]
    pub(super) fn shown<S: Simd>(&self, batch: &FragmentBatch<'_, S>, mode: ShadingMode) -> Vector<S> {
        shown(batch.simd, self, batch, mode)
    }

    /// base · scale + offset for all light, and emission; `base` itself in place of the first where the draw has no normals.
    #[inline(always)]
    pub(super) fn lit<S: Simd>(
        &self,
        batch: &FragmentBatch<'_, S>,
        light: (&Lighting, Option<&ShadowMaps>),
        (base, emission): (Vector<S>, Vector<S>),
    ) -> Vector<S> {
        lit(batch.simd, self, batch, light, (base, emission))
    }
}

#[simd]
fn shown<S: Simd>(simd: S, maps: &SurfaceMaps<'_>, batch: &FragmentBatch<'_, S>, mode: ShadingMode) -> [f32x8<S>; 3] {
    let half = Lane::splat(simd, 0.5);
    let [metallic, roughness, occlusion] = maps.measures(batch);
    let direction = match mode {
        ShadingMode::Metallic => return [metallic.0; 3],
        ShadingMode::Roughness => return [roughness.0; 3],
        ShadingMode::Occlusion => return [occlusion.0; 3],
        ShadingMode::ShadingNormals => maps.shading_normal(batch),
        ShadingMode::Tangents => maps.frame(batch).map(|frame| frame.tangent),
        ShadingMode::Bitangents => maps.frame(batch).map(|frame| frame.bitangent),
        _ => None,
    };
    match direction {
        Some([x, y, z]) => [(x * half + half).0, (y * half + half).0, (z * half + half).0],
        None => [half.0; 3],
    }
}

/// Compiled once a level, beside the other modes and not inside them.
#[simd]
fn lit<S: Simd>(
    simd: S,
    maps: &SurfaceMaps<'_>,
    batch: &FragmentBatch<'_, S>,
    (lighting, shadows): (&Lighting, Option<&ShadowMaps>),
    (base, emission): ([f32x8<S>; 3], [f32x8<S>; 3]),
) -> [f32x8<S>; 3] {
    let Some(normal) = maps.shading_normal(batch) else { return add(base, emission) };
    let zero = Lane::splat(simd, 0.0);
    let position = match maps.position {
        Some(offset) => SurfaceMaps::vector(batch, offset),
        None => [zero; 3],
    };
    let [metallic, roughness, occlusion] = maps.measures(batch);
    let (reflectance, specular) = maps.dielectric(batch);
    let (grain, sheen, coat) = (maps.grain(batch), maps.sheen(batch), maps.coat(batch));
    let surface = Surface {
        position,
        normal,
        metallic,
        roughness,
        occlusion,
        reflectance,
        specular,
        diffuse: Diffuse::Beneath,
        grain,
        sheen,
        coat,
    };
    let unshadowed = |number: usize| {
        let visibility = shadows?.visibility(simd, number, each(position, |Lane(own)| own))?;
        Some(Lane(visibility))
    };
    let light = reflected(lighting, &surface, unshadowed);
    let channel = |i: usize| (Lane(base[i]) * light.scale[i] + light.offset[i]).0;
    let emission = match light.beneath {
        None => emission,
        Some(Lane(beneath)) => emission.map(|channel| channel * beneath),
    };
    add([channel(0), channel(1), channel(2)], emission)
}

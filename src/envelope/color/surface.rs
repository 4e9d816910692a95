//! [`SurfaceModel`]: the material of glTF 2.0 over ranges.
//!
//! Why it exists: nothing of the material is derived here a second time. Its formulas are those of the shading room, read
//! as [`Ranged`]: two inputs are the weights of the triangle's vertices, on which normal, tangent and position hang
//! together; three are the texel of the normal map, one is metal and one roughness. What is left of them, of the vertices'
//! own radii and of roundings goes into the rest. The light is linear in the base colour, whose boxes are multiplied last.

use super::{
    boxes::ColorBoxes,
    material::{MaterialInputs, grey, with_alpha},
    shadow::Shades,
    texture::TextureModel,
    varyings::{Interpolator, WEIGHT_INPUTS},
};
use crate::{ColorBox, Fragment, Interval};
use refrast_range::{Diffuse, Freedoms, NormalMaps, Number, Ranged, Tangents, cross, scaled};
use refrast_scene::TextureReference;
use refrast_shading::{
    Coat, Development, Grain, Lighting, MapReading, Reflected, ShadingMode, Sheen, Surface, VaryingBlock,
    grain_directions, mapped_normal, reflected,
};

/// Inputs after those of the weights.
const MAP: usize = WEIGHT_INPUTS;
const METALLIC: usize = MAP + 3;
const ROUGHNESS: usize = METALLIC + 1;
const COAT_ROUGHNESS: usize = ROUGHNESS + 1;

/// The maps of a surface and of its coat.
const MAPS: usize = 11;

/// The most combinations of texels of different maps that are looked at one by one.
const MOST_CHOICES: usize = 8;

/// What a material says of its surface, made ready.
pub(super) struct SurfaceModel<'a> {
    metallic_factor: f64,
    roughness_factor: f64,
    metallic_roughness: Option<TextureModel<'a>>,
    normal_map: Option<(TextureModel<'a>, f32)>,
    occlusion: Option<(TextureModel<'a>, f64)>,
    vertex_occlusion: Option<usize>,
    reflectance: [f64; 3],
    specular_factor: f64,
    specular: Option<TextureModel<'a>>,
    specular_color: Option<TextureModel<'a>>,
    grain: Option<GrainModel<'a>>,
    sheen: Option<SheenModel<'a>>,
    coat: Option<CoatModel<'a>>,
    normal: Option<usize>,
    tangent: Option<usize>,
    position: Option<usize>,
    double_sided: bool,
    development: Development,
    freedoms: Freedoms,
}

/// Which way it says that the surface is brushed.
struct GrainModel<'a> {
    strength: f64,
    turn: [f32; 2],
    texture: Option<TextureModel<'a>>,
}

/// What it says of fibres that stand on it.
struct SheenModel<'a> {
    color_factor: [f64; 3],
    color: Option<TextureModel<'a>>,
    roughness_factor: f64,
    roughness: Option<TextureModel<'a>>,
}

/// What it says of a clear coat.
struct CoatModel<'a> {
    factor: f64,
    texture: Option<TextureModel<'a>>,
    roughness_factor: f64,
    roughness: Option<TextureModel<'a>>,
    normal_map: Option<(TextureModel<'a>, f32)>,
    /// Whether that is the map of the surface, read at the same place.
    same_map: bool,
}

/// What light gets of a surface: its colours, and the part that is let through by what lies on it.
pub(super) struct Lit {
    pub(super) colors: ColorBoxes,
    pub(super) beneath: Interval,
}

/// One choice of texels of all maps.
#[derive(Clone, Copy)]
struct Texels {
    normal: Option<ColorBox>,
    measures: [Interval; 3],
    reflectance: [Interval; 3],
    specular: Interval,
    /// How far highlights are stretched, and the texel that says which way.
    grain: Option<(Interval, Option<ColorBox>)>,
    /// Colour and roughness of fibres.
    sheen: Option<([Interval; 3], Interval)>,
    /// Strength and roughness of a clear coat, and its normal's texel.
    coat: Option<([Interval; 2], Option<ColorBox>)>,
}

impl<'a> SurfaceModel<'a> {
    pub(super) fn new(inputs: &MaterialInputs<'a>, freedoms: Freedoms) -> Self {
        let MaterialInputs { material, layout, textures, development, .. } = *inputs;
        let slot = |reference: Option<TextureReference>, is_color: bool| {
            let reference = reference?;
            let (block, place) = layout.texcoord(reference.texcoord)?;
            let texture = if is_color { textures.color(reference.texture) } else { textures.data(reference.texture) }?;
            Some(TextureModel::new(texture, block + place, &reference.transform, &freedoms))
        };
        let data = |reference| slot(reference, false);
        Self {
            metallic_factor: f64::from(material.metallic_factor),
            roughness_factor: f64::from(material.roughness_factor),
            metallic_roughness: data(material.metallic_roughness_texture),
            normal_map: data(material.normal_texture).map(|texture| (texture, material.normal_scale)),
            occlusion: data(material.occlusion_texture)
                .map(|texture| (texture, f64::from(material.occlusion_strength))),
            vertex_occlusion: layout.offset(VaryingBlock::Occlusion),
            reflectance: material.reflectance().map(f64::from),
            specular_factor: f64::from(material.specular_factor),
            specular: data(material.specular_texture),
            specular_color: slot(material.specular_color_texture, true),
            grain: material.anisotropy.map(|anisotropy| GrainModel {
                strength: f64::from(anisotropy.strength),
                turn: anisotropy.turn(),
                texture: data(anisotropy.texture),
            }),
            sheen: material.sheen.map(|sheen| SheenModel {
                color_factor: sheen.color_factor.map(f64::from),
                color: slot(sheen.color_texture, true),
                roughness_factor: f64::from(sheen.roughness_factor),
                roughness: data(sheen.roughness_texture),
            }),
            coat: material.clearcoat.map(|coat| {
                let normal_map = data(coat.normal_texture).map(|texture| (texture, coat.normal_scale));
                CoatModel {
                    factor: f64::from(coat.factor),
                    texture: data(coat.texture),
                    roughness_factor: f64::from(coat.roughness_factor),
                    roughness: data(coat.roughness_texture),
                    same_map: normal_map.is_some() && coat.normal_texture == material.normal_texture,
                    normal_map,
                }
            }),
            normal: layout.offset(VaryingBlock::Normal),
            tangent: layout.offset(VaryingBlock::Tangent),
            position: layout.offset(VaryingBlock::Position),
            double_sided: material.double_sided,
            development,
            freedoms,
        }
    }

    /// What the lights make of `base`, before emission; `base` itself where the draw has no normals.
    pub(super) fn lit(
        &self,
        varyings: &Interpolator<'_>,
        fragment: &Fragment,
        (lighting, shades): (&Lighting, &Shades),
        base: &ColorBoxes,
    ) -> Lit {
        let Some(first) = self.normal else { return Lit { colors: *base, beneath: Interval::exact(1.0) } };
        let rules = &self.freedoms;
        let position = match self.position {
            Some(first) => varyings.ranged(first, rules),
            None => [Ranged::exact(rules, 0.0); 3],
        };
        let (choices, loose) = self.choices(varyings);
        let mut lit = ColorBoxes::default();
        let mut through: Option<Interval> = None;
        if loose || shades.loose {
            lit.set_loose();
        }
        let readings = self.readings();
        let read = choices.iter().flat_map(|texels| readings.iter().map(move |reading| (texels, *reading)));
        let ways = read.flat_map(|read| shades.choices.iter().map(move |parts| (read, parts)));
        for ((texels, reading), parts) in ways {
            let own = self.shading_normal(varyings, first, (texels.normal, reading));
            let coats = match texels.coat {
                None => [None; 2],
                Some((_, texel)) => self.sides(fragment, self.coat_normal(varyings, first, (texel, reading))),
            };
            let grain = self.grain(varyings, first, texels.grain);
            let sheen = texels.sheen.map(|(color, roughness)| Sheen {
                color: color.map(|one| Ranged::between(rules, one.low, one.high)),
                roughness: Ranged::between(rules, roughness.low, roughness.high),
            });
            let part = |number: usize| {
                let Interval { low, high } = parts.get(number).copied().flatten()?;
                Some(Ranged::between(rules, low, high))
            };
            for (normal, coat) in self.sides(fragment, own).into_iter().zip(coats) {
                let Some(normal) = normal else { continue };
                let coat = texels.coat.zip(coat).map(|(([strength, roughness], _), normal)| Coat {
                    strength: Ranged::between(rules, strength.low, strength.high),
                    roughness: input(rules, COAT_ROUGHNESS, roughness),
                    normal,
                });
                let [metallic, roughness, occlusion] = texels.measures;
                let surface = Surface {
                    position,
                    normal,
                    metallic: input(rules, METALLIC, metallic),
                    roughness: input(rules, ROUGHNESS, roughness),
                    occlusion: Ranged::between(rules, occlusion.low, occlusion.high),
                    reflectance: texels.reflectance.map(|one| Ranged::between(rules, one.low, one.high).at_most(1.0)),
                    specular: Ranged::between(rules, texels.specular.low, texels.specular.high),
                    diffuse: Diffuse::Beneath,
                    grain,
                    sheen,
                    coat,
                };
                let declared =
                    (rules.diffuse != Diffuse::Beneath).then_some(Surface { diffuse: rules.diffuse, ..surface });
                for surface in [Some(surface), declared].into_iter().flatten() {
                    let Reflected { scale, offset, beneath } = reflected(lighting, &surface, part);
                    let beneath = beneath.map_or(Interval::exact(1.0), ends);
                    through = Some(through.map_or(beneath, |through| through.hull(beneath)));
                    // Where a sample alone is covered the centre's occlusion is extrapolated, and ambient light may be less than none.
                    let light = if occlusion.low < 0.0 { ends } else { not_negative };
                    let (scale, offset) = (scale.map(light), offset.map(light));
                    lit = lit.joined(&base.map(|[red, green, blue, alpha]| {
                        let channel = |i: usize, base: Interval| {
                            let light = (base * scale[i]) + offset[i];
                            light.rounded(3.0 * rules.arithmetic)
                        };
                        [channel(0, red), channel(1, green), channel(2, blue), alpha]
                    }));
                }
            }
        }
        Lit { colors: lit, beneath: through.unwrap_or(Interval::exact(1.0)) }
    }

    /// Exposed and toned.
    pub(super) fn developed(&self, boxes: ColorBoxes) -> ColorBoxes {
        if self.development == Development::default() {
            return boxes;
        }
        let rules = &self.freedoms;
        boxes.map(|[red, green, blue, alpha]| {
            // Light of less than none, of which the tone mapping makes colours, a backend may cut off before that.
            let [red, green, blue] =
                [red, green, blue].map(|Interval { low, high }| Interval { low, high: high.max(0.0) });
            let color = [input(rules, 0, red), input(rules, 1, green), input(rules, 2, blue)];
            let [red, green, blue] = self.development.developed(color).map(ends);
            [red, green, blue, alpha]
        })
    }

    /// The debug views of the surface.
    pub(super) fn shown(&self, varyings: &Interpolator<'_>, fragment: &Fragment, mode: ShadingMode) -> ColorBoxes {
        let half = || grey(Interval::exact(0.5));
        let measure = |which: usize| {
            let (choices, loose) = self.choices(varyings);
            let mut boxes = ColorBoxes::default();
            choices.iter().for_each(|texels| boxes.push(with_alpha([texels.measures[which]; 3])));
            if loose {
                boxes.set_loose();
            }
            boxes
        };
        match mode {
            ShadingMode::Metallic => measure(0),
            ShadingMode::Roughness => measure(1),
            ShadingMode::Occlusion => measure(2),
            ShadingMode::ShadingNormals => {
                let Some(first) = self.normal else { return half() };
                let (choices, loose) = self.choices(varyings);
                let mut boxes = ColorBoxes::default();
                let readings = self.readings();
                for (texels, reading) in
                    choices.iter().flat_map(|texels| readings.iter().map(move |own| (texels, *own)))
                {
                    let normal = self.shading_normal(varyings, first, (texels.normal, reading));
                    boxes = boxes.joined(&self.vector(fragment, normal));
                }
                if loose {
                    boxes.set_loose();
                }
                boxes
            }
            ShadingMode::Tangents | ShadingMode::Bitangents => {
                let (Some(first), Some(tangent)) = (self.normal, self.tangent) else { return half() };
                let own = varyings.ranged(tangent, &self.freedoms);
                let vector = if mode == ShadingMode::Tangents {
                    own
                } else {
                    let handedness = varyings.ranged_one(tangent + 3, &self.freedoms);
                    scaled(cross(varyings.ranged(first, &self.freedoms), own), handedness)
                };
                self.vector(fragment, Number::normalized(vector))
            }
            _ => half(),
        }
    }

    /// −1 … 1 as 0 … 1, for each side that may be seen.
    fn vector(&self, fragment: &Fragment, own: [Ranged<'_>; 3]) -> ColorBoxes {
        let mut boxes = ColorBoxes::default();
        for vector in self.sides(fragment, own).into_iter().flatten() {
            boxes.push(with_alpha(vector.map(|component| {
                let Interval { low, high } = ends(component);
                Interval { low: 0.5 * low + 0.5, high: 0.5 * high + 0.5 }.widened(self.freedoms.arithmetic)
            })));
        }
        boxes
    }

    /// The ways in which normal maps may be read: the reference's, and what is declared beside it. Nothing is read in two ways where
    /// there is no map.
    fn readings(&self) -> Vec<MapReading> {
        let has_map = self.normal_map.is_some() || self.coat.as_ref().is_some_and(|coat| coat.normal_map.is_some());
        let both = |is_declared: bool| if is_declared && has_map { &[false, true][..] } else { &[false] };
        let squared = both(self.freedoms.tangents == Tangents::Orthogonal);
        let rebuilt = both(self.freedoms.normal_maps == NormalMaps::Two).iter();
        rebuilt
            .flat_map(|&rebuilds_z| squared.iter().map(move |&squares_frame| MapReading { rebuilds_z, squares_frame }))
            .collect()
    }

    fn shading_normal<'r>(
        &'r self,
        varyings: &Interpolator<'_>,
        first: usize,
        (texel, reading): (Option<ColorBox>, MapReading),
    ) -> [Ranged<'r>; 3] {
        let scale = self.normal_map.as_ref().map(|(_, scale)| *scale);
        let texel = texel
            .map(|texel| [0, 1, 2].map(|channel: usize| input(&self.freedoms, MAP + channel, texel.channels[channel])));
        self.mapped(varyings, first, (scale.zip(texel), reading))
    }

    /// The normal of the coat; what its texels may be off is remembered where they are those of the surface.
    fn coat_normal<'r>(
        &'r self,
        varyings: &Interpolator<'_>,
        first: usize,
        (texel, reading): (Option<ColorBox>, MapReading),
    ) -> [Ranged<'r>; 3] {
        let rules = &self.freedoms;
        let coat = self.coat.as_ref();
        let scale = coat.and_then(|coat| coat.normal_map.as_ref()).map(|(_, scale)| *scale);
        let same = coat.is_some_and(|coat| coat.same_map);
        let texel = texel.map(|texel| {
            [0, 1, 2].map(|channel: usize| match (same, texel.channels[channel]) {
                (true, own) => input(rules, MAP + channel, own),
                (false, Interval { low, high }) => Ranged::between(rules, low, high),
            })
        });
        self.mapped(varyings, first, (scale.zip(texel), reading))
    }

    /// The normal with a map's scale and texel, where it has one.
    fn mapped<'r>(
        &'r self,
        varyings: &Interpolator<'_>,
        first: usize,
        (map, reading): (Option<(f32, [Ranged<'r>; 3])>, MapReading),
    ) -> [Ranged<'r>; 3] {
        let rules = &self.freedoms;
        let normal = varyings.ranged(first, rules);
        let (Some((scale, texel)), Some(place)) = (map, self.tangent) else {
            return Number::normalized(normal);
        };
        let [x, y, z] = varyings.ranged(place, rules);
        let tangent = [x, y, z, varyings.ranged_one(place + 3, rules)];
        mapped_normal(normal, tangent, texel, (scale, reading))
    }

    /// Which way the surface is brushed: its directions count with their squares, so that both sides have the same.
    fn grain<'r>(
        &'r self,
        varyings: &Interpolator<'_>,
        first: usize,
        texels: Option<(Interval, Option<ColorBox>)>,
    ) -> Option<Grain<Ranged<'r>>> {
        let (own, (strength, texel), place) = (self.grain.as_ref()?, texels?, self.tangent?);
        let rules = &self.freedoms;
        let [x, y, z] = varyings.ranged(place, rules);
        let tangent = [x, y, z, varyings.ranged_one(place + 3, rules)];
        let texel = texel.map(|texel| {
            [0, 1].map(|channel: usize| {
                let Interval { low, high } = texel.channels[channel];
                Ranged::between(rules, low, high)
            })
        });
        let [along, across] = grain_directions(varyings.ranged(first, rules), tangent, texel, own.turn);
        Some(Grain { strength: Ranged::between(rules, strength.low, strength.high), along, across })
    }

    /// The vector on the sides that may be seen.
    fn sides<'r>(&self, fragment: &Fragment, own: [Ranged<'r>; 3]) -> [Option<[Ranged<'r>; 3]>; 2] {
        let turned = own.map(Ranged::negated);
        match (self.double_sided, fragment.front) {
            (false, _) | (true, Some(true)) => [Some(own), None],
            (true, Some(false)) => [Some(turned), None],
            (true, None) => [Some(own), Some(turned)],
        }
    }

    /// All combinations of texels, and whether some were merged.
    fn choices(&self, varyings: &Interpolator<'_>) -> (Vec<Texels>, bool) {
        let one = [Interval::exact(1.0); 4];
        let sampled = |texture: Option<&TextureModel<'a>>| {
            texture.map_or(ColorBoxes::one(one), |texture| texture.sample(varyings))
        };
        let maps = [
            sampled(self.normal_map.as_ref().map(|(texture, _)| texture)),
            sampled(self.metallic_roughness.as_ref()),
            sampled(self.occlusion.as_ref().map(|(texture, _)| texture)),
            sampled(self.specular.as_ref()),
            sampled(self.specular_color.as_ref()),
            sampled(self.grain.as_ref().and_then(|grain| grain.texture.as_ref())),
            sampled(self.sheen.as_ref().and_then(|sheen| sheen.color.as_ref())),
            sampled(self.sheen.as_ref().and_then(|sheen| sheen.roughness.as_ref())),
            sampled(self.coat.as_ref().and_then(|coat| coat.texture.as_ref())),
            sampled(self.coat.as_ref().and_then(|coat| coat.roughness.as_ref())),
            sampled(
                self.coat.as_ref().filter(|coat| !coat.same_map).and_then(|coat| Some(&coat.normal_map.as_ref()?.0)),
            ),
        ];
        let mut loose = maps.iter().any(ColorBoxes::loose);
        let mut lists = maps.each_ref().map(|boxes| boxes.as_slice().to_vec());
        // The longest list is merged first.
        while lists.iter().map(Vec::len).product::<usize>() > MOST_CHOICES {
            let Some(longest) = lists.iter_mut().max_by_key(|list| list.len()) else { break };
            let hull = |a: ColorBox, b: ColorBox| ColorBox {
                channels: std::array::from_fn(|channel| a.channels[channel].hull(b.channels[channel])),
            };
            *longest = longest.iter().copied().reduce(hull).into_iter().collect();
            loose = true;
        }
        let mut combined = vec![[ColorBox { channels: one }; MAPS]];
        for (map, list) in lists.iter().enumerate() {
            let with = |own: &[ColorBox; MAPS], texel: ColorBox| {
                let mut longer = *own;
                longer[map] = texel;
                longer
            };
            combined = combined.iter().flat_map(|own| list.iter().map(move |texel| with(own, *texel))).collect();
        }
        let arriving = self.vertex_occlusion.map(|place| varyings.at_center(place).interval());
        let with = |mut texels: Texels| {
            if let Some(arriving) = arriving {
                texels.measures[2] = (texels.measures[2] * arriving).rounded(self.freedoms.arithmetic);
            }
            texels
        };
        (combined.iter().map(|texels| with(self.texels(texels))).collect(), loose)
    }

    /// What the factors make of one texel of each map.
    fn texels(
        &self,
        [normal, rough, occlusion, specular, color, grain, velvet, velvet_rough, coat, coat_rough, coat_normal]: &[ColorBox;
             MAPS],
    ) -> Texels {
        let arithmetic = self.freedoms.arithmetic;
        let factor = |factor: f64, texel: Interval| (Interval::exact(factor) * texel).rounded(arithmetic);
        let reflectance = [0, 1, 2].map(|channel: usize| {
            // The reflectance itself is a quotient, its square, and a product.
            factor(self.reflectance[channel], color.channels[channel])
                .rounded(2.0 * self.freedoms.division + 8.0 * arithmetic)
        });
        let occlusion = match &self.occlusion {
            None => Interval::exact(1.0),
            Some((_, strength)) => {
                let less = occlusion.channels[0] - Interval::exact(1.0);
                (Interval::exact(1.0) + Interval::exact(*strength) * less).widened(4.0 * arithmetic)
            }
        };
        Texels {
            normal: self.normal_map.as_ref().map(|_| *normal),
            measures: [
                factor(self.metallic_factor, rough.channels[2]),
                factor(self.roughness_factor, rough.channels[1]),
                occlusion,
            ],
            reflectance,
            specular: factor(self.specular_factor, specular.channels[3]),
            grain: self
                .grain
                .as_ref()
                .map(|own| (factor(own.strength, grain.channels[2]), own.texture.as_ref().map(|_| *grain))),
            sheen: self.sheen.as_ref().map(|own| {
                let color = |channel: usize| factor(own.color_factor[channel], velvet.channels[channel]);
                ([0, 1, 2].map(color), factor(own.roughness_factor, velvet_rough.channels[3]))
            }),
            coat: self.coat.as_ref().map(|own| {
                let normal = if own.same_map { normal } else { coat_normal };
                let measures =
                    [factor(own.factor, coat.channels[0]), factor(own.roughness_factor, coat_rough.channels[1])];
                (measures, own.normal_map.as_ref().map(|_| *normal))
            }),
        }
    }
}

pub(super) fn input<'r>(rules: &'r Freedoms, number: usize, interval: Interval) -> Ranged<'r> {
    Ranged::input(rules, number, interval.center(), interval.radius())
}

pub(super) fn ends(number: Ranged<'_>) -> Interval {
    let [low, high] = number.ends();
    Interval { low, high }
}

/// Light has no negative part.
pub(super) fn not_negative(number: Ranged<'_>) -> Interval {
    let Interval { low, high } = ends(number);
    Interval { low: low.max(0.0), high: high.max(0.0) }
}

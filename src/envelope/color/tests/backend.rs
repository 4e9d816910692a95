//! A backend with choices of its own, in f64: written from the specifications, not from the code under test.

use proptest::{prelude::*, sample::select};

use super::{
    physical::{self, unit},
    situation::Situation,
};
use crate::Fragment;
use refrast_range::Profile;
use refrast_scene::{AlphaMode, Filter, TextureReference, Wrap};
use refrast_shading::{ColorSpace, LightSource, PreparedTexture, ShadingMode, VaryingBlock};

/// How it computes.
#[derive(Clone, Debug)]
pub(super) struct Backend {
    pub(super) profile: Profile,
    /// Where the weights are within their radius: from one vertex a part of it, −1 to 1, goes to the next.
    moved: [f64; 2],
    from: usize,
    /// Fraction bits of texture coordinates and of λ, and whether they are cut off rather than rounded.
    texel_bits: i32,
    level_bits: i32,
    cut: bool,
    /// Which row or column of the neighbourhood, and which of its two pairs, differences are taken from.
    rows: [usize; 2],
    pairs: [usize; 2],
    /// Where ρ is between the least and the greatest.
    scale: f64,
    /// How far, in parts of what is allowed, sRGB texels are decoded off.
    decoded: f64,
    /// How far a filter's results are off, in parts of what is allowed.
    filtered: f64,
    /// Chooses the errors of the arithmetic.
    seed: u64,
    /// Which side of a triangle is seen where that is not known.
    front: bool,
}

pub(super) fn backends() -> impl Strategy<Value = Backend> {
    let profiles = select(vec![Profile::D3d11, Profile::Vulkan14, Profile::VulkanMin]);
    // The ends are where a bound is too small first.
    let signed = || prop_oneof![Just(-1.0), Just(1.0), -1.0f64..=1.0];
    let part = prop_oneof![Just(0.0), Just(1.0), 0.0f64..=1.0];
    (
        (profiles, [signed(), signed()], 0usize..3, select(vec![0, 0, 0, 1, 4]), any::<[bool; 2]>()),
        ([0usize..3, 0usize..3], [0usize..2, 0usize..2], part, [signed(), signed()], any::<u64>()),
    )
        .prop_map(
            |((profile, moved, from, more, [cut, front]), (rows, pairs, scale, [decoded, filtered], seed))| {
                let (texel_bits, level_bits) = match profile {
                    Profile::VulkanMin => (4, 4),
                    Profile::Vulkan14 => (8, 6),
                    Profile::Vulkan(bits) => (bits.subtexel.into(), bits.mip.into()),
                    Profile::D3d11 | Profile::Exact => (8, 8),
                };
                let (texel_bits, level_bits) = (texel_bits + more, level_bits + more);
                Backend {
                    profile,
                    moved,
                    from,
                    texel_bits,
                    level_bits,
                    cut,
                    rows,
                    pairs,
                    scale,
                    decoded,
                    filtered,
                    seed,
                    front,
                }
            },
        )
}

/// Numbers at the fragment and at the nine pixels around it.
struct Varying {
    center: f64,
    around: [f64; 9],
}

impl Backend {
    /// Linear RGBA; `None` where the fragment is dropped.
    pub(super) fn shade(&self, situation: &Situation) -> Option<[f64; 4]> {
        let (layout, material) = (&situation.layout, &situation.material);
        let block = |wanted: VaryingBlock| layout.offset(wanted).map(|first| self.vector(situation, first));
        let mut base = material.base_color_factor.map(f64::from);
        let sample = |reference: &Option<TextureReference>| {
            let reference = reference.as_ref()?;
            let (first, place) = layout.texcoord(reference.texcoord)?;
            let texture = situation.textures.color(reference.texture)?;
            Some(self.sample(situation, texture, reference, first + place))
        };
        for factor in [sample(&material.base_color_texture), block(VaryingBlock::Color)].into_iter().flatten() {
            base.iter_mut().zip(factor).for_each(|(base, factor)| *base = self.rounded(*base * factor));
        }
        let blends = situation.mode.blends();
        let colored = blends || situation.mode == ShadingMode::BaseColor;
        if let AlphaMode::Mask { cutoff } = material.alpha_mode
            && colored
            && base[3] < f64::from(cutoff)
        {
            return None;
        }
        let normal = block(VaryingBlock::Normal).map(|[x, y, z, _]| {
            let sign =
                if material.double_sided && !situation.fragment.front.unwrap_or(self.front) { -1.0 } else { 1.0 };
            let length = sign * (x * x + y * y + z * z).sqrt();
            [x, y, z].map(|component| self.rounded(component / self.rounded(length)))
        });
        let side = if material.double_sided && !situation.fragment.front.unwrap_or(self.front) { -1.0 } else { 1.0 };
        let data = |reference: &Option<TextureReference>| {
            let reference = reference.as_ref()?;
            let (first, place) = layout.texcoord(reference.texcoord)?;
            let texture = situation.textures.data(reference.texture)?;
            Some(self.sample(situation, texture, reference, first + place))
        };
        let [_, rough, metal, _] = data(&material.metallic_roughness_texture).unwrap_or([1.0; 4]);
        let occlusion = data(&material.occlusion_texture)
            .map_or(1.0, |[open, ..]| self.rounded(1.0 + f64::from(material.occlusion_strength) * (open - 1.0)));
        let measures = [
            self.rounded(f64::from(material.metallic_factor) * metal),
            self.rounded(f64::from(material.roughness_factor) * rough),
            block(VaryingBlock::Occlusion).map_or(occlusion, |[part, ..]| self.rounded(occlusion * part)),
        ];
        let ior = f64::from(material.ior);
        let head_on = (ior - 1.0) / (ior + 1.0);
        let frame = Frame::of(
            block(VaryingBlock::Normal),
            block(VaryingBlock::Tangent),
            data(&material.normal_texture),
            (f64::from(material.normal_scale), side),
        );
        let grain = material.anisotropy.and_then(|own| {
            let (n, [x, y, z, w]) = (xyz(block(VaryingBlock::Normal)?), block(VaryingBlock::Tangent)?);
            let b = [w * (n[1] * z - n[2] * y), w * (n[2] * x - n[0] * z), w * (n[0] * y - n[1] * x)];
            let [red, green, strength, _] = data(&own.texture).unwrap_or([1.0, 0.5, 1.0, 1.0]);
            let [u, v, _] = unit([2.0 * red - 1.0, 2.0 * green - 1.0, 0.0]);
            let (sine, cosine) = libm::sincos(f64::from(own.rotation));
            let [u, v] = [cosine * u - sine * v, sine * u + cosine * v];
            let along = unit([0, 1, 2].map(|i: usize| u * [x, y, z][i] + v * b[i]));
            let n = unit(n);
            let across = unit([
                n[1] * along[2] - n[2] * along[1],
                n[2] * along[0] - n[0] * along[2],
                n[0] * along[1] - n[1] * along[0],
            ]);
            Some(physical::Grain { strength: self.rounded(f64::from(own.strength) * strength), along, across })
        });
        let sheen = material.sheen.map(|own| {
            let texel = sample(&own.color_texture).unwrap_or([1.0; 4]);
            let [.., rough] = data(&own.roughness_texture).unwrap_or([1.0; 4]);
            physical::Sheen {
                color: [0, 1, 2].map(|i: usize| self.rounded(f64::from(own.color_factor[i]) * texel[i])),
                roughness: self.rounded(f64::from(own.roughness_factor) * rough),
            }
        });
        let coat = material.clearcoat.map(|coat| {
            let frame = Frame::of(
                block(VaryingBlock::Normal),
                block(VaryingBlock::Tangent),
                data(&coat.normal_texture),
                (f64::from(coat.normal_scale), side),
            );
            let [strength, ..] = data(&coat.texture).unwrap_or([1.0; 4]);
            let [_, rough, ..] = data(&coat.roughness_texture).unwrap_or([1.0; 4]);
            let strength = self.rounded(f64::from(coat.factor) * strength);
            let roughness = self.rounded(f64::from(coat.roughness_factor) * rough);
            (strength, roughness, frame.normal)
        });
        let lit = |color: [f64; 3]| match normal {
            None => color,
            Some(normal) => {
                let light = light(situation, normal, block(VaryingBlock::Position).unwrap_or_default());
                [0, 1, 2].map(|channel: usize| self.rounded(color[channel] * self.rounded(light[channel])))
            }
        };
        let [red, green, blue, alpha] = base;
        let color = match situation.mode {
            ShadingMode::Unlit | ShadingMode::BaseColor => [red, green, blue],
            ShadingMode::Emissive => {
                let texel = sample(&material.emissive_texture).unwrap_or([1.0; 4]);
                [0, 1, 2].map(|channel: usize| f64::from(material.emissive_factor[channel]) * texel[channel])
            }
            ShadingMode::Lit if material.unlit => [red, green, blue],
            ShadingMode::Lit => {
                let texel = sample(&material.emissive_texture).unwrap_or([1.0; 4]);
                let emission =
                    [0, 1, 2].map(|i: usize| self.rounded(f64::from(material.emissive_factor[i]) * texel[i]));
                let color = match frame.normal {
                    None => [0, 1, 2].map(|i: usize| self.rounded(base[i] + emission[i])),
                    Some(normal) => physical::shade(
                        &physical::Surface {
                            position: xyz(block(VaryingBlock::Position).unwrap_or_default()),
                            normal,
                            base: [red, green, blue],
                            metallic: measures[0],
                            roughness: measures[1],
                            occlusion: measures[2],
                            f0: material.specular_color_factor.map(|color| f64::from(color) * head_on * head_on),
                            specular: f64::from(material.specular_factor),
                            grain,
                            sheen,
                            coat: coat.and_then(|(strength, roughness, normal)| {
                                Some(physical::Coat { strength, roughness, normal: normal? })
                            }),
                        },
                        &situation.lighting,
                        emission,
                    )
                    .map(|channel| self.rounded(self.rounded(channel))),
                };
                situation.developed(color)
            }
            ShadingMode::ShadingNormals => shown(frame.normal),
            ShadingMode::Tangents => shown(frame.tangent),
            ShadingMode::Bitangents => shown(frame.bitangent),
            ShadingMode::Metallic => [measures[0]; 3],
            ShadingMode::Roughness => [measures[1]; 3],
            ShadingMode::Occlusion => [measures[2]; 3],
            ShadingMode::Lambert => {
                let mut color = lit([red, green, blue]);
                if !material.unlit {
                    let texel = sample(&material.emissive_texture).unwrap_or([1.0; 4]);
                    for (channel, color) in color.iter_mut().enumerate() {
                        *color += self.rounded(f64::from(material.emissive_factor[channel]) * texel[channel]);
                        *color = self.rounded(*color);
                    }
                }
                color
            }
            ShadingMode::Normals => normal.map_or([0.5; 3], |normal| normal.map(|n| 0.5 * n + 0.5)),
            ShadingMode::Uv => match layout.texcoord(0) {
                Some((first, place)) => {
                    let [u, v] = [0, 1].map(|axis| self.varying(situation, first + place + axis).center);
                    [u - u.floor(), v - v.floor(), 0.0]
                }
                None => [0.0; 3],
            },
            ShadingMode::Depth => [1.0 - situation.fragment.depth.center(); 3],
            ShadingMode::Joints => block(VaryingBlock::JointColor)
                .map_or([f64::from(0.2f32); 3], |[red, green, blue, _]| [red, green, blue]),
            // Nothing is in a split where no light has cascades.
            ShadingMode::Splits => lit([f64::from(0.6f32); 3]),
            ShadingMode::Wireframe => {
                let cover = self.edges(situation);
                lit([f64::from(0.6f32); 3]).map(|fill| fill + (f64::from(0.01f32) - fill) * cover)
            }
        };
        let blended = material.alpha_mode == AlphaMode::Blend && blends;
        Some([color[0], color[1], color[2], if blended { alpha } else { 1.0 }])
    }

    /// Weights with what is added to them.
    fn weights(&self, exact: [f64; 3], radius: [f64; 3], part: f64) -> [f64; 3] {
        let mut weights = exact;
        let (from, to) = (self.from, (self.from + 1) % 3);
        let moved = part * radius[from].min(radius[to]);
        weights[from] -= moved;
        weights[to] += moved;
        weights
    }

    /// A result off by what the profile's arithmetic allows, in some direction.
    fn rounded(&self, exact: f64) -> f64 {
        let mixed = (exact.to_bits() ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let part = (mixed >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        exact * (1.0 + part * self.profile.freedoms().expect("not exact").arithmetic)
    }

    fn varying(&self, situation: &Situation, place: usize) -> Varying {
        let (stream, fragment) = (&situation.stream, &situation.fragment);
        let at = |weights: [f64; 3]| -> f64 {
            (0..3).fold(0.0, |sum, vertex| {
                let varying = f64::from(stream.varyings[vertex * stream.stride + place]);
                self.rounded(sum + self.rounded(self.rounded(weights[vertex]) * varying))
            })
        };
        Varying {
            center: at(self.weights(fragment.weights, fragment.radius, self.moved[0])),
            around: self.around(fragment).map(at),
        }
    }

    /// The weights around a fragment; those of neighbours are off in opposite directions.
    fn around(&self, fragment: &Fragment) -> [[f64; 3]; 9] {
        std::array::from_fn(|pixel| {
            let part = if pixel % 2 == 0 { self.moved[1] } else { -self.moved[1] };
            self.weights(fragment.neighbours[pixel], fragment.neighbour_radius, part)
        })
    }

    fn vector(&self, situation: &Situation, first: usize) -> [f64; 4] {
        [0, 1, 2, 3].map(|i| self.varying(situation, first + i).center)
    }

    /// A quad's differences along x and along y.
    fn differences(&self, around: &[f64; 9]) -> [f64; 2] {
        let ([row, column], [pair_x, pair_y]) = (self.rows, self.pairs);
        let x = around[3 * row + pair_x + 1] - around[3 * row + pair_x];
        let y = around[3 * (pair_y + 1) + column] - around[3 * pair_y + column];
        [x, y]
    }

    fn fixed(&self, value: f64, bits: i32) -> f64 {
        let one = f64::from(1 << bits);
        if self.cut { (value * one).floor() / one } else { (value * one).round_ties_even() / one }
    }

    fn edges(&self, situation: &Situation) -> f64 {
        let fragment = &situation.fragment;
        let weights = self.weights(fragment.weights, fragment.radius, self.moved[0]);
        let covers = (0..3).map(|corner| {
            let around = self.around(fragment).map(|weights| weights[corner]);
            let [x, y] = self.differences(&around);
            let slope = (x * x + y * y).sqrt();
            if slope > 0.0 { (1.0 - weights[corner] / slope).clamp(0.0, 1.0) } else { 0.0 }
        });
        covers.fold(0.0, f64::max)
    }

    fn sample(
        &self,
        situation: &Situation,
        texture: &PreparedTexture,
        reference: &TextureReference,
        place: usize,
    ) -> [f64; 4] {
        let [u, v] = [0, 1].map(|axis| self.varying(situation, place + axis));
        let transform = &reference.transform;
        let (sine, cosine) = libm::sincos(f64::from(transform.rotation));
        let [scale_u, scale_v] = transform.scale.map(f64::from);
        let turn = |u: f64, v: f64| {
            let (u, v) = (self.rounded(u * scale_u), self.rounded(v * scale_v));
            [self.rounded(cosine * u + self.rounded(sine * v)), self.rounded(cosine * v - self.rounded(sine * u))]
        };
        let [u_x, u_y] = self.differences(&u.around);
        let [v_x, v_y] = self.differences(&v.around);
        let (x, y) = (turn(u_x, v_x), turn(u_y, v_y));
        let at = turn(u.center, v.center);
        let at = [0, 1].map(|axis: usize| self.rounded(at[axis] + f64::from(transform.offset[axis])));
        let [width, height] = texture.level_size(0).expect("a first level").map(f64::from);
        let lambda = libm::log2(self.scale_factor([x[0] * width, x[1] * height], [y[0] * width, y[1] * height]));
        let lambda = self.fixed(lambda, self.level_bits);
        let sampler = texture.sampler();
        let filter = if lambda <= 0.0 { sampler.magnification } else { sampler.minification };
        let last = texture.level_count() as f64 - 1.0;
        let level = lambda.clamp(0.0, last);
        match sampler.mip {
            _ if lambda <= 0.0 => self.level(texture, 0, filter, at),
            None => self.level(texture, 0, filter, at),
            Some(Filter::Nearest) => self.level(texture, (level + 0.5).floor() as usize, filter, at),
            Some(Filter::Linear) => {
                let finer = self.level(texture, level.floor() as usize, filter, at);
                let coarser = self.level(texture, level.ceil() as usize, filter, at);
                [0, 1, 2, 3].map(|i| finer[i] + (level - level.floor()) * (coarser[i] - finer[i]))
            }
        }
    }

    fn scale_factor(&self, x: [f64; 2], y: [f64; 2]) -> f64 {
        let (least, most) = if self.profile == Profile::D3d11 {
            let (xx, yy) = (x[0] * x[0] + x[1] * x[1], y[0] * y[0] + y[1] * y[1]);
            let least = xx.max(yy).sqrt();
            // The axes as the specification's section 7.18.11 has them: q + t is twice the longer one's square.
            let (p, b) = (x[1] * x[1] + y[1] * y[1] - x[0] * x[0] - y[0] * y[0], 2.0 * (x[0] * x[1] + y[0] * y[1]));
            (least, (0.5 * (xx + yy + (p * p + b * b).sqrt())).sqrt())
        } else {
            let least = x[0].abs().max(x[1].abs()).max(y[0].abs()).max(y[1].abs());
            (least, 2f64.sqrt() * (x[0].abs() + x[1].abs()).max(y[0].abs() + y[1].abs()))
        };
        least + self.scale * (most - least)
    }

    fn level(&self, texture: &PreparedTexture, level: usize, filter: Filter, at: [f64; 2]) -> [f64; 4] {
        let [width, height] = texture.level_size(level).expect("a level");
        let sampler = texture.sampler();
        let half = if filter == Filter::Linear { 0.5 } else { 0.0 };
        let [x, y] = [(at[0], width), (at[1], height)]
            .map(|(at, size)| self.fixed(self.rounded(self.rounded(at * f64::from(size)) - half), self.texel_bits));
        let texel = |i: i64, j: i64| {
            let (i, j) = (address(sampler.wrap_u, i, width), address(sampler.wrap_v, j, height));
            let start = 4 * (j * width as usize + i);
            &texture.level_bytes(level).expect("a level")[start..start + 4]
        };
        let (i, j) = (x.floor() as i64, y.floor() as i64);
        if filter == Filter::Nearest {
            return self.decode(texture, texel(i, j), self.decoded);
        }
        let (a, b) = (x - x.floor(), y - y.floor());
        let corners = [texel(i, j), texel(i + 1, j), texel(i, j + 1), texel(i + 1, j + 1)];
        let weights = [(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b, a * b];
        let mean = |decoded: f64| -> [f64; 4] {
            let corners = corners.map(|bytes| self.decode(texture, bytes, decoded));
            [0, 1, 2, 3].map(|channel: usize| (0..4).map(|corner| weights[corner] * corners[corner][channel]).sum())
        };
        // The step of a filter's result: for sRGB colours the mean of the texels' own.
        let (own, less, more) = (mean(self.decoded), mean(-1.0), mean(1.0));
        let decoded = corners.map(|bytes| self.decode(texture, bytes, self.decoded));
        [0, 1, 2, 3].map(|channel: usize| {
            let linear = channel == 3 || texture.color_space() == ColorSpace::Linear;
            let step = if linear { 1.0 / 255.0 } else { more[channel] - less[channel] };
            let texels = decoded.map(|texel| texel[channel]);
            let (least, most) =
                (texels.iter().copied().fold(1.0, f64::min), texels.iter().copied().fold(0.0, f64::max));
            (own[channel] + 0.5 * self.filtered * step).clamp(least, most)
        })
    }

    /// Decoded as much off as `decoded` says, −1 to 1 times what is allowed.
    fn decode(&self, texture: &PreparedTexture, bytes: &[u8], decoded: f64) -> [f64; 4] {
        let color = |byte: u8| {
            let off = if byte == 0 || byte == 255 { 0.0 } else { 0.5 * decoded };
            let stored = (f64::from(byte) + off) / 255.0;
            match texture.color_space() {
                ColorSpace::Linear => f64::from(byte) / 255.0,
                ColorSpace::Srgb if stored <= 0.04045 => stored / 12.92,
                ColorSpace::Srgb => libm::pow((stored + 0.055) / 1.055, 2.4),
            }
        };
        [color(bytes[0]), color(bytes[1]), color(bytes[2]), f64::from(bytes[3]) / 255.0]
    }
}

/// Unit vectors of a fragment on the side that is seen; none where the draw has none.
struct Frame {
    normal: Option<[f64; 3]>,
    tangent: Option<[f64; 3]>,
    bitangent: Option<[f64; 3]>,
}

impl Frame {
    fn of(
        normal: Option<[f64; 4]>,
        tangent: Option<[f64; 4]>,
        texel: Option<[f64; 4]>,
        (scale, side): (f64, f64),
    ) -> Self {
        let n = normal.map(xyz);
        let bitangent = n
            .zip(tangent)
            .map(|(n, [x, y, z, w])| [w * (n[1] * z - n[2] * y), w * (n[2] * x - n[0] * z), w * (n[0] * y - n[1] * x)]);
        let mapped = n.zip(tangent).zip(bitangent).zip(texel).map(|(((n, t), b), [red, green, blue, _])| {
            let [x, y, z] = [scale * (2.0 * red - 1.0), scale * (2.0 * green - 1.0), 2.0 * blue - 1.0];
            [0, 1, 2].map(|i: usize| x * t[i] + y * b[i] + z * n[i])
        });
        let seen = |vector: [f64; 3]| unit(vector).map(|component| side * component);
        Self { normal: mapped.or(n).map(seen), tangent: tangent.map(xyz).map(seen), bitangent: bitangent.map(seen) }
    }
}

fn xyz([x, y, z, _]: [f64; 4]) -> [f64; 3] {
    [x, y, z]
}

fn shown(vector: Option<[f64; 3]>) -> [f64; 3] {
    vector.map_or([0.5; 3], |vector| vector.map(|component| 0.5 * component + 0.5))
}

/// Direct3D 11.3 Functional Specification, 7.18.9.
fn address(wrap: Wrap, mut texel: i64, size: u32) -> usize {
    let size = i64::from(size);
    match wrap {
        Wrap::Repeat => {
            texel %= size;
            if texel < 0 {
                texel += size;
            }
        }
        Wrap::MirroredRepeat => {
            if texel < 0 {
                texel = -texel - 1;
            }
            let flip = (texel / size) & 1 == 1;
            texel %= size;
            if flip {
                texel = size - texel - 1;
            }
        }
        Wrap::ClampToEdge => texel = texel.clamp(0, size - 1),
    }
    texel as usize
}

/// KHR_lights_punctual.
fn light(situation: &Situation, normal: [f64; 3], position: [f64; 4]) -> [f64; 3] {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut sum = situation.lighting.ambient.map(f64::from);
    for light in &situation.lighting.lights {
        let strength = match light.source {
            LightSource::Directional { to_light } => dot(normal, to_light.map(f64::from)).max(0.0),
            LightSource::Point { position: from, inverse_range_squared, cone } => {
                let toward = [0, 1, 2].map(|axis: usize| f64::from(from[axis]) - position[axis]);
                let squared = dot(toward, toward).max(1e-8);
                let toward = toward.map(|component| component / squared.sqrt());
                let ratio = squared * f64::from(inverse_range_squared);
                let inside = cone.map_or(1.0, |cone| {
                    let cosine = -dot(toward, cone.axis.map(f64::from));
                    (cosine * f64::from(cone.scale) + f64::from(cone.offset)).clamp(0.0, 1.0)
                });
                dot(normal, toward).max(0.0) * (1.0 - ratio * ratio).max(0.0) / squared * inside * inside
            }
        };
        for (sum, radiance) in sum.iter_mut().zip(light.radiance) {
            *sum += f64::from(radiance) * strength;
        }
    }
    sum
}

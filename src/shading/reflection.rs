//! The material of glTF 2.0 under lights: metallic-roughness by Appendix B, over any [`Number`].
//!
//! Why it exists: these formulas are what everybody draws and what everybody draws a little differently. They are written
//! here once, and read as eight fragments by the shader and as ranges by the envelope. Each function is a formula of the
//! [shading model](super), section 8, in its order.

use refrast_range::{Diffuse, Number, cross, difference, dot, each, product, scaled, sum};

use super::light::Lighting;
pub use grain::{Grain, grain_directions, stretched_distribution, stretched_visibility};
pub use sheen::{LEAST_SHEEN_ROUGHNESS, Sheen, fibre_albedo, fibre_distribution, fibre_visibility};

mod grain;
mod sheen;

/// The least perceptual roughness: that of Filament. A smoother surface would show a light without size as a point of
/// unbounded brightness, and f32 has no digits left for 1 − (N·H)² long before.
pub const LEAST_ROUGHNESS: f32 = 0.045;

/// A point of a surface and what it is made of.
#[derive(Clone, Copy, Debug)]
pub struct Surface<N> {
    /// World space, metres.
    pub position: [N; 3],
    /// The shading normal, unit length, on the side that is seen.
    pub normal: [N; 3],
    /// The share of metal.
    pub metallic: N,
    /// Perceptual roughness.
    pub roughness: N,
    /// The part of the ambient light that arrives.
    pub occlusion: N,
    /// Reflectance of the dielectric at normal incidence, red, green and blue.
    pub reflectance: [N; 3],
    /// The strength of the dielectric's reflection (KHR_materials_specular).
    pub specular: N,
    /// What diffuse light is lessened by: in the reference by what the surface reflects, but engines do otherwise.
    pub diffuse: Diffuse,
    /// Which way it is brushed; `None` where it looks the same all round.
    pub grain: Option<Grain<N>>,
    /// The fibres that stand on it.
    pub sheen: Option<Sheen<N>>,
    /// The clear coat over it.
    pub coat: Option<Coat<N>>,
}

/// A clear coat (KHR_materials_clearcoat).
#[derive(Clone, Copy, Debug)]
pub struct Coat<N> {
    /// How strong it is.
    pub strength: N,
    /// Perceptual roughness.
    pub roughness: N,
    /// Its own normal, unit length, on the side that is seen.
    pub normal: [N; 3],
}

/// What a surface sends to the eye: base colour · `scale` + `offset`, and its emission · `beneath`.
#[derive(Clone, Copy, Debug)]
pub struct Reflected<N> {
    /// Of the base colour.
    pub scale: [N; 3],
    /// What does not depend on the base colour: the dielectric's reflection, and a metal's at grazing angles.
    pub offset: [N; 3],
    /// The part that a clear coat lets through; `None` where there is no coat.
    pub beneath: Option<N>,
}

/// Reflectance of a clear coat at normal incidence: an index of refraction of 1.5.
const COAT_REFLECTANCE: f32 = 0.04;

/// How a normal map is read; the default is the reference's way, and the others are choices of engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapReading {
    /// Whether z is √(1 − x² − y²) of the filtered texel, before the scale, and not its blue channel.
    pub rebuilds_z: bool,
    /// Whether normal and tangent are of unit length and at right angles before the map is applied.
    pub squares_frame: bool,
}

/// The shading normal: the texel of a normal map in the frame of the interpolated normal and tangent (neither of them
/// brought to unit length, as MikkTSpace asks), unit length.
///
/// `texel` is as sampled, in \[0, 1\]; `scale` is the factor of its x and y.
#[inline(always)]
pub fn mapped_normal<N: Number>(
    normal: [N; 3],
    tangent: [N; 4],
    texel: [N; 3],
    (scale, reading): (f32, MapReading),
) -> [N; 3] {
    let (one, two, scale) = (texel[0].constant(1.0), texel[0].constant(2.0), texel[0].constant(scale));
    let [x, y, blue] = each(texel, |channel| two * channel - one);
    let z = match reading.rebuilds_z {
        false => blue,
        true => (one - (x.squared() + y.squared())).at_least(0.0).square_root(),
    };
    let [tangent_x, tangent_y, tangent_z, handedness] = tangent;
    let mut tangent = [tangent_x, tangent_y, tangent_z];
    let mut normal = normal;
    if reading.squares_frame {
        normal = N::normalized(normal);
        tangent = N::normalized(difference(tangent, scaled(normal, dot(normal, tangent))));
    }
    let bitangent = scaled(cross(normal, tangent), handedness);
    let across = sum(scaled(tangent, x * scale), scaled(bitangent, y * scale));
    N::normalized(sum(across, scaled(normal, z)))
}

/// π·D, the distribution of microfacets of Trowbridge and Reitz (GGX), of N·H and α².
#[inline(always)]
pub fn distribution<N: Number>(normal_half: N, alpha_squared: N) -> N {
    let one = normal_half.constant(1.0);
    let f = normal_half.squared() * (alpha_squared - one) + one;
    alpha_squared.divided_by(f.squared())
}

/// V·(N·L), the height-correlated visibility of Smith, of N·L, N·V and α².
#[inline(always)]
pub fn visibility<N: Number>(normal_light: N, normal_view: N, alpha_squared: N) -> N {
    let one = normal_light.constant(1.0);
    let masking = |cosine: N| (cosine.squared() * (one - alpha_squared) + alpha_squared).square_root();
    let (to_eye, to_light) = (masking(normal_view), masking(normal_light));
    let share = (normal_light * to_eye).share(normal_view * to_light);
    (share * one.constant(0.5)).divided_by(to_eye)
}

/// (1 − V·H)⁵, Schlick's weight.
#[inline(always)]
pub fn grazing<N: Number>(view_half: N) -> N {
    (view_half.constant(1.0) - view_half).fifth_power()
}

/// The part of Lambert's diffuse light that Burley's model scatters to the eye, of N·L, N·V and V·H
/// (B. Burley, *Physically-Based Shading at Disney*, 2012, 5.3): (1 + (F − 1)(1 − N·L)⁵)(1 + (F − 1)(1 − N·V)⁵) with
/// F = 0.5 + 2·roughness·(V·H)².
#[inline(always)]
fn scattered<N: Number>(roughness: N, [normal_light, normal_view, view_half]: [N; 3]) -> N {
    let (one, two) = (roughness.constant(1.0), roughness.constant(2.0));
    let more = two * (roughness * view_half.squared()) - roughness.constant(0.5);
    let along = |cosine: N| one + more * grazing(cosine.at_most(1.0));
    along(normal_light) * along(normal_view)
}

/// What the surface reflects of all light; `unshadowed` is the part of a light, by its place among the lights, that shadows
/// leave, where it is in any.
#[inline(always)]
pub fn reflected<N: Number>(
    lighting: &Lighting,
    surface: &Surface<N>,
    unshadowed: impl Fn(usize) -> Option<N>,
) -> Reflected<N> {
    let Surface { position, normal, metallic, roughness, occlusion, reflectance, specular, .. } = *surface;
    let (zero, one) = (metallic.constant(0.0), metallic.constant(1.0));
    let alpha = roughness.at_least(LEAST_ROUGHNESS).squared();
    let alpha_squared = alpha.squared();
    let dielectric = one - metallic;
    let to_eye = lighting.to_eye(position);
    let normal_view = dot(normal, to_eye).magnitude();

    let fibres = surface.sheen.as_ref().map(|sheen| sheen.seen(normal_view));
    let mut scale = each(lighting.ambient, |ambient| one.constant(ambient) * occlusion);
    if let Some(fibres) = &fibres {
        scale = scaled(scale, fibres.left_of_ambient());
    }
    let mut offset = [zero; 3];
    let mut on_top = [zero; 3];
    for (number, light) in lighting.lights.iter().enumerate() {
        let incidence = light.incidence(position);
        let normal_light = dot(normal, incidence.to_light).at_least(0.0);
        let half = N::normalized(sum(incidence.to_light, to_eye));
        let cosine = |vector: [N; 3]| dot(vector, half).at_least(0.0).at_most(1.0);
        let view_half = cosine(to_eye);
        let grazing = grazing(view_half);
        let shine = match &surface.grain {
            None => distribution(cosine(normal), alpha_squared) * visibility(normal_light, normal_view, alpha_squared),
            Some(grain) => {
                let towards = [(incidence.to_light, normal_light), (to_eye, normal_view), (half, cosine(normal))];
                grain.shine(alpha, towards)
            }
        };

        let fresnel = each(reflectance, |reflectance| reflectance + (one - reflectance) * grazing);
        let strongest = |[red, green, blue]: [N; 3]| red.greater(green).greater(blue);
        let beneath = match surface.diffuse {
            Diffuse::Beneath => one - specular * strongest(fresnel),
            Diffuse::HeadOn => one - specular * strongest(reflectance),
            Diffuse::Whole => one,
            Diffuse::Burley => scattered(roughness, [normal_light, normal_view, view_half]),
            Diffuse::BurleySquared => scattered(roughness.squared(), [normal_light, normal_view, view_half]),
        };
        let diffuse = beneath * normal_light;
        let of_base = dielectric * diffuse + metallic * (shine * (one - grazing));
        let (own, at_grazing) = (dielectric * specular, metallic * grazing);

        let mut arriving = each(light.radiance, |radiance| one.derived(radiance, radiance));
        if let Some(attenuation) = incidence.attenuation() {
            arriving = scaled(arriving, attenuation);
        }
        if let Some(part) = unshadowed(number) {
            arriving = scaled(arriving, part);
        }
        let beside = each(fresnel, |fresnel| shine * (own * fresnel + at_grazing));
        match &fibres {
            None => {
                scale = sum(scale, scaled(arriving, of_base));
                offset = sum(offset, product(arriving, beside));
            }
            Some(fibres) => {
                let left = fibres.left(normal_light);
                let beside = sum(scaled(beside, left), fibres.shine(normal_light, cosine(normal)));
                scale = sum(scale, scaled(arriving, of_base * left));
                offset = sum(offset, product(arriving, beside));
            }
        }
        if let Some(coat) = &surface.coat {
            on_top = sum(on_top, scaled(arriving, coat.shine(incidence.to_light, (to_eye, half))));
        }
    }
    match &surface.coat {
        None => Reflected { scale, offset, beneath: None },
        Some(coat) => {
            let weight = coat.weight(to_eye);
            let beneath = one - weight;
            let offset = sum(scaled(offset, beneath), scaled(on_top, weight));
            Reflected { scale: scaled(scale, beneath), offset, beneath: Some(beneath) }
        }
    }
}

impl<N: Number> Coat<N> {
    /// What it reflects of all light, by the angle of the eye.
    #[inline(always)]
    fn weight(&self, to_eye: [N; 3]) -> N {
        let (one, least) = (self.strength.constant(1.0), self.strength.constant(COAT_REFLECTANCE));
        let cosine = dot(self.normal, to_eye).magnitude().at_most(1.0);
        self.strength * (least + (one - least) * grazing(cosine))
    }

    /// π·D·V·(N·L) of the coat.
    #[inline(always)]
    fn shine(&self, to_light: [N; 3], (to_eye, half): ([N; 3], [N; 3])) -> N {
        let alpha_squared = self.roughness.at_least(LEAST_ROUGHNESS).squared().squared();
        let normal_light = dot(self.normal, to_light).at_least(0.0);
        let normal_half = dot(self.normal, half).at_least(0.0).at_most(1.0);
        let normal_view = dot(self.normal, to_eye).magnitude();
        distribution(normal_half, alpha_squared) * visibility(normal_light, normal_view, alpha_squared)
    }
}

#[cfg(test)]
mod tests;

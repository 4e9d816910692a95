//! [`Sheen`]: light that fibres which stand on a surface send back (KHR_materials_sheen).
//!
//! Why it exists: velvet is bright where microfacets are dark, at its rim. Its distribution is that of fibres round the normal
//! ("Charlie": A. Conty Estevez and C. Kulla, *Production Friendly Microfacet Sheen BRDF*, SIGGRAPH 2017), and of the two
//! visibilities that the extension offers it has the one that engines draw (D. Neubelt and M. Pettineo, *Crafting a Next-Gen Material
//! Pipeline for The Order: 1886*, SIGGRAPH 2013; M. Ashikhmin and S. Premože, *Distribution-based BRDFs*, 2007).
//!
//! # The albedo
//!
//! What fibres take, the base does not get: the extension scales the base by 1 − E of a table that everybody integrates for
//! himself. Here it is a formula, so that it can be written down, read over ranges and put into any shader: with the polynomials of
//! [`ALBEDO`], 1 ÷ p⁴ is within 0.007 of the integral over the whole domain of cosines and roughnesses (least squares over 40
//! roughnesses × 60 cosines, each the integral by 490,000 half vectors in f64, with the weights of the worst raised until
//! the largest error was least). The test beside it integrates again, otherwise. At grazing angles fibres that hardly lean send back more
//! than they get, by this visibility; E is 1 there, and the base is dark.

use refrast_range::Number;

/// The least perceptual roughness: that of three.js. Below it the rim is thinner than pixels.
pub const LEAST_SHEEN_ROUGHNESS: f32 = 0.07;

/// Sine squared below which f32 has no digits left of 1 − (N·H)².
const LEAST_SINE: f32 = 1e-8;

/// Of 1, r, r², r³ and r⁴ in a row, of 1, c, c² and c³ in a column: p = Σ cⁱ·Σ a·rʲ ÷ r² + [`ALBEDO_EDGE`].
const ALBEDO: [[f32; 5]; 4] = [
    [0.001_396_67, -0.042_300_6, 0.987_904, 0.381_524, -0.168_883],
    [-0.011_564_7, 0.444_485, -0.609_379, 1.673_684, -1.035_299],
    [0.056_054_3, -0.836_727, 3.279_102, -7.016_825, 4.324_504],
    [0.164_759, 0.259_273, -1.495_219, 4.193_077, -2.919_523],
];

/// − a ÷ (c + b): the edge of the horizon.
const ALBEDO_EDGE: [f32; 2] = [0.002_382, 0.06];

/// Fibres on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Sheen<N> {
    /// Linear RGB, 0 to 1.
    pub color: [N; 3],
    /// Perceptual roughness.
    pub roughness: N,
}

/// π·D, the distribution of fibres, of N·H and α.
#[inline(always)]
pub fn fibre_distribution<N: Number>(normal_half: N, alpha: N) -> N {
    let one = alpha.constant(1.0);
    let exponent = one.constant(0.5).divided_by(alpha);
    let sine_squared = (one - normal_half.squared()).at_least(LEAST_SINE);
    (one + exponent) * sine_squared.power(exponent)
}

/// V·(N·L), of N·L and N·V: a quarter of n ÷ (n + v − n·v).
#[inline(always)]
pub fn fibre_visibility<N: Number>(normal_light: N, normal_view: N) -> N {
    let one = normal_light.constant(1.0);
    normal_light.share(normal_view * (one - normal_light.at_most(1.0))) * one.constant(0.25)
}

/// E, the part of light from one angle that fibres of white colour send back, at most 1: of its cosine to the normal and of the
/// perceptual roughness, from [`LEAST_SHEEN_ROUGHNESS`] to 1.
#[inline(always)]
pub fn fibre_albedo<N: Number>(cosine: N, roughness: N) -> N {
    let number = |value: f32| roughness.constant(value);
    let [first, second, third, fourth] = ALBEDO;
    let inner = polynomial(third, roughness) + cosine * polynomial(fourth, roughness);
    let sum = polynomial(first, roughness) + cosine * (polynomial(second, roughness) + cosine * inner);
    let [height, width] = ALBEDO_EDGE;
    let edge = number(height).divided_by(cosine + number(width));
    let p = (sum.divided_by(roughness.squared()) - edge).at_least(1.0);
    number(1.0).divided_by(p.squared().squared())
}

/// The polynomial with these coefficients, the constant first.
#[inline(always)]
fn polynomial<N: Number>([a, b, c, d, e]: [f32; 5], x: N) -> N {
    let upper = x.constant(c) + x * (x.constant(d) + x * x.constant(e));
    x.constant(a) + x * (x.constant(b) + x * upper)
}

/// What fibres do under one eye: their α and how dark they make the base for light that leaves to it.
#[derive(Clone, Copy)]
pub(super) struct Fibres<N> {
    color: [N; 3],
    roughness: N,
    strongest: N,
    normal_view: N,
    to_eye: N,
}

impl<N: Number> Sheen<N> {
    #[inline(always)]
    pub(super) fn seen(&self, normal_view: N) -> Fibres<N> {
        let roughness = self.roughness.at_least(LEAST_SHEEN_ROUGHNESS);
        let strongest = self.color[0].greater(self.color[1]).greater(self.color[2]);
        Fibres { color: self.color, roughness, strongest, normal_view, to_eye: fibre_albedo(normal_view, roughness) }
    }
}

impl<N: Number> Fibres<N> {
    /// The part of ambient light that they leave for the base.
    #[inline(always)]
    pub(super) fn left_of_ambient(&self) -> N {
        self.strongest.constant(1.0) - self.strongest * self.to_eye
    }

    /// The part of a light that they leave for the base.
    #[inline(always)]
    pub(super) fn left(&self, normal_light: N) -> N {
        let albedo = self.to_eye.greater(fibre_albedo(normal_light, self.roughness));
        self.strongest.constant(1.0) - self.strongest * albedo
    }

    /// π·D·V·(N·L) times the colour.
    #[inline(always)]
    pub(super) fn shine(&self, normal_light: N, normal_half: N) -> [N; 3] {
        let shine = fibre_distribution(normal_half, self.roughness.squared())
            * fibre_visibility(normal_light, self.normal_view);
        [self.color[0] * shine, self.color[1] * shine, self.color[2] * shine]
    }
}

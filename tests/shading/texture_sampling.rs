//! Texture sampling against a second, plain implementation in f64 that follows the Vulkan specification's integer
//! wrapping, and the cases where the answer is exact.

use fearless_simd::{Simd, f32x8, prelude::*};
use fearless_simd_macros::simd;
use proptest::prelude::*;
use refrast::simd::dispatch;
use refrast::{
    scene::{Filter, Image, Sampler, Wrap},
    shading::{ColorSpace, Coordinates, PreparedTexture},
    simd::SimdLevel,
};

/// u, v, ∂u/∂x, ∂v/∂x, ∂u/∂y, ∂v/∂y.
type Look = [f32; 6];

#[simd]
fn sample_eight<S: Simd>(simd: S, texture: &PreparedTexture, looks: &[Look; 8]) -> [[f32; 4]; 8] {
    let lanes = |component: usize| f32x8::from_fn(simd, |lane| looks[lane][component]);
    let coordinates = Coordinates { at: [lanes(0), lanes(1)], dx: [lanes(2), lanes(3)], dy: [lanes(4), lanes(5)] };
    let channels = texture.sample(&coordinates);
    std::array::from_fn(|lane| channels.map(|channel| channel[lane]))
}

/// The slowest level's colours, after checking that the other levels give the same bits.
fn sampled(texture: &PreparedTexture, looks: &[Look; 8]) -> [[f32; 4]; 8] {
    let at = |level: SimdLevel| dispatch!(level.token_or_base(), simd => sample_eight(simd, texture, looks));
    let expected = at(SimdLevel::Scalar);
    for level in SimdLevel::available() {
        let bits = |colors: [[f32; 4]; 8]| colors.map(|color| color.map(f32::to_bits));
        assert_eq!(bits(at(level)), bits(expected), "{level} differs from the slowest");
    }
    expected
}

/// One look in all lanes.
fn look(texture: &PreparedTexture, look: Look) -> [f32; 4] {
    sampled(texture, &[look; 8])[0]
}

fn prepared(width: u32, height: u32, sampler: Sampler, byte: impl Fn(u32) -> u8) -> PreparedTexture {
    let rgba = (0..4 * width * height).map(byte).collect();
    PreparedTexture::new(&Image { name: None, width, height, rgba, jpeg: None }, sampler, ColorSpace::Srgb)
        .expect("an image")
}

fn noise(index: u32) -> u8 {
    ((index + 1).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b) >> 24) as u8
}

/// The specification in f64.
mod plain {
    use super::*;

    pub(super) struct Sample {
        pub(super) color: [f64; 4],
        /// Distance to the next point where another texel or level is chosen, in texels or levels.
        pub(super) margin: f64,
    }

    /// "Wrapping Operation": an integer texel coordinate outside the image.
    fn wrapped(wrap: Wrap, texel: i64, size: i64) -> i64 {
        let mirror = |n: i64| if n >= 0 { n } else { -(1 + n) };
        match wrap {
            Wrap::Repeat => texel.rem_euclid(size),
            Wrap::MirroredRepeat => (size - 1) - mirror(texel.rem_euclid(2 * size) - size),
            Wrap::ClampToEdge => texel.clamp(0, size - 1),
        }
    }

    fn texel(texture: &PreparedTexture, level: usize, x: i64, y: i64) -> [f64; 4] {
        let [width, height] = texture.level_size(level).expect("a level").map(i64::from);
        let sampler = texture.sampler();
        let index = wrapped(sampler.wrap_v, y, height) * width + wrapped(sampler.wrap_u, x, width);
        let bytes = texture.level_bytes(level).expect("a level");
        std::array::from_fn(|channel| {
            let stored = f64::from(bytes[4 * index as usize + channel]) / 255.0;
            match channel {
                3 => stored,
                _ if stored <= 0.04045 => stored / 12.92,
                _ => libm::pow((stored + 0.055) / 1.055, 2.4),
            }
        })
    }

    fn weighted(terms: &[(f64, [f64; 4])]) -> [f64; 4] {
        std::array::from_fn(|channel| terms.iter().map(|(weight, color)| weight * color[channel]).sum())
    }

    fn level(texture: &PreparedTexture, level: usize, filter: Filter, [u, v]: [f64; 2]) -> Sample {
        let [width, height] = texture.level_size(level).expect("a level").map(f64::from);
        let (x, y) = (u * width, v * height);
        match filter {
            Filter::Nearest => {
                let to_border = |position: f64| (position - position.round()).abs();
                let color = texel(texture, level, x.floor() as i64, y.floor() as i64);
                Sample { color, margin: to_border(x).min(to_border(y)) }
            }
            Filter::Linear => {
                let (x, y) = (x - 0.5, y - 0.5);
                let (left, top) = (x.floor() as i64, y.floor() as i64);
                let (across, down) = (x - x.floor(), y - y.floor());
                let color = weighted(&[
                    ((1.0 - across) * (1.0 - down), texel(texture, level, left, top)),
                    (across * (1.0 - down), texel(texture, level, left + 1, top)),
                    ((1.0 - across) * down, texel(texture, level, left, top + 1)),
                    (across * down, texel(texture, level, left + 1, top + 1)),
                ]);
                Sample { color, margin: f64::INFINITY }
            }
        }
    }

    pub(super) fn sample(texture: &PreparedTexture, look: Look) -> Sample {
        let [u, v, u_dx, v_dx, u_dy, v_dy] = look.map(f64::from);
        let [width, height] = texture.level_size(0).expect("level 0").map(f64::from);
        let sampler = texture.sampler();
        let scale = libm::hypot(u_dx * width, v_dx * height).max(libm::hypot(u_dy * width, v_dy * height));
        let lambda = libm::log2(scale);
        let last = (texture.level_count() - 1) as f64;
        let filter = if lambda > 0.0 { sampler.minification } else { sampler.magnification };
        let switches = sampler.minification != sampler.magnification;
        let switch_margin = if switches { lambda.abs() } else { f64::INFINITY };
        let clamped = lambda.clamp(0.0, last);
        let mut sample = match sampler.mip {
            None => level(texture, 0, filter, [u, v]),
            Some(Filter::Nearest) => {
                let nearest = (clamped + 0.5).ceil() - 1.0;
                let sample = level(texture, nearest as usize, filter, [u, v]);
                let to_border = (clamped - clamped.floor() - 0.5).abs();
                Sample { margin: sample.margin.min(to_border), ..sample }
            }
            Some(Filter::Linear) => {
                let fine = level(texture, clamped.floor() as usize, filter, [u, v]);
                let coarse = level(texture, clamped.ceil() as usize, filter, [u, v]);
                let fraction = clamped - clamped.floor();
                Sample {
                    color: weighted(&[(1.0 - fraction, fine.color), (fraction, coarse.color)]),
                    margin: fine.margin.min(coarse.margin),
                }
            }
        };
        sample.margin = sample.margin.min(switch_margin);
        sample
    }
}

/// How far f32 may be from f64 for textures of at most 64 texels and |u| ≤ 8, in the colour and in a position.
///
/// Position: the fold rounds by 2⁻²⁵ of the texture (2⁻¹⁹ texels at 64), the product and the half texel by 2⁻¹⁹ each:
/// below 2⁻¹⁷ texels in all. Values lie in [0, 1], so a colour changes by no more than a position does, on each of two
/// axes: 2⁻¹⁶. λ ≤ 6 errs by its few roundings, below 2⁻²⁰, and the fewer than twenty further roundings of numbers
/// up to 1 by 2⁻²⁴ each. Together below 2⁻¹⁵.
const BOUND: f64 = 1.0 / 32_768.0;

fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![Just(Filter::Nearest), Just(Filter::Linear)]
}

fn wrap() -> impl Strategy<Value = Wrap> {
    prop_oneof![Just(Wrap::Repeat), Just(Wrap::MirroredRepeat), Just(Wrap::ClampToEdge)]
}

fn sampler() -> impl Strategy<Value = Sampler> {
    (filter(), filter(), prop::option::of(filter()), wrap(), wrap()).prop_map(
        |(magnification, minification, mip, wrap_u, wrap_v)| Sampler {
            magnification,
            minification,
            mip,
            wrap_u,
            wrap_v,
        },
    )
}

fn any_look() -> impl Strategy<Value = Look> {
    let coordinate = -8.0_f32..8.0;
    let derivative = (-9.0_f32..1.5, prop::bool::ANY)
        .prop_map(|(exponent, negative)| libm::exp2f(exponent) * if negative { -1.0 } else { 1.0 });
    (coordinate.clone(), coordinate, prop::array::uniform4(derivative))
        .prop_map(|(u, v, [a, b, c, d])| [u, v, a, b, c, d])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn every_sampler_state_agrees_with_the_specification_in_f64(
        width in 1_u32..=64,
        height in 1_u32..=64,
        sampler in sampler(),
        looks in prop::array::uniform8(any_look()),
    ) {
        let texture = prepared(width, height, sampler, noise);
        for (look, actual) in looks.iter().zip(sampled(&texture, &looks)) {
            let expected = plain::sample(&texture, *look);
            // Next to a border either texel may come out; the borders themselves have exact tests below.
            if expected.margin > BOUND {
                for (actual, expected) in actual.iter().zip(expected.color) {
                    prop_assert!((f64::from(*actual) - expected).abs() < BOUND, "{actual} is not {expected}");
                }
            }
        }
    }

    #[test]
    fn a_constant_texture_filters_to_itself(
        size in 1_u32..=33,
        byte in 0_u8..=255,
        sampler in sampler(),
        looks in prop::array::uniform8(any_look()),
    ) {
        let texture = prepared(size, 7, sampler, |_| byte);
        let expected = ColorSpace::Srgb.decode([byte; 4]);
        prop_assert_eq!(sampled(&texture, &looks), [expected; 8]);
    }
}

const STILL: [f32; 4] = [0.0; 4];

/// `[u, v]` without derivatives: magnified.
fn at(u: f32, v: f32) -> Look {
    [u, v, STILL[0], STILL[1], STILL[2], STILL[3]]
}

/// Eight texels in a row with red 0, 10, … 70.
fn row(sampler: Sampler) -> PreparedTexture {
    prepared(8, 1, sampler, |index| if index.is_multiple_of(4) { 10 * (index / 4) as u8 } else { 255 })
}

/// The texel of [`row`] that has exactly this red.
fn texel_of(color: [f32; 4]) -> u8 {
    let [byte, ..] = ColorSpace::Srgb.encode(color);
    assert_eq!(color[0], ColorSpace::Srgb.decode([byte; 4])[0], "a mixture of texels");
    byte / 10
}

#[test]
fn texel_centres_give_the_texel_exactly() {
    let texture = prepared(16, 4, Sampler::default(), noise);
    for y in 0..4_u16 {
        for x in 0..16_u16 {
            let center = at((f32::from(x) + 0.5) / 16.0, (f32::from(y) + 0.5) / 4.0);
            let start = 4 * usize::from(16 * y + x);
            let bytes = texture.level_bytes(0).expect("level 0")[start..start + 4].try_into().expect("four bytes");
            assert_eq!(look(&texture, center), ColorSpace::Srgb.decode(bytes));
        }
    }
}

#[test]
fn nearest_borders_belong_to_the_texel_after_them_and_mirrored_ones_to_the_texel_before() {
    let nearest = |wrap_u| Sampler { magnification: Filter::Nearest, wrap_u, ..Sampler::default() };
    let texels = |wrap: Wrap, u: f32| texel_of(look(&row(nearest(wrap)), at(u, 0.5)));
    // u·8 is a whole number: floor takes the texel that begins there. In the mirrored copy [1, 2) texel 8 + k of the
    // wrapping rule is texel 7 − k.
    for (u, repeated, mirrored, clamped) in [
        (0.0, 0, 0, 0),
        (0.125, 1, 1, 1),
        (0.875, 7, 7, 7),
        (1.0, 0, 7, 7),
        (1.125, 1, 6, 7),
        (1.875, 7, 0, 7),
        (2.0, 0, 0, 7),
        (-0.125, 7, 0, 0),
        (-0.25, 6, 1, 0),
        (-1.0, 0, 7, 0),
        (-1.125, 7, 7, 0),
    ] {
        assert_eq!(texels(Wrap::Repeat, u), repeated, "repeat {u}");
        assert_eq!(texels(Wrap::MirroredRepeat, u), mirrored, "mirrored {u}");
        assert_eq!(texels(Wrap::ClampToEdge, u), clamped, "clamp {u}");
    }
}

#[test]
fn huge_tiny_and_meaningless_coordinates_have_a_texel() {
    let nearest = |wrap_u| Sampler { magnification: Filter::Nearest, wrap_u, ..Sampler::default() };
    let texels = |wrap: Wrap, u: f32| texel_of(look(&row(nearest(wrap)), at(u, 0.5)));
    // 2²⁰ + 0.25 is an f32; 3·10³⁸ is a whole and even number of periods, as every large f32 is.
    for (u, repeated, mirrored, clamped) in [
        (1_048_576.0 + 0.25, 2, 2, 7),
        (1_048_577.0 + 0.25, 2, 5, 7),
        (-1_048_576.0 - 0.25, 6, 1, 0),
        (3e38, 0, 0, 7),
        (-3e38, 0, 0, 0),
        // Just before 0: the last texel of the copy to the left, which mirrored is the first.
        (-1e-30, 7, 0, 0),
        (1e-30, 0, 0, 0),
        (f32::INFINITY, 0, 0, 7),
        (f32::NEG_INFINITY, 0, 0, 0),
        (f32::NAN, 0, 0, 0),
    ] {
        assert_eq!(texels(Wrap::Repeat, u), repeated, "repeat {u}");
        assert_eq!(texels(Wrap::MirroredRepeat, u), mirrored, "mirrored {u}");
        assert_eq!(texels(Wrap::ClampToEdge, u), clamped, "clamp {u}");
    }
}

#[test]
fn linear_filtering_wraps_its_second_texel() {
    let sampler = |wrap_u| Sampler { wrap_u, ..Sampler::default() };
    // At u = 0 the two texels are −1 and 0, half each.
    let red = |index: u8| f64::from(ColorSpace::Srgb.decode([10 * index; 4])[0]);
    for (wrap, neighbour) in [(Wrap::Repeat, 7), (Wrap::MirroredRepeat, 0), (Wrap::ClampToEdge, 0)] {
        let [actual, ..] = look(&row(sampler(wrap)), at(0.0, 0.5));
        assert!((f64::from(actual) - (red(0) + red(neighbour)) / 2.0).abs() < 1e-8, "{wrap:?}");
    }
}

#[test]
fn derivatives_without_meaning_choose_a_level() {
    let texture = prepared(8, 8, Sampler::default(), noise);
    let center = 0.5 / 8.0;
    let finest = look(&texture, at(center, center));
    let coarsest = ColorSpace::Srgb.decode(texture.level_bytes(3).expect("level 3").try_into().expect("one texel"));
    assert_eq!(look(&texture, [center, center, f32::NAN, f32::NAN, f32::NAN, f32::NAN]), finest);
    assert_eq!(look(&texture, [center, center, f32::INFINITY, 0.0, 0.0, 0.0]), coarsest);
    assert_eq!(look(&texture, [center, center, 1e30, 1e30, -1e30, 0.0]), coarsest);
    assert_eq!(look(&texture, [center, center, 1e-40, 0.0, 0.0, 0.0]), finest);
}

#[test]
fn large_levels_and_small_ones_are_the_same_texture() {
    // 1024×600 texels are too many to be kept decoded; from level 1 on they are. Both ways meet at every fraction.
    let texture = prepared(1024, 600, Sampler::default(), noise);
    let looks = std::array::from_fn(|lane| {
        let scale = (1.0 + lane as f32 / 3.0) / 1024.0;
        [0.317 * lane as f32, 0.71, scale, 0.0, 0.0, scale]
    });
    for (actual, look) in sampled(&texture, &looks).into_iter().zip(looks) {
        let expected = plain::sample(&texture, look).color;
        for (actual, expected) in actual.into_iter().zip(expected) {
            // Sixteen times the texels of the bound above, on each axis.
            assert!((f64::from(actual) - expected).abs() < 16.0 * BOUND, "{actual} is not {expected}");
        }
    }
}

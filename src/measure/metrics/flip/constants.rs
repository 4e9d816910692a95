//! The constants and filters of ꟻLIP.
//!
//! Why it exists: a metric is its constants. Each stands here once, with its place in the paper: Andersson, Nilsson,
//! Akenine-Möller, Oskarsson, Åström and Fairchild, "ꟻLIP: A Difference Evaluator for Alternating Images", Proceedings
//! of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020. The filters are separated as in the authors'
//! note "Separated convolutions": the blue-yellow filter is a sum of two Gaussians, each of which separates.

use glam::{DMat3, DVec3};

/// q_c: the exponent of the colour difference (section 4.1.4).
pub(super) const COLOR_EXPONENT: f32 = 0.7;
/// p_c: the share of the largest colour difference that is mapped to p_t (section 4.1.4).
const COLOR_SHARE: f64 = 0.4;
/// p_t: where p_c lands (section 4.1.4).
const COLOR_TARGET: f64 = 0.95;
/// w: the width of the feature detectors in degrees (section 4.2).
const FEATURE_WIDTH: f64 = 0.082;
/// Table 1: a and b of the contrast sensitivity Gaussians of Y, Cx and the two of Cz.
const ACHROMATIC: (f64, f64) = (1.0, 0.0047);
const RED_GREEN: (f64, f64) = (1.0, 0.0053);
const BLUE_YELLOW: [(f64, f64); 2] = [(34.1, 0.04), (13.5, 0.025)];

/// Linear sRGB to CIE XYZ under D65, as exact fractions; rows X, Y, Z.
const RGB_TO_XYZ: [[f64; 3]; 3] = [
    [10_135_552.0 / 24_577_794.0, 8_788_810.0 / 24_577_794.0, 4_435_075.0 / 24_577_794.0],
    [2_613_072.0 / 12_288_897.0, 8_788_810.0 / 12_288_897.0, 887_015.0 / 12_288_897.0],
    [1_425_312.0 / 73_733_382.0, 8_788_810.0 / 73_733_382.0, 70_074_185.0 / 73_733_382.0],
];

/// Everything about ꟻLIP that does not depend on the pictures.
pub(super) struct Constants {
    /// Linear sRGB to XYZ divided by the white point; rows X, Y, Z; each row sums to 1.
    pub(super) from_rgb: [[f32; 3]; 3],
    /// The inverse.
    pub(super) to_rgb: [[f32; 3]; 3],
    /// Spatial filters: weights for distances 0, 1, 2 … of Y, Cx and the two parts of Cz. All have one length.
    pub(super) spatial: [Vec<f32>; 4],
    /// Feature filters: the Gaussian and its first and second derivative at distances 0, 1, 2 … The second is odd: at
    /// distance −d it has the opposite sign.
    pub(super) feature: [Vec<f32>; 3],
    /// Colour differences below this one are scaled by `low_scale` …
    pub(super) knee: f32,
    /// … which is p_t divided by the knee,
    pub(super) low_scale: f32,
    /// and the others by this, (1 − p_t) divided by what is above the knee, plus p_t.
    pub(super) high_scale: f32,
    /// p_t.
    pub(super) target: f32,
}

impl Constants {
    pub(super) fn new(pixels_per_degree: f32) -> Self {
        let pixels_per_degree = f64::from(pixels_per_degree);
        let rgb_to_xyz = DMat3::from_cols_array_2d(&RGB_TO_XYZ).transpose();
        let white = rgb_to_xyz * DVec3::ONE;
        let from_rgb = DMat3::from_diagonal(white.recip()) * rgb_to_xyz;
        let largest = largest_color_difference(from_rgb);
        let knee = COLOR_SHARE * largest;
        Self {
            from_rgb: rows(from_rgb),
            to_rgb: rows(from_rgb.inverse()),
            spatial: spatial_filters(pixels_per_degree),
            feature: feature_filters(pixels_per_degree),
            knee: knee as f32,
            low_scale: (COLOR_TARGET / knee) as f32,
            high_scale: ((1.0 - COLOR_TARGET) / (largest - knee)) as f32,
            target: COLOR_TARGET as f32,
        }
    }

    /// How far the filters reach, in pixels.
    pub(super) fn reach(&self) -> usize {
        self.spatial[0].len().max(self.feature[0].len()) - 1
    }
}

fn rows(matrix: DMat3) -> [[f32; 3]; 3] {
    matrix.transpose().to_cols_array_2d().map(|row| row.map(|value| value as f32))
}

/// The contrast sensitivity filters (section 4.1.1), each normalised to sum 1 in two dimensions.
fn spatial_filters(pixels_per_degree: f64) -> [Vec<f32>; 4] {
    let pi_squared = std::f64::consts::PI * std::f64::consts::PI;
    let widest = BLUE_YELLOW[0].1;
    // Three standard deviations of the widest Gaussian.
    let radius = (3.0 * (widest / (2.0 * pi_squared)).sqrt() * pixels_per_degree).ceil() as usize;
    let weights = |amplitude: f64, b: f64| -> Vec<f64> {
        let weight = |distance: usize| {
            let degrees = distance as f64 / pixels_per_degree;
            amplitude * libm::exp(-pi_squared * degrees * degrees / b)
        };
        (0..=radius).map(weight).collect()
    };
    let sum = |weights: &[f64]| weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    let scaled = |weights: Vec<f64>, norm: f64| weights.into_iter().map(|weight| (weight / norm) as f32).collect();
    let single = |(_, b): (f64, f64)| {
        let weights = weights(1.0, b);
        let norm = sum(&weights);
        scaled(weights, norm)
    };
    // In two dimensions the parts weigh a·π/b; the square root goes into each direction.
    let parts = BLUE_YELLOW.map(|(a, b)| weights((a * (std::f64::consts::PI / b).sqrt()).sqrt(), b));
    let norm = parts.iter().map(|part| sum(part) * sum(part)).sum::<f64>().sqrt();
    let [first, second] = parts.map(|part| scaled(part, norm));
    [single(ACHROMATIC), single(RED_GREEN), first, second]
}

/// The edge and point detectors (section 4.2): Gaussian, first and second derivative; the Gaussian sums to 1, the
/// positive parts of the derivatives to 1 and the negative parts to −1.
fn feature_filters(pixels_per_degree: f64) -> [Vec<f32>; 3] {
    let deviation = 0.5 * FEATURE_WIDTH * pixels_per_degree;
    let radius = (3.0 * deviation).ceil() as usize;
    let gaussian: Vec<f64> = (0..=radius)
        .map(|distance| libm::exp(-((distance * distance) as f64) / (2.0 * deviation * deviation)))
        .collect();
    let first: Vec<f64> = gaussian.iter().enumerate().map(|(distance, weight)| -(distance as f64) * weight).collect();
    let second: Vec<f64> = gaussian
        .iter()
        .enumerate()
        .map(|(distance, weight)| ((distance * distance) as f64 / (deviation * deviation) - 1.0) * weight)
        .collect();
    let both_sides = |weights: &[f64], keep: fn(f64) -> bool| -> f64 {
        let center = if keep(weights[0]) { weights[0] } else { 0.0 };
        center + 2.0 * weights[1..].iter().filter(|&&weight| keep(weight)).sum::<f64>()
    };
    let gaussian_sum = both_sides(&gaussian, |_| true);
    let first_sum: f64 = first.iter().map(|weight| weight.abs()).sum();
    let positive_sum = both_sides(&second, |weight| weight > 0.0);
    let negative_sum = -both_sides(&second, |weight| weight <= 0.0);
    [
        gaussian.iter().map(|weight| (weight / gaussian_sum) as f32).collect(),
        first.iter().map(|weight| (weight / first_sum) as f32).collect(),
        second.iter().map(|&weight| (weight / if weight > 0.0 { positive_sum } else { negative_sum }) as f32).collect(),
    ]
}

/// c_max: the Hunt-adjusted HyAB distance of green and blue, to the power q_c (section 4.1.4).
fn largest_color_difference(from_rgb: DMat3) -> f64 {
    let [green, blue] = [DVec3::Y, DVec3::Z].map(|rgb| hunt_lab(from_rgb * rgb));
    let distance = (green.x - blue.x).abs()
        + ((green.y - blue.y) * (green.y - blue.y) + (green.z - blue.z) * (green.z - blue.z)).sqrt();
    libm::pow(distance, f64::from(COLOR_EXPONENT))
}

/// White-relative XYZ to L*a*b* with a* and b* scaled by L*/100 (the Hunt effect, section 4.1.2).
fn hunt_lab(xyz: DVec3) -> DVec3 {
    let delta = 6.0 / 29.0;
    let f = |t: f64| if t > delta * delta * delta { libm::cbrt(t) } else { t / (3.0 * delta * delta) + 4.0 / 29.0 };
    let (x, y, z) = (f(xyz.x), f(xyz.y), f(xyz.z));
    let lightness = 116.0 * y - 16.0;
    DVec3::new(lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_sided(weights: &[f32], odd: bool) -> Vec<f64> {
        let mirrored = weights[1..].iter().rev().map(|&weight| if odd { -f64::from(weight) } else { weight.into() });
        mirrored.chain(weights.iter().map(|&weight| weight.into())).collect()
    }

    #[test]
    fn filters_have_the_sums_that_the_paper_asks_for() {
        for pixels_per_degree in [20.0, 67.020_645, 133.0] {
            let constants = Constants::new(pixels_per_degree);
            let [y, cx, cz_first, cz_second] = &constants.spatial;
            let sum = |weights: &[f32]| two_sided(weights, false).iter().sum::<f64>();
            assert!((sum(y) - 1.0).abs() < 1e-6 && (sum(cx) - 1.0).abs() < 1e-6);
            let cz = sum(cz_first) * sum(cz_first) + sum(cz_second) * sum(cz_second);
            assert!((cz - 1.0).abs() < 1e-6, "{cz}");
            let [gaussian, first, second] = &constants.feature;
            assert!((sum(gaussian) - 1.0).abs() < 1e-6);
            for weights in [two_sided(first, true), two_sided(second, false)] {
                let positive: f64 = weights.iter().filter(|weight| **weight > 0.0).sum();
                let negative: f64 = weights.iter().filter(|weight| **weight < 0.0).sum();
                assert!((positive - 1.0).abs() < 1e-6 && (negative + 1.0).abs() < 1e-6, "{positive} {negative}");
            }
        }
    }

    #[test]
    fn radii_at_67_pixels_a_degree_are_those_of_the_paper() {
        // ceil(3·√(0.04/2π²)·67.02) = ceil(9.05) = 10; ceil(3·0.5·0.082·67.02) = ceil(8.24) = 9.
        let constants = Constants::new(super::super::DEFAULT_PIXELS_PER_DEGREE);
        assert_eq!((constants.spatial[0].len() - 1, constants.feature[0].len() - 1), (10, 9));
        assert_eq!(constants.reach(), 10);
    }

    #[test]
    fn white_is_white_and_the_matrices_are_inverse() {
        let constants = Constants::new(67.0);
        for row in constants.from_rgb {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
        // The matrix of IEC 61966-2-1 from XYZ, times the white point 0.9505, 1, 1.0890 of its columns.
        let published = [[3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570]];
        for (ours, published) in constants.to_rgb.iter().zip(published) {
            for ((ours, published), white) in ours.iter().zip(published).zip([0.9505_f32, 1.0, 1.0890]) {
                assert!((ours - published * white).abs() < 1e-3, "{ours} {published}");
            }
        }
    }
}

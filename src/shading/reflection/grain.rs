//! [`Grain`]: highlights that a brushed surface stretches (KHR_materials_anisotropy).
//!
//! Why it exists: a distribution with two roughnesses asks where the half vector lies around the normal, not only how far from
//! it. So it needs a frame, and formulas of their own in place of those of N·H and N·L. They are the extension's, section 8 of
//! the [shading model](super::super) in its order, over any [`Number`].

use refrast_range::{Number, cross, dot, scaled, sum};

/// Below what any frame of right angles gives; a normal map may lean the normal out of its frame, and then nothing else keeps
/// these sums from 0.
const LEAST_LENGTH: f32 = 1e-12;
const LEAST_MASKING: f32 = 1e-8;

/// Which way a surface is brushed, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Grain<N> {
    /// How far highlights are stretched, 0 to 1.
    pub strength: N,
    /// Along what they are stretched: unit length, in the plane of the interpolated normal.
    pub along: [N; 3],
    /// At right angles to it and to the interpolated normal, unit length.
    pub across: [N; 3],
}

/// [`Grain::along`] and [`Grain::across`], of the interpolated normal and tangent (neither of them brought to unit length).
///
/// `texel` is red and green of the anisotropy texture as sampled, in \[0, 1\], where there is one; `turn` is the cosine and the
/// sine of its rotation, counter-clockwise from the tangent.
#[inline(always)]
pub fn grain_directions<N: Number>(
    normal: [N; 3],
    tangent: [N; 4],
    texel: Option<[N; 2]>,
    turn: [f32; 2],
) -> [[N; 3]; 2] {
    let one = normal[0].constant(1.0);
    let [cosine, sine] = [one.derived(turn[0], 1.0), one.derived(turn[1], 1.0)];
    let [x, y] = match texel {
        None => [cosine, sine],
        Some([red, green]) => {
            let two = one.constant(2.0);
            let [x, y, _] = N::normalized([two * red - one, two * green - one, one.constant(0.0)]);
            [cosine * x - sine * y, sine * x + cosine * y]
        }
    };
    let [tangent_x, tangent_y, tangent_z, handedness] = tangent;
    let tangent = [tangent_x, tangent_y, tangent_z];
    let bitangent = scaled(cross(normal, tangent), handedness);
    let along = N::normalized(sum(scaled(tangent, x), scaled(bitangent, y)));
    [along, N::normalized(cross(N::normalized(normal), along))]
}

/// π·D, the distribution of Trowbridge and Reitz with two roughnesses, of T·H, B·H and N·H, and of α along T and along B.
#[inline(always)]
pub fn stretched_distribution<N: Number>([tangent, bitangent, normal]: [N; 3], [along, across]: [N; 2]) -> N {
    let both = along * across;
    let length = (across * tangent).squared() + (along * bitangent).squared() + (both * normal).squared();
    both * both.divided_by(length.at_least(LEAST_LENGTH)).squared()
}

/// V·(N·L), the height-correlated visibility of Smith with two roughnesses, of T, B and N by L and by the eye, and of α along T
/// and along B.
#[inline(always)]
pub fn stretched_visibility<N: Number>(light: [N; 3], view: [N; 3], [along, across]: [N; 2]) -> N {
    let (to_eye, to_light) = (stretched_masking(view, [along, across]), stretched_masking(light, [along, across]));
    let share = (light[2] * to_eye).share(view[2] * to_light);
    (share * along.constant(0.5)).divided_by(to_eye)
}

/// The length of T, B and N by one direction with the first two times their α.
#[inline(always)]
fn stretched_masking<N: Number>([tangent, bitangent, normal]: [N; 3], [along, across]: [N; 2]) -> N {
    let squared = (along * tangent).squared() + (across * bitangent).squared() + normal.squared();
    squared.at_least(LEAST_MASKING).square_root()
}

impl<N: Number> Grain<N> {
    /// π·D·V·(N·L). `alpha` is that of the surface; each direction comes with its cosine to the shading normal, which is not
    /// below 0.
    #[inline(always)]
    pub(super) fn shine(&self, alpha: N, [light, view, half]: [([N; 3], N); 3]) -> N {
        let one = alpha.constant(1.0);
        let squared = self.strength.squared();
        let alphas = [alpha * (one - squared) + squared, alpha];
        let cosines = |(direction, cosine)| [dot(self.along, direction), dot(self.across, direction), cosine];
        let visibility = stretched_visibility(cosines(light), cosines(view), alphas);
        stretched_distribution(cosines(half), alphas) * visibility
    }
}

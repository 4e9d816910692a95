//! What the lights may give a fragment.
//!
//! # Directions
//!
//! A direction is a unit vector d and a chord c: a backend's is a unit vector within c of it, but for a relative error of
//! its length. Where a vector n is known to within a ball of radius r < |n|/2, its direction turns by at most
//! θ = asin(r/|n|), and the chord 2·sin(θ/2) is below 1.04·r/|n|. A chord c to d′ = d − ½c²·d + t with t ⟂ d, |t| ≤ c
//! changes the cosine x = d·L by at most
//!
//! > c·√(|L|² − x²) + ½c²·|x|.
//!
//! Normalising takes a dot product (three roundings on the way of each square, halved by the root), an inverse square
//! root or a root and a division, and a product.

use super::varyings::Interpolated;
use crate::Interval;
use refrast_range::Freedoms;
use refrast_shading::{Light, LightSource, Lighting, SMALLEST_DISTANCE_SQUARED};

/// A unit vector, or less where nothing is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction {
    pub(super) at: [f64; 3],
    /// How far a backend's may be from `at`.
    pub(super) chord: f64,
}

/// Roundings on the way of a light's own numbers: from the file through its node's matrix, normalised.
const LIGHT_ROUNDINGS: f64 = 8.0;

/// The relative error of a normalised vector.
fn normalizing(freedoms: &Freedoms) -> f64 {
    4.0 * freedoms.arithmetic + 2.0 * freedoms.division + freedoms.inverse_square_root
}

impl Direction {
    /// Of a vector; anything up to unit length where the vector may vanish.
    pub(super) fn of(vector: [Interpolated; 3]) -> Self {
        let at = vector.map(|component| component.value);
        let (length, radius) = (length(at), length(vector.map(|component| component.radius)));
        if radius < 0.5 * length {
            Self { at: at.map(|component| component / length), chord: 1.04 * radius / length }
        } else {
            Self { at: [0.0; 3], chord: 1.0 }
        }
    }

    /// A component as a backend may have it.
    pub(super) fn component(&self, axis: usize, freedoms: &Freedoms) -> Interval {
        let limit = 1.0 + normalizing(freedoms);
        Interval::around(self.at[axis], self.chord + normalizing(freedoms)).clamped(-limit, limit)
    }

    /// Seen from the other side.
    pub(super) fn reversed(&self) -> Self {
        Self { at: self.at.map(|component| -component), chord: self.chord }
    }

    /// The scalar product with a vector that is known to within `other_chord`.
    fn cosine(&self, other: [f64; 3], other_chord: f64, freedoms: &Freedoms) -> Interval {
        let length = length(other);
        let relative = normalizing(freedoms) + (3.0 + LIGHT_ROUNDINGS) * freedoms.arithmetic;
        let error = relative * (length + other_chord);
        if self.chord >= 1.0 {
            return Interval::around(0.0, length + other_chord + error);
        }
        let cosine = dot(self.at, other);
        let across = (length * length - cosine * cosine).max(0.0).sqrt();
        let turned = self.chord * across + 0.5 * self.chord * self.chord * cosine.abs();
        Interval::around(cosine, turned + other_chord + error)
    }
}

/// Ambient light and that of all lights, for a white surface: red, green, blue. `parts` are what shadows leave of each light.
pub(super) fn white_radiance(
    lighting: &Lighting,
    normal: &Direction,
    position: [Interpolated; 3],
    parts: &[Option<Interval>],
    freedoms: &Freedoms,
) -> [Interval; 3] {
    let mut sum = lighting.ambient.map(|ambient| Interval::exact(f64::from(ambient)));
    for (number, light) in lighting.lights.iter().enumerate() {
        let strength = strength(light, normal, position, freedoms);
        let strength = match parts.get(number).copied().flatten() {
            None => strength,
            Some(part) => (strength * part).rounded(freedoms.arithmetic),
        };
        for (sum, radiance) in sum.iter_mut().zip(light.radiance) {
            // No term is negative, so that a sum of intervals needs no signs.
            let radiance = f64::from(radiance);
            sum.low += radiance * strength.low;
            sum.high += radiance * strength.high;
        }
    }
    // Each radiance was rounded twice when it was made and once by its strength.
    let roundings = lighting.lights.len() as f64 + 4.0;
    sum.map(|sum| sum.rounded(roundings * freedoms.arithmetic))
}

/// max(0, N·L), times the attenuation.
fn strength(light: &Light, normal: &Direction, position: [Interpolated; 3], freedoms: &Freedoms) -> Interval {
    match light.source {
        LightSource::Directional { to_light } => positive(normal.cosine(to_light.map(f64::from), 0.0, freedoms)),
        LightSource::Point { position: light, inverse_range_squared, cone } => {
            let toward = Toward::new(light.map(f64::from), position, freedoms);
            let facing = positive(normal.cosine(toward.direction.at, toward.direction.chord, freedoms));
            let strength = facing * toward.attenuation(f64::from(inverse_range_squared), freedoms);
            let Some(cone) = cone else { return strength };
            let (axis, scale, offset) = (cone.axis.map(f64::from), f64::from(cone.scale), f64::from(cone.offset));
            // The cosines of the cone's own angles are rounded too, before `scale` makes them large.
            let cosine = (-toward.direction.cosine(axis, 0.0, freedoms)).widened(4.0 * freedoms.arithmetic);
            let rounding = 4.0 * freedoms.arithmetic * (scale.abs() + offset.abs());
            let inside = Interval { low: cosine.low * scale + offset, high: cosine.high * scale + offset };
            let inside = inside.widened(rounding).clamped(0.0, 1.0);
            (strength * (inside * inside)).rounded(3.0 * freedoms.arithmetic)
        }
    }
}

/// From a surface to a light.
struct Toward {
    direction: Direction,
    /// d², at least the smallest.
    squared: Interval,
}

impl Toward {
    fn new(light: [f64; 3], position: [Interpolated; 3], freedoms: &Freedoms) -> Self {
        let at = [0, 1, 2].map(|axis: usize| light[axis] - position[axis].value);
        let radius = [0, 1, 2]
            .map(|axis: usize| position[axis].radius + LIGHT_ROUNDINGS * freedoms.arithmetic * light[axis].abs());
        let (distance, radius) = (length(at), length(radius));
        let smallest = f64::from(SMALLEST_DISTANCE_SQUARED);
        if !(distance + radius).is_finite() {
            let direction = Direction { at: [0.0; 3], chord: 1.0 };
            return Self { direction, squared: Interval { low: smallest, high: f64::INFINITY } };
        }
        let (nearest, farthest) = ((distance - radius).max(0.0), distance + radius);
        let clamped = nearest * nearest <= smallest;
        let direction = if clamped || radius >= 0.5 * distance {
            Direction { at: [0.0; 3], chord: 1.0 }
        } else {
            Direction { at: at.map(|component| component / distance), chord: 1.04 * radius / distance }
        };
        let squared = Interval { low: (nearest * nearest).max(smallest), high: (farthest * farthest).max(smallest) };
        Self { direction, squared: squared.rounded(4.0 * freedoms.arithmetic) }
    }

    /// max(0, 1 − (d²/range²)²)/d², which falls with the distance.
    fn attenuation(&self, inverse_range_squared: f64, freedoms: &Freedoms) -> Interval {
        let window = |squared: f64, side: f64| {
            let ratio = squared * inverse_range_squared;
            // 1/range² has two roundings, its product one, the square doubles them and rounds; then the difference.
            (1.0 - ratio * ratio * (1.0 + side * 8.0 * freedoms.arithmetic) - side * freedoms.arithmetic).max(0.0)
        };
        let least = window(self.squared.high, 1.0) / self.squared.high;
        let most = window(self.squared.low, -1.0) / self.squared.low;
        Interval { low: least, high: most }.rounded(freedoms.division + freedoms.arithmetic)
    }
}

fn positive(interval: Interval) -> Interval {
    Interval { low: interval.low.max(0.0), high: interval.high.max(0.0) }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

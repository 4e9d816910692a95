//! [`VertexVaryings`]: what vertices hand to fragments, each number with its radius, and what lies between them.
//!
//! Why it exists: the first two freedoms of a colour are those of the vertex stage (a skinned normal is known to a few
//! ULPs) and of the rasteriser (the weights of the vertices at the pixel are known as well as their positions).
//!
//! # Derivation
//!
//! The reference has a = Σ wᵢ·aᵢ with Σ wᵢ = 1. A backend has weights wᵢ + δᵢ with |δᵢ| ≤ ρᵢ and Σ δᵢ = 0, and
//! attributes aᵢ + εᵢ with |εᵢ| ≤ eᵢ. For any c,
//!
//! > Σ (wᵢ + δᵢ)(aᵢ + εᵢ) − a = Σ δᵢ·(aᵢ − c) + Σ (wᵢ + δᵢ)·εᵢ,
//!
//! so the difference is at most min over c of Σ ρᵢ·|aᵢ − c|, and Σ (|wᵢ| + ρᵢ)·eᵢ. The first is smallest where c is one
//! of the aᵢ (a weighted median), so three sums are tried. A constant attribute has none of it.
//!
//! Where the weights are those of a place nearby, a − ∇a·t with |t| ≤ reach, ∇a = Σ aᵢ·∇wᵢ: of a triangle that is hardly wide the weights
//! change much and in step, and a little. Both bounds hold; the nearer one counts.
//!
//! Then arithmetic: a backend computes Σ nᵢ·aᵢ ÷ Σ nᵢ, nᵢ = edge value · (1/wᵢ), or the same in another order, or
//! differences of attributes times weights. Each nᵢ carries the relative errors of the edge value, a division and a
//! product, the sums two more each, the quotient another division: at most two divisions and eight other operations
//! lie on the way of any term, so that the result is off by no more than that many unit errors of Σ |wᵢ|·|aᵢ|.

use crate::{Fragment, Interval, Shift};
use refrast_draw::VertexStream;
use refrast_range::{Freedoms, Ranged};

/// A varying of a vertex: the exact value, or the reference's own, and how far a backend's may be from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Varying {
    /// The middle.
    pub value: f64,
    /// How far a backend's may be off.
    pub radius: f64,
}

/// The rows of varyings of a draw, laid out as in its [`VertexStream`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexVaryings {
    stride: usize,
    rows: Vec<Varying>,
}

impl VertexVaryings {
    /// The numbers of a stream, each taken as every backend's.
    #[must_use]
    pub fn exact(stream: &VertexStream) -> Self {
        let rows = stream.varyings.iter().map(|&value| Varying { value: f64::from(value), radius: 0.0 });
        Self { stride: stream.stride, rows: rows.collect() }
    }

    /// Floats in a row.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The row of a vertex, to be given its values and radii; empty where there is no such vertex.
    pub fn row_mut(&mut self, vertex: usize) -> &mut [Varying] {
        let start = vertex.saturating_mul(self.stride);
        let end = start.saturating_add(self.stride);
        self.rows.get_mut(start..end).unwrap_or_default()
    }

    fn at(&self, vertex: u32, place: usize) -> Varying {
        self.rows.get(vertex as usize * self.stride + place).copied().unwrap_or_default()
    }
}

/// How many inputs of a [`Ranged`] are weights of vertices.
pub(super) const WEIGHT_INPUTS: usize = 2;

/// Where weights come from: one point and how far they may be off there.
pub(super) struct Weights {
    pub(super) at: [f64; 3],
    pub(super) radius: [f64; 3],
}

/// Interpolates over a fragment's triangle.
pub(super) struct Interpolator<'a> {
    varyings: &'a VertexVaryings,
    vertices: [u32; 3],
    pub(super) center: Weights,
    neighbours: &'a [[f64; 3]; 9],
    neighbour_radius: [f64; 3],
    shift: Option<&'a Shift>,
    neighbour_shift: Option<&'a Shift>,
    /// The relative error of the arithmetic.
    arithmetic: f64,
}

/// An interpolated number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interpolated {
    pub(super) value: f64,
    pub(super) radius: f64,
}

impl Interpolated {
    pub(super) fn interval(self) -> Interval {
        Interval::around(self.value, self.radius)
    }
}

/// A varying at the nine pixels around a fragment, row by row.
pub(super) struct Neighbourhood {
    pub(super) values: [f64; 9],
    /// How far each may be off.
    pub(super) radius: f64,
}

impl<'a> Interpolator<'a> {
    pub(super) fn new(varyings: &'a VertexVaryings, fragment: &'a Fragment, freedoms: &Freedoms) -> Self {
        Self {
            varyings,
            vertices: fragment.vertices,
            center: Weights { at: fragment.weights, radius: fragment.radius },
            neighbours: &fragment.neighbours,
            neighbour_radius: fragment.neighbour_radius,
            shift: fragment.shift.as_ref(),
            neighbour_shift: fragment.neighbour_shift.as_ref(),
            arithmetic: 2.0 * freedoms.division + 8.0 * freedoms.arithmetic,
        }
    }

    fn corners(&self, place: usize) -> [Varying; 3] {
        let [a, b, c] = self.vertices;
        [self.varyings.at(a, place), self.varyings.at(b, place), self.varyings.at(c, place)]
    }

    /// One varying at the pixel's centre.
    pub(super) fn at_center(&self, place: usize) -> Interpolated {
        let corners = self.corners(place);
        let Weights { at, radius } = &self.center;
        let rest = weighed(&magnitudes(at, radius), &corners, self.arithmetic);
        let by_weights = moved(radius, &corners);
        let by_place = self.shift.map(|shift| (shift, moved_in_place(shift, &corners)));
        match by_place.filter(|(_, by_place)| *by_place < by_weights) {
            Some((shift, by_place)) => Interpolated { value: sum(&shift.weights, &corners), radius: by_place + rest },
            None => Interpolated { value: sum(at, &corners), radius: by_weights + rest },
        }
    }

    /// One varying at the pixel's centre, with its dependence on where the weights are taken: the first two inputs are that place's x
    /// and y. Where no place is known they are two weights: of the vertex whose weight is the least known, what is left of 1 is
    /// the others'.
    pub(super) fn ranged_one<'r>(&self, place: usize, rules: &'r Freedoms) -> Ranged<'r> {
        let corners = self.corners(place);
        let Weights { at, radius } = &self.center;
        let rest = weighed(&magnitudes(at, radius), &corners, self.arithmetic);
        if let Some(shift) = self.shift {
            let by_weights = moved(radius, &corners);
            // What hangs on nothing is lost for what is made of several of these: it has to be much nearer.
            if by_weights < 0.5 * moved_in_place(shift, &corners) {
                return Ranged::sloped(rules, sum(at, &corners), [0.0; 2], by_weights + rest);
            }
            let [x, y] = gradient(shift, &corners);
            let slopes = [x * shift.reach[0], y * shift.reach[1]];
            return Ranged::sloped(rules, sum(&shift.weights, &corners), slopes, moved(&shift.rest, &corners) + rest);
        }
        let last = if radius[0] >= radius[1] && radius[0] >= radius[2] {
            0
        } else if radius[1] >= radius[2] {
            1
        } else {
            2
        };
        let slope = |corner: usize| {
            // A weight that nothing is known of makes nothing of corners that are equal.
            let apart = corners[corner].value - corners[last].value;
            if apart == 0.0 { 0.0 } else { radius[corner] * apart }
        };
        let slopes = [slope((last + 1) % 3), slope((last + 2) % 3)];
        Ranged::sloped(rules, sum(at, &corners), slopes, rest)
    }

    /// Three varyings at the pixel's centre, with their dependence on the weights.
    pub(super) fn ranged<'r>(&self, first: usize, rules: &'r Freedoms) -> [Ranged<'r>; 3] {
        [0, 1, 2].map(|axis| self.ranged_one(first + axis, rules))
    }

    /// Three varyings at the pixel's centre.
    pub(super) fn vector(&self, first: usize) -> [Interpolated; 3] {
        [self.at_center(first), self.at_center(first + 1), self.at_center(first + 2)]
    }

    /// One varying at the centre and around it.
    pub(super) fn neighbourhood(&self, place: usize) -> Neighbourhood {
        let corners = self.corners(place);
        let mut values = [0.0; 9];
        let mut largest = [0.0f64; 3];
        for (value, weights) in values.iter_mut().zip(self.neighbours) {
            *value = sum(weights, &corners);
            for (largest, weight) in largest.iter_mut().zip(weights) {
                *largest = largest.max(weight.abs());
            }
        }
        let magnitudes = magnitudes(&largest, &self.neighbour_radius);
        let by_weights = moved(&self.neighbour_radius, &corners);
        let by_place = self.neighbour_shift.map_or(by_weights, |shift| moved_in_place(shift, &corners));
        let radius = by_weights.min(by_place) + weighed(&magnitudes, &corners, self.arithmetic);
        Neighbourhood { values, radius }
    }
}

fn sum(weights: &[f64; 3], corners: &[Varying; 3]) -> f64 {
    weights[0] * corners[0].value + weights[1] * corners[1].value + weights[2] * corners[2].value
}

/// Σ aᵢ·∇wᵢ. The slopes of the weights add up to 0, so that an attribute may be taken off all of them.
fn gradient(shift: &Shift, corners: &[Varying; 3]) -> [f64; 2] {
    [0, 1].map(|axis| {
        let along = |corner: usize| shift.slopes[corner][axis] * (corners[corner].value - corners[0].value);
        along(1) + along(2)
    })
}

/// How far the place, and what each weight has beside it, move an attribute.
fn moved_in_place(shift: &Shift, corners: &[Varying; 3]) -> f64 {
    let [x, y] = gradient(shift, corners);
    x.abs() * shift.reach[0] + y.abs() * shift.reach[1] + moved(&shift.rest, corners)
}

/// min over c of Σ ρᵢ·|aᵢ − c|.
fn moved(radius: &[f64; 3], corners: &[Varying; 3]) -> f64 {
    let [a, b, c] = corners;
    let (ab, bc, ca) = ((a.value - b.value).abs(), (b.value - c.value).abs(), (c.value - a.value).abs());
    let [ra, rb, rc] = *radius;
    (rb * ab + rc * ca).min(ra * ab + rc * bc).min(ra * ca + rb * bc)
}

fn magnitudes(weights: &[f64; 3], radius: &[f64; 3]) -> [f64; 3] {
    [weights[0].abs() + radius[0], weights[1].abs() + radius[1], weights[2].abs() + radius[2]]
}

/// Σ |wᵢ|·(eᵢ + arithmetic·|aᵢ|).
fn weighed(magnitudes: &[f64; 3], corners: &[Varying; 3], arithmetic: f64) -> f64 {
    let part =
        |i: usize| magnitudes[i] * (corners[i].radius + arithmetic * (corners[i].value.abs() + corners[i].radius));
    part(0) + part(1) + part(2)
}

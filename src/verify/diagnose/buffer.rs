//! [`Trial`]: a vertex buffer on trial, what backends with a mistake make of it, and how far it is from that.

use std::collections::{BTreeMap, HashMap};

use super::trial::Causes;
use refrast_envelope::vertex::{VertexSettings, first_vertices, scene_vertices};
use refrast_golden::{Attribute, VertexBuffer, VertexId, xxh64};
use refrast_render::{RenderError, RenderSettings};
use refrast_scene::Scene;
use refrast_simulator::{Faults, Moment, SimulatedVertices, Simulator, Variation};

/// What a component adds at most to a distance, in sizes of the scene.
const FARTHEST: f64 = 0.05;

/// Everything that a hypothesis is tested with.
pub(super) struct Trial<'a> {
    pub(super) scene: &'a Scene,
    pub(super) simulator: Simulator<'a>,
    pub(super) moment: Moment,
    pub(super) settings: &'a RenderSettings,
    pub(super) exact: &'a VertexBuffer,
    pub(super) candidate: &'a VertexBuffer,
    /// The largest component of a position.
    pub(super) size: f64,
}

impl Trial<'_> {
    /// The bits of what a backend with these causes makes of the vertices, as a hash, and how far the candidate is from that; none
    /// where they end in an error.
    pub(super) fn tested(&self, causes: Causes) -> Option<(u64, f64)> {
        let played = self.play(causes.faults()).ok()?;
        Some((hash(&played), self.distance(&played)))
    }

    /// The same of a backend without a mistake; a distance that can be divided by.
    pub(super) fn right(&self) -> Result<(u64, f64), RenderError> {
        let played = self.play(Faults::default())?;
        Ok((hash(&played), self.distance(&played).max(f64::MIN_POSITIVE)))
    }

    /// Σ of distances of what the exact vertices have a value for, positions in sizes of the scene.
    fn distance(&self, played: &VertexBuffer) -> f64 {
        let Self { exact, candidate, size, .. } = *self;
        let directions = of_attribute(exact.normal.as_ref(), played.normal.as_ref(), candidate.normal.as_ref(), 1.0)
            + of_attribute(exact.tangent.as_ref(), played.tangent.as_ref(), candidate.tangent.as_ref(), 1.0);
        of_attribute(Some(&exact.position), Some(&played.position), Some(&candidate.position), size) + directions
    }

    /// Places in the palette of the joints that wrong rows follow most, the most wrong first.
    pub(super) fn joints(&self) -> Vec<u16> {
        let mut sources: HashMap<(usize, usize), Vec<Option<usize>>> = HashMap::new();
        let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
        let ids = self.exact.ids.as_deref().unwrap_or_default();
        for (row, VertexId { node, primitive, vertex }) in ids.iter().copied().enumerate() {
            let mesh = self.scene.nodes[node as usize].mesh.map(|mesh| &self.scene.meshes[mesh]);
            let Some(own) = mesh.map(|mesh| &mesh.primitives[primitive as usize]) else { continue };
            let Some(influences) = own.influences.as_ref().filter(|_| is_outside(self.exact, self.candidate, row))
            else {
                continue;
            };
            let first = sources.entry((node as usize, primitive as usize)).or_insert_with(|| first_vertices(own));
            let Some(place) = first.get(vertex as usize).copied().flatten() else { continue };
            let slots = place * influences.per_vertex..(place + 1) * influences.per_vertex;
            let slots = influences.joints[slots.clone()].iter().zip(&influences.weights[slots]);
            let heaviest = slots.max_by(|(_, one), (_, other)| one.total_cmp(other));
            heaviest.into_iter().for_each(|(joint, _)| *counts.entry(*joint).or_default() += 1);
        }
        let mut joints: Vec<(u16, usize)> = counts.into_iter().collect();
        joints.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        joints.into_iter().map(|(joint, _)| joint).collect()
    }

    fn play(&self, faults: Faults) -> Result<VertexBuffer, RenderError> {
        self.play_with(&Variation::default(), faults)
    }

    fn play_with(&self, variation: &Variation, faults: Faults) -> Result<VertexBuffer, RenderError> {
        let vertices = self.simulator.vertices(self.moment, self.settings, variation, faults)?;
        Ok(self.rows(&vertices))
    }

    /// The rows of a vertex file.
    fn rows(&self, vertices: &[SimulatedVertices]) -> VertexBuffer {
        let places: HashMap<(usize, usize), &SimulatedVertices> =
            vertices.iter().map(|vertices| ((vertices.node, vertices.primitive), vertices)).collect();
        let mut sources: HashMap<(usize, usize), Vec<Option<usize>>> = HashMap::new();
        let ids = self.exact.ids.as_deref().unwrap_or_default();
        let (mut positions, mut normals, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        for VertexId { node, primitive, vertex } in ids.iter().copied() {
            let place = (node as usize, primitive as usize);
            let first = sources.entry(place).or_insert_with(|| {
                let mesh = self.scene.nodes[place.0].mesh.map(|mesh| &self.scene.meshes[mesh]);
                mesh.map_or_else(Vec::new, |mesh| first_vertices(&mesh.primitives[place.1]))
            });
            let row = first.get(vertex as usize).copied().flatten();
            let played = places.get(&place).copied().zip(row);
            positions.push(value(played, |vertices| &vertices.positions));
            normals.push(value(played, |vertices| &vertices.normals));
            tangents.push(value(played, |vertices| &vertices.tangents));
        }
        VertexBuffer {
            ids: self.exact.ids.clone(),
            position: Attribute::without_bounds(positions),
            normal: Some(Attribute::without_bounds(normals)),
            tangent: Some(Attribute::without_bounds(tangents)),
            ..VertexBuffer::default()
        }
    }

    /// The exact vertices of the scene as a backend with this fault reads and poses it, with their bounds; `None` where the
    /// fault lies in more than that.
    pub(super) fn bounds_of_its_own(&self, faults: Faults, formula: VertexSettings) -> Option<VertexBuffer> {
        let usual = Variation::default();
        let as_read = self.simulator.vertices_as_read(self.moment, self.settings, &usual, faults).ok()?;
        if !same_bits(&self.rows(&as_read), &self.play(faults).ok()?) {
            return None;
        }
        let (scene, pose) = self.simulator.as_read(self.moment, faults).ok()?;
        let exact = scene_vertices(&scene, &pose, formula).ok()?;
        (exact.ids == self.exact.ids).then_some(exact)
    }

    /// Rows that are farther from what is played, with any order and fusing of sums, than the bounds without a fault: those
    /// of the largest vertices where the fault makes them larger.
    pub(super) fn outside_of_what_is_played(&self, faults: Faults) -> Result<u64, RenderError> {
        let orders = [(false, false), (false, true), (true, false), (true, true)];
        let play = |(fused, reversed)| self.play_with(&Variation { fused, reversed, ..Variation::REFERENCE }, faults);
        let played: Vec<VertexBuffer> = orders.into_iter().map(play).collect::<Result<_, _>>()?;
        let hull = VertexBuffer {
            ids: None,
            position: hull(&self.exact.position, &played, |buffer| Some(&buffer.position)),
            normal: self.exact.normal.as_ref().map(|own| hull(own, &played, |buffer| buffer.normal.as_ref())),
            tangent: self.exact.tangent.as_ref().map(|own| hull(own, &played, |buffer| buffer.tangent.as_ref())),
            ..VertexBuffer::default()
        };
        Ok(outside(&hull, self.candidate))
    }
}

fn value<const N: usize>(
    played: Option<(&SimulatedVertices, usize)>,
    of: impl Fn(&SimulatedVertices) -> &Vec<[f32; N]>,
) -> [f64; N] {
    let value = played.and_then(|(vertices, row)| of(vertices).get(row));
    value.map_or([f64::NAN; N], |value| value.map(f64::from))
}

/// What is played, as far as the exact vertices have a value: the middle of the least and the greatest number, and half of
/// their distance beside the bound.
fn hull<'a, const N: usize>(
    exact: &Attribute<N>,
    played: &'a [VertexBuffer],
    of: impl Fn(&'a VertexBuffer) -> Option<&'a Attribute<N>>,
) -> Attribute<N> {
    let played: Vec<&Attribute<N>> = played.iter().filter_map(of).collect();
    let largest = |attribute: &Attribute<N>| {
        attribute
            .values
            .iter()
            .flatten()
            .filter(|value| value.is_finite())
            .fold(0.0, |sum: f64, value| sum.max(value.abs()))
    };
    let grown = played.iter().map(|played| largest(played)).fold(0.0, f64::max) / largest(exact).max(f64::MIN_POSITIVE);
    let mut hull = Attribute { values: exact.values.clone(), bounds: Some(vec![[0.0; N]; exact.values.len()]) };
    let (values, bounds) = (&mut hull.values, hull.bounds.get_or_insert_default());
    for (row, (value, bound)) in values.iter_mut().zip(bounds).enumerate() {
        for component in 0..N {
            if value[component].is_nan() {
                continue;
            }
            let numbers = played.iter().map(|played| played.values[row][component]);
            let (low, high) = numbers
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
            let own = exact.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
            value[component] = 0.5 * (low + high);
            bound[component] = 0.5 * (high - low) + own * grown.max(1.0);
        }
    }
    hull
}

/// Rows with a component outside of its bound.
pub(super) fn outside(allowed: &VertexBuffer, candidate: &VertexBuffer) -> u64 {
    (0..allowed.len()).filter(|row| is_outside(allowed, candidate, *row)).count() as u64
}

fn is_outside(allowed: &VertexBuffer, candidate: &VertexBuffer, row: usize) -> bool {
    lies_outside(Some(&allowed.position), Some(&candidate.position), row)
        || lies_outside(allowed.normal.as_ref(), candidate.normal.as_ref(), row)
        || lies_outside(allowed.tangent.as_ref(), candidate.tangent.as_ref(), row)
}

fn lies_outside<const N: usize>(allowed: Option<&Attribute<N>>, candidate: Option<&Attribute<N>>, row: usize) -> bool {
    let (Some(allowed), Some(candidate)) = (allowed, candidate) else { return false };
    let (value, other) = (allowed.values[row], candidate.values[row]);
    (0..N).any(|component| {
        let bound = allowed.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
        let far = (value[component] - other[component]).abs();
        !value[component].is_nan() && bound.is_finite() && (far.is_nan() || far > bound)
    })
}

fn of_attribute<const N: usize>(
    exact: Option<&Attribute<N>>,
    played: Option<&Attribute<N>>,
    candidate: Option<&Attribute<N>>,
    size: f64,
) -> f64 {
    let (Some(exact), Some(played), Some(candidate)) = (exact, played, candidate) else { return 0.0 };
    let rows = exact.values.iter().zip(&played.values).zip(&candidate.values);
    let components = rows.flat_map(|((exact, played), candidate)| {
        (0..N).filter(|component| !exact[*component].is_nan()).map(|component| {
            let far = ((played[component] - candidate[component]) / size).abs();
            if far.is_nan() { FARTHEST } else { far.min(FARTHEST) }
        })
    });
    components.sum()
}

fn bits(buffer: &VertexBuffer) -> Vec<u64> {
    let normals = buffer.normal.iter().flat_map(|normal| normal.values.as_flattened());
    let tangents = buffer.tangent.iter().flat_map(|tangent| tangent.values.as_flattened());
    buffer.position.values.as_flattened().iter().chain(normals).chain(tangents).map(|value| value.to_bits()).collect()
}

fn hash(buffer: &VertexBuffer) -> u64 {
    let bytes: Vec<u8> = bits(buffer).into_iter().flat_map(u64::to_le_bytes).collect();
    xxh64(&bytes, 0)
}

fn same_bits(a: &VertexBuffer, b: &VertexBuffer) -> bool {
    bits(a) == bits(b)
}

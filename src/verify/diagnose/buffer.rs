//! [`Trial`]: a vertex buffer on trial, what backends with a mistake make of it, and how far it is from that.

use std::collections::{BTreeMap, HashMap};

use super::trial::Causes;
use refrast_envelope::vertex::{VertexSettings, first_vertices, scene_vertices};
use refrast_golden::{VertexBuffer, VertexId};
use refrast_nearness::{
    GatheredRows, PlayedVertices, hash_of_rows, hull, is_row_outside, rows_outside, same_rows, vertex_distance,
};
use refrast_scene::Scene;
use refrast_simulator::{Faults, Moment, SimulatedVertices, Simulator, Variation};
use refrast_stage::{RenderError, RenderSettings};

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
        Some((hash_of_rows(&played), vertex_distance(self.exact, [&played, self.candidate], self.size)))
    }

    /// The same of a backend without a mistake; a distance that can be divided by.
    pub(super) fn right(&self) -> Result<(u64, f64), RenderError> {
        let played = self.play(Faults::default())?;
        let distance = vertex_distance(self.exact, [&played, self.candidate], self.size);
        Ok((hash_of_rows(&played), distance.max(f64::MIN_POSITIVE)))
    }

    /// Places in the palette of the joints that wrong rows follow most, the most wrong first.
    pub(super) fn joints(&self) -> Vec<u16> {
        let mut sources: HashMap<(usize, usize), Vec<Option<usize>>> = HashMap::new();
        let mut counts: BTreeMap<u16, usize> = BTreeMap::new();
        let ids = self.exact.ids.as_deref().unwrap_or_default();
        for (row, VertexId { node, primitive, vertex }) in ids.iter().copied().enumerate() {
            let mesh = self.scene.nodes[node as usize].mesh.map(|mesh| &self.scene.meshes[mesh]);
            let Some(own) = mesh.map(|mesh| &mesh.primitives[primitive as usize]) else { continue };
            let Some(influences) = own.influences.as_ref().filter(|_| is_row_outside(self.exact, self.candidate, row))
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
        let mut gathered = GatheredRows::default();
        // Rows of one primitive follow each other.
        for rows in ids.chunk_by(|a, b| (a.node, a.primitive) == (b.node, b.primitive)) {
            let place = (rows[0].node as usize, rows[0].primitive as usize);
            let first = sources.entry(place).or_insert_with(|| {
                let mesh = self.scene.nodes[place.0].mesh.map(|mesh| &self.scene.meshes[mesh]);
                mesh.map_or_else(Vec::new, |mesh| first_vertices(&mesh.primitives[place.1]))
            });
            let rows: Vec<_> = rows.iter().map(|row| first.get(row.vertex as usize).copied().flatten()).collect();
            let played = places.get(&place).map(|played| PlayedVertices {
                positions: &played.positions,
                normals: &played.normals,
                tangents: &played.tangents,
            });
            gathered.add(played.unwrap_or_default(), &rows);
        }
        VertexBuffer { ids: self.exact.ids.clone(), ..gathered.into_buffer() }
    }

    /// The exact vertices of the scene as a backend with this fault reads and poses it, with their bounds; `None` where the
    /// fault lies in more than that.
    pub(super) fn bounds_of_its_own(&self, faults: Faults, formula: VertexSettings) -> Option<VertexBuffer> {
        let usual = Variation::default();
        let as_read = self.simulator.vertices_as_read(self.moment, self.settings, &usual, faults).ok()?;
        if !same_rows(&self.rows(&as_read), &self.play(faults).ok()?) {
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
        Ok(rows_outside(&hull(self.exact, &played), self.candidate))
    }
}

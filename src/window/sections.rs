//! [`SectionMap`]: which section of its skin each triangle is drawn in, on a machine whose palette is short.
//!
//! Why it exists: a section that looks up another one's joints is the classic mistake of a split mesh, and it is seen at
//! once where the triangles of a section have a colour of their own.

use std::collections::HashMap;

use super::{stage::Stage, state::State};
use refrast_canvas::place_of;
use refrast_scene::Primitive;
use refrast_skinning::{limit_influences, partition};

/// Colours that neighbours can be told apart by: the Tableau 10 palette (Stone, 2016).
const COLORS: [[u8; 3]; 10] = [
    [78, 121, 167],
    [242, 142, 43],
    [89, 161, 79],
    [225, 87, 89],
    [237, 201, 72],
    [118, 183, 178],
    [176, 122, 161],
    [255, 157, 167],
    [156, 117, 95],
    [186, 176, 172],
];

/// The sections of all skins that are drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct SectionMap {
    /// By node, primitive and the triangle's vertices in ascending order.
    owner: HashMap<(usize, usize, [usize; 3]), usize>,
    /// In the order of drawing.
    pub(super) sections: Vec<SectionView>,
}

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SectionView {
    /// The joints in its palette.
    pub(super) joints: usize,
    pub(super) triangles: usize,
    pub(super) vertices: usize,
}

/// The colour of a section.
pub(super) fn color(section: usize) -> [u8; 3] {
    COLORS[section % COLORS.len()]
}

impl SectionMap {
    /// The sections of at most [`State::max_joints`] joints.
    ///
    /// # Errors
    ///
    /// Where one triangle needs more joints than that, or nothing has joints.
    pub(super) fn of(stage: &Stage<'_>, state: &State) -> Result<Self, String> {
        let mut map = Self::default();
        for drawn in stage.renderer().stage().drawn_vertices() {
            let Some(index) = place_of(stage.scene(), &drawn) else { continue };
            if drawn.primitive.influences.is_none() || stage.scene().nodes[drawn.node].skin.is_none() {
                continue;
            }
            let name = || format!("primitive {index} of node {}", drawn.node);
            let limited = limited(drawn.primitive, state);
            let primitive = limited.as_ref().unwrap_or(drawn.primitive);
            let parts = partition(primitive, state.max_joints.get()).map_err(|error| format!("{}: {error}", name()))?;
            for section in parts.sections {
                let number = map.sections.len();
                let triangles = section.indices.as_chunks::<3>().0;
                for corners in triangles {
                    let vertices = corners.map(|corner| section.source_vertices[corner as usize] as usize);
                    map.owner.insert((drawn.node, index, sorted(vertices)), number);
                }
                map.sections.push(SectionView {
                    joints: section.joints.len(),
                    triangles: triangles.len(),
                    vertices: section.source_vertices.len(),
                });
            }
        }
        match map.sections.is_empty() {
            true => Err("nothing here is skinned: there are no sections".to_owned()),
            false => Ok(map),
        }
    }

    /// The section of a triangle of a node's primitive.
    pub(super) fn section(&self, node: usize, primitive: usize, vertices: [usize; 3]) -> Option<usize> {
        self.owner.get(&(node, primitive, sorted(vertices))).copied()
    }
}

/// The primitive with the influences that the state keeps; `None` where it keeps all.
fn limited(primitive: &Primitive, state: &State) -> Option<Primitive> {
    let influences = limit_influences(primitive.influences.as_ref()?, state.max_influences?);
    Some(Primitive { influences: Some(influences), ..primitive.clone() })
}

fn sorted(mut vertices: [usize; 3]) -> [usize; 3] {
    vertices.sort_unstable();
    vertices
}

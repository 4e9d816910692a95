//! [`Deformer`]: primitives as the renderer deforms them, for whoever needs their numbers and not their picture.

use std::{collections::HashMap, num::NonZeroUsize};

use super::state::State;
use refrast_animation::Pose;
use refrast_scene::{Primitive, Scene};
use refrast_skinning::{
    Deformation, DeformedVertices, Palette, Placement, PreparedPrimitive, SkinningError, SkinningMethod,
};

/// Deforms whole primitives: the order of a vertex's sum depends on the vertices beside it, so that one alone could
/// come out a bit different from the picture.
#[derive(Debug, Default)]
pub(super) struct Deformer {
    prepared: HashMap<(usize, usize, Option<NonZeroUsize>), PreparedPrimitive>,
    deformed: DeformedVertices,
}

/// The primitive of a node's mesh; `None` where the scene has none such.
pub(super) fn primitive(scene: &Scene, node: usize, primitive: usize) -> Option<&Primitive> {
    scene.meshes[scene.nodes.get(node)?.mesh?].primitives.get(primitive)
}

impl Deformer {
    /// The vertices of a primitive in a pose, with the state's normals and influences and any method.
    pub(super) fn run(
        &mut self,
        scene: &Scene,
        pose: &Pose,
        state: &State,
        method: SkinningMethod,
        (node, index): (usize, usize),
    ) -> Result<&DeformedVertices, SkinningError> {
        let Some(primitive) = primitive(scene, node, index) else { return Ok(&self.deformed) };
        let prepared =
            self.prepared.entry((node, index, state.max_influences)).or_insert_with(|| match state.max_influences {
                Some(most) => PreparedPrimitive::limited(primitive, most),
                None => PreparedPrimitive::new(primitive),
            });
        let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
        let palette = skin.map(|skin| Palette::of_skin(&scene.skins[skin], pose));
        let deformation = Deformation {
            primitive: prepared,
            placement: palette.as_ref().map_or(Placement::Node(pose.worlds[node]), Placement::Skin),
            morph_weights: &pose.weights[node],
            method,
            normals: state.normals,
            level: state.simd,
        };
        deformation.run(&mut self.deformed)?;
        Ok(&self.deformed)
    }
}

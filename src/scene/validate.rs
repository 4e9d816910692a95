//! [`Scene::validate`]: whether a scene that no file was read for keeps what the room promises.
//!
//! Why it exists: a [`Scene`] is plain data with public fields, so that anybody can make or change one. Everything above
//! this room indexes by its numbers. Whoever takes a scene of unknown make asks here once, at a cost linear in the scene.
//!
//! What is not looked at: whether positions and other attributes are finite (what comes of such a vertex is not drawn),
//! whether there are the texture coordinates that a material asks for (where there are none they are 0), and pixels of images
//! (who makes textures of them counts them).

use std::cmp::Ordering;

use super::model::{
    Animation, Channel, ChannelTarget, Influences, Interpolation, Material, Mesh, MorphTarget, Node, Primitive, Scene,
    Skin, Topology,
};

/// A scene contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scene contradicts itself: {place} {contradiction}; whoever makes or changes a scene has to mend this")]
pub struct InvalidSceneError {
    /// Where, by the names of the fields, such as `meshes[0].primitives[1].indices`.
    pub place: String,
    /// What is wrong there.
    pub contradiction: Contradiction,
}

/// What is wrong with a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Contradiction {
    /// An index past the end of a list.
    #[error("names {what} {index}, but there are only {count}")]
    Index {
        /// What is named.
        what: &'static str,
        /// The index that was found.
        index: usize,
        /// The length of the list.
        count: usize,
    },
    /// Two counts that must agree do not.
    #[error("has {found} {what}, but must have {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many fit the rest of the scene.
        expected: usize,
    },
    /// Nodes that are not listed once each, parents before children.
    #[error("does not have every node once with parents before children: {0}")]
    Order(String),
    /// A value that means nothing.
    #[error("{0}")]
    Value(String),
}

type Result = std::result::Result<(), InvalidSceneError>;

/// Complains about one place of a scene. Places are put into words only where something is wrong.
#[derive(Clone, Copy)]
struct Place<'a> {
    within: &'a dyn Fn() -> String,
}

impl Place<'_> {
    fn error(self, field: &str, contradiction: Contradiction) -> InvalidSceneError {
        InvalidSceneError { place: format!("{}{field}", (self.within)()), contradiction }
    }

    fn index(self, field: &str, what: &'static str, index: usize, count: usize) -> Result {
        if index < count { Ok(()) } else { Err(self.error(field, Contradiction::Index { what, index, count })) }
    }

    fn indices(
        self,
        field: &str,
        what: &'static str,
        mut indices: impl Iterator<Item = usize>,
        count: usize,
    ) -> Result {
        let wrong = indices.find(|&index| index >= count);
        wrong.map_or(Ok(()), |index| self.index(field, what, index, count))
    }

    fn count(self, field: &str, what: &'static str, found: usize, expected: usize) -> Result {
        let right = found == expected;
        if right { Ok(()) } else { Err(self.error(field, Contradiction::Count { what, found, expected })) }
    }

    /// As [`count`](Self::count), where the list may also be left out.
    fn count_if_any<T>(self, field: &str, what: &'static str, list: Option<&Vec<T>>, expected: usize) -> Result {
        list.map_or(Ok(()), |list| self.count(field, what, list.len(), expected))
    }
}

impl Scene {
    /// Whether the scene keeps what its fields promise, so that nothing that is done with it indexes out of range: every
    /// index names something, lists that belong together have one length, [`parents_first`](Self::parents_first) has every
    /// node once with parents before children, and animations can be sampled.
    ///
    /// Scenes that were read from a file do. The renderer asks this of every scene.
    ///
    /// # Errors
    ///
    /// The first contradiction, by field.
    ///
    /// ```
    /// # use refrast_scene::{Node, Scene};
    /// let scene = Scene { nodes: vec![Node { mesh: Some(3), ..Node::default() }], ..Scene::default() };
    /// let error = scene.validate().unwrap_err().to_string();
    /// assert!(error.contains("nodes[0].mesh names mesh 3, but there are only 0"), "{error}");
    /// ```
    pub fn validate(&self) -> Result {
        let last_joints: Vec<Option<usize>> = self.meshes.iter().map(last_joint).collect();
        for (number, node) in self.nodes.iter().enumerate() {
            self.validate_node(node, &last_joints, Place { within: &|| format!("nodes[{number}]") })?;
        }
        let scene = Place { within: &String::new };
        self.validate_order(scene)?;
        scene.indices("drawn", "node", self.drawn.iter().copied(), self.nodes.len())?;
        for (number, mesh) in self.meshes.iter().enumerate() {
            self.validate_mesh(mesh, Place { within: &|| format!("meshes[{number}]") })?;
        }
        for (number, skin) in self.skins.iter().enumerate() {
            self.validate_skin(skin, Place { within: &|| format!("skins[{number}]") })?;
        }
        for (number, animation) in self.animations.iter().enumerate() {
            self.validate_animation(animation, Place { within: &|| format!("animations[{number}]") })?;
        }
        for (number, material) in self.materials.iter().enumerate() {
            self.validate_material(material, Place { within: &|| format!("materials[{number}]") })?;
        }
        // A texture that no material draws need not have an image.
        for reference in self.materials.iter().flat_map(Material::textures) {
            let place = Place { within: &|| format!("textures[{}]", reference.texture) };
            place.index(".image", "image", self.textures[reference.texture].image, self.images.len())?;
        }
        Ok(())
    }

    fn validate_node(&self, node: &Node, last_joints: &[Option<usize>], place: Place<'_>) -> Result {
        let Node { parent, children, mesh, skin, camera, light, weights, name: _, transform: _ } = node;
        place.indices(".parent", "node", parent.iter().copied(), self.nodes.len())?;
        place.indices(".children", "node", children.iter().copied(), self.nodes.len())?;
        place.indices(".mesh", "mesh", mesh.iter().copied(), self.meshes.len())?;
        place.indices(".skin", "skin", skin.iter().copied(), self.skins.len())?;
        place.indices(".camera", "camera", camera.iter().copied(), self.cameras.len())?;
        place.indices(".light", "light", light.iter().copied(), self.lights.len())?;
        let Some(mesh) = *mesh else { return Ok(()) };
        if let Some(weights) = weights {
            place.count(".weights", "morph weights", weights.len(), self.meshes[mesh].weights.len())?;
        }
        let joints = skin.map_or(usize::MAX, |skin| self.skins[skin].joints.len());
        place.indices(".mesh, on the node's skin,", "joint", last_joints[mesh].into_iter(), joints)
    }

    fn validate_order(&self, place: Place<'_>) -> Result {
        let wrong = |reason| Err(place.error("parents_first", Contradiction::Order(reason)));
        place.count("parents_first", "nodes", self.parents_first.len(), self.nodes.len())?;
        place.indices("parents_first", "node", self.parents_first.iter().copied(), self.nodes.len())?;
        let mut listed = vec![false; self.nodes.len()];
        for &node in &self.parents_first {
            if self.nodes[node].parent.is_some_and(|parent| !listed[parent]) {
                return wrong(format!("node {node} comes before its parent"));
            }
            if std::mem::replace(&mut listed[node], true) {
                return wrong(format!("node {node} is there twice"));
            }
        }
        Ok(())
    }

    fn validate_mesh(&self, mesh: &Mesh, place: Place<'_>) -> Result {
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let place = Place { within: &|| format!("{}.primitives[{number}]", (place.within)()) };
            place.count(".targets", "morph targets", primitive.targets.len(), mesh.weights.len())?;
            self.validate_primitive(primitive, place)?;
        }
        Ok(())
    }

    fn validate_primitive(&self, primitive: &Primitive, place: Place<'_>) -> Result {
        let count = primitive.positions.len();
        let corners = match primitive.topology {
            Topology::Points => 1,
            Topology::Lines => 2,
            Topology::Triangles => 3,
        };
        if !primitive.indices.len().is_multiple_of(corners) {
            let reason = format!("has {} indices, which are no multiple of {corners}", primitive.indices.len());
            return Err(place.error(".indices", Contradiction::Value(reason)));
        }
        if u32::try_from(count).is_err() {
            return Err(place.error(".positions", Contradiction::Value(format!("has {count}, more than u32 counts"))));
        }
        place.indices(".indices", "vertex", primitive.indices.iter().map(|&index| index as usize), count)?;
        if !primitive.source_vertices.is_empty() {
            place.count(".source_vertices", "vertices", primitive.source_vertices.len(), count)?;
            let sources = primitive.source_vertices.iter().map(|&source| source as usize);
            place.indices(".source_vertices", "vertex", sources, primitive.source_vertex_count)?;
        }
        place.count_if_any(".normals", "normals", primitive.normals.as_ref(), count)?;
        place.count_if_any(".tangents", "tangents", primitive.tangents.as_ref(), count)?;
        place.count_if_any(".colors", "colours", primitive.colors.as_ref(), count)?;
        place.count_if_any(".occlusion", "numbers", primitive.occlusion.as_ref(), count)?;
        for (number, set) in primitive.texcoords.iter().enumerate() {
            place.count(&format!(".texcoords[{number}]"), "coordinates", set.len(), count)?;
        }
        if let Some(Influences { per_vertex, joints, weights }) = &primitive.influences {
            let expected = per_vertex.saturating_mul(count);
            place.count(".influences.joints", "joints", joints.len(), expected)?;
            place.count(".influences.weights", "weights", weights.len(), expected)?;
        }
        for (number, target) in primitive.targets.iter().enumerate() {
            validate_target(
                target,
                primitive,
                Place { within: &|| format!("{}.targets[{number}]", (place.within)()) },
            )?;
        }
        place.index(".material", "material", primitive.material, self.materials.len())
    }

    fn validate_skin(&self, skin: &Skin, place: Place<'_>) -> Result {
        place.indices(".joints", "node", skin.joints.iter().copied(), self.nodes.len())?;
        let matrices = skin.inverse_bind_matrices.len();
        place.count(".inverse_bind_matrices", "matrices", matrices, skin.joints.len())?;
        place.indices(".skeleton", "node", skin.skeleton.into_iter(), self.nodes.len())
    }

    fn validate_animation(&self, animation: &Animation, place: Place<'_>) -> Result {
        for (number, channel) in animation.channels.iter().enumerate() {
            let place = Place { within: &|| format!("{}.channels[{number}]", (place.within)()) };
            self.validate_channel(channel, place)?;
        }
        Ok(())
    }

    fn validate_channel(&self, channel: &Channel, place: Place<'_>) -> Result {
        place.index(".node", "node", channel.node, self.nodes.len())?;
        let components = match channel.target {
            ChannelTarget::Translation | ChannelTarget::Scale => 3,
            ChannelTarget::Rotation => 4,
            ChannelTarget::Weights => self.nodes[channel.node].mesh.map_or(0, |mesh| self.meshes[mesh].weights.len()),
        };
        place.count(".components", "numbers a value", channel.components, components)?;
        if channel.times.is_empty() {
            return Err(place.error(".times", Contradiction::Value("has no keys".to_owned())));
        }
        // NaN follows nothing.
        let rises = |pair: &&[f32]| pair[0].partial_cmp(&pair[1]) == Some(Ordering::Less);
        if let Some(pair) = channel.times.windows(2).find(|pair| !rises(pair)) {
            let reason = format!("has {} after {}, but times must rise", pair[1], pair[0]);
            return Err(place.error(".times", Contradiction::Value(reason)));
        }
        let a_key = if channel.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let expected = channel.times.len().saturating_mul(a_key).saturating_mul(components);
        place.count(".values", "numbers", channel.values.len(), expected)
    }

    fn validate_material(&self, material: &Material, place: Place<'_>) -> Result {
        for (field, reference) in material.named_textures() {
            place.index(field, "texture", reference.texture, self.textures.len())?;
        }
        Ok(())
    }
}

/// The last joint that a vertex of the mesh follows; what weighs nothing may name any joint.
fn last_joint(mesh: &Mesh) -> Option<usize> {
    let influences = mesh.primitives.iter().filter_map(|primitive| primitive.influences.as_ref());
    let pairs = influences.flat_map(|influences| influences.joints.iter().zip(&influences.weights));
    pairs.filter(|(_, weight)| **weight != 0.0).map(|(joint, _)| usize::from(*joint)).max()
}

fn validate_target(target: &MorphTarget, primitive: &Primitive, place: Place<'_>) -> Result {
    let count = primitive.positions.len();
    place.count_if_any(".positions", "displacements", target.positions.as_ref(), count)?;
    place.count_if_any(".normals", "displacements", target.normals.as_ref(), count)?;
    place.count_if_any(".tangents", "displacements", target.tangents.as_ref(), count)?;
    place.count_if_any(".colors", "displacements", target.colors.as_ref(), count)?;
    place.count_if_any(".occlusion", "displacements", target.occlusion.as_ref(), count)?;
    for (number, set) in target.texcoords.iter().enumerate() {
        place.count_if_any(&format!(".texcoords[{number}]"), "displacements", set.as_ref(), count)?;
    }
    Ok(())
}

//! Mistakes about one object: what an engine that reads a file wrong in one place draws.
//!
//! Why it exists: whether a diagnosis says truly *where* can be counted only where the mistake has a place. The whole rest of such a
//! scene is right, and it is drawn as it is read, by whichever backend: only this node, material or joint is another one.

use glam::{Mat4, Quat, Vec3};
use refrast::{
    scene::{AlphaMode, Filter, Primitive, Scene, Texture, Wrap},
    verify::{
        Fault,
        diagnose::{Cause, Place, Share, Stage},
        simulator::ParametricFault,
    },
};

use super::chance::Chance;

/// The axis that joints are turned about, in their own space.
const TURNED_ABOUT: Vec3 = Vec3::new(0.6, 0.0, 0.8);

/// What a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Node(usize),
    Material(usize),
    /// Skin, and place in its palette.
    Joint(usize, usize),
}

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mistake {
    /// Vertices are moved, by parts of the object's size.
    Moved([f32; 3]),
    /// Vertices are scaled about their middle.
    Scaled(f32),
    /// Nothing of it is drawn.
    Missing,
    /// Texture coordinates are moved.
    TexcoordsMoved([f32; 2]),
    /// Its colour is multiplied.
    Tinted([f32; 3]),
    /// Red and blue of its image and factors are exchanged.
    ChannelsExchanged,
    /// Its texture is white.
    TextureMissing,
    /// Its texture is not filtered.
    FilteredNearest,
    /// Its texture has no smaller levels.
    LevelsMissing,
    /// Its texture ends at the border.
    Clamped,
    /// Its normals point inwards.
    NormalsReversed,
    /// Its triangles are wound the other way round.
    Wound,
    /// Its alpha counts otherwise.
    AlphaIgnored,
    /// The matrix of the joint turns by so many radians too much.
    Turned(f32),
    /// The joint's key frames are not played.
    Still,
    /// Its vertices are moved by its parent.
    AsParent,
}

/// A mistake about an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ObjectMistake {
    pub(crate) object: Object,
    pub(crate) mistake: Mistake,
}

impl ObjectMistake {
    /// One that this scene may show.
    pub(crate) fn at_random(chance: &mut Chance, scene: &Scene) -> Option<Self> {
        let mut objects = Vec::new();
        let nodes: Vec<usize> = scene.drawn.iter().copied().filter(|node| scene.nodes[*node].mesh.is_some()).collect();
        if nodes.len() > 1 {
            objects.extend(nodes.iter().copied().map(Object::Node));
        }
        let mut materials: Vec<usize> = drawn(scene).map(|own| own.material).collect();
        materials.sort_unstable();
        materials.dedup();
        // Of scenes of many nodes those are asked for.
        if materials.len() > 1 && nodes.len() == 1 {
            objects.extend(materials.into_iter().map(Object::Material));
        }
        if nodes.len() == 1 {
            let joints = scene.skins.iter().enumerate();
            objects.extend(joints.flat_map(|(skin, own)| (0..own.joints.len()).map(move |at| Object::Joint(skin, at))));
        }
        if objects.is_empty() {
            return None;
        }
        let object = chance.pick(&objects);
        let mistake = match object {
            Object::Joint(..) => match chance.below(3) {
                0 => Mistake::Turned(chance.between(0.2, 1.2) * if chance.is_heads() { 1.0 } else { -1.0 }),
                1 => Mistake::Still,
                _ => Mistake::AsParent,
            },
            Object::Node(_) | Object::Material(_) => on_surface(chance, matches!(object, Object::Node(_))),
        };
        Some(Self { object, mistake })
    }

    /// The scene as it is read with the mistake; `None` where there is nothing to mistake.
    pub(crate) fn read(self, scene: &Scene) -> Option<Scene> {
        let mut scene = scene.clone();
        match self.object {
            Object::Joint(skin, place) => self.read_joint(&mut scene, skin, place)?,
            Object::Node(node) => {
                // Other nodes may draw the same mesh, and other meshes the same materials.
                let mut mesh = scene.meshes[scene.nodes[node].mesh?].clone();
                if self.mistake == Mistake::Missing {
                    mesh.primitives.clear();
                }
                self.read_primitives(&mut scene, mesh.primitives.iter_mut().collect())?;
                scene.nodes[node].mesh = Some(scene.meshes.len());
                scene.meshes.push(mesh);
            }
            Object::Material(material) => {
                let mut meshes = scene.meshes.clone();
                let primitives = meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
                let primitives = primitives.filter(|own| own.material == material).collect();
                self.read_primitives(&mut scene, primitives)?;
                scene.meshes = meshes;
            }
        }
        Some(scene)
    }

    fn read_primitives(self, scene: &mut Scene, mut primitives: Vec<&mut Primitive>) -> Option<()> {
        let positions = primitives.iter().flat_map(|own| &own.positions).copied().map(Vec3::from);
        let far = Vec3::INFINITY;
        let (low, high) = positions.fold((far, -far), |(low, high), at| (low.min(at), high.max(at)));
        let (middle, size) = ((low + high) / 2.0, (high - low).length());
        for own in &mut primitives {
            match self.mistake {
                Mistake::Moved(by) => {
                    let by = size * Vec3::from(by);
                    own.positions.iter_mut().for_each(|at| *at = (Vec3::from(*at) + by).into());
                }
                Mistake::Scaled(factor) => {
                    own.positions.iter_mut().for_each(|at| *at = (middle + factor * (Vec3::from(*at) - middle)).into());
                }
                Mistake::TexcoordsMoved([u, v]) => {
                    own.texcoords.iter_mut().flatten().for_each(|at| *at = [at[0] + u, at[1] + v]);
                }
                Mistake::NormalsReversed => {
                    let reverse = |normals: &mut Vec<[f32; 3]>| {
                        normals.iter_mut().for_each(|normal| *normal = normal.map(|part| -part));
                    };
                    reverse(own.normals.as_mut()?);
                    own.targets.iter_mut().filter_map(|target| target.normals.as_mut()).for_each(reverse);
                }
                Mistake::Wound => own.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|corners| corners.swap(1, 2)),
                _ => own.material = self.material(scene, own.material)?,
            }
        }
        Some(())
    }

    /// Another material like that of this place, with the mistake.
    fn material(self, scene: &mut Scene, place: usize) -> Option<usize> {
        let mut material = scene.materials[place].clone();
        let textured = |scene: &mut Scene, change: &dyn Fn(&mut Scene, &mut Texture)| {
            let reference = scene.materials[place].base_color_texture?;
            let mut texture = scene.textures[reference.texture].clone();
            change(scene, &mut texture);
            scene.textures.push(texture);
            Some(refrast::scene::TextureReference { texture: scene.textures.len() - 1, ..reference })
        };
        match self.mistake {
            Mistake::Tinted(by) => {
                for (factor, by) in material.base_color_factor.iter_mut().zip(by) {
                    *factor *= by;
                }
            }
            Mistake::ChannelsExchanged => {
                material.base_color_factor.swap(0, 2);
                if material.base_color_texture.is_some() {
                    material.base_color_texture = textured(scene, &|scene, texture| {
                        let mut image = scene.images[texture.image].clone();
                        image.rgba.as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel.swap(0, 2));
                        image.jpeg = None;
                        texture.image = scene.images.len();
                        scene.images.push(image);
                    });
                }
            }
            Mistake::TextureMissing => drop(material.base_color_texture.take()?),
            Mistake::FilteredNearest => {
                let change = |_: &mut Scene, texture: &mut Texture| {
                    (texture.sampler.magnification, texture.sampler.minification) = (Filter::Nearest, Filter::Nearest);
                };
                material.base_color_texture = Some(textured(scene, &change)?);
            }
            Mistake::LevelsMissing => {
                let change = |_: &mut Scene, texture: &mut Texture| texture.sampler.mip = None;
                material.base_color_texture = Some(textured(scene, &change)?);
            }
            Mistake::Clamped => {
                let change = |_: &mut Scene, texture: &mut Texture| {
                    (texture.sampler.wrap_u, texture.sampler.wrap_v) = (Wrap::ClampToEdge, Wrap::ClampToEdge);
                };
                material.base_color_texture = Some(textured(scene, &change)?);
            }
            Mistake::AlphaIgnored => {
                material.alpha_mode = match material.alpha_mode {
                    AlphaMode::Opaque => return None,
                    AlphaMode::Mask { .. } | AlphaMode::Blend => AlphaMode::Opaque,
                };
            }
            _ => return None,
        }
        scene.materials.push(material);
        Some(scene.materials.len() - 1)
    }

    fn read_joint(self, scene: &mut Scene, skin: usize, place: usize) -> Option<()> {
        let node = scene.skins[skin].joints[place];
        match self.mistake {
            Mistake::Turned(angle) => {
                let turn = Mat4::from_quat(Quat::from_axis_angle(TURNED_ABOUT, angle));
                let matrix = &mut scene.skins[skin].inverse_bind_matrices[place];
                *matrix = turn * *matrix;
            }
            Mistake::Still => {
                for animation in &mut scene.animations {
                    animation.channels.retain(|channel| channel.node != node);
                }
            }
            _ => {
                let parent = scene.nodes[node].parent?;
                let parent = scene.skins[skin].joints.iter().position(|joint| *joint == parent)? as u16;
                let meshes: Vec<usize> =
                    scene.nodes.iter().filter(|own| own.skin == Some(skin)).filter_map(|own| own.mesh).collect();
                for mesh in meshes {
                    let influences = scene.meshes[mesh].primitives.iter_mut().filter_map(|own| own.influences.as_mut());
                    influences.for_each(|own| {
                        own.joints.iter_mut().filter(|joint| usize::from(**joint) == place).for_each(|at| *at = parent);
                    });
                }
            }
        }
        Some(())
    }

    /// Its row of the table.
    pub(crate) fn row(self) -> &'static str {
        match self.object {
            Object::Node(_) => "of one node",
            Object::Material(_) => "of one material",
            Object::Joint(..) => "of one joint",
        }
    }

    /// The mistakes of whole scenes that are the same for the object.
    pub(crate) fn alike(self, scene: &Scene) -> Vec<Cause> {
        let node = match self.object {
            Object::Node(node) => Some(node as u32),
            Object::Material(_) | Object::Joint(..) => None,
        };
        let missing = node.map(|node| ParametricFault::NodeMissing { node }.into());
        let moved = |by, scale| node.map(|node| ParametricFault::NodeMoved { node, by, scale }.into());
        let parts = |cause: fn(u32, Option<u16>) -> ParametricFault| {
            let whole = node.map(|node| (node, None));
            whole.or_else(|| self.part(scene)).map(|(node, primitive)| cause(node, primitive).into())
        };
        match self.mistake {
            Mistake::Missing => Vec::from_iter(missing),
            Mistake::Still | Mistake::AsParent => {
                let Object::Joint(skin, at) = self.object else { return Vec::new() };
                let joints = &scene.skins[skin].joints;
                let node = joints[at];
                let place = |of: usize| joints.iter().position(|own| *own == of).map(|at| at as u16);
                if self.mistake == Mistake::Still {
                    return vec![ParametricFault::NodeStill { node: node as u32 }.into()];
                }
                let other = scene.nodes[node].parent.and_then(place);
                let taken = |other: u16| ParametricFault::JointTakenFor { joint: at as u16, other }.into();
                Vec::from_iter(other.map(taken))
            }
            Mistake::Moved(by) => Vec::from_iter(moved(by, 1.0)),
            Mistake::Scaled(scale) => Vec::from_iter(moved([0.0; 3], scale)),
            Mistake::Turned(angle) => {
                let Object::Joint(_, at) = self.object else { return Vec::new() };
                let by = (angle.to_degrees() * TURNED_ABOUT).into();
                vec![ParametricFault::JointTurned { joint: at as u16, by }.into()]
            }
            Mistake::TexcoordsMoved(offset) => {
                vec![ParametricFault::TexcoordsMoved { scale: [1.0; 2], offset, swapped: false }.into()]
            }
            Mistake::FilteredNearest => vec![Fault::FilterNearest.into()],
            Mistake::LevelsMissing => vec![Fault::MipNone.into()],
            Mistake::Clamped => vec![Fault::WrapDefaultClamp.into()],
            // A flat thing that is turned round is not seen at all, or, where it was not, from behind.
            Mistake::Wound => [Fault::CullFront, Fault::CullOff, Fault::WindingNotFlipped]
                .into_iter()
                .map(Cause::from)
                .chain(missing)
                .chain(parts(|node, primitive| ParametricFault::InsideOut { node, primitive }))
                .collect(),
            Mistake::NormalsReversed => {
                Vec::from_iter(parts(|node, primitive| ParametricFault::NormalsReversed { node, primitive }))
            }
            Mistake::AlphaIgnored => vec![Fault::MaskAsOpaque.into(), Fault::BlendAsOpaque.into()],
            Mistake::ChannelsExchanged => {
                vec![Fault::TextureChannelsSwapped.into(), Fault::OutputChannelsSwapped.into()]
            }
            _ => Vec::new(),
        }
    }

    /// The node and the primitive that has the material.
    fn part(self, scene: &Scene) -> Option<(u32, Option<u16>)> {
        let Object::Material(material) = self.object else { return None };
        let primitives = |node: usize| scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh].primitives);
        scene.drawn.iter().find_map(|node| {
            let primitive = primitives(*node)?.iter().position(|own| own.material == material)?;
            Some((*node as u32, Some(primitive as u16)))
        })
    }

    fn has_two_sides(self, scene: &Scene) -> bool {
        let mut materials: Vec<usize> = match self.object {
            Object::Material(material) => vec![material],
            Object::Node(node) => {
                let mesh = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]);
                mesh.iter().flat_map(|mesh| &mesh.primitives).map(|own| own.material).collect()
            }
            Object::Joint(..) => Vec::new(),
        };
        materials.retain(|material| scene.materials[*material].double_sided);
        !materials.is_empty()
    }

    /// Where it shows first.
    pub(crate) fn stages(self, scene: &Scene) -> &'static [Stage] {
        match self.mistake {
            Mistake::Moved(_) | Mistake::Scaled(_) | Mistake::Turned(_) | Mistake::Still | Mistake::AsParent => {
                &[Stage::Geometry, Stage::Coverage]
            }
            // Whether a thing was not drawn or was hidden no picture tells.
            Mistake::Missing => &[Stage::Geometry, Stage::Coverage, Stage::Visibility],
            Mistake::TexcoordsMoved(_) | Mistake::Clamped => &[Stage::TextureCoordinates],
            // Nor whether a white texel is one of a texture that is not there.
            Mistake::TextureMissing => &[Stage::TextureCoordinates, Stage::Colour],
            // A factor of colour is one of light.
            Mistake::Tinted(_) => &[Stage::Colour, Stage::Light],
            Mistake::ChannelsExchanged => &[Stage::Colour],
            Mistake::FilteredNearest | Mistake::LevelsMissing => &[Stage::Filtering],
            Mistake::NormalsReversed => &[Stage::Light],
            // What has two sides is seen as before, and lit from the other one.
            Mistake::Wound if self.has_two_sides(scene) => &[Stage::Visibility, Stage::Light],
            Mistake::Wound => &[Stage::Visibility],
            Mistake::AlphaIgnored => &[Stage::Blend],
        }
    }

    /// Whether a place names the object before all others.
    pub(crate) fn is_told(self, scene: &Scene, place: &Place) -> bool {
        let is_first =
            |shares: &[Share], right: &dyn Fn(usize) -> bool| shares.first().is_some_and(|own| right(own.number));
        match self.object {
            Object::Node(own) => is_first(&place.nodes, &|node| node == own),
            Object::Material(own) => is_first(&place.materials, &|material| material == own),
            Object::Joint(skin, at) => {
                let own = scene.skins[skin].joints[at];
                // What hangs on a joint stands still with it.
                let hangs = |node: usize| {
                    std::iter::successors(Some(node), |below| scene.nodes[*below].parent).any(|above| above == own)
                };
                is_first(&place.joints, &|node| node == own || (self.mistake == Mistake::Still && hangs(node)))
            }
        }
    }

    /// In words.
    pub(crate) fn told(self, scene: &Scene) -> String {
        let object = match self.object {
            Object::Node(node) => format!("node {node} {:?}", scene.nodes[node].name),
            Object::Material(material) => format!("material {material} {:?}", scene.materials[material].name),
            Object::Joint(skin, at) => {
                let node = scene.skins[skin].joints[at];
                format!("joint {node} {:?}", scene.nodes[node].name)
            }
        };
        format!("{object} {:?}", self.mistake)
    }
}

/// What the drawn nodes show.
fn drawn(scene: &Scene) -> impl Iterator<Item = &Primitive> {
    let meshes = scene.drawn.iter().filter_map(|node| scene.nodes[*node].mesh);
    meshes.flat_map(|mesh| &scene.meshes[mesh].primitives)
}

fn on_surface(chance: &mut Chance, is_node: bool) -> Mistake {
    let side = |chance: &mut Chance| chance.between(0.05, 0.3) * if chance.is_heads() { 1.0 } else { -1.0 };
    match chance.below(13) {
        0 => Mistake::Moved([side(chance), side(chance), side(chance)]),
        1 => Mistake::Scaled(if chance.is_heads() { chance.between(0.5, 0.9) } else { chance.between(1.1, 2.0) }),
        2 if is_node => Mistake::Missing,
        2 | 3 => Mistake::TexcoordsMoved([side(chance), side(chance)]),
        4 => Mistake::Tinted([0; 3].map(|_: i32| chance.between(0.3, 1.0))),
        5 => Mistake::ChannelsExchanged,
        6 => Mistake::TextureMissing,
        7 => Mistake::FilteredNearest,
        8 => Mistake::LevelsMissing,
        9 => Mistake::Clamped,
        10 => Mistake::NormalsReversed,
        11 => Mistake::Wound,
        _ => Mistake::AlphaIgnored,
    }
}

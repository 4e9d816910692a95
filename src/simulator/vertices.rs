//! The vertex stage: what each draw hands to the rasteriser.

use std::{borrow::Cow, num::NonZeroUsize};

use glam::{Mat4, Vec3};

use super::{
    arithmetic::{Arithmetic, Vector, add, scale, subtract},
    dual::Motion,
    faults::Faults,
    heaviest::heaviest,
    palette::{Joint, Poses, influences, palette, rows},
    skin::{Point, Skinner, straight_tangent},
};
use crate::{Fault, ParametricFault, SimulatedVertices};
use refrast_animation::multiply;
use refrast_scene::{Influences, MorphTarget, Primitive, Scene, Topology};
use refrast_shading::ShadingMode;
use refrast_skinning::{SkinningError, SkinningMethod};
use refrast_stage::{Camera, RenderError, RenderSettings};
use refrast_threads as threads;

/// Vertices that a thread moves at once.
const TASK_VERTICES: usize = 512;

/// A vertex as the rasteriser and the fragments want it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    pub(super) clip: [f32; 4],
    /// World space.
    pub(super) position: Vector,
    /// World space.
    pub(super) normal: Vector,
    /// World space, and the handedness.
    pub(super) tangent: [f32; 4],
}

/// What vertices carry that skinning leaves alone. A list is empty where all vertices have the same: fragments know what.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    /// One list a set.
    pub(super) texcoords: Vec<Vec<[f32; 2]>>,
    pub(super) colors: Vec<[f32; 4]>,
    /// What arrives of ambient light.
    pub(super) occlusion: Vec<[f32; 1]>,
    /// Of [`ShadingMode::Joints`] alone.
    pub(super) joint_colors: Vec<Vector>,
}

/// A primitive of a node, deformed.
pub(super) struct Draw {
    pub(super) node: usize,
    pub(super) topology: Topology,
    pub(super) indices: Vec<u32>,
    pub(super) vertices: Vec<Vertex>,
    pub(super) attributes: Attributes,
    /// Index into the scene's materials.
    pub(super) material: usize,
    /// Front faces run clockwise.
    pub(super) mirrored: bool,
    pub(super) has_normals: bool,
    pub(super) has_tangents: bool,
    pub(super) has_colors: bool,
    pub(super) has_joints: bool,
}

/// A primitive's deformed vertices before they are projected.
pub(super) struct Deformed {
    pub(super) node: usize,
    /// Its place in the node's mesh.
    pub(super) primitive: usize,
    pub(super) points: Vec<Point>,
    mirrored: bool,
    /// What the points follow, where the primitive is skinned.
    followed: Option<Followed>,
}

/// The joints of a primitive, and which of them each vertex follows.
struct Followed {
    palette: Vec<Joint>,
    influences: Influences,
}

impl Deformed {
    pub(super) fn vertices(&self) -> SimulatedVertices {
        SimulatedVertices {
            node: self.node,
            primitive: self.primitive,
            positions: self.points.iter().map(|point| point.position).collect(),
            normals: self.points.iter().map(|point| point.normal).collect(),
            tangents: self.points.iter().map(|point| point.tangent).collect(),
        }
    }

    /// What it takes to keep it.
    pub(super) fn bytes(&self) -> usize {
        let followed = self.followed.as_ref().map_or(0, |own| {
            let Influences { joints, weights, .. } = &own.influences;
            size_of_val(own.palette.as_slice()) + size_of_val(joints.as_slice()) + size_of_val(weights.as_slice())
        });
        size_of_val(self.points.as_slice()) + followed
    }
}

impl Followed {
    /// Which vertices follow what they follow there: joints that stand where those stand, with the same weights.
    fn same_as(&self, other: &Self) -> Vec<bool> {
        let Influences { per_vertex, joints, weights } = &self.influences;
        let is_alike = self.palette.len() == other.palette.len() && *per_vertex == other.influences.per_vertex;
        if !is_alike {
            return vec![false; joints.len() / per_vertex];
        }
        let pairs = self.palette.iter().zip(&other.palette);
        let moved: Vec<bool> = pairs.map(|(own, other)| own.bits() != other.bits()).collect();
        let is_moved = |joint: u16| moved.get(usize::from(joint)).copied().unwrap_or_default();
        let slot = |slot: usize| {
            let (own, weight) = (joints[slot], weights[slot]);
            let (theirs, their_weight) = (other.influences.joints[slot], other.influences.weights[slot]);
            let is_still = own == theirs && !is_moved(own) && weight.to_bits() == their_weight.to_bits();
            is_still || weight == 0.0 && their_weight == 0.0
        };
        (0..joints.len() / per_vertex)
            .map(|vertex| (vertex * per_vertex..(vertex + 1) * per_vertex).all(slot))
            .collect()
    }
}

/// What the vertex stage reads.
#[derive(Clone, Copy)]
pub(super) struct Stage<'a> {
    pub(super) scene: &'a Scene,
    pub(super) poses: Poses<'a>,
    pub(super) settings: &'a RenderSettings,
    pub(super) arithmetic: Arithmetic,
    pub(super) faults: Faults,
}

impl Stage<'_> {
    /// The vertices of everything that the scene draws, in draw order. `apart` are those of a backend that makes no mistake about
    /// single joints and is like this one but for that: what follows none of those joints is where it is there.
    pub(super) fn deform(&self, apart: Option<&[Deformed]>) -> Result<Vec<Deformed>, RenderError> {
        let mut deformed = Vec::new();
        for &node in &self.scene.drawn {
            let Some(mesh) = self.scene.nodes[node].mesh else { continue };
            for (index, primitive) in self.scene.meshes[mesh].primitives.iter().enumerate() {
                if !primitive.indices.is_empty() {
                    let apart = apart.and_then(|apart| apart.get(deformed.len()));
                    let vertices = self.deform_primitive(node, index, primitive, apart);
                    deformed.push(vertices.map_err(|error| RenderError::skinning(self.scene, node, error))?);
                }
            }
        }
        Ok(deformed)
    }

    fn deform_primitive(
        &self,
        node: usize,
        index: usize,
        primitive: &Primitive,
        apart: Option<&Deformed>,
    ) -> Result<Deformed, SkinningError> {
        let skin = self.scene.nodes[node].skin.zip(primitive.influences.as_ref());
        let joints = skin.map(|(skin, _)| palette(self.scene, self.poses, node, skin, self.faults)).unwrap_or_default();
        let RenderSettings { skinning: method, normals, .. } = *self.settings;
        let mut kept = self.kept_influences(primitive).filter(|_| skin.is_some());
        if method == SkinningMethod::Rigid {
            kept = kept.map(|kept| Cow::Owned(heaviest(&kept, NonZeroUsize::MIN)));
        }
        let followed = kept.map(|kept| influences(primitive, &kept, self.faults));
        let followed = followed.map(|influences| Followed { palette: joints, influences });
        let motions = match (method, &followed) {
            (SkinningMethod::DualQuaternion, Some(followed)) => self.motions(followed)?,
            _ => Vec::new(),
        };
        let (arithmetic, faults) = (self.arithmetic, self.faults);
        let palette = followed.as_ref().map_or(&[][..], |followed| &followed.palette);
        let skinner = Skinner { palette, motions: &motions, method, normals, arithmetic, faults };
        let own = self.poses.now.worlds[node];
        let mut world = if faults.has(Fault::UnskinnedNodeTransformDropped) { Mat4::IDENTITY } else { own };
        for fault in faults.parametric() {
            if let ParametricFault::NodeTransformRepeated { times } = fault {
                world = (1..times).fold(world, |world, _| multiply(&own, &world));
            }
        }
        let rows = rows(&world);
        let weights = &self.poses.now.weights[node];
        // What is flat has normals that depend on its neighbours.
        let apart = apart.filter(|own| (own.node, own.primitive) == (node, index) && !primitive.flat);
        let apart = apart.and_then(|own| Some((&own.points, followed.as_ref()?.same_as(own.followed.as_ref()?))));
        let point = |vertex: usize| {
            if let Some((points, _)) = apart.as_ref().filter(|(_, is_same)| is_same[vertex]) {
                return points[vertex];
            }
            let base = point_of(primitive, vertex);
            let late = faults.has(Fault::MorphAfterSkin);
            let rest = if late { base } else { self.morph(primitive, weights, vertex, base) };
            let moved = match &followed {
                Some(Followed { influences: Influences { per_vertex, joints, weights }, .. }) => {
                    let slots = vertex * per_vertex..(vertex + 1) * per_vertex;
                    skinner.skin(&rest, &joints[slots.clone()], &weights[slots])
                }
                None => skinner.place(&rows, &rest, || {
                    let (cofactors, determinant) =
                        super::skin::cofactor(arithmetic, rows.map(|[x, y, z, _]| [x, y, z]));
                    cofactors.map(|row| arithmetic.dot(row, rest.normal) / determinant)
                }),
            };
            if late { self.morph(primitive, weights, vertex, moved) } else { moved }
        };
        let mut points = threads::filled(primitive.positions.len(), TASK_VERTICES, point);
        let mirrored = match &followed {
            Some(followed) => mostly_mirrored(followed),
            None => mirrors(&rows),
        };
        if primitive.flat && primitive.topology == Topology::Triangles {
            self.face_normals(primitive, mirrored, &mut points);
        }
        let mirrored = mirrored && !faults.has(Fault::WindingNotFlipped);
        Ok(Deformed { node, primitive: index, points, mirrored, followed })
    }

    /// The influences that the settings keep.
    fn kept_influences<'a>(&self, primitive: &'a Primitive) -> Option<Cow<'a, Influences>> {
        let all = primitive.influences.as_ref()?;
        Some(match self.settings.max_influences {
            Some(most) => Cow::Owned(heaviest(all, most)),
            None => Cow::Borrowed(all),
        })
    }

    /// The motion of each joint; one that no vertex follows may be as odd as it likes.
    fn motions(&self, Followed { palette, influences }: &Followed) -> Result<Vec<Motion>, SkinningError> {
        let mut is_followed = vec![false; palette.len()];
        let pairs = influences.joints.iter().zip(&influences.weights).filter(|(_, weight)| **weight != 0.0);
        for (joint, _) in pairs {
            if let Some(is_followed) = is_followed.get_mut(usize::from(*joint)) {
                *is_followed = true;
            }
        }
        let motion = |((joint, matrices), is_followed): ((usize, &Joint), bool)| match is_followed {
            true => match Motion::of(&matrices.matrix, self.faults) {
                Some(motion) => Ok(motion),
                None if self.faults == Faults::default() => Err(SkinningError::NoRotation { joint }),
                // A backend that got the matrix wrong does not know that there is nothing to find.
                None => Ok(Motion::REST),
            },
            false => Ok(Motion::REST),
        };
        palette.iter().enumerate().zip(is_followed).map(motion).collect()
    }

    /// base + Σ weight · displacement.
    fn morph(&self, primitive: &Primitive, weights: &[f32], vertex: usize, mut point: Point) -> Point {
        let add = |sum: &mut [f32], displacements: &Option<Vec<Vector>>, weight: f32| {
            let Some(displacement) = displacements.as_ref().and_then(|list| list.get(vertex)) else { return };
            for (sum, displacement) in sum.iter_mut().zip(displacement) {
                *sum = self.arithmetic.multiply_add(weight, *displacement, *sum);
            }
        };
        for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            add(&mut point.position, &target.positions, weight);
            add(&mut point.normal, &target.normals, weight);
            add(&mut point.tangent[..3], &target.tangents, weight);
        }
        point
    }

    /// Each triangle's own direction for its three vertices.
    fn face_normals(&self, primitive: &Primitive, mirrored: bool, points: &mut [Point]) {
        let side = if mirrored { -1.0 } else { 1.0 };
        for triangle in primitive.indices.as_chunks::<3>().0 {
            let [a, b, c] = triangle.map(|vertex| points[vertex as usize].position);
            let normal = self.arithmetic.cross(subtract(b, a), subtract(c, a));
            let normal = scale(self.arithmetic.normalize_scaled(normal), side);
            for vertex in triangle {
                let point = &mut points[*vertex as usize];
                point.normal = normal;
                point.tangent = straight_tangent(self.arithmetic, point.tangent, normal);
            }
        }
    }

    /// World → clip space.
    pub(super) fn view_projection(&self, camera: &Camera) -> Mat4 {
        let right = camera.view_projection();
        if !self.faults.has(Fault::AspectRatioInverted) {
            return right;
        }
        let aspect = self.settings.width as f32 / self.settings.height as f32;
        Mat4::from_scale(Vec3::new(aspect * aspect, 1.0, 1.0)) * right
    }

    /// The draws of deformed vertices seen by a camera.
    pub(super) fn project(&self, deformed: &[Deformed], view_projection: &Mat4) -> Vec<Draw> {
        let mut draws: Vec<Draw> = deformed.iter().map(|deformed| self.draw(deformed, view_projection)).collect();
        if self.faults.has(Fault::BaseVertexIgnored) {
            // The vertices of a mesh lie one primitive's after another's.
            let read = |own: &Draw| {
                let shared: Vec<&Draw> = draws.iter().filter(|other| other.node == own.node).collect();
                let vertices = shared.iter().flat_map(|other| &other.vertices).take(own.vertices.len());
                (vertices.copied().collect::<Vec<Vertex>>(), Attributes::read_by(own, &shared))
            };
            let read: Vec<(Vec<Vertex>, Attributes)> = draws.iter().map(read).collect();
            for (draw, read) in draws.iter_mut().zip(read) {
                (draw.vertices, draw.attributes) = read;
            }
        }
        // What an index finds past the end of a buffer is zeros, which no triangle survives.
        for draw in &mut draws {
            let needed = draw.indices.iter().max().map_or(0, |last| *last as usize + 1);
            draw.vertices.resize(draw.vertices.len().max(needed), Vertex::default());
        }
        draws
    }

    fn draw(&self, deformed: &Deformed, view_projection: &Mat4) -> Draw {
        let node = &self.scene.nodes[deformed.node];
        let primitive = &self.scene.meshes[node.mesh.unwrap_or_default()].primitives[deformed.primitive];
        let matrix = [0, 1, 2, 3].map(|row| view_projection.row(row).to_array());
        let vertex = |point: &Point| {
            let clip = matrix.map(|[x, y, z, w]| self.arithmetic.dot_plus([x, y, z], point.position, w));
            Vertex { clip, position: point.position, normal: point.normal, tangent: point.tangent }
        };
        let flat = primitive.flat && primitive.topology == Topology::Triangles;
        Draw {
            node: deformed.node,
            topology: primitive.topology,
            indices: primitive.indices.clone(),
            vertices: threads::filled(deformed.points.len(), TASK_VERTICES, |point| vertex(&deformed.points[point])),
            attributes: self.attributes(primitive, &self.poses.now.weights[deformed.node]),
            material: primitive.material,
            mirrored: deformed.mirrored,
            has_normals: primitive.normals.is_some() || flat,
            has_tangents: primitive.tangents.is_some(),
            has_colors: primitive.colors.is_some(),
            has_joints: primitive.influences.is_some(),
        }
    }

    /// What the vertices of a primitive carry, moved by morph targets of these weights.
    fn attributes(&self, primitive: &Primitive, weights: &[f32]) -> Attributes {
        let vertices = 0..primitive.positions.len();
        let texcoords = primitive.texcoords.iter().enumerate().map(|(set, texcoords)| {
            let moved = |target: &MorphTarget, vertex: usize| Some(target.texcoords.get(set)?.as_ref()?[vertex]);
            self.displaced(texcoords, (primitive, weights), moved).0
        });
        let mut attributes = Attributes { texcoords: texcoords.collect(), ..Attributes::default() };
        if let Some(colors) = &primitive.colors {
            let moved = |target: &MorphTarget, vertex: usize| Some(target.colors.as_ref()?[vertex]);
            let (mut colors, moved) = self.displaced(colors, (primitive, weights), moved);
            if moved {
                colors.as_flattened_mut().iter_mut().for_each(|channel| *channel = channel.clamp(0.0, 1.0));
            }
            attributes.colors = colors;
        }
        if let Some(occlusion) = &primitive.occlusion {
            let moved = |target: &MorphTarget, vertex: usize| Some([target.occlusion.as_ref()?[vertex]]);
            let (mut parts, _) = self.displaced(occlusion.as_chunks().0, (primitive, weights), moved);
            parts.iter_mut().for_each(|[part]| *part = part.clamp(0.0, 1.0));
            attributes.occlusion = parts;
        }
        if self.settings.shading == ShadingMode::Joints
            && let Some(joints) = self.kept_influences(primitive)
        {
            attributes.joint_colors = vertices.map(|vertex| joint_color(&joints, vertex)).collect();
        }
        attributes
    }

    /// base + Σ weight · displacement, and whether anything was added.
    fn displaced<const N: usize>(
        &self,
        base: &[[f32; N]],
        (primitive, weights): (&Primitive, &[f32]),
        displacement: impl Fn(&MorphTarget, usize) -> Option<[f32; N]>,
    ) -> (Vec<[f32; N]>, bool) {
        let mut values = base.to_vec();
        let mut any = false;
        for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            for (vertex, value) in values.iter_mut().enumerate() {
                let Some(moved) = displacement(target, vertex) else { break };
                *value = std::array::from_fn(|i| self.arithmetic.multiply_add(moved[i], weight, value[i]));
                any = true;
            }
        }
        (values, any)
    }
}

impl Attributes {
    /// What a draw finds that reads the vertices of its mesh's primitives from the first one on.
    fn read_by(own: &Draw, mesh: &[&Draw]) -> Self {
        fn read<'a, T: Copy + 'a>(own: &Draw, lists: impl Iterator<Item = (&'a [T], usize)>, missing: T) -> Vec<T> {
            let values = lists.flat_map(|(list, vertices)| {
                (0..vertices).map(move |vertex| list.get(vertex).copied().unwrap_or(missing))
            });
            values.take(own.vertices.len()).collect()
        }
        let parts = || mesh.iter().map(|other| (&other.attributes, other.vertices.len()));
        let texcoords = (0..own.attributes.texcoords.len()).map(|set| {
            let lists =
                parts().map(|(part, vertices)| (part.texcoords.get(set).map_or(&[][..], Vec::as_slice), vertices));
            read(own, lists, [0.0; 2])
        });
        Self {
            texcoords: texcoords.collect(),
            colors: read(own, parts().map(|(part, vertices)| (&part.colors[..], vertices)), [1.0; 4]),
            occlusion: read(own, parts().map(|(part, vertices)| (&part.occlusion[..], vertices)), [1.0]),
            joint_colors: read(own, parts().map(|(part, vertices)| (&part.joint_colors[..], vertices)), [0.0; 3]),
        }
    }

    /// What it takes to keep them.
    pub(super) fn bytes(&self) -> usize {
        let texcoords = self.texcoords.iter().map(|set| size_of_val(set.as_slice())).sum::<usize>();
        let [colors, occlusion] = [size_of_val(self.colors.as_slice()), size_of_val(self.occlusion.as_slice())];
        texcoords + colors + occlusion + size_of_val(self.joint_colors.as_slice())
    }
}

fn point_of(primitive: &Primitive, vertex: usize) -> Point {
    let normal = primitive.normals.as_ref().map(|normals| normals[vertex]);
    let tangent = primitive.tangents.as_ref().map(|tangents| tangents[vertex]);
    Point {
        position: primitive.positions[vertex],
        normal: normal.unwrap_or_default(),
        tangent: tangent.unwrap_or_default(),
    }
}

/// Whether a 3×3 part has a negative determinant.
fn mirrors(rows: &[[f32; 4]; 3]) -> bool {
    let [a, b, c] = rows.map(|row| glam::DVec3::new(row[0].into(), row[1].into(), row[2].into()));
    a.dot(b.cross(c)) < 0.0
}

/// Whether the joints that mirror carry more than half of the weight.
fn mostly_mirrored(Followed { palette, influences }: &Followed) -> bool {
    let mirrored: Vec<bool> = palette.iter().map(|joint| mirrors(&joint.matrix)).collect();
    if mirrored.iter().all(|mirrored| !mirrored) {
        return false;
    }
    let pairs = influences.joints.iter().zip(&influences.weights);
    let signed = pairs.map(|(joint, weight)| {
        let turned = mirrored.get(usize::from(*joint)).copied().unwrap_or_default();
        if turned { -f64::from(*weight) } else { f64::from(*weight) }
    });
    signed.sum::<f64>() < 0.0
}

/// Σ weight · colour of the joint: hues a golden ratio apart, every second joint paler, every second pair darker.
fn joint_color(influences: &Influences, vertex: usize) -> Vector {
    let slots = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let mut sum = [0.0; 3];
    for slot in slots {
        let (joint, weight) = (influences.joints[slot], influences.weights[slot]);
        let hue = f64::from(joint.wrapping_mul(40_503)) / 65_536.0;
        let saturation = if joint % 2 == 0 { 0.9 } else { 0.6 };
        let value = if joint / 2 % 2 == 0 { 0.9 } else { 0.5 };
        let channel = |third: f64| {
            let turn = hue + third / 3.0;
            let ramp = ((6.0 * (turn - turn.floor()) - 3.0).abs() - 1.0).clamp(0.0, 1.0);
            (value * (1.0 - saturation * (1.0 - ramp))) as f32
        };
        sum = add(sum, scale([channel(0.0), channel(2.0), channel(1.0)], weight));
    }
    sum
}

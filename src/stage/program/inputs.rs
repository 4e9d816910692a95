//! What goes into the attribute registers of a section.

use glam::{Mat4, Vec3};

use super::{AttributeSource, sections::Section};
use refrast_scene::{MorphTarget, Primitive, TextureTransform};
use refrast_shading::transform_texcoord;
use refrast_skinning::DeformedVertices;

/// A register and its rows, one a vertex of the section.
pub(super) struct InputArray {
    pub(super) register: u8,
    pub(super) source: AttributeSource,
    pub(super) rows: Vec<[f32; 4]>,
}

/// What a primitive has to offer at a moment.
pub(super) struct PrimitiveInputs<'a> {
    pub(super) primitive: &'a Primitive,
    /// The vertices in mesh space, with the morph targets that the program leaves to the pipeline; in world space where they
    /// are skinned before the program.
    pub(super) rest: &'a DeformedVertices,
    /// Texture coordinates of the base colour texture; empty where there are none.
    pub(super) texcoords: &'a [[f32; 2]],
    /// Their transform.
    pub(super) transform: TextureTransform,
    /// Vertex colours; empty where there are none.
    pub(super) colors: &'a [[f32; 4]],
    /// The skin's inverse bind matrices; empty where a node places the mesh.
    pub(super) inverse_binds: &'a [Mat4],
    /// The morph targets that the program blends.
    pub(super) morph_targets: [Option<usize>; 5],
    /// Registers of a joint.
    pub(super) rows_per_joint: u8,
}

impl PrimitiveInputs<'_> {
    /// Fills an array for the vertices of a section.
    pub(super) fn fill(&self, section: &Section, array: &mut InputArray) {
        array.rows.clear();
        let source = array.source;
        let vertices = section.vertices.iter().enumerate();
        array.rows.extend(vertices.map(|(own, &vertex)| self.row(source, section, own, vertex as usize)));
    }

    fn row(&self, source: AttributeSource, section: &Section, own: usize, vertex: usize) -> [f32; 4] {
        let with_w = |[x, y, z]: [f32; 3], w: f32| [x, y, z, w];
        let normal = || self.rest.normal(vertex).unwrap_or_default();
        let scaled = |factor: f32| section.places[own].map(|place| f32::from(place) * factor);
        match source {
            AttributeSource::Position => with_w(self.rest.position(vertex), 1.0),
            AttributeSource::Normal => with_w(normal(), 1.0),
            AttributeSource::Tangent => self.tangent(vertex),
            AttributeSource::Bitangent => {
                let [x, y, z, handedness] = self.tangent(vertex);
                let bitangent = Vec3::from(normal()).cross(Vec3::new(x, y, z)) * handedness;
                with_w(bitangent.to_array(), 1.0)
            }
            AttributeSource::Color => self.colors.get(vertex).copied().unwrap_or([1.0; 4]),
            AttributeSource::Texcoord => {
                let [u, v] =
                    transform_texcoord(&self.transform, self.texcoords.get(vertex).copied().unwrap_or_default());
                [u, v, 0.0, 1.0]
            }
            AttributeSource::Weights => section.weights[own],
            AttributeSource::Rows => scaled(f32::from(self.rows_per_joint)),
            AttributeSource::Joints => scaled(1.0),
            AttributeSource::JointPosition(rank) => {
                let position = Vec3::from(self.rest.position(vertex));
                with_w(self.inverse_bind(section, own, rank).transform_point3(position).to_array(), 1.0)
            }
            AttributeSource::JointNormal(rank) => {
                let turned = self.inverse_bind(section, own, rank).transform_vector3(Vec3::from(normal()));
                with_w(turned.to_array(), section.weights[own][usize::from(rank)])
            }
            AttributeSource::MorphPosition(rank) => self.displacement(rank, vertex, |target| &target.positions),
            AttributeSource::MorphNormal(rank) => self.displacement(rank, vertex, |target| &target.normals),
        }
    }

    /// The file's tangent; where it has none some direction at right angles to the normal, for without a map all are alike
    /// (J. Frisvad, *Building an Orthonormal Basis from a 3D Unit Vector Without Normalization*, 2012, about +Y).
    fn tangent(&self, vertex: usize) -> [f32; 4] {
        if let Some(tangent) = self.rest.tangent(vertex) {
            return tangent;
        }
        let [x, y, z] = self.rest.normal(vertex).unwrap_or([0.0, 1.0, 0.0]);
        if y < -0.999_999 {
            return [1.0, 0.0, 0.0, 1.0];
        }
        let share = 1.0 / (1.0 + y);
        [1.0 - x * x * share, -x, -(x * z) * share, 1.0]
    }

    /// The inverse bind matrix of an influence's joint.
    fn inverse_bind(&self, section: &Section, own: usize, rank: u8) -> Mat4 {
        let place = usize::from(section.places[own][usize::from(rank)]);
        let joint = section.joints.get(place).map(|&joint| usize::from(joint));
        joint.and_then(|joint| self.inverse_binds.get(joint)).copied().unwrap_or(Mat4::IDENTITY)
    }

    fn displacement(&self, rank: u8, vertex: usize, part: impl Fn(&MorphTarget) -> &Option<Vec<[f32; 3]>>) -> [f32; 4] {
        let target = self.morph_targets[usize::from(rank)].map(|target| &self.primitive.targets[target]);
        let displacement = target.and_then(|target| part(target).as_ref()?.get(vertex).copied());
        let [x, y, z] = displacement.unwrap_or_default();
        [x, y, z, 0.0]
    }
}

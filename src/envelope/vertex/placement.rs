//! [`Placement`]: the matrices and weights that place a primitive's vertices, from a palette that everybody is given or from
//! the file.

use refrast_range::Bounded;
use refrast_scene::Scene;

use super::{
    chain::ChainPose,
    inputs::VertexInputs,
    vectors::{Affine, affine, product},
};
use refrast_skinning::SkinningMethod;

/// What places the vertices of a primitive.
pub(super) struct Placement {
    /// One a joint; a node's alone without a skin.
    pub(super) joints: Vec<PlacedJoint>,
    /// The same in the space of the mesh's node, for backends that skin there.
    pub(super) relative: Option<Relative>,
    /// One a morph target.
    pub(super) morph_weights: Vec<Bounded>,
    /// Whether a backend reads the vertices' numbers of the file itself.
    pub(super) reads_file: bool,
}

/// A joint's matrices.
pub(super) struct PlacedJoint {
    pub(super) world: Affine,
    pub(super) inverse_bind: Affine,
    /// World · inverse bind.
    pub(super) product: Affine,
}

/// Joint matrices in front of which a node's world matrix is still to come, with what the products round alone: what the
/// factors are off is in the joints' own matrices.
pub(super) struct Relative {
    pub(super) node: Affine,
    pub(super) joints: Vec<Affine>,
}

impl Placement {
    /// The palette's factors as they are.
    pub(super) fn given(inputs: &VertexInputs<'_>) -> Self {
        let joint = |joint: &super::JointMatrices| {
            let (world, inverse_bind) = (affine(&joint.world), affine(&joint.inverse_bind));
            PlacedJoint { world, inverse_bind, product: product(&world, &inverse_bind) }
        };
        Self {
            joints: inputs.joints.iter().map(joint).collect(),
            relative: None,
            morph_weights: inputs.morph_weights.iter().map(|weight| Bounded::exact(*weight)).collect(),
            reads_file: false,
        }
    }

    /// What a backend has that reads the file.
    pub(super) fn of_file(scene: &Scene, pose: &ChainPose, node: usize, inputs: &VertexInputs<'_>) -> Self {
        let hierarchy = pose.hierarchy();
        let skin = scene.nodes[node].skin.filter(|_| inputs.influences.is_some()).map(|skin| &scene.skins[skin]);
        // Blending quaternions, or the factors apart, is something else in another space.
        let is_linear = !matches!(inputs.method, SkinningMethod::DualQuaternion | SkinningMethod::WeightsBeforeBind);
        let world = *pose.world(node);
        let is_identity = world == affine(&glam::Mat4::IDENTITY);
        let joints = match skin {
            None => {
                let inverse_bind = affine(&glam::Mat4::IDENTITY);
                vec![PlacedJoint { world, inverse_bind, product: world }]
            }
            Some(skin) => {
                let joint = |(&joint, inverse_bind): (&usize, &glam::Mat4)| {
                    let inverse_bind = affine(inverse_bind);
                    let product = hierarchy.joint(joint, &inverse_bind, None);
                    PlacedJoint { world: *pose.world(joint), inverse_bind, product }
                };
                skin.joints.iter().zip(&skin.inverse_bind_matrices).map(joint).collect()
            }
        };
        let relative = skin.filter(|_| is_linear && !is_identity).and_then(|skin| {
            let (node, before) = pose.rounded().detour(node)?;
            let joint = |(&joint, bind)| pose.rounded().joint(joint, &affine(bind), Some(&before));
            let joints = skin.joints.iter().zip(&skin.inverse_bind_matrices).map(joint).collect();
            Some(Relative { node, joints })
        });
        Self { joints, relative, morph_weights: pose.weights(node).to_vec(), reads_file: true }
    }
}

//! [`ProgramStage`]: a primitive, a pose and a program → vertex streams.

use std::num::NonZeroUsize;

use glam::Mat4;

use super::{
    AttributeSource, Combiners, ProgramSettings, ProgramStageError, combiners,
    constants::{DrawConstants, DrawSpace, write_joint},
    inputs::{InputArray, PrimitiveInputs},
    sections::{self, INFLUENCES, Section},
};
use crate::{RenderError, vertex_stage::PrimitiveStage};
use refrast_animation::Pose;
use refrast_draw::VertexStream;
use refrast_scene::Scene;
use refrast_shading::{FixedFunctionShader, TextureSet};
use refrast_simd::SimdLevel;
use refrast_skinning::{
    Deformation, DeformedVertices, NormalMode, Placement, SkinningMethod, keep_most_active, morph_colors,
    morph_texcoords,
};
use refrast_vertex_program::{
    AttributeArray, AttributeData, BatchMachine, CONSTANTS, ConstantBudget, ConstantFile, Mask,
    Settings as MachineSettings, VertexOutputs,
};

/// The most morph targets that a program blends.
const ACTIVE_TARGETS: usize = 5;

/// What a program needs to draw a primitive, kept from frame to frame.
pub(crate) struct ProgramStage {
    machine: BatchMachine,
    /// How the machine of the last frame computed: with this draw's matrix, where the program leaves the position to it.
    pub(super) computed: MachineSettings,
    pub(super) budget: Option<ConstantBudget>,
    pub(super) sections: Vec<SectionDraw>,
    /// Whether the table binds joint-space positions or normals: the palette then has no inverse bind matrices.
    in_joint_space: bool,
    /// Whether the table binds displacements of morph targets.
    blends_targets: bool,
    /// What colours the fragments.
    combiners: Combiners,
    /// Ambient light × base colour, of the last frame.
    ambient: [f32; 3],
    /// Whether vertices are skinned before the program, which moves none: they are in world space then.
    is_skinned_before: bool,
    /// Whether the arrays hold what they must for ever.
    filled: bool,
    rest: DeformedVertices,
    texcoords: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
}

/// A section with what it draws.
pub(crate) struct SectionDraw {
    pub(super) section: Section,
    pub(super) inputs: Vec<InputArray>,
    /// The constant file that `stream` was made with.
    pub(super) constants: ConstantFile,
    pub(crate) stream: VertexStream,
}

impl SectionDraw {
    /// For each vertex that of the primitive.
    pub(crate) fn source_vertices(&self) -> &[u32] {
        &self.section.vertices
    }

    /// The constants of the last pose.
    pub(crate) fn constants(&self) -> &ConstantFile {
        &self.constants
    }

    /// The attribute registers and their rows, one a vertex.
    pub(crate) fn attributes(&self) -> Vec<(u8, &[[f32; 4]])> {
        self.inputs.iter().map(|array| (array.register, array.rows.as_slice())).collect()
    }

    /// The faces.
    pub(crate) fn indices(&self) -> &[u32] {
        &self.section.indices
    }
}

impl ProgramStage {
    /// Reads off the program what it wants, and splits the primitive by its palette.
    pub(crate) fn new(stage: &PrimitiveStage<'_>, settings: &ProgramSettings) -> Result<Self, ProgramStageError> {
        let program = &settings.program;
        let usage = program.usage();
        let table = settings.bindings.attributes(program);
        let bound: Vec<(u8, AttributeSource)> =
            usage.attributes_read().filter_map(|register| Some((register, table[usize::from(register)]?))).collect();
        let any = |wanted: fn(&AttributeSource) -> bool| bound.iter().any(|(_, source)| wanted(source));
        let budget = ConstantBudget::of(program, settings.constants);
        let sections = match (budget, stage.influences()) {
            (None, _) if !usage.relative.is_empty() => return Err(ProgramStageError::NoRoom),
            (None, Some(_)) if any(moves_vertices) => return Err(ProgramStageError::NoPalette { node: stage.node }),
            (None, _) => vec![sections::whole(stage.primitive)],
            (Some(ConstantBudget { joints: 0, .. }), _) => return Err(ProgramStageError::NoRoom),
            (Some(ConstantBudget { rows_per_joint: rows, .. }), _) if !(2..=4).contains(&rows) => {
                return Err(ProgramStageError::RowsPerJoint { rows });
            }
            (Some(_), None) => vec![sections::whole(stage.primitive)],
            (Some(budget), Some(influences)) => {
                let most = influences_read(&bound, &usage.attributes);
                let joints = usize::from(budget.joints);
                sections::split(stage.primitive, influences, most, joints)
                    .map_err(|source| ProgramStageError::Partition { node: stage.node, joints, source })?
            }
        };
        let draw = |section| SectionDraw {
            section,
            inputs: bound.iter().map(|&(register, source)| InputArray { register, source, rows: Vec::new() }).collect(),
            constants: [[0.0; 4]; CONSTANTS],
            stream: VertexStream::default(),
        };
        Ok(Self {
            machine: BatchMachine::new(program, settings.machine)?,
            computed: settings.machine,
            budget,
            sections: sections.into_iter().map(draw).collect(),
            in_joint_space: any(|source| {
                matches!(source, AttributeSource::JointPosition(_) | AttributeSource::JointNormal(_))
            }),
            blends_targets: any(|source| {
                matches!(source, AttributeSource::MorphPosition(_) | AttributeSource::MorphNormal(_))
            }),
            combiners: settings.combiners,
            ambient: [0.0; 3],
            is_skinned_before: budget.is_none() && stage.influences().is_some(),
            filled: false,
            rest: DeformedVertices::default(),
            texcoords: Vec::new(),
            colors: Vec::new(),
        })
    }

    /// What is drawn, in order.
    pub(crate) fn draws(&self) -> impl Iterator<Item = &SectionDraw> {
        self.sections.iter()
    }

    /// The fragment stage.
    pub(crate) fn shader<'a>(
        &self,
        scene: &Scene,
        stage: &PrimitiveStage<'_>,
        textures: &'a TextureSet,
        blended: bool,
    ) -> FixedFunctionShader<'a> {
        let material = &scene.materials[stage.primitive.material];
        combiners::shader(self.combiners, material, textures, (self.ambient, blended))
    }

    /// What combiners that light add to it, of the last frame: ambient light × base colour.
    pub(crate) fn combined_ambient(&self) -> Option<[f32; 3]> {
        (self.combiners == Combiners::Dot3).then_some(self.ambient)
    }

    /// Runs the program over every vertex of a pose for which `stage` has been deformed.
    pub(crate) fn run(
        &mut self,
        scene: &Scene,
        pose: &Pose,
        stage: &PrimitiveStage<'_>,
        space: &DrawSpace,
        settings: &ProgramSettings,
        level: SimdLevel,
    ) -> Result<(), RenderError> {
        let mut left = pose.weights[stage.node].clone();
        let (targets, morph_weights) = if self.blends_targets { take_active(&mut left) } else { Default::default() };
        self.fill(scene, stage, &left, targets, level)?;
        let constants = DrawConstants {
            space,
            material: &scene.materials[stage.primitive.material],
            object_to_world: match self.is_skinned_before {
                true => Some(Mat4::IDENTITY),
                false => self.budget.is_none().then(|| pose.worlds[stage.node]),
            },
            morph_weights,
        };
        self.ambient = constants.ambient();
        let own_machine = settings.program.position_invariant.then(|| {
            let modelview_projection = constants.modelview_projection();
            self.computed = MachineSettings { modelview_projection, ..settings.machine };
            BatchMachine::new(&settings.program, self.computed)
        });
        let own_machine = own_machine.transpose().map_err(ProgramStageError::from)?;
        let machine = own_machine.as_ref().unwrap_or(&self.machine);
        let without_palette = constants.file(settings)?;
        for SectionDraw { section, inputs, constants: file, stream } in &mut self.sections {
            *file = without_palette;
            if let Some(budget) = &self.budget {
                for place in 0..section.joints.len().max(1) {
                    let joint = section.joints.get(place).map(|&joint| usize::from(joint));
                    let matrix = stage.joint_matrix(scene, pose, joint, self.in_joint_space);
                    let (node, joint) = (stage.node, joint.unwrap_or(0));
                    write_joint(file, budget, place, &matrix).ok_or(ProgramStageError::NotRigid { node, joint })?;
                }
            }
            for (&register, &value) in &settings.overrides {
                if let Some(place) = file.get_mut(usize::from(register)) {
                    *place = value;
                }
            }
            let layout = settings.combiners.layout();
            stream.resize(section.vertices.len(), 4 * layout.len());
            let VertexStream { x, y, z, w, varyings, stride } = stream;
            let arrays: Vec<AttributeArray<'_>> = inputs.iter().map(InputArray::as_attribute).collect();
            let outputs = VertexOutputs { position: [x, y, z, w], varyings, stride: *stride, layout };
            machine.run(file, &arrays, outputs, level).map_err(ProgramStageError::from)?;
        }
        Ok(())
    }

    /// Fills the attribute arrays; once, unless morph targets move them.
    fn fill(
        &mut self,
        scene: &Scene,
        stage: &PrimitiveStage<'_>,
        weights: &[f32],
        morph_targets: [Option<usize>; ACTIVE_TARGETS],
        level: SimdLevel,
    ) -> Result<(), RenderError> {
        if self.filled && stage.primitive.targets.is_empty() && !self.is_skinned_before {
            return Ok(());
        }
        let Self { rest, texcoords, colors, sections, .. } = self;
        if !self.is_skinned_before {
            let deformation = Deformation {
                primitive: stage.prepared(),
                placement: Placement::Node(Mat4::IDENTITY),
                morph_weights: weights,
                method: SkinningMethod::default(),
                normals: NormalMode::InverseTranspose,
                level,
            };
            deformation.run(rest).map_err(|error| RenderError::skinning(scene, stage.node, error))?;
        }
        let rest = if self.is_skinned_before { &stage.deformed } else { &*rest };
        let texture = self.combiners.placed_texture(&scene.materials[stage.primitive.material]);
        morph_texcoords(stage.primitive, texture.map_or(0, |texture| texture.texcoord), weights, texcoords);
        morph_colors(stage.primitive, weights, colors);
        let inputs = PrimitiveInputs {
            primitive: stage.primitive,
            rest,
            texcoords,
            transform: texture.map(|texture| texture.transform).unwrap_or_default(),
            colors,
            inverse_binds: stage.skin(scene).map_or(&[], |skin| &skin.inverse_bind_matrices),
            morph_targets,
            rows_per_joint: self.budget.map_or(0, |budget| budget.rows_per_joint),
        };
        for SectionDraw { section, inputs: arrays, .. } in sections {
            arrays.iter_mut().for_each(|array| inputs.fill(section, array));
        }
        self.filled = true;
        Ok(())
    }
}

impl InputArray {
    fn as_attribute(&self) -> AttributeArray<'_> {
        let data = AttributeData::Rows { values: self.rows.as_flattened(), components: 4, stride: 4 };
        AttributeArray { register: self.register, data }
    }
}

/// Whether a source is for programs that move vertices by joints or morph targets themselves.
fn moves_vertices(source: &AttributeSource) -> bool {
    match source {
        AttributeSource::Weights
        | AttributeSource::Rows
        | AttributeSource::Joints
        | AttributeSource::JointPosition(_)
        | AttributeSource::JointNormal(_)
        | AttributeSource::MorphPosition(_)
        | AttributeSource::MorphNormal(_) => true,
        AttributeSource::Position
        | AttributeSource::Normal
        | AttributeSource::Tangent
        | AttributeSource::Bitangent
        | AttributeSource::Color
        | AttributeSource::Texcoord => false,
    }
}

/// How many influences a program reads: what the registers are for that it reads, and which components.
fn influences_read(bound: &[(u8, AttributeSource)], read: &[Mask]) -> NonZeroUsize {
    let count = |&(register, source): &(u8, AttributeSource)| match source {
        AttributeSource::Weights | AttributeSource::Rows | AttributeSource::Joints => {
            read[usize::from(register)].components().last().map_or(0, |component| component + 1)
        }
        AttributeSource::JointPosition(rank) | AttributeSource::JointNormal(rank) => usize::from(rank) + 1,
        _ => 0,
    };
    let most = bound.iter().map(count).max().unwrap_or(0).min(INFLUENCES);
    NonZeroUsize::new(most).unwrap_or(NonZeroUsize::MIN)
}

/// Takes the largest five weights out of `weights`: their targets and themselves, in the order of the file.
fn take_active(weights: &mut [f32]) -> ([Option<usize>; ACTIVE_TARGETS], [f32; ACTIVE_TARGETS]) {
    let mut active = weights.to_vec();
    keep_most_active(&mut active, ACTIVE_TARGETS);
    let mut taken = ([None; ACTIVE_TARGETS], [0.0; ACTIVE_TARGETS]);
    let targets = active.iter().enumerate().filter(|&(_, &weight)| weight != 0.0);
    for (rank, (target, &weight)) in targets.enumerate() {
        (taken.0[rank], taken.1[rank]) = (Some(target), weight);
        weights[target] = 0.0;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_targets_go_to_the_program_and_the_rest_stay() {
        let mut weights = [0.5, 0.0, -0.75, 0.125, 0.25, 1.0, 0.0625];
        let (targets, taken) = take_active(&mut weights);
        assert_eq!(targets, [Some(0), Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!(taken, [0.5, -0.75, 0.125, 0.25, 1.0]);
        assert_eq!(weights, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0625]);
    }

    #[test]
    fn influences_are_counted_by_what_is_read() {
        let mut read = [Mask::NONE; 16];
        read[1] = Mask::from_bits(0b0011);
        let bound = [(1, AttributeSource::Weights), (6, AttributeSource::Rows)];
        assert_eq!(influences_read(&bound, &read).get(), 2);
        assert_eq!(influences_read(&[(13, AttributeSource::JointPosition(2))], &read).get(), 3);
        assert_eq!(influences_read(&[], &read).get(), 1);
    }
}

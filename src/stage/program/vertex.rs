//! [`ProgramVertex`]: a vertex with its registers, exactly as the program of the last frame got them.
//!
//! Why it exists: a debugger that gathers the inputs of a program a second time shows what it gathered, and not what
//! was drawn. Here nothing is gathered: these are the arrays and the constant file that the frame's vertex stream was
//! made from.

use std::iter;

use super::{AttributeSource, ConstantSource, ProgramSettings, stage::ProgramStage};
use refrast_vertex_program::{
    ATTRIBUTES, Attributes, Binding, ConstantBudget, ConstantFile, Dialect, Output, Program, Registers, ScalarMachine,
    Settings, Step, UNSET,
};

/// A vertex as the vertex program of the last frame got it.
#[derive(Clone, Debug)]
pub struct ProgramVertex<'a> {
    /// The program.
    pub program: &'a Program,
    /// How the machine computed, with the draw's modelview-projection matrix where the program is position-invariant.
    pub machine: Settings,
    /// Which section of the primitive, from 0: the first that has the vertex.
    pub section: usize,
    /// How many sections the primitive is drawn in.
    pub sections: usize,
    /// `v[0..15]`.
    pub attributes: Attributes,
    /// What the attributes hold; `None` for those that the program does not read or that nothing is bound to.
    pub attribute_sources: [Option<AttributeSource>; ATTRIBUTES],
    /// `c[0..95]` of the section.
    pub constants: &'a ConstantFile,
    /// Where the palette lies; `None` where the program reads none.
    pub budget: Option<ConstantBudget>,
    /// The joints of the palette in order, as places in the skin; empty where a node places the mesh.
    pub joints: &'a [u16],
    /// Results as they are in the frame's vertex stream.
    pub drawn: Vec<(Output, [f32; 4])>,
    settings: &'a ProgramSettings,
}

/// What a constant register is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantRole<'a> {
    /// A row of a joint's matrix, or a half of its dual quaternion.
    Joint {
        /// The joint's place in the section's palette.
        place: usize,
        /// The joint's place in the skin; `None` where the mesh's node is meant.
        joint: Option<usize>,
        /// The row, from 0.
        row: usize,
    },
    /// What a table of bindings puts there.
    Source(ConstantSource),
    /// A value written in the program.
    Literal,
    /// OpenGL state of this name.
    State(&'a str),
    /// Nothing: it is zero.
    Free,
}

impl<'a> ProgramVertex<'a> {
    /// The vertex of the primitive that a stage draws.
    pub(crate) fn of(stage: &'a ProgramStage, settings: &'a ProgramSettings, vertex: usize) -> Option<Self> {
        let wanted = |&source: &u32| source as usize == vertex;
        let places = stage.sections.iter().map(|draw| draw.section.vertices.iter().position(wanted));
        let (section, own) = places.enumerate().find_map(|(section, own)| Some((section, own?)))?;
        let draw = &stage.sections[section];
        if own >= draw.stream.len() {
            return None;
        }
        let (mut attributes, mut attribute_sources) = ([UNSET; ATTRIBUTES], [None; ATTRIBUTES]);
        for array in &draw.inputs {
            let register = usize::from(array.register);
            (attributes[register], attribute_sources[register]) = (*array.rows.get(own)?, Some(array.source));
        }
        let row = &draw.stream.varyings[own * draw.stream.stride..];
        let varying = |(place, &output): (usize, &Output)| (output, [0, 1, 2, 3].map(|part| row[4 * place + part]));
        let varyings = settings.combiners.layout().iter().enumerate().map(varying);
        Some(Self {
            program: &settings.program,
            machine: stage.computed,
            section,
            sections: stage.sections.len(),
            attributes,
            attribute_sources,
            constants: &draw.constants,
            budget: stage.budget,
            joints: &draw.section.joints,
            drawn: iter::once((Output::Position, draw.stream.position(own))).chain(varyings).collect(),
            settings,
        })
    }

    /// Runs the program on the vertex, one instruction after the other. The results are those of the frame, bit for bit.
    #[must_use]
    pub fn trace(&self) -> (Registers, Vec<Step>) {
        ScalarMachine::new(self.machine).trace(self.program, self.constants, &self.attributes)
    }

    /// What a constant register is for.
    #[must_use]
    pub fn role(&self, register: u8) -> ConstantRole<'a> {
        if let Some(budget) = self.budget
            && let Some(offset) = register.checked_sub(budget.first)
        {
            let rows = usize::from(budget.rows_per_joint.max(1));
            let (place, row) = (usize::from(offset) / rows, usize::from(offset) % rows);
            if place < self.joints.len().max(1) {
                let joint = self.joints.get(place).map(|&joint| usize::from(joint));
                return ConstantRole::Joint { place, joint, row };
            }
        }
        let program = &self.settings.program;
        let parameter = program.parameters.iter().find(|parameter| parameter.register == register);
        let environment = match parameter.map(|parameter| &parameter.binding) {
            Some(Binding::Literal(_)) => return ConstantRole::Literal,
            Some(Binding::State(name)) => return ConstantRole::State(name),
            Some(Binding::Environment(index)) => *index,
            Some(Binding::Local(_)) => return ConstantRole::Free,
            None if program.dialect == Dialect::Arb10 => return ConstantRole::Free,
            None => register,
        };
        let bound = self.settings.bindings.constants().find(|&(bound, _)| bound == environment);
        bound.map_or(ConstantRole::Free, |(_, source)| ConstantRole::Source(source))
    }

    /// Whether a constant register holds a value of [`ProgramSettings::overrides`].
    #[must_use]
    pub fn is_overridden(&self, register: u8) -> bool {
        self.settings.overrides.contains_key(&register)
    }
}

//! [`RegisterView`]: all registers of a vertex at the instruction that comes next, and what that instruction will do.

use crate::{command_line::node_name, subject::VertexChoice};
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_stage::program::{ConstantRole, ProgramVertex};
use refrast_vertex_program::{
    COMPONENT_NAMES, CONSTANTS, DestinationRegister, Instruction, Mask, OUTPUTS, Output, Registers, Source,
    SourceRegister, Step, TEMPORARIES, UNSET, attribute_name, format_instruction,
};

/// A register of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Attribute(u8),
    Constant(u8),
    Temporary(u8),
    Output(Output),
    Address,
}

/// What an instruction would be stopped for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stop {
    /// It writes a NaN.
    pub(crate) nan: bool,
    /// It reads outside of the constant file.
    pub(crate) out_of_range: bool,
}

/// A vertex in a program.
#[derive(Clone, Debug)]
pub(crate) struct RegisterView {
    pub(crate) choice: VertexChoice,
    /// Which section of how many.
    pub(crate) section: [usize; 2],
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) constants: Vec<Constant>,
    /// Temporaries and results that the program uses.
    pub(crate) used: Vec<Cell>,
    /// Temporaries and results that it does not use, in words.
    pub(crate) unused: String,
    /// The registers before the instruction that comes next; at the end those that the vertex is drawn with.
    pub(crate) registers: Registers,
    /// The instruction that comes next; `None` at the end.
    pub(crate) current: Option<Current>,
    /// What the instruction before it wrote.
    pub(crate) last: Option<(Cell, Mask)>,
    /// For each instruction whether it has to be looked at.
    pub(crate) stops: Vec<Stop>,
    /// Where the vertex is drawn, in clip space.
    pub(crate) clip: [f32; 4],
}

/// An attribute that the program reads.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub(crate) register: u8,
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) value: [f32; 4],
}

/// A constant and what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    /// In a word; empty where nothing fills it.
    pub(crate) role: String,
    /// The joint whose first register it is.
    pub(crate) joint: Option<String>,
    pub(crate) free: bool,
}

/// The instruction that comes next.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    pub(crate) number: usize,
    pub(crate) text: String,
    pub(crate) operands: Vec<Operand>,
    pub(crate) destination: Cell,
    pub(crate) mask: Mask,
    pub(crate) before: [f32; 4],
    pub(crate) after: [f32; 4],
}

/// What an instruction reads.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    /// The register, with the row that a relative read hits; `None` outside of the constant file.
    pub(crate) cell: Option<Cell>,
    /// The components of the register that count.
    pub(crate) components: Mask,
    /// The components of `value` that count.
    pub(crate) used: Mask,
    /// The register's name, with swizzle and sign.
    pub(crate) name: String,
    /// For a relative read, what it hits.
    pub(crate) hit: Option<String>,
    /// Swizzle and sign applied.
    pub(crate) value: [f32; 4],
}

impl RegisterView {
    /// The vertex in the program of a renderer's last frame after `step` instructions; `None` where no program draws it.
    pub(crate) fn of(scene: &Scene, renderer: &Renderer<'_>, choice: VertexChoice, step: usize) -> Option<Self> {
        let vertex = renderer.stage().program_vertex(choice.node, choice.primitive, choice.vertex)?;
        let (end, steps) = vertex.trace();
        let program = vertex.program;
        let step = step.min(steps.len());
        let usage = program.usage();
        let touched = |&index: &u8| {
            usage.temporaries_read.contains(&index) || usage.temporaries[usize::from(index)] != Mask::NONE
        };
        let (used, unused): (Vec<u8>, Vec<u8>) = (0..TEMPORARIES as u8).partition(touched);
        let written: Vec<Output> = usage.outputs_written().collect();
        let unwritten = Output::ALL.into_iter().filter(|output| !written.contains(output));
        let unused = unused.into_iter().map(Cell::Temporary).chain(unwritten.map(Cell::Output)).map(name);
        let [mut registers, mut next] = [start(&vertex), start(&vertex)];
        let mut stops = Vec::with_capacity(steps.len());
        for (number, (done, instruction)) in steps.iter().zip(&program.instructions).enumerate() {
            stops.push(Stop {
                nan: instruction.written().components().any(|component| done.after[component].is_nan()),
                out_of_range: instruction.operands().iter().any(|source| hit(source, next.address) == Some(None)),
            });
            apply(&mut next, instruction, done);
            if number < step {
                apply(&mut registers, instruction, done);
            }
        }
        let roles: Vec<Constant> =
            (0..CONSTANTS as u8).map(|register| constant(scene, &vertex, choice.node, register)).collect();
        let at = |number: usize| Some((program.instructions.get(number)?, steps.get(number)?));
        let current = at(step).map(|(instruction, done)| Current {
            number: step,
            text: format_instruction(program, instruction),
            operands: operands(instruction, done, registers.address, &roles),
            destination: destination(instruction),
            mask: instruction.written(),
            before: done.before,
            after: done.after,
        });
        Some(Self {
            choice,
            section: [vertex.section, vertex.sections],
            attributes: usage.attributes_read().map(|register| attribute(&vertex, register)).collect(),
            used: std::iter::once(Cell::Address)
                .chain(used.into_iter().map(Cell::Temporary))
                .chain(written.iter().copied().map(Cell::Output))
                .collect(),
            unused: unused.collect::<Vec<_>>().join(" "),
            registers: if current.is_some() { registers } else { end },
            last: step.checked_sub(1).and_then(at).map(|(done, _)| (destination(done), done.written())),
            current,
            stops,
            clip: vertex.drawn[0].1,
            constants: roles,
        })
    }

    /// What a register holds.
    pub(crate) fn value(&self, cell: Cell) -> [f32; 4] {
        match cell {
            Cell::Attribute(index) => {
                let found = self.attributes.iter().find(|attribute| attribute.register == index);
                found.map_or(UNSET, |attribute| attribute.value)
            }
            Cell::Constant(index) => self.registers.constants[usize::from(index)],
            Cell::Temporary(index) => self.registers.temporaries[usize::from(index)],
            Cell::Output(output) => self.registers.output(output),
            Cell::Address => [self.registers.address as f32, 0.0, 0.0, 0.0],
        }
    }

    /// The components of a register that the instruction that comes next reads.
    pub(crate) fn read(&self, cell: Cell) -> Mask {
        let operands = self.current.iter().flat_map(|current| &current.operands);
        let own = operands.filter(|operand| operand.cell == Some(cell));
        own.fold(Mask::NONE, |mask, operand| mask.or(operand.components))
    }

    /// The components of a register that it will write.
    pub(crate) fn written(&self, cell: Cell) -> Mask {
        let current = self.current.as_ref().filter(|current| current.destination == cell);
        current.map_or(Mask::NONE, |current| current.mask)
    }

    /// The components of a register that the instruction before it wrote.
    pub(crate) fn fresh(&self, cell: Cell) -> Mask {
        self.last.filter(|(last, _)| *last == cell).map_or(Mask::NONE, |(_, mask)| mask)
    }
}

/// The name of a register.
pub(crate) fn name(cell: Cell) -> String {
    match cell {
        Cell::Attribute(index) => attribute_name(index),
        Cell::Constant(index) => format!("c[{index}]"),
        Cell::Temporary(index) => format!("R{index}"),
        Cell::Output(output) => format!("o[{}]", output.name()),
        Cell::Address => "A0.x".to_owned(),
    }
}

/// The registers before the first instruction.
fn start(vertex: &ProgramVertex<'_>) -> Registers {
    Registers {
        temporaries: [[0.0; 4]; TEMPORARIES],
        outputs: [UNSET; OUTPUTS],
        constants: *vertex.constants,
        address: 0,
    }
}

/// Does what an instruction was seen to do.
fn apply(registers: &mut Registers, instruction: &Instruction, done: &Step) {
    match instruction.destination.register {
        DestinationRegister::Temporary(index) => registers.temporaries[usize::from(index)] = done.after,
        DestinationRegister::Output(output) => registers.outputs[output.index()] = done.after,
        DestinationRegister::Constant(index) => registers.constants[usize::from(index)] = done.after,
        DestinationRegister::Address => registers.address = done.after[0] as i32,
    }
}

fn destination(instruction: &Instruction) -> Cell {
    match instruction.destination.register {
        DestinationRegister::Temporary(index) => Cell::Temporary(index),
        DestinationRegister::Output(output) => Cell::Output(output),
        DestinationRegister::Constant(index) => Cell::Constant(index),
        DestinationRegister::Address => Cell::Address,
    }
}

/// The row that a relative read hits; `Some(None)` where there is none, `None` for other operands.
fn hit(source: &Source, address: i32) -> Option<Option<u8>> {
    let SourceRegister::Relative { .. } = source.register else { return None };
    Some(u8::try_from(row(source, address)).ok().filter(|&row| usize::from(row) < CONSTANTS))
}

/// base + A0.x + offset, whatever comes of it.
fn row(source: &Source, address: i32) -> i64 {
    match source.register {
        SourceRegister::Relative { base, offset } => i64::from(base) + i64::from(address) + i64::from(offset),
        SourceRegister::Constant(index) | SourceRegister::Attribute(index) | SourceRegister::Temporary(index) => {
            i64::from(index)
        }
    }
}

fn operands(instruction: &Instruction, done: &Step, address: i32, constants: &[Constant]) -> Vec<Operand> {
    let sources = instruction.operands().iter().zip(instruction.reads()).zip(done.sources).enumerate();
    sources
        .map(|(index, ((source, (_, components)), value))| {
            let relative = hit(source, address);
            let cell = match (source.register, relative) {
                (_, Some(hit)) => hit.map(Cell::Constant),
                (SourceRegister::Attribute(index), None) => Some(Cell::Attribute(index)),
                (SourceRegister::Temporary(index), None) => Some(Cell::Temporary(index)),
                (SourceRegister::Constant(index), None) => Some(Cell::Constant(index)),
                (SourceRegister::Relative { .. }, None) => None,
            };
            let row = row(source, address);
            let told = relative.map(|hit| match hit.and_then(|hit| constants.get(usize::from(hit))) {
                None => format!("c[{row}] is out of range: it reads 0, 0, 0, 0"),
                Some(constant) if constant.role.is_empty() => format!("A0.x = {address}: nothing fills c[{row}]"),
                Some(constant) => format!("A0.x = {address}: {}", constant.role),
            });
            Operand {
                cell,
                components,
                used: instruction.opcode.components_read(index, instruction.written()),
                name: picked(&cell.map_or_else(|| format!("c[{row}]"), name), source),
                hit: told,
                value,
            }
        })
        .collect()
}

/// A register's name with the swizzle and the sign of an operand; with those of `SWZ` only the name.
fn picked(name: &str, source: &Source) -> String {
    let Some((components, negate)) = source.swizzle() else { return name.to_owned() };
    let sign = if negate { "-" } else { "" };
    let letters: String = match components {
        [0, 1, 2, 3] => return format!("{sign}{name}"),
        [first, ..] if components == [first; 4] => COMPONENT_NAMES[usize::from(first)].to_string(),
        _ => components.iter().map(|&component| COMPONENT_NAMES[usize::from(component)]).collect(),
    };
    format!("{sign}{name}.{letters}")
}

fn attribute(vertex: &ProgramVertex<'_>, register: u8) -> Attribute {
    let source = vertex.attribute_sources[usize::from(register)];
    Attribute {
        register,
        name: attribute_name(register),
        source: source.map_or_else(|| "nothing is bound".to_owned(), |source| source.to_string()),
        value: vertex.attributes[usize::from(register)],
    }
}

fn constant(scene: &Scene, vertex: &ProgramVertex<'_>, node: usize, register: u8) -> Constant {
    let role = vertex.role(register);
    let (text, joint) = match role {
        ConstantRole::Joint { joint, row, .. } => {
            let skin = scene.nodes[node].skin.map(|skin| &scene.skins[skin]);
            let of_skin = joint.and_then(|joint| skin?.joints.get(joint).copied());
            let name = node_name(scene, of_skin.unwrap_or(node));
            let kind = if vertex.budget.is_some_and(|budget| budget.rows_per_joint == 2) { "part" } else { "row" };
            (format!("{kind} {row} of {name}"), (row == 0).then_some(name))
        }
        ConstantRole::Source(refrast_stage::program::ConstantSource::Value(_)) => ("value".to_owned(), None),
        ConstantRole::Source(source) => (source.to_string(), None),
        ConstantRole::Literal => ("literal".to_owned(), None),
        ConstantRole::State(name) => (name.trim_start_matches("state.").to_owned(), None),
        ConstantRole::Free => (String::new(), None),
    };
    let overridden = vertex.is_overridden(register);
    Constant { role: text, joint, free: role == ConstantRole::Free && !overridden }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_animation::Pose;
    use refrast_stage::{
        Camera, Orbit, RenderSettings,
        program::{ProgramChoice, ProgramSettings},
    };
    use refrast_vertex_program::assemble;

    fn drawn(scene: &Scene, program: ProgramSettings) -> Renderer<'_> {
        let settings = RenderSettings { width: 64, height: 64, ..RenderSettings::default() };
        let mut renderer = Renderer::with_program(scene, settings, program).unwrap();
        let pose = Pose::rest(scene);
        let bounds = renderer.bounds(&pose).unwrap();
        let camera = Camera::orbit(&bounds, Orbit::default(), 1.0, settings.convention);
        renderer.render(&pose, &camera).unwrap();
        renderer
    }

    fn vertex(scene: &Scene) -> VertexChoice {
        VertexChoice { node: scene.drawn[0], primitive: 0, vertex: 700 }
    }

    #[test]
    fn each_step_does_what_was_told_before_it() {
        let scene = Scene::mannequin().unwrap();
        let program = ProgramChoice::new("bone_offset_4").load().unwrap();
        let renderer = drawn(&scene, program);
        let view = |step| RegisterView::of(&scene, &renderer, vertex(&scene), step).unwrap();
        let length = view(0).stops.len();
        let bits = |value: [f32; 4]| value.map(f32::to_bits);
        for step in 0..length {
            let (now, then) = (view(step), view(step + 1));
            let current = now.current.as_ref().unwrap();
            assert_eq!(bits(current.before), bits(now.value(current.destination)), "{}", current.text);
            assert_eq!(then.fresh(current.destination), current.mask);
            // At the end colours are clamped.
            if step + 1 < length {
                assert_eq!(bits(current.after), bits(then.value(current.destination)), "{}", current.text);
            }
            for operand in &current.operands {
                assert!(operand.components.components().all(|c| now.read(operand.cell.unwrap()).has(c)));
            }
        }
        let end = view(usize::MAX);
        assert!(end.current.is_none());
        assert_eq!(bits(end.value(Cell::Output(Output::Position))), bits(end.clip));
    }

    #[test]
    fn a_relative_read_is_told_by_the_joint_that_it_hits() {
        let scene = Scene::mannequin().unwrap();
        let renderer = drawn(&scene, ProgramChoice::new("bone_offset_4").load().unwrap());
        let view = RegisterView::of(&scene, &renderer, vertex(&scene), 2).unwrap();
        let current = view.current.as_ref().unwrap();
        assert_eq!(current.text, "DP4 R2.y, c[A0.x + 13], v[OPOS]");
        let row = 13 + view.registers.address;
        assert_eq!(current.operands[0].cell, Some(Cell::Constant(row as u8)));
        let node = vertex(&scene).node;
        let skin = &scene.skins[scene.nodes[node].skin.unwrap()];
        let names = skin.joints.iter().filter_map(|&joint| scene.nodes[joint].name.as_deref());
        let told = current.operands[0].hit.as_ref().unwrap();
        assert!(names.map(|name| format!("row 1 of {name}")).any(|end| told.ends_with(&end)), "{told}");
    }

    #[test]
    fn what_is_out_of_range_or_no_number_is_marked() {
        let scene = Scene::mannequin().unwrap();
        let text = "!!VP1.0\nMUL R0, -v[OPOS].wzyx, c[20];\nARL A0.x, R0.x;\nDP4 R1.x, c[A0.x + 30], v[OPOS];\n\
                    ADD R1.y, c[A0.x + 31].w, v[OPOS].y;\nMOV o[HPOS], R1;\nMOV o[COL0], c[A0.x + 32];\nEND";
        let mut program = ProgramSettings::new(assemble(text).unwrap().program);
        program.overrides.insert(20, [-65.0, f32::INFINITY, f32::NAN, 0.0]);
        let renderer = drawn(&scene, program);
        let view = RegisterView::of(&scene, &renderer, vertex(&scene), 3).unwrap();
        // 65 + 30 is 95; the first instruction multiplies by a NaN.
        let marks: Vec<(bool, bool)> = view.stops.iter().map(|stop| (stop.nan, stop.out_of_range)).collect();
        let [nan, range, nothing] = [(true, false), (false, true), (false, false)];
        assert_eq!(marks, [nan, nothing, nothing, range, nothing, range]);
        let current = view.current.as_ref().unwrap();
        assert_eq!((current.operands[0].cell, current.operands[0].value), (None, [0.0; 4]));
        assert_eq!(current.operands[0].hit.as_deref(), Some("c[96] is out of range: it reads 0, 0, 0, 0"));
        assert_eq!(current.operands[0].name, "c[96].w");
        let first = RegisterView::of(&scene, &renderer, vertex(&scene), 0).unwrap();
        assert_eq!(first.current.unwrap().operands[0].name, "-v[OPOS].wzyx");
    }
}

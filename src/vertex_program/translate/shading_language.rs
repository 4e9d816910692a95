//! WGSL, GLSL and HLSL: one printer, since they differ in spelling only.

use std::fmt::{self, Write};

use super::{
    Target, TranslateError,
    assembly::{BindingText, direct3d_output},
};
use refrast_machine::{
    Binding, COMPONENT_NAMES, DestinationRegister, Dialect, Instruction, Mask, Opcode, Output, Pick, Program, Select,
    Source, SourceRegister, Usage,
};

/// Writes `program` as a vertex shader.
pub(super) fn translate(program: &Program, target: Target) -> Result<String, TranslateError> {
    if program.dialect == Dialect::Vsp10 {
        return Err(TranslateError::StateProgram);
    }
    let usage = program.usage();
    let mut outputs: Vec<Output> = usage.outputs_written().collect();
    if outputs.first() != Some(&Output::Position) {
        outputs.insert(0, Output::Position);
    }
    let printer = Printer { program, usage, outputs, target };
    let mut text = String::new();
    // Writing to a String does not fail.
    printer.shader(&mut text).map_or_else(|_| Ok(String::new()), |()| Ok(text))
}

struct Printer<'a> {
    program: &'a Program,
    usage: Usage,
    outputs: Vec<Output>,
    target: Target,
}

/// Functions that more than one operator of the language is needed for. `V` is the vector of four, `F` the scalar.
const HELPERS: [(&str, &str, &str); 4] = [
    ("partial_exponential", "x", "return V(exp2(floor(x)), x - floor(x), exp2(x), 1.0);"),
    ("partial_logarithm", "x", "return V(floor(log2(abs(x))), abs(x) / exp2(floor(log2(abs(x)))), log2(abs(x)), 1.0);"),
    (
        "light",
        "v",
        "if (v.x <= 0.0) { return V(1.0, 0.0, 0.0, 1.0); }\n    \
         if (v.w == 0.0) { return V(1.0, v.x, 1.0, 1.0); }\n    \
         return V(1.0, v.x, pow(max(v.y, 0.0), clamp(v.w, -127.99609375, 127.99609375)), 1.0);",
    ),
    (
        "reciprocal_clamped",
        "x",
        "if (x < 0.0) { return splat(-clamp(-1.0 / x, 5.421010862427522e-20, 1.8446744073709552e19)); }\n    \
         return splat(clamp(1.0 / x, 5.421010862427522e-20, 1.8446744073709552e19));",
    ),
];

impl Printer<'_> {
    /// A word that the three languages spell differently.
    fn word(&self, wgsl: &'static str, glsl: &'static str, hlsl: &'static str) -> &'static str {
        match self.target {
            Target::Wgsl => wgsl,
            Target::Glsl => glsl,
            _ => hlsl,
        }
    }

    fn vector(&self) -> &'static str {
        self.word("vec4<f32>", "vec4", "float4")
    }

    fn shader(&self, text: &mut String) -> fmt::Result {
        if self.target == Target::Glsl {
            writeln!(text, "#version 330 core")?;
        }
        writeln!(text, "// Translated from {}.", self.program.dialect)?;
        for parameter in &self.program.parameters {
            writeln!(text, "// c[{}] holds {}.", parameter.register, BindingText(&parameter.binding))?;
        }
        self.interface(text)?;
        self.helpers(text)?;
        self.main(text)
    }

    fn interface(&self, text: &mut String) -> fmt::Result {
        let attributes = self.usage.attributes_read();
        match self.target {
            Target::Wgsl => {
                writeln!(text, "@group(0) @binding(0) var<uniform> c: array<vec4<f32>, 96>;")?;
                if self.program.position_invariant {
                    writeln!(text, "@group(0) @binding(1) var<uniform> modelview_projection: array<vec4<f32>, 4>;")?;
                }
                writeln!(text, "struct Results {{")?;
                for (location, output) in self.outputs.iter().enumerate() {
                    let place = match output {
                        Output::Position => "@builtin(position)".to_owned(),
                        _ => format!("@location({})", location - 1),
                    };
                    writeln!(text, "    {place} {}: vec4<f32>,", output.name())?;
                }
                writeln!(text, "}}")
            }
            Target::Glsl => {
                writeln!(text, "uniform vec4 c[96];")?;
                if self.program.position_invariant {
                    writeln!(text, "uniform vec4 modelview_projection[4];")?;
                }
                for attribute in attributes {
                    writeln!(text, "layout(location = {attribute}) in vec4 v{attribute};")?;
                }
                for output in self.outputs.iter().filter(|&&output| output != Output::Position) {
                    writeln!(text, "out vec4 result_{};", output.name())?;
                }
                Ok(())
            }
            _ => {
                writeln!(text, "float4 c[96] : register(c0);")?;
                if self.program.position_invariant {
                    writeln!(text, "float4 modelview_projection[4] : register(c96);")?;
                }
                writeln!(text, "struct Results\n{{")?;
                for output in &self.outputs {
                    writeln!(text, "    float4 {} : {};", output.name(), hlsl_semantic(*output))?;
                }
                writeln!(text, "}};")
            }
        }
    }

    fn helpers(&self, text: &mut String) -> fmt::Result {
        let vector = self.vector();
        match self.target {
            Target::Wgsl => writeln!(text, "fn splat(x: f32) -> vec4<f32> {{\n    return vec4<f32>(x);\n}}")?,
            _ => writeln!(text, "{vector} splat(float x)\n{{\n    return {vector}(x, x, x, x);\n}}")?,
        }
        if !self.usage.relative.is_empty() {
            let body = "if (index < 0 || index > 95) { return splat(0.0); }\n    return c[index];";
            match self.target {
                Target::Wgsl => writeln!(text, "fn constant(index: i32) -> vec4<f32> {{\n    {body}\n}}")?,
                _ => writeln!(text, "{vector} constant(int index)\n{{\n    {body}\n}}")?,
            }
        }
        let opcodes = [Opcode::Exp, Opcode::Log, Opcode::Lit, Opcode::Rcc];
        for (opcode, (name, parameter, body)) in opcodes.into_iter().zip(HELPERS) {
            if self.program.instructions.iter().all(|instruction| instruction.opcode != opcode) {
                continue;
            }
            let body = body.replace("V(", &format!("{vector}("));
            let scalar = parameter == "x";
            match self.target {
                Target::Wgsl => {
                    let kind = if scalar { "f32" } else { vector };
                    writeln!(text, "fn {name}({parameter}: {kind}) -> vec4<f32> {{\n    {body}\n}}")?;
                }
                _ => {
                    let kind = if scalar { "float" } else { vector };
                    writeln!(text, "{vector} {name}({kind} {parameter})\n{{\n    {body}\n}}")?;
                }
            }
        }
        Ok(())
    }

    fn main(&self, text: &mut String) -> fmt::Result {
        let attributes: Vec<u8> = self.usage.attributes_read().collect();
        let vector = self.vector();
        match self.target {
            Target::Wgsl => {
                let inputs = attributes.iter().map(|index| format!("@location({index}) v{index}: vec4<f32>"));
                let inputs = inputs.collect::<Vec<_>>().join(", ");
                writeln!(text, "@vertex\nfn main({inputs}) -> Results {{")?;
            }
            Target::Glsl => writeln!(text, "void main()\n{{")?,
            _ => {
                let inputs = attributes.iter().map(|&index| format!("float4 v{index} : {}", hlsl_input(index)));
                writeln!(text, "Results main({})\n{{", inputs.collect::<Vec<_>>().join(", "))?;
            }
        }
        let declare = self.word("var", "vec4", "float4");
        for index in 0..12_u8 {
            let written = self.usage.temporaries[usize::from(index)] != Mask::NONE;
            if written || self.usage.temporaries_read.contains(&index) {
                writeln!(text, "    {declare} R{index} = splat(0.0);")?;
            }
        }
        if self.usage.address_loads > 0 || !self.usage.relative.is_empty() {
            writeln!(text, "    {} A0 = 0;", self.word("var", "int", "int"))?;
        }
        for output in &self.outputs {
            writeln!(text, "    {declare} {} = {vector}(0.0, 0.0, 0.0, 1.0);", output.name())?;
        }
        for (index, instruction) in self.program.instructions.iter().enumerate() {
            self.statement(text, index, instruction)?;
        }
        self.results(text)?;
        writeln!(text, "}}")
    }

    /// The end of the program: the position of invariant programs, clamped colours.
    fn results(&self, text: &mut String) -> fmt::Result {
        if self.program.position_invariant {
            let row = |row: usize| format!("dot(modelview_projection[{row}], v0)");
            let rows = [row(0), row(1), row(2), row(3)].join(", ");
            writeln!(text, "    HPOS = {}({rows});", self.vector())?;
        }
        let value = |output: &Output| match output.is_color() {
            true => format!("clamp({}, splat(0.0), splat(1.0))", output.name()),
            false => output.name().to_owned(),
        };
        match self.target {
            Target::Wgsl => {
                let values = self.outputs.iter().map(value).collect::<Vec<_>>().join(", ");
                writeln!(text, "    return Results({values});")
            }
            Target::Glsl => self.outputs.iter().try_for_each(|output| match output {
                Output::Position => writeln!(text, "    gl_Position = HPOS;"),
                _ => writeln!(text, "    result_{} = {};", output.name(), value(output)),
            }),
            _ => {
                writeln!(text, "    Results results;")?;
                for output in &self.outputs {
                    writeln!(text, "    results.{} = {};", output.name(), value(output))?;
                }
                writeln!(text, "    return results;")
            }
        }
    }

    fn statement(&self, text: &mut String, index: usize, instruction: &Instruction) -> fmt::Result {
        let mask = instruction.written();
        let name = match instruction.destination.register {
            DestinationRegister::Temporary(index) => format!("R{index}"),
            DestinationRegister::Output(output) => output.name().to_owned(),
            DestinationRegister::Address => {
                let value = self.scalar(&instruction.sources[0]);
                let convert = self.word("i32", "int", "int");
                return writeln!(text, "    A0 = {convert}(floor({value}));");
            }
            // Only state programs write constants.
            DestinationRegister::Constant(_) => return Ok(()),
        };
        if instruction.opcode == Opcode::Nop || mask == Mask::NONE {
            return Ok(());
        }
        let value = self.expression(instruction);
        if mask == Mask::XYZW {
            return writeln!(text, "    {name} = {value};");
        }
        if self.target == Target::Wgsl {
            // WGSL assigns one component or all of them.
            writeln!(text, "    let t{index} = {value};")?;
            let part = |c: usize| {
                let from = if mask.has(c) { format!("t{index}") } else { name.clone() };
                format!("{from}.{}", COMPONENT_NAMES[c])
            };
            let parts = [part(0), part(1), part(2), part(3)].join(", ");
            return writeln!(text, "    {name} = vec4<f32>({parts});");
        }
        writeln!(text, "    {name}.{mask} = ({value}).{mask};")
    }

    /// The value of an instruction, a vector of four.
    fn expression(&self, instruction: &Instruction) -> String {
        let vector = self.vector();
        let [a, b, c] = instruction.sources.map(|source| self.operand(&source));
        let s = self.scalar(&instruction.sources[0]);
        let zero_one = |wgsl: &str, glsl: &str| match self.target {
            Target::Wgsl => format!("select(splat(0.0), splat(1.0), {a} {wgsl} {b})"),
            Target::Glsl => format!("vec4({glsl}({a}, {b}))"),
            _ => format!("float4({a} {wgsl} {b})"),
        };
        match instruction.opcode {
            Opcode::Nop | Opcode::Arl | Opcode::Mov | Opcode::Swz => a,
            Opcode::Abs => format!("abs({a})"),
            Opcode::Mul => format!("{a} * {b}"),
            Opcode::Add => format!("{a} + {b}"),
            Opcode::Sub => format!("{a} - {b}"),
            Opcode::Mad => format!("{a} * {b} + {c}"),
            Opcode::Rcp => format!("splat(1.0 / {s})"),
            Opcode::Rsq => format!("splat({}(abs({s})))", self.word("inverseSqrt", "inversesqrt", "rsqrt")),
            Opcode::Dp3 => format!("splat(dot({a}.xyz, {b}.xyz))"),
            Opcode::Dp4 => format!("splat(dot({a}, {b}))"),
            Opcode::Dph => format!("splat(dot({a}.xyz, {b}.xyz) + {b}.w)"),
            Opcode::Dst => format!("{vector}(1.0, {a}.y * {b}.y, {a}.z, {b}.w)"),
            Opcode::Xpd => format!("{vector}(cross({a}.xyz, {b}.xyz), 0.0)"),
            Opcode::Min => format!("min({a}, {b})"),
            Opcode::Max => format!("max({a}, {b})"),
            Opcode::Slt => zero_one("<", "lessThan"),
            Opcode::Sge => zero_one(">=", "greaterThanEqual"),
            Opcode::Exp => format!("partial_exponential({s})"),
            Opcode::Log => format!("partial_logarithm({s})"),
            Opcode::Lit => format!("light({a})"),
            Opcode::Rcc => format!("reciprocal_clamped({s})"),
            Opcode::Ex2 => format!("splat(exp2({s}))"),
            Opcode::Lg2 => format!("splat(log2(abs({s})))"),
            Opcode::Pow => format!("splat(pow({s}, {}))", self.scalar(&instruction.sources[1])),
            Opcode::Flr => format!("floor({a})"),
            Opcode::Frc => format!("{}({a})", self.word("fract", "fract", "frac")),
        }
    }

    fn register(&self, register: SourceRegister) -> String {
        match register {
            SourceRegister::Attribute(index) => format!("v{index}"),
            SourceRegister::Temporary(index) => format!("R{index}"),
            SourceRegister::Relative { base, offset } => {
                format!("constant(A0 + {})", i16::from(base) + i16::from(offset))
            }
            SourceRegister::Constant(index) => {
                let known = self.program.parameters.iter().find(|known| known.register == index);
                match known.map(|known| &known.binding) {
                    Some(Binding::Literal([x, y, z, w])) => format!("{}({x:?}, {y:?}, {z:?}, {w:?})", self.vector()),
                    _ => format!("c[{index}]"),
                }
            }
        }
    }

    /// An operand as a vector of four.
    fn operand(&self, source: &Source) -> String {
        let register = self.register(source.register);
        match source.swizzle() {
            Some(([0, 1, 2, 3], false)) => register,
            Some(([0, 1, 2, 3], true)) => format!("(-{register})"),
            Some((components, negate)) => {
                let letters = components.map(|c| COMPONENT_NAMES[usize::from(c)]).iter().collect::<String>();
                if negate { format!("(-{register}.{letters})") } else { format!("{register}.{letters}") }
            }
            None => {
                let part = |pick: Pick| {
                    let sign = if pick.negate { "-" } else { "" };
                    match pick.select {
                        Select::Zero => format!("{sign}0.0"),
                        Select::One => format!("{sign}1.0"),
                        Select::Component(c) => format!("{sign}{register}.{}", COMPONENT_NAMES[usize::from(c)]),
                    }
                };
                format!("{}({})", self.vector(), source.picks.map(part).join(", "))
            }
        }
    }

    /// The one component of a scalar operand.
    fn scalar(&self, source: &Source) -> String {
        let register = self.register(source.register);
        let Pick { select, negate } = source.picks[0];
        let component = match select {
            Select::Component(c) => COMPONENT_NAMES[usize::from(c)],
            Select::Zero | Select::One => COMPONENT_NAMES[0],
        };
        if negate { format!("(-{register}.{component})") } else { format!("{register}.{component}") }
    }
}

/// The semantic of a result register in HLSL.
fn hlsl_semantic(output: Output) -> String {
    match direct3d_output(output) {
        Some("oPos") => "POSITION".to_owned(),
        Some("oFog") => "FOG".to_owned(),
        Some("oPts") => "PSIZE".to_owned(),
        Some(name) if name.starts_with("oD") => format!("COLOR{}", &name[2..]),
        Some(name) => format!("TEXCOORD{}", &name[2..]),
        // Direct3D has no back colours; two texture coordinate sets past OpenGL's eight carry them.
        None => if output == Output::BackPrimary { "TEXCOORD8" } else { "TEXCOORD9" }.to_owned(),
    }
}

/// The semantic of an attribute register in HLSL, as in the library's declarations.
fn hlsl_input(register: u8) -> String {
    match register {
        0 => "POSITION".to_owned(),
        1 => "BLENDWEIGHT".to_owned(),
        2 => "NORMAL".to_owned(),
        3 => "COLOR0".to_owned(),
        4 => "COLOR1".to_owned(),
        5 => "FOG".to_owned(),
        6 => "BLENDINDICES".to_owned(),
        7 => "PSIZE".to_owned(),
        8.. => format!("TEXCOORD{}", register - 8),
    }
}

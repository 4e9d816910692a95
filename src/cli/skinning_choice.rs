//! `--skinning`, `--normals`, `--max-influences`: who makes the vertices, and how.

use std::{error::Error, fmt, num::NonZeroUsize, path::PathBuf, str::FromStr};

use clap::Args;
use refrast_render::Renderer;
use refrast_scene::Scene;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_stage::{
    RenderSettings,
    program::{Combiners, ConstantOverride, ProgramChoice, ProgramSettings},
};
use refrast_vertex_program::{AddressRounding, CONSTANTS, NumericModel};
use refrast_words::{Offer, UnknownWord, Word};

use super::words::{offered, word};

/// What holds for every skinning method.
#[derive(Args, Clone)]
pub(super) struct RuleArguments {
    /// How normals follow the joints
    #[arg(long, value_name = "MODE", default_value_t, value_parser = word::<NormalMode>())]
    pub(super) normals: NormalMode,
    /// The most influences a vertex keeps: the heaviest, rescaled by their sum [default: all]
    #[arg(long, value_name = "K")]
    pub(super) max_influences: Option<NonZeroUsize>,
}

/// Native skinning, for commands that know no programs.
#[derive(Args, Clone)]
pub(super) struct MethodArguments {
    /// How joints move vertices
    #[arg(long = "skinning", value_name = "METHOD", default_value_t, value_parser = word::<SkinningMethod>())]
    pub(super) method: SkinningMethod,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}

/// How a program computes.
#[derive(Args, Clone)]
pub(super) struct ModelArguments {
    /// Numeric model of the program
    #[arg(long, value_name = "MODEL", default_value_t, value_parser = word::<NumericModel>())]
    pub(super) model: NumericModel,
    /// How `mov a0.x` of a vs_1_1 program rounds
    #[arg(long, value_name = "ROUNDING", default_value_t, value_parser = word::<AddressRounding>())]
    pub(super) address_rounding: AddressRounding,
}

/// Who makes the vertices: native skinning, or a vertex program and how it is fed.
#[derive(Args, Clone)]
pub(super) struct VertexArguments {
    /// How joints move vertices: a method, or a vertex program
    #[arg(long, value_name = "METHOD", default_value_t, value_parser = offered::<SkinningChoice>(SkinningChoice::offers()))]
    pub(super) skinning: SkinningChoice,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
    /// Put something else into a register of the program: v9=normal, c4=light, c20=0.5,0,0,1, v3=none, or a whole table:
    /// bone-offset, bone-offset-tangent, vertex-offset, morph-targets. May be given several times
    #[arg(long, value_name = "BINDING")]
    pub(super) bind: Vec<String>,
    /// What colours the fragments behind the program [default: dot3 for bone_offset_tangent_1 to 4, else modulate]
    #[arg(long, value_name = "KIND", value_parser = word::<Combiners>())]
    pub(super) combiners: Option<Combiners>,
    /// Registers of the program's constant file that the palette may use
    #[arg(long, value_name = "N", default_value_t = CONSTANTS as u8, value_parser = clap::value_parser!(u8).range(1..=96))]
    pub(super) constants: u8,
    #[command(flatten)]
    pub(super) model: ModelArguments,
}

/// The same, with registers that a person has changed.
#[derive(Args, Clone)]
pub(super) struct SkinningArguments {
    #[command(flatten)]
    vertices: VertexArguments,
    /// A constant of the program with a value of its own in all draws, as in c12=1,0,0,5; may be given several times
    #[arg(long, value_name = "REGISTER=NUMBERS")]
    constant: Vec<ConstantOverride>,
}

/// A skinning method, or a vertex program.
#[derive(Clone)]
pub(super) enum SkinningChoice {
    Method(SkinningMethod),
    Program(PathBuf),
}

/// The words are neither a method nor a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SkinningChoiceError {
    #[error("name a file or a program of the library after `program:`")]
    NoProgram,
    #[error("{0}, program:FILE")]
    Method(UnknownWord),
}

impl SkinningChoice {
    const PROGRAM: Offer = Offer::new("program:FILE", "A vertex program in a file");
    const LIBRARY: Offer = Offer::new("program:NAME", "A vertex program of the library (`refrast program library`)");

    fn offers() -> impl Iterator<Item = Offer> {
        SkinningMethod::offers().chain([Self::PROGRAM, Self::LIBRARY])
    }
}

impl Default for SkinningChoice {
    fn default() -> Self {
        Self::Method(SkinningMethod::default())
    }
}

impl FromStr for SkinningChoice {
    type Err = SkinningChoiceError;

    fn from_str(text: &str) -> Result<Self, SkinningChoiceError> {
        match text.split_once(':') {
            Some(("program", "")) => Err(SkinningChoiceError::NoProgram),
            Some(("program", file)) => Ok(Self::Program(file.into())),
            _ => text.parse().map(Self::Method).map_err(SkinningChoiceError::Method),
        }
    }
}

/// As the command line and manifests take it.
impl fmt::Display for SkinningChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method(method) => write!(formatter, "{method}"),
            Self::Program(file) => write!(formatter, "program:{}", file.display()),
        }
    }
}

impl VertexArguments {
    /// The native method: the default where a program was asked for.
    fn method(&self) -> SkinningMethod {
        match self.skinning {
            SkinningChoice::Method(method) => method,
            SkinningChoice::Program(_) => SkinningMethod::default(),
        }
    }

    /// The program, if one was asked for.
    pub(super) fn program(&self) -> Result<Option<ProgramChoice>, String> {
        let SkinningChoice::Program(file) = &self.skinning else {
            let binding = self.bind.first().map(|binding| format!("--bind {binding}"));
            let combiners = self.combiners.map(|combiners| format!("--combiners {combiners}"));
            return match binding.or(combiners) {
                Some(option) => Err(format!("{option} needs a program: add --skinning program:FILE")),
                None => Ok(None),
            };
        };
        let ModelArguments { model, address_rounding } = self.model;
        let (bindings, combiners, constants) = (self.bind.clone(), self.combiners, self.constants);
        Ok(Some(ProgramChoice { bindings, combiners, constants, model, address_rounding, ..ProgramChoice::new(file) }))
    }
}

impl SkinningArguments {
    /// A renderer whose vertices are made as was asked.
    pub(super) fn renderer<'scene>(
        &self,
        scene: &'scene Scene,
        settings: RenderSettings,
    ) -> Result<Renderer<'scene>, Box<dyn Error>> {
        let RuleArguments { normals, max_influences } = self.vertices.rules;
        let settings = RenderSettings { normals, max_influences, ..settings };
        let Some(program) = self.program()? else {
            return Ok(Renderer::new(scene, RenderSettings { skinning: self.vertices.method(), ..settings })?);
        };
        let overrides = self.constant.iter().map(|constant| (constant.register, constant.value)).collect();
        let loaded = ProgramSettings { overrides, ..program.load()? };
        let renderer = Renderer::with_program(scene, settings, loaded);
        Ok(renderer.map_err(|error| format!("{}: {error}", program.file.display()))?)
    }

    /// The program, if one was asked for.
    pub(super) fn program(&self) -> Result<Option<ProgramChoice>, String> {
        let program = self.vertices.program()?;
        match self.constant.first().filter(|_| program.is_none()) {
            Some(constant) => Err(format!("--constant {constant} needs a program: add --skinning program:FILE")),
            None => Ok(program),
        }
    }
}

/// For whoever makes no renderer at once.
impl SkinningArguments {
    /// The native method: the default where a program was asked for.
    pub(super) fn method(&self) -> SkinningMethod {
        self.vertices.method()
    }

    /// How normals follow.
    pub(super) fn normals(&self) -> NormalMode {
        self.vertices.rules.normals
    }

    /// The most influences that a vertex keeps.
    pub(super) fn max_influences(&self) -> Option<NonZeroUsize> {
        self.vertices.rules.max_influences
    }

    /// Constants with values of their own.
    #[cfg(feature = "window")]
    pub(super) fn overrides(&self) -> &[ConstantOverride] {
        &self.constant
    }
}

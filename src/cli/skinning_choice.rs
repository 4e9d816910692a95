//! `--skinning`, `--normals`, `--max-influences`: who makes the vertices, and how.

use std::{error::Error, num::NonZeroUsize, path::PathBuf, str::FromStr};

use clap::Args;
use refrast_render::{
    RenderSettings, Renderer,
    program::{ConstantOverride, ProgramChoice, ProgramSettings},
};
use refrast_scene::Scene;
use refrast_skinning::{NormalMode, SkinningMethod};
use refrast_vertex_program::{AddressRounding, CONSTANTS, NumericModel};

/// What holds for every skinning method.
#[derive(Args, Clone)]
pub(super) struct RuleArguments {
    /// How normals follow the joints: inverse-transpose | rotation-only | per-joint
    #[arg(long, value_name = "MODE", default_value = "inverse-transpose")]
    pub(super) normals: NormalMode,
    /// The most influences a vertex keeps: the heaviest, rescaled by their sum [default: all]
    #[arg(long, value_name = "K")]
    pub(super) max_influences: Option<NonZeroUsize>,
}

/// Native skinning, for commands that know no programs.
#[derive(Args, Clone)]
pub(super) struct MethodArguments {
    /// linear | linear-per-joint | dual-quaternion | vertex-offset | bone-offset | rigid | weights-before-bind
    #[arg(long = "skinning", value_name = "METHOD", default_value = "linear")]
    pub(super) method: SkinningMethod,
    #[command(flatten)]
    pub(super) rules: RuleArguments,
}

/// Native skinning, or a vertex program and how it is fed.
#[derive(Args, Clone)]
pub(super) struct SkinningArguments {
    /// linear | linear-per-joint | dual-quaternion | vertex-offset | bone-offset | rigid | weights-before-bind |
    /// program:FILE | program:NAME, a program of the library (`refrast program library`)
    #[arg(long, value_name = "METHOD", default_value = "linear")]
    skinning: SkinningChoice,
    #[command(flatten)]
    rules: RuleArguments,
    /// Put something else into a register of the program: v9=normal, c4=light, c20=0.5,0,0,1, v3=none, or a whole table:
    /// bone-offset, vertex-offset, morph-targets. May be given several times
    #[arg(long, value_name = "BINDING")]
    bind: Vec<String>,
    /// Registers of the program's constant file that the palette may use
    #[arg(long, value_name = "N", default_value_t = CONSTANTS as u8, value_parser = clap::value_parser!(u8).range(1..=96))]
    constants: u8,
    /// A constant of the program with a value of its own in all draws, as in c12=1,0,0,5; may be given several times
    #[arg(long, value_name = "REGISTER=NUMBERS")]
    constant: Vec<ConstantOverride>,
    /// Numeric model of the program: nv-spec | ieee
    #[arg(long, value_name = "MODEL", default_value = "nv-spec")]
    model: NumericModel,
    /// How `mov a0.x` of a vs_1_1 program rounds: floor | nearest | truncate
    #[arg(long, value_name = "ROUNDING", default_value = "floor")]
    address_rounding: AddressRounding,
}

#[derive(Clone)]
enum SkinningChoice {
    Method(SkinningMethod),
    Program(PathBuf),
}

impl FromStr for SkinningChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("program", "")) => Err("name a file or a program of the library after `program:`".to_owned()),
            Some(("program", file)) => Ok(Self::Program(file.into())),
            _ => match text.parse() {
                Ok(method) => Ok(Self::Method(method)),
                Err(error) => Err(format!("{error}, program:FILE")),
            },
        }
    }
}

impl SkinningArguments {
    /// A renderer whose vertices are made as was asked.
    pub(super) fn renderer<'scene>(
        &self,
        scene: &'scene Scene,
        settings: RenderSettings,
    ) -> Result<Renderer<'scene>, Box<dyn Error>> {
        let settings =
            RenderSettings { normals: self.rules.normals, max_influences: self.rules.max_influences, ..settings };
        let Some(program) = self.program()? else {
            return Ok(Renderer::new(scene, RenderSettings { skinning: self.method(), ..settings })?);
        };
        let overrides = self.constant.iter().map(|constant| (constant.register, constant.value)).collect();
        let loaded = ProgramSettings { overrides, ..program.load()? };
        let renderer = Renderer::with_program(scene, settings, loaded);
        Ok(renderer.map_err(|error| format!("{}: {error}", program.file.display()))?)
    }

    /// The native method: the default where a program was asked for.
    pub(super) fn method(&self) -> SkinningMethod {
        match self.skinning {
            SkinningChoice::Method(method) => method,
            SkinningChoice::Program(_) => SkinningMethod::default(),
        }
    }

    /// The program, if one was asked for.
    pub(super) fn program(&self) -> Result<Option<ProgramChoice>, String> {
        let SkinningChoice::Program(file) = &self.skinning else {
            let bindings = self.bind.iter().map(|binding| format!("--bind {binding}"));
            let constants = self.constant.iter().map(|constant| format!("--constant {constant}"));
            return match bindings.chain(constants).next() {
                Some(option) => Err(format!("{option} needs a program: add --skinning program:FILE")),
                None => Ok(None),
            };
        };
        Ok(Some(ProgramChoice {
            bindings: self.bind.clone(),
            constants: self.constants,
            model: self.model,
            address_rounding: self.address_rounding,
            ..ProgramChoice::new(file)
        }))
    }
}

/// For whoever makes no renderer at once.
#[cfg(feature = "window")]
impl SkinningArguments {
    /// How normals follow.
    pub(super) fn normals(&self) -> NormalMode {
        self.rules.normals
    }

    /// The most influences that a vertex keeps.
    pub(super) fn max_influences(&self) -> Option<NonZeroUsize> {
        self.rules.max_influences
    }

    /// Constants with values of their own.
    pub(super) fn overrides(&self) -> &[ConstantOverride] {
        &self.constant
    }
}

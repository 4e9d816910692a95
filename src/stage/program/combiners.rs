//! [`Combiners`]: what colours the fragments behind a program.
//!
//! Why it exists: most programs light their vertices, and the stage behind them multiplies by a texture. Those that light in
//! tangent space leave the light to register combiners (NV_register_combiners, DOT3 of GL_ARB_texture_env_dot3 and Direct3D 8).

use refrast_draw::VertexStream;
use refrast_scene::{Material, Scene, TextureReference};
use refrast_shading::{Dot3, FixedFunctionShader, TextureSet};
use refrast_vertex_program::{Output, Program};
use refrast_words::words;

use super::ProgramStageError;

words! {
    /// What the stage behind a vertex program does with its results.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Combiners: "kind of combiners" = Modulate {
        /// COL0 × the base colour texture.
        Modulate = "modulate",
        /// Light by the normal map: TEX1 is the vector to the light in tangent space, TEX2 the one half way to the eye.
        Dot3 = "dot3",
    }
}

impl Combiners {
    /// What a program of the library was written for, by the program's name.
    #[must_use]
    pub fn of_library_program(name: &str) -> Self {
        if name.starts_with("bone_offset_tangent") { Self::Dot3 } else { Self::Modulate }
    }

    /// The results of a program that its fragments read, in the order in which they lie in a row of varyings.
    pub(super) fn layout(self) -> &'static [Output] {
        const ALL: [Output; 5] =
            [Output::FrontPrimary, Output::Texture(0), Output::FrontSecondary, Output::Texture(1), Output::Texture(2)];
        match self {
            Self::Modulate => &ALL[..2],
            Self::Dot3 => &ALL,
        }
    }

    /// Whether a program and the materials of a scene have what is combined.
    pub(crate) fn check(self, scene: &Scene, program: &Program) -> Result<(), ProgramStageError> {
        if self == Self::Modulate {
            return Ok(());
        }
        if !program.usage().outputs_written().any(|output| output == Output::Texture(1)) {
            return Err(ProgramStageError::NoLightVector);
        }
        let apart = |material: &Material| {
            let (Some(base), Some(map)) = (material.base_color_texture, material.normal_texture) else { return false };
            (base.texcoord, base.transform) != (map.texcoord, map.transform)
        };
        match scene.materials.iter().position(apart) {
            Some(material) => Err(ProgramStageError::MapCoordinates { material }),
            None => Ok(()),
        }
    }

    /// The texture whose coordinates a program is given.
    pub(super) fn placed_texture(self, material: &Material) -> Option<TextureReference> {
        let map = material.normal_texture.filter(|_| self == Self::Dot3);
        material.base_color_texture.or(map)
    }
}

/// First float of COL0 in a row.
const COLOR: usize = 0;
/// First float of TEX0 in a row.
const TEXCOORD: usize = 4;

/// The fragment stage of a material.
pub(super) fn shader<'a>(
    combiners: Combiners,
    material: &Material,
    textures: &'a TextureSet,
    (ambient, blended): ([f32; 3], bool),
) -> FixedFunctionShader<'a> {
    let texture = material.base_color_texture.and_then(|reference| textures.color(reference.texture));
    let map = material.normal_texture.and_then(|reference| textures.data(reference.texture));
    let dot3 = (combiners == Combiners::Dot3).then(|| Dot3 {
        secondary: 8,
        light: 12,
        half: 16,
        map: map.map(|map| (map, TEXCOORD)),
        scale: material.normal_scale,
        ambient,
    });
    FixedFunctionShader { color: COLOR, texture: texture.map(|texture| (texture, TEXCOORD)), dot3, blended }
}

/// COL0 and TEX0 of a vertex.
pub(super) fn color_and_texcoord(stream: &VertexStream, vertex: usize) -> [[f32; 4]; 2] {
    let row = vertex * stream.stride;
    [COLOR, TEXCOORD].map(|first| [0, 1, 2, 3].map(|component| stream.varyings[row + first + component]))
}

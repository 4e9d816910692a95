//! The JSON of a pack, as its page writes it down.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct PackFile {
    pub(super) version: u32,
    pub(super) cases: Vec<ListedCase>,
}

/// Where the files of a case are; places are relative to the pack.
#[derive(Clone, Debug, Deserialize)]
pub struct ListedCase {
    /// Its name.
    pub name: String,
    /// What is drawn.
    pub file: String,
    /// The reference's picture.
    pub golden: String,
    /// Which pictures are right; there may be none.
    pub envelope: Option<String>,
    /// Where the vertices must be, with bounds.
    pub vertices: String,
}

/// A raw file: `count` elements of a type.
#[derive(Deserialize)]
pub(super) struct Data {
    pub(super) file: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) count: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct CaseFile {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) samples: u32,
    pub(super) background: [u8; 3],
    pub(super) convention: String,
    pub(super) view: [f32; 16],
    pub(super) projection: [f32; 16],
    pub(super) shading: String,
    /// Null where the case has none.
    pub(super) shadows: Option<serde::de::IgnoredAny>,
    pub(super) skinning: String,
    pub(super) normals: String,
    pub(super) lights: Vec<LightFile>,
    pub(super) textures: Vec<Option<TextureFile>>,
    pub(super) draws: Vec<DrawFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct LightFile {
    pub(super) world: [f32; 16],
    pub(super) color: [f32; 3],
    pub(super) intensity: f32,
    pub(super) range: Option<f32>,
    pub(super) kind: String,
    pub(super) inner_cone_angle: Option<f32>,
    pub(super) outer_cone_angle: Option<f32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct TextureFile {
    pub(super) levels: Vec<LevelFile>,
    pub(super) srgb: bool,
    pub(super) magnification: String,
    pub(super) minification: String,
    pub(super) mip: Option<String>,
    pub(super) wrap_u: String,
    pub(super) wrap_v: String,
}

#[derive(Deserialize)]
pub(super) struct LevelFile {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) texels: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct DrawFile {
    pub(super) topology: String,
    pub(super) indices: Data,
    pub(super) positions: Data,
    pub(super) normals: Option<Data>,
    pub(super) flat: bool,
    pub(super) texcoords: Vec<Data>,
    pub(super) colors: Option<Data>,
    pub(super) targets: Vec<TargetFile>,
    pub(super) morph_weights: Vec<f32>,
    pub(super) influences: Option<InfluencesFile>,
    pub(super) palette: Option<Data>,
    pub(super) world: Option<[f32; 16]>,
    pub(super) mirrored: bool,
    pub(super) material: MaterialFile,
}

#[derive(Deserialize)]
pub(super) struct TargetFile {
    pub(super) positions: Option<Data>,
    pub(super) normals: Option<Data>,
    pub(super) texcoords: Vec<Option<Data>>,
    pub(super) colors: Option<Data>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct InfluencesFile {
    pub(super) per_vertex: usize,
    pub(super) joints: Data,
    pub(super) weights: Data,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct MaterialFile {
    pub(super) base_color_factor: [f32; 4],
    pub(super) base_color_texture: Option<TextureUse>,
    pub(super) emissive_factor: [f32; 3],
    pub(super) emissive_texture: Option<TextureUse>,
    pub(super) alpha_mode: String,
    pub(super) cutoff: Option<f32>,
    pub(super) double_sided: bool,
    pub(super) unlit: bool,
}

#[derive(Deserialize)]
pub(super) struct TextureUse {
    pub(super) texture: usize,
    pub(super) texcoord: usize,
    pub(super) offset: [f32; 2],
    pub(super) rotation: f32,
    pub(super) scale: [f32; 2],
}

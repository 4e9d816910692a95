//! The JSON of a pack, as its page writes it down.

use std::collections::BTreeMap;

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
    pub(super) subpixel_bits: u32,
    pub(super) background: [u8; 3],
    pub(super) convention: String,
    pub(super) view: [f32; 16],
    pub(super) projection: [f32; 16],
    pub(super) shading: String,
    /// Null where the case has none.
    pub(super) shadows: Option<ShadowsFile>,
    pub(super) skinning: String,
    pub(super) normals: String,
    pub(super) lights: Vec<LightFile>,
    pub(super) textures: Vec<Option<TextureFile>>,
    pub(super) data_textures: Vec<Option<TextureFile>>,
    pub(super) ambient: f32,
    pub(super) exposure: f32,
    pub(super) tone: String,
    pub(super) draws: Vec<DrawFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ShadowsFile {
    /// The words of `--shadow-…`, by name.
    pub(super) settings: BTreeMap<String, String>,
    pub(super) splits: Vec<SplitFile>,
    pub(super) depth_row: [f32; 4],
    pub(super) lights: Vec<CastingFile>,
}

#[derive(Deserialize)]
pub(super) struct SplitFile {
    pub(super) near: f32,
    pub(super) far: f32,
    pub(super) corners: [[f32; 3]; 8],
}

#[derive(Deserialize)]
pub(super) struct CastingFile {
    pub(super) light: usize,
    pub(super) kind: String,
    pub(super) maps: Vec<MapFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct MapFile {
    pub(super) view_projection: [f32; 16],
    pub(super) lookup: [f32; 16],
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
    pub(super) tangents: Option<Data>,
    pub(super) flat: bool,
    pub(super) texcoords: Vec<Data>,
    pub(super) colors: Option<Data>,
    pub(super) occlusion: Option<Data>,
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
    pub(super) tangents: Option<Data>,
    pub(super) texcoords: Vec<Option<Data>>,
    pub(super) colors: Option<Data>,
    pub(super) occlusion: Option<Data>,
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
    pub(super) metallic_factor: f32,
    pub(super) roughness_factor: f32,
    pub(super) metallic_roughness_texture: Option<TextureUse>,
    pub(super) normal_scale: f32,
    pub(super) normal_texture: Option<TextureUse>,
    pub(super) occlusion_strength: f32,
    pub(super) occlusion_texture: Option<TextureUse>,
    pub(super) ior: f32,
    pub(super) specular_factor: f32,
    pub(super) specular_texture: Option<TextureUse>,
    pub(super) specular_color_factor: [f32; 3],
    pub(super) specular_color_texture: Option<TextureUse>,
    pub(super) anisotropy: Option<AnisotropyFile>,
    pub(super) sheen: Option<SheenFile>,
    pub(super) clearcoat: Option<CoatFile>,
    pub(super) alpha_mode: String,
    pub(super) cutoff: Option<f32>,
    pub(super) double_sided: bool,
    pub(super) unlit: bool,
}

#[derive(Deserialize)]
pub(super) struct AnisotropyFile {
    pub(super) strength: f32,
    pub(super) rotation: f32,
    pub(super) texture: Option<TextureUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SheenFile {
    pub(super) color_factor: [f32; 3],
    pub(super) color_texture: Option<TextureUse>,
    pub(super) roughness_factor: f32,
    pub(super) roughness_texture: Option<TextureUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct CoatFile {
    pub(super) factor: f32,
    pub(super) texture: Option<TextureUse>,
    pub(super) roughness_factor: f32,
    pub(super) roughness_texture: Option<TextureUse>,
    pub(super) normal_scale: f32,
    pub(super) normal_texture: Option<TextureUse>,
}

#[derive(Deserialize)]
pub(super) struct TextureUse {
    pub(super) texture: usize,
    pub(super) texcoord: usize,
    pub(super) offset: [f32; 2],
    pub(super) rotation: f32,
    pub(super) scale: [f32; 2],
}

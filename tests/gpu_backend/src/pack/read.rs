//! [`Pack`]: the files of a pack as plain data.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bytemuck::Pod;
use glam::Mat4;
use refrast::{
    golden::Picture,
    render::Camera,
    scene::{Influences, Light, Material, MorphTarget, Primitive, Sampler, Topology},
    shading::{Development, ShadowPlan},
};
use serde::de::DeserializeOwned;

use super::{
    files::{CaseFile, Data, DrawFile, ListedCase, PackFile, TargetFile, TextureFile},
    words::{light, material, sampler, shadows},
};
use crate::{Settings, Skinning};

/// A pack can not be used.
#[derive(Debug, thiserror::Error)]
pub enum PackReadError {
    /// A file can not be read.
    #[error("{path}: {source}; write the pack again with `refrast golden pack`", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A JSON file does not say what a pack says.
    #[error("{path}: {source}; this backend reads packs of version {VERSION}", path = path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: serde_json::Error,
    },
    /// What a file says has no meaning here.
    #[error("{path}: {reason}", path = path.display())]
    Meaning {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// The version of the page that this follows.
const VERSION: u32 = 1;

/// A folder with `pack.json`.
#[derive(Debug)]
pub struct Pack {
    folder: PathBuf,
    cases: Vec<ListedCase>,
}

/// Everything of a case, ready to be uploaded.
#[derive(Clone, Debug)]
pub struct PackedCase {
    /// The target.
    pub settings: Settings,
    /// Where it is seen from.
    pub camera: Camera,
    /// The reference's own grid.
    pub subpixel_bits: u32,
    pub(super) lights: Vec<(Light, Mat4)>,
    pub(super) shadows: Option<ShadowPlan>,
    /// Colours.
    pub(super) textures: Vec<Option<PackedTexture>>,
    /// What is sampled as plain numbers.
    pub(super) data_textures: Vec<Option<PackedTexture>>,
    pub(super) draws: Vec<PackedDraw>,
}

#[derive(Clone, Debug)]
pub(super) struct PackedTexture {
    pub(super) levels: Vec<PackedLevel>,
    pub(super) srgb: bool,
    pub(super) sampler: Sampler,
}

#[derive(Clone, Debug)]
pub(super) struct PackedLevel {
    pub(super) size: [u32; 2],
    pub(super) texels: Vec<[u8; 4]>,
}

#[derive(Clone, Debug)]
pub(super) struct PackedDraw {
    pub(super) primitive: Primitive,
    pub(super) material: Material,
    pub(super) morph_weights: Vec<f32>,
    /// Mesh to world space: one a joint, or one for all vertices.
    pub(super) palette: Vec<Mat4>,
    pub(super) mirrored: bool,
}

impl PackedDraw {
    /// Whether every list is as long as the others say, and every index finds something.
    fn fits_together(&self) -> bool {
        let Self { primitive, morph_weights, palette, .. } = self;
        let count = primitive.positions.len();
        let fits = |length: Option<usize>| length.is_none_or(|length| length == count);
        let target_fits = |target: &MorphTarget| {
            let MorphTarget { positions, normals, tangents, texcoords, colors, occlusion } = target;
            fits(positions.as_ref().map(Vec::len))
                && fits(normals.as_ref().map(Vec::len))
                && fits(tangents.as_ref().map(Vec::len))
                && fits(colors.as_ref().map(Vec::len))
                && fits(occlusion.as_ref().map(Vec::len))
                && texcoords.iter().all(|set| fits(set.as_ref().map(Vec::len)))
        };
        let influences_fit = primitive.influences.as_ref().is_none_or(|own| {
            let slots = own.per_vertex * count;
            let found = own.joints.iter().all(|&joint| usize::from(joint) < palette.len());
            own.joints.len() == slots && own.weights.len() == slots && found
        });
        fits(primitive.normals.as_ref().map(Vec::len))
            && fits(primitive.tangents.as_ref().map(Vec::len))
            && fits(primitive.colors.as_ref().map(Vec::len))
            && fits(primitive.occlusion.as_ref().map(Vec::len))
            && primitive.texcoords.iter().all(|set| fits(Some(set.len())))
            && primitive.indices.iter().all(|&index| (index as usize) < count)
            && primitive.targets.iter().all(target_fits)
            && influences_fit
            && !palette.is_empty()
            && morph_weights.len() == primitive.targets.len()
    }
}

impl Pack {
    /// Reads the list of the cases.
    ///
    /// # Errors
    ///
    /// When the folder holds no pack of this version.
    pub fn open(folder: &Path) -> Result<Self, PackReadError> {
        let pack = Self { folder: folder.to_owned(), cases: Vec::new() };
        let PackFile { version, cases } = pack.json("pack.json")?;
        if version == VERSION {
            Ok(Self { cases, ..pack })
        } else {
            Err(pack.wrong("pack.json", format!("it is of version {version}, this backend reads {VERSION}")))
        }
    }

    /// The cases.
    #[must_use]
    pub fn cases(&self) -> &[ListedCase] {
        &self.cases
    }

    /// Where a file of the pack is.
    #[must_use]
    pub fn path(&self, place: &str) -> PathBuf {
        self.folder.join(place)
    }

    /// The reference's picture of a case.
    ///
    /// # Errors
    ///
    /// When it can not be read.
    pub fn golden(&self, case: &ListedCase) -> Result<Picture, PackReadError> {
        Picture::read(&self.path(&case.golden)).map_err(|error| self.wrong(&case.golden, error.to_string()))
    }

    /// Everything of a case.
    ///
    /// # Errors
    ///
    /// When a file is missing or damaged, or asks for what this backend can not do.
    pub fn read(&self, case: &ListedCase) -> Result<PackedCase, PackReadError> {
        let wrong = |reason: String| self.wrong(&case.file, reason);
        let file: CaseFile = self.json(&case.file)?;
        let skinning = match (file.skinning.as_str(), file.normals.as_str()) {
            ("linear", "inverse-transpose") => Skinning::Linear,
            ("dual-quaternion", "inverse-transpose") => Skinning::DualQuaternion,
            (skinning, normals) => {
                return Err(wrong(format!("{skinning} skinning with {normals} normals is not here")));
            }
        };
        let shadows = file.shadows.as_ref().map(shadows).transpose().map_err(wrong)?;
        let settings = Settings {
            width: file.width,
            height: file.height,
            samples: file.samples.to_string().parse().map_err(|error| wrong(format!("{error}")))?,
            shading: file.shading.parse().map_err(|error| wrong(format!("{error}")))?,
            background: file.background,
            skinning,
            ambient: Some(file.ambient),
            development: Development {
                exposure: file.exposure,
                tone: file.tone.parse().map_err(|error| wrong(format!("{error}")))?,
            },
            shadows: shadows.as_ref().map(|plan| plan.settings).unwrap_or_default(),
        };
        let [view, projection] = [&file.view, &file.projection].map(Mat4::from_cols_array);
        let camera = Camera {
            view,
            projection,
            convention: file.convention.parse().map_err(|error| wrong(format!("{error}")))?,
        };
        Ok(PackedCase {
            settings,
            camera,
            subpixel_bits: file.subpixel_bits,
            lights: file.lights.iter().map(light).collect::<Result<_, _>>().map_err(wrong)?,
            shadows,
            textures: self.textures(&file.textures)?,
            data_textures: self.textures(&file.data_textures)?,
            draws: file.draws.iter().map(|draw| self.draw(case, draw)).collect::<Result<_, _>>()?,
        })
    }

    fn draw(&self, case: &ListedCase, draw: &DrawFile) -> Result<PackedDraw, PackReadError> {
        let wrong = |reason: String| self.wrong(&case.file, reason);
        let influences = draw.influences.as_ref().map(|own| {
            let (joints, weights) = (self.data("u16", &own.joints)?, self.data("f32", &own.weights)?);
            Ok(Influences { per_vertex: own.per_vertex, joints, weights })
        });
        let palette = match (&draw.palette, &draw.world) {
            (Some(palette), _) => self.data::<[f32; 16]>("f32x16", palette)?,
            (None, Some(world)) => vec![*world],
            (None, None) => return Err(wrong("a draw has neither a palette nor a world".to_owned())),
        };
        let primitive = Primitive {
            topology: match draw.topology.as_str() {
                "points" => Topology::Points,
                "lines" => Topology::Lines,
                "triangles" => Topology::Triangles,
                other => return Err(wrong(format!("unknown topology `{other}`"))),
            },
            indices: self.data("u32", &draw.indices)?,
            positions: self.data("f32x3", &draw.positions)?,
            normals: self.optional("f32x3", draw.normals.as_ref())?,
            tangents: self.optional("f32x4", draw.tangents.as_ref())?,
            flat: draw.flat,
            texcoords: draw.texcoords.iter().map(|set| self.data("f32x2", set)).collect::<Result<_, _>>()?,
            colors: self.optional("f32x4", draw.colors.as_ref())?,
            occlusion: self.optional("f32", draw.occlusion.as_ref())?,
            influences: influences.transpose()?,
            targets: draw.targets.iter().map(|target| self.target(target)).collect::<Result<_, _>>()?,
            ..Primitive::default()
        };
        let draw = PackedDraw {
            primitive,
            material: material(&draw.material).map_err(wrong)?,
            morph_weights: draw.morph_weights.clone(),
            palette: palette.iter().map(Mat4::from_cols_array).collect(),
            mirrored: draw.mirrored,
        };
        if draw.fits_together() { Ok(draw) } else { Err(wrong("the raw files of a draw differ in length".to_owned())) }
    }

    fn target(&self, target: &TargetFile) -> Result<MorphTarget, PackReadError> {
        Ok(MorphTarget {
            positions: self.optional("f32x3", target.positions.as_ref())?,
            normals: self.optional("f32x3", target.normals.as_ref())?,
            tangents: self.optional("f32x3", target.tangents.as_ref())?,
            texcoords: (target.texcoords.iter())
                .map(|set| self.optional("f32x2", set.as_ref()))
                .collect::<Result<_, _>>()?,
            colors: self.optional("f32x4", target.colors.as_ref())?,
            occlusion: self.optional("f32", target.occlusion.as_ref())?,
        })
    }

    fn textures(&self, textures: &[Option<TextureFile>]) -> Result<Vec<Option<PackedTexture>>, PackReadError> {
        textures.iter().map(|texture| texture.as_ref().map(|texture| self.texture(texture)).transpose()).collect()
    }

    fn texture(&self, texture: &TextureFile) -> Result<PackedTexture, PackReadError> {
        let levels = texture.levels.iter().map(|level| {
            Ok(PackedLevel { size: [level.width, level.height], texels: self.data("u8x4", &level.texels)? })
        });
        let sampler = sampler(texture).map_err(|reason| self.wrong("pack.json", reason))?;
        Ok(PackedTexture { levels: levels.collect::<Result<_, _>>()?, srgb: texture.srgb, sampler })
    }

    fn json<T: DeserializeOwned>(&self, place: &str) -> Result<T, PackReadError> {
        let path = self.path(place);
        let bytes = fs::read(&path).map_err(|source| PackReadError::File { path: path.clone(), source })?;
        serde_json::from_slice(&bytes).map_err(|source| PackReadError::Json { path, source })
    }

    /// The elements of a raw file, which is little-endian as every machine is that drivers run on.
    fn data<T: Pod>(&self, kind: &str, data: &Data) -> Result<Vec<T>, PackReadError> {
        let path = self.path(&data.file);
        let bytes = fs::read(&path).map_err(|source| PackReadError::File { path, source })?;
        if data.kind != kind || bytes.len() != data.count * size_of::<T>() {
            let reason = format!("{} bytes are not {} elements of {kind}", bytes.len(), data.count);
            return Err(self.wrong(&data.file, reason));
        }
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }

    fn optional<T: Pod>(&self, kind: &str, data: Option<&Data>) -> Result<Option<Vec<T>>, PackReadError> {
        data.map(|data| self.data(kind, data)).transpose()
    }

    fn wrong(&self, place: &str, reason: String) -> PackReadError {
        PackReadError::Meaning { path: self.path(place), reason }
    }
}

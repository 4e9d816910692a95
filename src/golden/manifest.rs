//! [`Manifest`]: which goldens there are, and what each of them shows.
//!
//! Why it exists: a golden is worth what can be said about how it came to be. The manifest says it in the words of the
//! command line, so that any renderer can be asked for the same picture, and a picture can be made anew years later.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    str::FromStr,
};

use serde::{Deserialize, Serialize};

use refrast_measure::{FolderLock, read_file, write_whole};

/// The name of the file in a folder of goldens.
pub const MANIFEST_NAME: &str = "manifest.toml";

/// The longest manifest that is read: 64 MiB, some hundred thousand cases.
const LARGEST_MANIFEST: u64 = 64 << 20;

/// The cases of a folder of goldens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The cases, in the order of the file.
    #[serde(default, rename = "case")]
    pub cases: Vec<GoldenCase>,
}

/// What one golden shows. The words are those of `refrast render`; what is not given is as it is there.
///
/// Paths are relative to the manifest's folder. An `auto` or `orbit` camera holds the whole clip in view, so that it
/// stands still while the clip plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GoldenCase {
    /// The name of the golden: `NAME.png`, and perhaps `NAME.envelope`. May have folders in it, with `/` between.
    pub name: String,
    /// A .gltf or .glb file, or `mannequin`.
    pub scene: String,
    /// A clip by name or index; without it the rest pose is drawn.
    pub animation: Option<String>,
    /// Seconds within the clip.
    pub time: f32,
    /// `auto`, `orbit:…`, a camera of the file, or a camera file.
    pub camera: String,
    /// Field of view from bottom to top, in degrees, where the camera is not one of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fov: Option<f64>,
    /// Where the camera stands, in metres, in place of an orbit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eye: Option<[f64; 3]>,
    /// What it looks at, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// Up, for an eye.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<[f64; 3]>,
    /// Metres to the near plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<f64>,
    /// Metres to the far plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub far: Option<f64>,
    /// `WIDTHxHEIGHT`.
    pub size: String,
    /// What the fragments show.
    pub shading: String,
    /// The part of the base colour that is seen where no light falls, in place of 0.25, or 0.05 under a file's own lights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambient: Option<f32>,
    /// Of the mode `lit`: what its light is multiplied by.
    pub exposure: f32,
    /// Of the mode `lit`: how its light is brought below 1, `none` or `neutral`.
    pub tone: String,
    /// How shadows are made, as `--shadow-…` takes it: `cast` (what `--shadows` takes), `splits`, `distance`, `fit`, `shape`,
    /// `steady`, `size`, `depth`, `bias`, `filter`, `select`, `blend` and `casters`. Without `cast` there are none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shadows: BTreeMap<String, String>,
    /// `#RRGGBB`.
    pub background: String,
    /// Samples a pixel: `1`, `4` or `"4-mirrored"`.
    #[serde(with = "number_or_word")]
    pub samples: String,
    /// The clip space.
    pub convention: String,
    /// Fraction bits of the grid that vertices snap to.
    pub subpixel_bits: u32,
    /// A skinning method, or `program:` and a file or a program of the library.
    pub skinning: String,
    /// How normals follow the joints.
    pub normals: String,
    /// The most influences a vertex keeps.
    pub max_influences: Option<NonZeroUsize>,
    /// For programs: what else goes into registers.
    pub bind: Vec<String>,
    /// For programs: what colours the fragments, `modulate` or `dot3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub combiners: Option<String>,
    /// For programs: registers of the constant file that the palette may use.
    pub constants: u8,
    /// For programs: the numeric model.
    pub model: String,
    /// For programs: how `mov a0.x` rounds.
    pub address_rounding: String,
    /// What the backends are given: `palette`, refrast's matrices and morph weights as in a pack, or `file`, the scene's file, which
    /// they sample, compose and multiply themselves.
    pub given: String,
    /// What backends may do differently: `d3d11`, `vulkan14`, `vulkan-min`, `vulkan-SUBPIXEL-SUBTEXEL-MIP` with the bits
    /// that a device states, or `exact`.
    pub profile: String,
    /// What the samples of a pixel may be averaged as beside light: `stored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve: Option<String>,
    /// What blending may mix beside light: `stored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blend: Option<String>,
    /// What may be added before colours are rounded: `ordered-1lsb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dither: Option<String>,
    /// How colours may become stored values beside sRGB's curve: `gamma-2.2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encode: Option<String>,
    /// The most samples that a texture filter may take along a pixel's longer axis, 1 to 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anisotropy: Option<u8>,
    /// Where mip levels may come from beside means of light: `stored`, `none` or `given`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mips: Option<String>,
    /// Whose texels JPEG images may have beside the reference's: `rounded` or `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jpeg: Option<String>,
    /// What may be left of light for the diffuse term beside what the reflection lets through: `head-on`, `whole`, `burley` or `burley-squared`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diffuse: Option<String>,
    /// How many channels of normal maps may count beside all three: `two`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal_maps: Option<String>,
    /// What frame normal maps may stand in beside the interpolated one: `orthogonal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tangents: Option<String>,
}

impl Default for GoldenCase {
    fn default() -> Self {
        Self {
            name: String::new(),
            scene: String::new(),
            animation: None,
            time: 0.0,
            camera: "auto".into(),
            fov: None,
            eye: None,
            target: None,
            up: None,
            near: None,
            far: None,
            size: "1280x720".into(),
            shading: "lambert".into(),
            ambient: None,
            exposure: 1.0,
            tone: "none".into(),
            shadows: BTreeMap::new(),
            background: "#22262e".into(),
            samples: "1".into(),
            convention: "opengl".into(),
            subpixel_bits: 8,
            skinning: "linear".into(),
            normals: "inverse-transpose".into(),
            max_influences: None,
            bind: Vec::new(),
            constants: 96,
            model: "nv-spec".into(),
            combiners: None,
            address_rounding: "floor".into(),
            given: "palette".into(),
            profile: "vulkan14".into(),
            resolve: None,
            blend: None,
            dither: None,
            encode: None,
            anisotropy: None,
            mips: None,
            jpeg: None,
            diffuse: None,
            normal_maps: None,
            tangents: None,
        }
    }
}

/// A word that is written as a number where it is one.
mod number_or_word {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum NumberOrWord {
        Number(u32),
        Word(String),
    }

    pub(super) fn serialize<S: Serializer>(word: &str, serializer: S) -> Result<S::Ok, S::Error> {
        word.parse().map_or_else(|_| NumberOrWord::Word(word.to_owned()), NumberOrWord::Number).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        Ok(match NumberOrWord::deserialize(deserializer)? {
            NumberOrWord::Number(number) => number.to_string(),
            NumberOrWord::Word(word) => word,
        })
    }
}

/// A manifest can not be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file can not be read.
    #[error("{path}: can not be read: {source}; `refrast golden new` makes a manifest", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is not a manifest. The reason names the line.
    #[error("{path}: not a manifest: {reason}", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A case is wrong.
    #[error("{path}: case `{}`: {reason}", case.escape_debug(), path = path.display())]
    Case {
        /// The file.
        path: PathBuf,
        /// The case.
        case: String,
        /// What is wrong, and what to write instead.
        reason: String,
    },
    /// The file can not be written.
    #[error("{path}: can not be written: {source}; check that the folder exists, is writable and has room", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl Manifest {
    /// Reads the manifest of a folder of goldens.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(folder: &Path) -> Result<Self, ManifestError> {
        let path = folder.join(MANIFEST_NAME);
        match read_text(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(source) => Err(ManifestError::Read { path, source }),
        }
    }

    /// A manifest from its text; `path` stands in the errors.
    ///
    /// # Errors
    /// [`ManifestError::Format`], and [`ManifestError::Case`] where a name is no file's name or is there twice.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ManifestError> {
        let manifest: Self = toml::from_str(text).map_err(|error| ManifestError::Format {
            path: path.to_owned(),
            reason: error.to_string().trim_end().to_owned(),
        })?;
        let mut names = BTreeSet::new();
        for case in &manifest.cases {
            let wrong = if !is_name(&case.name) {
                "a name is made of letters, digits, `-`, `_`, `.` and `/`; no part of it begins with a dot or a dash, ends with a \
                 dot, has more than 200 letters, or is a name that Windows keeps for devices (CON, NUL, COM1 and so on)"
            } else if !names.insert(case.name.to_lowercase()) {
                "there is another case of this name; names must differ, not only in capitals"
            } else if case.scene.is_empty() {
                "it has no scene; write scene = \"FILE.glb\" or \"mannequin\""
            } else {
                continue;
            };
            let (path, case) = (path.to_owned(), case.name.clone());
            return Err(ManifestError::Case { path, case, reason: wrong.to_owned() });
        }
        Ok(manifest)
    }

    /// Adds a case to the manifest of a folder, which is made where it is missing. What is there stays as it is,
    /// comments included, and so does what others add at the same time.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn add(folder: &Path, case: &GoldenCase) -> Result<(), ManifestError> {
        let path = folder.join(MANIFEST_NAME);
        let failed = |source| ManifestError::Write { path: path.clone(), source };
        // From here to the end nobody else reads what is about to be replaced.
        let _lock = FolderLock::take(folder).map_err(failed)?;
        let mut text = match read_text(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(ManifestError::Read { path: path.clone(), source }),
        };
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(&case.to_toml());
        Self::parse(&text, &path)?;
        write_whole(&path, text.as_bytes()).map_err(failed)
    }
}

fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_file(path, LARGEST_MANIFEST)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

impl GoldenCase {
    /// The vertex program that skins it, a file or one of the library; `None` where a method does.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.skinning.strip_prefix("program:")
    }

    /// The case as it stands in a manifest: without what is as it is by default.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let table = |case: &Self| toml::Table::try_from(case).unwrap_or_default();
        let default = table(&Self::default());
        let mut lines = String::from("[[case]]\n");
        for (key, value) in table(self) {
            if default.get(&key) != Some(&value) {
                // A float of f32 has more digits as f64 than anybody wrote.
                let value = if key == "time" { format!("{:?}", self.time) } else { value.to_string() };
                lines.push_str(&format!("{key} = {value}\n"));
            }
        }
        lines
    }

    /// The golden's picture.
    #[must_use]
    pub fn golden(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.png", self.name))
    }
}

/// The longest part of a name: with what refrast appends to it, file systems take 255.
const LONGEST_PART: usize = 200;

/// Names that Windows keeps for devices, whatever follows after a dot.
const DEVICES: [&str; 4] = ["CON", "PRN", "AUX", "NUL"];

/// Whether a golden may have this name: below the folder, on every file system, and no option of a command.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_device = |part: &str| {
        let stem = part.split('.').next().unwrap_or_default().to_ascii_uppercase();
        let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
        DEVICES.contains(&stem.as_str())
            || port.is_some_and(|port| port.len() == 1 && port.as_bytes()[0].is_ascii_digit())
    };
    name.split('/').all(|part| {
        (1..=LONGEST_PART).contains(&part.len())
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && part.bytes().all(fits)
            && !is_device(part)
    })
}

/// A part of the cases, for one machine of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

/// The text is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a shard; write I/N, for example 1/4 for the first of four machines")]
pub struct ParseShardError(String);

impl Shard {
    /// Whether the case at this place of the manifest belongs to it. Neighbours go to different shards, because they are
    /// often alike and take as long.
    #[must_use]
    pub fn holds(self, place: usize) -> bool {
        place % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = ParseShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (index, count) = text.split_once('/')?;
            let shard = Self { index: index.trim().parse().ok()?, count: count.trim().parse().ok()? };
            (1..=shard.count).contains(&shard.index).then_some(shard)
        };
        parse().ok_or_else(|| ParseShardError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_as_it_is_written_and_says_only_what_is_not_by_default() {
        let case = GoldenCase {
            name: "walk/side".into(),
            scene: "../fox.glb".into(),
            animation: Some("Run \"fast\"".into()),
            time: 0.55,
            max_influences: NonZeroUsize::new(4),
            eye: Some([0.0, 1.5, -2.25]),
            fov: Some(60.0),
            bind: vec!["c4=light".into()],
            ..GoldenCase::default()
        };
        let text = case.to_toml();
        assert!(text.contains("time = 0.55\n") && !text.contains("convention"), "{text}");
        assert_eq!(Manifest::parse(&text, Path::new("m")).unwrap().cases, [case]);
    }

    #[test]
    fn numbers_of_samples_are_numbers_and_patterns_are_words() {
        for (word, line) in [("4", "samples = 4\n"), ("4-mirrored", "samples = \"4-mirrored\"\n")] {
            let case =
                GoldenCase { name: "a".into(), scene: "b".into(), samples: word.into(), ..GoldenCase::default() };
            assert!(case.to_toml().contains(line), "{}", case.to_toml());
            assert_eq!(Manifest::parse(&case.to_toml(), Path::new("m")).unwrap().cases, [case]);
        }
    }

    #[test]
    fn what_is_wrong_with_a_manifest_is_said_with_its_place() {
        let error = |text: &str| Manifest::parse(text, Path::new("golden/manifest.toml")).unwrap_err().to_string();
        let unknown = error("[[case]]\nname = \"a\"\nscene = \"b\"\ncolour = 3\n");
        assert!(
            unknown.contains("golden/manifest.toml") && unknown.contains("line 4") && unknown.contains("colour"),
            "{unknown}"
        );
        let long = "a".repeat(201);
        for name in
            ["", "../a", "/a", "a//b", ".a", "a b", "a\\\\b", "-rf", "a/-b", "a.", "nul", "CON", "com1.x", &long]
        {
            let text = error(&format!("[[case]]\nname = \"{name}\"\nscene = \"b\"\n"));
            assert!(text.contains("letters, digits"), "{text}");
        }
        let twice = error("[[case]]\nname = \"a\"\nscene = \"b\"\n[[case]]\nname = \"A\"\nscene = \"b\"\n");
        assert!(twice.contains("another case"), "{twice}");
        assert!(error("[[case]]\nname = \"a\"\n").contains("no scene"));
    }

    #[test]
    fn cases_that_are_added_at_once_are_all_there() {
        let folder = std::env::temp_dir().join(format!("refrast-manifest-{}", std::process::id()));
        let names: BTreeSet<String> = (0..50).map(|number| format!("case-{number:02}")).collect();
        std::thread::scope(|scope| {
            for name in names.iter().cloned() {
                let case = GoldenCase { name, scene: "mannequin".into(), ..GoldenCase::default() };
                let folder = &folder;
                scope.spawn(move || Manifest::add(folder, &case).unwrap());
            }
        });
        let cases = Manifest::read(&folder).unwrap().cases;
        assert_eq!(cases.into_iter().map(|case| case.name).collect::<BTreeSet<_>>(), names);
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, [MANIFEST_NAME]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn shards_hold_every_case_once() {
        for count in 1..6 {
            let shards: Vec<Shard> = (1..=count).map(|index| format!("{index}/{count}").parse().unwrap()).collect();
            assert!((0..20).all(|place| shards.iter().filter(|shard| shard.holds(place)).count() == 1));
        }
        for text in ["", "0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().unwrap_err().to_string().contains("1/4"));
        }
    }
}

//! A folder of raw files for backends that load no glTF.
//!
#![doc = include_str!("../PACK.md")]

mod describe;
mod files;
mod vertices;

pub use describe::describe_shadows;

use std::{
    io,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use self::{describe::describe, files::Files};
use super::{CaseError, GoldenFolder, PreparedCase, case::wrong};
use refrast_draw::SampleCount;
use refrast_range::Profile;

/// A pack can not be written.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A case can not be packed.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// A file can not be written, or a golden not be read.
    #[error("{path}: {source}; check that the folder is writable and has room, and bless the goldens first", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// What the cases of a pack have that the manifest does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackSettings {
    /// The profile that the backend fits, instead of those of the cases.
    pub profile: Option<Profile>,
    /// Each case once with each of these numbers of samples a pixel, instead of with its own. The cases are then called
    /// `NAME/1x` and `NAME/4x`.
    pub samples: Vec<SampleCount>,
}

/// A pack in the making.
///
/// ```no_run
/// use refrast_verify::{Profile, cases::{Pack, PreparedCase}, showcase::showcases};
///
/// let mut pack = Pack::new("pack".as_ref());
/// for showcase in showcases() {
///     pack.add(&PreparedCase::of_showcase(showcase, Profile::Vulkan14)?)?;
/// }
/// pack.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pack {
    files: Files,
    listed: Vec<Value>,
}

impl Pack {
    /// An empty one in a folder.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { files: Files::new(folder), listed: Vec::new() }
    }

    /// Adds a case, which is drawn for it with its envelope.
    ///
    /// # Errors
    /// [`PackError`]; what has been written until then stays.
    pub fn add(&mut self, case: &PreparedCase) -> Result<(), PackError> {
        let made = case.envelope()?;
        let name = &case.entry.name;
        let (golden, envelope) = (golden_place(name), envelope_place(name));
        made.golden.write(&self.files.path(&golden)?).map_err(wrong(&case.entry, "the golden"))?;
        let path = self.files.path(&envelope)?;
        made.envelope.write(&made.golden, &path).map_err(wrong(&case.entry, "the envelope"))?;
        self.list(case, Some(envelope))
    }

    /// Adds a case whose golden has been drawn before; the envelope is left out where there is none.
    fn add_golden(&mut self, case: &PreparedCase, golden: &Path, envelope: &Path) -> Result<(), PackError> {
        let name = &case.entry.name;
        self.files.copy(golden, &golden_place(name))?;
        let envelope = match envelope.exists() {
            true => {
                self.files.copy(envelope, &envelope_place(name))?;
                Some(envelope_place(name))
            }
            false => None,
        };
        self.list(case, envelope)
    }

    fn list(&mut self, case: &PreparedCase, envelope: Option<String>) -> Result<(), PackError> {
        let name = &case.entry.name;
        let place = format!("cases/{name}.json");
        let description = describe(case, &self.files)?;
        self.files.write(&place, format!("{description:#}\n").as_bytes())?;
        self.listed.push(json!({
            "name": name,
            "file": place,
            "golden": golden_place(name),
            "envelope": envelope,
            "vertices": vertices::write(case, &self.files)?,
        }));
        Ok(())
    }

    /// Writes the list of the cases, last: a folder without it is no pack.
    ///
    /// # Errors
    /// [`PackError`]; what has been written until then stays.
    pub fn finish(self) -> Result<(), PackError> {
        let list = json!({ "version": 1, "cases": self.listed });
        self.files.write("pack.json", format!("{list:#}\n").as_bytes())
    }
}

fn golden_place(name: &str) -> String {
    format!("cases/{name}.png")
}

fn envelope_place(name: &str) -> String {
    format!("cases/{name}.envelope")
}

impl GoldenFolder {
    /// Writes the cases as a pack, with their goldens and envelopes: those that have been blessed, or new ones where the
    /// settings ask for something else. `progress` hears the name of each case.
    ///
    /// # Errors
    /// [`PackError`]; what has been written until then stays.
    pub fn pack(&mut self, folder: &Path, settings: &PackSettings, progress: &dyn Fn(&str)) -> Result<(), PackError> {
        let mut pack = Pack::new(folder);
        for case in self.cases().to_vec() {
            let prepared = self.prepare(&case)?;
            let (golden, envelope) = self.files(&case);
            if *settings == PackSettings::default() {
                pack.add_golden(&prepared, &golden, &envelope)?;
            } else {
                settings.variants(&prepared).iter().try_for_each(|variant| pack.add(variant))?;
            }
            progress(&case.name);
        }
        pack.finish()
    }
}

impl PackSettings {
    /// A case as these settings ask for it.
    #[must_use]
    pub fn variants(&self, case: &PreparedCase) -> Vec<PreparedCase> {
        let mut fitting = case.clone();
        fitting.profile = self.profile.unwrap_or(case.profile);
        if self.samples.is_empty() {
            return vec![fitting];
        }
        let with_samples = |&samples: &SampleCount| {
            let mut variant = fitting.clone();
            variant.settings.samples = samples;
            // `4-mirrored` is in a folder `4x-mirrored`.
            let folder = samples.to_string().replace('4', "4x").replace('1', "1x");
            variant.entry.name = format!("{}/{folder}", case.entry.name);
            variant
        };
        self.samples.iter().map(with_samples).collect()
    }
}

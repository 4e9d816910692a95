//! [`GoldenFolder`]: the goldens of a manifest, rendered, compared and blessed.
//!
//! Why it exists: `golden` keeps pictures and knows no renderer, `render` draws and knows no goldens. Whether the
//! pictures that are kept are still the ones that are drawn takes both.

mod bless;
mod case;
mod check;
mod diagnose;
mod explain;
mod judge;
mod pack;
mod rules;
mod vary;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use self::case::Scenes;
pub use self::{
    bless::{Blessing, Change, MarkError},
    case::{CaseError, PreparedCase},
    check::{Against, CheckError, ParseAgainstError},
    diagnose::DiagnosedCase,
    pack::{Pack, PackError, PackSettings, describe_shadows},
    rules::{OtherEnvelopes, OtherRules},
    vary::VariedCase,
};
use refrast_golden::{
    GoldenCase, Manifest, ManifestError, Picture, Shard,
    envelope::{EnvelopeFile, EnvelopeStatistics},
    settle_goldens,
};

use refrast_range::Rules;
use refrast_scene::{LoadOptions, Scene};

/// A folder of goldens with its manifest.
#[derive(Debug)]
pub struct GoldenFolder {
    path: PathBuf,
    cases: Vec<GoldenCase>,
    /// Of all cases, selected or not.
    names: BTreeSet<String>,
    scenes: Scenes,
    /// Beside those of the cases.
    rules: OtherRules,
}

impl GoldenFolder {
    /// Reads the manifest, and finishes or undoes what a blessing that was killed has begun.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn open(path: &Path) -> Result<Self, ManifestError> {
        let folder = Self::read(path)?;
        // Goldens may be read-only. What stays undone then is told by the comparison: the envelope is another golden's.
        let _ = settle_goldens(path, folder.cases.iter().map(|case| case.golden(path)));
        Ok(folder)
    }

    /// As [`open`](Self::open), and touches nothing.
    fn read(path: &Path) -> Result<Self, ManifestError> {
        let cases = Manifest::read(path)?.cases;
        let names = cases.iter().map(|case| case.name.clone()).collect();
        Ok(Self { cases, names, ..Self::empty(path) })
    }

    /// A folder without cases, to prepare one that is in no manifest yet.
    #[must_use]
    pub fn empty(path: &Path) -> Self {
        let (path, scenes, rules) = (path.to_owned(), Scenes::default(), OtherRules::default());
        Self { path, cases: Vec::new(), names: BTreeSet::new(), scenes, rules }
    }

    /// Reads scenes in this way from now on.
    pub fn read_scenes(&mut self, options: LoadOptions) {
        self.scenes.options = options;
    }

    /// Where a case's golden is, and its envelope.
    #[must_use]
    pub fn files(&self, case: &GoldenCase) -> (PathBuf, PathBuf) {
        let golden = case.golden(&self.path);
        let envelope = EnvelopeFile::path_of(&golden);
        (golden, envelope)
    }

    /// How much the envelope of a case allows.
    ///
    /// # Errors
    /// What is wrong with the golden or its envelope, in words.
    pub fn statistics(&self, case: &GoldenCase) -> Result<EnvelopeStatistics, String> {
        let (golden, envelope) = self.files(case);
        let golden = Picture::read(&golden).map_err(|error| error.to_string())?;
        let file = EnvelopeFile::open(&envelope).map_err(|error| error.to_string())?;
        Ok(file.unpack(&golden).map_err(|error| error.to_string())?.statistics())
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The cases that are left, in the order of the manifest.
    #[must_use]
    pub fn cases(&self) -> &[GoldenCase] {
        &self.cases
    }

    /// Leaves only the cases of a shard, and of these only those whose names hold one of the words, or are one of them where
    /// `exact` is asked for; no word leaves all.
    pub fn select(&mut self, shard: Option<Shard>, words: &[String], exact: bool) {
        let named = |name: &str| words.iter().any(|word| if exact { name == word } else { name.contains(word) });
        let mut place = 0;
        self.cases.retain(|case| {
            let holds = shard.is_none_or(|shard| shard.holds(place));
            place += 1;
            holds && (words.is_empty() || named(&case.name))
        });
    }

    /// Leaves out the cases that a vertex program skins, and says which: nobody else who draws cases has a machine for these.
    pub fn leave_out_programs(&mut self) -> Vec<String> {
        let left_out = self.cases.extract_if(.., |case| case.program().is_some());
        left_out.map(|case| case.name).collect()
    }

    /// The scenes that have been read.
    pub fn scenes(&self) -> impl Iterator<Item = &Scene> {
        self.scenes.all()
    }

    /// A case, ready to be rendered.
    ///
    /// # Errors
    /// [`CaseError`] where the manifest's words have no meaning or name something that is not there.
    pub fn prepare(&mut self, case: &GoldenCase) -> Result<PreparedCase, CaseError> {
        let mut prepared = PreparedCase::new(&self.path, case, &mut self.scenes)?;
        let own = Rules { profile: prepared.profile, declared: prepared.declared };
        Rules { profile: prepared.profile, declared: prepared.declared } = self.rules.beside(own);
        Ok(prepared)
    }
}

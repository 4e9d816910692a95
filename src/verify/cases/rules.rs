//! Other rules for the cases of a folder: what somebody declares beside what the manifest says.
//!
//! Why it exists: the envelope beside a golden was made for what its case declares. Whoever holds a picture of another engine against it
//! declares more, or names another profile; then what is right has to be worked out anew, from the scene that the case names.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use refrast_golden::{
    Case, Comparison, GoldenCase, MANIFEST_NAME, ManifestError, OtherEnvelope, Outcome, Picture, Score, Verdict,
};
use refrast_range::{Declared, Rules};

use super::{CaseError, GoldenFolder, PreparedCase, case::wrong};

/// What is said beside a manifest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherRules {
    /// A profile in place of the cases' own, with the choices that it makes.
    pub profile: Option<Rules>,
    /// Choices beside those of the cases and of the profile.
    pub declared: Declared,
}

impl OtherRules {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// The rules of a case with these beside its own.
    #[must_use]
    pub fn beside(&self, own: Rules) -> Rules {
        let Rules { profile, declared } = self.profile.unwrap_or(own.profile.into()).with(self.declared);
        Rules { profile, declared: declared.or(own.declared) }
    }
}

/// Envelopes by other rules, by the places of their goldens, or why there is none.
#[derive(Debug)]
pub struct OtherEnvelopes(BTreeMap<PathBuf, Result<OtherEnvelope, String>>);

impl OtherEnvelopes {
    /// The envelope of a golden; `None` where no case draws it, or there was no candidate for it.
    #[must_use]
    pub fn of(&self, golden: &Path) -> Option<&Result<OtherEnvelope, String>> {
        self.0.get(&golden.canonicalize().ok()?)
    }
}

impl GoldenFolder {
    /// The folder that a golden, or a folder of goldens, lies in: the nearest one upwards that has a manifest. Nothing in it is
    /// touched.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn around(golden: &Path) -> Result<Option<Self>, ManifestError> {
        let Ok(place) = std::path::absolute(golden) else { return Ok(None) };
        let Some(path) = place.ancestors().find(|folder| folder.join(MANIFEST_NAME).is_file()) else {
            return Ok(None);
        };
        Self::read(path).map(Some)
    }

    /// Judges cases by other rules from now on.
    pub fn judge_by(&mut self, rules: OtherRules) {
        self.rules = rules;
    }

    /// The case that draws a golden, by whatever way its path leads there.
    #[must_use]
    pub fn case_of(&self, golden: &Path) -> Option<&GoldenCase> {
        let name = self.name_of(golden).ok().flatten()?;
        self.cases().iter().find(|case| case.name == name)
    }

    /// What a picture in this folder is called, in a folder that exists; `None` elsewhere.
    pub(super) fn name_of(&self, picture: &Path) -> io::Result<Option<String>> {
        let (Some(folder), Some(stem)) = (picture.parent(), picture.file_stem()) else { return Ok(None) };
        let folder = if folder == Path::new("") { Path::new(".") } else { folder };
        let place = folder.canonicalize()?.join(stem);
        let Ok(name) = place.strip_prefix(self.path().canonicalize()?) else { return Ok(None) };
        let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
        Ok(Some(parts.join("/")))
    }

    /// Makes the envelope of every case whose golden is `golden`, or lies below it and has a candidate below `candidate`, into the folder
    /// `made`. `progress` hears how many there are, and then of each that is done.
    pub fn envelopes(
        &mut self,
        golden: &Path,
        candidate: &Path,
        made: &Path,
        progress: &dyn Fn(usize, usize),
    ) -> OtherEnvelopes {
        let wanted: Vec<(PathBuf, GoldenCase)> =
            self.cases().iter().filter_map(|case| self.wanted(case, golden, candidate)).collect();
        let mut found = BTreeMap::new();
        for (index, (place, case)) in wanted.iter().enumerate() {
            progress(index, wanted.len());
            let to = made.join(format!("{index}.envelope"));
            let envelope = self.prepare(case).and_then(|prepared| prepared.envelope_for(place, &to));
            found.insert(place.clone(), envelope.map_err(|error| error.to_string()));
        }
        progress(wanted.len(), wanted.len());
        OtherEnvelopes(found)
    }

    /// A case with the place of its golden, if that is to be compared with a candidate that is there.
    fn wanted(&self, case: &GoldenCase, golden: &Path, candidate: &Path) -> Option<(PathBuf, GoldenCase)> {
        let (place, root) = (case.golden(self.path()).canonicalize().ok()?, golden.canonicalize().ok()?);
        let below = place.strip_prefix(&root).ok()?;
        (below == Path::new("") || candidate.join(below).exists()).then(|| (place, case.clone()))
    }

    /// Says of each case that its envelope refuses what would make it right where it is declared, if anything does. A case that no
    /// entry of the manifest draws, or that can not be drawn or read any more, is left as it is. `memory` is what a picture may take.
    pub fn suggest(&mut self, comparison: &mut Comparison, memory: u64) {
        let (ignored, most) = (&comparison.ignored, comparison.maximum_differing.unwrap_or(0));
        for case in comparison.cases.iter_mut().filter(|case| case.verdict == Verdict::Different) {
            let entry = case.golden.as_deref().and_then(|golden| self.case_of(golden)).cloned();
            let candidate = candidate_to_read_again(case).map(Path::to_owned);
            let Outcome::Measured { measurement, right_if, .. } = &mut case.outcome else { continue };
            if let (Score::Envelope(verdict), Some(entry), Some(path)) = (&measurement.score, entry, &candidate)
                && let (Ok(prepared), Ok(picture)) = (self.prepare(&entry), Picture::read_within(path, memory, 0))
            {
                *right_if = prepared.right_if((&picture, verdict), ignored, most);
            }
        }
    }
}

/// The candidate of a case, where it is a file: a pipe has been read, and says nothing a second time.
pub(super) fn candidate_to_read_again(case: &Case) -> Option<&Path> {
    case.candidate.as_deref().filter(|path| fs::metadata(path).is_ok_and(|file| file.is_file()))
}

impl PreparedCase {
    /// The envelope by the case's rules, for the golden that is kept.
    fn envelope_for(&self, golden: &Path, to: &Path) -> Result<OtherEnvelope, CaseError> {
        let made = self.envelope()?;
        let kept = Picture::read(golden).map_err(wrong(&self.entry, "the golden"))?;
        if kept.content_hash() != made.golden.content_hash() {
            let reason = "it is not what is drawn now; `refrast golden check` shows both";
            return Err(wrong(&self.entry, "the golden")(reason));
        }
        made.envelope.write(&made.golden, to).map_err(wrong(&self.entry, "the envelope"))?;
        let rules = Rules { profile: self.profile, declared: self.declared };
        Ok(OtherEnvelope { path: to.to_owned(), rules: rules.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use refrast_range::{Profile, Resolve};

    use super::*;

    #[test]
    fn what_is_said_stands_beside_what_a_case_says() {
        let own = Rules { profile: Profile::D3d11, declared: Declared { anisotropy: 4, ..Declared::NOTHING } };
        assert_eq!(OtherRules::default().beside(own), own);
        let stored = Declared { resolve: Resolve::Stored, ..Declared::NOTHING };
        let declared = OtherRules { profile: None, declared: stored };
        assert_eq!(declared.beside(own).to_string(), "d3d11 --resolve stored --anisotropy 4");
        let canvas = OtherRules { profile: "webgl2".parse().ok(), declared: Declared::NOTHING };
        assert_eq!(canvas.beside(own).to_string(), "vulkan-min --resolve stored --blend stored --anisotropy 4");
        assert!(OtherRules::default().is_nothing() && !canvas.is_nothing() && !declared.is_nothing());
    }
}

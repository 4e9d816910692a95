//! [`Hypothesis`]: what a picture would be if a guess about it were right.
//!
//! Why it exists: whoever is told a name wants to see it. The page puts the picture of a guess in the golden's place, so that slider,
//! blink and difference show what the guess explains of the candidate, and what it leaves over.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{PICTURE, Report, locked};
use refrast_measure::{ErrorMap, Picture, PictureError, difference_picture};

/// A guess about a candidate, drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// A mistake, or the options that were meant.
    pub name: String,
    /// What the name stands for.
    pub about: String,
    /// What is drawn if it is so, in the candidate's size.
    pub picture: Picture,
}

/// A hypothesis as the page has it, without its pictures: those of the one with index 2 are `hypothesis-2` and
/// `hypothesis-2-difference`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Supposed {
    pub(super) name: String,
    pub(super) about: String,
}

/// What the pictures of the hypothesis with such an index are called: what is drawn, and how the candidate differs from it.
pub(super) fn roles(index: usize) -> [String; 2] {
    [format!("hypothesis-{index}"), format!("hypothesis-{index}-difference")]
}

/// Whether a word is one of [`roles`].
pub(super) fn is_role(word: &str) -> bool {
    let index = word.strip_prefix("hypothesis-").map(|rest| rest.strip_suffix("-difference").unwrap_or(rest));
    index.is_some_and(|index| (1..=3).contains(&index.len()) && index.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Report {
    /// Says what a candidate would be by some guesses; the page lets each of them stand in the golden's place. A picture of another
    /// size than the candidate is left out.
    ///
    /// # Errors
    /// [`PictureError::Write`] where a picture can not be written.
    pub fn suppose(&self, case: &str, candidate: &Picture, hypotheses: &[Hypothesis]) -> Result<(), PictureError> {
        let mut supposed = locked(&self.hypotheses);
        let known = supposed.entry(case.to_owned()).or_default();
        for Hypothesis { name, about, picture } in
            hypotheses.iter().filter(|own| own.picture.size() == candidate.size())
        {
            let difference =
                difference_picture(picture, &ErrorMap::of_channels(picture, candidate), &self.options.ignored)?;
            for (role, picture) in roles(known.len()).iter().zip([picture, &difference]) {
                let address = self.pictures.address(case, role, PICTURE.1);
                let failed = |source| PictureError::Write { path: self.folder.join(Path::new(&address)), source };
                picture.write(&self.pictures.claim(&address).map_err(failed)?)?;
            }
            known.push(Supposed { name: name.clone(), about: about.clone() });
        }
        Ok(())
    }
}

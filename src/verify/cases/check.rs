//! Are the goldens still what is drawn, by us or by somebody else?

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    str::FromStr,
};

use super::{CaseError, GoldenFolder, PreparedCase, case::wrong};
use refrast_golden::{
    Case, CaseFiles, CasePictures, CompareError, Comparison, MeasureOptions, PictureError, compare_cases, write_whole,
};

/// Somebody's renderer: a command that draws one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against(Vec<String>);

/// The command can not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` does not say where the picture goes; write COMMAND {{case}} {{out}}: the case as a JSON file, the PNG to write"
)]
pub struct ParseAgainstError(String);

impl FromStr for Against {
    type Err = ParseAgainstError;

    /// Words between spaces; no shell looks at them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::of_words(text.split_whitespace().map(str::to_owned).collect())
    }
}

impl Against {
    /// A program and its arguments, any of which may hold spaces.
    ///
    /// # Errors
    /// [`ParseAgainstError`] where none of them holds `{out}`.
    pub fn of_words(words: Vec<String>) -> Result<Self, ParseAgainstError> {
        if words.iter().any(|word| word.contains("{out}")) {
            Ok(Self(words))
        } else {
            Err(ParseAgainstError(words.join(" ")))
        }
    }

    fn run(&self, case: &Path, out: &Path) -> Result<(), String> {
        let fill = |word: &String| {
            word.replace("{case}", &case.display().to_string()).replace("{out}", &out.display().to_string())
        };
        let words: Vec<String> = self.0.iter().map(fill).collect();
        let [program, arguments @ ..] = words.as_slice() else { return Err("the command is empty".to_owned()) };
        let shown = words.join(" ");
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("`{shown}` can not be started: {error}"))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr);
            let last: Vec<&str> = text.trim_end().lines().rev().take(5).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            return Err(format!("`{shown}` ended with {}: {}", output.status, last.join(" | ")));
        }
        if out.exists() { Ok(()) } else { Err(format!("`{shown}` ended well, but wrote no {}", out.display())) }
    }
}

/// The goldens as a whole can not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A file or folder can not be written.
    #[error("{path}: {source}; check that the folder is writable and has room", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Nothing was selected.
    #[error("{path}: no case is selected; `refrast golden list` shows those that there are", path = path.display())]
    Nothing {
        /// The folder of goldens.
        path: PathBuf,
    },
    /// A picture to compare would replace what it is compared with.
    #[error("{path}: the pictures to compare can not go where the goldens are; name another folder with --output", path = path.display())]
    Golden {
        /// The golden.
        path: PathBuf,
    },
    /// The comparison is impossible.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl GoldenFolder {
    /// Draws every case, by our own renderer or by `against`, into the folder `candidates`, and compares.
    ///
    /// A case that can not be drawn is an error in the result. `progress` hears the name of each case that has been
    /// drawn, `observer` sees each that has been compared (see [`compare_cases`]).
    ///
    /// # Errors
    /// [`CheckError`] where the check as a whole is impossible.
    pub fn check(
        &mut self,
        candidates: &Path,
        against: Option<&Against>,
        options: &MeasureOptions,
        progress: &dyn Fn(&str),
        observer: &(dyn Fn(&Case, CasePictures<'_>) -> Result<(), PictureError> + Sync),
    ) -> Result<Comparison, CheckError> {
        if self.cases.is_empty() {
            return Err(CheckError::Nothing { path: self.path.clone() });
        }
        let mut files = Vec::new();
        for case in self.cases.clone() {
            let out = candidates.join(format!("{}.png", case.name));
            self.prepare_place(&out)?;
            let drawn = self.prepare(&case).map_err(|error| error.to_string());
            let drawn = drawn.and_then(|prepared| match against {
                None => render_to(&prepared, &out).map_err(|error| error.to_string()),
                Some(against) => {
                    let description = out.with_extension("json");
                    let json = prepared.to_json(&self.path).map_err(|error| error.to_string())?;
                    write_whole(&description, json.as_bytes())
                        .map_err(|error| format!("{}: {error}", description.display()))?;
                    against.run(&description, &out)
                }
            });
            progress(&case.name);
            files.push(CaseFiles { golden: case.golden(&self.path), name: case.name, candidate: drawn.map(|()| out) });
        }
        Ok(compare_cases(&self.path, candidates, files, options, observer)?)
    }
}

impl GoldenFolder {
    /// Makes the folder of a candidate, and removes an older one: what another run drew must not be taken for this one's.
    pub(super) fn prepare_place(&self, path: &Path) -> Result<(), CheckError> {
        let failed = |source| CheckError::File { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        if self.is_golden(path).map_err(failed)? {
            return Err(CheckError::Golden { path: path.to_owned() });
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    /// Whether a path, in a folder that exists, is that of a golden or of its envelope, by whatever way it leads there.
    fn is_golden(&self, path: &Path) -> io::Result<bool> {
        Ok(self.name_of(path)?.is_some_and(|name| self.names.contains(&name)))
    }
}

fn render_to(prepared: &PreparedCase, path: &Path) -> Result<(), CaseError> {
    prepared.render()?.write(path).map_err(wrong(&prepared.entry, "the candidate"))
}

//! The list of marks that a report's reader saves: which new pictures are approved, which are not.
//!
//! Why it exists: who looks at pictures sits before a browser, and who writes goldens is a command. Between the two goes a
//! file of lines that a person can read, and that names each picture by its hash: what is blessed is what was looked at.

use std::{io, path::Path, path::PathBuf};

use refrast_measure::read_file;

/// The longest list that is read: 16 MiB, some hundred thousand lines.
const LARGEST_LIST: u64 = 16 << 20;

/// What somebody thinks of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The case.
    pub name: String,
    /// The [content hash](crate::Picture::content_hash) of the picture that was looked at.
    pub hash: u64,
    /// Whether it is to be the golden.
    pub approved: bool,
}

/// A list can not be read.
#[derive(Debug, thiserror::Error)]
pub enum MarksError {
    /// The file can not be read.
    #[error("{path}: {source}; name the list that `save marks` of a report has written", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line says nothing that is known.
    #[error(
        "{path}, line {line}: `{text}` is no mark; write `approve HASH NAME` or `reject HASH NAME`, as `save marks` of a report does",
        path = path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// Two lines about one case.
    #[error("{path}, line {line}: `{name}` has been marked before; leave one of the two lines", path = path.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// The case.
        name: String,
    },
}

/// Reads a list of marks, in its order: a line each, `approve` or `reject`, a hash of 16 hexadecimal digits, and the name of
/// a case, which may hold spaces. Empty lines and those with `#` in front say nothing.
///
/// # Errors
/// [`MarksError`].
pub fn read_marks(path: &Path) -> Result<Vec<Mark>, MarksError> {
    let failed = |source| MarksError::File { path: path.to_owned(), source };
    let bytes = read_file(path, LARGEST_LIST).map_err(failed)?;
    let text =
        String::from_utf8(bytes).map_err(|_| failed(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8")))?;
    let mut marks: Vec<Mark> = Vec::new();
    let mut named = std::collections::BTreeSet::new();
    for (index, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (path, line) = (path.to_owned(), index + 1);
        let Some(mark) = mark(text) else {
            return Err(MarksError::Line { path, line, text: text.to_owned() });
        };
        if !named.insert(mark.name.clone()) {
            return Err(MarksError::Twice { path, line, name: mark.name });
        }
        marks.push(mark);
    }
    Ok(marks)
}

fn mark(line: &str) -> Option<Mark> {
    let (word, rest) = line.split_once(' ')?;
    let approved = match word {
        "approve" => true,
        "reject" => false,
        _ => return None,
    };
    let (hash, name) = rest.trim_start().split_once(' ')?;
    let digits = hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
    let hash = digits.then(|| u64::from_str_radix(hash, 16).ok()).flatten()?;
    Some(Mark { name: name.trim().to_owned(), hash, approved })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Mark>, String> {
        let path = std::env::temp_dir().join(format!("refrast-marks-{}-{}", std::process::id(), text.len()));
        std::fs::write(&path, text).unwrap();
        let marks = read_marks(&path).map_err(|error| error.to_string());
        std::fs::remove_file(&path).unwrap();
        marks
    }

    #[test]
    fn marks_are_read_line_by_line() {
        let text = "# Marks\n\napprove 00000000000000ff walk-front\r\nreject 0123456789abcdef views/a b\n";
        let mark = |name: &str, hash, approved| Mark { name: name.to_owned(), hash, approved };
        assert_eq!(
            read(text).unwrap(),
            [mark("walk-front", 255, true), mark("views/a b", 0x0123_4567_89ab_cdef, false)]
        );
    }

    #[test]
    fn what_is_no_mark_is_refused_with_its_line() {
        for line in
            ["bless 00000000000000ff a", "approve ff a", "approve 00000000000000ff", "approve +0000000000000ff a"]
        {
            let error = read(&format!("# one\n{line}")).unwrap_err();
            assert!(
                error.contains(", line 2: ") && error.contains(line) && error.contains("approve HASH NAME"),
                "{error}"
            );
        }
        let error = read("approve 00000000000000ff a\nreject 00000000000000ff a\n").unwrap_err();
        assert!(error.contains("line 2: `a` has been marked before"), "{error}");
        assert!(read_marks(Path::new("nowhere")).unwrap_err().to_string().contains("save marks"));
    }
}

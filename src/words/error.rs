//! [`UnknownWord`]: the one error of every list of words.

/// A name that is not in a list of words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {kind} `{name}`; there are: {known}")]
pub struct UnknownWord {
    kind: &'static str,
    name: String,
    known: String,
}

impl UnknownWord {
    /// There is no `kind` of this name, but those of `known`.
    pub fn new(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        Self { kind, name: name.to_owned(), known: known.join(", ") }
    }

    /// What was looked for, in the singular, as in "shading mode".
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name that is not in the list.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

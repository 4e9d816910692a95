//! What can be wrong with a scene file.
//!
//! Why it exists: a message that names the file, the place in it, the reason and the remedy saves its reader the
//! debugger. All parts of the room report through this one type, so no message lacks a part.

use std::fmt;

use super::compressed;

/// A scene file that can not be used, or a part of it that was asked for and does not exist.
///
/// Displayed as `file: place: problem; remedy`.
/// What a file calls its parts may hold anything; here it stays on its line, and steers no terminal.
#[derive(Debug, thiserror::Error)]
#[error("{}", OneLine(format_args!("{file}: {}{}; {}", Prefix(place), Said { file, problem }, problem.remedy())))]
pub struct SceneError {
    /// The file's path, or the name given to [`Scene::from_bytes`](super::Scene::from_bytes).
    pub file: String,
    /// The JSON path, such as `meshes[0].primitives[1].attributes.POSITION`; empty where the file as a whole is meant.
    pub place: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// The place with its colon, or nothing.
struct Prefix<'a>(&'a str);

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, "{}: ", self.0) }
    }
}

/// What is wrong, without the name of the scene's own file, which stands before it.
struct Said<'a> {
    file: &'a str,
    problem: &'a Problem,
}

impl fmt::Display for Said<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            Problem::Read { path, error } if path == self.file => write!(formatter, "can not be read: {error}"),
            problem => write!(formatter, "{problem}"),
        }
    }
}

/// A text with control characters spelled out: what a file calls its parts stays on its line.
#[derive(Clone, Copy, Debug)]
pub struct OneLine<'a>(pub fmt::Arguments<'a>);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.to_string().chars() {
            if character.is_control() {
                write!(formatter, "{}", character.escape_default())?;
            } else {
                write!(formatter, "{character}")?;
            }
        }
        Ok(())
    }
}

/// The reason of a [`SceneError`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read a file.
    #[error("'{path}' can not be read: {error}")]
    Read {
        /// The file that was wanted (the scene itself, a buffer or an image).
        path: String,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// A URI that is neither a data URI nor a relative path.
    #[error("{0}")]
    Uri(String),
    /// A file that is not the scene's own.
    #[error("'{0}' lies outside of the scene's folder")]
    Outside(String),
    /// The file is of another kind.
    #[error("it is {0} and no glTF scene")]
    NoScene(&'static str),
    /// A header or chunk of the .glb container is wrong.
    #[error("broken GLB container: {0}")]
    Container(String),
    /// Not JSON, or JSON that does not follow glTF's schema.
    #[error("{0}")]
    Json(String),
    /// Another version of glTF.
    #[error("glTF version {0} is not 2.x")]
    Version(String),
    /// A required extension that refrast does not have.
    #[error("the file requires the extension {0}, which {reason}", reason = not_read(.0))]
    Extension(String),
    /// An extension that would be seen and is not drawn, in a file that is read strictly.
    #[error("{0} changes what is seen, and is not drawn")]
    NotDrawn(String),
    /// Data that only an extension has, and the file has no other.
    #[error("its data is only there in the form of the extension {0}, which {reason}", reason = not_read(.0))]
    Compressed(String),
    /// Compressed data that its decoder refuses.
    #[error("{0}")]
    Undecodable(String),
    /// A property that must be there.
    #[error("{0} is missing")]
    Missing(String),
    /// An index past the end of a list.
    #[error("names {what} {index}, but there are only {count}")]
    Index {
        /// What is counted: `accessor`, `vertex`, `joint` …
        what: &'static str,
        /// The index that was found.
        index: usize,
        /// The length of the list.
        count: usize,
    },
    /// An accessor's type or component type does not suit its use.
    #[error("has the type {found}, but must be {expected}")]
    Type {
        /// Type and component type in the file.
        found: String,
        /// What the specification allows here.
        expected: String,
    },
    /// Data that ends too early.
    #[error("{what} needs {needed} bytes, but only {available} are there")]
    Short {
        /// What was to be read.
        what: String,
        /// Its size in bytes.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// Two counts that must agree do not.
    #[error("has {found} {what}, but must have {expected}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// The count in the file.
        found: usize,
        /// The count that fits the rest of the file.
        expected: usize,
    },
    /// NaN or an infinity.
    #[error("element {element} is not finite ({value})")]
    NotFinite {
        /// The accessor's element.
        element: usize,
        /// The value.
        value: f32,
    },
    /// A value that the specification forbids.
    #[error("{0}")]
    Value(String),
    /// Nodes that do not form a forest of strict trees.
    #[error("{0}")]
    Hierarchy(String),
    /// An image that can not be decoded.
    #[error("the image can not be decoded: {reason}")]
    Image {
        /// What the decoder said.
        reason: String,
    },
    /// A limit of refrast, which keeps a small hostile file from filling the memory.
    #[error("{0}")]
    TooLarge(String),
    /// More memory than the scene may take, counted before any of it is.
    #[error("with this the scene needs more than {} MiB of memory", .0 >> 20)]
    Memory(u64),
    /// A name or index that the scene does not have.
    #[error("there is no {what} '{wanted}'; {available}")]
    NotFound {
        /// `animation` or `camera`.
        what: &'static str,
        /// What was asked for.
        wanted: String,
        /// What exists, as a list for people.
        available: String,
    },
}

/// Why an extension is not read.
fn not_read(extension: &str) -> &'static str {
    match compressed::remedy(extension) {
        Some(_) => "this build of refrast does not read",
        None => "refrast does not read",
    }
}

impl Problem {
    /// What the reader can do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::NoScene(_) => "name the .gltf or .glb; convert other formats with the program that wrote them",
            Self::Read { .. } => "check the path and the access rights",
            Self::Uri(_) => "store the data beside the file, in it as a data URI, or in a .glb",
            Self::Outside(_) => {
                "put it beside the scene, or, where you trust the scene, read it all the same with --allow-outside"
            }
            Self::Container(_) => {
                "the file may be cut short or damaged by a text-mode transfer: fetch or export it again"
            }
            Self::Json(_) => {
                "export the file again, or correct this property as the glTF 2.0 specification describes it"
            }
            Self::Version(_) => "convert the file to glTF 2.0",
            Self::Extension(name) => compressed::remedy(name).unwrap_or("export the file without this extension"),
            Self::NotDrawn(_) => "leave out --strict to draw the file without it, or export the file without it",
            Self::Compressed(name) => compressed::remedy(name)
                .unwrap_or("export the file without compression, or with an uncompressed fallback"),
            Self::Undecodable(_) => "fetch or export the file again",
            Self::Missing(_) => "add it, or export the file again",
            Self::Index { .. } => "the file is damaged or its exporter is at fault: export it again",
            Self::Type { .. } => "export the data in one of these types",
            Self::Short { .. } => "the data was cut short or its lengths are wrong: fetch or export the file again",
            Self::Count { .. } => "make the counts agree, or export the file again",
            Self::NotFinite { .. } => "export finite numbers (look for degenerate geometry in the original)",
            Self::Value(_) => "correct this value, or export the file again",
            Self::Hierarchy(_) => "let every node have at most one parent and no node be its own ancestor",
            Self::Image { .. } => "store it as a PNG, JPEG or WebP that other programs can open",
            Self::Memory(_) => "reduce or split the data, or allow more with --memory",
            Self::TooLarge(_) => "reduce or split the data",
            Self::NotFound { available, .. } if available.starts_with("there are") => {
                "give one of these names or indices"
            }
            Self::NotFound { .. } => "leave the option out, or take another file",
        }
    }
}

/// What every function of this room that reads a file returns.
pub(super) type Result<T> = std::result::Result<T, SceneError>;

//! Extensions whose data has to be decompressed.
//!
//! Why it exists: files for the web come compressed, and whoever verifies a renderer of them needs the same vertices. Each
//! decoder is large beside what it serves, so each stands behind a cargo feature of its own, and a build without it says so.
//! Data that is there uncompressed as well is taken so, whatever this build can read: a picture must not hang on how refrast
//! was built, and the specifications leave a reader that choice.
//!
//! What comes out of a decoder is data of a stranger like any other: it is checked where plain data is. Its size is taken from
//! the scene's budget before anything is decoded.

#[cfg(feature = "basisu")]
pub(super) mod basisu;
#[cfg(feature = "draco")]
mod draco;
#[cfg(feature = "meshopt")]
mod meshopt;
#[cfg(feature = "meshopt")]
mod meshopt_filter;

use gltf::json::Root;

#[cfg(any(not(feature = "meshopt"), not(feature = "draco")))]
use super::{document::Document, error::Result};

/// Views of compressed bytes.
pub(super) const MESHOPT: &str = "EXT_meshopt_compression";
/// Primitives of compressed geometry.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// Textures in KTX2 files of Basis Universal.
pub(super) const BASISU: &str = "KHR_texture_basisu";

/// Whether this build reads an extension, and what to do where it does not.
const FEATURES: [(&str, bool, &str); 3] = [
    (
        MESHOPT,
        cfg!(feature = "meshopt"),
        "build refrast with --features meshopt, or export the file without this extension",
    ),
    (DRACO, cfg!(feature = "draco"), "build refrast with --features draco, or export the file without this extension"),
    (
        BASISU,
        cfg!(feature = "basisu"),
        "build refrast with --features basisu, or export the file without this extension",
    ),
];

/// Whether this build decompresses the data of an extension.
pub(super) fn is_read(extension: &str) -> bool {
    FEATURES.iter().any(|(name, built, _)| *name == extension && *built)
}

/// What to do about an extension that another build reads.
pub(super) fn remedy(extension: &str) -> Option<&'static str> {
    FEATURES.iter().find(|(name, built, _)| *name == extension && !*built).map(|(_, _, remedy)| *remedy)
}

/// What has been decompressed: each part once, when it is asked for.
#[derive(Debug)]
pub(super) struct Decompressed {
    /// By the index of the view.
    #[cfg(feature = "meshopt")]
    views: Vec<std::cell::OnceCell<Vec<u8>>>,
    /// By the index of the accessor.
    #[cfg(feature = "draco")]
    accessors: Vec<std::cell::OnceCell<Vec<u8>>>,
}

impl Decompressed {
    /// Nothing yet of a file's parts.
    #[cfg_attr(not(any(feature = "meshopt", feature = "draco")), allow(unused_variables, reason = "nothing is kept"))]
    pub(super) fn new(root: &Root) -> Self {
        Self {
            #[cfg(feature = "meshopt")]
            views: vec![Default::default(); root.buffer_views.len()],
            #[cfg(feature = "draco")]
            accessors: vec![Default::default(); root.accessors.len()],
        }
    }
}

#[cfg(not(feature = "meshopt"))]
impl Document {
    /// In a build that decompresses none: none.
    pub(super) fn decompressed_view(&self, _: usize) -> Result<Option<&[u8]>> {
        Ok(None)
    }
}

#[cfg(not(feature = "draco"))]
impl Document {
    /// In a build that decompresses none: none.
    pub(super) fn decompressed_accessor(&self, _: usize) -> Result<Option<&[u8]>> {
        Ok(None)
    }
}

//! [`CasePictures`]: the pictures of a case, decoded when somebody looks at them.
//!
//! Why it exists: most cases are the same, and nobody looks at those. The files are read once; whether their pixels are
//! ever held as a whole is up to the metric and to whoever watches.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use refrast_measure::{ErrorMap, NamedBytes, Picture, PictureError, PictureHeader};
use refrast_threads as threads;

/// The file of a golden or a candidate.
pub(super) struct PictureFile {
    path: PathBuf,
    /// None where the file could not be read.
    bytes: Vec<u8>,
    /// Bytes that its pixels may take.
    memory: u64,
    decoded: OnceLock<Result<Arc<Picture>, PictureError>>,
}

impl PictureFile {
    /// Reads a file; where `only_files` says so, a pipe or a device is an error: it lies in a folder, and nobody has
    /// named it.
    pub(super) fn read(path: &Path, only_files: bool, memory: u64) -> Self {
        let read = match only_files.then(|| fs::metadata(path)) {
            Some(Ok(metadata)) if !metadata.is_file() => {
                let source = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
                Err(PictureError::Read { path: path.to_owned(), source })
            }
            _ => Picture::read_bytes(path),
        };
        let (bytes, decoded) = match read {
            Ok(bytes) => (bytes, OnceLock::new()),
            Err(error) => (Vec::new(), OnceLock::from(Err(error))),
        };
        Self { path: path.to_owned(), bytes, memory, decoded }
    }

    pub(super) fn bytes(&self) -> NamedBytes<'_> {
        NamedBytes { bytes: &self.bytes, name: &self.path }
    }

    /// What it says of itself, if it is a PNG.
    pub(super) fn header(&self) -> Option<PictureHeader> {
        PictureHeader::of(&self.bytes)
    }

    pub(super) fn picture(&self) -> Result<&Picture, &PictureError> {
        self.decode().as_ref().map(Arc::as_ref)
    }

    fn decode(&self) -> &Result<Arc<Picture>, PictureError> {
        self.decoded.get_or_init(|| Picture::decode_within(&self.bytes, &self.path, self.memory, 0).map(Arc::new))
    }
}

/// Decodes both at once. Files of equal bytes hold equal pictures, so only one is decoded; a broken one is still an error.
pub(super) fn decode_both(golden: &PictureFile, candidate: &PictureFile) {
    if golden.bytes != candidate.bytes {
        threads::both(|| golden.decode(), || candidate.decode());
    } else if let Ok(picture) = golden.decode() {
        candidate.decoded.get_or_init(|| Ok(picture.clone()));
    }
}

/// The pictures of a case, handed to an observer while their files are in memory.
#[derive(Clone, Copy)]
pub struct CasePictures<'a> {
    pub(super) golden: Option<&'a PictureFile>,
    pub(super) candidate: Option<&'a PictureFile>,
    pub(super) map: Option<&'a ErrorMap>,
    pub(super) envelope: Option<&'a Path>,
}

impl<'a> CasePictures<'a> {
    /// The golden, if it could be read.
    #[must_use]
    pub fn golden(&self) -> Option<&'a Picture> {
        self.golden?.picture().ok()
    }

    /// The candidate, if it could be read.
    #[must_use]
    pub fn candidate(&self) -> Option<&'a Picture> {
        self.candidate?.picture().ok()
    }

    /// The envelope that judges the candidate, where that is one of this path.
    pub(in super::super) fn envelope(&self) -> Option<&'a Path> {
        self.envelope
    }

    /// Why a picture is not shown, where its file could be read and its pixels were refused or are broken.
    pub(in super::super) fn refusals(&self) -> impl Iterator<Item = &'a PictureError> {
        [self.golden, self.candidate].into_iter().flatten().filter_map(|file| file.picture().err())
    }

    /// The error of each pixel, if the metric has errors of pixels and something differs.
    #[must_use]
    pub fn map(&self) -> Option<&'a ErrorMap> {
        self.map
    }
}

//! Resolves the URIs of buffers and images.
//!
//! Why it exists: glTF has three ways to store bytes (data URI, file beside the scene, GLB chunk), and file names are
//! percent-encoded (specification, section 2.8). Anything else, such as `http:`, is an error: refrast reads only what
//! lies beside the scene or in a folder there, whatever the encoding, unless its user allows the rest.

use std::path::{Component, Path, PathBuf};

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

use super::{error::Problem, files::read_start};

/// Standard alphabet; padding may be left out, as several exporters do.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Where relative URIs lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    /// The scene's folder; `None` where the scene did not come from a file.
    pub(super) folder: Option<PathBuf>,
    /// Whether files outside of it are read.
    pub(super) allow_outside: bool,
}

/// The bytes behind a URI, of a file at most the first `most`.
pub(super) fn fetch(uri: &str, surroundings: &Surroundings, most: u64) -> Result<Vec<u8>, Problem> {
    if let Some(content) = uri.strip_prefix("data:") {
        return decode_data(content);
    }
    if has_scheme(uri) || uri.starts_with('/') {
        return Err(Problem::Uri(format!("the URI '{uri}' is neither a data URI nor a relative path")));
    }
    let Some(folder) = &surroundings.folder else {
        return Err(Problem::Uri(format!("the scene was not read from a file, so '{uri}' has no folder")));
    };
    let decoded = String::from_utf8(percent_decode(uri)).unwrap_or_else(|_| uri.to_owned());
    // Some exporters do not encode: then the name with its percent signs is the file's.
    let name = if !folder.join(&decoded).exists() && folder.join(uri).exists() { uri } else { &decoded };
    let path = folder.join(name);
    if !surroundings.allow_outside && leads_outside(name, folder, &path) {
        return Err(Problem::Outside(uri.to_owned()));
    }
    read_start(&path, most).map_err(|error| Problem::Read { path: path.display().to_string(), error })
}

/// Whether a name in a folder is that of a file outside of it: by its words, or by the links on its way.
fn leads_outside(name: &str, folder: &Path, path: &Path) -> bool {
    let mut depth = 0_usize;
    for component in Path::new(name).components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // What is not there will be told as such.
    matches!((folder.canonicalize(), path.canonicalize()), (Ok(folder), Ok(path)) if !path.starts_with(&folder))
}

/// Decodes what follows `data:`.
fn decode_data(content: &str) -> Result<Vec<u8>, Problem> {
    let Some((media_type, data)) = content.split_once(',') else {
        return Err(Problem::Uri("the data URI has no comma".to_owned()));
    };
    if media_type.ends_with(";base64") {
        BASE64.decode(data).map_err(|error| Problem::Uri(format!("the data URI is not base64: {error}")))
    } else {
        Ok(percent_decode(data))
    }
}

/// Whether the URI starts with a scheme. One letter before the colon is a drive of Windows and no scheme, but no
/// relative path either, so it counts as one.
fn has_scheme(uri: &str) -> bool {
    uri.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

/// Replaces `%20` and its like by the bytes that they stand for; a percent sign without two hexadecimal digits stays.
fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is fetched for a scene in this folder.
    fn fetch(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, Problem> {
        super::fetch(uri, &Surroundings { folder: folder.map(Path::to_owned), allow_outside: false }, 64)
    }

    #[test]
    fn data_uris_decode_with_and_without_padding() {
        for uri in ["data:application/octet-stream;base64,AQID/w==", "data:;base64,AQID/w"] {
            assert_eq!(fetch(uri, None).unwrap(), [1, 2, 3, 255]);
        }
        assert_eq!(fetch("data:text/plain,a%20b%zz", None).unwrap(), b"a b%zz");
    }

    #[test]
    fn foreign_uris_are_refused() {
        for uri in ["http://example.org/a.bin", "file:///a.bin", "/a.bin", "C:\\a.bin"] {
            assert!(matches!(fetch(uri, Some(Path::new("."))), Err(Problem::Uri(_))), "{uri}");
        }
        assert!(matches!(fetch("a.bin", None), Err(Problem::Uri(_))));
        assert!(matches!(fetch("data:;base64,A?", None), Err(Problem::Uri(_))));
    }

    #[test]
    fn percent_encoded_names_find_their_files() {
        let directory = std::env::temp_dir().join(format!("refrast-uri-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("a b ü.bin"), [7]).unwrap();
        std::fs::write(directory.join("50%25.bin"), [8]).unwrap();
        assert_eq!(fetch("a%20b%20%C3%BC.bin", Some(&directory)).unwrap(), [7]);
        assert_eq!(fetch("50%25.bin", Some(&directory)).unwrap(), [8]);
        assert!(matches!(fetch("missing.bin", Some(&directory)), Err(Problem::Read { .. })));
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn what_lies_outside_is_read_only_where_that_is_allowed() {
        let root = std::env::temp_dir().join(format!("refrast-outside-{}", std::process::id()));
        let folder = root.join("scene");
        std::fs::create_dir_all(folder.join("deep")).unwrap();
        std::fs::write(root.join("secret.bin"), [7]).unwrap();
        std::fs::write(folder.join("own.bin"), [8; 100]).unwrap();
        assert_eq!(fetch("deep/../own.bin", Some(&folder)).unwrap().len(), 64, "no more than is needed");
        let absolute = root.join("secret.bin").display().to_string().replace('/', "%2F");
        let mut names =
            vec!["../secret.bin", "deep/../../secret.bin", "%2e%2E/secret.bin", "..%2fsecret.bin", &absolute];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.bin", folder.join("link.bin")).unwrap();
            std::os::unix::fs::symlink("/dev/zero", folder.join("zero.bin")).unwrap();
            names.extend(["link.bin", "zero.bin"]);
        }
        for name in names {
            assert!(matches!(fetch(name, Some(&folder)), Err(Problem::Outside(_))), "{name}");
            let surroundings = Surroundings { folder: Some(folder.clone()), allow_outside: true };
            let allowed = super::fetch(name, &surroundings, 64);
            if name == "zero.bin" {
                assert!(matches!(allowed, Err(Problem::Read { .. })), "a device is no file");
            } else {
                assert_eq!(allowed.unwrap(), [7], "{name}");
            }
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}

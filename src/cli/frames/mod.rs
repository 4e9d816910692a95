//! Where rendered frames go: a picture, a folder, an animation, a sheet, or standard output.
//!
//! Why it exists: what a name ends in says what is written. A word that nobody knows is refused before anything is drawn.

mod animation;
mod sheet;
mod webp;

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use refrast_golden::{Picture, write_whole};

use animation::{apng, gif};
pub(super) use sheet::SheetSize;
use sheet::sheet;
use webp::webp;

use super::output::{note, write_bytes};

/// The kinds of output.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// One PNG file.
    Picture(PathBuf),
    /// Numbered PNG files.
    Folder(PathBuf),
    /// A PNG file with several frames, at this rate.
    Apng(PathBuf, f32),
    /// The same as GIF: at most 256 colours a frame.
    Gif(PathBuf, f32),
    /// The same as WebP, with all colours.
    Webp(PathBuf, f32),
    /// All frames side by side in one PNG file.
    Sheet(PathBuf, SheetSize),
    /// RGBA bytes, frame after frame, to standard output.
    Raw,
}

/// The frames can not be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum FramesError {
    #[error(
        "{path}: nobody writes .{extension} here; name a .png (one frame, or an animated PNG), a .gif, a .webp, a folder, or - for raw RGBA"
    )]
    Extension { path: String, extension: String },
    #[error(
        "{0} is there and is no folder; name a .png (one frame, or an animated PNG), a .gif, a .webp, a folder, or - for raw RGBA"
    )]
    NoFolder(String),
    #[error("a sheet of {0} holds {1} frames in one .png; name such a file instead of {2}")]
    SheetFile(SheetSize, usize, String),
    #[error(transparent)]
    Picture(#[from] refrast_golden::PictureError),
    #[error("{path}: {reason}")]
    Write { path: String, reason: String },
}

impl Target {
    /// What a name means for so many frames at a rate.
    pub(super) fn named(path: &Path, frames: usize, rate: f32, sheet: Option<SheetSize>) -> Result<Self, FramesError> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let own = path.to_owned();
        if let Some(size) = sheet {
            return match extension.as_deref() {
                Some("png") => Ok(Self::Sheet(own, size)),
                _ => Err(FramesError::SheetFile(size, size.count(), path.display().to_string())),
            };
        }
        match extension.as_deref() {
            _ if path == Path::new("-") => Ok(Self::Raw),
            None if path.exists() && !path.is_dir() => Err(FramesError::NoFolder(path.display().to_string())),
            None => Ok(Self::Folder(own)),
            // A folder that is there may be called as it likes.
            Some(_) if path.is_dir() || path.to_string_lossy().ends_with('/') => Ok(Self::Folder(own)),
            Some("png") if frames == 1 => Ok(Self::Picture(own)),
            Some("png") => Ok(Self::Apng(own, rate)),
            Some("gif") => Ok(Self::Gif(own, rate)),
            Some("webp") => Ok(Self::Webp(own, rate)),
            Some(extension) => {
                Err(FramesError::Extension { path: path.display().to_string(), extension: extension.to_owned() })
            }
        }
    }

    /// Makes the folder, where it is one.
    pub(super) fn begin(&self) -> Result<(), FramesError> {
        if let Self::Folder(path) = self {
            let failed = |error| write_error(path, format!("can not make the folder: {error}"));
            fs::create_dir_all(path).map_err(failed)?;
        }
        Ok(())
    }

    /// Where a frame stands that has a place of its own.
    pub(super) fn place(&self, index: usize) -> PathBuf {
        match self {
            Self::Folder(path) => path.join(format!("frame_{index:05}.png")),
            Self::Picture(path)
            | Self::Apng(path, _)
            | Self::Gif(path, _)
            | Self::Webp(path, _)
            | Self::Sheet(path, _) => path.clone(),
            Self::Raw => PathBuf::from("-"),
        }
    }

    /// Writes a frame at once, or hands it back where all are needed together.
    pub(super) fn add(&self, index: usize, frame: Picture, kept: &mut Vec<Picture>) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Picture(_) | Self::Folder(_) => frame.write(&self.place(index))?,
            Self::Apng(..) | Self::Gif(..) | Self::Webp(..) | Self::Sheet(..) => kept.push(frame),
            Self::Raw => write_bytes(&frame.samples8())?,
        }
        Ok(())
    }

    /// Writes what is made of all frames.
    pub(super) fn finish(&self, frames: &[Picture]) -> Result<(), FramesError> {
        let bytes = match self {
            Self::Picture(_) | Self::Folder(_) | Self::Raw => return Ok(()),
            Self::Apng(path, rate) => apng(frames, *rate).map_err(|reason| write_error(path, reason))?,
            Self::Gif(path, rate) => {
                if *rate > MOST_GIF_RATE {
                    note!("a GIF counts hundredths of a second: of {rate} frames a second players show fewer");
                }
                gif(frames, *rate).map_err(|reason| write_error(path, reason))?
            }
            Self::Webp(path, rate) => webp(frames, *rate).map_err(|reason| write_error(path, reason))?,
            Self::Sheet(path, size) => return Ok(sheet(frames, *size)?.write(path)?),
        };
        let path = self.place(0);
        write_whole(&path, &bytes).map_err(|error| {
            write_error(
                &path,
                format!("can not be written: {error}; check that the folder exists, is writable and has room"),
            )
        })
    }
}

/// Players take delays below two hundredths of a second for ten.
const MOST_GIF_RATE: f32 = 50.0;

fn write_error(path: &Path, reason: String) -> FramesError {
    FramesError::Write { path: path.display().to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_is_written() {
        let named = |name: &str, frames| Target::named(Path::new(name), frames, 10.0, None);
        assert_eq!(named("a.png", 1).ok(), Some(Target::Picture("a.png".into())));
        assert_eq!(named("a.PNG", 2).ok(), Some(Target::Apng("a.PNG".into(), 10.0)));
        assert_eq!(named("a.gif", 2).ok(), Some(Target::Gif("a.gif".into(), 10.0)));
        assert_eq!(named("a.webp", 2).ok(), Some(Target::Webp("a.webp".into(), 10.0)));
        assert_eq!(named("frames", 1).ok(), Some(Target::Folder("frames".into())));
        assert_eq!(named("v1.2/", 1).ok(), Some(Target::Folder("v1.2/".into())));
        assert_eq!(named("-", 3).ok(), Some(Target::Raw));
        let refused = named("a.jpg", 1).map_err(|error| error.to_string());
        assert!(refused.is_err_and(|error| error.contains("a.jpg: nobody writes .jpg")));
    }
}

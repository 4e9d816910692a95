//! [`Candidate`]: what a backend made of the same scene, beside what the reference makes of it.

mod envelope_maker;
mod picture;
mod vertices;

use std::path::Path;

pub(super) use self::{
    envelope_maker::{EnvelopeJob, JobProgram},
    picture::{CandidatePicture, PATIENCE, PixelVerdict},
    vertices::{CandidateVertices, Explanation, explain},
};
use super::{WindowError, subject::is_picture};
use refrast_scene::Scene;

/// A backend's vertex buffer or picture.
#[derive(Debug)]
pub(super) enum Candidate {
    /// One row a vertex.
    Vertices(Box<CandidateVertices>),
    /// A frame.
    Picture(Box<CandidatePicture>),
}

impl Candidate {
    /// Reads a buffer of a scene's vertices, or a picture of the scene: that is what a PNG file holds.
    pub(super) fn read(scene: &Scene, path: &Path) -> Result<Self, WindowError> {
        Ok(match is_picture(path) {
            true => Self::Picture(Box::new(CandidatePicture::read(scene, path)?)),
            false => Self::Vertices(Box::new(CandidateVertices::read(scene, path)?)),
        })
    }

    /// The buffer, where it is one.
    pub(super) fn vertices(&self) -> Option<&CandidateVertices> {
        match self {
            Self::Vertices(vertices) => Some(vertices),
            Self::Picture(_) => None,
        }
    }

    /// The picture, where it is one.
    pub(super) fn picture(&self) -> Option<&CandidatePicture> {
        match self {
            Self::Picture(picture) => Some(picture),
            Self::Vertices(_) => None,
        }
    }
}

//! [`Remark`]: what is noticed about a file that is read all the same.
//!
//! Why it exists: a reference draws what it can, but not without a word. A file may break a rule of glTF where it is clear
//! all the same what to draw, and it may leave open what a renderer does. Whoever only wants a picture is told the former
//! ([`Remark::warns`]); `refrast lint` tells everything. What a [`Scene`](super::Scene) shows by itself is not remarked here.

use std::{cell::RefCell, collections::HashSet, fmt};

use super::error::OneLine;

/// No more remarks than so many are kept of a file: one of a million nodes may be wrong in each.
const MOST_REMARKS: usize = 10_000;

refrast_words::names! {
    /// What is noticed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RemarkKind: "remark" {
        /// A rotation is no unit quaternion.
        RotationNotUnit = "rotation-not-unit",
        /// Weights of a vertex do not sum to 1.
        WeightsOffOne = "weights-off-one",
        /// Weights of a vertex are all 0.
        WeightsAllZero = "weights-all-zero",
        /// The last row of a matrix is not 0, 0, 0, 1.
        MatrixLastRow = "matrix-last-row",
        /// A `byteStride` is outside of 4 to 252, or no multiple of 4.
        StrideNotAllowed = "stride-not-allowed",
        /// FLOAT or UNSIGNED_INT numbers are said to be normalised.
        NormalizedFloat = "normalized-float",
        /// Joints of a skin have no node above all of them.
        JointsWithoutCommonRoot = "joints-without-common-root",
        /// Joints are not in the scene that is drawn.
        JointsOutsideScene = "joints-outside-scene",
        /// A morph target displaces normals or tangents that the primitive does not have.
        MorphWithoutBase = "morph-without-base",
        /// A scene lists a node that is a child of another, or twice.
        SceneNodeNotRoot = "scene-node-not-root",
        /// A light is of a type that KHR_lights_punctual does not have.
        LightTypeUnknown = "light-type-unknown",
        /// Colours of vertices are outside of 0 to 1.
        ColorsOutside = "colors-outside",
        /// A texture that a material uses has no image.
        TextureWithoutImage = "texture-without-image",
        /// Tangents are missing where a normal map needs them.
        TangentsMissing = "tangents-missing",
        /// A sampler leaves its filters open.
        SamplerUnspecified = "sampler-unspecified",
        /// A texture has an image for glTF and another one for an extension.
        TextureWithTwoImages = "texture-with-two-images",
        /// An image is stored with losses.
        ImageLossy = "image-lossy",
        /// An extension is used that is not drawn.
        ExtensionIgnored = "extension-ignored",
    }
}

/// Something about a place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// The JSON path, as in errors.
    pub place: String,
    /// What is there, and what is done about it, in words.
    pub detail: String,
    /// Whether it is told to everybody: a broken rule that may show in the picture.
    pub warns: bool,
}

/// As `place: detail`, on one line.
impl fmt::Display for Remark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        OneLine(format_args!("{}: {}", self.place, self.detail)).fmt(formatter)
    }
}

/// Collects remarks while a file is read, each place once for each kind.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    list: RefCell<Vec<Remark>>,
    /// Kinds and places of what is in the list.
    seen: RefCell<HashSet<(RemarkKind, String)>>,
}

impl Remarks {
    /// Adds a remark, unless the place has one of this kind or there are very many.
    pub(super) fn add(&self, remark: Remark) {
        let mut list = self.list.borrow_mut();
        if list.len() < MOST_REMARKS && self.seen.borrow_mut().insert((remark.kind, remark.place.clone())) {
            list.push(remark);
        }
    }

    /// All of them, in the order in which they were made.
    pub(super) fn take(&self) -> Vec<Remark> {
        std::mem::take(&mut self.list.borrow_mut())
    }
}

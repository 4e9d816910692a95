//! [`SampleDepths`]: where backends take the depth of a sample, right or wrong.
//!
//! Why it exists: the settings of an envelope name it, and every pixel asks it.

/// Where depth is taken of a pixel with several samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SampleDepths {
    /// Where the samples are, as every specification wants it.
    #[default]
    InPlace,
    /// Where the samples would be if their pixel were seen in a mirror, left for right: a mistake that no profile allows,
    /// but that a driver is known for. An envelope with this mistake in it shows that a driver makes this one and no other.
    MirroredInX,
}

impl SampleDepths {
    /// Where the depth of a sample at `point` is taken, if not there; `corner` is the pixel's upper left.
    pub(super) fn elsewhere(self, point: [f64; 2], corner: [f64; 2]) -> Option<[f64; 2]> {
        match self {
            Self::InPlace => None,
            Self::MirroredInX => Some([2.0 * corner[0] + 1.0 - point[0], point[1]]),
        }
    }
}

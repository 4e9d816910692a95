//! [`check_picture`]: is this picture right, and if not, where is it wrong and what would make it right?
//!
//! Why it exists: a person with a scene, a picture and a question wants an answer, not a folder of goldens. The reference
//! draws the scene, makes its envelope and holds the picture against it; where pixels are outside, it says whose they are,
//! and under which other options the picture would be right.

use std::{fmt, path::Path};

use refrast_golden::{
    Given, MeasureError, MeasureOptions, Measurement, Metric, Picture, PixelCauses, Score,
    envelope::{EnvelopeError, EnvelopeFile},
    measure_with_envelope,
};
use serde::{Serialize, Serializer};

use crate::{
    appeal::Appeal,
    causes::explain_worst,
    setup::{Change, Question, Reference, Setup, SetupError, Source, find_setup, find_turn, in_words, notes, shows},
};
use refrast_envelope::{EnvelopeSettings, FrameEnvelope};
use refrast_range::Rules;

/// Wrong pixels whose causes are told.
const TOLD: usize = 3;

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct PictureCheck {
    /// Whether a conformant backend may have drawn it.
    pub right: bool,
    /// By whose rules.
    #[serde(rename = "profile", serialize_with = "as_text")]
    pub rules: Rules,
    /// What its vertices come from.
    #[serde(serialize_with = "as_text")]
    pub given: Given,
    /// Pixels a row, and rows.
    pub size: (u32, u32),
    /// The size that was asked for, where the picture has another one: it is held against its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_size: Option<(u32, u32)>,
    /// What the envelope says.
    pub measurement: Measurement,
    /// Whose colours would be right at the worst pixels.
    #[serde(serialize_with = "as_causes")]
    pub causes: Vec<PixelCauses>,
    /// Options under which the picture would be right; none where none were found, and where it is right.
    pub right_with: Vec<Change>,
    /// What makes it right where it is declared, as options: one choice of an engine, or a profile that grants more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub right_if: Vec<String>,
    /// The reference's own picture.
    #[serde(skip)]
    pub reference: Picture,
    /// The envelope as a file.
    #[serde(skip)]
    pub envelope: Vec<u8>,
}

/// There is no answer.
#[derive(Debug, thiserror::Error)]
pub enum CheckPictureError {
    /// The scene can not be drawn as was asked.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The envelope can not be kept.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The picture can not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
}

/// Holds a picture against the envelope of a scene in a set-up, and looks for other options where it is wrong. One of another size than
/// that of the set-up is wrong, but is looked at in its own.
///
/// # Errors
/// [`CheckPictureError`] where the scene can not be drawn as was asked.
pub fn check_picture(question: &Question<'_>, setup: &Setup) -> Result<PictureCheck, CheckPictureError> {
    let (asked_size, setup) = (setup.size(), &setup.in_size(question.candidate.size()));
    let asked_size = (asked_size != setup.size()).then_some(asked_size);
    let JudgedPicture { measurement, causes, reference, envelope } = judged_picture(question, setup)?;
    // Who explains a wrong picture draws the scene in fifty ways.
    let images = (!measurement.accepted).then(|| question.images_beside(setup.settings.shading)).transpose()?;
    let question = &Question { images: images.as_ref(), ..*question };
    let (judged_by, moment) = (question.judged_by(setup.moment), Source::FILE.chain(setup.moment));
    let (pose, camera) = question.shot(setup)?;
    let accepts = |made: &FrameEnvelope| shows(made, setup, question.candidate);
    let worst = match &measurement.score {
        Score::Envelope(verdict) => &verdict.worst[..],
        _ => &[],
    };
    let appeal = || {
        let renderer = question.renderer(setup.settings).map_err(SetupError::from)?;
        Ok::<_, SetupError>(Appeal::new(renderer, (&pose, &camera), worst, &accepts))
    };
    let appeal = (!measurement.accepted).then(appeal).transpose()?;
    // Before other options: one that reads the file makes no mistake, and has not drawn anything else.
    let reads_file = |appeal: &Appeal<'_, '_>| {
        judged_by.file.is_none() && appeal.is_right(EnvelopeSettings { file: moment, ..judged_by })
    };
    let right_with = match appeal.as_ref().is_none_or(reads_file) {
        true => Vec::new(),
        false => match find_turn(question, setup)? {
            Some(turn) => vec![turn],
            None => find_setup(question, setup)?.map_or(Vec::new(), |other| other.changes),
        },
    };
    let refused = !measurement.accepted && right_with.is_empty();
    let own_size = asked_size.filter(|_| !refused).map(|_| Change::size(setup.size()));
    let right_with = own_size.into_iter().chain(right_with).collect();
    let right_if = appeal.filter(|_| refused).map_or(Vec::new(), |appeal| appeal.right_if(judged_by, moment));
    Ok(PictureCheck {
        right: measurement.accepted && asked_size.is_none(),
        rules: question.rules,
        given: if question.source == Source::Palette { Given::Palette } else { Given::File },
        size: setup.size(),
        asked_size,
        measurement,
        causes,
        right_with,
        right_if,
        reference,
        envelope,
    })
}

/// A picture and what it is held against.
#[derive(Clone, Debug)]
pub struct JudgedPicture {
    /// What the envelope says.
    pub measurement: Measurement,
    /// Whose colours would be right at the worst pixels.
    pub causes: Vec<PixelCauses>,
    /// The reference's own picture.
    pub reference: Picture,
    /// The envelope as a file.
    pub envelope: Vec<u8>,
}

/// Holds a picture against the envelope of a scene in a set-up of its size, and looks no further.
///
/// # Errors
/// [`CheckPictureError`] where the scene can not be drawn as was asked, or the picture has another size.
pub fn judged_picture(question: &Question<'_>, setup: &Setup) -> Result<JudgedPicture, CheckPictureError> {
    let Reference { made, renderer } = question.reference(setup)?;
    let name = Path::new("the envelope");
    let envelope = made.envelope.encode(&made.golden, name)?;
    let file = EnvelopeFile::from_bytes(envelope.clone(), name)?;
    let options = MeasureOptions { level: setup.settings.simd, ..MeasureOptions::new(Metric::Envelope) };
    let measurement = measure_with_envelope(&made.golden, question.candidate, &file, &options)?;
    let causes = explain_worst(&renderer, &made.causes, &measurement);
    Ok(JudgedPicture { measurement, causes, reference: made.golden, envelope })
}

impl PictureCheck {
    /// What would make a wrong picture right, in sentences.
    pub fn remedies(&self) -> impl Iterator<Item = String> + '_ {
        let with = (!self.right_with.is_empty()).then(|| format!("right with: {}", in_words(&self.right_with)));
        with.into_iter()
            .chain(notes(&self.right_with))
            .chain(self.right_if.iter().map(|options| format!("right if {options} is declared")))
    }
}

/// The verdict in the first line; then where it is wrong, whose pixels these are, and what would make it right.
impl fmt::Display for PictureCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, given, measurement, .. } = self;
        let counted = measurement.counted;
        let undecided = match &measurement.score {
            Score::Envelope(verdict) => verdict.undecided,
            _ => 0,
        };
        if self.right {
            write!(
                formatter,
                "RIGHT: a conformant backend may draw all {counted} pixels (profile {rules}, given the {given})"
            )?;
            if undecided > 0 {
                write!(formatter, "; of {undecided} of them the envelope does not know")?;
            }
            return writeln!(formatter);
        }
        writeln!(
            formatter,
            "WRONG: {} of {counted} pixels (profile {rules}, given the {given})",
            measurement.differing
        )?;
        if let Some((width, height)) = self.asked_size {
            let (own_width, own_height) = self.size;
            write!(
                formatter,
                "  it has {own_width}x{own_height} pixels, and not the {width}x{height} that were asked for"
            )?;
            if u64::from(own_width) * u64::from(height) == u64::from(own_height) * u64::from(width) {
                write!(formatter, ": {} times as many each way", f64::from(own_width) / f64::from(width))?;
            }
            writeln!(formatter)?;
        }
        if let Score::Envelope(verdict) = &measurement.score
            && !measurement.accepted
        {
            let classes = [
                (verdict.outside, "have a colour that is not right there"),
                (verdict.missing, "show the background where something must be seen"),
                (verdict.unexpected, "show something where only the background is right"),
            ];
            for (count, what) in classes.into_iter().filter(|(count, _)| *count > 0) {
                writeln!(formatter, "  {count} {what}")?;
            }
            writeln!(formatter, "  up to {} steps of 255 from what is right", verdict.farthest)?;
        }
        if let Some(bounds) = measurement.channels.bounds {
            let (width, height) = (bounds.width, bounds.height);
            writeln!(formatter, "  differences lie within {width}x{height} pixels from ({}, {})", bounds.x, bounds.y)?;
        }
        for causes in self.causes.iter().take(TOLD) {
            writeln!(formatter, "  at ({}, {}) should be seen: {}", causes.x, causes.y, causes.causes.join("; "))?;
        }
        self.remedies().try_for_each(|remedy| writeln!(formatter, "{remedy}"))
    }
}

fn as_text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn as_causes<S: Serializer>(causes: &[PixelCauses], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct At<'a> {
        x: u32,
        y: u32,
        causes: &'a [String],
    }
    serializer.collect_seq(causes.iter().map(|PixelCauses { x, y, causes }| At { x: *x, y: *y, causes }))
}

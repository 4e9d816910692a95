//! Which check catches which mistake.
//!
//! Why it exists: a metric is chosen by what it misses and by how often it cries wolf, and neither can be seen from its
//! definition. So every known mistake is drawn in every showcase, and every judge looks at every picture; and at the
//! pictures of backends that are right.

use std::path::Path;

use serde::Serialize;

use crate::showcase::Showcase;
use refrast_envelope::{EnvelopeSettings, FrameEnvelope, FrameEnvelopeError, frame_envelope};
use refrast_golden::{
    MeasureError, MeasureOptions, Metric, Picture, PictureError,
    envelope::{CheckOptions, EnvelopeError},
    measure,
};
use refrast_range::Profile;
use refrast_render::Renderer;
use refrast_simulator::{Fault, Shot, Simulator, Variation};
use refrast_stage::RenderError;
use refrast_threads as threads;
use refrast_words::names;

names! {
    /// Who looks at a picture.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Judge: "judge" {
        /// The acceptable set of each pixel.
        Envelope = "envelope",
        /// ꟻLIP pixel by pixel: none above 0.05.
        Flip = "ꟻLIP 0.05",
        /// The largest difference of a channel, at 2 steps of 255.
        Threshold = "2/255",
        /// dEQP's fuzzy compare, at 0.05.
        Fuzzy = "fuzzy 0.05",
        /// pixelmatch's YIQ difference, at 0.1.
        Yiq = "YIQ 0.1",
    }
}

impl Judge {
    const fn metric(self) -> Option<Metric> {
        match self {
            Self::Envelope => None,
            Self::Flip => Some(Metric::Flip),
            Self::Threshold => Some(Metric::Threshold),
            Self::Fuzzy => Some(Metric::Fuzzy),
            Self::Yiq => Some(Metric::Yiq),
        }
    }
}

/// What became of a fault.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FaultLine {
    /// Its name.
    pub fault: &'static str,
    /// Where it lies.
    pub section: &'static str,
    /// The showcases in which it changes a pixel.
    pub shown: Vec<&'static str>,
    /// In how many of these each judge says no, in the order of [`Judge::ALL`].
    pub caught: [usize; Judge::ALL.len()],
    /// The showcases in which the envelope says yes although pixels changed.
    pub missed: Vec<&'static str>,
}

/// Which right backend a judge took for a wrong one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FalseAlarm {
    /// Who.
    pub judge: Judge,
    /// What was drawn.
    pub showcase: &'static str,
    /// What the backend does in its own way.
    pub variation: &'static str,
    /// Pixels outside of the envelope; `None` for the other judges.
    pub outside: Option<u64>,
}

/// The whole table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FaultTable {
    /// Right pictures that were looked at.
    pub right_pictures: usize,
    /// Those that a judge refused.
    pub false_alarms: Vec<FalseAlarm>,
    /// One a fault.
    pub lines: Vec<FaultLine>,
}

/// A table can not be made.
#[derive(Debug, thiserror::Error)]
pub enum FaultTableError {
    /// A showcase can not be drawn.
    #[error("{showcase}: {source}")]
    Render {
        /// Which one.
        showcase: &'static str,
        /// Why.
        source: RenderError,
    },
    /// A showcase has no envelope.
    #[error("{showcase}: {source}")]
    Envelope {
        /// Which one.
        showcase: &'static str,
        /// Why.
        source: FrameEnvelopeError,
    },
    /// A picture can not be kept.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// Two pictures can not be compared.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A picture can not be held against an envelope.
    #[error(transparent)]
    Check(#[from] EnvelopeError),
}

/// A showcase with what is right there.
struct Court<'a> {
    showcase: &'a Showcase,
    simulator: Simulator<'a>,
    right: FrameEnvelope,
    plain: Picture,
}

impl<'a> Court<'a> {
    fn new(showcase: &'a Showcase, profile: Profile) -> Result<Self, FaultTableError> {
        let name = showcase.name;
        let render = |source| FaultTableError::Render { showcase: name, source };
        let pose = showcase.moment.pose(&showcase.scene).map_err(|error| render(error.into()))?;
        let mut renderer = Renderer::new(&showcase.scene, showcase.settings).map_err(render)?;
        let right = frame_envelope(&mut renderer, &pose, &showcase.camera, EnvelopeSettings::of(profile))
            .map_err(|source| FaultTableError::Envelope { showcase: name, source })?;
        let simulator = Simulator::new(&showcase.scene).map_err(render)?;
        let mut court = Self { showcase, simulator, plain: right.golden.clone(), right };
        court.plain = court.picture(&Variation::default(), &[])?;
        Ok(court)
    }

    fn picture(&self, variation: &Variation, faults: &[Fault]) -> Result<Picture, FaultTableError> {
        let Showcase { name, moment, camera, settings, .. } = self.showcase;
        let shot = Shot { moment: *moment, camera, settings };
        let frame = self.simulator.draw(&shot, variation, faults);
        let frame = frame.map_err(|source| FaultTableError::Render { showcase: name, source })?;
        Ok(Picture::from_rgba8(frame.width, frame.height, frame.rgba)?)
    }

    /// Whether the judge refuses the picture, and how many pixels the envelope does.
    fn refuses(&self, judge: Judge, picture: &Picture) -> Result<(bool, Option<u64>), FaultTableError> {
        if let Some(metric) = judge.metric() {
            let measurement = measure(&self.right.golden, picture, &MeasureOptions::new(metric))?;
            return Ok((!measurement.accepted, None));
        }
        let wrong = self.right.envelope.check(picture, &CheckOptions::default())?.wrong();
        Ok((wrong > 0, Some(wrong)))
    }
}

impl FaultTable {
    /// Draws and judges everything; `progress` is called after each fault.
    ///
    /// # Errors
    ///
    /// When a showcase can not be drawn.
    pub fn new(
        showcases: &[Showcase],
        profile: Profile,
        faults: &[Fault],
        progress: &(dyn Fn() + Sync),
    ) -> Result<Self, FaultTableError> {
        let courts = threads::of(showcases, |showcase| Court::new(showcase, profile));
        let courts: Vec<Court<'_>> = courts.into_iter().collect::<Result<_, _>>()?;
        let variations = Variation::within(profile);
        let mut false_alarms = Vec::new();
        for court in &courts {
            for (name, variation) in &variations {
                let picture = court.picture(variation, &[])?;
                for judge in Judge::ALL {
                    let (refused, outside) = court.refuses(judge, &picture)?;
                    if refused {
                        let (showcase, variation) = (court.showcase.name, *name);
                        false_alarms.push(FalseAlarm { judge, showcase, variation, outside });
                    }
                }
            }
        }
        let lines = threads::of(faults, |fault| {
            let line = line(&courts, *fault);
            progress();
            line
        });
        let lines = lines.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { right_pictures: courts.len() * variations.len(), false_alarms, lines })
    }
}

fn line(courts: &[Court<'_>], fault: Fault) -> Result<FaultLine, FaultTableError> {
    let (fault_name, section) = (fault.name(), fault.section().name());
    let mut line =
        FaultLine { fault: fault_name, section, shown: Vec::new(), caught: [0; Judge::ALL.len()], missed: Vec::new() };
    for court in courts {
        let picture = court.picture(&Variation::default(), &[fault])?;
        if picture == court.plain {
            continue;
        }
        line.shown.push(court.showcase.name);
        for (judge, caught) in Judge::ALL.into_iter().zip(&mut line.caught) {
            let (refused, _) = court.refuses(judge, &picture)?;
            *caught += usize::from(refused);
            if judge == Judge::Envelope && !refused {
                line.missed.push(court.showcase.name);
            }
        }
    }
    Ok(line)
}

/// Writes what backends draw: for each showcase a folder with `right.png`, and with a picture for each fault that changes
/// it. Gives the number of pictures.
///
/// # Errors
///
/// When a showcase can not be drawn or a file not be written.
pub fn write_pictures(showcases: &[Showcase], faults: &[Fault], folder: &Path) -> Result<usize, FaultTableError> {
    let written = threads::of(showcases, |showcase| {
        let render = |source| FaultTableError::Render { showcase: showcase.name, source };
        let simulator = Simulator::new(&showcase.scene).map_err(render)?;
        let Showcase { name, moment, camera, settings, .. } = showcase;
        let shot = Shot { moment: *moment, camera, settings };
        let draw = |faults: &[Fault]| -> Result<Picture, FaultTableError> {
            let frame = simulator.draw(&shot, &Variation::default(), faults).map_err(render)?;
            Ok(Picture::from_rgba8(frame.width, frame.height, frame.rgba)?)
        };
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).map_err(|source| PictureError::Write { path: folder.clone(), source })?;
        let right = draw(&[])?;
        right.write(&folder.join("right.png"))?;
        let mut count = 1;
        for fault in faults {
            let wrong = draw(&[*fault])?;
            if wrong != right {
                wrong.write(&folder.join(format!("{fault}.png")))?;
                count += 1;
            }
        }
        Ok(count)
    });
    written.into_iter().sum()
}

//! [`CandidatePicture`]: a backend's picture, held against the envelope of the frame that the window shows.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use super::envelope_maker::{EnvelopeJob, EnvelopeMaker};
use crate::WindowError;
use refrast_envelope::{FrameEnvelope, PixelCause};
use refrast_measure::{
    Picture,
    envelope::{CheckOptions, EnvelopeVerdict, PixelBox, PixelClass},
};
use refrast_scene::Scene;

/// Wrong pixels that are nearer to each other than this are one place to look at.
const PLACE: u32 = 16;
/// The longest that a screenshot waits for its envelope.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A backend's picture, and what became of it.
#[derive(Debug)]
pub(crate) struct CandidatePicture {
    name: String,
    size: [u32; 2],
    picture: Arc<Picture>,
    rgba: Vec<u8>,
    maker: EnvelopeMaker,
    judged: Option<(EnvelopeJob, Result<Judgement, String>)>,
}

/// A picture against an envelope.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: EnvelopeVerdict,
    made: Box<FrameEnvelope>,
    /// The farthest wrong pixel of each place, farthest first.
    pub(crate) worst: Vec<[u32; 2]>,
}

/// What the envelope says of a pixel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PixelVerdict {
    /// The candidate's bytes.
    pub(crate) color: [u8; 4],
    pub(crate) class: PixelClass,
    /// Steps of 255 from the nearest box.
    pub(crate) distance: u8,
    /// What would be right.
    pub(crate) boxes: Vec<PixelBox>,
    /// What may be seen there, and why.
    pub(crate) causes: Vec<PixelCause>,
}

impl CandidatePicture {
    pub(super) fn read(scene: &Scene, path: &Path) -> Result<Self, WindowError> {
        let picture = Picture::read(path).map_err(|error| WindowError::Candidate(error.to_string()))?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (width, height) = picture.size();
        let rgba = picture.samples8().into_owned();
        Ok(Self {
            name,
            size: [width, height],
            picture: Arc::new(picture),
            rgba,
            maker: EnvelopeMaker::new(scene),
            judged: None,
        })
    }

    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Width and height in pixels: the reference is drawn as large.
    pub(crate) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The picture itself.
    pub(crate) fn picture(&self) -> &Arc<Picture> {
        &self.picture
    }

    /// R G B A bytes.
    pub(crate) fn rgba(&self) -> &[u8] {
        &self.rgba
    }

    /// Holds the picture against the envelope of a frame as soon as there is one; without a frame there is no verdict.
    /// Tells whether the verdict is new.
    pub(crate) fn judge(&mut self, job: Option<&EnvelopeJob>) -> bool {
        let Some(job) = job else {
            self.maker.forget();
            return self.judged.take().is_some();
        };
        if self.judged.as_ref().is_some_and(|(judged, _)| judged == job) {
            self.maker.forget();
            return false;
        }
        let before = self.judged.take().is_some();
        self.maker.ask(job);
        self.take(Duration::ZERO) || before
    }

    /// Waits for the verdict; tells whether there was something to wait for.
    pub(crate) fn wait(&mut self) -> bool {
        self.take(PATIENCE)
    }

    fn take(&mut self, patience: Duration) -> bool {
        let Some((job, made)) = self.maker.take(patience) else { return false };
        let judgement = made.and_then(|made| {
            let verdict = made.envelope.check(&self.picture, &CheckOptions::default());
            let verdict = verdict.map_err(|error| error.to_string())?;
            let worst = worst(&verdict, &made, &self.rgba, self.size);
            Ok(Judgement { verdict, made, worst })
        });
        self.judged = Some((job, judgement));
        true
    }

    /// Whether an envelope is being made.
    pub(crate) fn is_busy(&self) -> bool {
        self.maker.is_busy()
    }

    /// The verdict, or why there is none; `None` as long as nobody knows.
    pub(crate) fn judgement(&self) -> Option<Result<&Judgement, &str>> {
        self.judged.as_ref().map(|(_, judgement)| judgement.as_ref().map_err(String::as_str))
    }

    /// What the envelope says of a pixel.
    pub(crate) fn pixel(&self, [x, y]: [u32; 2]) -> Option<PixelVerdict> {
        let Judgement { verdict, made, .. } = self.judgement()?.ok()?;
        let color = color(&self.rgba, self.size, [x, y])?;
        let boxes: Vec<PixelBox> = made.envelope.boxes(x, y).collect();
        let distance = boxes.iter().map(|own| own.distance(color)).min().unwrap_or(u8::MAX);
        let causes = made.causes.of(x, y).to_vec();
        Some(PixelVerdict { color, class: verdict.class(x, y)?, distance, boxes, causes })
    }
}

fn color(rgba: &[u8], [width, height]: [u32; 2], [x, y]: [u32; 2]) -> Option<[u8; 4]> {
    let place = y as usize * width as usize + x as usize;
    (x < width && y < height).then(|| rgba.as_chunks::<4>().0.get(place).copied()).flatten()
}

/// The farthest wrong pixel of each place, the farthest first; of equal ones the first in reading order.
fn worst(verdict: &EnvelopeVerdict, made: &FrameEnvelope, rgba: &[u8], size: [u32; 2]) -> Vec<[u32; 2]> {
    let mut places: BTreeMap<[u32; 2], (u8, [u32; 2])> = BTreeMap::new();
    for (y, row) in (0..).zip(&verdict.classes) {
        for (x, _) in (0..).zip(row.as_deref().unwrap_or_default()).filter(|(_, class)| class.is_wrong()) {
            let Some(color) = color(rgba, size, [x, y]) else { continue };
            let distance = made.envelope.boxes(x, y).map(|own| own.distance(color)).min().unwrap_or(u8::MAX);
            let place = places.entry([y / PLACE, x / PLACE]).or_insert((distance, [x, y]));
            if distance > place.0 {
                *place = (distance, [x, y]);
            }
        }
    }
    let mut all: Vec<(u8, [u32; 2])> = places.into_values().collect();
    all.sort_by_key(|&(distance, [x, y])| (u8::MAX - distance, y, x));
    all.into_iter().map(|(_, pixel)| pixel).collect()
}

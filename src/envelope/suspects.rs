//! [`choices_allowing`]: which other choices of an engine make a few pixels right?
//!
//! Why it exists: who is refused is told which one choice, declared, would make all of it right. There are a dozen, and an envelope
//! for each is work for nothing where the worst pixels refute it. Here the frame is bounded once for all of them, and only these pixels
//! are looked at.

use super::{
    bounded::{BoundedScene, Painted, Target},
    hits::{BAND, Hits, bands},
    pixel::{Picture as Pixels, PixelHits, PixelWork},
    produce::{EnvelopeSettings, FrameEnvelopeError, draw, with_bounds},
    strips::Strips,
};
use refrast_animation::Pose;
use refrast_measure::envelope::{EnvelopeRow, PixelBox, WrongPixel};
use refrast_range::Declared;
use refrast_stage::{Camera, Reference};
use refrast_threads as threads;

/// Of choices that an engine may declare, those by which each of some pixels of a candidate is allowed, as
/// [`frame_envelope`](crate::frame_envelope) would allow it with that choice alone in the place of `settings.declared`.
///
/// # Errors
///
/// As [`frame_envelope`](crate::frame_envelope).
pub fn choices_allowing(
    reference: &mut dyn Reference,
    (pose, camera): (&Pose, &Camera),
    settings: EnvelopeSettings,
    choices: &[Declared],
    suspects: &[WrongPixel],
) -> Result<Vec<bool>, FrameEnvelopeError> {
    draw(reference, pose, camera, settings.profile)?;
    let reference = &*reference;
    let picture = reference.picture();
    let golden = picture.rgba.as_chunks::<4>().0;
    let Some(freedoms) = settings.profile.freedoms() else {
        let is_golden = |own: &WrongPixel| golden.get((own.y * picture.width + own.x) as usize) == Some(&own.candidate);
        return Ok(vec![suspects.iter().all(is_golden); choices.len()]);
    };
    let target = Target::of(reference.stage(), settings.sample_depths);
    let shot = (reference, pose, camera);
    let by_pose = with_bounds(shot, (settings, freedoms), choices, |scene| scene.allowed(target, golden, suspects))?;
    let is_allowed = |choice: usize, suspect: usize| by_pose.iter().any(|allowed| allowed[suspect][choice]);
    Ok((0..choices.len()).map(|choice| (0..suspects.len()).all(|suspect| is_allowed(choice, suspect))).collect())
}

impl BoundedScene<'_> {
    /// For each suspect whether each of the choices allows it; none does where it lies outside of the picture.
    fn allowed(&self, target: Target, golden: &[[u8; 4]], suspects: &[WrongPixel]) -> Vec<Vec<bool>> {
        let own = self.painted();
        let own = self.picture(target, &own);
        let declared: Vec<(Declared, Painted<'_>)> = self.painted_as_declared().collect();
        let declared: Vec<_> = declared
            .iter()
            .map(|(choice, paint)| match choice.is_nothing() {
                true => Vec::new(),
                false => self.pictures_as_declared(target, (*choice, paint)),
            })
            .collect();
        let mut allowed = vec![vec![false; declared.len()]; suspects.len()];
        let [width, _] = target.size;
        let strips = Strips::new(&self.window, &self.draws);
        let mut surfaces = Vec::new();
        for strip in strips.rows() {
            // Of each band the suspects in it.
            let within = |first: usize| {
                let rows = first..strip.end.min(first + BAND);
                let own = |own: &WrongPixel| rows.contains(&(own.y as usize)) && (own.x as usize) < width;
                (0..suspects.len()).filter(move |suspect| own(&suspects[*suspect])).collect::<Vec<_>>()
            };
            let wanted: Vec<Vec<usize>> = strip.clone().step_by(BAND).map(within).collect();
            if wanted.iter().all(Vec::is_empty) {
                continue;
            }
            strips.surfaces(&self.window, &self.draws, &strip, &mut surfaces);
            let reaching = bands(&surfaces, &strip);
            let ready = || (Hits::default(), PixelWork::default());
            let judged = threads::each_with(reaching.len().min(wanted.len()), ready, |(hits, work), number| {
                let wanted = &wanted[number];
                if wanted.is_empty() {
                    return Vec::new();
                }
                let first = strip.start + number * BAND;
                let rows = strip.end.min(first + BAND) - first;
                hits.find(&surfaces, &reaching[number], first, [width, rows], target.samples);
                let judge = |&suspect: &usize| {
                    let [x, y] = [suspects[suspect].x, suspects[suspect].y].map(|place| place as usize);
                    let hits = PixelHits { surfaces: &surfaces, hits: hits.of((y - first) * width + x) };
                    let mut boxes = |pictures: &[Pixels<'_, Painted<'_>>]| boxes(pictures, hits, [x, y], work);
                    let own = boxes(std::slice::from_ref(&own));
                    let color = suspects[suspect].candidate;
                    let is_allowed = |pictures: &Vec<_>| {
                        let mut all = [&own[..], &boxes(pictures)].concat();
                        let mut row = EnvelopeRow::with_capacity(1);
                        row.push(golden[y * width + x], &mut all);
                        row.boxes(0).any(|own| own.contains(color))
                    };
                    (suspect, declared.iter().map(is_allowed).collect::<Vec<bool>>())
                };
                wanted.iter().map(judge).collect()
            });
            for (suspect, own) in judged.into_iter().flatten() {
                allowed[suspect] = own;
            }
        }
        allowed
    }
}

/// The boxes of a pixel in some pictures.
fn boxes(
    pictures: &[Pixels<'_, Painted<'_>>],
    hits: PixelHits<'_>,
    at: [usize; 2],
    work: &mut PixelWork,
) -> Vec<PixelBox> {
    let mut boxes = Vec::new();
    for picture in pictures {
        work.run(picture, hits, at);
        boxes.append(&mut work.boxes);
    }
    boxes
}

//! Which moment of which clip a picture shows.
//!
//! Clips are looked at thirty times a second, long ones less often; around the moments that come nearest the distance is
//! followed downhill, and what it ends at is rounded to what people and players write: frames at 24, 25, 30, 50 or 60 Hz,
//! hundredths, thousandths.

use super::{Change, Question, Setup, SetupError, Trial, is_promising};
use refrast_render::Renderer;
use refrast_simulator::Moment;
use refrast_stage::{Camera, CameraChoice};
use refrast_threads as threads;

/// Looks at a clip a second.
const LOOKS: f64 = 30.0;

/// Looks at all clips together.
const MOST_LOOKS: usize = 180;

/// Moments that are followed.
const FOLLOWED: usize = 3;

/// Moments whose distances differ by less than this factor may be one.
const NEARLY: u64 = 4;

/// Halvings of the step while a moment is followed: from a thirtieth of a second to less than a microsecond.
const HALVINGS: u32 = 16;

/// After so many halvings the step is half a millisecond.
const NEARLY_THERE: u32 = 6;

/// Frames a second of films and players.
const PLAYERS: [f64; 5] = [24.0, 25.0, 30.0, 50.0, 60.0];

/// A moment is a frame where it is no farther from it than this part of one: seconds are written with few digits.
const A_FRAME: f64 = 0.01;

/// Frames that are beside one.
const BESIDE: i64 = 2;

/// Frames a second that times are multiples of, and what stands for decimal digits; the roundest first.
const RATES: [f64; 8] = [10.0, 30.0, 24.0, 25.0, 60.0, 100.0, 1_000.0, 10_000.0];

/// The moments at which a set-up comes nearest to the candidate, of every clip and at rest; `nearest` is how near it comes with what was
/// asked for.
pub(super) fn nearest_moments(question: &Question<'_>, setup: &Setup, nearest: u64) -> Result<Vec<Trial>, SetupError> {
    let mut renderer = question.renderer(setup.settings)?;
    // A camera of the scene may be animated; every other one is the same for the whole of a clip.
    let moves = matches!(question.camera.choice, CameraChoice::Scene(_));
    let mut found = Vec::new();
    let mut add = |moment: Moment, distance: u64| {
        if moment != setup.moment {
            let change = change(question, setup.moment, moment);
            found.push(Trial { change, setup: Setup { moment, ..*setup }, camera: None, distance });
        }
    };
    let look = |renderer: &mut Renderer<'_>, moment: Moment, camera: &Camera| {
        let own = moves.then(|| question.camera_of(&Setup { moment, ..*setup }).ok()).flatten();
        question.distance_by(renderer, moment, own.as_ref().unwrap_or(camera), question.candidate)
    };
    let rest = question.camera_of(&Setup { moment: Moment::Rest, ..*setup })?;
    add(Moment::Rest, look(&mut renderer, Moment::Rest, &rest));
    drop(renderer);
    let mut cameras = Vec::new();
    let mut coarse: Vec<Look> = Vec::new();
    let clips = question.scene.animations.len();
    for (animation, clip) in question.scene.animations.iter().enumerate() {
        cameras.push(question.camera_of(&Setup { moment: Moment::Clip { animation, seconds: 0.0 }, ..*setup })?);
        let duration = f64::from(clip.duration);
        let looks = ((duration * LOOKS).ceil() as usize).clamp(1, (MOST_LOOKS / clips).max(2));
        let step = duration / looks as f64;
        coarse.extend((0..=looks).map(|number| Look { animation, seconds: number as f64 * step, step, distance: 0 }));
    }
    // A picture this small keeps one core busy; pictures of several moments keep all.
    let at = |renderer: &mut Result<Renderer<'_>, _>, animation: usize, seconds: f64| match renderer {
        Ok(own) => look(own, Moment::Clip { animation, seconds: seconds as f32 }, &cameras[animation]),
        Err(_) => u64::MAX,
    };
    let ready = || question.renderer(setup.settings);
    let distances = threads::each_with(coarse.len(), ready, |renderer, number| {
        let Look { animation, seconds, .. } = coarse[number];
        at(renderer, animation, seconds)
    });
    coarse.iter_mut().zip(distances).for_each(|(look, distance)| look.distance = distance);
    coarse.sort_by_key(|look| look.distance);
    let followed = |&Look { distance, animation, seconds, step }: &Look| {
        let mut renderer = ready();
        let mut at = |seconds: f64| at(&mut renderer, animation, seconds);
        let duration = f64::from(question.scene.animations[animation].duration);
        let hopeless = |distance: u64| !is_promising(distance, nearest);
        let (distance, last) = follow(&mut at, (distance, seconds), [step, duration], hopeless);
        // Of moments that can hardly be told apart the roundest comes first, and is proved first.
        let round = rounded(last, duration).filter(|&round| !hopeless(distance) && at(round) / NEARLY <= distance);
        let moments: Vec<f64> = round.chain([last]).collect();
        (animation, moments, distance)
    };
    let followed = threads::of(&coarse[..coarse.len().min(FOLLOWED)], followed);
    for (animation, moments, distance) in followed {
        for seconds in moments {
            add(Moment::Clip { animation, seconds: seconds as f32 }, distance);
        }
    }
    Ok(found)
}

/// A moment of a clip, and how far the candidate is from it.
struct Look {
    distance: u64,
    animation: usize,
    seconds: f64,
    /// To the next one.
    step: f64,
}

/// Downhill from a moment, with steps that are halved; of a clip that lasts so long. Where a moment is hopeless although the right
/// one would be nearly the same, nobody needs it exactly.
fn follow(
    at: &mut impl FnMut(f64) -> u64,
    (mut distance, mut seconds): (u64, f64),
    [mut step, duration]: [f64; 2],
    is_hopeless: impl Fn(u64) -> bool,
) -> (u64, f64) {
    for halving in 0..HALVINGS {
        if halving >= NEARLY_THERE && is_hopeless(distance) {
            break;
        }
        step /= 2.0;
        for next in [seconds - step, seconds + step] {
            if (0.0..=duration).contains(&next) {
                let there = at(next);
                if there < distance {
                    (distance, seconds) = (there, next);
                }
            }
        }
    }
    (distance, seconds)
}

/// The moments near this one that somebody would write.
fn rounded(seconds: f64, duration: f64) -> impl Iterator<Item = f64> {
    let times = RATES.map(|rate| (seconds * rate).round() / rate);
    let first = move |&(place, time): &(usize, f64)| !times[..place].contains(&time) && time <= duration;
    times.into_iter().enumerate().filter(first).map(|(_, time)| time)
}

/// The option that has to change.
fn change(question: &Question<'_>, asked: Moment, found: Moment) -> Change {
    let name = |animation: usize| {
        let clip = &question.scene.animations[animation];
        clip.name.clone().unwrap_or_else(|| animation.to_string())
    };
    match found {
        Moment::Rest => Change::to_picture("the rest pose: without --animation and --time"),
        Moment::Clip { animation, seconds } if asked.clip() == Some(animation) => {
            let asked = match asked {
                Moment::Clip { seconds, .. } => f64::from(seconds),
                Moment::Rest => 0.0,
            };
            Change { note: frame(asked, f64::from(seconds)), ..Change::option("--time", seconds) }
        }
        Moment::Clip { animation, seconds } => {
            Change::option("--animation", format!("{} --time {seconds}", name(animation)))
        }
    }
}

/// Which frame of a player a moment is, where it is one beside the one that was asked for, or else no number that somebody writes.
fn frame(asked: f64, found: f64) -> Option<String> {
    let number = |seconds: f64, rate: f64| {
        let frames = seconds * rate;
        ((frames - frames.round()).abs() < A_FRAME).then_some(frames.round() as i64)
    };
    let rates = PLAYERS.into_iter().filter_map(|rate| Some((rate, number(found, rate)?)));
    let beside = rates.clone().filter_map(|(rate, own)| Some((own - number(asked, rate)?, rate, own)));
    let beside = beside.filter(|(apart, ..)| (1..=BESIDE).contains(&apart.abs())).min_by_key(|(apart, ..)| apart.abs());
    if let Some((apart, rate, own)) = beside {
        let frames = if apart.abs() == 1 { "one frame" } else { "two frames" };
        let way = if apart > 0 { "later" } else { "earlier" };
        return Some(format!("frame {own} at {rate} a second, {frames} {way} than was asked for"));
    }
    let is_written = number(found, 100.0).is_some();
    rates.clone().next().filter(|_| !is_written).map(|(rate, own)| format!("frame {own} at {rate} a second"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_followed_to_where_the_distance_is_least() {
        let mut at = |seconds: f64| ((seconds - 0.7312).abs() * 1e9) as u64;
        let start = (at(0.7), 0.7);
        let (_, seconds) = follow(&mut at, start, [1.0 / 30.0, 2.0], |_| false);
        assert!((seconds - 0.7312).abs() < 1e-5, "{seconds}");
        // Without hope it is left as soon as it is nearly there.
        let (_, seconds) = follow(&mut at, start, [1.0 / 30.0, 2.0], |_| true);
        assert!((1e-5..1e-3).contains(&(seconds - 0.7312).abs()), "{seconds}");
    }

    #[test]
    fn times_are_rounded_to_frames_and_digits() {
        let near: Vec<f64> = rounded(0.316_671, 1.0).collect();
        assert!(near.contains(&(19.0 / 60.0)) && near.contains(&0.3167), "{near:?}");
        assert!(rounded(0.999_9, 0.999_95).all(|time| time <= 0.999_95));
    }

    #[test]
    fn a_moment_beside_the_one_that_was_asked_for_is_a_frame() {
        let said = |asked, found| frame(asked, found).unwrap_or_default();
        assert_eq!(said(0.3, 0.316_67), "frame 19 at 60 a second, one frame later than was asked for");
        assert_eq!(said(0.5, 0.466_667), "frame 14 at 30 a second, one frame earlier than was asked for");
        assert_eq!(said(0.25, 0.333_333), "frame 8 at 24 a second, two frames later than was asked for");
        // Half a second away, or between all frames of what was asked for.
        assert_eq!(said(0.3, 0.816_667), "frame 49 at 60 a second");
        assert_eq!([said(0.3, 0.8), said(0.123, 0.2)], ["", ""]);
    }
}

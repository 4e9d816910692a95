//! `refrast-gpu filters`: a driver's texture filter, as floats, against what a profile lets it compute.
//!
//! The bounds are worked out here from the profile's [`Freedoms`] in f64, with none of the envelope's code: random texels, two by two with one
//! above them, at random places.

use std::process::ExitCode;

use clap::Args;
use refrast::verify::{Freedoms, Profile};
use refrast_gpu_backend::{Backend, SampledPlace, Texels};

use crate::{CommandResult, random::Chance};

/// A line for linear and one for sRGB texels, in one level and between two
#[derive(Args)]
pub(crate) struct FilterArguments {
    /// What all chances follow from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What the driver may do differently, in the words of `refrast diagnose --profile` [default: the strictest that the driver's
    /// stated bits fit]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,
}

const LAYERS: u32 = 256;
/// As many as one dispatch of every driver takes.
const PLACES: usize = 1 << 21;

pub(crate) fn run(arguments: &FilterArguments, backend: &Backend) -> CommandResult {
    let profile = arguments.profile.unwrap_or(backend.driver().profile());
    let freedoms = profile.freedoms().ok_or("the profile `exact` lets a filter do nothing")?;
    println!("{} ({}), profile {profile}", backend.driver(), backend.description());
    let mut chance = Chance(arguments.seed);
    let layers: Vec<Texels> = (0..LAYERS).map(|_| texels(&mut chance)).collect();
    let mut right = true;
    for is_srgb in [false, true] {
        for is_between in [false, true] {
            let places: Vec<SampledPlace> = (0..PLACES).map(|_| place(&mut chance, is_between)).collect();
            let results = backend.sampled(&layers, is_srgb, &places)?;
            let mut tally = Tally::default();
            for (place, found) in places.iter().zip(&results) {
                let texels = &layers[place.layer as usize];
                for (channel, found) in found.iter().enumerate() {
                    let texel = Texel { freedoms: &freedoms, is_curved: is_srgb && channel < 3, is_byte: !is_srgb };
                    let own = texels.map(|texel| texel[channel]);
                    tally.add(texel.bounds(&own, place), f64::from(*found), (place, &own));
                }
            }
            let [space, levels] =
                [if is_srgb { "sRGB" } else { "linear" }, if is_between { "between levels" } else { "in a level" }];
            let Tally { outside, farthest, most, example } = tally;
            println!(
                "{space:8}{levels:16}{:9} results {outside:7} outside, farthest {farthest:.6}; at most {most:.2} of what is allowed",
                4 * PLACES
            );
            if let Some(example) = example {
                println!("    {example}");
            }
            right &= outside == 0;
        }
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Bytes of every kind: anything, black and white, dark beside bright, and neighbours.
fn texels(chance: &mut Chance) -> Texels {
    let base = chance.below(250) as u8;
    let kind = chance.below(4);
    let mut byte = || match kind {
        0 => chance.below(256) as u8,
        1 => chance.pick(&[0, 255]),
        2 => chance.pick(&[0, 1, 3, 10, 24, 200, 255]),
        _ => base + chance.below(6) as u8,
    };
    std::array::from_fn(|_| std::array::from_fn(|_| byte()))
}

fn place(chance: &mut Chance, is_between: bool) -> SampledPlace {
    // From the centres of the first texels to those of the second.
    let [u, v] = [0, 1].map(|_| chance.between(0.25, 0.75));
    let level = if is_between { chance.between(0.0, 1.0) } else { 0.0 };
    SampledPlace { u, v, level, layer: chance.below(u64::from(LAYERS)) as u32 }
}

/// How a byte may be decoded, and filtered.
struct Texel<'a> {
    freedoms: &'a Freedoms,
    /// Whether it is sRGB, as alpha never is.
    is_curved: bool,
    /// Whether it may be filtered as bytes, as nothing of an sRGB texture is.
    is_byte: bool,
}

impl Texel<'_> {
    /// The least and the greatest value of a byte.
    fn decoded(&self, byte: u8) -> [f64; 2] {
        let stored = f64::from(byte);
        if self.is_curved {
            let error = if matches!(byte, 0 | 255) { 0.0 } else { self.freedoms.decode };
            return [stored - error, stored + error].map(|stored| srgb_to_linear(stored / 255.0));
        }
        let error = stored / 255.0 * self.freedoms.division;
        [stored / 255.0 - error, stored / 255.0 + error]
    }

    /// What the filter may give.
    fn bounds(&self, own: &[u8; 5], place: &SampledPlace) -> [f64; 2] {
        let [a, b, c, d, above] = own.map(|byte| self.decoded(byte));
        if place.level == 0.0 {
            return self.in_level(&[a, b, c, d], place, self.freedoms.weights);
        }
        let base = self.in_level(&[a, b, c, d], place, 0.0);
        let level = f64::from(place.level);
        let [from, to] = [level - self.freedoms.level, level + self.freedoms.level].map(|level| level.clamp(0.0, 1.0));
        let mixed = |side: usize| [from, to].map(|weight| base[side] + weight * (above[side] - base[side]));
        let [low, high] = [mixed(0), mixed(1)];
        let all = [a, b, c, d, above];
        let [least, greatest] = ends(&all);
        let interpolation = self.interpolation() / 255.0;
        // Eight weights are rounded: four by half a step up, and four down.
        let error = interpolation + 2.0 * self.freedoms.weights * (greatest - least);
        [(low[0].min(low[1]) - error - self.cut(&all)).max(0.0), high[0].max(high[1]) + error]
    }

    fn in_level(&self, texels: &[[f64; 2]; 4], place: &SampledPlace, weights: f64) -> [f64; 2] {
        let Freedoms { texel, filter, decode, .. } = *self.freedoms;
        let at = [place.u, place.v].map(|coordinate| 2.0 * f64::from(coordinate) - 0.5);
        let step = texel + 8.0 * self.freedoms.arithmetic;
        let reached = at.map(|at| [at - step, at, at + step].map(|at| at.clamp(0.0, 1.0)));
        let side = |side: usize| {
            let [a, b, c, d] = texels.map(|texel| texel[side]);
            reached[0].map(|u| reached[1].map(|v| (a + u * (b - a)) * (1.0 - v) + (c + u * (d - c)) * v))
        };
        let [lows, highs] = [side(0), side(1)];
        let [least, greatest] = ends(texels);
        let rounding = if self.is_curved {
            0.5 * filter / decode * (highs[1][1] - lows[1][1])
        } else {
            filter.max(2.0 * self.interpolation()) / 255.0
        };
        let error = rounding + weights * (greatest - least);
        let low = lows.as_flattened().iter().copied().fold(f64::INFINITY, f64::min);
        let high = highs.as_flattened().iter().copied().fold(0.0, f64::max);
        [((low - error).max(least) - self.cut(texels)).max(0.0), (high + error).min(greatest)]
    }

    /// How far one may be off, in bytes.
    fn interpolation(&self) -> f64 {
        if self.is_byte { self.freedoms.interpolation } else { 0.0 }
    }

    /// What texels beside larger ones may lose.
    fn cut(&self, texels: &[[f64; 2]]) -> f64 {
        if !self.is_curved {
            return 0.0;
        }
        let [least, greatest] = ends(texels);
        let power = if greatest > 0.0 { libm::exp2(libm::floor(libm::log2(greatest))) } else { 0.0 };
        if least < power { self.freedoms.cut * power } else { 0.0 }
    }
}

/// The least and the greatest.
fn ends(texels: &[[f64; 2]]) -> [f64; 2] {
    let least = texels.iter().map(|texel| texel[0]).fold(f64::INFINITY, f64::min);
    [least, texels.iter().map(|texel| texel[1]).fold(0.0, f64::max)]
}

/// IEC 61966-2-1.
fn srgb_to_linear(stored: f64) -> f64 {
    if stored <= 0.040_45 { stored / 12.92 } else { libm::pow((stored + 0.055) / 1.055, 2.4) }
}

#[derive(Default)]
struct Tally {
    outside: u64,
    farthest: f64,
    /// How much of the way from the middle of what is allowed to its end.
    most: f64,
    example: Option<String>,
}

impl Tally {
    fn add(&mut self, [low, high]: [f64; 2], found: f64, (place, own): (&SampledPlace, &[u8; 5])) {
        // What a float itself can not hold.
        let rounding = found.abs() / 8_388_608.0;
        let beyond = (low - found).max(found - high) - rounding;
        let radius = 0.5 * (high - low) + rounding;
        // Where a texel is known there is no room to speak of.
        if radius > 0.25 / 255.0 {
            self.most = self.most.max((found - 0.5 * (low + high)).abs() / radius);
        }
        if beyond > 0.0 {
            self.outside += 1;
            if beyond > self.farthest {
                self.farthest = beyond;
                self.example =
                    Some(format!("{found:.6} where {low:.6} to {high:.6} is allowed: bytes {own:?}, {place:?}"));
            }
        }
    }
}

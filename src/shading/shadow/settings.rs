//! [`ShadowSettings`]: how shadows are made, in words.

use std::{fmt, str::FromStr};

use refrast_draw::{DepthBias, DepthFormat};
use refrast_words::words;

/// The most parts that a frustum is split into.
pub const MOST_SPLITS: usize = 8;

/// Which lights cast shadows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ShadowCasting {
    /// The number of maps of each directional light; 0 for lights that cast no shadow.
    pub cascades: u8,
    /// Whether spot lights cast shadows.
    pub spots: bool,
}

/// Where the camera's frustum is split, between the distances n and f of its near end and of the farthest shadow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SplitScheme {
    /// n + (f − n)·i/N.
    Uniform,
    /// n·(f/n)^(i/N).
    Logarithmic,
    /// λ·logarithmic + (1 − λ)·uniform.
    Mixed(f32),
    /// The distances at which the splits end, rising, in metres.
    Given {
        /// As many as `count`.
        ends: [f32; MOST_SPLITS],
        /// How many there are.
        count: u8,
    },
}

words! {
    /// What the box of a map is put around.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ShadowFit: "fit of shadow maps" = Split {
        /// The split's part of the frustum, whatever is in it.
        Split = "split",
        /// That, cut to what is drawn.
        Scene = "scene",
    }
}

words! {
    /// The shape that is put around it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ShadowShape: "shape of shadow maps" = Sphere {
        /// A sphere, which has the same size whichever way the camera looks.
        Sphere = "sphere",
        /// A box along the axes of the light, which is smaller.
        Box = "box",
    }
}

words! {
    /// How a map moves with the camera.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Steadiness: "steadiness of shadow maps" = Texels {
        /// By whole texels, so that edges do not crawl.
        Texels = "texels",
        /// As it comes.
        Free = "free",
    }
}

words! {
    /// What a lookup compares.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ShadowFilter: "shadow filter" = Two {
        /// The nearest texel.
        None = "none",
        /// Four texels, weighed by distance, as hardware does it.
        Two = "2x2",
        /// The mean of nine such lookups, a texel apart.
        Three = "3x3",
        /// The mean of twenty-five.
        Five = "5x5",
    }
}

impl ShadowFilter {
    /// Lookups along an axis; 0 where a single texel is compared.
    #[must_use]
    pub const fn lookups(self) -> usize {
        match self {
            Self::None => 0,
            Self::Two => 1,
            Self::Three => 3,
            Self::Five => 5,
        }
    }

    /// How many texels past the one that it hits a filter may read.
    #[must_use]
    pub const fn reach(self) -> usize {
        self.lookups().div_ceil(2)
    }
}

words! {
    /// Which split a fragment belongs to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum SplitSelection: "selection of splits" = Depth {
        /// The one whose range of view depth it is in.
        Depth = "depth",
        /// The first one whose map has it, with all that the filter reads.
        Containment = "containment",
    }
}

words! {
    /// What becomes of casters between the light and the box of a map.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Casters: "treatment of casters" = Clamp {
        /// Kept at the depth of the near plane.
        Clamp = "clamp",
        /// Inside of the box: its near plane is pulled before all that is drawn.
        Pull = "pull",
    }
}

/// How shadows are made. The default casts none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowSettings {
    /// Which lights cast them.
    pub casting: ShadowCasting,
    /// Where the frustum is split.
    pub splits: SplitScheme,
    /// How far from the camera there are shadows, in metres of view depth; `None` goes to the far plane, or, where that is
    /// infinitely far, to the end of what is drawn.
    pub distance: Option<f32>,
    /// What a map's box is put around.
    pub fit: ShadowFit,
    /// Its shape.
    pub shape: ShadowShape,
    /// How it moves.
    pub steadiness: Steadiness,
    /// Texels a side, 256 to 4096.
    pub side: u32,
    /// How depth is stored.
    pub format: DepthFormat,
    /// How far depth is moved away from the light.
    pub bias: DepthBias,
    /// What a lookup compares.
    pub filter: ShadowFilter,
    /// Which split a fragment belongs to.
    pub selection: SplitSelection,
    /// The last part of a split's range, 0 to 1, in which the next one is faded in (selection by depth only).
    pub blend: f32,
    /// What becomes of casters before a box.
    pub casters: Casters,
}

impl Default for ShadowSettings {
    /// No shadows; then mixed splits with λ = ½, steadied spheres around splits, 1024 texels of 24 bits, a bias of 16 steps and
    /// 2.5 slopes, four texels a lookup, selection by depth, no blend, casters clamped.
    fn default() -> Self {
        Self {
            casting: ShadowCasting::default(),
            splits: SplitScheme::default(),
            distance: None,
            fit: ShadowFit::default(),
            shape: ShadowShape::default(),
            steadiness: Steadiness::default(),
            side: 1024,
            format: DepthFormat::default(),
            bias: DepthBias { constant: 16.0, slope: 2.5, clamp: 0.0 },
            filter: ShadowFilter::default(),
            selection: SplitSelection::default(),
            blend: 0.0,
            casters: Casters::default(),
        }
    }
}

impl ShadowSettings {
    /// Texels a side that a map may have.
    pub const SIDES: std::ops::RangeInclusive<u32> = 256..=4096;

    /// Whether any light casts a shadow.
    #[must_use]
    pub fn are_cast(&self) -> bool {
        self.casting != ShadowCasting::default()
    }

    /// Whether shadows can be made so.
    ///
    /// # Errors
    ///
    /// [`ParseShadowsError`], which says what to write instead.
    pub fn check(&self) -> Result<(), ParseShadowsError> {
        let wrong = |wanted: String| Err(ParseShadowsError(wanted));
        let Self { casting, splits, distance, side, bias, blend, selection, .. } = self;
        if usize::from(casting.cascades) > MOST_SPLITS {
            return wrong(format!("{} cascades: there are 1 to {MOST_SPLITS}", casting.cascades));
        }
        if !Self::SIDES.contains(side) {
            return wrong(format!("a shadow map of {side} texels a side: use 256 to 4096"));
        }
        if let SplitScheme::Given { count, .. } = splits
            && casting.cascades > 0
            && *count != casting.cascades
        {
            let ends = casting.cascades;
            return wrong(format!("{count} split distances for cascades:{ends}: give {ends}, where each split ends"));
        }
        if distance.is_some_and(|distance| !(distance > 0.0 && distance.is_finite())) {
            return wrong("the distance of shadows is a number of metres above 0".to_owned());
        }
        if ![bias.constant, bias.slope, bias.clamp].iter().all(|number| number.is_finite()) {
            return wrong("a depth bias is made of finite numbers".to_owned());
        }
        if !(0.0..=1.0).contains(blend) {
            return wrong("splits are blended over a part of their range, 0 to 1".to_owned());
        }
        if *blend > 0.0 && *selection == SplitSelection::Containment {
            return wrong("splits are blended by depth: select them by depth, or leave the blend out".to_owned());
        }
        Ok(())
    }
}

impl ShadowSettings {
    /// Each name with its value, in words that [`set`](Self::set) reads.
    #[must_use]
    pub fn words(&self) -> Vec<(&'static str, String)> {
        let mut words = vec![("cast", self.casting.to_string()), ("splits", self.splits.to_string())];
        words.extend(self.distance.map(|distance| ("distance", distance.to_string())));
        words.extend([
            ("fit", self.fit.to_string()),
            ("shape", self.shape.to_string()),
            ("steady", self.steadiness.to_string()),
            ("size", self.side.to_string()),
            ("depth", self.format.to_string()),
            ("bias", self.bias.to_string()),
            ("filter", self.filter.to_string()),
            ("select", self.selection.to_string()),
            ("blend", self.blend.to_string()),
            ("casters", self.casters.to_string()),
        ]);
        words
    }

    /// Those of the words that are not the default's; none where no light casts a shadow.
    #[must_use]
    pub fn changed_words(&self) -> Vec<(&'static str, String)> {
        let start = Self::default().words();
        let words = self.words().into_iter().filter(|word| !start.contains(word));
        words.filter(|_| self.are_cast()).collect()
    }

    /// Sets one of them by its name.
    ///
    /// # Errors
    ///
    /// [`ParseShadowsError`], which says which names there are, or what can be written.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParseShadowsError> {
        fn read<T: FromStr<Err: fmt::Display>>(value: &str) -> Result<T, ParseShadowsError> {
            value.parse().map_err(|error: T::Err| ParseShadowsError(error.to_string()))
        }
        match name {
            "cast" => self.casting = read(value)?,
            "splits" => self.splits = read(value)?,
            "distance" => self.distance = Some(read(value)?),
            "fit" => self.fit = read(value)?,
            "shape" => self.shape = read(value)?,
            "steady" => self.steadiness = read(value)?,
            "size" => self.side = read(value)?,
            "depth" => self.format = read(value)?,
            "bias" => self.bias = read(value)?,
            "filter" => self.filter = read(value)?,
            "select" => self.selection = read(value)?,
            "blend" => self.blend = read(value)?,
            "casters" => self.casters = read(value)?,
            _ => {
                let names: Vec<&str> =
                    Self { distance: Some(1.0), ..*self }.words().iter().map(|(name, _)| *name).collect();
                return Err(ParseShadowsError(format!(
                    "nothing of shadows is called `{name}`; there are {}",
                    names.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Words about shadows that mean nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseShadowsError(String);

impl FromStr for ShadowCasting {
    type Err = ParseShadowsError;

    fn from_str(text: &str) -> Result<Self, ParseShadowsError> {
        let wrong = || {
            ParseShadowsError(format!(
                "no shadows are called `{text}`; write none, cascades:N (N = 1 to {MOST_SPLITS}), spot, or cascades:N,spot"
            ))
        };
        if text == "none" {
            return Ok(Self::default());
        }
        let mut casting = Self::default();
        for part in text.split(',') {
            match part.split_once(':') {
                Some(("cascades", number)) if casting.cascades == 0 => {
                    let number = number.parse().ok().filter(|number| (1..=MOST_SPLITS).contains(&usize::from(*number)));
                    casting.cascades = number.ok_or_else(wrong)?;
                }
                None if part == "spot" && !casting.spots => casting.spots = true,
                _ => return Err(wrong()),
            }
        }
        Ok(casting)
    }
}

impl fmt::Display for ShadowCasting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cascades, self.spots) {
            (0, false) => write!(out, "none"),
            (0, true) => write!(out, "spot"),
            (cascades, false) => write!(out, "cascades:{cascades}"),
            (cascades, true) => write!(out, "cascades:{cascades},spot"),
        }
    }
}

impl Default for SplitScheme {
    fn default() -> Self {
        Self::Mixed(0.5)
    }
}

impl FromStr for SplitScheme {
    type Err = ParseShadowsError;

    fn from_str(text: &str) -> Result<Self, ParseShadowsError> {
        let wrong = || {
            ParseShadowsError(format!(
                "no splits are called `{text}`; write uniform, logarithmic, mixed:LAMBDA (0 to 1), or the rising distances at which \
                 they end, as in 3,10,40"
            ))
        };
        match text {
            "uniform" => return Ok(Self::Uniform),
            "logarithmic" => return Ok(Self::Logarithmic),
            _ => {}
        }
        if let Some(lambda) = text.strip_prefix("mixed:") {
            let lambda = lambda.parse().ok().filter(|lambda| (0.0..=1.0).contains(lambda));
            return lambda.map(Self::Mixed).ok_or_else(wrong);
        }
        let (mut ends, mut count) = ([0.0; MOST_SPLITS], 0);
        for number in text.split(',') {
            let number: f32 = number.trim().parse().map_err(|_| wrong())?;
            let last = if count == 0 { f32::NEG_INFINITY } else { ends[count - 1] };
            if !(number.is_finite() && number > last && count < MOST_SPLITS) {
                return Err(wrong());
            }
            ends[count] = number;
            count += 1;
        }
        Ok(Self::Given { ends, count: count as u8 })
    }
}

impl fmt::Display for SplitScheme {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uniform => write!(out, "uniform"),
            Self::Logarithmic => write!(out, "logarithmic"),
            Self::Mixed(lambda) => write!(out, "mixed:{lambda}"),
            Self::Given { ends, count } => {
                let ends: Vec<String> = ends[..usize::from(*count)].iter().map(f32::to_string).collect();
                write!(out, "{}", ends.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for text in ["none", "cascades:4", "spot", "cascades:1,spot"] {
            assert_eq!(text.parse::<ShadowCasting>().map(|casting| casting.to_string()), Ok(text.to_owned()));
        }
        for text in ["uniform", "logarithmic", "mixed:0.75", "3,10,40.5"] {
            assert_eq!(text.parse::<SplitScheme>().map(|splits| splits.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "cascades", "cascades:0", "cascades:9", "spot,spot", "cascades:2,cascades:3", "sun"] {
            assert!(text.parse::<ShadowCasting>().is_err(), "{text}");
        }
        for text in ["", "mixed:2", "3,3", "1,nan", "1,2,3,4,5,6,7,8,9"] {
            assert!(text.parse::<SplitScheme>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_setting_has_a_name_and_words() {
        let other = ShadowSettings {
            casting: ShadowCasting { cascades: 3, spots: true },
            splits: SplitScheme::Logarithmic,
            distance: Some(12.5),
            fit: ShadowFit::Scene,
            shape: ShadowShape::Box,
            steadiness: Steadiness::Free,
            side: 512,
            format: DepthFormat::Bits16,
            bias: DepthBias { constant: 1.0, slope: 2.0, clamp: 0.5 },
            filter: ShadowFilter::Five,
            selection: SplitSelection::Containment,
            blend: 0.25,
            casters: Casters::Pull,
        };
        let mut read = ShadowSettings::default();
        let words = other.changed_words();
        assert_eq!(words.len(), 13);
        words.iter().for_each(|(name, value)| read.set(name, value).expect("its own words"));
        assert_eq!(read, other);
        assert!(ShadowSettings::default().changed_words().is_empty());
        assert!(read.set("colour", "red").is_err_and(|error| error.to_string().contains("splits")));
        assert!(read.set("size", "large").is_err());
    }

    #[test]
    fn settings_that_contradict_themselves_are_refused() {
        let four = ShadowSettings { casting: ShadowCasting { cascades: 4, spots: false }, ..ShadowSettings::default() };
        assert_eq!(four.check(), Ok(()));
        let given = "3,10".parse().expect("two distances");
        let refused = [
            ShadowSettings { side: 255, ..four },
            ShadowSettings { splits: given, ..four },
            ShadowSettings { distance: Some(0.0), ..four },
            ShadowSettings { blend: 1.5, ..four },
            ShadowSettings { blend: 0.5, selection: SplitSelection::Containment, ..four },
            ShadowSettings { bias: DepthBias { constant: f32::NAN, ..four.bias }, ..four },
        ];
        refused.iter().for_each(|settings| assert!(settings.check().is_err(), "{settings:?}"));
    }
}

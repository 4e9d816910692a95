//! [`Stage`]: which step from vertices to bytes is wrong, by what the later ones can not have changed.
//!
//! Each rule is a statement about pictures:
//!
//! - what shades, filters and stores can not move an outline: where outlines are wrong by more than a pixel, vertices are;
//! - what is hidden or culled shows other surfaces of the same pixel, or the background, and never anything beside the model;
//! - what stores can not tell one pixel from another of the same colour: the candidate's colour is a function of the right one;
//! - light changes slowly where texels change fast: the quotient of candidate and right is smoother than the right picture;
//! - a filter moves no colour far: means over a neighbourhood stay.

use super::Scenery;
use crate::causes::Names;
use refrast_golden::envelope::PixelClass;
use refrast_raster::SampleCount;
use refrast_scene::AlphaMode;
use refrast_simulator::Fault;
use refrast_words::words;
use serde::{Serialize, Serializer};

words! {
    /// A step from vertices to bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stage: "stage" {
        /// Nothing of the scene is seen.
        NothingDrawn = "nothing-drawn",
        /// Vertices are elsewhere; in a picture outlines are wrong by more than a pixel.
        Geometry = "geometry",
        /// Outlines are wrong by a pixel at most.
        Coverage = "coverage",
        /// Other surfaces are seen than should be: depth or culling.
        Visibility = "visibility",
        /// Textures are looked up elsewhere.
        TextureCoordinates = "texture-coordinates",
        /// Texels are mixed otherwise; means over a neighbourhood are right.
        Filtering = "filtering",
        /// Light falls otherwise; textures are right.
        Light = "light",
        /// Only what is blended is wrong.
        Blend = "blend",
        /// Only pixels in which several surfaces meet are wrong.
        Resolve = "resolve",
        /// Each colour is another one, wherever it stands: how colours are mixed or stored.
        Colour = "colour",
        /// Colours are a step or two off everywhere: how they become bytes.
        Store = "store",
    }
}

impl Stage {
    /// The debug view that tells most next.
    pub(super) fn next_view(self) -> Option<&'static str> {
        match self {
            Self::Geometry => Some("joints"),
            Self::Visibility => Some("depth"),
            Self::TextureCoordinates => Some("uv"),
            Self::Filtering | Self::Blend => Some("base-color"),
            Self::Light => Some("normals"),
            Self::NothingDrawn | Self::Coverage | Self::Resolve | Self::Colour | Self::Store => None,
        }
    }

    /// What it means, in a sentence.
    pub(super) fn about(self) -> &'static str {
        refrast_words::Word::about(self)
    }
}

impl Serialize for Stage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A part of the wrong pixels above which it is nearly all of them.
const NEARLY_ALL: f64 = 0.9;

/// A part of the wrong pixels below which outlines count as right.
const FEW: f64 = 0.03;

/// What is left of a difference once it is explained.
const EXPLAINED: f64 = 0.35;

/// Change of a quotient from pixel to pixel, as a part of the picture's own, below which it is light's and not a texture's.
const SMOOTH: f64 = 0.4;

/// The faults that show what else is in a pixel.
const UNCOVERING: [Fault; 5] =
    [Fault::CullFront, Fault::CullOff, Fault::DepthTestOff, Fault::ReversedDepthTest, Fault::DepthWriteOff];

impl Scenery<'_> {
    /// The first stage that must be wrong.
    pub(super) fn stage(&self, names: &Names<'_>) -> Option<Stage> {
        let wrong: Vec<(usize, PixelClass)> = self.wrong().collect();
        let count = wrong.len().max(1) as f64;
        let part = |number: usize| number as f64 / count;
        let is_empty = |picture: &[[u8; 4]]| picture.iter().all(|pixel| pixel[..3] == picture[0][..3]);
        if is_empty(self.candidate) && !is_empty(self.right) {
            return Some(Stage::NothingDrawn);
        }
        let is_outline = |class: PixelClass| matches!(class, PixelClass::Missing | PixelClass::Unexpected);
        let outlines: Vec<usize> =
            wrong.iter().filter(|(_, class)| is_outline(*class)).map(|(pixel, _)| *pixel).collect();
        let unexpected = wrong.iter().filter(|(_, class)| *class == PixelClass::Unexpected).count();
        if part(outlines.len()) > FEW {
            let uncovered = self.uncovered(&wrong);
            if part(unexpected) <= FEW && part(uncovered) >= NEARLY_ALL {
                return Some(Stage::Visibility);
            }
            let thin = outlines.iter().filter(|pixel| self.is_at_outline(**pixel)).count();
            let is_thin = thin as f64 >= NEARLY_ALL * outlines.len() as f64;
            return Some(if is_thin { Stage::Coverage } else { Stage::Geometry });
        }
        if self.shot.settings.samples != SampleCount::One && part(self.where_surfaces_meet(&wrong)) >= NEARLY_ALL {
            return Some(Stage::Resolve);
        }
        let scene = self.renderer.scene();
        let materials: Vec<usize> =
            wrong.iter().filter_map(|(pixel, _)| Some(self.seen(names, *pixel)?.material)).collect();
        let with = |is: &dyn Fn(usize) -> bool| part(materials.iter().filter(|material| is(**material)).count());
        if with(&|material| scene.materials[material].alpha_mode == AlphaMode::Blend) >= NEARLY_ALL {
            return Some(Stage::Blend);
        }
        let pixels: Vec<usize> = wrong.iter().map(|(pixel, _)| *pixel).collect();
        let all = self.difference(&pixels);
        if self.left_by_curves(&pixels) <= EXPLAINED * all {
            let farthest = pixels.iter().map(|pixel| self.apart(*pixel)).max().unwrap_or(0);
            return Some(if farthest <= 2 { Stage::Store } else { Stage::Colour });
        }
        if part(self.uncovered(&wrong)) >= NEARLY_ALL {
            return Some(Stage::Visibility);
        }
        let textured = with(&|material| scene.materials[material].base_color_texture.is_some()) >= 0.5;
        if !textured || self.is_smooth(&pixels) {
            return Some(Stage::Light);
        }
        let blurred = self.left_by_means(&pixels);
        Some(if blurred <= EXPLAINED * all { Stage::Filtering } else { Stage::TextureCoordinates })
    }

    fn width(&self) -> usize {
        self.shot.settings.width as usize
    }

    /// The largest difference of a channel.
    fn apart(&self, pixel: usize) -> u8 {
        (0..3).map(|i| self.candidate[pixel][i].abs_diff(self.right[pixel][i])).fold(0, u8::max)
    }

    /// The mean difference over some pixels.
    fn difference(&self, pixels: &[usize]) -> f64 {
        let sum: u64 = pixels.iter().map(|pixel| u64::from(self.apart(*pixel))).sum();
        sum as f64 / pixels.len().max(1) as f64
    }

    fn background(&self) -> [u8; 3] {
        self.shot.settings.background
    }

    /// Pixels that show another surface of the same place, or the background in front of which the model stands.
    fn uncovered(&self, wrong: &[(usize, PixelClass)]) -> usize {
        let draw = |fault: Fault| self.simulator.draw(&self.shot, &self.variation, fault).ok();
        let others: Vec<Vec<u8>> = UNCOVERING.into_iter().filter_map(draw).map(|frame| frame.rgba).collect();
        let shows = |pixel: usize| {
            let own = self.candidate[pixel];
            let near = |other: [u8; 4]| (0..3).all(|i| own[i].abs_diff(other[i]) <= 3);
            let [red, green, blue] = self.background();
            near([red, green, blue, 255]) || others.iter().any(|other| near(other.as_chunks::<4>().0[pixel]))
        };
        wrong.iter().filter(|(pixel, _)| shows(*pixel)).count()
    }

    /// Whether a pixel is beside one that shows the background where it shows something, or the other way round.
    fn is_at_outline(&self, pixel: usize) -> bool {
        let is_background = |pixel: usize| self.right[pixel][..3] == self.background();
        self.around(pixel, 1).any(|other| is_background(other) != is_background(pixel))
    }

    fn where_surfaces_meet(&self, wrong: &[(usize, PixelClass)]) -> usize {
        let width = self.width();
        let meets = |pixel: usize| self.causes.of((pixel % width) as u32, (pixel / width) as u32).len() > 1;
        wrong.iter().filter(|(pixel, _)| meets(*pixel)).count()
    }

    /// Pixels at most so many columns and rows away.
    fn around(&self, pixel: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width(), self.right.len() / self.width().max(1));
        let (x, y) = (pixel % width, pixel / width);
        let rows = y.saturating_sub(reach)..(y + reach + 1).min(height);
        rows.flat_map(move |row| {
            (x.saturating_sub(reach)..(x + reach + 1).min(width)).map(move |column| row * width + column)
        })
    }

    /// The mean difference that is left once each channel's values, or each value of an exchanged channel, are replaced by what
    /// the candidate shows for them in the mean.
    fn left_by_curves(&self, pixels: &[usize]) -> f64 {
        let left = |to: usize, from: usize| {
            let mut sums = [(0u64, 0u64); 256];
            for pixel in pixels {
                let (sum, count) = &mut sums[usize::from(self.right[*pixel][from])];
                (*sum, *count) = (*sum + u64::from(self.candidate[*pixel][to]), *count + 1);
            }
            let mean = |value: u8| {
                let (sum, count) = sums[usize::from(value)];
                sum as f64 / count.max(1) as f64
            };
            let far = |pixel: &usize| (f64::from(self.candidate[*pixel][to]) - mean(self.right[*pixel][from])).abs();
            pixels.iter().map(far).sum::<f64>() / pixels.len().max(1) as f64
        };
        // The worst of the channels, each from the channel that tells most about it.
        (0..3).map(|to| (0..3).map(|from| left(to, from)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
    }

    /// The mean difference that is left between means over neighbourhoods.
    fn left_by_means(&self, pixels: &[usize]) -> f64 {
        let mean = |picture: &[[u8; 4]], pixel: usize, channel: usize| {
            let (sum, count) = self
                .around(pixel, 3)
                .fold((0u64, 0u64), |(sum, count), other| (sum + u64::from(picture[other][channel]), count + 1));
            sum as f64 / count.max(1) as f64
        };
        let far = |pixel: &usize| {
            let of = |channel| mean(self.candidate, *pixel, channel) - mean(self.right, *pixel, channel);
            (0..3).map(|channel| of(channel).abs()).fold(0.0, f64::max)
        };
        pixels.iter().map(far).sum::<f64>() / pixels.len().max(1) as f64
    }

    /// Whether candidate over right changes less from pixel to pixel than the right picture does.
    fn is_smooth(&self, pixels: &[usize]) -> bool {
        let brightness =
            |pixel: [u8; 4]| f64::from(u16::from(pixel[0]) + u16::from(pixel[1]) + u16::from(pixel[2])) + 3.0;
        let (mut of_quotient, mut of_right) = (0.0, 0.0);
        for &pixel in pixels.iter().filter(|pixel| (*pixel + 1) % self.width() != 0) {
            let next = pixel + 1;
            let [right, beside] = [self.right[pixel], self.right[next]].map(brightness);
            let [own, own_beside] = [self.candidate[pixel], self.candidate[next]].map(brightness);
            of_right += libm::log(right / beside).abs();
            of_quotient += (libm::log(own / own_beside) - libm::log(right / beside)).abs();
        }
        of_quotient < SMOOTH * of_right
    }
}

//! [`Stage`]: which step from vertices to bytes is wrong, by what the later ones can not have changed.
//!
//! Each rule is a statement about pictures:
//!
//! - what shades, filters and stores can not draw where nothing is: one pixel beside the model that is not background, and vertices
//!   or their coverage are wrong;
//! - what is hidden, culled or left out shows other surfaces of the same pixel, or the background, and never anything beside the model;
//! - what shades and filters can not change the background: where all of it has another colour, what stores is wrong;
//! - what stores can not tell one pixel from another of the same colour: the candidate's colour is a function of the right one;
//! - light changes slowly where texels change fast: the quotient of candidate and right is smoother than the right picture;
//! - light gives a colour no other hues than the scene's lights have, and neither light nor textures know of joints;
//! - where maps of normals and roughness are, light changes as fast as texels, and a colour that it may have made does not tell which;
//! - a filter moves no colour out of those that blunter and sharper filters show in the same pixel.

use super::{Objects, Scenery, ordered};
use crate::causes::Names;
use glam::DVec3;
use refrast_draw::SampleCount;
use refrast_golden::envelope::PixelClass;
use refrast_scene::AlphaMode;
use refrast_shading::ShadingMode;
use refrast_simulator::{Fault, Faults, ParametricFault};
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
        /// Other surfaces are seen than should be: depth, culling, or something that is not drawn.
        Visibility = "visibility",
        /// Textures are looked up elsewhere.
        TextureCoordinates = "texture-coordinates",
        /// Texels are mixed otherwise: between what blunter and sharper filters show.
        Filtering = "filtering",
        /// Light falls otherwise; textures are right.
        Light = "light",
        /// Only what is blended or masked is wrong.
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
    pub(in crate::diagnose) fn next_view(self) -> Option<&'static str> {
        match self {
            Self::Geometry => Some("joints"),
            Self::Visibility => Some("depth"),
            Self::TextureCoordinates => Some("uv"),
            Self::Filtering | Self::Blend => Some("base-color"),
            Self::Light => Some("normals"),
            Self::NothingDrawn | Self::Coverage | Self::Resolve | Self::Colour | Self::Store => None,
        }
    }

    /// Whether surfaces look wrong, and are where they should be.
    pub(in crate::diagnose) fn is_of_surfaces(self) -> bool {
        matches!(
            self,
            Self::TextureCoordinates | Self::Filtering | Self::Light | Self::Blend | Self::Colour | Self::Store
        )
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
pub(super) const NEARLY_ALL: f64 = 0.9;

/// A part of the wrong pixels below which those that show the background count as dark ones.
const FEW: f64 = 0.03;

/// A part of the pixels beside the model that show one colour: that is the background.
const GROUND: f64 = 0.6;

/// How far a colour may be from another and count as the same.
pub(super) const NEAR: u8 = 3;

/// What is left of a difference once it is explained.
const EXPLAINED: f64 = 0.35;

/// A part of the wrong pixels that other filters have to account for.
const FILTERED: f64 = 0.75;

/// Change of a quotient from pixel to pixel, as a part of the picture's own, below which it is light's and not a texture's.
const SMOOTH: f64 = 0.4;

/// How much more of one channel than of another may be left of a hue, and what is added to dark channels, of which roundings are much.
const SAME_HUE: f64 = 1.25;
const DARK: f64 = 0.01;

/// The faults that show what else is in a pixel.
const UNCOVERING: [Fault; 5] =
    [Fault::CullFront, Fault::CullOff, Fault::DepthTestOff, Fault::ReversedDepthTest, Fault::DepthWriteOff];

/// The same of a thing that is turned inside out: its normals point the other way as well.
const INSIDE_OUT: [Fault; 2] = [Fault::CullFront, Fault::LightDirectionFlipped];

/// The faults that show a surface by another light: none from where it should come, and some from where it should not.
const OTHER_LIGHT: [Fault; 4] =
    [Fault::LightDirectionFlipped, Fault::HeadlightInWorld, Fault::NormalInViewSpace, Fault::AmbientMissing];

/// How far a colour may lie beside those that lights make, as a part of its own brightness.
const SAME_LIGHT: f64 = 0.05;

/// Levels of detail that are added where other filters are tried.
const LEVELS: [f32; 8] = [-4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0];

/// Other filters.
const FILTERS: [Fault; 3] = [Fault::FilterNearest, Fault::MipShortestAxis, Fault::MipFilterNearest];

impl Scenery<'_> {
    /// The first stage that must be wrong.
    pub(in crate::diagnose) fn stage(&self, objects: &Objects) -> Option<Stage> {
        let names = &Names::of(self.renderer);
        let wrong: Vec<(usize, PixelClass)> = self.wrong().collect();
        let count = wrong.len().max(1) as f64;
        let part = |number: usize| number as f64 / count;
        let is_empty = |picture: &[[u8; 4]]| picture.iter().all(|pixel| pixel[..3] == picture[0][..3]);
        if is_empty(self.candidate) && !is_empty(self.right) {
            return Some(Stage::NothingDrawn);
        }
        let ground = self.ground_of_candidate()?;
        let stray: Vec<usize> = (0..self.right.len()).filter(|pixel| self.is_stray(names, *pixel, ground)).collect();
        let gaps: Vec<usize> =
            wrong.iter().map(|(pixel, _)| *pixel).filter(|pixel| self.is_gap(*pixel, ground)).collect();
        let pixels: Vec<usize> = wrong.iter().map(|(pixel, _)| *pixel).filter(|pixel| !self.is_bare(*pixel)).collect();
        if !stray.is_empty() || gaps.len() as f64 > FEW * pixels.len().max(1) as f64 {
            let uncovered = self.uncovered(&pixels, ground);
            let is_hidden = stray.is_empty() && uncovered as f64 >= NEARLY_ALL * pixels.len() as f64;
            let is_hidden = is_hidden && !objects.hangs_on_one_joint();
            if is_hidden && !objects.only_node().is_some_and(|node| self.has_shrunk(names, node, &pixels)) {
                return Some(Stage::Visibility);
            }
            let is_thin = stray.iter().chain(&gaps).filter(|pixel| self.is_at_outline(**pixel)).count();
            let is_thin = is_thin as f64 >= NEARLY_ALL * (stray.len() + gaps.len()) as f64;
            return Some(if is_thin { Stage::Coverage } else { Stage::Geometry });
        }
        if self.shot.settings.samples != SampleCount::One && part(self.where_surfaces_meet(&wrong)) >= NEARLY_ALL {
            return Some(Stage::Resolve);
        }
        let farthest = wrong.iter().map(|(pixel, _)| self.apart(*pixel)).max().unwrap_or(0);
        let of_colours = if farthest <= 2 { Stage::Store } else { Stage::Colour };
        if ground != self.background() {
            return Some(of_colours);
        }
        let all: Vec<usize> = wrong.iter().map(|(pixel, _)| *pixel).collect();
        if let Some(stage) = objects.only_node().and_then(|node| self.stage_of_node(names, node, &all)) {
            return Some(stage);
        }
        let scene = self.renderer.scene();
        let materials: Vec<usize> =
            wrong.iter().filter_map(|(pixel, _)| Some(self.seen(names, *pixel)?.material)).collect();
        let with = |is: &dyn Fn(usize) -> bool| part(materials.iter().filter(|material| is(**material)).count());
        let blends = |material: usize| scene.materials[material].alpha_mode == AlphaMode::Blend;
        if with(&blends) >= NEARLY_ALL && !scene.materials.iter().all(|own| own.alpha_mode == AlphaMode::Blend) {
            return Some(Stage::Blend);
        }
        if self.lit_otherwise(&pixels) as f64 >= NEARLY_ALL * pixels.len() as f64 {
            return Some(Stage::Light);
        }
        if self.left_by_curves(&pixels) <= EXPLAINED * self.difference(&pixels) {
            return Some(of_colours);
        }
        if self.uncovered(&pixels, ground) as f64 >= NEARLY_ALL * pixels.len() as f64 {
            return Some(Stage::Visibility);
        }
        let textured = with(&|material| scene.materials[material].base_color_texture.is_some()) >= 0.5;
        let hangs_on_one_joint = objects.hangs_on_one_joint();
        if !textured || (self.is_smooth(&pixels) && self.goes_one_way(&pixels)) {
            let stage = if self.keeps_hues(&pixels) { Stage::Light } else { Stage::Colour };
            return Some(if hangs_on_one_joint { Stage::Geometry } else { stage });
        }
        let filtered = self.filtered(&pixels) as f64 >= FILTERED * pixels.len() as f64;
        let has_maps = with(&|material| {
            let own = &scene.materials[material];
            own.normal_texture.is_some() || own.metallic_roughness_texture.is_some()
        });
        let may_be_light =
            || has_maps >= 0.5 && self.shot.settings.shading == ShadingMode::Lit && self.is_shone_on(&pixels);
        if !filtered && !hangs_on_one_joint && may_be_light() {
            return None;
        }
        Some(match (filtered, hangs_on_one_joint) {
            (true, _) => Stage::Filtering,
            (false, true) => Stage::Geometry,
            (false, false) => Stage::TextureCoordinates,
        })
    }

    /// Whether nothing of the scene may be seen in a pixel.
    fn is_bare(&self, pixel: usize) -> bool {
        let width = self.width();
        self.causes.of((pixel % width) as u32, (pixel / width) as u32).is_empty()
    }

    /// The colour that the candidate shows beside the model; `None` where it shows many.
    pub(in crate::diagnose) fn ground_of_candidate(&self) -> Option<[u8; 3]> {
        let bare = (0..self.right.len()).filter(|pixel| self.is_bare(*pixel));
        let colours = ordered(bare.map(|pixel| rgb(self.candidate[pixel])));
        let Some((ground, count)) = colours.first().copied() else { return Some(self.background()) };
        let all: usize = colours.iter().map(|(_, count)| count).sum();
        (count as f64 >= GROUND * all as f64).then_some(ground)
    }

    /// Whether something is seen where nothing may be, and no mask or blending has a say in it.
    fn is_stray(&self, names: &Names<'_>, pixel: usize, ground: [u8; 3]) -> bool {
        let materials = &self.renderer.scene().materials;
        let is_opaque = || {
            let seen = self.seen(names, pixel);
            seen.is_none_or(|seen| materials[seen.material].alpha_mode == AlphaMode::Opaque)
        };
        self.is_bare(pixel) && !is_near(rgb(self.candidate[pixel]), ground) && is_opaque()
    }

    /// Whether the background is seen where something must be.
    fn is_gap(&self, pixel: usize, ground: [u8; 3]) -> bool {
        !self.is_bare(pixel)
            && rgb(self.candidate[pixel]) == ground
            && !is_near(rgb(self.right[pixel]), self.background())
    }

    fn width(&self) -> usize {
        self.shot.settings.width as usize
    }

    /// How far the candidate is from what is right.
    fn apart(&self, pixel: usize) -> u8 {
        apart(self.candidate[pixel], self.right[pixel])
    }

    /// The mean difference over some pixels.
    fn difference(&self, pixels: &[usize]) -> f64 {
        let sum: u64 = pixels.iter().map(|pixel| u64::from(self.apart(*pixel))).sum();
        sum as f64 / pixels.len().max(1) as f64
    }

    pub(super) fn background(&self) -> [u8; 3] {
        self.shot.settings.background
    }

    /// Pixels that show another surface of the same place, or the background in front of which the model stands.
    pub(super) fn uncovered(&self, pixels: &[usize], ground: [u8; 3]) -> usize {
        let [cull, light] = INSIDE_OUT;
        let faults = UNCOVERING.into_iter().map(Faults::from).chain([Faults::from(cull).and(light)]);
        let draw = |faults: Faults| self.simulator.draw(&self.shot, &self.variation, faults).ok();
        let others: Vec<Vec<u8>> = faults.filter_map(draw).map(|frame| frame.rgba).collect();
        let shows = |pixel: usize| {
            let own = rgb(self.candidate[pixel]);
            is_near(own, ground) || others.iter().any(|other| is_near(own, rgb(other.as_chunks::<4>().0[pixel])))
        };
        pixels.iter().filter(|pixel| shows(**pixel)).count()
    }

    /// Pixels that show the surface by another light.
    fn lit_otherwise(&self, pixels: &[usize]) -> usize {
        let draw = |fault: Fault| self.simulator.draw(&self.shot, &self.variation, fault).ok();
        let others: Vec<Vec<u8>> = OTHER_LIGHT.into_iter().filter_map(draw).map(|frame| frame.rgba).collect();
        let shows = |pixel: &&usize| {
            let own = rgb(self.candidate[**pixel]);
            others.iter().any(|other| is_near(own, rgb(other.as_chunks::<4>().0[**pixel])))
        };
        pixels.iter().filter(shows).count()
    }

    /// Pixels whose colour lies between what blunter and sharper filters show there.
    fn filtered(&self, pixels: &[usize]) -> usize {
        let levels = LEVELS.map(|levels| Faults::from(ParametricFault::MipBias { levels }));
        let all = levels.into_iter().chain(FILTERS.map(Faults::from));
        let draw = |faults| self.simulator.draw(&self.shot, &self.variation, faults).ok();
        let others: Vec<Vec<u8>> = all.filter_map(draw).map(|frame| frame.rgba).collect();
        let others: Vec<&[[u8; 4]]> = others.iter().map(|bytes| bytes.as_chunks::<4>().0).collect();
        let is_between = |pixel: &&usize| {
            (0..3).all(|channel| {
                let own = self.candidate[**pixel][channel];
                let shown = others.iter().map(|other| other[**pixel][channel]).chain([self.right[**pixel][channel]]);
                let (low, high) = shown.fold((u8::MAX, 0), |(low, high), value| (value.min(low), value.max(high)));
                (low.saturating_sub(NEAR)..=high.saturating_add(NEAR)).contains(&own)
            })
        };
        pixels.iter().filter(is_between).count()
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
    pub(super) fn around(&self, pixel: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.width(), self.right.len() / self.width().max(1));
        let (x, y) = (pixel % width, pixel / width);
        let rows = y.saturating_sub(reach)..(y + reach + 1).min(height);
        rows.flat_map(move |row| {
            (x.saturating_sub(reach)..(x + reach + 1).min(width)).map(move |column| row * width + column)
        })
    }

    /// The mean difference that is left once each channel's values, or each value of an exchanged channel, are replaced by what
    /// the candidate shows in the mean of the other pixels that have them; a value that one pixel alone has stays.
    fn left_by_curves(&self, pixels: &[usize]) -> f64 {
        let left = |to: usize, from: usize| {
            let mut sums = [(0u64, 0u64); 256];
            for pixel in pixels {
                let (sum, count) = &mut sums[usize::from(self.right[*pixel][from])];
                (*sum, *count) = (*sum + u64::from(self.candidate[*pixel][to]), *count + 1);
            }
            let far = |pixel: &usize| {
                let own = self.candidate[*pixel][to];
                let value = self.right[*pixel][from];
                let (sum, count) = sums[usize::from(value)];
                let others = (count > 1).then(|| (sum - u64::from(own)) as f64 / (count - 1) as f64);
                (f64::from(own) - others.unwrap_or_else(|| f64::from(self.right[*pixel][to]))).abs()
            };
            pixels.iter().map(far).sum::<f64>() / pixels.len().max(1) as f64
        };
        // The worst of the channels, each from the channel that tells most about it.
        (0..3).map(|to| (0..3).map(|from| left(to, from)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
    }

    /// Whether most pixels have the right colour's hue, or one that other lights of the scene would give it.
    fn keeps_hues(&self, pixels: &[usize]) -> bool {
        let colors = self.renderer.scene().lights.iter().map(|light| light.color.map(f64::from));
        // From all of one light to all of another, or of the white one around.
        let hues =
            colors.map(|[red, green, blue]| red.max(green).max(blue) / red.min(green).min(blue).max(f64::MIN_POSITIVE));
        let most = hues.fold(1.0f64, f64::max);
        let most_of_lights = most * most;
        let linear = |byte: u8| libm::pow(f64::from(byte) / 255.0, 2.2) + DARK;
        let is_kept = |pixel: &&usize| {
            let factors = [0, 1, 2].map(|i| linear(self.candidate[**pixel][i]) / linear(self.right[**pixel][i]));
            let (least, most) = factors.iter().fold((f64::INFINITY, 0.0f64), |(a, b), own| (a.min(*own), b.max(*own)));
            most <= SAME_HUE * most_of_lights * least
        };
        2 * pixels.iter().filter(is_kept).count() >= pixels.len()
    }

    /// Whether most pixels have what another light may make of the right colours: some of those, and some of what a white light
    /// leaves on a surface that reflects it. By maps both change as fast as texels do.
    fn is_shone_on(&self, pixels: &[usize]) -> bool {
        let linear = |pixel: [u8; 4]| DVec3::from([0, 1, 2].map(|i| libm::pow(f64::from(pixel[i]) / 255.0, 2.2)));
        let may_be = |pixel: &&usize| {
            let (right, own) = (linear(self.right[**pixel]), linear(self.candidate[**pixel]));
            // Of a grey surface every light makes greys.
            let across = right.cross(DVec3::ONE);
            let far = match across.length() > DARK * DARK {
                true => own.dot(across.normalize()).abs(),
                false => own.distance(DVec3::splat(own.element_sum() / 3.0)),
            };
            far <= SAME_LIGHT * own.length() + DARK
        };
        2 * pixels.iter().filter(may_be).count() >= pixels.len()
    }

    /// Whether pixels are too bright or too dark as those beside them are: light changes slowly, and what another filter adds to
    /// one texel it takes from the next.
    fn goes_one_way(&self, pixels: &[usize]) -> bool {
        let light = |pixel: [u8; 4]| pixel[..3].iter().map(|channel| i64::from(*channel)).sum::<i64>();
        let change = |pixel: usize| light(self.candidate[pixel]) - light(self.right[pixel]);
        let (mut with_next, mut own) = (0, 0);
        for &pixel in pixels.iter().filter(|pixel| (*pixel + 1) % self.width() != 0) {
            with_next += change(pixel) * change(pixel + 1);
            own += change(pixel) * change(pixel);
        }
        2 * with_next >= own
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

/// The largest difference of a channel.
pub(super) fn apart(one: [u8; 4], other: [u8; 4]) -> u8 {
    (0..3).map(|i| one[i].abs_diff(other[i])).fold(0, u8::max)
}

fn rgb([red, green, blue, _]: [u8; 4]) -> [u8; 3] {
    [red, green, blue]
}

fn is_near(one: [u8; 3], other: [u8; 3]) -> bool {
    one.into_iter().zip(other).all(|(one, other)| one.abs_diff(other) <= NEAR)
}

//! [`Chains`]: the mip levels that a backend uploads, right or wrong.

use std::borrow::Cow;

use super::{
    faults::Faults,
    transfer::{Curve, Transfer},
    variation::OutputRounding,
};
use crate::Fault;
use refrast_range::Mips;
use refrast_scene::Scene;
use refrast_shading::{PreparedTexture, ShadingMode, TextureError, TextureSet};

/// R G B A bytes of a mip level, rows from the top.
#[derive(Clone)]
pub(super) struct Level {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) texels: Vec<[u8; 4]>,
}

/// The levels of each of the scene's textures that a material samples: as colours, and as plain numbers.
pub(super) struct Chains([Vec<Option<Vec<Level>>>; 2]);

const AVERAGING: [Fault; 3] = [Fault::MipChainInSrgb, Fault::MipChainDecimated, Fault::MipChainOddDropped];

impl Chains {
    /// The bytes that the reference's textures have.
    pub(super) fn new(scene: &Scene) -> Result<Self, TextureError> {
        // Which reads all maps of materials that are lit; of unlit ones, views show maps that no light falls on.
        let unlit = scene.materials.iter().any(|material| material.unlit);
        let views = [ShadingMode::Emissive, ShadingMode::ShadingNormals, ShadingMode::Occlusion];
        let mut sets = vec![TextureSet::new(scene, ShadingMode::Lit)?];
        for view in views.into_iter().filter(|_| unlit) {
            sets.push(sets[0].of_mode(scene, view)?);
        }
        let levels = |texture: &PreparedTexture| -> Vec<Level> {
            let levels = (0..texture.level_count()).filter_map(|level| {
                let ([width, height], bytes) = (texture.level_size(level)?, texture.level_bytes(level)?);
                let (width, height) = (width as usize, height as usize);
                Some(Level { width, height, texels: bytes.as_chunks().0.to_vec() })
            });
            levels.collect()
        };
        let all = 0..scene.textures.len();
        let colors = all.clone().map(|index| sets.iter().find_map(|set| set.color(index)).map(levels)).collect();
        Ok(Self([colors, all.map(|index| sets.iter().find_map(|set| set.data(index)).map(levels)).collect()]))
    }

    /// The levels that a backend with this origin of levels and these faults uploads of a texture of colours, or of plain numbers.
    pub(super) fn uploaded(
        &self,
        texture: usize,
        is_color: bool,
        mips: Mips,
        faults: Faults,
    ) -> Option<Cow<'_, [Level]>> {
        let [colors, data] = &self.0;
        let levels = if is_color { colors } else { data }.get(texture)?.as_ref()?;
        let levels = if mips == Mips::None { &levels[..levels.len().min(1)] } else { &levels[..] };
        let faults = if is_color { faults } else { Faults::default() };
        let filter = Filter::of(mips, faults);
        // Means of plain numbers are those of their bytes.
        let curve = if is_color && !filter.stored { Curve::Srgb } else { Curve::Linear };
        let averaging =
            matches!(mips, Mips::Stored | Mips::Given) || AVERAGING.into_iter().any(|fault| faults.has(fault));
        if !(averaging || faults.has(Fault::TextureFlipped) || faults.has(Fault::TextureChannelsSwapped)) {
            return Some(Cow::Borrowed(levels));
        }
        let mut levels = levels.to_vec();
        if averaging {
            for level in 1..levels.len() {
                levels[level] = levels[level - 1].halved(filter, curve);
            }
        }
        for level in &mut levels {
            if faults.has(Fault::TextureFlipped) {
                level.texels = level.texels.chunks(level.width).rev().flatten().copied().collect();
            }
            if faults.has(Fault::TextureChannelsSwapped) {
                level.texels.iter_mut().for_each(|texel| texel.swap(0, 2));
            }
        }
        Some(Cow::Owned(levels))
    }
}

/// How a level follows from the one before it.
#[derive(Clone, Copy)]
struct Filter {
    /// Whether bytes are averaged as they are.
    stored: bool,
    /// Whether every second texel is kept and nothing averaged.
    decimated: bool,
    odd: Odd,
}

/// What becomes of the odd texel of a side.
#[derive(Clone, Copy)]
enum Odd {
    /// It has its share of each area.
    Shared,
    /// The last one is left out.
    Dropped,
    /// The two texels at the centre of each area are mixed, as by a draw that is filtered linearly.
    Passed,
}

impl Filter {
    fn of(mips: Mips, faults: Faults) -> Self {
        let odd = match mips {
            _ if faults.has(Fault::MipChainOddDropped) => Odd::Dropped,
            Mips::Given => Odd::Passed,
            Mips::Linear | Mips::Stored | Mips::None => Odd::Shared,
        };
        let stored = mips == Mips::Stored || faults.has(Fault::MipChainInSrgb);
        Self { stored, decimated: faults.has(Fault::MipChainDecimated), odd }
    }
}

/// The texels of the larger level that one of the smaller level is made of, with their shares.
fn taps(size: usize, index: usize, odd: Odd) -> Vec<(usize, f32)> {
    let half = size / 2;
    match (size, odd) {
        (1, _) => vec![(0, 1.0)],
        _ if size.is_multiple_of(2) => vec![(2 * index, 0.5), (2 * index + 1, 0.5)],
        (_, Odd::Dropped) => vec![(2 * index, 0.5), (2 * index + 1, 0.5)],
        (_, Odd::Passed) => {
            let place = (index as f32 + 0.5) * size as f32 / half as f32 - 0.5;
            let (below, part) = (place.floor() as usize, place - place.floor());
            vec![(below, 1.0 - part), ((below + 1).min(size - 1), part)]
        }
        (_, Odd::Shared) => {
            let share = |part: usize| part as f32 / size as f32;
            vec![(2 * index, share(half - index)), (2 * index + 1, share(half)), (2 * index + 2, share(index + 1))]
        }
    }
}

impl Level {
    /// The next level by another filter than the reference's.
    fn halved(&self, filter: Filter, curve: Curve) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        if filter.decimated {
            let row = |y: usize| (0..width).map(move |x| self.texels[2 * y * self.width + 2 * x]);
            return Self { width, height, texels: (0..height).flat_map(row).collect() };
        }
        let color = Transfer::new(curve, OutputRounding::Nearest);
        let alpha = Transfer::new(Curve::Linear, OutputRounding::Nearest);
        let columns: Vec<_> = (0..width).map(|x| taps(self.width, x, filter.odd)).collect();
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = taps(self.height, y, filter.odd);
            for columns in &columns {
                let mut sum = [0.0; 4];
                for (y, down) in &rows {
                    for (x, across) in columns {
                        let [red, green, blue, opacity] = self.texels[y * self.width + x];
                        let texel = [color.decode(red), color.decode(green), color.decode(blue), alpha.decode(opacity)];
                        sum.iter_mut().zip(texel).for_each(|(sum, channel)| *sum += across * down * channel);
                    }
                }
                let [red, green, blue, opacity] = sum;
                texels.push([color.encode(red), color.encode(green), color.encode(blue), alpha.encode(opacity)]);
            }
        }
        Self { width, height, texels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_without_the_mistake_is_nearly_the_references() {
        // From bytes instead of unrounded levels: at most a step away.
        let scene = Scene::mannequin().expect("the built-in character loads");
        let chains = Chains::new(&scene).expect("its textures are complete");
        let levels = chains.0[0].iter().flatten().next().expect("it has a texture");
        let again = levels[0].halved(Filter::of(Mips::Linear, Faults::default()), Curve::Srgb);
        assert_eq!((again.width, again.height), (levels[1].width, levels[1].height));
        for (a, b) in again.texels.as_flattened().iter().zip(levels[1].texels.as_flattened()) {
            assert!(a.abs_diff(*b) <= 1);
        }
    }

    #[test]
    fn a_drawn_level_mixes_the_two_texels_at_the_centre_of_an_area() {
        // Five onto two: centres at 1.25 and 3.75 of the larger level, where texels 0 and 1 meet three quarters of the way.
        assert_eq!(taps(5, 0, Odd::Passed), [(0, 0.25), (1, 0.75)]);
        assert_eq!(taps(5, 1, Odd::Passed), [(3, 0.75), (4, 0.25)]);
        assert_eq!(taps(3, 0, Odd::Passed), [(1, 1.0), (2, 0.0)]);
    }
}

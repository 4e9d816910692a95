//! The stage of a mistake about one node inside the outlines of others.
//!
//! Why it exists: a thing that has moved in front of another leaves no pixel of the background wrong. But where it was, what lies
//! behind it is seen, as in a picture without it; and where it is, its colours are.

use super::{
    Scenery,
    stage::{NEAR, NEARLY_ALL, Stage, apart},
};
use crate::causes::Names;
use refrast_envelope::PixelCause;
use refrast_scene::AlphaMode;
use refrast_simulator::ParametricFault;

/// How far a colour has to be from another one to count as another.
const FAR: u8 = 2 * NEAR;

/// The part of the wrong pixels that show the node elsewhere, below which they may do so by chance; and the fewest.
const BY_CHANCE: f64 = 0.1;
const FEWEST: usize = 3;

/// The part that may show it where its outline is, and not inside, below which that is by chance: there any pixel may.
const AT_OUTLINES: f64 = 0.25;

impl Scenery<'_> {
    /// Whether a node is smaller than it should be, of which the background is seen where it is wrong: all of it is hidden where it is
    /// not drawn, and another side of it is seen where it is turned inside out.
    pub(super) fn has_shrunk(&self, names: &Names<'_>, node: usize, wrong: &[usize]) -> bool {
        let Ok(number) = u32::try_from(node) else { return false };
        let materials = &self.renderer.scene().materials;
        let is_opaque = |pixel: &usize| {
            let seen = self.seen(names, *pixel);
            seen.is_some_and(|seen| materials[seen.material].alpha_mode == AlphaMode::Opaque)
        };
        let hides = |fault: ParametricFault| {
            let Ok(frame) = self.simulator.draw(&self.shot, &self.variation, fault) else { return true };
            let hidden = frame.rgba.as_chunks::<4>().0;
            let (mut changed, mut alike) = (0, 0);
            for (pixel, own) in hidden.iter().enumerate().filter(|(pixel, own)| apart(**own, self.right[*pixel]) > FAR)
            {
                (changed, alike) = (changed + 1, alike + usize::from(apart(self.candidate[pixel], *own) <= NEAR));
            }
            alike as f64 >= NEARLY_ALL * f64::from(changed)
        };
        let hidden = [
            ParametricFault::NodeMissing { node: number },
            ParametricFault::InsideOut { node: number, primitive: None },
        ];
        wrong.iter().all(is_opaque) && !hidden.into_iter().any(hides)
    }

    /// Whether the wrong pixels show that a node is not there, or elsewhere; none where they show neither.
    pub(super) fn stage_of_node(&self, names: &Names<'_>, node: usize, wrong: &[usize]) -> Option<Stage> {
        let missing = ParametricFault::NodeMissing { node: u32::try_from(node).ok()? };
        let without = self.simulator.draw(&self.shot, &self.variation, missing).ok()?.rgba;
        let without = without.as_chunks::<4>().0;
        let is_node = |cause: &PixelCause| names.seen(cause).is_some_and(|seen| seen.node == node);
        let own: Vec<bool> = (0..self.right.len()).map(|pixel| self.causes_in(pixel).iter().any(is_node)).collect();
        let is_own = |pixel: usize| own[pixel];
        let shows = |pixel: usize| apart(without[pixel], self.right[pixel]) > FAR;
        let is_gone = |pixel: &usize| shows(*pixel) && apart(self.candidate[*pixel], without[*pixel]) <= NEAR;
        let gone: Vec<usize> = wrong.iter().copied().filter(is_gone).collect();
        let part = |of: usize, all: usize| of as f64 / all.max(1) as f64;
        let shown_by_it = (0..own.len()).filter(|pixel| shows(*pixel)).count();
        if part(gone.len(), wrong.len()) >= NEARLY_ALL && part(gone.len(), shown_by_it) >= NEARLY_ALL {
            return Some(Stage::Visibility);
        }
        let mut colors = Colors::new();
        (0..own.len()).filter(|pixel| is_own(*pixel)).for_each(|pixel| colors.add(self.right[pixel]));
        // Where a thing of many colours stands before others of the same, any change gives one of them.
        let is_covered = |pixel: &usize| {
            let (color, right) = (self.candidate[*pixel], self.right[*pixel]);
            !is_own(*pixel) && apart(color, right) > FAR && colors.has_near(color) && !colors.has_near(right)
        };
        let covered: Vec<usize> = wrong.iter().copied().filter(is_covered).collect();
        let is_inside = |pixel: &&usize| self.around(**pixel, 1).all(|other| is_own(other) == is_own(**pixel));
        let (shown, inside) = (gone.len() + covered.len(), gone.iter().chain(&covered).filter(is_inside).count());
        // Where all that is wrong is gone, it may be hidden as well.
        if gone.len() == wrong.len() || shown < FEWEST {
            return None;
        }
        if inside >= FEWEST && part(inside, wrong.len()) >= BY_CHANCE {
            // What is turned inside out shows its own back, and may show what is behind it as well.
            let is_hidden = self.uncovered(wrong, self.background()) as f64 >= NEARLY_ALL * wrong.len() as f64;
            return Some(if is_hidden { Stage::Visibility } else { Stage::Geometry });
        }
        (part(shown, wrong.len()) >= AT_OUTLINES).then_some(Stage::Coverage)
    }
}

/// The colours of a thing, in cells of four steps a channel.
struct Colors(Vec<bool>);

impl Colors {
    /// Cells along a channel.
    const SIDE: usize = 64;

    fn new() -> Self {
        Self(vec![false; Self::SIDE * Self::SIDE * Self::SIDE])
    }

    fn cell([red, green, blue]: [usize; 3]) -> usize {
        (red * Self::SIDE + green) * Self::SIDE + blue
    }

    fn add(&mut self, [red, green, blue, _]: [u8; 4]) {
        self.0[Self::cell([red, green, blue].map(|channel| usize::from(channel / 4)))] = true;
    }

    /// Whether one of them is in the colour's cell or in one beside it.
    fn has_near(&self, [red, green, blue, _]: [u8; 4]) -> bool {
        let [red, green, blue] = [red, green, blue].map(|channel| {
            let cell = usize::from(channel / 4);
            cell.saturating_sub(1)..(cell + 2).min(Self::SIDE)
        });
        red.into_iter()
            .any(|red| green.clone().any(|green| blue.clone().any(|blue| self.0[Self::cell([red, green, blue])])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_near_in_its_cell_and_in_those_beside_it() {
        let mut colors = Colors::new();
        colors.add([8, 255, 0, 255]);
        let is_near = [[8, 255, 0, 255], [7, 251, 4, 0], [16, 255, 0, 255], [8, 240, 0, 255], [0, 0, 0, 255]];
        assert_eq!(is_near.map(|color| colors.has_near(color)), [true, true, false, false, false]);
    }
}

//! Whose pixels are wrong: nodes, materials and joints, the likeliest first.
//!
//! Why it exists: what is seen in most of the wrong pixels is not what is wrong. A small thing that has moved in front of a large one
//! leaves as many wrong pixels on the large one as on itself; a hand that hangs on the wrong matrix is seen with the heavier weights of
//! the body. So an object counts by both: the part of the wrong pixels in which it has a say, and the part of its own pixels that are
//! wrong (their harmonic mean; van Rijsbergen, Information Retrieval, 1979).

use std::collections::{BTreeMap, BTreeSet};

use super::{Scenery, Share};
use crate::causes::{Names, Seen};
use refrast_envelope::PixelCause;
use refrast_scene::Scene;

/// How many of a kind are told.
const TOLD: usize = 3;

/// How many nodes that are seen nowhere may be meant by what is seen in their place.
const UNSEEN: usize = 8;

/// The weight above which a joint has a say in a pixel.
const A_SAY: f64 = 0.05;

/// The part of the wrong pixels in which something has a say, above which all of them are about it.
const ALL_OF_THEM: f64 = 0.95;

/// The same, above which they may be.
const MOST_OF_THEM: f64 = 0.75;

/// The part of its own pixels that are wrong, below which a handful of wrong ones lies there by chance.
const BY_CHANCE: f64 = 0.05;

/// A node, material or joint in a picture, in pixels; of joints in parts of them, by their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    /// Of the wrong pixels.
    wrong: f64,
    /// Of all.
    own: f64,
    /// Wrong pixels in which it has a say.
    says: usize,
    /// All pixels in which it has one.
    says_in_all: usize,
}

/// A node or a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    Node(usize),
    Material(usize),
}

impl Thing {
    pub(super) fn is_seen(self, seen: Seen) -> bool {
        match self {
            Self::Node(node) => seen.node == node,
            Self::Material(material) => seen.material == material,
        }
    }

    pub(super) fn in_words(self, names: &Names<'_>) -> String {
        match self {
            Self::Node(node) => format!("node {}", names.node(node)),
            Self::Material(material) => format!("material {}", names.material(material)),
        }
    }
}

/// What is seen where, counted.
pub(in crate::diagnose) struct Objects {
    wrong: usize,
    /// Pixels in which something is seen.
    seen: usize,
    nodes: BTreeMap<usize, Tally>,
    materials: BTreeMap<usize, Tally>,
    joints: BTreeMap<usize, Tally>,
}

impl Objects {
    /// Of a picture. A wrong pixel in which nothing should be seen counts for what is near.
    pub(super) fn of(scenery: &Scenery<'_>, names: &Names<'_>) -> Self {
        let mut objects =
            Self { wrong: 0, seen: 0, nodes: BTreeMap::new(), materials: BTreeMap::new(), joints: BTreeMap::new() };
        // Neighbours mostly see the same triangle.
        let mut weights: BTreeMap<(u32, u32), Vec<(usize, f32)>> = BTreeMap::new();
        let mut is_wrong = vec![false; scenery.right.len()];
        scenery.wrong().for_each(|(pixel, _)| is_wrong[pixel] = true);
        for (pixel, is_wrong) in is_wrong.into_iter().enumerate() {
            objects.wrong += usize::from(is_wrong);
            let causes = if is_wrong { scenery.nearest_causes(pixel) } else { scenery.causes_in(pixel) };
            objects.seen += usize::from(!causes.is_empty());
            let count = |of: &mut BTreeMap<usize, Tally>, what: usize, part: f64| {
                let tally = of.entry(what).or_default();
                tally.own += part;
                tally.wrong += if is_wrong { part } else { 0.0 };
                tally.says += usize::from(is_wrong && part >= A_SAY);
                tally.says_in_all += usize::from(part >= A_SAY);
            };
            // What is behind glass is seen as well as the glass.
            let seen = causes.iter().filter_map(|cause| names.seen(cause));
            let seen: BTreeSet<(usize, usize)> = seen.map(|Seen { node, material, .. }| (node, material)).collect();
            let nodes: BTreeSet<usize> = seen.iter().map(|(node, _)| *node).collect();
            let materials: BTreeSet<usize> = seen.into_iter().map(|(_, material)| material).collect();
            nodes.into_iter().for_each(|node| count(&mut objects.nodes, node, 1.0));
            materials.into_iter().for_each(|material| count(&mut objects.materials, material, 1.0));
            let mut joints: BTreeMap<usize, f64> = BTreeMap::new();
            for cause in causes {
                let PixelCause { draw, primitive, .. } = *cause;
                for (joint, weight) in weights.entry((draw, primitive)).or_insert_with(|| names.joints(cause)) {
                    *joints.entry(*joint).or_default() += f64::from(*weight) / causes.len() as f64;
                }
            }
            joints.into_iter().for_each(|(joint, part)| count(&mut objects.joints, joint, part));
        }
        objects
    }

    /// The likeliest nodes, where several are seen.
    pub(in crate::diagnose) fn likely_nodes(&self) -> Vec<usize> {
        self.likely(&self.nodes)
    }

    /// The likeliest materials, where several are seen.
    pub(in crate::diagnose) fn likely_materials(&self) -> Vec<usize> {
        self.likely(&self.materials)
    }

    fn likely(&self, of: &BTreeMap<usize, Tally>) -> Vec<usize> {
        let ranked = ranked(of, self.wrong).into_iter().filter(|_| of.len() > 1);
        ranked.take(TOLD).map(|(object, _)| object).collect()
    }

    /// Nodes that are drawn and seen nowhere, the first of the file: what has turned its back may show it by mistake.
    pub(in crate::diagnose) fn unseen_nodes(&self, scene: &Scene) -> Vec<usize> {
        let drawn = scene.drawn.iter().copied().filter(|node| scene.nodes[*node].mesh.is_some());
        drawn.filter(|node| !self.nodes.contains_key(node)).take(UNSEEN).collect()
    }

    /// The likeliest node, where several are seen and most of each other one is right: the mistake may be about it alone.
    pub(super) fn only_node(&self) -> Option<usize> {
        let likeliest = *self.likely_nodes().first()?;
        let is_right = |(node, tally): (&usize, &Tally)| *node == likeliest || 2.0 * tally.wrong < tally.own;
        self.nodes.iter().all(is_right).then_some(likeliest)
    }

    /// The node or material of several on which all lies that is wrong: the one of which more is wrong.
    pub(super) fn only_thing(&self) -> Option<Thing> {
        let only = |of: &BTreeMap<usize, Tally>| {
            let (object, tally) = ranked(of, self.wrong).into_iter().next().filter(|_| of.len() > 1)?;
            (tally.says as f64 >= ALL_OF_THEM * self.wrong as f64).then_some((object, tally.wrong / tally.own))
        };
        match (only(&self.nodes), only(&self.materials)) {
            (Some((_, of_node)), Some((material, of_own))) if of_own > of_node => Some(Thing::Material(material)),
            (Some((node, _)), _) => Some(Thing::Node(node)),
            (None, material) => material.map(|(material, _)| Thing::Material(material)),
        }
    }

    /// Whether all that is wrong hangs on one joint, and little else of what is seen does: textures and light know nothing of joints.
    pub(super) fn hangs_on_one_joint(&self) -> bool {
        self.hang_on_one_joint(ALL_OF_THEM)
    }

    /// Whether most of it does, so that a joint may be wrong.
    pub(in crate::diagnose) fn may_hang_on_one_joint(&self) -> bool {
        self.hang_on_one_joint(MOST_OF_THEM)
    }

    fn hang_on_one_joint(&self, part: f64) -> bool {
        ranked(&self.joints, self.wrong).first().is_some_and(|(_, tally)| {
            tally.says as f64 >= part * self.wrong as f64
                && tally.wrong >= BY_CHANCE * tally.own
                && 2 * tally.says_in_all <= self.seen
        })
    }

    /// Places in the palette of the joints that are likely, the likeliest first.
    pub(in crate::diagnose) fn likely_joints(&self, scene: &Scene) -> Vec<u16> {
        let place = |(joint, _): (usize, Tally)| {
            let place = scene.skins.iter().find_map(|skin| skin.joints.iter().position(|own| *own == joint))?;
            u16::try_from(place).ok()
        };
        ranked(&self.joints, self.wrong).into_iter().filter_map(place).collect()
    }

    /// The likeliest nodes; one that is named comes first, and is seen in all wrong pixels if it should be seen nowhere.
    pub(super) fn nodes(&self, names: &Names<'_>, named: Option<usize>) -> Vec<Share> {
        let mut told = self.told(&self.nodes, named, |node| names.node(node));
        if let Some(unseen) = named.filter(|named| !self.nodes.contains_key(named)) {
            told.insert(0, Share { name: names.node(unseen), number: unseen, part: 1.0, of_own: 1.0 });
            told.truncate(TOLD);
        }
        told
    }

    pub(super) fn materials(&self, names: &Names<'_>) -> Vec<Share> {
        self.told(&self.materials, None, |material| names.material(material))
    }

    /// The likeliest joints by their nodes; one that is named comes first.
    pub(super) fn joints(&self, names: &Names<'_>, named: Option<usize>) -> Vec<Share> {
        self.told(&self.joints, named, |joint| names.node(joint))
    }

    fn told(&self, of: &BTreeMap<usize, Tally>, named: Option<usize>, name: impl Fn(usize) -> String) -> Vec<Share> {
        let share = |(object, tally): (usize, Tally)| Share {
            name: name(object),
            number: object,
            part: tally.wrong / self.wrong.max(1) as f64,
            of_own: tally.wrong / tally.own,
        };
        let mut ranked = ranked(of, self.wrong);
        ranked.sort_by_key(|(object, _)| Some(*object) != named);
        ranked.into_iter().take(TOLD).map(share).collect()
    }
}

/// Those of which something is wrong, the likeliest first; of two that are as likely the first of the file.
fn ranked(tallies: &BTreeMap<usize, Tally>, wrong: usize) -> Vec<(usize, Tally)> {
    let likeness = |Tally { wrong: own_wrong, own, says, .. }: &Tally| {
        let [of_wrong, of_own] = [*says as f64 / wrong as f64, own_wrong / own];
        2.0 * of_wrong * of_own / (of_wrong + of_own)
    };
    let mut ranked: Vec<(usize, Tally)> = tallies.iter().map(|(object, tally)| (*object, *tally)).collect();
    ranked.retain(|(_, tally)| tally.wrong > 0.0);
    ranked.sort_by(|(_, one), (_, other)| likeness(other).total_cmp(&likeness(one)));
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(tallies: &[(f64, f64, usize)], wrong: usize) -> Vec<usize> {
        let tally = |(object, (wrong, own, says)): (usize, &(f64, f64, usize))| {
            (object, Tally { wrong: *wrong, own: *own, says: *says, says_in_all: 0 })
        };
        ranked(&tallies.iter().enumerate().map(tally).collect(), wrong).into_iter().map(|(object, _)| object).collect()
    }

    #[test]
    fn what_is_all_wrong_comes_before_what_is_seen_in_more_wrong_pixels() {
        // A ball that has moved in front of the ground: 40 pixels where it was, 60 where it is.
        assert_eq!(order(&[(60.0, 4000.0, 60), (40.0, 40.0, 40), (0.0, 9.0, 0)], 100), [1, 0]);
    }

    #[test]
    fn where_all_is_wrong_the_largest_comes_first() {
        assert_eq!(order(&[(10.0, 10.0, 10), (90.0, 90.0, 90)], 100), [1, 0]);
        // A third of the large one: nine in ten of what is wrong are still its.
        assert_eq!(order(&[(10.0, 10.0, 10), (90.0, 270.0, 90)], 100), [1, 0]);
    }

    #[test]
    fn a_joint_with_light_weights_comes_before_the_body() {
        assert_eq!(order(&[(36.0, 2000.0, 56), (16.0, 18.0, 56)], 56), [1, 0]);
    }

    #[test]
    fn who_has_a_say_in_all_that_is_wrong_comes_before_whom_most_of_it_follows() {
        // Where a tail bends: its middle has moved, and what lies behind is moved by both.
        assert_eq!(order(&[(50.0, 110.0, 70), (45.0, 100.0, 100)], 100), [1, 0]);
    }
}

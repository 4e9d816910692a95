//! [`PixelBox`]: the colours between two others, and how many of them become few.
//!
//! Why it exists: what a pixel may hold is a union of boxes, because its causes are choices. The producer hands in as
//! many boxes as it has choices; here those that say nothing new are dropped, and where more than [`MOST_BOXES`] are
//! left, the closest are joined and marked, so that nobody takes a hull for knowledge.

use serde::Serialize;

use super::closest::join_closest;

/// The most boxes that a pixel has.
pub const MOST_BOXES: usize = 8;

/// All colours whose red, green, blue and alpha are, each for itself, between two stored bytes, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct PixelBox {
    /// The least byte of each channel.
    pub low: [u8; 4],
    /// The greatest.
    pub high: [u8; 4],
    /// Whether it is the hull of choices that lie apart: some colours in it are right, nobody knows which.
    pub loose: bool,
}

impl PixelBox {
    /// The box that holds nothing.
    pub(super) const NONE: Self = Self { low: [u8::MAX; 4], high: [0; 4], loose: false };

    /// One colour.
    #[must_use]
    pub const fn exact(color: [u8; 4]) -> Self {
        Self { low: color, high: color, loose: false }
    }

    /// The colours between two, which are known to be right.
    #[must_use]
    pub const fn new(low: [u8; 4], high: [u8; 4]) -> Self {
        Self { low, high, loose: false }
    }

    /// Whether the colour lies in it.
    #[must_use]
    pub fn contains(&self, color: [u8; 4]) -> bool {
        // No branches: most colours are inside, and which are not nobody can predict.
        let [red, green, blue, alpha] = color;
        let inside = |value: u8, channel: usize| (self.low[channel] <= value) & (value <= self.high[channel]);
        inside(red, 0) & inside(green, 1) & inside(blue, 2) & inside(alpha, 3)
    }

    /// Whether it holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.low.iter().zip(self.high).any(|(&low, high)| low > high)
    }

    /// Whether every colour of `other` lies in it.
    #[must_use]
    pub fn holds(&self, other: &Self) -> bool {
        self.low.iter().zip(other.low).all(|(&own, other)| own <= other)
            && self.high.iter().zip(other.high).all(|(&own, other)| own >= other)
    }

    /// How many steps the colour is outside, in the channel that is farthest outside; 0 inside.
    #[must_use]
    pub fn distance(&self, color: [u8; 4]) -> u8 {
        let channels = color.into_iter().zip(self.low.into_iter().zip(self.high));
        let outside = channels.map(|(value, (low, high))| low.saturating_sub(value).max(value.saturating_sub(high)));
        outside.fold(0, u8::max)
    }

    /// The smallest box that holds both; loose where one of them is.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        let mut hull = *self;
        for (own, other) in hull.low.iter_mut().zip(other.low) {
            *own = (*own).min(other);
        }
        for (own, other) in hull.high.iter_mut().zip(other.high) {
            *own = (*own).max(other);
        }
        hull.loose |= other.loose;
        hull
    }

    /// How many colours lie in it.
    fn volume(&self) -> u64 {
        self.low.iter().zip(self.high).map(|(&low, high)| (u64::from(high) + 1).saturating_sub(low.into())).product()
    }

    fn intersection(&self, other: &Self) -> Self {
        let mut shared = *self;
        for (own, other) in shared.low.iter_mut().zip(other.low) {
            *own = (*own).max(other);
        }
        for (own, other) in shared.high.iter_mut().zip(other.high) {
            *own = (*own).min(other);
        }
        shared
    }

    /// How many colours the hull of both has that neither of them has.
    fn growth(&self, other: &Self) -> u64 {
        self.hull(other).volume() + self.intersection(other).volume() - self.volume() - other.volume()
    }
}

/// Drops boxes that lie in others, joins boxes whose hull adds nothing, and then joins the closest ones (which become
/// loose) until at most [`MOST_BOXES`] are left. The box that `golden` lies in comes first, then the others as they
/// came; loose ones stand last.
pub(super) fn simplify(golden: [u8; 4], boxes: &mut Vec<PixelBox>) {
    boxes.retain(|own| !own.is_empty());
    // Nearly every pixel.
    if boxes.len() <= 1 {
        return;
    }
    join_exactly(boxes);
    // What is known to be right says more than a hull, so a tight box in a loose one stays.
    if boxes.iter().any(|own| own.loose) {
        let tight: Vec<PixelBox> = boxes.iter().copied().filter(|own| !own.loose).collect();
        boxes.retain(|own| !own.loose || !tight.iter().any(|other| other.holds(own)));
    }
    let join = |one: &PixelBox, other: &PixelBox| PixelBox { loose: true, ..one.hull(other) };
    join_closest(boxes, MOST_BOXES, (u64::MAX, |first, second| [first, second]), PixelBox::growth, join);
    boxes.sort_by_key(|own| (own.loose, !own.contains(golden)));
}

/// Joins pairs for as long as there are some whose hull adds no colour.
fn join_exactly(boxes: &mut Vec<PixelBox>) {
    let mut second = 1;
    while second < boxes.len() {
        let adds_nothing = |first: &usize| {
            let (one, other) = (&boxes[*first], &boxes[second]);
            one.loose == other.loose && one.growth(other) == 0
        };
        match (0..second).find(adds_nothing) {
            Some(first) => {
                boxes[first] = boxes[first].hull(&boxes[second]);
                boxes.remove(second);
                // What has grown may now meet one that was looked at before.
                second = first.max(1);
            }
            None => second += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn boxes() -> impl Strategy<Value = Vec<PixelBox>> {
        let one = (prop::array::uniform4(0_u8..6), prop::array::uniform4(0_u8..3));
        let one = one.prop_map(|(low, size)| PixelBox::new(low, [0, 1, 2, 3].map(|c| low[c] + size[c])));
        prop::collection::vec(one, 1..14)
    }

    proptest! {
        #[test]
        fn nothing_right_is_lost_and_what_is_not_loose_adds_nothing(before in boxes(), color in prop::array::uniform4(0_u8..9)) {
            let mut after = before.clone();
            simplify(before[0].low, &mut after);
            prop_assert!(after.len() <= MOST_BOXES);
            prop_assert!(after.iter().any(|own| own.contains(before[0].low)));
            let was = before.iter().any(|own| own.contains(color));
            prop_assert!(!was || after.iter().any(|own| own.contains(color)));
            prop_assert!(was || !after.iter().any(|own| !own.loose && own.contains(color)));
            if before.len() <= MOST_BOXES {
                prop_assert!(after.iter().all(|own| !own.loose));
            }
        }
    }

    #[test]
    fn boxes_in_others_and_halves_of_a_whole_become_one() {
        let mut boxes = vec![
            PixelBox::new([0, 0, 0, 255], [3, 9, 9, 255]),
            PixelBox::new([4, 0, 0, 255], [5, 9, 9, 255]),
            PixelBox::exact([2, 2, 2, 255]),
        ];
        simplify([0, 0, 0, 255], &mut boxes);
        assert_eq!(boxes, [PixelBox::new([0, 0, 0, 255], [5, 9, 9, 255])]);
    }

    #[test]
    fn the_golden_comes_first_and_of_nine_the_closest_two_are_joined() {
        let mut boxes: Vec<PixelBox> = (0..9).map(|step| PixelBox::exact([step * step; 4])).collect();
        simplify([64; 4], &mut boxes);
        assert_eq!(boxes.len(), 8);
        assert_eq!(boxes[0], PixelBox::exact([64; 4]));
        assert_eq!(boxes[7], PixelBox { low: [0; 4], high: [1; 4], loose: true });
    }

    #[test]
    fn a_distance_is_that_of_the_worst_channel() {
        let own = PixelBox::new([10, 10, 10, 255], [20, 20, 20, 255]);
        assert_eq!([[10, 15, 20, 255], [7, 25, 15, 255], [15, 15, 15, 0]].map(|c| own.distance(c)), [0, 5, 255]);
        assert!(!PixelBox::NONE.contains([0; 4]) && !PixelBox::NONE.contains([255; 4]));
    }
}

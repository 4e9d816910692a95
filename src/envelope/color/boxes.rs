//! [`ColorBoxes`]: the union of boxes that a fragment may have its colour in.
//!
//! Why it exists: which texel is the nearest, which level, which side is seen are choices. A hull over two texels of a
//! chequered texture would let every grey pass; two boxes let two colours pass.

use crate::{ColorBox, Interval};

/// The most boxes of a fragment, as many as a pixel may have; beyond, a new one is merged with the closest.
pub const MOST_BOXES: usize = 8;

/// At most [`MOST_BOXES`] boxes, any of which may hold the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColorBoxes {
    boxes: [ColorBox; MOST_BOXES],
    count: usize,
    loose: bool,
}

impl ColorBoxes {
    /// One box.
    #[must_use]
    pub fn one(channels: [Interval; 4]) -> Self {
        let mut boxes = Self::default();
        boxes.push(channels);
        boxes
    }

    /// The boxes; none where nothing is drawn.
    #[must_use]
    pub fn as_slice(&self) -> &[ColorBox] {
        &self.boxes[..self.count]
    }

    /// Whether choices were merged, so that colours between them pass too.
    #[must_use]
    pub fn loose(&self) -> bool {
        self.loose
    }

    /// Says that a box is wider than what it stands for.
    pub(super) fn set_loose(&mut self) {
        self.loose = true;
    }

    /// Adds a choice.
    pub(super) fn push(&mut self, channels: [Interval; 4]) {
        let new = ColorBox { channels };
        if self.as_slice().iter().any(|old| holds(old, &new)) {
            return;
        }
        if self.count < MOST_BOXES {
            self.boxes[self.count] = new;
            self.count += 1;
            return;
        }
        self.loose = true;
        let mut closest = (0, f64::INFINITY);
        for (index, old) in self.boxes.iter().enumerate() {
            let growth = growth(old, &new);
            if growth < closest.1 {
                closest = (index, growth);
            }
        }
        self.boxes[closest.0] = hull(&self.boxes[closest.0], &new);
    }

    /// The boxes of both.
    pub(super) fn joined(mut self, other: &Self) -> Self {
        self.join(other, |channels| channels);
        self
    }

    /// Adds the boxes of another, each through `function`.
    pub(super) fn join(&mut self, other: &Self, function: impl Fn([Interval; 4]) -> [Interval; 4]) {
        self.loose |= other.loose;
        for one in other.as_slice() {
            self.push(function(one.channels));
        }
    }

    /// Each box through `function`.
    pub(super) fn map(mut self, function: impl Fn([Interval; 4]) -> [Interval; 4]) -> Self {
        if let [one] = &mut self.boxes[..self.count] {
            one.channels = function(one.channels);
            return self;
        }
        let mut result = Self { loose: self.loose, ..Self::default() };
        for one in self.as_slice() {
            result.push(function(one.channels));
        }
        result
    }

    /// Each pair of a box of this and one of `other` through `function`.
    pub(super) fn combined(
        &self,
        other: &Self,
        function: impl Fn([Interval; 4], [Interval; 4]) -> [Interval; 4],
    ) -> Self {
        let mut result = Self { loose: self.loose || other.loose, ..Self::default() };
        for one in self.as_slice() {
            for two in other.as_slice() {
                result.push(function(one.channels, two.channels));
            }
        }
        result
    }

    /// The boxes for which `keep` holds.
    pub(super) fn filtered(&self, keep: impl Fn([Interval; 4]) -> bool) -> Self {
        let mut result = Self { loose: self.loose, ..Self::default() };
        for one in self.as_slice().iter().filter(|one| keep(one.channels)) {
            result.push(one.channels);
        }
        result
    }

    /// The smallest interval that holds a channel of every box; `None` without boxes.
    #[must_use]
    pub fn channel(&self, channel: usize) -> Option<Interval> {
        self.as_slice().iter().map(|one| one.channels[channel]).reduce(Interval::hull)
    }
}

fn holds(outer: &ColorBox, inner: &ColorBox) -> bool {
    outer.channels.iter().zip(&inner.channels).all(|(outer, inner)| outer.low <= inner.low && inner.high <= outer.high)
}

fn hull(a: &ColorBox, b: &ColorBox) -> ColorBox {
    let mut hull = *a;
    for (channel, other) in hull.channels.iter_mut().zip(b.channels) {
        *channel = channel.hull(other);
    }
    hull
}

/// How much wider, over all channels, the hull is than the wider of the two.
fn growth(a: &ColorBox, b: &ColorBox) -> f64 {
    let width = |one: &ColorBox| -> f64 { one.channels.iter().map(|channel| channel.high - channel.low).sum() };
    width(&hull(a, b)) - width(a).max(width(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(level: f64) -> [Interval; 4] {
        [Interval::around(level, 0.01); 4]
    }

    #[test]
    fn what_is_held_already_adds_no_box() {
        let mut boxes = ColorBoxes::one(grey(0.5));
        boxes.push([Interval::around(0.5, 0.005); 4]);
        assert_eq!(boxes.as_slice().len(), 1);
        assert!(!boxes.loose());
    }

    #[test]
    fn the_closest_are_merged_past_the_limit() {
        let mut boxes = ColorBoxes::default();
        for level in [0.0, 0.25, 0.5, 0.75, 1.0, 2.0, 3.0, 4.0, 0.55] {
            boxes.push(grey(level));
        }
        assert!(boxes.loose());
        assert_eq!(boxes.as_slice().len(), MOST_BOXES);
        assert_eq!(boxes.as_slice()[2].channels[0], Interval { low: 0.49, high: 0.56 });
        assert_eq!(boxes.as_slice()[3].channels, grey(0.75));
    }

    #[test]
    fn pairs_are_combined_each_with_each() {
        let mut two = ColorBoxes::one(grey(0.25));
        two.push(grey(0.75));
        let sum = two.combined(&two, |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]);
        // 0.25 + 0.75 and 0.75 + 0.25 are the same.
        assert_eq!(sum.as_slice().len(), 3);
        assert_eq!(two.filtered(|one| one[3].high < 0.5).as_slice().len(), 1);
    }
}

//! [`ColorBar`]: which colour a number has over a surface; and how the numbers of a frame lie ([`Spread`], [`largest`]).

/// Colours from low to high: Google's Turbo colour map (Mikhailov, 2019) at nine places.
const COLORS: [[u8; 3]; 9] = [
    [48, 18, 59],
    [70, 107, 227],
    [40, 188, 235],
    [50, 242, 152],
    [164, 252, 60],
    [238, 207, 58],
    [251, 128, 34],
    [208, 47, 5],
    [122, 4, 3],
];

/// What the colours' ends stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ColorBar {
    /// The numbers at the lower and at the upper end.
    pub range: [f32; 2],
    /// Whether the colours stand for the logarithm of the number: what is below the lower end has its colour.
    pub logarithmic: bool,
}

impl ColorBar {
    /// The colour of a number.
    #[must_use]
    pub fn color(&self, value: f32) -> [u8; 3] {
        color_at(self.place(value))
    }

    /// Where a number stands on the bar, 0 … 1.
    #[must_use]
    pub fn place(&self, value: f32) -> f32 {
        let [low, high] = self.range;
        match self.logarithmic {
            true => libm::logf((value / low).max(1.0)) / libm::logf(high / low),
            false => (value - low) / (high - low).max(f32::MIN_POSITIVE),
        }
    }

    /// The number at a place of the bar, 0 … 1.
    #[must_use]
    pub fn number(&self, place: f32) -> f32 {
        let [low, high] = self.range;
        match self.logarithmic {
            true => low * libm::powf(high / low, place),
            false => low + (high - low) * place,
        }
    }
}

/// The colour of a place in 0 … 1.
#[must_use]
pub fn color_at(place: f32) -> [u8; 3] {
    let place = place.clamp(0.0, 1.0) * (COLORS.len() - 1) as f32;
    let low = (place as usize).min(COLORS.len() - 2);
    let part = place - low as f32;
    std::array::from_fn(|i| {
        let (a, b) = (f32::from(COLORS[low][i]), f32::from(COLORS[low + 1][i]));
        (a + (b - a) * part + 0.5) as u8
    })
}

/// How numbers lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The largest one, or 0.
    pub largest: f32,
    /// 99 of 100 are not above it.
    pub percentile: f32,
    /// Half of those that are above 0 are not above it.
    pub median: f32,
}

impl Spread {
    /// Of some numbers, none of which is NaN.
    #[must_use]
    pub fn of(mut numbers: Vec<f32>) -> Self {
        numbers.sort_unstable_by(f32::total_cmp);
        let at = |numbers: &[f32], part: f64| {
            // The nearest rank.
            let rank = (part * numbers.len() as f64).ceil() as usize;
            numbers.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let zeros = numbers.partition_point(|&number| number <= 0.0);
        Self { largest: at(&numbers, 1.0).max(0.0), percentile: at(&numbers, 0.99), median: at(&numbers[zeros..], 0.5) }
    }
}

/// The places of the largest numbers above 0, the largest first, of equals the first: the list and the place in it.
#[must_use]
pub fn largest(values: &[Vec<f32>], most: usize) -> Vec<[usize; 2]> {
    let mut all: Vec<(f32, [usize; 2])> = Vec::new();
    for (list, values) in values.iter().enumerate() {
        let above = values.iter().enumerate().filter(|&(_, &value)| value > 0.0);
        all.extend(above.map(|(place, &value)| (value, [list, place])));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all.truncate(most);
    all.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_run_from_end_to_end() {
        let ends = (color_at(-1.0), color_at(0.0), color_at(0.5), color_at(2.0));
        assert_eq!(ends, (COLORS[0], COLORS[0], COLORS[4], COLORS[8]));
        let bar = ColorBar { range: [2.0, 4.0], logarithmic: false };
        assert_eq!(bar.color(3.0), COLORS[4]);
        assert_eq!(bar.number(0.5), 3.0);
        // Half of four decades up from 0.01 is 1.
        let bar = ColorBar { range: [0.01, 100.0], logarithmic: true };
        assert!((bar.number(0.5) - 1.0).abs() < 1e-5, "{}", bar.number(0.5));
        assert_eq!([0.0, 0.01, 1.0, 100.0].map(|value| bar.color(value)), [0, 0, 4, 8].map(|place| COLORS[place]));
    }

    #[test]
    fn numbers_lie_by_their_ranks() {
        let even = Spread::of((1..=200).map(|number| number as f32).collect());
        assert_eq!(even, Spread { largest: 200.0, percentile: 198.0, median: 100.0 });
        let peak = Spread::of((0..200).map(|number| if number == 7 { 10.0 } else { 1.0 }).collect());
        assert_eq!(peak, Spread { largest: 10.0, percentile: 1.0, median: 1.0 });
        // Zeros say nothing of the others' middle.
        let half = Spread::of(vec![0.0, 0.0, 0.0, 5.0, 3.0, 4.0]);
        assert_eq!((half.largest, half.median), (5.0, 4.0));
        assert_eq!(Spread::of(Vec::new()), Spread { largest: 0.0, percentile: 0.0, median: 0.0 });
    }

    #[test]
    fn the_largest_come_first_and_of_equals_the_first() {
        let values = [vec![1.0, 0.0, 3.0], vec![3.0, f32::NAN, 2.0]];
        assert_eq!(largest(&values, 3), [[0, 2], [1, 0], [1, 2]]);
        assert_eq!(largest(&values, 9).len(), 4);
    }
}

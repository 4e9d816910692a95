//! [`join_closest`]: many choices become few.
//!
//! Why it exists: a pixel at which thin things blend has a hundred choices, and looking at all pairs of them for each pair that is
//! joined was a third of what envelopes of such pictures took. Here each knows the closest of those before it.

/// Of pairs that are as close the one is joined of whose places, the first and the second of a list, it makes the lesser.
pub type Order = fn(usize, usize) -> [usize; 2];

/// Joins the two of a list that the least grows between, until at most `most` are left. What is joined stands in the place of the
/// first of the two. `farthest` is what no pair is beyond; of pairs that grow as much the least by `order` of their places is joined.
pub fn join_closest<T, G: Copy + PartialOrd>(
    list: &mut Vec<T>,
    most: usize,
    (farthest, order): (G, Order),
    growth: impl Fn(&T, &T) -> G,
    join: impl Fn(&T, &T) -> T,
) {
    let closest_before = |list: &[T], second: usize| {
        let pairs = (0..second).map(|first| (growth(&list[first], &list[second]), first));
        pairs.fold((farthest, 0), |closest, pair| if pair.0 < closest.0 { pair } else { closest })
    };
    if list.len() <= most {
        return;
    }
    let mut closest: Vec<(G, usize)> = (0..list.len()).map(|second| closest_before(list, second)).collect();
    while list.len() > most.max(1) {
        let is_closer = |(own, first): (G, usize), second: usize, (other, best): (G, [usize; 2])| {
            own < other || (own == other && order(first, second) < order(best[0], best[1]))
        };
        let pairs = closest.iter().enumerate().skip(1);
        let (_, [first, second]) = pairs.fold((farthest, [0, 1]), |best, (second, own)| {
            let is_closest = is_closer(*own, second, best);
            if is_closest { (own.0, [own.1, second]) } else { best }
        });
        list[first] = join(&list[first], &list[second]);
        list.remove(second);
        closest.remove(second);
        for place in first..list.len() {
            let (own, partner) = closest[place];
            if place == first || partner == first || partner == second {
                closest[place] = closest_before(list, place);
                continue;
            }
            let now = (growth(&list[first], &list[place]), first);
            let kept = (own, partner - usize::from(partner > second));
            let is_now = now.0 < kept.0 || (now.0 == kept.0 && now.1 < kept.1);
            closest[place] = if is_now { now } else { kept };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All pairs, each time.
    fn by_all_pairs(list: &mut Vec<(u32, u32)>, most: usize, order: Order) {
        while list.len() > most {
            let pairs = (1..list.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
            let (first, second) = pairs
                .min_by_key(|&(first, second)| (growth(&list[first], &list[second]), order(first, second)))
                .unwrap();
            list[first] = join(&list[first], &list[second]);
            list.remove(second);
        }
    }

    fn growth(one: &(u32, u32), other: &(u32, u32)) -> u32 {
        let (low, high) = join(one, other);
        (high - low) - (one.1 - one.0).max(other.1 - other.0)
    }

    fn join(one: &(u32, u32), other: &(u32, u32)) -> (u32, u32) {
        (one.0.min(other.0), one.1.max(other.1))
    }

    proptest! {
        #[test]
        fn what_is_known_of_pairs_is_what_all_pairs_say(list in prop::collection::vec((0..40u32, 0..5u32), 0..30), most in 1..9usize) {
            let list: Vec<(u32, u32)> = list.into_iter().map(|(low, size)| (low, low + size)).collect();
            for order in [|first, second| [first, second], |first, second| [second, first]] as [Order; 2] {
                let (mut own, mut expected) = (list.clone(), list.clone());
                join_closest(&mut own, most, (u32::MAX, order), growth, join);
                by_all_pairs(&mut expected, most, order);
                prop_assert_eq!(own, expected);
            }
        }
    }
}

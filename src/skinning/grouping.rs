//! Which faces share a section: sets of joints into few unions of limited size.
//!
//! The best answer is a hard problem (it contains bin packing), so several greedy fillings are tried and the one with
//! the fewest sections, and among those the fewest joints in all, is taken. The walk is one of them: the result is
//! never worse.

use std::cmp::Ordering;

use super::joint_set::JointSet;

/// How sections are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Faces in order; a new section whenever one does not fit.
    Walk,
    /// As few as can be found.
    FewSections,
}

/// Greedy fillings start from this many different sets, spread over all of them.
const STARTS: usize = 24;

/// The faces of each section, each list ascending, the lists in the order of their first faces. Every set has at most
/// `limit` joints.
pub(super) fn group_sets(faces: &[JointSet], limit: usize, strategy: Strategy) -> Vec<Vec<usize>> {
    let walked = walk(faces, limit);
    if strategy == Strategy::Walk || walked.len() <= 1 {
        return walked;
    }
    let sets = largest_sets(faces);
    let mut best = unions(faces, &walked);
    let fewest = joint_total(&sets).div_ceil(limit);
    let starts = sets.len().min(STARTS);
    for start in (0..starts).map(|i| i * sets.len() / starts) {
        for rule in [Rule::FewestNew, Rule::MostShared] {
            if best.len() <= fewest {
                break;
            }
            let filled = dissolve(fill(&sets, limit, start, rule), &sets, limit);
            let cost = |unions: &[JointSet]| (unions.len(), unions.iter().map(JointSet::len).sum::<usize>());
            if cost(&filled) < cost(&best) {
                best = filled;
            }
        }
    }
    assign(faces, &best)
}

fn walk(faces: &[JointSet], limit: usize) -> Vec<Vec<usize>> {
    let mut sections: Vec<(JointSet, Vec<usize>)> = Vec::new();
    for (face, set) in faces.iter().enumerate() {
        match sections.last_mut() {
            Some((joints, members)) if joints.len() + joints.missing(set) <= limit => {
                joints.insert_all(set);
                members.push(face);
            }
            _ => sections.push((set.clone(), vec![face])),
        }
    }
    sections.into_iter().map(|(_, members)| members).collect()
}

/// The different sets that are not part of another one, the largest first.
fn largest_sets(faces: &[JointSet]) -> Vec<JointSet> {
    let mut distinct: Vec<&JointSet> = faces.iter().collect();
    distinct.sort_unstable_by(largest_first);
    distinct.dedup();
    let mut largest: Vec<JointSet> = Vec::new();
    for set in distinct {
        if !largest.iter().any(|larger| larger.contains_all(set)) {
            largest.push(set.clone());
        }
    }
    largest
}

/// Not a part of the sort, which compares in a hundred places.
#[inline(never)]
fn largest_first(one: &&JointSet, other: &&JointSet) -> Ordering {
    other.len().cmp(&one.len()).then_with(|| one.cmp(other))
}

fn joint_total(sets: &[JointSet]) -> usize {
    let mut all = sets[0].clone();
    sets.iter().for_each(|set| all.insert_all(set));
    all.len()
}

fn unions(faces: &[JointSet], groups: &[Vec<usize>]) -> Vec<JointSet> {
    let union = |group: &Vec<usize>| {
        let mut joints = faces[group[0]].clone();
        group.iter().for_each(|&face| joints.insert_all(&faces[face]));
        joints
    };
    groups.iter().map(union).collect()
}

/// Which of the sets that fit is taken next.
#[derive(Clone, Copy)]
enum Rule {
    /// The one that brings the fewest new joints; of equals, the one that shares the most.
    FewestNew,
    /// The one that shares the most; of equals, the one that brings the fewest new joints.
    MostShared,
}

/// Fills one section after the other, the first from the set number `start`, the others from the largest set left.
fn fill(sets: &[JointSet], limit: usize, start: usize, rule: Rule) -> Vec<JointSet> {
    let mut left: Vec<&JointSet> = sets.iter().collect();
    let mut sections = Vec::new();
    let mut first = start;
    while !left.is_empty() {
        let mut section = left.remove(first).clone();
        first = 0;
        loop {
            left.retain(|set| !section.contains_all(set));
            let room = limit - section.len();
            let next = (left.iter().enumerate())
                .map(|(i, set)| (section.missing(set), i, set.len()))
                .filter(|&(new, _, _)| new <= room)
                .min_by_key(|&(new, i, size)| {
                    let unshared = usize::MAX - (size - new);
                    match rule {
                        Rule::FewestNew => (new, unshared, i),
                        Rule::MostShared => (unshared, new, i),
                    }
                });
            match next {
                Some((_, i, _)) => section.insert_all(left.remove(i)),
                None => break,
            }
        }
        sections.push(section);
    }
    sections
}

/// Gives away the sets of one section to the others where all of them fit, again and again.
fn dissolve(mut sections: Vec<JointSet>, sets: &[JointSet], limit: usize) -> Vec<JointSet> {
    'again: loop {
        for given_up in 0..sections.len() {
            let mut others = sections.clone();
            others.remove(given_up);
            let homeless: Vec<&JointSet> =
                sets.iter().filter(|set| !others.iter().any(|other| other.contains_all(set))).collect();
            let placed = homeless.iter().all(|set| {
                let best = others.iter_mut().min_by_key(|other| (other.missing(set), other.len()));
                best.is_some_and(|other| {
                    let fits = other.len() + other.missing(set) <= limit;
                    if fits {
                        other.insert_all(set);
                    }
                    fits
                })
            });
            if placed {
                sections = others;
                continue 'again;
            }
        }
        return sections;
    }
}

/// Puts each face into the first section that holds its joints.
fn assign(faces: &[JointSet], sections: &[JointSet]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); sections.len()];
    for (face, set) in faces.iter().enumerate() {
        if let Some(section) = sections.iter().position(|section| section.contains_all(set)) {
            groups[section].push(face);
        }
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

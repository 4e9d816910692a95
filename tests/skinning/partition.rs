//! Partitions: nothing is lost, no palette is too long, and there are fewer sections than the walk of 2004 makes.

use std::collections::BTreeMap;

use crate::support::rig::{Joints, Random, Rig};
use glam::Mat4;
use proptest::prelude::*;
use refrast::{
    scene::{Influences, Primitive, Topology},
    simd::SimdLevel,
    skinning::{
        Deformation, DeformedVertices, NormalMode, Palette, Partition, PartitionError, Placement, PreparedPrimitive,
        SkinningMethod, partition, partition_by_walk,
    },
};

/// The nonzero influences of a vertex, by joint.
fn pairs(influences: &Influences, vertex: usize) -> BTreeMap<u16, u32> {
    let range = vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex;
    let pairs = influences.joints[range.clone()].iter().zip(&influences.weights[range]);
    pairs.filter(|&(_, weight)| *weight != 0.0).map(|(&joint, weight)| (joint, weight.to_bits())).collect()
}

/// Every face once, with the same joints and weights, sorted by what it needs; at most `limit` joints a section.
fn check(primitive: &Primitive, partition: &Partition, limit: usize) {
    let influences = primitive.influences.as_ref().unwrap();
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for section in &partition.sections {
        assert!(section.joints.len() <= limit && section.joints.is_sorted_by(|a, b| a < b));
        for (vertex, &source) in section.source_vertices.iter().enumerate() {
            let remapped = pairs(&section.influences, vertex);
            let original: BTreeMap<u16, u32> =
                remapped.iter().map(|(&joint, &weight)| (section.joints[usize::from(joint)], weight)).collect();
            assert_eq!(original, pairs(influences, source as usize));
        }
        let mut end = 0;
        for group in &section.groups {
            assert_eq!(group.indices.start, end);
            end = group.indices.end;
            for face in section.indices[group.indices.clone()].chunks_exact(3) {
                let needs = face.iter().map(|&vertex| pairs(&section.influences, vertex as usize).len()).max();
                assert_eq!(needs, Some(group.influences));
                faces.push([0, 1, 2].map(|corner| section.source_vertices[face[corner] as usize]));
            }
        }
        assert_eq!(end, section.indices.len());
    }
    let mut expected: Vec<[u32; 3]> = primitive.indices.chunks_exact(3).map(|f| [f[0], f[1], f[2]]).collect();
    faces.sort_unstable();
    expected.sort_unstable();
    assert_eq!(faces, expected);
}

/// A tube along a chain of joints: rings of `around` vertices, each ring between two or three joints of the chain.
struct Limb<'a> {
    chain: &'a [u16],
    rings: usize,
    around: u32,
}

/// A body of tubes; `order` says in which order its faces are listed.
fn body(limbs: &[Limb<'_>], order: Order) -> Primitive {
    let mut primitive = Primitive::default();
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    // Faces with the height at which they stand and the side on which they are.
    let mut faces: Vec<(usize, [u32; 3])> = Vec::new();
    for limb in limbs {
        let base = primitive.positions.len() as u32;
        for ring in 0..limb.rings {
            let along = ring as f32 / (limb.rings - 1) as f32 * (limb.chain.len() - 1) as f32;
            let nearest = along.round() as usize;
            let before = nearest.saturating_sub(1);
            let after = (nearest + 1).min(limb.chain.len() - 1);
            for _ in 0..limb.around {
                primitive.positions.push([0.0; 3]);
                influences.joints.extend([limb.chain[nearest], limb.chain[before], limb.chain[after], 0]);
                let lean = along - nearest as f32;
                // At the ends of the chain there is no joint before or after.
                let share = |joint: usize, weight: f32| if joint == nearest { 0.0 } else { weight };
                let (back, forth) = (share(before, 0.4 * (0.5 - lean)), share(after, 0.4 * (0.5 + lean)));
                influences.weights.extend([1.0 - back - forth, back, forth, 0.0]);
            }
        }
        for ring in 0..limb.rings as u32 - 1 {
            for side in 0..limb.around {
                let at = |ring: u32, side: u32| base + ring * limb.around + side % limb.around;
                let [a, b, c, d] = [at(ring, side), at(ring, side + 1), at(ring + 1, side), at(ring + 1, side + 1)];
                faces.extend([(ring as usize, [a, b, c]), (ring as usize, [c, b, d])]);
            }
        }
    }
    match order {
        Order::LimbByLimb => {}
        Order::InSlices => faces.sort_by_key(|face| face.0),
        Order::Shuffled => {
            let mut random = Random(5);
            for i in (1..faces.len()).rev() {
                faces.swap(i, random.below(i + 1));
            }
        }
    }
    primitive.indices = faces.into_iter().flat_map(|(_, face)| face).collect();
    primitive.influences = Some(influences);
    primitive
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// One limb after the other, each from its root.
    LimbByLimb,
    /// All limbs side by side, ring by ring, as a volume is sliced.
    InSlices,
    /// At random.
    Shuffled,
}

/// A figure with 85 joints, as many as the demo of 2001 had: a spine, two arms with five fingers each, two legs, hair.
fn figure(order: Order) -> Primitive {
    let mut next = 0;
    let mut chain = |root: Option<u16>, joints: u16| -> Vec<u16> {
        let chain = root.into_iter().chain(next..next + joints).collect();
        next += joints;
        chain
    };
    let spine = chain(None, 9);
    let mut chains = vec![spine.clone()];
    for _ in 0..2 {
        let arm = chain(Some(spine[5]), 5);
        let wrist = arm[5];
        chains.push(arm);
        chains.extend((0..5).map(|_| chain(Some(wrist), 4)));
        chains.push(chain(Some(spine[0]), 6));
    }
    chains.extend((0..2).map(|_| chain(Some(spine[8]), 7)));
    assert_eq!(next, 85);
    let limbs: Vec<Limb<'_>> = chains.iter().map(|chain| Limb { chain, rings: 8 * chain.len(), around: 8 }).collect();
    body(&limbs, order)
}

/// A rope of 93 joints, the number that the article of 2004 speaks of.
fn rope(order: Order) -> Primitive {
    let chain: Vec<u16> = (0..93).collect();
    body(&[Limb { chain: &chain, rings: 400, around: 6 }], order)
}

#[test]
fn there_are_fewer_sections_than_the_walk_makes() {
    println!("{:<26} {:>5} {:>6} {:>6} {:>6}", "mesh", "limit", "bound", "walk", "ours");
    let mut saved = 0;
    for (name, mesh) in [("figure, 85 joints", figure as fn(Order) -> Primitive), ("rope, 93 joints", rope)] {
        for order in [Order::LimbByLimb, Order::InSlices, Order::Shuffled] {
            let primitive = mesh(order);
            let joints = primitive.influences.as_ref().unwrap().joints.iter().max().map_or(0, |&j| usize::from(j) + 1);
            for limit in [16, 28, 60] {
                let (walk, ours) =
                    (partition_by_walk(&primitive, limit).unwrap(), partition(&primitive, limit).unwrap());
                check(&primitive, &walk, limit);
                check(&primitive, &ours, limit);
                let (walk, ours) = (walk.sections.len(), ours.sections.len());
                let bound = joints.div_ceil(limit);
                println!("{:<26} {limit:>5} {bound:>6} {walk:>6} {ours:>6}", format!("{name}, {order:?}"));
                assert!(ours >= bound && ours <= walk);
                // Whatever the order of the faces, one section more than can not be avoided is enough here: neighbours
                // in a chain are in both of two sections that meet between them.
                assert!(ours <= bound + 1, "{name} {order:?} {limit}: {ours} sections");
                saved += walk - ours;
            }
        }
    }
    assert!(saved > 100, "only {saved} sections were saved");
}

#[test]
fn sections_are_drawn_as_the_whole_is() {
    // Every section, skinned with its part of the palette, puts its copies where the whole puts the vertices.
    let rig = Rig::new(17, Joints::Stretched, 300, 4);
    let mut primitive = rig.primitive.clone();
    let mut random = Random(1);
    primitive.indices = (0..600).map(|_| random.below(300) as u32).collect();
    let deform = |primitive: &Primitive, palette: &Palette| {
        let deformation = Deformation {
            primitive: &PreparedPrimitive::new(primitive),
            placement: Placement::Skin(palette),
            morph_weights: &rig.morph_weights,
            // Rank by rank, so that the order of the sums does not depend on the neighbours.
            method: SkinningMethod::LinearPerJoint,
            normals: NormalMode::default(),
            level: SimdLevel::best(),
        };
        let mut output = DeformedVertices::default();
        deformation.run(&mut output).unwrap();
        output
    };
    let whole = deform(&primitive, &rig.palette);
    let partition = partition(&primitive, 12).unwrap();
    assert!(rig.worlds.len() > 12 && partition.sections.len() > 1);
    for section in &partition.sections {
        let matrices: Vec<Mat4> = section.joints.iter().map(|&joint| rig.palette.matrix(usize::from(joint))).collect();
        let part = deform(&section.extract(&primitive), &Palette::from_matrices(&matrices));
        for (vertex, &source) in section.source_vertices.iter().enumerate() {
            assert_eq!(part.position(vertex), whole.position(source as usize));
            assert_eq!(part.normal(vertex), whole.normal(source as usize));
            assert_eq!(part.tangent(vertex), whole.tangent(source as usize));
        }
    }
}

#[test]
fn a_mesh_that_fits_is_one_section_with_only_the_joints_it_uses() {
    let mut primitive = figure(Order::LimbByLimb);
    let one = partition(&primitive, 85).unwrap();
    assert_eq!(one.sections.len(), 1);
    assert_eq!(one.sections[0].joints, (0..85).collect::<Vec<u16>>());
    primitive.indices.truncate(3);
    let face = partition(&primitive, 28).unwrap();
    assert!(face.sections[0].joints.len() <= 4 && face.sections[0].source_vertices.len() == 3);
    primitive.indices.clear();
    assert_eq!(partition(&primitive, 28).unwrap().sections, []);
}

#[test]
fn a_face_that_needs_too_much_is_named() {
    let primitive = figure(Order::LimbByLimb);
    let error = partition(&primitive, 2).unwrap_err();
    assert!(matches!(error, PartitionError::FaceTooLarge { limit: 2, .. }), "{error}");
    let error = partition(&Primitive::default(), 28).unwrap_err();
    assert_eq!(error, PartitionError::NoInfluences);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mesh_is_cut_without_loss(seed: u64, vertices in 3usize..80, joints in 1usize..90, limit in 12usize..40) {
        let mut random = Random(seed);
        let mut influences = Influences { per_vertex: 4, ..Influences::default() };
        for _ in 0..vertices {
            let used = random.below(4) + 1;
            // Different joints: a vertex that names one joint twice is another matter.
            let first = random.below(joints);
            for rank in 0..4 {
                influences.joints.push(((first + 3 * rank) % joints) as u16);
                influences.weights.push(if rank < used.min(joints.div_ceil(3)) { 0.25 } else { 0.0 });
            }
        }
        let primitive = Primitive {
            topology: Topology::Triangles,
            positions: vec![[0.0; 3]; vertices],
            indices: (0..3 * 120).map(|_| random.below(vertices) as u32).collect(),
            influences: Some(influences),
            ..Primitive::default()
        };
        let (walk, ours) = (partition_by_walk(&primitive, limit).unwrap(), partition(&primitive, limit).unwrap());
        check(&primitive, &walk, limit);
        check(&primitive, &ours, limit);
        prop_assert!(ours.sections.len() <= walk.sections.len());
    }
}

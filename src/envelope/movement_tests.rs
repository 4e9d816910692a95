//! What is called sure holds wherever corners are allowed to be: random triangles, every corner moved on its own.

use proptest::prelude::*;

use super::{
    clip::clip,
    coverage::{Coverage, Edge, winding},
    fragment::Shift,
    patch::Patches,
    surface::{Center, Surface},
    vertices::{ClipVertex, Window},
};
use refrast_draw::{Convention, CullMode, DrawState};
use refrast_range::Profile;

const SIDE: f64 = 16.0;

fn window() -> Window {
    let freedoms = Profile::VulkanMin.freedoms().expect("it grants some");
    Window { width: 16, height: 16, convention: Convention::Vulkan, freedoms, depth_clamp: false }
}

/// The vertex with this place in the window, depth and w.
fn vertex([x, y]: [f64; 2], depth: f64, w: f64) -> ClipVertex {
    ClipVertex { position: [(x / SIDE * 2.0 - 1.0) * w, (y / SIDE * 2.0 - 1.0) * w, depth * w, w], radius: [0.0; 4] }
}

fn surface(corners: &[ClipVertex; 3], names: [u32; 3], cull: CullMode) -> Surface {
    let outline = clip(&window(), corners, names).expect("in front of the eye");
    Surface::new(&window(), (0, 0, 0, names), corners, outline, DrawState { cull, ..DrawState::default() })
}

fn place() -> impl Strategy<Value = [f64; 2]> {
    [2.0..14.0, 2.0..14.0f64]
}

fn corner() -> impl Strategy<Value = ClipVertex> {
    (place(), 0.1..0.9f64, 0.5..4.0f64).prop_map(|(at, depth, w)| vertex(at, depth, w))
}

/// A movement of a corner along both axes, −1 to 1; often all the way.
fn push() -> impl Strategy<Value = [f64; 2]> {
    let part = prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64];
    [part.clone(), part]
}

/// The same vertex, moved within the grid's freedom.
fn moved(vertex: &ClipVertex, push: [f64; 2]) -> ClipVertex {
    let snap = window().freedoms.snap;
    let mut moved = *vertex;
    for (coordinate, push) in moved.position.iter_mut().zip(push) {
        *coordinate += push * snap * 2.0 / SIDE * vertex.position[3];
    }
    moved
}

/// Exact weights by perspective and exact depth of a triangle at a point, from the definition.
fn interpolated(corners: &[ClipVertex; 3], point: [f64; 2]) -> ([f64; 3], f64) {
    let at = corners.map(|corner| {
        let [x, y, _, w] = corner.position;
        [(x / w + 1.0) * SIDE / 2.0, (y / w + 1.0) * SIDE / 2.0]
    });
    let area = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let whole = area(at[0], at[1], at[2]);
    let parts = [0, 1, 2].map(|i| area(point, at[(i + 1) % 3], at[(i + 2) % 3]) / whole);
    let depth = (0..3).map(|i| parts[i] * corners[i].position[2] / corners[i].position[3]).sum();
    let over_w = [0, 1, 2].map(|i| parts[i] / corners[i].position[3]);
    let sum: f64 = over_w.iter().sum();
    (over_w.map(|part| part / sum), depth)
}

/// Whether what is interpolated with these weights may be what is interpolated at the place: as it holds for every attribute, of
/// many directions in which attributes rise.
fn allows(shift: &Shift, weights: [f64; 3]) -> bool {
    let apart = [0, 1, 2].map(|i| weights[i] - shift.weights[i]);
    let nearest = |sum: [f64; 3], attributes: [f64; 3]| {
        let off = |c: f64| (0..3).map(|i| sum[i] * (attributes[i] - c).abs()).sum::<f64>();
        attributes.map(off).into_iter().fold(f64::INFINITY, f64::min)
    };
    (0..24).all(|direction| {
        // The first attribute is 0, as adding a number to all three changes nothing.
        let (y, x) = libm::sincos(f64::from(direction) * std::f64::consts::TAU / 24.0);
        let attributes = [0.0, x, y];
        let change: f64 = (0..3).map(|i| apart[i] * attributes[i]).sum();
        let slope = |axis: usize| (0..3).map(|i| shift.slopes[i][axis] * attributes[i]).sum::<f64>().abs();
        let most = slope(0) * shift.reach[0] + slope(1) * shift.reach[1] + nearest(shift.rest, attributes);
        change.abs() <= most * (1.0 + 1e-12) + 1e-12
    })
}

fn coverage(surface: &Surface, point: [f64; 2]) -> Coverage {
    let edges: Vec<Edge> = Edge::all(&surface.outline).collect();
    super::coverage::coverage(surface, &edges, point)
}

proptest! {
    #[test]
    fn in_is_always_covered_and_out_never(
        corners in [corner(), corner(), corner()], pushes in [push(), push(), push()], point in place(),
    ) {
        let own = surface(&corners, [0, 1, 2], CullMode::None);
        let elsewhere = [0, 1, 2].map(|i| moved(&corners[i], pushes[i]));
        let covered = winding(&surface(&elsewhere, [0, 1, 2], CullMode::None), point) != 0;
        match coverage(&own, point) {
            Coverage::In => prop_assert!(covered),
            Coverage::Out => prop_assert!(!covered),
            Coverage::Maybe => {}
        }
    }

    /// Where the moved triangle covers a sample, its depth and weights there are among those that are allowed.
    #[test]
    fn depth_and_weights_of_moved_triangles_are_allowed(
        corners in [corner(), corner(), corner()], pushes in [push(), push(), push()],
        parts in [0.0..1.0f64, 0.0..1.0f64], aside in [-1.5..1.5f64, -1.5..1.5f64],
    ) {
        let own = surface(&corners, [0, 1, 2], CullMode::None);
        let elsewhere = [0, 1, 2].map(|i| moved(&corners[i], pushes[i]));
        let [s, t] = if parts[0] + parts[1] > 1.0 { parts.map(|part| 1.0 - part) } else { parts };
        let outline = surface(&elsewhere, [0, 1, 2], CullMode::None).outline;
        let [a, b, c] = [0, 1, 2].map(|i| outline.corners()[i].at);
        let mix = |axis: usize| a[axis] + s * (b[axis] - a[axis]) + t * (c[axis] - a[axis]);
        let point = [mix(0), mix(1)];
        let (weights, depth) = interpolated(&elsewhere, point);
        prop_assume!(weights.iter().all(|weight| weight.is_finite()));
        prop_assert!(own.depth_at(point).contains(depth), "{depth} is not in {:?}", own.depth_at(point));
        let Center { own: inside, shift, .. } = own.center(point, true);
        for i in 0..3 {
            prop_assert!((inside.weights[i] - weights[i]).abs() <= inside.radius[i], "{inside:?} against {weights:?}");
        }
        if let Some(shift) = shift {
            prop_assert!(allows(&shift, weights), "{shift:?} against {weights:?}");
        }
        // Beside the sample, as at the pixel's centre and at its neighbours.
        let beside = [point[0] + aside[0], point[1] + aside[1]];
        let (weights, _) = interpolated(&elsewhere, beside);
        let Center { own: at, shift, around } = own.center(beside, false);
        prop_assume!(weights.iter().all(|weight| weight.is_finite() && weight.abs() < 1e3));
        for i in 0..3 {
            prop_assert!((at.weights[i] - weights[i]).abs() <= at.radius[i], "{at:?} against {weights:?}");
        }
        if let Some(shift) = shift {
            prop_assert!(allows(&shift, weights), "{shift:?} against {weights:?}");
        }
        for (step, next) in [([1.0, 0.0], 5), ([0.0, 1.0], 7)] {
            let (there, _) = interpolated(&elsewhere, [beside[0] + step[0], beside[1] + step[1]]);
            for i in 0..3 {
                let (moved, own) = (there[i] - weights[i], around.weights[next][i] - around.weights[4][i]);
                prop_assume!(moved.is_finite());
                prop_assert!((moved - own).abs() <= 2.0 * around.radius[i], "{moved} against {own}: {around:?}");
            }
            if let Some(shift) = around.shift {
                let half = |i: usize| 0.5 * (there[i] - weights[i] - around.weights[next][i] + around.weights[4][i]);
                let off = [0, 1, 2].map(|i| shift.weights[i] + half(i));
                prop_assert!(allows(&shift, off), "{shift:?} against {off:?}");
            }
        }
    }

    /// A fan of triangles around a vertex, some of them turned round or without area: what a patch says holds for all
    /// movements.
    #[test]
    fn a_patch_that_surely_covers_does(
        hub in place(), rim in prop::collection::vec(place(), 3..7), pushes in prop::collection::vec(push(), 8),
        closed: bool, cull in prop_oneof![Just(CullMode::None), Just(CullMode::Back)], aside in [-0.2..0.2f64, -0.2..0.2f64],
    ) {
        let vertices: Vec<_> = std::iter::once(hub).chain(rim.iter().copied()).map(|at| vertex(at, 0.5, 1.0)).collect();
        let elsewhere: Vec<_> = vertices.iter().zip(&pushes).map(|(vertex, push)| moved(vertex, *push)).collect();
        let count = rim.len() - usize::from(!closed);
        let fan = |vertices: &[ClipVertex]| -> Vec<Surface> {
            let triangle = |i: usize| {
                let names = [0, 1 + i, 1 + (i + 1) % rim.len()];
                surface(&names.map(|name| vertices[name]), names.map(|name| name as u32), cull)
            };
            (0..count).map(triangle).collect()
        };
        let (own, other) = (fan(&vertices), fan(&elsewhere));
        let point = [hub[0] + aside[0], hub[1] + aside[1]];
        let members: Vec<u32> =
            (0..count as u32).filter(|&i| coverage(&own[i as usize], point) == Coverage::Maybe).collect();
        let mut patches = Patches::default();
        patches.find(&own, &members, point);
        for root in (0..members.len()).filter(|&member| patches.of[member] == member) {
            let cover = patches.covers[root];
            let hits = members.iter().zip(&patches.of).filter(|&(_, of)| *of == root).filter(|&(&member, _)| {
                let turns = winding(&other[member as usize], point);
                turns != 0 && other[member as usize].shows(turns > 0)
            });
            let hits = hits.count();
            prop_assert!(!cover.surely || hits >= 1, "{cover:?}, but no triangle covers");
            prop_assert!(!cover.once || hits == 1, "{cover:?}, but {hits} triangles cover");
        }
    }
}

#[test]
fn a_closed_fan_surely_covers_its_hub_and_an_open_one_does_not() {
    let rim = [[2.0, 2.0], [14.0, 2.0], [14.0, 14.0], [2.0, 14.0]];
    let hub = [8.0, 8.0];
    let fan: Vec<_> = (0..4)
        .map(|i| {
            let names = [0, 1 + i, 1 + (i + 1) % 4];
            let corner = |name: usize| vertex(if name == 0 { hub } else { rim[name - 1] }, 0.5, 1.0);
            surface(&names.map(corner), names.map(|name| name as u32), CullMode::None)
        })
        .collect();
    let cover = |members: &[u32]| {
        let mut patches = Patches::default();
        patches.find(&fan, members, hub);
        patches.covers[0]
    };
    assert!(fan.iter().all(|triangle| coverage(triangle, hub) == Coverage::Maybe));
    assert!(cover(&[0, 1, 2, 3]).surely && cover(&[0, 1, 2, 3]).once);
    assert!(!cover(&[0, 1, 2]).surely);
}

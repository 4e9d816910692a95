//! [`ClipErrors`]: how far a sample of a triangle that is cut may be shifted.
//!
//! Why it exists: where ground reaches behind the eye, corners of what is left of it lie thousands of pixels beside the picture,
//! and since a place in the window is x ÷ w, what is off in the last digits there is many pixels. The middle of the picture
//! hardly feels that: what clip space errs by counts there by 1/w of the pixel, and not by that of the corner.
//!
//! # Derivation
//!
//! Vⱼ are the corners of a piece that a backend draws, as (a·x, a'·y, w) with the viewport's a and a', so that V.xy ÷ V.w is in pixels
//! from the middle of the window. Each is a point of the exact triangle plus an error of at most e (per component), and is put at
//! Pⱼ = Vⱼ.xy ÷ Vⱼ.w + dⱼ, |dⱼ| ≤ d: the grid. At p = Σ λⱼ·Pⱼ, Σ λⱼ = 1, the weights are proportional to qⱼ = λⱼ ÷ Vⱼ.w, and
//!
//! > Σ qⱼ·Vⱼ = (p − D, 1) with D = Σ λⱼ·dⱼ, so Σ qⱼ·(exact points) = (p − D − S, 1 − T), |S| ≤ R·e_xy, |T| ≤ R·e_w, R = Σ |qⱼ|.
//!
//! They are those of the exact triangle at (p − D − S) ÷ (1 − T), which is no farther from p than
//!
//! > (|D| + R·e_xy + |p|·R·e_w) ÷ (1 − R·e_w).
//!
//! Where the piece covers p no λ is negative, |D| ≤ d and R = Q = Σ qⱼ. Elsewhere, with Σ|λⱼ| ≤ X, |D| ≤ X·d and
//! R ≤ Q + (X − 1) ÷ (the least w). Q is the exact plane Q₀ of 1/w at the same homogeneous point, so that
//!
//! > Q ≤ Q₀(p) + |∇Q₀|·(|D| + R·e_xy) + |Q₀(0)|·R·e_w.
//!
//! Depths are Zⱼ ÷ Vⱼ.w and are added up by λ, so that depth at p is (1 − T) times the exact plane at that place, to within R·e_z.
//!
//! In e are the errors of the vertices, what a backend's own cut rounds, and what division and viewport round: they are relative to
//! a·x ÷ w. A cut lies between two vertices, and no coordinate there is larger than theirs.

use super::{
    clip::CUT_ROUNDINGS,
    planes::{Plane, along, value},
    vertices::{ClipVertex, Window},
};

/// What is known of errors in clip space, for a triangle and all its pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClipErrors {
    /// e of a·x and a'·y, in pixels times w.
    place: [f64; 2],
    /// e of w.
    w: f64,
    /// e of depth times w.
    depth: f64,
    /// d, in pixels.
    window: [f64; 2],
    /// What a stored depth is off.
    stored: f64,
    /// The middle of the window.
    middle: [f64; 2],
    /// Q₀ over the window.
    inverse_w: Plane,
    /// 1 ÷ the least w of a corner.
    nearest: f64,
}

/// What they do to a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    /// How far it may be shifted, in pixels.
    pub(super) shift: [f64; 2],
    /// How far depth may be off beside that, as a part of itself …
    pub(super) relative_depth: f64,
    /// … and in sum.
    pub(super) depth: f64,
}

impl ClipErrors {
    /// Of a triangle with these vertices, whose w have the reciprocal `inverse_w` over the window, and are no less than
    /// `least_w` where something of it is drawn.
    pub(super) fn new(window: &Window, vertices: &[ClipVertex; 3], inverse_w: Plane, least_w: f64) -> Self {
        let freedoms = &window.freedoms;
        let most = |of: &dyn Fn(&ClipVertex) -> f64| vertices.iter().map(of).fold(0.0, f64::max);
        let size = |axis: usize| most(&|vertex| vertex.position[axis].abs() + vertex.radius[axis]);
        let error = |axis: usize| most(&|vertex| vertex.radius[axis]) + CUT_ROUNDINGS * size(axis);
        let [[across, right], [down, below]] = window.viewport();
        let [deep, front] = window.depth_range();
        let rounding = 2.0 * freedoms.arithmetic;
        let scaled = |axis: usize, scale: f64| {
            let of_quotient = (freedoms.division + rounding) * (size(axis) + error(axis));
            scale.abs() * (error(axis) + of_quotient)
        };
        Self {
            place: [scaled(0, across), scaled(1, down)],
            w: error(3),
            depth: scaled(2, deep) + front.abs() * error(3),
            window: [right, below].map(|offset| freedoms.snap + rounding * offset.abs()),
            stored: freedoms.depth + rounding * front.abs(),
            middle: [right, below],
            inverse_w,
            nearest: 1.0 / (least_w - error(3)).max(0.0),
        }
    }

    /// The same where the grid moves nothing.
    pub(super) fn off_grid(&self, grid: f64) -> Self {
        Self { window: self.window.map(|window| (window - grid).max(0.0)), ..*self }
    }

    /// At a point where Σ|λ| is at most `extrapolation`; `None` where nothing is claimed.
    pub(super) fn at(&self, point: [f64; 2], extrapolation: f64) -> Option<Doubt> {
        let aside = [0, 1].map(|axis: usize| (point[axis] - self.middle[axis]).abs());
        let grid = self.window.map(|window| extrapolation * window);
        let outside = if extrapolation > 1.0 { (extrapolation - 1.0) * self.nearest } else { 0.0 };
        let in_the_middle = value(&self.inverse_w, self.middle).abs();
        let bend = along(&self.inverse_w, self.place) + in_the_middle * self.w;
        let exact = value(&self.inverse_w, point).max(0.0) + along(&self.inverse_w, grid);
        let sum = (exact + bend * outside) / (1.0 - bend) + outside;
        let turn = sum * self.w;
        // Not numbers are not claimed about either.
        if !(bend < 0.5 && turn < 0.5 && sum.is_finite()) {
            return None;
        }
        let shift = [0, 1].map(|axis| (grid[axis] + sum * self.place[axis] + aside[axis] * turn) / (1.0 - turn));
        Some(Doubt { shift, relative_depth: turn, depth: sum * self.depth + self.stored * extrapolation })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{clip::clip, surface::Surface};
    use refrast_draw::{Convention, CullMode, DrawState};
    use refrast_range::Profile;

    const SIDE: f64 = 16.0;
    const NEAR: f64 = 0.3;

    fn window() -> Window {
        let freedoms = Profile::VulkanMin.freedoms().expect("it grants some");
        Window { width: 16, height: 16, convention: Convention::Vulkan, freedoms, depth_clamp: false }
    }

    /// A vertex this far before the eye, with the depth of a near plane at [`NEAR`].
    fn vertex([x, y]: [f64; 2], w: f64, error: f64) -> ClipVertex {
        ClipVertex { position: [x, y, 1.01 * (w - NEAR), w], radius: [error; 4] }
    }

    fn moved(vertex: &ClipVertex, push: [f64; 4]) -> ClipVertex {
        let position = std::array::from_fn(|i| vertex.position[i] + push[i] * vertex.radius[i]);
        ClipVertex { position, radius: [0.0; 4] }
    }

    /// A backend's piece of a triangle: corners cut at the near plane, each with the weights that it has of the vertices.
    fn pieces(vertices: &[ClipVertex; 3]) -> Vec<([f64; 4], [f64; 3])> {
        let mut left = Vec::new();
        for i in 0..3 {
            let (own, next) = (i, (i + 1) % 3);
            let [here, there] = [own, next].map(|i: usize| vertices[i].position[2]);
            let of = |i: usize| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 });
            if here >= 0.0 {
                left.push((vertices[own].position, of(own)));
            }
            if (here >= 0.0) != (there >= 0.0) {
                let part = here / (here - there);
                let mix = |a: f64, b: f64| a + part * (b - a);
                let (a, b): ([f64; 3], [f64; 3]) = (of(own), of(next));
                let position = std::array::from_fn(|k| mix(vertices[own].position[k], vertices[next].position[k]));
                left.push((position, std::array::from_fn(|k| mix(a[k], b[k]))));
            }
        }
        left
    }

    fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    }

    fn place() -> impl Strategy<Value = [f64; 2]> {
        [-3.0..3.0f64, -3.0..3.0f64]
    }

    fn push<const N: usize>() -> impl Strategy<Value = [f64; N]> {
        let part = prop_oneof![Just(-1.0), Just(1.0), -1.0..1.0f64];
        prop::collection::vec(part, N).prop_map(|parts| parts.try_into().expect("as many as were asked for"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Vertices anywhere in their radii, cut exactly, each corner put anywhere on the grid.
        #[test]
        fn weights_and_depth_of_what_is_cut_are_allowed(
            places in [place(), place(), place()], ahead in [0.4..4.0f64, 0.4..4.0f64], behind in -3.0..0.25f64,
            error in prop_oneof![Just(0.0), 1e-7..1e-4f64, 1e-4..1e-2f64],
            pushes in [push::<4>(), push::<4>(), push::<4>()], grid in push::<8>(),
            parts in [0.0..1.0f64, 0.0..1.0f64], second: bool,
        ) {
            let vertices = [ahead[0], ahead[1], behind];
            let vertices: [ClipVertex; 3] = std::array::from_fn(|i| vertex(places[i], vertices[i], error));
            let elsewhere: [ClipVertex; 3] = std::array::from_fn(|i| moved(&vertices[i], pushes[i]));
            let outline = clip(&window(), &vertices, [0, 1, 2]);
            prop_assume!(outline.is_some());
            let state = DrawState { cull: CullMode::None, ..DrawState::default() };
            let own = Surface::new(&window(), (0, 0, 0, [0, 1, 2]), &vertices, outline.expect("it is there"), state);
            let corners = pieces(&elsewhere);
            let chosen = if second && corners.len() > 3 { [0, 2, 3] } else { [0, 1, 2] };
            prop_assume!(corners.len() >= 3);
            let snap = window().freedoms.snap;
            let at = chosen.map(|i| {
                let [x, y, _, w] = corners[i].0;
                [(x / w + 1.0) * SIDE / 2.0 + snap * grid[2 * i], (y / w + 1.0) * SIDE / 2.0 + snap * grid[2 * i + 1]]
            });
            let [s, t] = if parts[0] + parts[1] > 1.0 { parts.map(|part| 1.0 - part) } else { parts };
            let point: [f64; 2] =
                std::array::from_fn(|axis| at[0][axis] + s * (at[1][axis] - at[0][axis]) + t * (at[2][axis] - at[0][axis]));
            let whole = cross(at[0], at[1], at[2]);
            prop_assume!(whole.abs() > 1e-6);
            let share = [0, 1, 2].map(|i: usize| cross(point, at[(i + 1) % 3], at[(i + 2) % 3]) / whole);
            let over_w = [0, 1, 2].map(|i: usize| share[i] / corners[chosen[i]].0[3]);
            let sum: f64 = over_w.iter().sum();
            let weights: [f64; 3] =
                std::array::from_fn(|k| (0..3).map(|i| over_w[i] / sum * corners[chosen[i]].1[k]).sum::<f64>());
            let depth: f64 = (0..3).map(|i| share[i] * corners[chosen[i]].0[2] / corners[chosen[i]].0[3]).sum();
            let inside = own.center(point, true).own;
            for i in 0..3 {
                let apart = (inside.weights[i] - weights[i]).abs();
                prop_assert!(apart <= inside.radius[i] + 1e-12, "{inside:?} against {weights:?} at {point:?}");
            }
            let allowed = own.depth_at(point);
            prop_assert!(allowed.widened(1e-12).contains(depth), "{depth} is not in {allowed:?}");
        }
    }

    /// Ground of two triangles under the eye, 400 m long: a pixel near its lower edge shows a place that is known to a part of
    /// a pixel, though its corners in the window are not.
    #[test]
    fn the_middle_of_the_picture_does_not_feel_a_corner_beside_the_eye() {
        let freedoms = Profile::Vulkan14.freedoms().expect("it grants some");
        let window = Window { width: 320, height: 180, convention: Convention::Vulkan, freedoms, depth_clamp: false };
        let ground = |x: f64, ahead: f64| vertex([1.4 * x, 2.0], ahead, 1e-5 * ahead.abs().max(1.0));
        let vertices = [ground(-60.0, -13.0), ground(60.0, -13.0), ground(60.0, 400.0)];
        let outline = clip(&window, &vertices, [0, 1, 2]).expect("half of it is ahead");
        let beside = outline.corners().iter().map(|corner| outline.radius(corner)[0]).fold(0.0, f64::max);
        assert!(beside > 3.0, "{beside} pixels");
        let own = Surface::new(&window, (0, 0, 0, [0, 1, 2]), &vertices, outline, DrawState::default());
        // w is 4 where y is 2 ÷ 4 of half the height below the middle, and a pixel is 4 ÷ 1.4 ÷ 160 wide there.
        let seen = own.center([200.5, 135.0], true).own;
        let across = 60.0 * seen.radius.iter().sum::<f64>();
        assert!(across < 3.0 * 0.2 * 4.0 / 1.4 / 160.0, "{across} m: {seen:?}");
    }
}

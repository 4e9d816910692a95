//! [`Planes`]: depth and attributes of a triangle whose corners are only known to be near somewhere.
//!
//! Why it exists: texture levels follow from differences of attributes between neighbouring pixels, where small triangles
//! are extrapolated far. What moved corners can do to a value, and to a difference of two values, is derived here.
//!
//! # Derivation
//!
//! Corner j moves by δⱼ, |δⱼ| ≤ r along each axis, and keeps its attributes. The barycentrics λ' of the moved triangle at p
//! are those of the exact one at p − s(p) with s = Σ λ'ⱼ·δⱼ, as λ is a plane and is 1 at its own corner. So every quantity is the
//! exact one at a point that is shifted by |s| ≤ Σ|λ'ⱼ|·r.
//!
//! - Where the moved triangle covers p no λ' is negative and Σ|λ'| = 1.
//! - Elsewhere Σ|λ'| = Σ σⱼ·λ'ⱼ with signs σⱼ, and λ'ⱼ = λⱼ − ∇λⱼ·s. As Σ∇λ = 0, Σ σⱼ·∇λⱼ is 0 or ±2 times one of the ∇λⱼ. So with
//!   L = Σ|λⱼ(p)| and F = 2·maxⱼ(|∂λⱼ/∂x|·r_x + |∂λⱼ/∂y|·r_y): Σ|λ'ⱼ| ≤ L + F·Σ|λ'ⱼ|, and Σ|λ'ⱼ| ≤ L/(1 − F) for F < 1.
//! - One pixel on, s changes by Δs = Σ (∂λ'ⱼ/∂x)·δⱼ, and likewise Σ|∂λ'ⱼ/∂x| ≤ Σ|∂λⱼ/∂x|/(1 − F).
//!
//! With Q = Σq, b = q/Q, g = (∇q − b·∇Q)/Q and h = ∇Q/Q, all at p, the exact weight at p − s is b − g·s/(1 − h·s). The difference
//! of two pixels 1 and 2 is then off by at most |g₂·Δs|·(1 + ε₂) + |(g₂ − g₁)·s₁| + |g₂·s₁|·ε₂ + |g₁·s₁|·ε₁, where ε = |h·s|/(1 − |h·s|)
//! bounds |1/(1 − h·s) − 1|.

use super::{
    Interval,
    clip::{MOST_CORNERS, Polygon},
    clip_errors::{ClipErrors, Doubt},
    fragment::Shift,
    vertices::{ClipVertex, Corner, Window},
};
use refrast_range::Rounding;

/// The pixels around one, row by row.
pub(super) const NINE: [[f64; 2]; 9] =
    [[-1.0, -1.0], [0.0, -1.0], [1.0, -1.0], [-1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]];

/// `a·x + b·y + c` over the window.
pub(super) type Plane = [f64; 3];

/// The value of a plane at a point.
#[inline(always)]
pub(super) fn value(plane: &Plane, [x, y]: [f64; 2]) -> f64 {
    plane[0] * x + plane[1] * y + plane[2]
}

/// Weights of a triangle's vertices at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    pub(super) weights: [f64; 3],
    pub(super) radius: [f64; 3],
}

/// Weights at the nine pixels around one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbourhood {
    pub(super) weights: [[f64; 3]; 9],
    /// Half of how far the difference of two adjacent ones may be off.
    pub(super) radius: [f64; 3],
    /// The same, as far as all three are off by the same place.
    pub(super) shift: Option<Shift>,
}

/// Radius of a weight about which nothing is known, where points outside of the triangle are asked for.
pub(super) const UNKNOWN: f64 = 1e6;

impl Weights {
    pub(super) const UNKNOWN: Self = Self { weights: [1.0 / 3.0; 3], radius: [UNKNOWN; 3] };
}

impl Neighbourhood {
    pub(super) const UNKNOWN: Self = Self { weights: [[1.0 / 3.0; 3]; 9], radius: [UNKNOWN; 3], shift: None };
}

/// What interpolates over a triangle.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    /// λᵢ/wᵢ.
    over_w: [Plane; 3],
    depth: Plane,
    /// Barycentrics of the outline's largest three corners.
    spread: [Plane; 3],
    /// The largest relative error of a corner's w.
    relative_w: f64,
    /// F of the derivation: below 1 where the triangle keeps an area.
    pub(super) flexibility: f64,
    /// The largest depth radius of a corner.
    depth_radius: f64,
    /// The largest radius of a corner.
    radius: [f64; 2],
    /// What is known of a triangle that is cut: there corners far beside the picture say little of what is in it.
    cut: Option<Box<ClipErrors>>,
    /// The part of it that the grid has, where attributes may be interpolated without the grid.
    grid: Option<f64>,
    /// What a plane equation in f32 errs by, as a shift of the sample: a slope is a quotient of differences of products
    /// (six units of rounding: a difference, a product, another difference, three for the division) and is multiplied and added
    /// to, over no more than the window's side.
    equation: [f64; 2],
    arithmetic: f64,
    division: f64,
}

/// What corners that do not move say of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    /// Q of the derivation, and ∇Q.
    sum: f64,
    slope: [f64; 2],
    weights: [f64; 3],
    /// g of the derivation.
    slopes: [[f64; 2]; 3],
}

/// A weight's value and slope at a point, and how far they may be off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    weights: [f64; 3],
    /// g of the derivation.
    slopes: [[f64; 2]; 3],
    /// How far the sample may be shifted.
    shift: [f64; 2],
    /// ε of the derivation.
    bend: f64,
    /// |h·e| of the derivation, e being what a plane equation errs by.
    sway: f64,
    /// Radius of each weight by errors that have nothing to do with the shift.
    rounding: [f64; 3],
}

/// F of the derivation; infinite where it is not a number, so that nothing is claimed of corners that have no place.
fn flexibility(spread: &[Plane; 3], radius: [f64; 2]) -> f64 {
    let moved = spread.map(|plane| along(&plane, radius));
    // A sum keeps what `max` passes over.
    if moved.iter().sum::<f64>().is_nan() { f64::INFINITY } else { 2.0 * moved.into_iter().fold(0.0, f64::max) }
}

impl Planes {
    /// `None` for a triangle without any area.
    pub(super) fn new(window: &Window, corners: &[ClipVertex; 3], outline: &Polygon) -> Option<Self> {
        let [[ax, bx], [ay, by]] = window.viewport();
        let v: [[f64; 3]; 3] = std::array::from_fn(|i| {
            let [x, y, _, w] = corners[i].position;
            match outline.corners().get(i) {
                // Interpolated from where the grid has put it.
                Some(own) if !outline.is_cut() && own.at != own.exact => [own.at[0] * w, own.at[1] * w, w],
                _ => [ax * x + bx * w, ay * y + by * w, w],
            }
        });
        let normals = [cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])];
        let determinant = (0..3).map(|i| v[0][i] * normals[0][i]).sum::<f64>();
        if determinant == 0.0 || !determinant.is_finite() {
            return None;
        }
        let over_w = normals.map(|normal| normal.map(|component| component / determinant));
        let [az, bz] = window.depth_range();
        let z = corners.map(|corner| az * corner.position[2] + bz * corner.position[3]);
        let depth = std::array::from_fn(|i| (0..3).map(|corner| over_w[corner][i] * z[corner]).sum());
        let spread = spread(outline)?;
        let of_corners = outline.corners().iter();
        // A cut triangle is known by its exact vertices.
        let radius_of = |corner: &Corner| if outline.is_cut() { corner.reach } else { outline.radius(corner) };
        let radius =
            [0, 1].map(|axis| of_corners.clone().fold(0.0, |most: f64, corner| most.max(radius_of(corner)[axis])));
        let cut = outline.is_cut().then(|| {
            let inverse_w = std::array::from_fn(|i| over_w.iter().map(|plane| plane[i]).sum());
            // 1/w is a plane: over what is left it is largest at a corner.
            let largest = of_corners.clone().map(|corner| value(&inverse_w, corner.exact)).fold(0.0, f64::max);
            Box::new(ClipErrors::new(window, corners, inverse_w, 1.0 / largest))
        });
        let planes = Self {
            over_w,
            cut,
            depth,
            relative_w: corners.iter().map(|corner| window.relative_w(corner)).fold(0.0, f64::max),
            flexibility: flexibility(&spread, radius),
            spread,
            depth_radius: of_corners.map(|corner| corner.depth.radius()).fold(0.0, f64::max),
            radius,
            grid: window.freedoms.attributes_off_grid.then_some(window.freedoms.snap),
            equation: [window.width, window.height].map(|side| 8.0 * Rounding::Nearest.unit() * f64::from(side)),
            arithmetic: window.freedoms.arithmetic,
            division: window.freedoms.division,
        };
        let finite = over_w.iter().flatten().all(|number| number.is_finite());
        finite.then_some(planes)
    }

    /// The same for positions that were not rounded to the grid, where attributes may be interpolated from those: a
    /// sample that is covered only thanks to the grid lies outside of the triangle then, and is extrapolated.
    pub(super) fn off_grid(&self) -> Option<Self> {
        let grid = self.grid?;
        let (radius, flexibility) = self.movement_off_grid(grid);
        let cut = self.cut.as_deref().map(|cut| Box::new(cut.off_grid(grid)));
        Some(Self { radius, flexibility, cut, grid: None, ..self.clone() })
    }

    /// How far corners may be off that were not rounded to the grid, and F of that.
    fn movement_off_grid(&self, grid: f64) -> ([f64; 2], f64) {
        let radius = self.radius.map(|radius| (radius - grid).max(0.0));
        (radius, flexibility(&self.spread, radius))
    }

    /// The depth slope that counts for a bias: between the larger of its parts and its length; `None` where the triangle may
    /// turn anyhow.
    pub(super) fn steepness(&self) -> Option<Interval> {
        if self.flexibility >= 1.0 {
            return None;
        }
        let change = [0, 1]
            .map(|axis| self.spread.iter().map(|plane| plane[axis].abs()).sum::<f64>() / (1.0 - self.flexibility));
        let [right, down] = [0, 1].map(|axis: usize| {
            let turned = along(&self.depth, self.radius.map(|radius| radius * change[axis]));
            let rounding = 16.0 * self.arithmetic * self.depth[axis].abs();
            Interval::around(self.depth[axis].abs(), turned + self.depth_radius * change[axis] + rounding)
        });
        let low = right.low.max(down.low).max(0.0);
        Some(Interval { low, high: libm::hypot(right.high, down.high) })
    }

    /// The largest Σ|λ'| at a point, for a flexibility below 1.
    pub(super) fn extrapolation(&self, point: [f64; 2]) -> f64 {
        self.sum_of_barycentrics(point).max(1.0) / (1.0 - self.flexibility)
    }

    /// Σ|λ|.
    #[inline(always)]
    fn sum_of_barycentrics(&self, point: [f64; 2]) -> f64 {
        self.spread.iter().map(|plane| value(plane, point).abs()).sum()
    }

    /// How far a sample may be shifted where Σ|λ'| is `extrapolation`, and by how much of itself 1/w of a vertex may be off
    /// beside.
    fn shift(&self, point: [f64; 2], extrapolation: f64) -> ([f64; 2], f64) {
        match self.cut.as_deref().and_then(|cut| cut.at(point, extrapolation)) {
            Some(doubt) => ([0, 1].map(|axis| doubt.shift[axis] + self.equation[axis]), self.division),
            None => ([0, 1].map(|axis| self.radius[axis] * extrapolation + self.equation[axis]), self.relative_w),
        }
    }

    /// Depth at a point where Σ|λ'| is at most `extrapolation`; `rounding` is what it is off by arithmetic.
    pub(super) fn depth_at(&self, point: [f64; 2], extrapolation: f64, rounding: f64) -> Interval {
        let depth = value(&self.depth, point);
        let slope = along(&self.depth, self.shift(point, extrapolation).0);
        let own = match self.cut.as_deref().and_then(|cut| cut.at(point, extrapolation)) {
            Some(Doubt { relative_depth, depth: own, .. }) => own + relative_depth * (depth.abs() + slope),
            None => self.depth_radius * extrapolation,
        };
        Interval::around(depth, slope + own + rounding * extrapolation)
    }

    /// Weights with their radii.
    pub(super) fn weights(&self, local: &Local) -> Weights {
        let moved = |i: usize| along(&local.slopes[i], local.shift) * (1.0 + local.bend);
        Weights { weights: local.weights, radius: std::array::from_fn(|i| moved(i) + local.rounding[i]) }
    }

    /// Where weights are taken from; `None` of a triangle that is cut, of which more is known by its weights.
    ///
    /// All weights have the shift of the corners in common, t = s/(1 − h·s), and each has the error e of its own plane equation. With
    /// that it is taken at (s + e)/(1 − h·(s + e)), which is off t by (e + s·(h·e)/(1 − h·s))/(1 − h·(s + e)).
    pub(super) fn shifted(&self, local: &Local) -> Option<Shift> {
        if self.cut.is_some() {
            return None;
        }
        let most = 1.0 + local.bend;
        let rest = |i: usize| {
            let slope = &local.slopes[i];
            let own = along(slope, self.equation) + along(slope, local.shift) * local.sway * most;
            own * most + local.rounding[i]
        };
        Some(Shift {
            weights: local.weights,
            slopes: local.slopes,
            reach: [0, 1].map(|axis| (local.shift[axis] - self.equation[axis]) * most),
            rest: [0, 1, 2].map(rest),
        })
    }

    /// Where those take weights from who do and who do not interpolate off the grid, at a point that the triangle covers; `None` where
    /// nothing is claimed of either, and of a triangle that is cut.
    ///
    /// Off the grid a sample may be covered thanks to the grid alone, and is extrapolated.
    pub(super) fn shifted_inside(&self, exact: &Exact, point: [f64; 2], inside: &Local) -> Option<Shift> {
        let own = self.shifted(inside)?;
        let Some(grid) = self.grid else { return Some(own) };
        let (radius, flexibility) = self.movement_off_grid(grid);
        if flexibility >= 1.0 {
            return None;
        }
        let extrapolation = self.sum_of_barycentrics(point).max(1.0) / (1.0 - flexibility);
        let shift = [0, 1].map(|axis: usize| radius[axis] * extrapolation + self.equation[axis]);
        let other = self.shifted(&self.moved(exact, extrapolation, (shift, self.relative_w))?)?;
        Some(Shift {
            reach: [0, 1].map(|axis| own.reach[axis].max(other.reach[axis])),
            rest: [0, 1, 2].map(|i| own.rest[i].max(other.rest[i])),
            ..own
        })
    }

    /// Weights at the pixels around `center`, where they are `middle`; for a flexibility below 1.
    pub(super) fn neighbourhood(&self, center: [f64; 2], middle: &Local) -> Option<Neighbourhood> {
        let mut around = [*middle; 9];
        for (place, (local, [x, y])) in around.iter_mut().zip(NINE).enumerate() {
            if place != 4 {
                let point = [center[0] + x, center[1] + y];
                *local = self.local(&self.exact(point), point, self.extrapolation(point))?;
            }
        }
        let step = [0, 1].map(|axis| {
            let slopes = self.spread.iter().map(|plane| plane[axis].abs()).sum::<f64>();
            let change = slopes / (1.0 - self.flexibility);
            self.radius.map(|radius| change * radius)
        });
        let mut radius = [0.0f64; 3];
        let slopes = middle.slopes;
        let (mut reach, mut rest) = ([0.0f64; 2], [0.0f64; 3]);
        for place in 0..9 {
            let pairs = [(place % 3 < 2, place + 1, step[0]), (place < 6, place + 3, step[1])];
            for (_, next, step) in pairs.into_iter().filter(|&(inside, ..)| inside) {
                let (here, there) = (&around[place], &around[next]);
                let pair = |of: &dyn Fn(&Local) -> [f64; 2]| [of(here), of(there)];
                for (i, radius) in radius.iter_mut().enumerate() {
                    let turning = pair(&|local| local.slopes[i]);
                    *radius = radius.max(0.5 * self.difference((here, there), turning, step, i));
                }
                for (axis, reach) in reach.iter_mut().enumerate() {
                    let common = step[axis] * (1.0 + there.bend) + here.shift[axis] * (here.bend + there.bend);
                    *reach = reach.max(0.5 * common);
                }
                for (i, rest) in rest.iter_mut().enumerate() {
                    // What slopes differ from those in the middle is each weight's own.
                    let turning = pair(&|local| [0, 1].map(|axis| local.slopes[i][axis] - slopes[i][axis]));
                    let equation = [here.slopes[i], there.slopes[i]];
                    let own = self.difference((here, there), turning, step, i)
                        + equation.iter().map(|slope| along(slope, self.equation)).sum::<f64>();
                    *rest = rest.max(0.5 * own);
                }
            }
        }
        let weights = around.map(|local| local.weights);
        let shift = self.cut.is_none().then_some(Shift { weights: weights[4], slopes, reach, rest });
        Some(Neighbourhood { weights, radius, shift })
    }

    /// How far the difference of weight `i` between two pixels may be off while the shift changes by `step` between them, as far as
    /// it hangs on these slopes.
    #[inline(always)]
    fn difference(&self, (here, there): (&Local, &Local), [g1, g2]: [[f64; 2]; 2], step: [f64; 2], i: usize) -> f64 {
        let turned = [g2[0] - g1[0], g2[1] - g1[1]];
        along(&g2, step) * (1.0 + there.bend)
            + along(&turned, here.shift)
            + along(&g2, here.shift) * there.bend
            + along(&g1, here.shift) * here.bend
            // The plane equation errs in each pixel on its own.
            + along(&g1, self.equation)
            + along(&g2, self.equation)
            + here.rounding[i]
            + there.rounding[i]
    }

    /// What the corners themselves say of a point.
    #[inline(always)]
    pub(super) fn exact(&self, point: [f64; 2]) -> Exact {
        let q = [0, 1, 2].map(|i| value(&self.over_w[i], point));
        let sum: f64 = q.iter().sum();
        let slope = [0, 1].map(|axis| self.over_w.iter().map(|plane| plane[axis]).sum::<f64>());
        let weights = q.map(|q| q / sum);
        let slopes = [0, 1, 2].map(|i| [0, 1].map(|axis| (self.over_w[i][axis] - weights[i] * slope[axis]) / sum));
        Exact { sum, slope, weights, slopes }
    }

    /// What is known of a point where Σ|λ'| is at most `extrapolation`; `None` where weights may be anything.
    #[inline(always)]
    pub(super) fn local(&self, exact: &Exact, point: [f64; 2], extrapolation: f64) -> Option<Local> {
        self.moved(exact, extrapolation, self.shift(point, extrapolation))
    }

    /// Relative errors ε of the wᵢ change bᵢ by at most 2ε·|bᵢ|·Σ|b| / (1 − ε·Σ|b|), and a backend rounds eight times on the
    /// way.
    #[inline(always)]
    fn moved(&self, exact: &Exact, extrapolation: f64, (shift, relative_w): ([f64; 2], f64)) -> Option<Local> {
        let Exact { sum, slope, weights, slopes } = *exact;
        let bent = along(&slope, shift) / sum;
        if sum.is_nan() || sum <= 0.0 || bent >= 0.5 {
            return None;
        }
        let size = weights.iter().map(|weight| weight.abs()).sum::<f64>();
        let relative = relative_w * size;
        if relative >= 0.5 {
            return None;
        }
        let rounding = 8.0 * self.arithmetic * (size + extrapolation);
        Some(Local {
            weights,
            slopes,
            shift,
            bend: bent / (1.0 - bent),
            sway: along(&slope, self.equation) / sum,
            rounding: weights.map(|weight| 4.0 * weight.abs() * relative + rounding),
        })
    }
}

/// How much a slope adds up to over a shift in the worst direction.
#[inline(always)]
pub(super) fn along(slope: &[f64], shift: [f64; 2]) -> f64 {
    slope[0].abs() * shift[0] + slope[1].abs() * shift[1]
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Barycentrics of those three corners of an outline that span the largest area.
fn spread(outline: &Polygon) -> Option<[Plane; 3]> {
    let place = |corner: &Corner| if outline.is_cut() { corner.exact } else { corner.at };
    let mut corners = [[0.0; 2]; MOST_CORNERS];
    let corners = &mut corners[..outline.corners().len()];
    corners.iter_mut().zip(outline.corners()).for_each(|(at, corner)| *at = place(corner));
    let mut best = (0.0, [0, 1, 2]);
    for second in 1..corners.len() {
        for third in second + 1..corners.len() {
            let area = cross2(corners[0], corners[second], corners[third]).abs();
            if area > best.0 {
                best = (area, [0, second, third]);
            }
        }
    }
    let (area, chosen) = best;
    if area == 0.0 {
        return None;
    }
    let points = chosen.map(|i| corners[i]);
    let area = cross2(points[0], points[1], points[2]);
    Some([0, 1, 2].map(|i| {
        let ([bx, by], [cx, cy]) = (points[(i + 1) % 3], points[(i + 2) % 3]);
        [(by - cy) / area, (cx - bx) / area, (bx * cy - by * cx) / area]
    }))
}

/// Twice the area of a triangle, positive when clockwise, y down.
pub(super) fn cross2(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

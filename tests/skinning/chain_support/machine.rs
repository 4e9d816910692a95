//! Arithmetic in f32 or f64, in the order and with the operations of a style.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// f32 or f64.
pub(crate) trait Real:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Send
    + Sync
    + 'static
{
    /// Rounded where it must be.
    fn of(number: f64) -> Self;
    fn f64(self) -> f64;
    fn fused(self, by: Self, plus: Self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn acos(self) -> Self;
    fn atan2(self, x: Self) -> Self;

    fn max(self, other: Self) -> Self {
        if self < other { other } else { self }
    }

    fn abs(self) -> Self {
        if self < Self::of(0.0) { -self } else { self }
    }
}

macro_rules! real {
    ($number:ty, $sqrt:path, $sin:path, $acos:path, $atan2:path) => {
        impl Real for $number {
            fn of(number: f64) -> Self {
                number as $number
            }

            fn f64(self) -> f64 {
                f64::from(self)
            }

            #[expect(clippy::disallowed_methods, reason = "these are other people's backends, which fuse")]
            fn fused(self, by: Self, plus: Self) -> Self {
                self.mul_add(by, plus)
            }

            fn sqrt(self) -> Self {
                $sqrt(self)
            }

            fn sin(self) -> Self {
                $sin(self)
            }

            fn acos(self) -> Self {
                $acos(self)
            }

            fn atan2(self, x: Self) -> Self {
                $atan2(self, x)
            }
        }
    };
}

real!(f32, libm::sqrtf, libm::sinf, libm::acosf, libm::atan2f);
real!(f64, libm::sqrt, libm::sin, libm::acos, libm::atan2);

/// What a backend is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) name: &'static str,
    /// Products are fused with the sum that they go into.
    pub(crate) fused: bool,
    /// Sums run from the last term to the first.
    pub(crate) reversed: bool,
    pub(crate) hierarchy: Hierarchy,
    pub(crate) joints: Joints,
    pub(crate) blend: Blend,
    pub(crate) slerp: Slerp,
    /// The normalised mean is taken above this dot product, or the mean as it is.
    pub(crate) near: (f64, bool),
    pub(crate) keys: Keys,
    pub(crate) unit_nodes: bool,
    /// a + t(b − a) in place of (1 − t)a + tb; Hermite by Horner.
    pub(crate) differences: bool,
    /// Rotation matrices from w² + x² − y² − z² …
    pub(crate) homogeneous: bool,
    /// Matrices of nodes are taken apart and composed again.
    pub(crate) takes_apart: bool,
    /// Weights are divided by their sum, whatever it is.
    pub(crate) divides_weights: bool,
    /// Unit length by a reciprocal.
    pub(crate) reciprocals: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hierarchy {
    ParentsFirst,
    /// L₀(L₁(L₂…))
    WalkUp,
    /// ((parent·T)·R)·S, as matrix stacks have it.
    Stack,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Joints {
    /// world · inverse bind
    World,
    /// L₀(L₁(…·inverse bind))
    BindFirst,
    /// node·((node⁻¹·world)·inverse bind)
    RelativeToMesh,
    /// node·(node⁻¹·(world·inverse bind))
    BackToMesh,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Blend {
    Matrices,
    Vertices,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slerp {
    /// acos(dot)
    Cosine,
    /// 2·atan2(|a − b|, |a + b|)
    Chord,
    /// s = √(1 − dot²), atan2(s, dot), and s for the sine too
    Root,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Keys {
    Stored,
    Unit,
    UnitAfter,
}

const PLAIN: Style = Style {
    name: "plain",
    fused: false,
    reversed: false,
    hierarchy: Hierarchy::ParentsFirst,
    joints: Joints::World,
    blend: Blend::Matrices,
    slerp: Slerp::Cosine,
    near: (0.9995, true),
    keys: Keys::Unit,
    unit_nodes: true,
    differences: false,
    homogeneous: false,
    takes_apart: false,
    divides_weights: false,
    reciprocals: false,
};

/// Right backends.
pub(crate) const STYLES: [Style; 10] = [
    PLAIN,
    Style {
        name: "fused, walking up, vertices blended",
        fused: true,
        hierarchy: Hierarchy::WalkUp,
        blend: Blend::Vertices,
        slerp: Slerp::Chord,
        homogeneous: true,
        ..PLAIN
    },
    Style {
        name: "reversed, matrix stack, differences",
        reversed: true,
        hierarchy: Hierarchy::Stack,
        differences: true,
        near: (1.0 - 1e-6, true),
        reciprocals: true,
        ..PLAIN
    },
    Style {
        name: "relative to the mesh, keys as stored",
        joints: Joints::RelativeToMesh,
        keys: Keys::Stored,
        unit_nodes: false,
        near: (1.0 - 1e-7, true),
        divides_weights: true,
        ..PLAIN
    },
    Style {
        name: "back to the mesh, fused, vertices blended",
        joints: Joints::BackToMesh,
        fused: true,
        blend: Blend::Vertices,
        keys: Keys::UnitAfter,
        differences: true,
        ..PLAIN
    },
    Style {
        name: "bind first, reversed and fused, matrices taken apart",
        joints: Joints::BindFirst,
        reversed: true,
        fused: true,
        takes_apart: true,
        divides_weights: true,
        reciprocals: true,
        ..PLAIN
    },
    Style {
        name: "as stored, the angle by the chord",
        keys: Keys::Stored,
        slerp: Slerp::Chord,
        unit_nodes: false,
        near: (2.0, true),
        ..PLAIN
    },
    Style {
        name: "the sine by the root, means left as they are",
        slerp: Slerp::Root,
        near: (1.0 - 1e-5, false),
        hierarchy: Hierarchy::WalkUp,
        differences: true,
        takes_apart: true,
        ..PLAIN
    },
    Style {
        name: "keys as stored, nodes at unit length",
        keys: Keys::Stored,
        near: (0.9995, true),
        joints: Joints::BackToMesh,
        reversed: true,
        ..PLAIN
    },
    Style {
        name: "nodes as stored, normalised after",
        keys: Keys::UnitAfter,
        unit_nodes: false,
        near: (0.999_999, true),
        homogeneous: false,
        fused: true,
        ..PLAIN
    },
];

pub(crate) type Rows<T> = [[T; 4]; 3];

impl Style {
    /// Σ aᵢbᵢ + Σ cᵢ.
    pub(crate) fn sum<T: Real>(&self, products: &[(T, T)], others: &[T]) -> T {
        let mut sum: Option<T> = None;
        let product = |&(a, b): &(T, T), sum: &mut Option<T>| {
            *sum = Some(match *sum {
                None => a * b,
                Some(sum) if self.fused => a.fused(b, sum),
                Some(sum) => sum + a * b,
            });
        };
        let other = |&c: &T, sum: &mut Option<T>| *sum = Some(sum.map_or(c, |sum| sum + c));
        if self.reversed {
            others.iter().rev().for_each(|c| other(c, &mut sum));
            products.iter().rev().for_each(|pair| product(pair, &mut sum));
        } else {
            products.iter().for_each(|pair| product(pair, &mut sum));
            others.iter().for_each(|c| other(c, &mut sum));
        }
        sum.unwrap_or(T::of(0.0))
    }

    pub(crate) fn dot<T: Real, const N: usize>(&self, a: [T; N], b: [T; N]) -> T {
        let pairs: [(T, T); N] = std::array::from_fn(|i| (a[i], b[i]));
        self.sum(&pairs, &[])
    }

    pub(crate) fn normalize<T: Real, const N: usize>(&self, v: [T; N]) -> [T; N] {
        let length = self.dot(v, v).sqrt();
        let inverse = T::of(1.0) / length;
        v.map(|x| if self.reciprocals { x * inverse } else { x / length })
    }

    pub(crate) fn product<T: Real>(&self, a: &Rows<T>, b: &Rows<T>) -> Rows<T> {
        a.map(|row| {
            let along = |c: usize| [(row[0], b[0][c]), (row[1], b[1][c]), (row[2], b[2][c])];
            [
                self.sum(&along(0), &[]),
                self.sum(&along(1), &[]),
                self.sum(&along(2), &[]),
                self.sum(&along(3), &[row[3]]),
            ]
        })
    }

    /// The matrix times (v, w) for w = 0 or 1.
    pub(crate) fn apply<T: Real>(&self, m: &Rows<T>, v: [T; 3], point: bool) -> [T; 3] {
        m.map(|row| {
            let pairs = [(row[0], v[0]), (row[1], v[1]), (row[2], v[2])];
            if point { self.sum(&pairs, &[row[3]]) } else { self.sum(&pairs, &[]) }
        })
    }

    pub(crate) fn cross<T: Real>(&self, a: [T; 3], b: [T; 3]) -> [T; 3] {
        let minor = |i: usize, j: usize| self.sum(&[(a[i], b[j]), (-a[j], b[i])], &[]);
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    }

    pub(crate) fn cofactor<T: Real>(&self, m: &Rows<T>) -> ([[T; 3]; 3], T) {
        let [a, b, c] = m.map(|row| [row[0], row[1], row[2]]);
        let cofactor = [self.cross(b, c), self.cross(c, a), self.cross(a, b)];
        (cofactor, self.dot(a, cofactor[0]))
    }

    pub(crate) fn inverse<T: Real>(&self, m: &Rows<T>) -> Rows<T> {
        let (cofactor, determinant) = self.cofactor(m);
        let block: [[T; 3]; 3] =
            std::array::from_fn(|row| std::array::from_fn(|column| cofactor[column][row] / determinant));
        std::array::from_fn(|row| {
            let moved = self.dot(block[row], [m[0][3], m[1][3], m[2][3]]);
            [block[row][0], block[row][1], block[row][2], -moved]
        })
    }
}

pub(crate) fn identity<T: Real>() -> Rows<T> {
    std::array::from_fn(|row| std::array::from_fn(|column| T::of(f64::from(u8::from(row == column)))))
}

//! Local and world matrices and morph weights, from the file at a time.

use serde_json::Value;

use super::{
    Mistake,
    file::{File, array, index},
    machine::{Hierarchy, Keys, Real, Rows, Slerp, Style, identity},
};

pub(crate) struct Pose<T> {
    pub(crate) locals: Vec<Rows<T>>,
    pub(crate) worlds: Vec<Rows<T>>,
    pub(crate) weights: Vec<Vec<T>>,
}

struct Parts<T> {
    translation: [T; 3],
    rotation: [T; 4],
    scale: [T; 3],
    matrix: Option<Rows<T>>,
    animated: bool,
}

fn numbers<T: Real, const N: usize>(value: &Value, default: [f64; N]) -> [T; N] {
    let given: Vec<f64> = array(value).map(|number| number.as_f64().unwrap()).collect();
    std::array::from_fn(|i| T::of(given.get(i).copied().unwrap_or(default[i])))
}

impl<T: Real> Pose<T> {
    pub(crate) fn new(file: &File, clip: Option<(usize, f64)>, style: &Style, mistake: Option<Mistake>) -> Self {
        let mut parts: Vec<Parts<T>> = file.nodes().iter().map(|node| rest(node, style)).collect();
        let mut weights: Vec<Vec<T>> = file.nodes().iter().map(|node| rest_weights(file, node, mistake)).collect();
        if let Some((animation, time)) = clip {
            let animation = &file.json["animations"][animation];
            for channel in array(&animation["channels"]) {
                let Some(node) = index(&channel["target"]["node"]) else { continue };
                let sampler = &animation["samplers"][index(&channel["sampler"]).unwrap()];
                let path = channel["target"]["path"].as_str().unwrap();
                let value = Sampler::<T>::new(file, sampler, path, weights[node].len()).at(T::of(time), style, mistake);
                let part = &mut parts[node];
                match path {
                    "translation" => part.translation = std::array::from_fn(|i| value[i]),
                    "scale" => part.scale = std::array::from_fn(|i| value[i]),
                    "rotation" => {
                        part.rotation = std::array::from_fn(|i| value[i]);
                        part.animated = true;
                    }
                    _ => weights[node] = value,
                }
            }
        }
        let locals: Vec<Rows<T>> = parts.iter().map(|part| local(part, style, mistake)).collect();
        let parents = file.parents();
        let worlds = (0..parts.len()).map(|node| world(node, &parents, &locals, &parts, style, mistake)).collect();
        Self { locals, worlds, weights }
    }
}

fn rest<T: Real>(node: &Value, style: &Style) -> Parts<T> {
    let matrix = node["matrix"].is_array().then(|| {
        let columns: [T; 16] = numbers(&node["matrix"], [0.0; 16]);
        std::array::from_fn(|row| std::array::from_fn(|column| columns[4 * column + row]))
    });
    let rotation: [T; 4] = numbers(&node["rotation"], [0.0, 0.0, 0.0, 1.0]);
    Parts {
        translation: numbers(&node["translation"], [0.0; 3]),
        rotation: if style.unit_nodes { style.normalize(rotation) } else { rotation },
        scale: numbers(&node["scale"], [1.0; 3]),
        matrix,
        animated: false,
    }
}

fn rest_weights<T: Real>(file: &File, node: &Value, mistake: Option<Mistake>) -> Vec<T> {
    let Some(mesh) = index(&node["mesh"]) else { return Vec::new() };
    let mesh = &file.json["meshes"][mesh];
    let targets = array(&mesh["primitives"][0]["targets"]).count();
    let own = if node["weights"].is_array() && mistake != Some(Mistake::NodeWeightsIgnored) {
        &node["weights"]
    } else {
        &mesh["weights"]
    };
    let given: Vec<f64> = array(own).map(|weight| weight.as_f64().unwrap()).collect();
    (0..targets).map(|target| T::of(given.get(target).copied().unwrap_or(0.0))).collect()
}

/// 1 − 2(y² + z²) …, or w² + x² − y² − z² …
fn rotation<T: Real>([x, y, z, w]: [T; 4], style: &Style) -> Rows<T> {
    let (zero, one, two) = (T::of(0.0), T::of(1.0), T::of(2.0));
    let diagonal = |p: T, q: T, r: T| match style.homogeneous {
        true => style.sum(&[(w, w), (p, p), (-q, q), (-r, r)], &[]),
        false => one - two * style.sum(&[(q, q), (r, r)], &[]),
    };
    let off = |a: T, b: T, c: T| two * style.sum(&[(a, b), (c, w)], &[]);
    [
        [diagonal(x, y, z), off(x, y, -z), off(x, z, y), zero],
        [off(x, y, z), diagonal(y, x, z), off(y, z, -x), zero],
        [off(x, z, -y), off(y, z, x), diagonal(z, x, y), zero],
    ]
}

fn translation<T: Real>(t: [T; 3]) -> Rows<T> {
    let mut matrix = identity();
    (0..3).for_each(|row| matrix[row][3] = t[row]);
    matrix
}

fn scaling<T: Real>(s: [T; 3]) -> Rows<T> {
    let mut matrix = identity();
    (0..3).for_each(|row| matrix[row][row] = s[row]);
    matrix
}

fn local<T: Real>(parts: &Parts<T>, style: &Style, mistake: Option<Mistake>) -> Rows<T> {
    if let Some(matrix) = parts.matrix {
        return if style.takes_apart { composed_again(&matrix, style) } else { matrix };
    }
    let turned = rotation(parts.rotation, style);
    let mut local = match mistake {
        Some(Mistake::ScaleAfterRotation) => style.product(&scaling(parts.scale), &turned),
        _ => turned.map(|[x, y, z, w]| [x * parts.scale[0], y * parts.scale[1], z * parts.scale[2], w]),
    };
    (0..3).for_each(|row| local[row][3] = parts.translation[row]);
    local
}

/// Scale from the columns, a quaternion from the rest (Shepperd, *Quaternion from rotation matrix*, 1978), and back.
fn composed_again<T: Real>(matrix: &Rows<T>, style: &Style) -> Rows<T> {
    let column = |c: usize| [matrix[0][c], matrix[1][c], matrix[2][c]];
    let (_, determinant) = style.cofactor(matrix);
    let mut scale = [0, 1, 2].map(|c| style.dot(column(c), column(c)).sqrt());
    if determinant < T::of(0.0) {
        scale[0] = -scale[0];
    }
    let m = |row: usize, c: usize| matrix[row][c] / scale[c];
    let one = T::of(1.0);
    let (xx, yy, zz) = (m(0, 0), m(1, 1), m(2, 2));
    let squares = [one + xx - yy - zz, one - xx + yy - zz, one - xx - yy + zz, one + xx + yy + zz];
    let largest = (1..4).fold(0, |largest, i| if squares[i] > squares[largest] { i } else { largest });
    let root = squares[largest].sqrt();
    let half = T::of(0.5) / root;
    let own = T::of(0.5) * root;
    let (x, y, z) = ((m(2, 1) - m(1, 2)) * half, (m(0, 2) - m(2, 0)) * half, (m(1, 0) - m(0, 1)) * half);
    let (xy, xz, yz) = ((m(0, 1) + m(1, 0)) * half, (m(0, 2) + m(2, 0)) * half, (m(1, 2) + m(2, 1)) * half);
    let quaternion = [[own, xy, xz, x], [xy, own, yz, y], [xz, yz, own, z], [x, y, z, own]][largest];
    let turned = rotation(style.normalize(quaternion), style);
    let mut again = turned.map(|[x, y, z, w]| [x * scale[0], y * scale[1], z * scale[2], w]);
    (0..3).for_each(|row| again[row][3] = matrix[row][3]);
    again
}

fn world<T: Real>(
    node: usize,
    parents: &[Option<usize>],
    locals: &[Rows<T>],
    parts: &[Parts<T>],
    style: &Style,
    mistake: Option<Mistake>,
) -> Rows<T> {
    let above = |node: usize| world(node, parents, locals, parts, style, mistake);
    match (parents[node], style.hierarchy) {
        (None, _) => locals[node],
        (Some(parent), _) if mistake == Some(Mistake::ParentsInReverse) => style.product(&locals[node], &above(parent)),
        (Some(parent), Hierarchy::ParentsFirst) => style.product(&above(parent), &locals[node]),
        (Some(parent), Hierarchy::WalkUp) => {
            let (mut matrix, mut next) = (locals[node], Some(parent));
            while let Some(ancestor) = next {
                matrix = style.product(&locals[ancestor], &matrix);
                next = parents[ancestor];
            }
            matrix
        }
        (Some(parent), Hierarchy::Stack) if parts[node].matrix.is_none() => {
            let moved = style.product(&above(parent), &translation(parts[node].translation));
            style.product(&style.product(&moved, &rotation(parts[node].rotation, style)), &scaling(parts[node].scale))
        }
        (Some(parent), Hierarchy::Stack) => style.product(&above(parent), &locals[node]),
    }
}

struct Sampler<T> {
    times: Vec<T>,
    values: Vec<Vec<T>>,
    interpolation: String,
    rotates: bool,
}

impl<T: Real> Sampler<T> {
    fn new(file: &File, sampler: &Value, path: &str, targets: usize) -> Self {
        let times = file.accessor(index(&sampler["input"]).unwrap(), false).into_iter().map(|t: Vec<T>| t[0]).collect();
        let values: Vec<Vec<T>> = file.accessor(index(&sampler["output"]).unwrap(), true);
        let values =
            if path == "weights" { values.concat().chunks(targets).map(<[T]>::to_vec).collect() } else { values };
        let interpolation = sampler["interpolation"].as_str().unwrap_or("LINEAR").to_owned();
        Self { times, values, interpolation, rotates: path == "rotation" }
    }

    fn at(&self, time: T, style: &Style, mistake: Option<Mistake>) -> Vec<T> {
        let cubic = self.interpolation == "CUBICSPLINE";
        let value = |key: usize| &self.values[if cubic { 3 * key + 1 } else { key }];
        let after = self.times.iter().take_while(|t| **t <= time).count();
        let last = self.times.len() - 1;
        let outside = after == 0 || after > last;
        let unclamped = mistake == Some(Mistake::TimeNotClamped) && last > 0;
        if outside && !unclamped {
            return self.alone(value(if after == 0 { 0 } else { last }), style);
        }
        let key = after.clamp(1, last) - 1;
        let interval = self.times[key + 1] - self.times[key];
        let t = match style.reciprocals {
            true => (time - self.times[key]) * (T::of(1.0) / interval),
            false => (time - self.times[key]) / interval,
        };
        let (a, b) = (value(key), value(key + 1));
        match self.interpolation.as_str() {
            "STEP" if mistake != Some(Mistake::StepAsLinear) => self.alone(a, style),
            "LINEAR" if mistake == Some(Mistake::LinearAsStep) => self.alone(a, style),
            "CUBICSPLINE" => self.cubic(key, t, interval, style, mistake),
            _ if self.rotates => {
                spherical(std::array::from_fn(|i| a[i]), std::array::from_fn(|i| b[i]), t, style, mistake)
            }
            _ => (0..a.len()).map(|i| mean(a[i], b[i], t, style)).collect(),
        }
    }

    fn alone(&self, value: &[T], style: &Style) -> Vec<T> {
        if !self.rotates || style.keys == Keys::Stored {
            return value.to_vec();
        }
        style.normalize::<T, 4>(std::array::from_fn(|i| value[i])).to_vec()
    }

    fn cubic(&self, key: usize, t: T, interval: T, style: &Style, mistake: Option<Mistake>) -> Vec<T> {
        let part = |offset: usize| &self.values[3 * key + offset];
        let swapped = mistake == Some(Mistake::CubicTangentIndex);
        let (left, right) = (part(1), part(4));
        let (leaving, arriving) = if swapped { (part(0), part(5)) } else { (part(2), part(3)) };
        let seconds = if mistake == Some(Mistake::CubicTangentUnscaled) { T::of(1.0) } else { interval };
        let (two, three) = (T::of(2.0), T::of(3.0));
        let (t2, t3) = (t * t, t * t * t);
        let value = |i: usize| {
            let (a, b, m, n) = (left[i], right[i], seconds * leaving[i], seconds * arriving[i]);
            if style.differences {
                let cubed = two * a - two * b + m + n;
                let squared = three * b - three * a - two * m - n;
                return ((cubed * t + squared) * t + m) * t + a;
            }
            let basis = [
                (two * t3 - three * t2 + T::of(1.0), a),
                (t3 - two * t2 + t, m),
                (three * t2 - two * t3, b),
                (t3 - t2, n),
            ];
            style.sum(&basis, &[])
        };
        let sum: Vec<T> = (0..left.len()).map(value).collect();
        match self.rotates && mistake != Some(Mistake::RotationNotNormalised) {
            true => style.normalize::<T, 4>(std::array::from_fn(|i| sum[i])).to_vec(),
            false => sum,
        }
    }
}

fn mean<T: Real>(a: T, b: T, t: T, style: &Style) -> T {
    if style.differences { style.sum(&[(t, b - a)], &[a]) } else { style.sum(&[(T::of(1.0) - t, a), (t, b)], &[]) }
}

fn spherical<T: Real>(a: [T; 4], b: [T; 4], t: T, style: &Style, mistake: Option<Mistake>) -> Vec<T> {
    let (a, b) = if style.keys == Keys::Unit { (style.normalize(a), style.normalize(b)) } else { (a, b) };
    let dot = style.dot(a, b);
    let turn = dot < T::of(0.0) && mistake != Some(Mistake::SlerpLongWay);
    let (b, dot) = if turn { (b.map(|x| -x), -dot) } else { (b, dot) };
    let lerped = std::array::from_fn(|i| mean(a[i], b[i], t, style));
    let after = |q: [T; 4]| if style.keys == Keys::UnitAfter { style.normalize(q) } else { q };
    let length = |q: [T; 4]| style.dot(q, q).sqrt();
    let minus = std::array::from_fn(|i| a[i] - b[i]);
    let angle = match style.slerp {
        Slerp::Cosine => {
            if dot < T::of(1.0) {
                dot.acos()
            } else {
                T::of(0.0)
            }
        }
        Slerp::Chord => T::of(2.0) * length(minus).atan2(length(std::array::from_fn(|i| a[i] + b[i]))),
        Slerp::Root => (T::of(1.0) - dot * dot).max(T::of(0.0)).sqrt().atan2(dot),
    };
    let (near, normalises) = style.near;
    if dot > T::of(near) || angle < T::of(1.0 / 1024.0) || mistake == Some(Mistake::RotationLerped) {
        return if normalises { style.normalize(lerped) } else { after(lerped) }.to_vec();
    }
    let sine = match style.slerp {
        Slerp::Root => (T::of(1.0) - dot * dot).sqrt(),
        _ => angle.sin(),
    };
    let (from, to) = (((T::of(1.0) - t) * angle).sin() / sine, (t * angle).sin() / sine);
    after(std::array::from_fn(|i| style.sum(&[(from, a[i]), (to, b[i])], &[]))).to_vec()
}

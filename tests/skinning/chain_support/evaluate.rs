//! World-space vertices of a file at a time, one a vertex of the file, by node, primitive and vertex.

use refrast::golden::{Attribute, VertexBuffer};
use serde_json::Value;

use super::{
    Mistake,
    file::{File, array, index, indices},
    machine::{Blend, Joints, Real, Rows, Style, identity},
    pose::Pose,
};

/// Position, normal, tangent with handedness; NaN where the file has none.
#[derive(Clone, Copy)]
pub(crate) struct Vertex {
    pub(crate) position: [f64; 3],
    pub(crate) normal: [f64; 3],
    pub(crate) tangent: [f64; 4],
}

/// What a primitive has in its accessors.
struct Attributes<T> {
    positions: Vec<Vec<T>>,
    normals: Option<Vec<Vec<T>>>,
    tangents: Option<Vec<Vec<T>>>,
    /// A joint and a weight for each influence of each vertex.
    influences: Vec<Vec<(usize, T)>>,
    targets: Vec<[Option<Vec<Vec<T>>>; 3]>,
}

impl<T: Real> Attributes<T> {
    fn new(file: &File, primitive: &Value) -> Self {
        let read = |of: &Value, name: &str| index(&of[name]).map(|accessor| file.accessor(accessor, false));
        let attributes = &primitive["attributes"];
        let positions = read(attributes, "POSITION").unwrap();
        let mut influences = vec![Vec::new(); positions.len()];
        for set in 0.. {
            let (joints, weights) = (&attributes[format!("JOINTS_{set}")], &attributes[format!("WEIGHTS_{set}")]);
            let (Some(joints), Some(weights)) = (index(joints), index(weights)) else { break };
            let joints: Vec<Vec<f64>> = file.accessor(joints, false);
            let weights: Vec<Vec<T>> = file.accessor(weights, true);
            for (vertex, (joints, weights)) in joints.iter().zip(&weights).enumerate() {
                influences[vertex].extend(joints.iter().map(|joint| *joint as usize).zip(weights.iter().copied()));
            }
        }
        let target = |target: &Value| ["POSITION", "NORMAL", "TANGENT"].map(|name| read(target, name));
        Self {
            normals: read(attributes, "NORMAL"),
            tangents: read(attributes, "TANGENT"),
            targets: array(&primitive["targets"]).map(target).collect(),
            influences,
            positions,
        }
    }

    /// An attribute of a vertex with what the targets add to it.
    fn morphed(&self, base: [T; 3], which: usize, weights: &[T], vertex: usize, style: &Style) -> [T; 3] {
        std::array::from_fn(|axis| {
            let moved = |(target, weight): (&[Option<Vec<Vec<T>>>; 3], &T)| {
                target[which].as_ref().map(|numbers| (*weight, numbers[vertex][axis]))
            };
            let terms: Vec<(T, T)> = self.targets.iter().zip(weights).filter_map(moved).collect();
            style.sum(&terms, &[base[axis]])
        })
    }
}

/// Weights as the specification has them: of a sum that is not 1, parts of it.
fn settled<T: Real>(all: &[(usize, T)], style: &Style, mistake: Option<Mistake>) -> Vec<(usize, T)> {
    let kept = if mistake == Some(Mistake::Joints1Ignored) { &all[..4.min(all.len())] } else { all };
    let mut kept: Vec<(usize, T)> = kept.iter().copied().filter(|(_, weight)| *weight > T::of(0.0)).collect();
    let sum = style.sum(&[], &kept.iter().map(|(_, weight)| *weight).collect::<Vec<_>>());
    let tolerance = T::of(2e-7 * kept.len() as f64);
    match mistake {
        Some(Mistake::WeightsL2Normalised) => {
            let pairs: Vec<(T, T)> = kept.iter().map(|(_, weight)| (*weight, *weight)).collect();
            let length = style.sum(&pairs, &[]).sqrt();
            kept.iter_mut().for_each(|(_, weight)| *weight = *weight / length);
        }
        Some(Mistake::LastWeightReconstructed) if kept.len() > 1 => {
            let last = kept.len() - 1;
            let others = kept[..last].iter().fold(T::of(0.0), |sum, (_, weight)| sum + *weight);
            kept[last].1 = T::of(1.0) - others;
        }
        Some(Mistake::Joints1Ignored) => {}
        _ if style.divides_weights || (sum - T::of(1.0)).abs() > tolerance => {
            kept.iter_mut().for_each(|(_, weight)| *weight = *weight / sum);
        }
        _ => {}
    }
    kept
}

/// Joint matrices, and the matrix that comes after them.
struct Skin<T> {
    joints: Vec<Rows<T>>,
    onward: Option<Rows<T>>,
}

fn skin<T: Real>(file: &File, pose: &Pose<T>, node: usize, style: &Style, mistake: Option<Mistake>) -> Skin<T> {
    let skin = &file.json["skins"][index(&file.nodes()[node]["skin"]).unwrap()];
    let nodes: Vec<usize> = indices(&skin["joints"]).collect();
    let binds: Option<Vec<Vec<T>>> = index(&skin["inverseBindMatrices"]).map(|accessor| file.accessor(accessor, false));
    let bind = |joint: usize| match &binds {
        Some(binds) if mistake != Some(Mistake::InverseBindMissing) => {
            std::array::from_fn(|row| std::array::from_fn(|column| binds[joint][4 * column + row]))
        }
        _ => identity(),
    };
    let parents = file.parents();
    let back = style.inverse(&pose.worlds[node]);
    let joint = |(joint, &place): (usize, &usize)| {
        let (mut world, bind) = (pose.worlds[place], bind(joint));
        if mistake == Some(Mistake::NonJointAncestorDropped) {
            world = pose.locals[place];
            let mut next = parents[place];
            while let Some(ancestor) = next.filter(|ancestor| nodes.contains(ancestor)) {
                world = style.product(&pose.locals[ancestor], &world);
                next = parents[ancestor];
            }
        }
        match (mistake, style.joints) {
            (Some(Mistake::MatrixOrderSwapped), _) => style.product(&bind, &world),
            (Some(Mistake::NonJointAncestorDropped), _) | (_, Joints::World) => style.product(&world, &bind),
            (_, Joints::BindFirst) => {
                let (mut matrix, mut next) = (bind, Some(place));
                while let Some(ancestor) = next {
                    matrix = style.product(&pose.locals[ancestor], &matrix);
                    next = parents[ancestor];
                }
                matrix
            }
            (_, Joints::RelativeToMesh) => style.product(&style.product(&back, &world), &bind),
            (_, Joints::BackToMesh) => style.product(&back, &style.product(&world, &bind)),
        }
    };
    let mut joints: Vec<Rows<T>> = nodes.iter().enumerate().map(joint).collect();
    if mistake == Some(Mistake::MatrixTransposed) {
        for matrix in &mut joints {
            let m = *matrix;
            *matrix = std::array::from_fn(|row| [m[0][row], m[1][row], m[2][row], T::of(0.0)]);
        }
    }
    let relative = matches!(style.joints, Joints::RelativeToMesh | Joints::BackToMesh);
    let own = relative && !matches!(mistake, Some(Mistake::MatrixOrderSwapped | Mistake::NonJointAncestorDropped));
    let onward = own || mistake == Some(Mistake::SkinnedNodeTransformApplied);
    Skin { joints, onward: onward.then_some(pose.worlds[node]) }
}

/// Σ wᵢMᵢ.
fn blend<T: Real>(style: &Style, influences: &[(T, Rows<T>)]) -> Rows<T> {
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let terms: Vec<(T, T)> = influences.iter().map(|(weight, m)| (*weight, m[row][column])).collect();
            style.sum(&terms, &[])
        })
    })
}

/// All vertices; of each primitive only every `stride`-th one, `None` between.
pub(crate) fn evaluate<T: Real>(
    file: &File,
    clip: Option<(usize, f64)>,
    style: &Style,
    mistake: Option<Mistake>,
    stride: usize,
) -> Vec<Option<Vertex>> {
    let pose = Pose::<T>::new(file, clip, style, mistake);
    let mut vertices = Vec::new();
    for node in file.drawn() {
        let mesh = &file.json["meshes"][index(&file.nodes()[node]["mesh"]).unwrap()];
        let skin = file.nodes()[node]["skin"].is_u64().then(|| skin(file, &pose, node, style, mistake));
        for primitive in array(&mesh["primitives"]) {
            let attributes = Attributes::<T>::new(file, primitive);
            let skin = skin.as_ref().filter(|_| attributes.influences.iter().any(|influences| !influences.is_empty()));
            for vertex in 0..attributes.positions.len() {
                let wanted = (vertex + 7 * vertices.len()) % stride == 0;
                vertices.push(wanted.then(|| finish(&attributes, &pose, (node, skin), vertex, style, mistake)));
            }
        }
    }
    vertices
}

fn finish<T: Real>(
    attributes: &Attributes<T>,
    pose: &Pose<T>,
    (node, skin): (usize, Option<&Skin<T>>),
    vertex: usize,
    style: &Style,
    mistake: Option<Mistake>,
) -> Vertex {
    let late = mistake == Some(Mistake::MorphAfterSkin);
    let ignored: &[T] = &[];
    let weights = if late || mistake == Some(Mistake::MorphIgnored) { ignored } else { &pose.weights[node] };
    let vector = |numbers: &[T]| -> [T; 3] { std::array::from_fn(|i| numbers[i]) };
    let position = attributes.morphed(vector(&attributes.positions[vertex]), 0, weights, vertex, style);
    let normal =
        attributes.normals.as_ref().map(|all| attributes.morphed(vector(&all[vertex]), 1, weights, vertex, style));
    let tangent =
        attributes.tangents.as_ref().map(|all| attributes.morphed(vector(&all[vertex]), 2, weights, vertex, style));

    let followed: Vec<(T, Rows<T>)> = match skin {
        None => vec![(T::of(1.0), pose.worlds[node])],
        Some(skin) => settled(&attributes.influences[vertex], style, mistake)
            .into_iter()
            .map(|(joint, weight)| {
                let off = usize::from(mistake == Some(Mistake::JointIndexOffByOne));
                (weight, skin.joints[(joint + off) % skin.joints.len()])
            })
            .collect(),
    };
    let matrix = if skin.is_some() { blend(style, &followed) } else { followed[0].1 };
    let onward = skin.and_then(|skin| skin.onward);
    let follow = |v: [T; 3], point: bool| {
        let moved = match style.blend {
            Blend::Vertices if skin.is_some() => {
                let moved: Vec<(T, [T; 3])> =
                    followed.iter().map(|(weight, m)| (*weight, style.apply(m, v, point))).collect();
                std::array::from_fn(|axis| {
                    let terms: Vec<(T, T)> = moved.iter().map(|(weight, v)| (*weight, v[axis])).collect();
                    style.sum(&terms, &[])
                })
            }
            _ => style.apply(&matrix, v, point),
        };
        onward.map_or(moved, |onward| style.apply(&onward, moved, point))
    };
    let outward = |matrix: &Rows<T>, normal: [T; 3]| {
        let (cofactor, determinant) = style.cofactor(matrix);
        let sign = if determinant < T::of(0.0) { T::of(-1.0) } else { T::of(1.0) };
        (cofactor.map(|row| style.dot(row, normal) * sign), sign)
    };
    let mut sign = T::of(1.0);
    let normal = normal.map(|normal| {
        let (inner, inner_sign) = outward(&matrix, normal);
        let (turned, outer_sign) = onward.map_or((inner, T::of(1.0)), |onward| outward(&onward, inner));
        sign = inner_sign * outer_sign;
        style.normalize(if mistake == Some(Mistake::NormalNotInverseTransposed) {
            follow(normal, false)
        } else {
            turned
        })
    });
    let tangent = tangent.map(|tangent| {
        let tangent = style.normalize(follow(tangent, false));
        let normal = normal.unwrap();
        let along = style.dot(tangent, normal);
        let [x, y, z] = style.normalize(std::array::from_fn(|i| style.sum(&[(-normal[i], along)], &[tangent[i]])));
        let handedness = attributes.tangents.as_ref().unwrap()[vertex][3] * sign;
        [x, y, z, handedness].map(Real::f64)
    });
    let mut moved = follow(position, true);
    if late {
        moved = attributes.morphed(moved, 0, &pose.weights[node], vertex, style);
    }
    Vertex {
        position: moved.map(Real::f64),
        normal: normal.map_or([f64::NAN; 3], |normal| normal.map(Real::f64)),
        tangent: tangent.unwrap_or([f64::NAN; 4]),
    }
}

/// What a backend writes: f32, and where nothing was evaluated, or the file has nothing, the golden's own numbers.
pub(crate) fn written(vertices: &[Option<Vertex>], golden: &VertexBuffer) -> VertexBuffer {
    fn attribute<const N: usize>(
        vertices: &[Option<Vertex>],
        golden: &Attribute<N>,
        of: impl Fn(&Vertex) -> [f64; N],
    ) -> Attribute<N> {
        let value = |(vertex, own): (&Option<Vertex>, &[f64; N])| {
            let value = vertex.as_ref().map(&of).filter(|value| !value[0].is_nan());
            value.map_or(*own, |value| value.map(|x| f64::from(x as f32)))
        };
        Attribute::without_bounds(vertices.iter().zip(&golden.values).map(value).collect())
    }
    assert_eq!(vertices.len(), golden.len());
    VertexBuffer {
        ids: golden.ids.clone(),
        position: attribute(vertices, &golden.position, |vertex| vertex.position),
        normal: golden.normal.as_ref().map(|normals| attribute(vertices, normals, |vertex| vertex.normal)),
        tangent: golden.tangent.as_ref().map(|tangents| attribute(vertices, tangents, |vertex| vertex.tangent)),
        ..VertexBuffer::default()
    }
}

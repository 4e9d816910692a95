//! [`Space`] and [`SpaceMatrices`]: the space that a backend's vertices are in, and the golden taken there.
//!
//! Why it exists: a debugger shows what a shader wrote, which is clip space; an engine keeps what its mesh has, which is model
//! space. The golden is in world space, with bounds; here both are taken to where the candidate is.

use std::path::Path;

use glam::{DMat3, DMat4, DVec3, DVec4};
use refrast_words::words;
use serde::{Deserialize, Serialize};

use super::{Attribute, VertexAlternative, VertexBuffer, VertexFileError};
use crate::files::read_file;

/// The longest file of matrices that is read: room for a hundred thousand nodes.
const LARGEST_MATRICES: u64 = 64 << 20;

words! {
    /// The space that vertices are in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Space: "space" = World {
        /// The scene's, in metres.
        World = "world",
        /// That of the node which draws the mesh.
        Model = "model",
        /// The camera's: right-handed, looking along -Z.
        View = "view",
        /// Behind the projection: four numbers, not divided by w.
        Clip = "clip",
    }
}

/// The matrices between the spaces of a scene, column by column; `refrast vertices --matrices` writes them.
///
/// A camera file is one too, without models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SpaceMatrices {
    /// The name of the clip space that `projection` leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convention: Option<String>,
    /// World → view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<[f32; 16]>,
    /// View → clip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<[f32; 16]>,
    /// Model → world, for each node that draws something.
    #[serde(default)]
    pub models: Vec<ModelMatrix>,
}

/// A node's place in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelMatrix {
    /// The node.
    pub node: u32,
    /// Model → world.
    pub world: [f32; 16],
}

/// A golden in the candidate's space.
pub(super) struct Placed {
    /// Positions but in clip space, where these are its x, y and z.
    pub(super) buffer: VertexBuffer,
    /// Positions in clip space: the golden's first ones, then those of its alternatives.
    pub(super) clip: Vec<Attribute<4>>,
}

/// The roundings that a product with up to four matrices, one of them inverted, may have: γ₃₂ with u = 2⁻²³, which either
/// direction of rounding stays in (Higham, chapters 3 and 14: inverses by columns, componentwise).
const ROUNDING: f64 = 32.0 / ((1u64 << 23) as f64 - 32.0);

impl SpaceMatrices {
    /// Reads a file of matrices.
    ///
    /// # Errors
    /// [`VertexFileError::Read`] and [`VertexFileError::Matrices`].
    pub fn read(path: &Path) -> Result<Self, VertexFileError> {
        let wrong = |reason: String| VertexFileError::Matrices { path: path.to_owned(), reason };
        let text = read_file(path, LARGEST_MATRICES);
        let text = text.map_err(|source| VertexFileError::Read { path: path.to_owned(), source })?;
        let matrices: Self = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let numbers = matrices.view.iter().chain(&matrices.projection).flatten();
        let worlds = matrices.models.iter().flat_map(|model| &model.world);
        if numbers.chain(worlds).any(|number| !number.is_finite()) {
            return Err(wrong("a number is beyond f32".to_owned()));
        }
        Ok(matrices)
    }

    /// The matrices as the text of a file.
    ///
    /// # Errors
    /// What the JSON writer says.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self)
    }

    /// Takes a golden from world space to another.
    ///
    /// # Errors
    /// What is missing, in words: a matrix that the space needs.
    pub(super) fn place(&self, golden: &VertexBuffer, space: Space) -> Result<Placed, String> {
        if space == Space::World {
            return Ok(Placed { buffer: golden.clone(), clip: Vec::new() });
        }
        let (mut buffer, clip) = self.place_one(golden, space)?;
        let mut clip: Vec<Attribute<4>> = clip.into_iter().collect();
        for other in &golden.alternatives {
            let (placed, other_clip) = self.place_one(&other.alone(golden), space)?;
            let VertexBuffer { position, normal, tangent, .. } = placed;
            buffer.alternatives.push(VertexAlternative { label: other.label.clone(), position, normal, tangent });
            clip.extend(other_clip);
        }
        buffer.given = golden.given;
        Ok(Placed { buffer, clip })
    }

    /// The golden's first result, and in clip space its positions of four numbers.
    fn place_one(&self, golden: &VertexBuffer, space: Space) -> Result<(VertexBuffer, Option<Attribute<4>>), String> {
        let lacks = |what: &str| {
            format!(
                "{space} space needs the {what}: write the file with `refrast vertices SCENE … --matrices FILE.json`"
            )
        };
        let matrix = |numbers: &[f32; 16]| DMat4::from_cols_array(&numbers.map(f64::from));
        let view = || self.view.as_ref().map(matrix).ok_or_else(|| lacks("`view` matrix"));
        let projection = || self.projection.as_ref().map(matrix).ok_or_else(|| lacks("`projection` matrix"));
        let models: Vec<Option<DMat4>> = (0..golden.len())
            .map(|row| {
                let node = golden.id(row).node;
                self.models.iter().find(|model| model.node == node).map(|model| matrix(&model.world))
            })
            .collect();
        match space {
            Space::World => Ok((golden.clone(), None)),
            Space::View => {
                let view = view()?;
                let place = |row: usize| Some((view, models[row]));
                Ok((moved(golden, &place, DMat3::from_mat4(view)), None))
            }
            Space::Model => {
                if let Some(row) = models.iter().position(Option::is_none) {
                    return Err(lacks(&format!("world matrix of node {} in `models`", golden.id(row).node)));
                }
                let inverse = |row: usize| {
                    let world = models[row]?;
                    (world.determinant() != 0.0).then(|| (world.inverse(), Some(world)))
                };
                let mut buffer = moved(golden, &inverse, DMat3::IDENTITY);
                buffer.normal = golden.normal.as_ref().map(|normal| {
                    directions(normal, |row| models[row].map(|world| DMat3::from_mat4(world).transpose()))
                });
                buffer.tangent = golden.tangent.as_ref().map(|tangent| {
                    directions(tangent, |row| inverse(row).map(|(inverse, _)| DMat3::from_mat4(inverse)))
                });
                Ok((buffer, None))
            }
            Space::Clip => {
                let (view, projection) = (view()?, projection()?);
                // |P|·|V|, not |P·V|: the backend may take one step or two.
                let size = absolute(&projection) * absolute(&view);
                let position = points(&golden.position, |row| Some((projection * view, size, models[row])));
                let xyz = |values: &Vec<[f64; 4]>| values.iter().map(|&[x, y, z, _]| [x, y, z]).collect();
                let buffer = VertexBuffer {
                    ids: golden.ids.clone(),
                    position: Attribute { values: xyz(&position.values), bounds: position.bounds.as_ref().map(xyz) },
                    ..VertexBuffer::default()
                };
                Ok((buffer, Some(position)))
            }
        }
    }
}

/// A golden by a matrix for each row, with the world matrix of the row's node where it is known; directions by one.
fn moved(golden: &VertexBuffer, place: &dyn Fn(usize) -> Option<(DMat4, Option<DMat4>)>, turn: DMat3) -> VertexBuffer {
    let position = points(&golden.position, |row| place(row).map(|(matrix, world)| (matrix, absolute(&matrix), world)));
    let first = |values: &Vec<[f64; 4]>| values.iter().map(|&[x, y, z, _]| [x, y, z]).collect();
    VertexBuffer {
        ids: golden.ids.clone(),
        position: Attribute { values: first(&position.values), bounds: position.bounds.as_ref().map(first) },
        normal: golden.normal.as_ref().map(|normal| directions(normal, |_| Some(turn))),
        tangent: golden.tangent.as_ref().map(|tangent| directions(tangent, |_| Some(turn))),
        ..VertexBuffer::default()
    }
}

fn absolute(matrix: &DMat4) -> DMat4 {
    DMat4::from_cols_array(&matrix.to_cols_array().map(f64::abs))
}

/// Points by a matrix, and their bounds: what bounds the point in the world, and the roundings of all products on the way
/// there from the model, times the matrix' sizes.
///
/// The way from the model is |W|·|W⁻¹·p|: a backend that blends in the mesh's own space comes by there.
fn points(attribute: &Attribute<3>, matrix: impl Fn(usize) -> Option<(DMat4, DMat4, Option<DMat4>)>) -> Attribute<4> {
    let mut values = Vec::with_capacity(attribute.values.len());
    let mut bounds = attribute.bounds.as_ref().map(|bounds| Vec::with_capacity(bounds.len()));
    for (row, &value) in attribute.values.iter().enumerate() {
        let point = DVec3::from(value).extend(1.0);
        let Some((matrix, size, world)) = matrix(row) else {
            values.push([f64::NAN; 4]);
            bounds.iter_mut().for_each(|bounds| bounds.push([f64::INFINITY; 4]));
            continue;
        };
        values.push((matrix * point).to_array());
        if let (Some(bounds), Some(own)) = (&mut bounds, &attribute.bounds) {
            let through = world.filter(|world| world.determinant() != 0.0).map_or(point.abs(), |world| {
                (absolute(&world) * (absolute(&world.inverse()) * point.abs())).max(point.abs())
            });
            let error = DVec3::from(own[row]).extend(0.0) + through * ROUNDING;
            bounds.push((size * error).to_array());
        }
    }
    Attribute { values, bounds }
}

/// Unit directions by a matrix, brought to unit length again.
///
/// With y = A·n, its error e and ‖e‖ < ‖y‖: |y′ᵢ ÷ ‖y′‖ − yᵢ ÷ ‖y‖| ≤ (eᵢ + |yᵢ| · ‖e‖ ÷ ‖y‖) ÷ (‖y‖ − ‖e‖). What stands behind
/// the three numbers stays.
fn directions<const N: usize>(attribute: &Attribute<N>, matrix: impl Fn(usize) -> Option<DMat3>) -> Attribute<N> {
    let mut moved = attribute.clone();
    for (row, value) in moved.values.iter_mut().enumerate() {
        let own = DVec3::new(value[0], value[1], value[2]);
        let Some(matrix) = matrix(row) else {
            *value = [f64::NAN; N];
            continue;
        };
        let (turned, size) = (matrix * own, DMat3::from_cols_array(&matrix.to_cols_array().map(f64::abs)));
        let length = turned.length();
        value[..3].copy_from_slice(&(turned / length).to_array());
        let Some(bounds) = &mut moved.bounds else { continue };
        let bound = &mut bounds[row];
        let error = size * (DVec3::new(bound[0], bound[1], bound[2]) + own.abs() * ROUNDING);
        let left = length - error.length();
        let bounded = (error + turned.abs() * (error.length() / length)) / left + DVec3::splat(ROUNDING);
        let bounded = if left > 0.0 { bounded } else { DVec3::INFINITY };
        bound[..3].copy_from_slice(&bounded.to_array());
    }
    moved
}

/// A candidate's position of four numbers as three.
pub(super) fn without_w(position: &[f64; 4]) -> [f64; 3] {
    DVec4::from_array(*position).truncate().to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden() -> VertexBuffer {
        VertexBuffer {
            ids: None,
            position: Attribute { values: vec![[1.0, 2.0, 3.0]], bounds: Some(vec![[0.5, 0.0, 0.25]]) },
            normal: Some(Attribute { values: vec![[0.0, 0.6, 0.8]], bounds: Some(vec![[0.0; 3]]) }),
            ..VertexBuffer::default()
        }
    }

    /// Twice as large, a quarter turn around z (x → y), and up by 10.
    const WORLD: [f32; 16] = [0.0, 2.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 10.0, 0.0, 1.0];

    #[test]
    fn model_space_is_where_the_world_matrix_comes_from() {
        let matrices =
            SpaceMatrices { models: vec![ModelMatrix { node: 0, world: WORLD }], ..SpaceMatrices::default() };
        let placed = matrices.place(&golden(), Space::Model).unwrap().buffer;
        // (1, 2 − 10, 3) ÷ 2, turned back: y → x, x → −y.
        assert_eq!(placed.position.values, [[-4.0, -0.5, 1.5]]);
        let bound = placed.position.bounds.unwrap()[0];
        // y has the bound of x ÷ 2; x has none but roundings, which are some hundred-millionths of 10 m.
        assert!(bound[1] >= 0.25 && bound[1] < 0.2501 && bound[0] > 0.0 && bound[0] < 1e-4, "{bound:?}");
        let normal = placed.normal.unwrap().values[0];
        assert!((normal[0] - 0.6).abs() < 1e-15 && (normal[2] - 0.8).abs() < 1e-15, "{normal:?}");
        let said = SpaceMatrices::default().place(&golden(), Space::Model).err().unwrap();
        assert!(said.contains("node 0 in `models`") && said.contains("--matrices"), "{said}");
    }

    #[test]
    fn clip_space_is_both_matrices_and_not_divided() {
        let mut view = [0.0; 16];
        (0..4).for_each(|place| view[place * 5] = 1.0);
        view[14] = -7.0;
        let mut projection = [0.0; 16];
        (projection[0], projection[5], projection[10], projection[11], projection[14]) = (2.0, 3.0, -1.0, -1.0, -0.1);
        let matrices = SpaceMatrices { view: Some(view), projection: Some(projection), ..SpaceMatrices::default() };
        let placed = matrices.place(&golden(), Space::Clip).unwrap();
        let clip = &placed.clip[0];
        let [x, y, z, w] = clip.values[0];
        assert!(((x, y, w) == (2.0, 6.0, 4.0)) && (z - (4.0 - f64::from(0.1f32))).abs() < 1e-12);
        let bound = clip.bounds.as_ref().unwrap()[0];
        assert!(bound[0] >= 1.0 && bound[0] < 1.001 && bound[3] >= 0.25 && bound[3] < 0.251, "{bound:?}");
        assert!(placed.buffer.normal.is_none(), "nothing is said of normals there");
        assert!(SpaceMatrices::default().place(&golden(), Space::View).err().unwrap().contains("`view` matrix"));
    }
}

//! Distances between vertex buffers, row by row.
//!
//! Why it exists: what pictures are told by are pixels, and what buffers are told by are numbers with bounds.

use refrast_measure::{Attribute, VertexBuffer, xxh64};

/// What a component adds at most to a distance, in sizes of the scene.
const FARTHEST: f64 = 0.05;

/// The sum of the distances of what the exact vertices have a value for, positions in sizes of the scene: of what is played and the
/// candidate.
#[must_use]
pub fn vertex_distance(exact: &VertexBuffer, [played, candidate]: [&VertexBuffer; 2], size: f64) -> f64 {
    let directions = of_attribute(exact.normal.as_ref(), played.normal.as_ref(), candidate.normal.as_ref(), 1.0)
        + of_attribute(exact.tangent.as_ref(), played.tangent.as_ref(), candidate.tangent.as_ref(), 1.0);
    of_attribute(Some(&exact.position), Some(&played.position), Some(&candidate.position), size) + directions
}

fn of_attribute<const N: usize>(
    exact: Option<&Attribute<N>>,
    played: Option<&Attribute<N>>,
    candidate: Option<&Attribute<N>>,
    size: f64,
) -> f64 {
    let (Some(exact), Some(played), Some(candidate)) = (exact, played, candidate) else { return 0.0 };
    let rows = exact.values.iter().zip(&played.values).zip(&candidate.values);
    let components = rows.flat_map(|((exact, played), candidate)| {
        (0..N).filter(|component| !exact[*component].is_nan()).map(|component| {
            let far = ((played[component] - candidate[component]) / size).abs();
            if far.is_nan() { FARTHEST } else { far.min(FARTHEST) }
        })
    });
    components.sum()
}

/// The exact vertices with the bounds of backends with a mistake: as far as they have a value, the middle of the least and
/// the greatest number that is played, and half of their distance beside the bound; that of the largest vertices where the mistake makes
/// them larger.
#[must_use]
pub fn hull(exact: &VertexBuffer, played: &[VertexBuffer]) -> VertexBuffer {
    VertexBuffer {
        ids: None,
        position: hull_of(&exact.position, played, |buffer| Some(&buffer.position)),
        normal: exact.normal.as_ref().map(|own| hull_of(own, played, |buffer| buffer.normal.as_ref())),
        tangent: exact.tangent.as_ref().map(|own| hull_of(own, played, |buffer| buffer.tangent.as_ref())),
        ..VertexBuffer::default()
    }
}

fn hull_of<'a, const N: usize>(
    exact: &Attribute<N>,
    played: &'a [VertexBuffer],
    of: impl Fn(&'a VertexBuffer) -> Option<&'a Attribute<N>>,
) -> Attribute<N> {
    let played: Vec<&Attribute<N>> = played.iter().filter_map(of).collect();
    let largest = |attribute: &Attribute<N>| {
        attribute
            .values
            .iter()
            .flatten()
            .filter(|value| value.is_finite())
            .fold(0.0, |sum: f64, value| sum.max(value.abs()))
    };
    let grown = played.iter().map(|played| largest(played)).fold(0.0, f64::max) / largest(exact).max(f64::MIN_POSITIVE);
    let mut hull = Attribute { values: exact.values.clone(), bounds: Some(vec![[0.0; N]; exact.values.len()]) };
    let (values, bounds) = (&mut hull.values, hull.bounds.get_or_insert_default());
    for (row, (value, bound)) in values.iter_mut().zip(bounds).enumerate() {
        for component in 0..N {
            if value[component].is_nan() {
                continue;
            }
            let numbers = played.iter().map(|played| played.values[row][component]);
            let (low, high) = numbers
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
            let own = exact.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
            value[component] = 0.5 * (low + high);
            bound[component] = 0.5 * (high - low) + own * grown.max(1.0);
        }
    }
    hull
}

/// Rows with a component outside of its bound.
#[must_use]
pub fn rows_outside(allowed: &VertexBuffer, candidate: &VertexBuffer) -> u64 {
    (0..allowed.len()).filter(|row| is_row_outside(allowed, candidate, *row)).count() as u64
}

/// Whether a row has a component outside of its bound.
#[must_use]
pub fn is_row_outside(allowed: &VertexBuffer, candidate: &VertexBuffer, row: usize) -> bool {
    lies_outside(Some(&allowed.position), Some(&candidate.position), row)
        || lies_outside(allowed.normal.as_ref(), candidate.normal.as_ref(), row)
        || lies_outside(allowed.tangent.as_ref(), candidate.tangent.as_ref(), row)
}

fn lies_outside<const N: usize>(allowed: Option<&Attribute<N>>, candidate: Option<&Attribute<N>>, row: usize) -> bool {
    let (Some(allowed), Some(candidate)) = (allowed, candidate) else { return false };
    let (value, other) = (allowed.values[row], candidate.values[row]);
    (0..N).any(|component| {
        let bound = allowed.bounds.as_ref().map_or(0.0, |bounds| bounds[row][component]);
        let far = (value[component] - other[component]).abs();
        !value[component].is_nan() && bound.is_finite() && (far.is_nan() || far > bound)
    })
}

/// The bits of positions, normals and tangents as a hash.
#[must_use]
pub fn hash_of_rows(buffer: &VertexBuffer) -> u64 {
    rows(buffer).fold(0, |before, values| xxh64(bytemuck::cast_slice(values), before))
}

/// Whether positions, normals and tangents have the same bits.
#[must_use]
pub fn same_rows(a: &VertexBuffer, b: &VertexBuffer) -> bool {
    let bits = |buffer| rows(buffer).map(bytemuck::cast_slice::<f64, u8>);
    bits(a).eq(bits(b))
}

fn rows(buffer: &VertexBuffer) -> impl Iterator<Item = &[f64]> {
    let normals = buffer.normal.iter().map(|normal| normal.values.as_flattened());
    let tangents = buffer.tangent.iter().map(|tangent| tangent.values.as_flattened());
    std::iter::once(buffer.position.values.as_flattened()).chain(normals).chain(tangents)
}

/// What a backend makes of a primitive's vertices.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlayedVertices<'a> {
    /// Positions.
    pub positions: &'a [[f32; 3]],
    /// Normals.
    pub normals: &'a [[f32; 3]],
    /// Tangents with their handedness.
    pub tangents: &'a [[f32; 4]],
}

/// The rows of a vertex buffer while they are put together from what a backend plays.
#[derive(Clone, Debug, Default)]
pub struct GatheredRows {
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    tangents: Vec<[f64; 4]>,
}

impl GatheredRows {
    /// Adds the vertices at these places of a primitive; no numbers where there is none.
    pub fn add(&mut self, played: PlayedVertices<'_>, places: &[Option<usize>]) {
        gather(played.positions, places, &mut self.positions);
        gather(played.normals, places, &mut self.normals);
        gather(played.tangents, places, &mut self.tangents);
    }

    /// The buffer of these rows, without names of vertices.
    #[must_use]
    pub fn into_buffer(self) -> VertexBuffer {
        VertexBuffer {
            position: Attribute::without_bounds(self.positions),
            normal: Some(Attribute::without_bounds(self.normals)),
            tangent: Some(Attribute::without_bounds(self.tangents)),
            ..VertexBuffer::default()
        }
    }
}

// Of any number of components, and so for this room alone: a caller that is not optimised would compile it for itself.
fn gather<const N: usize>(values: &[[f32; N]], places: &[Option<usize>], into: &mut Vec<[f64; N]>) {
    let value = |place: &Option<usize>| place.and_then(|place| values.get(place));
    into.extend(places.iter().map(|place| value(place).map_or([f64::NAN; N], |value| value.map(f64::from))));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(positions: &[[f64; 3]], bounds: Option<f64>) -> VertexBuffer {
        let bounds = bounds.map(|bound| vec![[bound; 3]; positions.len()]);
        VertexBuffer { position: Attribute { values: positions.to_vec(), bounds }, ..VertexBuffer::default() }
    }

    #[test]
    fn a_distance_is_in_sizes_of_the_scene_and_capped() {
        let exact = buffer(&[[0.0, f64::NAN, 0.0]], None);
        let (played, candidate) = (buffer(&[[1.0, 1.0, 2.0]], None), buffer(&[[1.04, 9.0, 8.0]], None));
        // 0.04 and six, in sizes of two: what has no exact value does not count.
        assert!((vertex_distance(&exact, [&played, &candidate], 2.0) - (0.02 + 0.05)).abs() < 1e-15);
        assert_eq!(vertex_distance(&exact, [&played, &buffer(&[[f64::NAN, 0.0, 2.0]], None)], 2.0), 0.05);
    }

    #[test]
    fn a_hull_holds_all_that_is_played_and_its_bounds_beside() {
        let exact = buffer(&[[1.0, 2.0, f64::NAN]], Some(0.1));
        let hull = hull(&exact, &[buffer(&[[1.0, 4.0, 0.0]], None), buffer(&[[2.0, 4.0, 0.0]], None)]);
        // Twice as large as the exact ones.
        assert_eq!(hull.position.values[0][..2], [1.5, 4.0]);
        assert_eq!(hull.position.bounds.as_ref().expect("it has bounds")[0], [0.7, 0.2, 0.0]);
        let outside = |x: f64| rows_outside(&hull, &buffer(&[[x, 4.1, 99.0]], None));
        assert_eq!([2.19, 2.21, f64::NAN].map(outside), [0, 1, 1]);
    }

    #[test]
    fn rows_are_the_same_by_their_bits() {
        let [zero, negative] = [0.0, -0.0].map(|x| buffer(&[[x, 1.0, f64::NAN]], None));
        assert!(same_rows(&zero, &zero) && !same_rows(&zero, &negative));
        assert!(hash_of_rows(&zero) == hash_of_rows(&zero) && hash_of_rows(&zero) != hash_of_rows(&negative));
    }

    #[test]
    fn values_are_gathered_where_there_are_any() {
        let mut rows = GatheredRows::default();
        let (positions, normals) = (&[[1.5; 3], [2.5; 3]], &[[0.5; 3]]);
        let played = PlayedVertices { positions, normals, tangents: &[] };
        rows.add(played, &[Some(1), None, Some(2), Some(0)]);
        let VertexBuffer { position, normal, tangent, .. } = rows.into_buffer();
        assert_eq!([position.values[0], position.values[3]], [[2.5; 3], [1.5; 3]]);
        assert!(position.values[1][0].is_nan() && position.values[2][0].is_nan());
        let (normals, tangents) = (normal.expect("normals").values, tangent.expect("tangents").values);
        assert!(
            normals[0][0].is_nan() && normals[3] == [0.5; 3] && tangents.iter().flatten().all(|value| value.is_nan())
        );
    }
}

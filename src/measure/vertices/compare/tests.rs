//! Comparisons of buffers whose differences are known beforehand.

use super::*;

fn positions(values: Vec<[f64; 3]>, bound: f64) -> VertexBuffer {
    let bounds = Some(vec![[bound; 3]; values.len()]);
    VertexBuffer { position: Attribute { values, bounds }, ..VertexBuffer::default() }
}

fn compare(golden: &VertexBuffer, candidate: &VertexBuffer) -> VertexComparison {
    VertexComparison::of(golden, candidate, &VertexCompareOptions::default())
}

#[test]
fn a_bound_is_the_largest_distance_that_is_accepted() {
    let golden = positions(vec![[1.0, 2.0, 3.0]; 3], 0.25);
    let mut candidate = golden.clone();
    candidate.position.values[1][2] = 3.25;
    assert_eq!(compare(&golden, &candidate).verdict, Verdict::Same);
    candidate.position.values[1][2] = 3.5;
    let comparison = compare(&golden, &candidate);
    assert_eq!(comparison.verdict, Verdict::Different);
    let position = &comparison.attributes[0];
    assert_eq!((position.compared, position.outside, position.largest_error), (3, 1, Some(0.5)));
    assert_eq!(position.largest_ratio, Some(2.0));
    // A step of f32 at 3 is 2^-22.
    assert_eq!(position.largest_ulps, Some(0.5 * f64::from(1 << 22)));
    assert_eq!((position.worst.len(), position.worst[0].row, position.worst[0].component), (1, 1, 2));
}

#[test]
fn indices_of_one_draw_are_those_of_the_primitive_that_they_fit() {
    let ids = [(0, 0, 2), (0, 1, 3), (2, 0, 2)]
        .into_iter()
        .flat_map(|(node, primitive, count)| (0..count).map(move |vertex| VertexId { node, primitive, vertex }));
    let values = (0..7).map(|row| [f64::from(row), 0.0, 0.0]).collect();
    let golden = VertexBuffer { ids: Some(ids.collect()), ..positions(values, 0.25) };
    let judge = |rows: &[usize], values: &[f64]| {
        let values = values.iter().map(|&x| [x, 0.0, 0.0]).collect();
        let buffer = VertexBuffer { position: Attribute::without_bounds(values), ..VertexBuffer::default() };
        let candidate = CandidateBuffer { buffer, w: None, rows: Some(rows.to_vec()) };
        let (space, matrices) = (Space::World, &SpaceMatrices::default());
        let place = CandidatePlace { name: Path::new("draw.csv"), space, matrices };
        VertexComparison::of_buffer(&golden, candidate, place, &VertexCompareOptions::default())
    };
    // All in one buffer, the second draw, and one vertex of the third.
    for (rows, values) in [(&[1, 4][..], &[1.0, 4.0][..]), (&[0, 2], &[2.0, 4.0]), (&[1], &[6.0])] {
        assert_eq!(judge(rows, values).unwrap().verdict, Verdict::Same, "{rows:?}");
    }
    let wrong = judge(&[0, 2], &[2.0, 3.5]).unwrap();
    let worst = &wrong.attributes[0].worst[0];
    assert_eq!((wrong.verdict, wrong.attributes[0].outside, worst.id.primitive), (Verdict::Different, 1, 1));
    let too_many = judge(&[7], &[7.0]).unwrap_err().to_string();
    assert!(too_many.contains("it has a vertex 7, and the golden 7 vertices"), "{too_many}");
}

#[test]
fn what_is_no_distance_accepts_nothing() {
    // Without bounds only the accepted distance judges; every vertex is 100 m away.
    let golden = VertexBuffer { position: Attribute::without_bounds(vec![[1.0; 3]; 3]), ..VertexBuffer::default() };
    let moved = VertexBuffer { position: Attribute::without_bounds(vec![[101.0; 3]; 3]), ..VertexBuffer::default() };
    let with = |accepted| VertexCompareOptions { accepted: Some(accepted), ..VertexCompareOptions::default() };
    for accepted in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        assert!(with(accepted).checked_accepted().unwrap_err().to_string().contains("at least 0"));
        assert_eq!(VertexComparison::of(&golden, &moved, &with(accepted)).verdict, Verdict::Different);
        assert_eq!(VertexComparison::of(&golden, &golden, &with(accepted)).verdict, Verdict::Same);
    }
    assert_eq!(VertexComparison::of(&golden, &moved, &with(100.0)).verdict, Verdict::Same);
}

#[test]
fn a_golden_without_numbers_is_not_the_same_as_anything() {
    let golden = positions(vec![[f64::NAN; 3]; 2], 1.0);
    let comparison = compare(&golden, &positions(vec![[1.0; 3]; 2], 1.0));
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.to_string().contains("no position that is a number"), "{comparison}");
    assert_eq!(compare(&VertexBuffer::default(), &VertexBuffer::default()).verdict, Verdict::Same);
}

#[test]
fn the_largest_error_need_not_be_the_worst_one() {
    // x is 0.5 away where 1 is accepted, y 0.25 where 0.125 is; the second vertex is exact.
    let mut golden = positions(vec![[1.0; 3]; 2], 1.0);
    golden.position.bounds = Some(vec![[1.0, 0.125, 1.0]; 2]);
    let comparison = compare(&golden, &positions(vec![[1.5, 1.25, 1.0], [1.0; 3]], 0.0));
    let position = &comparison.attributes[0];
    assert_eq!((position.largest_error, position.mean_error), (Some(0.5), Some(0.25)));
    assert_eq!((position.largest_ratio, position.worst[0].component), (Some(2.0), 1));
}

#[test]
fn what_is_not_a_number_is_outside() {
    let golden = positions(vec![[1.0; 3]], 1e9);
    for wrong in [f64::NAN, f64::INFINITY] {
        let comparison = compare(&golden, &positions(vec![[1.0, wrong, 1.0]], 0.0));
        assert_eq!(comparison.verdict, Verdict::Different);
        assert_eq!((comparison.attributes[0].outside, comparison.attributes[0].largest_error), (1, None));
    }
}

#[test]
fn what_the_golden_lacks_does_not_count_and_what_nothing_bounds_is_counted() {
    let golden = positions(vec![[f64::NAN; 3], [1.0; 3]], f64::INFINITY);
    let candidate = positions(vec![[5.0; 3], [2.0; 3]], 0.0);
    let comparison = compare(&golden, &candidate);
    let position = &comparison.attributes[0];
    assert_eq!((position.compared, position.outside, position.without_bound), (1, 0, 1));
    let strict = VertexCompareOptions { accepted: Some(0.5), ..VertexCompareOptions::default() };
    let comparison = VertexComparison::of(&golden, &candidate, &strict);
    assert_eq!((comparison.verdict, comparison.attributes[0].without_bound), (Verdict::Different, 0));
}

#[test]
fn rows_must_be_the_same_vertices() {
    let mut golden = positions(vec![[1.0; 3]; 2], 0.0);
    let mut candidate = golden.clone();
    let ids = |second| Some(vec![VertexId { node: 0, primitive: 0, vertex: 0 }, second]);
    golden.ids = ids(VertexId { node: 0, primitive: 0, vertex: 1 });
    assert_eq!(compare(&golden, &candidate).verdict, Verdict::Same);
    candidate.ids = ids(VertexId { node: 4, primitive: 0, vertex: 1 });
    let comparison = compare(&golden, &candidate);
    assert_eq!(comparison.verdict, Verdict::Different);
    assert!(comparison.mismatch.unwrap().starts_with("row 1 is node 0, primitive 0, vertex 1 in the golden"));
    candidate.position.values.pop();
    assert!(compare(&golden, &candidate).mismatch.unwrap().contains("2 vertices, the candidate 1"));
}

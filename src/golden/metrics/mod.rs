//! Metrics.
mod channels;
mod composite;
mod error_map;
mod flip;
mod vector_math;
/// temporary
pub fn flip_map(a: &super::Picture, b: &super::Picture) -> (error_map::ErrorMap, FlipScore) {
    let m = flip::error_map(a, b, flip::DEFAULT_PIXELS_PER_DEGREE, crate::simd::SimdLevel::best());
    let s = FlipScore::new(&m, m.values().len() as u64);
    (m, s)
}
pub use flip::FlipScore;

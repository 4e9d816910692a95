//! The same pictures, vertices, programs and measurements on every processor: a handful of jobs, each of which ends in one hash.
//!
//! Why it exists: that every SIMD level gives the same bits is tested where the levels of one processor can be run. NEON and
//! WebAssembly's SIMD are other compilers' back ends with other registers, other conversions and other NaNs. `.ci/processors`
//! builds this package for them and compares what it prints with what an x86-64 prints.

mod frames;
mod measurements;
mod programs;
mod vertices;

use refrast_simd::SimdLevel;

/// Something that is done on every processor, and ends in a hash.
pub type Job = Box<dyn Fn() -> u64>;

/// All jobs, by name.
#[must_use]
pub fn jobs() -> Vec<(String, Job)> {
    [frames::jobs(), vertices::jobs(), programs::jobs(), measurements::jobs()].into_iter().flatten().collect()
}

/// The names of the SIMD levels that this processor has here, slowest first. Jobs take the fastest.
#[must_use]
pub fn levels() -> Vec<&'static str> {
    SimdLevel::available().map(SimdLevel::name).collect()
}

/// FNV-1a over 64 bits.
fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Of the bits of numbers, so that −0 is not 0.
fn hash_of_numbers(numbers: impl IntoIterator<Item = f32>) -> u64 {
    hash(numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes()))
}

/// The number of jobs, for JavaScript.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_jobs() -> u32 {
    jobs().len() as u32
}

/// The hash of the job with a number, counted from 0; 0 where there is none. For JavaScript.
#[expect(unsafe_code, reason = "found by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn refrast_hash(number: u32) -> u64 {
    jobs().get(number as usize).map_or(0, |(_, job)| job())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_job_has_a_name_of_its_own() {
        let mut names: Vec<String> = jobs().into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(refrast_jobs() as usize, count);
    }

    /// The published values: <http://www.isthe.com/chongo/tech/comp/fnv/>.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(*b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(*b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}

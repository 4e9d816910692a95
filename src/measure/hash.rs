//! XXH64: the hash behind a frame's content hash.
//!
//! Why it exists: `refrast render --hash` and the manifests compare runs of different machines and years, so the hash
//! has to be one that is specified outside this project and that any language can compute. XXH64 is both, and keeps up
//! with memory. It finds accidents, not forgeries.
//!
//! Source: "xxHash fast digest algorithm", version 0.1.1, section XXH64 (the xxHash project's `doc/xxhash_spec.md`).

const PRIME_1: u64 = 0x9E37_79B1_85EB_CA87;
const PRIME_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const PRIME_3: u64 = 0x1656_67B1_9E37_79F9;
const PRIME_4: u64 = 0x85EB_CA77_C2B2_AE63;
const PRIME_5: u64 = 0x27D4_EB2F_1656_67C5;

/// The XXH64 of `bytes` under `seed`.
#[must_use]
pub fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    let mut hasher = Xxh64::new(seed);
    hasher.update(bytes);
    hasher.finish()
}

/// The same of bytes that come piece by piece.
#[derive(Clone, Debug)]
pub(super) struct Xxh64 {
    seed: u64,
    lanes: [u64; 4],
    length: u64,
    /// The beginning of a stripe that is not whole yet: `length % 32` bytes.
    begun: [u8; STRIPE],
}

const STRIPE: usize = 32;

impl Xxh64 {
    pub(super) fn new(seed: u64) -> Self {
        let lanes = [
            seed.wrapping_add(PRIME_1).wrapping_add(PRIME_2),
            seed.wrapping_add(PRIME_2),
            seed,
            seed.wrapping_sub(PRIME_1),
        ];
        Self { seed, lanes, length: 0, begun: [0; STRIPE] }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        let begun = (self.length % STRIPE as u64) as usize;
        self.length += bytes.len() as u64;
        if begun > 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(STRIPE - begun));
            self.begun[begun..begun + head.len()].copy_from_slice(head);
            if begun + head.len() < STRIPE {
                return;
            }
            self.stripes(&[self.begun]);
            bytes = rest;
        }
        let (stripes, rest) = bytes.as_chunks::<STRIPE>();
        self.stripes(stripes);
        self.begun[..rest.len()].copy_from_slice(rest);
    }

    fn stripes(&mut self, stripes: &[[u8; STRIPE]]) {
        let mut lanes = self.lanes;
        for stripe in stripes {
            for (lane, word) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*word));
            }
        }
        self.lanes = lanes;
    }

    pub(super) fn finish(&self) -> u64 {
        let hash = if self.length < STRIPE as u64 {
            self.seed.wrapping_add(PRIME_5)
        } else {
            let [one, two, three, four] = self.lanes;
            let folded = one
                .rotate_left(1)
                .wrapping_add(two.rotate_left(7))
                .wrapping_add(three.rotate_left(12))
                .wrapping_add(four.rotate_left(18));
            let join = |hash: u64, &lane: &u64| (hash ^ round(0, lane)).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
            self.lanes.iter().fold(folded, join)
        };
        let rest = &self.begun[..(self.length % STRIPE as u64) as usize];
        finish(hash.wrapping_add(self.length), rest)
    }
}

/// Mixes the bytes after the last whole stripe in.
fn finish(mut hash: u64, rest: &[u8]) -> u64 {
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        hash ^= round(0, u64::from_le_bytes(*word));
        hash = hash.rotate_left(27).wrapping_mul(PRIME_1).wrapping_add(PRIME_4);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        hash ^= u64::from(u32::from_le_bytes(*half)).wrapping_mul(PRIME_1);
        hash = hash.rotate_left(23).wrapping_mul(PRIME_2).wrapping_add(PRIME_3);
    }
    for &byte in rest {
        hash ^= u64::from(byte).wrapping_mul(PRIME_5);
        hash = hash.rotate_left(11).wrapping_mul(PRIME_1);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(PRIME_2);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(PRIME_3);
    hash ^ (hash >> 32)
}

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(PRIME_2)).rotate_left(31).wrapping_mul(PRIME_1)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Made with the Python package xxhash 4.1.0: `xxhash.xxh64(data, seed=seed).hexdigest()`.
    #[test]
    fn agrees_with_the_reference_library_at_every_tail_length() {
        let bytes: Vec<u8> = (0_u32..101).map(|index| (index * 151 + 7) as u8).collect();
        for (length, seed, expected) in [
            (0, 0, 0xEF46_DB37_51D8_E999),
            (0, 2654435761, 0xAC75_FDA2_929B_17EF),
            (1, 0, 0xA96C_7F0C_E858_BBB7),
            (4, 0, 0x14FE_4537_7C82_2387),
            (7, 0, 0x1AFB_0E45_6603_3049),
            (8, 0, 0x2B4E_E232_C934_9D82),
            (12, 0, 0xA144_4F5B_343B_119C),
            (31, 0, 0xD5CE_50E5_D53B_8C92),
            (32, 0, 0xCA18_B6AE_4913_772A),
            (33, 0, 0x531A_7C44_07D7_9F95),
            (44, 0, 0x32C0_94A8_2195_A791),
            (64, 0, 0x1DEC_0ABA_21DD_4A5B),
            (101, 0, 0x5DDA_6937_F0B2_E411),
            (101, 2654435761, 0x9380_1516_D909_956E),
        ] {
            assert_eq!(xxh64(&bytes[..length], seed), expected, "length {length}, seed {seed}");
            for piece in 1..40 {
                let mut hasher = Xxh64::new(seed);
                bytes[..length].chunks(piece).for_each(|piece| hasher.update(piece));
                assert_eq!(hasher.finish(), expected, "length {length} in pieces of {piece}");
            }
        }
    }
}

//! Random vertices and constants: the same in every run.

use refrast::vertex_program::{Attributes, CONSTANTS, ConstantFile, UNSET};
use refrast_arb_driver::SIDE;

pub(crate) struct Inputs {
    pub(crate) constants: ConstantFile,
    pub(crate) vertices: Vec<Attributes>,
}

/// Numbers by xorshift64* (Vigna, *An experimental exploration of Marsaglia's xorshift generators*, 2016).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }

    /// In [low, high).
    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.bits() >> 8) as f32 / 16_777_216.0
    }

    fn below(&mut self, count: u32) -> u32 {
        self.bits() % count
    }

    fn vector(&mut self) -> [f32; 4] {
        std::array::from_fn(|_| self.between(-2.0, 2.0))
    }

    /// A number of the vertex's kind: moderate, up to 2^±20 times that, or remarkable.
    fn number(&mut self, kind: u32) -> f32 {
        const REMARKABLE: [f32; 20] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            -0.5,
            2.0,
            -3.0,
            127.0,
            -126.0,
            128.5,
            16_777_216.0,
            1e-30,
            -1e30,
            f32::MIN_POSITIVE,
            f32::MAX,
            1e-40,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        match kind {
            0 => self.between(-2.0, 2.0),
            1 => {
                let power = f32::from_bits((107 + self.below(40)) << 23);
                self.between(-2.0, 2.0) * power
            }
            _ => REMARKABLE[self.below(REMARKABLE.len() as u32) as usize],
        }
    }
}

/// Operands for an opcode: an eighth of the vertices has remarkable ones.
pub(crate) fn for_opcode(name: &str) -> Inputs {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let constants = std::array::from_fn(|_| random.vector());
    let vertices = (0..SIDE * SIDE).map(|vertex| {
        let kind = if vertex % 8 == 7 { 2 } else { vertex as u32 % 2 };
        let mut attributes = [UNSET; 16];
        for attribute in &mut attributes[..3] {
            *attribute = std::array::from_fn(|_| random.number(kind));
        }
        if name == "ARL" {
            // Reads outside of the array are undefined; every second address is an integer.
            let address = random.between(-32.0, 55.0);
            attributes[0][0] = if vertex % 2 == 0 { address } else { address.floor() };
            attributes[0][1] = random.between(-32.0, 63.0);
        }
        attributes
    });
    Inputs { constants, vertices: vertices.collect() }
}

/// A draw for a program of the library: matrices, a light, colours, a palette, and vertices that follow it.
pub(crate) fn for_library(name: &str) -> Inputs {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    let mut constants: ConstantFile = std::array::from_fn(|_| random.vector());
    constants[4] = [0.6, 0.0, 0.8, 0.0];
    constants[7] = [0.0, 1.0, 0.5, 2.0];
    let rows = if name.starts_with("dual_quaternion") { 2 } else { 3 };
    let joints = (CONSTANTS as u32 - 12) / rows;
    let vertices = (0..SIDE * SIDE).map(|_| {
        let mut attributes: Attributes = std::array::from_fn(|_| random.vector());
        let places: [f32; 4] = std::array::from_fn(|_| (rows * random.below(joints)) as f32);
        if name.starts_with("vertex_offset") {
            attributes[0] = places;
        } else {
            attributes[0][3] = 1.0;
            attributes[1] = std::array::from_fn(|_| random.between(0.0, 0.5));
            if !name.starts_with("morph_targets") {
                attributes[6] = places;
            }
        }
        attributes
    });
    Inputs { constants, vertices: vertices.collect() }
}

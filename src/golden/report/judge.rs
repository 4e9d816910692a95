//! What a page needs to judge a picture itself: the comparing part of refrast as WebAssembly.
//!
//! Why it exists: who gets a report has often mended something meanwhile, and asks of a new picture what the report told of the old
//! one, without refrast at hand. A page can not load a module from beside it, where it is opened as a file, so it carries it: packed, and unpacked
//! when the first picture comes. This room can not build it, for it would be built of this room; whoever makes the report hands it in.

use std::io::{self, Write};

use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compression, write::ZlibEncoder};

/// The comparing part as WebAssembly, and the JavaScript that calls it: the two files of the package `refrast-compare`.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    /// `refrast_compare.wasm`.
    pub module: &'static [u8],
    /// `index.mjs`, which exports `load` and `compare`.
    pub library: &'static str,
}

/// The part of a page that judges.
pub(super) struct JudgePart {
    /// The module as a zlib stream in base64.
    pub(super) module: String,
    pub(super) library: &'static str,
    pub(super) script: &'static str,
}

impl JudgePart {
    pub(super) fn of(Judge { module, library }: Judge) -> io::Result<Self> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        packed.write_all(module)?;
        let module = BASE64_STANDARD.encode(packed.finish()?);
        Ok(Self { module, library, script: include_str!("../templates/judge.js") })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_page_carries_the_module_packed() {
        let module = b"\0asm and so on, and so on, and so on, and so on".as_slice();
        let part = JudgePart::of(Judge { module, library: "" }).unwrap();
        let packed = BASE64_STANDARD.decode(&part.module).unwrap();
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, module);
        assert!(packed.len() < module.len());
    }
}

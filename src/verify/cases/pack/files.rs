//! The files of a pack.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bytemuck::Pod;
use glam::Mat4;
use serde_json::{Value, json};

use super::PackError;
use refrast_golden::{write_whole, xxh64};

/// Files of a pack, by their path in it.
#[derive(Debug)]
pub(super) struct Files {
    folder: PathBuf,
}

impl Files {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Where a file is, in a folder that exists.
    pub(super) fn path(&self, place: &str) -> Result<PathBuf, PackError> {
        let path = self.folder.join(place);
        match path.parent().map_or(Ok(()), fs::create_dir_all) {
            Ok(()) => Ok(path),
            Err(source) => Err(PackError::File { path, source }),
        }
    }

    pub(super) fn write(&self, place: &str, bytes: &[u8]) -> Result<(), PackError> {
        let path = self.path(place)?;
        write_whole(&path, bytes).map_err(|source| PackError::File { path, source })
    }

    pub(super) fn copy(&self, from: &Path, place: &str) -> Result<(), PackError> {
        let bytes = fs::read(from).map_err(|source| PackError::File { path: from.to_owned(), source })?;
        self.write(place, &bytes)
    }

    /// A file that is named by what is in it, so that equal ones are there once.
    pub(super) fn shared(&self, bytes: &[u8], extension: &str) -> Result<String, PackError> {
        let place = format!("data/{:016x}.{extension}", xxh64(bytes, 0));
        if !self.folder.join(&place).exists() {
            self.write(&place, bytes)?;
        }
        Ok(place)
    }

    /// A raw file. `kind` is the type of a component, `T` an element of `components`.
    pub(super) fn data<T: Pod>(&self, kind: &str, components: usize, elements: &[T]) -> Result<Value, PackError> {
        let place = self.shared(bytemuck::cast_slice::<T, u8>(elements), "bin")?;
        let kind = if components == 1 { kind.to_owned() } else { format!("{kind}x{components}") };
        Ok(json!({ "file": place, "type": kind, "count": elements.len() }))
    }

    pub(super) fn floats<const N: usize>(&self, elements: Option<&Vec<[f32; N]>>) -> Result<Value, PackError>
    where
        [f32; N]: Pod,
    {
        elements.map_or(Ok(Value::Null), |elements| self.data("f32", N, elements))
    }

    pub(super) fn matrices(&self, matrices: impl Iterator<Item = Mat4>) -> Result<Value, PackError> {
        let matrices: Vec<[f32; 16]> = matrices.map(|matrix| matrix.to_cols_array()).collect();
        self.data("f32", 16, &matrices)
    }
}

//! Scenes that were opened before, so that they can be opened again.
//!
//! Why it exists: who looks for a mistake goes back and forth between a few files. Their paths lie in a file of their own, where
//! programs keep such things (XDG Base Directory Specification, `XDG_STATE_HOME`), a line each, the last one first.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use refrast_measure::write_whole;

/// How many are kept.
const MOST: usize = 12;

/// Puts a scene first, and gives the others that are still there. What can not be read or written is left: nothing depends on it.
pub(super) fn remember(scene: &str) -> Vec<PathBuf> {
    let Some(file) = file() else { return Vec::new() };
    let kept = fs::read_to_string(&file).unwrap_or_default();
    // The built-in character is no file.
    let own = Path::new(scene).canonicalize().ok();
    let others: Vec<PathBuf> = others(&kept, own.as_deref()).into_iter().filter(|path| path.is_file()).collect();
    if let (Some(own), Some(folder)) = (own, file.parent()) {
        let lines = std::iter::once(&own).chain(&others).take(MOST).map(|path| format!("{}\n", path.display()));
        let _ = fs::create_dir_all(folder).and_then(|()| write_whole(&file, lines.collect::<String>().as_bytes()));
    }
    others
}

/// The paths of a list but one.
fn others(kept: &str, own: Option<&Path>) -> Vec<PathBuf> {
    let paths = kept.lines().filter(|line| !line.is_empty()).map(PathBuf::from);
    paths.filter(|path| Some(path.as_path()) != own).take(MOST).collect()
}

/// Where the list is; `None` where nobody says where such things go.
fn file() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(folder.join("refrast/recent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_every_other_scene_once_and_an_end() {
        let kept: String = (0..20).map(|number| format!("/scenes/{number}.glb\n\n")).collect();
        let left = others(&kept, Some(Path::new("/scenes/3.glb")));
        assert_eq!((left.len(), left[0].as_path()), (MOST, Path::new("/scenes/0.glb")));
        assert!(!left.contains(&PathBuf::from("/scenes/3.glb")));
        assert_eq!(others("", None), Vec::<PathBuf>::new());
    }
}

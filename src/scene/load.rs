//! Puts a scene together.
//!
//! Why it exists: the order matters. Materials come before meshes (a normal map decides about tangents), meshes before
//! nodes (whose morph weights they count), nodes before animations.

use std::{io, path::Path};

use super::{
    animation,
    document::Document,
    error::{Problem, Result, SceneError},
    extensions,
    files::{LARGEST_FILE, read_regular, read_start},
    glb, hierarchy, image, material,
    model::{Scene, Source},
    primitive, skin,
    uri::Surroundings,
    view,
};

/// How the file of a scene is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Whether buffers and images are read that lie outside of the scene's folder.
    pub allow_outside: bool,
    /// Bytes that the scene may take from the file to the frame, by a count that is made before they are taken.
    pub memory: u64,
    /// Whether images are decoded. Without it a scene is there to be told of: its images have sizes, and no pixels.
    pub pixels: bool,
    /// Whether a file is refused that uses an extension which would be seen and is not drawn.
    pub strict: bool,
}

impl LoadOptions {
    /// The memory that a scene may take where nobody says: 4 GiB, some ten million vertices.
    pub const DEFAULT_MEMORY: u64 = 4 << 30;
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { allow_outside: false, memory: Self::DEFAULT_MEMORY, pixels: true, strict: false }
    }
}

impl Scene {
    /// Reads a .gltf or .glb file (told apart by content) with the buffers and images that it names.
    ///
    /// # Errors
    /// Whatever is wrong with the file is named with its JSON path; see [`SceneError`].
    ///
    /// ```no_run
    /// let scene = refrast_scene::Scene::load("character.glb")?;
    /// println!("{} joints", scene.skins[0].joints.len());
    /// # Ok::<(), refrast_scene::SceneError>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> std::result::Result<Self, SceneError> {
        Self::load_with(path, LoadOptions::default())
    }

    /// As [`load`](Self::load), as the options say.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with(path: impl AsRef<Path>, options: LoadOptions) -> std::result::Result<Self, SceneError> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let bytes = read_scene(path).map_err(|error| SceneError {
            file: file.clone(),
            place: String::new(),
            problem: Problem::Read { path: file.clone(), error },
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let surroundings = Surroundings { folder: Some(folder), allow_outside: options.allow_outside };
        assemble(&Document::open(&bytes, &file, surroundings, options)?)
    }

    /// Reads a self-contained .gltf or .glb from memory; `name` stands for the file in messages.
    ///
    /// # Errors
    /// As [`Scene::load`]; besides, URIs other than data URIs can not be resolved.
    pub fn from_bytes(bytes: &[u8], name: &str) -> std::result::Result<Self, SceneError> {
        Self::from_bytes_with(bytes, name, LoadOptions::default())
    }

    /// As [`from_bytes`](Self::from_bytes), as the options say.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with(bytes: &[u8], name: &str, options: LoadOptions) -> std::result::Result<Self, SceneError> {
        assemble(&Document::open(bytes, name, Surroundings::default(), options)?)
    }
}

/// Reads a .gltf or .glb: of the latter as much as its header states, and of what is neither only the beginning, by which it
/// is told what it is.
fn read_scene(path: &Path) -> io::Result<Vec<u8>> {
    let start = read_start(path, 64)?;
    if let Some(length) = glb::stated_length(&start) {
        return read_start(path, length.min(LARGEST_FILE));
    }
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
    match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') | None => read_regular(path, LARGEST_FILE),
        Some(_) => Ok(start),
    }
}

/// Reads all parts of an opened file.
fn assemble(document: &Document) -> Result<Scene> {
    let root = &document.root;
    let materials = material::read_materials(document)?;
    let textures = material::read_textures(document)?;
    let (images, image_formats) = image::read(document, &materials, &textures)?;
    extensions::remark_on_ignored(document)?;
    let meshes = primitive::read_meshes(document, &materials)?;
    let skins = skin::read(document)?;
    let cameras = view::read_cameras(document)?;
    let (lights, light_places) = view::read_lights(document)?;
    let nodes = hierarchy::read(document, &meshes, &light_places)?;
    let parents_first = hierarchy::parents_first(document, &nodes)?;
    let drawn = hierarchy::drawn(document, &nodes, &parents_first)?;
    skin::check_skinned_nodes(document, &nodes, &meshes, &skins)?;
    skin::remark_on_joints(document, &nodes, &parents_first, &drawn, &skins);
    let animations = animation::read(document, &nodes, &meshes)?;
    let source = Source {
        file: document.file.clone(),
        generator: root.asset.generator.clone(),
        extensions_used: root.extensions_used.clone(),
        extensions_required: root.extensions_required.clone(),
        image_formats,
        image_places: root.images.iter().enumerate().map(|(index, own)| image::place(own, index)).collect(),
        remarks: document.remarks.take(),
    };
    Ok(Scene {
        source,
        nodes,
        parents_first,
        drawn,
        meshes,
        skins,
        animations,
        materials,
        textures,
        images,
        cameras,
        lights,
    })
}

//! refrast is the reference rasteriser for skinned meshes: a CPU-only pipeline whose pictures and numbers a GPU
//! backend is checked against.
//!
//! One scene, pose, camera and settings give one image and one vertex stream, bit for bit, for every thread count,
//! SIMD level, build profile, processor and operating system.
//!
//! # Where to start
//!
//! A picture is made in four steps, and this is all of them:
//!
//! ```
//! use refrast::{
//!     animation::Pose,
//!     render::{Bounds, Camera, Orbit, RenderSettings, Renderer},
//!     scene::Scene,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scene = Scene::mannequin()?; // or Scene::load("fox.glb")
//! let walk = scene.find_animation("Walk")?;
//! let pose = Pose::sample(&scene, walk, 0.3)?;
//! let settings = RenderSettings { width: 64, height: 64, ..RenderSettings::default() };
//! let mut renderer = Renderer::new(&scene, settings)?;
//! let camera = Camera::orbit(&Bounds::of(&scene, Some(walk))?, Orbit::default(), 1.0, settings.convention);
//! let frame = renderer.render(&pose, &camera)?;
//! assert_eq!(frame.rgba().len(), 64 * 64 * 4);
//! # Ok(())
//! # }
//! ```
//!
//! From there, by what you want:
//!
//! | to | begin with |
//! |---|---|
//! | draw | [`render::Renderer`], [`render::RenderSettings`], [`render::Camera`] |
//! | compare pictures of any renderer | [`assert_golden!`], [`golden::measure`], [`golden::compare()`] |
//! | know which pixels and vertices are right | [`verify::envelope::frame_envelope`], [`verify::vertex::exact_vertices`] |
//! | know which mistake explains a picture | [`verify::diagnose::diagnose_picture`], [`verify::Fault`] |
//! | know what in a file can not be compared | [`lint::lint`] |
//! | keep a folder of goldens | [`verify::cases::GoldenFolder`], [`golden::Manifest`] |
//! | skin vertices alone | [`skinning::Deformation`], [`skinning::PreparedPrimitive`] |
//! | rasterise with a shader of your own | [`raster::Rasteriser`], [`raster::FragmentShader`], [`raster::block_shader!`] |
//! | run a vertex program of 2001 | [`vertex_program::assemble`], [`vertex_program::BatchMachine`] |
//!
//! The command `refrast`, the guide and the evidence are on the repository's own pages (`README.md`, `docs/`).
//!
//! # The rooms
//!
//! Data flows one way: file → [`scene::Scene`] → [`animation::Pose`] → [`raster::VertexStream`] → [`render::Frame`] → verdict.
//! Each room is a package of the workspace, stacked in floors, and imports only from rooms below it. Whoever needs one alone
//! (`refrast-golden` in the tests of another renderer) depends on that package.
//!
//! | floor | room | what lives there |
//! |---|---|---|
//! | 7 | `window` | the debugger behind `refrast view` (feature `window`) |
//! | 6 | [`verify`] | is it right, and what is wrong: goldens, fault tables, diagnosis |
//! | 5 | [`verify::envelope`] | what is right: the pixels and vertices that a conformant backend may produce |
//! | 5 | [`verify::simulator`] | what can be wrong: a second renderer that plays backends |
//! | 5 | [`render`] | the pipeline: scene, pose, camera and settings become a frame |
//! | 3 | [`skinning`] | pose to deformed vertices, by every method |
//! | 2 | [`lint`] | on what in a file renderers differ |
//! | 2 | [`animation`] | time to pose |
//! | 2 | [`shading`] | fragment to colour |
//! | 2 | [`raster`] | vertex streams to pixels |
//! | 1 | [`scene`] | glTF as plain, validated data |
//! | 1 | [`vertex_program`] | the machine of 2001 |
//! | 1 | [`golden`] | pictures, metrics, envelopes as files, reports; knows no renderer |
//! | 0 | [`simd`] | the SIMD level as a value |
//! | 0 | [`range`](refrast_range) | the arithmetic of acceptable sets |
//! | 0 | [`words`] | names of modes, methods and metrics, written once |

pub use refrast_animation as animation;
pub use refrast_golden as golden;
pub use refrast_golden::assert_golden;
pub use refrast_lint as lint;
pub use refrast_raster as raster;
pub use refrast_render as render;
pub use refrast_scene as scene;
pub use refrast_shading as shading;
pub use refrast_simd as simd;
pub use refrast_skinning as skinning;
pub use refrast_verify as verify;
pub use refrast_vertex_program as vertex_program;
#[cfg(feature = "window")]
pub use refrast_window as window;
pub use refrast_words as words;

//! [`Driver`]: which implementation of a GPU API draws, and how it is chosen.
//!
//! Why it exists: a backend is right or wrong on a driver. Four drivers run on any Linux machine without a GPU, and they
//! differ as real ones do. Drivers are chosen by environment variables that are read when the first of them is loaded,
//! so each choice is a process of its own: [`Driver::command`] starts one.

use std::{env, path::PathBuf, process::Command};

use refrast::verify::{Profile, StatedBits, envelope::SampleDepths};

refrast::words::words! {
    /// An implementation of Vulkan or OpenGL.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Driver: "driver" = Lavapipe {
        /// Mesa's Vulkan on the processor: 8 subpixel bits.
        Lavapipe = "lavapipe",
        /// Google's Vulkan on the processor: 4 subpixel bits.
        SwiftShader = "swiftshader",
        /// Mesa's OpenGL on the processor, compiled.
        Llvmpipe = "llvmpipe",
        /// Mesa's OpenGL on the processor, interpreted. It has no working multisampling.
        Softpipe = "softpipe",
        /// The machine's own graphics processor, by Vulkan.
        Hardware = "hardware",
    }
}

/// There is no such driver.
pub type UnknownDriverError = refrast::words::UnknownWord;

/// Where Debian's `mesa-vulkan-drivers` has lavapipe.
const LAVAPIPE_MANIFEST: &str = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
/// Where Debian's `chromium-common` has SwiftShader.
const SWIFTSHADER_MANIFEST: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";
/// Names another place of SwiftShader's manifest.
const SWIFTSHADER_VARIABLE: &str = "REFRAST_SWIFTSHADER";

impl Driver {
    /// Those that need no graphics processor.
    pub const SOFTWARE: [Self; 4] = [Self::Lavapipe, Self::SwiftShader, Self::Llvmpipe, Self::Softpipe];

    /// The API that it implements.
    #[must_use]
    pub const fn api(self) -> wgpu::Backends {
        match self {
            Self::Lavapipe | Self::SwiftShader | Self::Hardware => wgpu::Backends::VULKAN,
            Self::Llvmpipe | Self::Softpipe => wgpu::Backends::GL,
        }
    }

    /// Whether four samples a pixel work.
    #[must_use]
    pub const fn multisamples(self) -> bool {
        !matches!(self, Self::Softpipe)
    }

    /// Whether it has depths of 24 bits. SwiftShader has none (`vk::Format::supportsDepthStencilAttachment`), and of a machine that nobody has
    /// asked they are not taken for granted.
    #[must_use]
    pub const fn has_24_bits_of_depth(self) -> bool {
        matches!(self, Self::Lavapipe | Self::Llvmpipe | Self::Softpipe)
    }

    /// Whether the slope that biases a triangle is its own where it is clipped.
    ///
    /// Softpipe divides by the determinant of the whole triangle (`do_offset_tri` of Mesa's draw_pipe_offset.c), which pieces keep for its
    /// sign alone (`emit_poly` of draw_pipe_clip.c): ground that reaches out of a map has next to no bias there.
    #[must_use]
    pub const fn biases_cut_triangles(self) -> bool {
        !matches!(self, Self::Softpipe)
    }

    /// Where the driver takes the depth of a sample.
    ///
    /// SwiftShader takes it at the sample's place mirrored in x (`PixelRoutine::quad` subtracts `SampleLocationsX`, where
    /// `QuadRasterizer::rasterize` adds `SampleLocationsY`): where surfaces cross, samples come out on the wrong side.
    /// Vulkan wants it at the sample ("Multisampling": each sample has a depth value of its own, taken at its location), and
    /// the driver states `standardSampleLocations`.
    #[must_use]
    pub const fn sample_depths(self) -> SampleDepths {
        if matches!(self, Self::SwiftShader) { SampleDepths::MirroredInX } else { SampleDepths::InPlace }
    }

    /// The profile that the bits it states fit (`VkPhysicalDeviceLimits`, as `vulkaninfo` prints them), and that of a machine
    /// that nobody has asked.
    ///
    /// OpenGL states bits of positions only. Llvmpipe is lavapipe's rasteriser. Softpipe states the 4 bits that every driver
    /// states who does not know, but has no grid at all: it rounds as f32 does, and has been held with 20 bits of positions and
    /// 16 of all else.
    #[must_use]
    pub const fn profile(self) -> Profile {
        match self {
            Self::Lavapipe | Self::Llvmpipe | Self::Softpipe => {
                Profile::Vulkan(StatedBits { subpixel: 8, subtexel: 8, mip: 4 })
            }
            Self::SwiftShader => Profile::Vulkan(StatedBits { subpixel: 4, subtexel: 8, mip: 6 }),
            Self::Hardware => Profile::VulkanMin,
        }
    }

    /// Part of the name that the driver gives to itself.
    #[must_use]
    pub const fn adapter_name(self) -> &'static str {
        match self {
            // Lavapipe is llvmpipe with another front.
            Self::Lavapipe | Self::Llvmpipe => "llvmpipe",
            Self::SwiftShader => "SwiftShader",
            Self::Softpipe => "softpipe",
            Self::Hardware => "",
        }
    }

    /// What to install where it is missing.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Lavapipe => "install mesa-vulkan-drivers and libvulkan1",
            Self::SwiftShader => {
                "install chromium-common, or unpack libvk_swiftshader.so and vk_swiftshader_icd.json from it and name \
                 the latter in REFRAST_SWIFTSHADER"
            }
            Self::Llvmpipe | Self::Softpipe => "install libgl1-mesa-dri and libegl1",
            Self::Hardware => "install the graphics processor's Vulkan driver",
        }
    }

    /// The variables that choose it.
    #[must_use]
    pub fn environment(self) -> Vec<(&'static str, String)> {
        let vulkan = |manifest: PathBuf| {
            vec![
                ("VK_DRIVER_FILES", manifest.display().to_string()),
                ("VK_ICD_FILENAMES", manifest.display().to_string()),
                // Mesa's device-selection layer writes to the console otherwise.
                ("NODEVICE_SELECT", "1".to_owned()),
            ]
        };
        let mesa = |driver: &str| {
            vec![
                ("GALLIUM_DRIVER", driver.to_owned()),
                ("LIBGL_ALWAYS_SOFTWARE", "1".to_owned()),
                ("EGL_PLATFORM", "surfaceless".to_owned()),
            ]
        };
        match self {
            Self::Lavapipe => vulkan(LAVAPIPE_MANIFEST.into()),
            Self::SwiftShader => {
                vulkan(env::var_os(SWIFTSHADER_VARIABLE).map_or_else(|| SWIFTSHADER_MANIFEST.into(), PathBuf::from))
            }
            Self::Llvmpipe => mesa("llvmpipe"),
            Self::Softpipe => {
                // Softpipe stops at OpenGL 3.3 by name, but has what 4.3 asks for here.
                let version = [("MESA_GL_VERSION_OVERRIDE", "4.3"), ("MESA_GLSL_VERSION_OVERRIDE", "430")];
                let version = version.map(|(name, value)| (name, value.to_owned()));
                mesa("softpipe").into_iter().chain(version).collect()
            }
            Self::Hardware => Vec::new(),
        }
    }

    /// Whether this process was started with the variables that choose it.
    #[must_use]
    pub fn is_chosen(self) -> bool {
        self.environment().iter().all(|(name, value)| env::var(name).as_ref() == Ok(value))
    }

    /// A command that runs `program` on this driver.
    #[must_use]
    pub fn command(self, program: impl Into<PathBuf>) -> Command {
        let mut command = Command::new(program.into());
        command.envs(self.environment());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_are_read_back_by_name_and_unknown_ones_list_the_known() {
        for driver in Driver::ALL {
            assert_eq!(driver.to_string().parse(), Ok(driver));
        }
        let error = "llvm".parse::<Driver>().unwrap_err().to_string();
        assert!(error.contains("`llvm`") && error.contains("swiftshader"), "{error}");
    }
}

"""Lines of panda3d-gltf put right: the board proves with them what it says of the engine. No part of an adapter that draws it as it is."""

import inspect
import textwrap

import numpy
from gltf import _converter
from gltf._converter import Converter
from panda3d.core import Texture

MENDED = {
    "factor": ("get_lerp_factor", "max((currtime - lasttime) / (nexttime - lasttime), 1)", "min(max((currtime - lasttime) / (nexttime - lasttime), 0), 1)"),
    "rate": ("build_character", "fps = self.settings.animation_fps", "fps = self.settings.animation_fps = 120"),
    "order": ("build_animation_skeleton", "mat = frame_rotation * mat", "turn = LMatrix4(); frame_rotation.extract_to_matrix(turn); mat *= turn"),
    "decode": ("make_texture_srgb", "if texture is None:", "if texture is None or decode(texture):"),
}


def mend(name):
    """Puts a line right."""
    function, line, right = MENDED[name]
    owner = Converter if hasattr(Converter, function) else _converter
    source = textwrap.dedent(inspect.getsource(getattr(owner, function)))
    if line not in source:
        raise SystemExit(f"{function} has no line {line}")
    exec(source.replace(line, right), vars(_converter))
    setattr(owner, function, vars(_converter)[function])


def decode(texture):
    """Texels as floats of light, so that no driver decodes them."""
    stored = numpy.frombuffer(texture.get_ram_image_as("RGBA"), dtype=numpy.uint8).reshape(-1, 4) / 255
    light = numpy.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
    light[:, 3] = stored[:, 3]
    texture.setup_2d_texture(texture.x_size, texture.y_size, Texture.T_float, Texture.F_rgba32)
    texture.set_ram_image_as(light.astype("<f4").tobytes(), "RGBA")
    return True


_converter.decode = decode

"""Lines of panda3d-gltf and panda3d-simplepbr put right: the board proves with them what it says of the engine. No part of an adapter that draws it as it is."""

import inspect
import textwrap

import numpy
from gltf import _converter
from gltf._converter import Converter
from panda3d.core import Texture
from simplepbr.shaders import shaders

MENDED = {
    "factor": ("get_lerp_factor", "max((currtime - lasttime) / (nexttime - lasttime), 1)", "min(max((currtime - lasttime) / (nexttime - lasttime), 0), 1)"),
    "rate": ("build_character", "fps = self.settings.animation_fps", "fps = self.settings.animation_fps = 120"),
    "order": ("build_animation_skeleton", "mat = frame_rotation * mat", "turn = LMatrix4(); frame_rotation.extract_to_matrix(turn); mat *= turn"),
    "decode": ("make_texture_srgb", "if texture is None:", "if texture is None or decode(texture):"),
    "units": ("load_light", "intensity = gltf_light.get('intensity', 1) / PBR_WATTS_TO_LUMENS", "intensity = gltf_light.get('intensity', 1) / (1 if ltype == 'directional' else 4 * math.pi)"),
    # Three numbers that the shader gets, for what the mended line of "fall" takes them for.
    "lamp": ("load_light", "LVector3(1, 0, 1)", "LVector3(math.cos(gltf_light.get('spot', {}).get('innerConeAngle', 0)), gltf_light.get('range', 1e9), 1)"),
}
SHADERS = {
    "tone": (
        "tonemap.frag",
        """color = max(vec3(0.0), color - vec3(0.004));
    color = (color * (vec3(6.2) * color + vec3(0.5))) / (color * (vec3(6.2) * color + vec3(1.7)) + vec3(0.06));""",
        "color = mix(12.92 * color, 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, color));",
    ),
    "fresnel": ("simplepbr.frag", "pow(2.0, (-5.55473 * v_dot_h - 6.98316) * v_dot_h)", "pow(1.0 - v_dot_h, 5.0)"),
    "frame": (
        "simplepbr.frag",
        "vec3 n = normalize(v_view_tbn * normalmap);",
        """vec3 N = normalize(v_view_tbn[2]), T = normalize(v_view_tbn[0]), B = cross(N, T);
        vec3 n = normalize(mat3(T, dot(B, v_view_tbn[1]) < 0.0 ? -B : B, N) * normalmap);""",
    ),
    "bare": ("simplepbr.frag", "vec3 n = normalize(v_view_tbn * normalmap);", "vec3 n = normalize(v_view_tbn[2]);"),
    "fall": (
        "simplepbr.frag",
        "float shadow = shadowSpot * shadow_caster * attenuation_factor;",
        """float part = clamp((spotcos - spotcutoff) / (att_const.x - spotcutoff), 0.0, 1.0);
        float shadow = part * part * clamp(1.0 - pow(dist / att_const.y, 4.0), 0.0, 1.0) / (dist * dist);""",
    ),
}
sources = {}


def mend(name):
    """Puts a line right, of the converter or of a shader."""
    if name in SHADERS:
        shader, line, right = SHADERS[name]
        if line not in shaders[shader]:
            raise SystemExit(f"{shader} has no line {line}")
        shaders[shader] = shaders[shader].replace(line, right)
        return
    function, line, right = MENDED[name]
    owner = Converter if hasattr(Converter, function) else _converter
    source = sources.get(function) or textwrap.dedent(inspect.getsource(getattr(owner, function)))
    if line not in source:
        raise SystemExit(f"{function} has no line {line}")
    sources[function] = source.replace(line, right)
    exec(sources[function], vars(_converter))
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

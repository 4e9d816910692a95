"""Panda3D with panda3d-gltf: python with_panda3d.py CASE.json OUT.png, or OUT.npy for its vertices in world space.

Vertices are animated by the engine on the CPU and drawn by OpenGL into a buffer without a window. `mend` in a case names lines of the
engine that are put right before it draws: the board proves with them what it says of the engine.
"""

import inspect
import json
import os
import sys
import textwrap

import numpy
from PIL import Image
from panda3d.core import (
    CS_yup_right, CS_zup_right, AnimControlCollection, Camera, Filename, FrameBufferProperties, GeomVertexReader, GraphicsEngine,
    GraphicsOutput, GraphicsPipe, GraphicsPipeSelection, LColor, LMatrix4, MatrixLens, NodePath, PartGroup, Shader, Texture, Thread,
    WindowProperties, auto_bind, load_prc_file_data,
)

load_prc_file_data("", "load-display p3headlessgl\ntextures-power-2 none\naudio-library-name null\ngl-version 3 2")

from gltf import _converter
from gltf._converter import Converter, GltfSettings
from gltf.parseutils import parse_gltf_file

# The engine's world has z up.
FROM_ENGINE = LMatrix4.convert_mat(CS_zup_right, CS_yup_right)
VERTEX = """#version 150
uniform mat4 p3d_ModelViewProjectionMatrix, p3d_ModelMatrix, p3d_TextureMatrix[1];
in vec4 p3d_Vertex, p3d_Color; in vec3 p3d_Normal; in vec2 p3d_MultiTexCoord0;
out vec3 normal; out vec4 tint; out vec2 place;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    mat3 model = mat3(p3d_ModelMatrix);
    normal = (inverse(transpose(model)) * p3d_Normal).xzy * vec3(1.0, 1.0, -1.0);
    tint = p3d_Color;
    place = (p3d_TextureMatrix[0] * vec4(p3d_MultiTexCoord0, 0.0, 1.0)).xy;
}"""
UNLIT = """#version 150
uniform sampler2D p3d_Texture0;
uniform struct { vec4 baseColor; } p3d_Material;
uniform float cutoff;
in vec4 tint; in vec2 place; out vec4 color;
void main() {
    color = texture(p3d_Texture0, place) * p3d_Material.baseColor * tint;
    if (color.a < cutoff) discard;
    color.rgb = mix(12.92 * color.rgb, 1.055 * pow(color.rgb, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, color.rgb));
}"""
NORMALS = """#version 150
uniform mat4 p3d_ModelMatrix;
in vec3 normal; out vec4 color;
void main() {
    bool isFront = gl_FrontFacing == (determinant(mat3(p3d_ModelMatrix)) > 0.0);
    color = vec4(normalize(isFront ? normal : -normal) * 0.5 + 0.5, 1.0);
}"""


def load(words):
    """The scene of the file at the moment of the case, the engine's converter and the file."""
    file = parse_gltf_file(Filename.from_os_specific(words["scene_file"]))
    for number, node in enumerate(file["nodes"]):
        node["extras"] = {"place": number}  # A tag by which the engine's node is found again.
    for name in words.get("mend", []):
        mend(name)
    converter = Converter(words["scene_file"], GltfSettings())
    converter.update(file)
    scene = converter.active_scene
    names = [clip.get("name", f"anim{number}") for number, clip in enumerate(file.get("animations", []))]
    clip = words.get("animation")
    clip = clip if clip is None or clip in names else names[int(clip)]
    for path in scene.find_all_matches("**/+Character"):
        controls = AnimControlCollection()
        auto_bind(path.node(), controls, PartGroup.HMF_ok_part_extra | PartGroup.HMF_ok_anim_extra | PartGroup.HMF_ok_wrong_root_name)
        control = clip and controls.find_anim(clip)
        if control:
            control.pose(words["time"] * control.frame_rate)
        path.set_python_tag("controls", controls)  # What holds a pose goes with its last reference.
        path.node().force_update()
    return scene, converter, file


def mend(name):
    """Puts a line of panda3d-gltf right."""
    function, line, right = MENDED[name]
    owner = Converter if hasattr(Converter, function) else _converter
    source = textwrap.dedent(inspect.getsource(getattr(owner, function)))
    if line not in source:
        raise SystemExit(f"{function} has no line {line}")
    exec(source.replace(line, right), vars(_converter))
    setattr(owner, function, vars(_converter)[function])


MENDED = {
    "factor": ("get_lerp_factor", "max((currtime - lasttime) / (nexttime - lasttime), 1)", "min(max((currtime - lasttime) / (nexttime - lasttime), 0), 1)"),
    "rate": ("build_character", "fps = self.settings.animation_fps", "fps = self.settings.animation_fps = 120"),
    "order": ("build_animation_skeleton", "mat = frame_rotation * mat", "turn = LMatrix4(); frame_rotation.extract_to_matrix(turn); mat *= turn"),
    "decode": ("make_texture_srgb", "if texture is None:", "if texture is None or decode(texture):"),
}


def decode(texture):
    """Texels as floats of light, so that no driver decodes them."""
    stored = numpy.frombuffer(texture.get_ram_image_as("RGBA"), dtype=numpy.uint8).reshape(-1, 4) / 255
    light = numpy.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)
    light[:, 3] = stored[:, 3]
    texture.setup_2d_texture(texture.x_size, texture.y_size, Texture.T_float, Texture.F_rgba32)
    texture.set_ram_image_as(light.astype("<f4").tobytes(), "RGBA")
    return True


_converter.decode = decode


def vertices(words):
    """World-space positions in the order of node, primitive and vertex."""
    Converter.calculate_normals = lambda *_: None  # It takes indices away.
    scene, converter, file = load(words)
    rows = []
    for number, node in enumerate(file["nodes"]):
        mesh = converter.meshes.get(node.get("mesh"))
        place = scene.find(f"**/=place={number}")
        path = next((path for path in place.find_all_matches("**/+GeomNode") if path.node() == mesh), None) if place else None
        if path is None:
            continue
        world = path.get_net_transform().get_mat() * FROM_ENGINE
        for geom in mesh.get_geoms():
            moved = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
            reader = GeomVertexReader(moved, "vertex")
            while not reader.is_at_end():
                rows.append(world.xform_point(reader.get_data3()))
    return numpy.array(rows, dtype="<f4")


def draw(words):
    """The picture, rows from the top."""
    scene, converter, file = load(words)
    is_unlit = words["shading"] == "unlit"
    size = (words["width"], words["height"])
    properties = FrameBufferProperties()
    properties.set_rgba_bits(8, 8, 8, 8)
    properties.set_depth_bits(24)
    samples = int(str(words["samples"]).split("-")[0])
    properties.set_multisamples(samples if samples > 1 else 0)
    engine = GraphicsEngine.get_global_ptr()
    pipe = GraphicsPipeSelection.get_global_ptr().make_default_pipe()
    first = engine.make_output(pipe, "first", 0, FrameBufferProperties(), WindowProperties.size(1, 1), GraphicsPipe.BF_refuse_window)
    buffer = engine.make_output(pipe, "case", 0, properties, WindowProperties.size(*size), GraphicsPipe.BF_refuse_window, first.get_gsg(), first)
    got = buffer.get_fb_properties()
    if got.get_multisamples() != properties.get_multisamples() or got.get_srgb_color():
        raise SystemExit(f"the engine's buffer is another one: {got}")
    picture = Texture()
    buffer.add_render_texture(picture, GraphicsOutput.RTM_copy_ram)
    world = NodePath("world")
    scene.reparent_to(world)
    scene.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, UNLIT if is_unlit else NORMALS))
    scene.set_shader_input("cutoff", max([material.get("alphaCutoff", 0.5) for material in file.get("materials", []) if material.get("alphaMode") == "MASK"], default=0))
    lens = MatrixLens()
    lens.set_coordinate_system(CS_yup_right)
    lens.set_user_mat(LMatrix4(*words["projection"]))
    camera = world.attach_new_node(Camera("camera", lens))
    view = FROM_ENGINE * LMatrix4(*words["view"])
    view.invert_in_place()
    camera.set_mat(view)
    background = [int(words["background"][at : at + 2], 16) / 255 for at in (1, 3, 5)]
    buffer.set_clear_color_active(True)
    buffer.set_clear_color(LColor(*background, 1))
    buffer.make_display_region().set_camera(camera)
    engine.render_frame()
    engine.render_frame()
    rows = numpy.frombuffer(picture.get_ram_image_as("RGBA"), dtype=numpy.uint8)
    return Image.fromarray(rows.reshape(size[1], size[0], 4)[::-1]).convert("RGB")


if __name__ == "__main__":
    case, out = sys.argv[1:]
    with open(case, encoding="utf-8") as file:
        task = json.load(file)
    if out.endswith(".npy"):
        numpy.save(out, vertices(task))
    else:
        draw(task).save(out)
    sys.stdout.flush()
    os._exit(0)  # Taking an animated character down at the end of the program is a fault of memory.

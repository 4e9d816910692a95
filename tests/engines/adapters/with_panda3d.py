"""Panda3D with panda3d-gltf: python with_panda3d.py CASE.json OUT.png, or OUT.npy for its vertices in world space.

Vertices are animated by the engine on the CPU and drawn by OpenGL into a buffer without a window. Materials under lights are those of
panda3d-simplepbr with its maps turned on, for which the engine itself has no shader.
"""

import os
import sys

from direct.task.Task import TaskManager
from panda3d.core import (
    CS_yup_right, CS_zup_right, AnimControlCollection, Camera, Filename, FrameBufferProperties, GeomVertexReader, GraphicsEngine, GraphicsOutput,
    GraphicsPipe, GraphicsPipeSelection, LColor, LMatrix4, MatrixLens, NodePath, PartGroup, Shader, Texture, Thread, WindowProperties, auto_bind,
    load_prc_file_data,
)

load_prc_file_data("", "load-display p3headlessgl\ntextures-power-2 none\naudio-library-name null\ngl-version 3 2")

from gltf._converter import Converter, GltfSettings
from gltf.parseutils import parse_gltf_file
from simplepbr import Pipeline

from mended_panda3d import mend
from task import SRGB, decoded, perform

# The engine's world has z up.
FROM_ENGINE = LMatrix4.convert_mat(CS_zup_right, CS_yup_right)
VERTEX = """#version 150
uniform mat4 p3d_ModelViewProjectionMatrix, p3d_ModelMatrix, p3d_TextureMatrix[1];
in vec4 p3d_Vertex, p3d_Color; in vec3 p3d_Normal; in vec2 p3d_MultiTexCoord0;
out vec3 normal; out vec4 tint; out vec2 place;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    normal = (inverse(transpose(mat3(p3d_ModelMatrix))) * p3d_Normal).xzy * vec3(1.0, 1.0, -1.0);
    tint = p3d_Color;
    place = (p3d_TextureMatrix[0] * vec4(p3d_MultiTexCoord0, 0.0, 1.0)).xy;
}"""
FRAGMENT = """#version 150
uniform sampler2D p3d_Texture0; uniform struct { vec4 baseColor; } p3d_Material; uniform float cutoff; uniform mat4 p3d_ModelMatrix;
in vec3 normal; in vec4 tint; in vec2 place; out vec4 color;""" + SRGB
UNLIT = FRAGMENT + """void main() {
    color = texture(p3d_Texture0, place) * p3d_Material.baseColor * tint;
    if (color.a < cutoff) discard;
    color.rgb = encoded(color.rgb);
}"""
NORMALS = FRAGMENT + """void main() {
    bool isFront = gl_FrontFacing == (determinant(mat3(p3d_ModelMatrix)) > 0.0);
    color = vec4(normalize(isFront ? normal : -normal) * 0.5 + 0.5, 1.0);
}"""


def load(task):
    """The scene of the file at the moment of the case, the engine's converter and the file."""
    file = parse_gltf_file(Filename.from_os_specific(task.file))
    for number, node in enumerate(file["nodes"]):
        node["extras"] = {"place": number}  # A tag by which the engine's node is found again.
    for name in task.mend:
        mend(name)
    converter = Converter(task.file, GltfSettings())
    converter.update(file)
    names = [clip.get("name", f"anim{number}") for number, clip in enumerate(file.get("animations", []))]
    for path in converter.active_scene.find_all_matches("**/+Character"):
        controls = AnimControlCollection()
        auto_bind(path.node(), controls, PartGroup.HMF_ok_part_extra | PartGroup.HMF_ok_anim_extra | PartGroup.HMF_ok_wrong_root_name)
        control = task.clip is not None and controls.find_anim(names[task.clip_in(names)])
        if control:
            control.pose(task.time * control.frame_rate)
        path.set_python_tag("controls", controls)  # What holds a pose goes with its last reference.
        path.node().force_update()
    return converter.active_scene, converter, file


def vertices(task):
    """World-space positions in the order of node, primitive and vertex."""
    Converter.calculate_normals = lambda *_: None  # It takes indices away.
    scene, converter, file = load(task)
    rows = []
    for number, node in enumerate(file["nodes"]):
        mesh = converter.meshes.get(node.get("mesh"))
        place = scene.find(f"**/=place={number}")
        path = next((path for path in place.find_all_matches("**/+GeomNode") if path.node() == mesh), None) if place else None
        if path is None:
            continue
        world = path.get_net_transform().get_mat() * FROM_ENGINE
        for geom in mesh.get_geoms():
            reader = GeomVertexReader(geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread()), "vertex")
            while not reader.is_at_end():
                rows.append(world.xform_point(reader.get_data3()))
    return rows


def draw(task):
    """The pixels."""
    scene, _, file = load(task)
    engine, buffer = target(task)
    picture = Texture()
    buffer.add_render_texture(picture, GraphicsOutput.RTM_copy_ram)
    world = NodePath("world")
    scene.reparent_to(world)
    lens = MatrixLens()
    lens.set_coordinate_system(CS_yup_right)
    lens.set_user_mat(LMatrix4(*task.projection))
    camera = world.attach_new_node(Camera("camera", lens))
    view = FROM_ENGINE * LMatrix4(*task.view)
    view.invert_in_place()
    camera.set_mat(view)
    buffer.set_clear_color_active(True)
    buffer.set_clear_color(LColor(*(decoded(task.background) if task.is_lit else task.background), 1))
    buffer.make_display_region().set_camera(camera)
    if task.is_lit:
        light(task, world, buffer, camera)
    else:
        scene.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, UNLIT if task.is_unlit else NORMALS))
        scene.set_shader_input("cutoff", max([material.get("alphaCutoff", 0.5) for material in file.get("materials", []) if material.get("alphaMode") == "MASK"], default=0))
    engine.render_frame()
    engine.render_frame()
    return picture.get_ram_image_as("RGBA")


def light(task, world, buffer, camera):
    """Draws a world by panda3d-simplepbr: into a target of floats with the case's samples, which it encodes into the buffer."""
    tasks = TaskManager()
    Pipeline(
        render_node=world, window=buffer, camera_node=camera, taskmgr=tasks, msaa_samples=task.samples if task.samples > 1 else 0,
        use_normal_maps=True, use_occlusion_maps=True, enable_shadows=False, use_hardware_skinning=False,
    )
    tasks.step()


def target(task):
    """A buffer without a window, of stored bytes and with as many samples as the case has; what is lit has a target of its own for them."""
    properties = FrameBufferProperties()
    properties.set_rgba_bits(8, 8, 8, 8)
    properties.set_depth_bits(24)
    properties.set_multisamples(task.samples if task.samples > 1 and not task.is_lit else 0)
    engine = GraphicsEngine.get_global_ptr()
    pipe = GraphicsPipeSelection.get_global_ptr().make_default_pipe()
    first = engine.make_output(pipe, "first", 0, FrameBufferProperties(), WindowProperties.size(1, 1), GraphicsPipe.BF_refuse_window)
    buffer = engine.make_output(pipe, "case", 0, properties, WindowProperties.size(*task.size), GraphicsPipe.BF_refuse_window, first.get_gsg(), first)
    got = buffer.get_fb_properties()
    if got.get_multisamples() != properties.get_multisamples() or got.get_srgb_color():
        raise SystemExit(f"the engine's buffer is another one: {got}")
    return engine, buffer


if __name__ == "__main__":
    perform(draw, vertices)
    sys.stdout.flush()
    os._exit(0)  # Taking an animated character down at the end of the program is a fault of memory.

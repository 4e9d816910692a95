"""raylib (PyPI: raylib): python with_raylib.py CASE.json OUT.png, or OUT.npy for its vertices in world space. It needs a display.

Vertices are moved by the engine on the CPU. Textures have mip levels and are filtered trilinearly: the engine reads no samplers, and a
program of its own sets what it likes.
"""

import ctypes
import json
import sys

import numpy
from PIL import Image
from raylib import ffi, rl

gl = ctypes.CDLL("libGL.so.1")
VERTEX = """#version 330
in vec3 vertexPosition, vertexNormal; in vec2 vertexTexCoord; in vec4 vertexColor;
uniform mat4 mvp;
out vec3 point, normal; out vec4 tint; out vec2 place;
void main() { gl_Position = mvp * vec4(vertexPosition, 1.0); point = vertexPosition; normal = normalize(vertexNormal); tint = vertexColor; place = vertexTexCoord; }"""
UNLIT = """#version 330
uniform sampler2D texture0; uniform vec4 colDiffuse;
in vec4 tint; in vec2 place; out vec4 color;
vec3 decoded(vec3 stored) { return mix(stored / 12.92, pow((stored + 0.055) / 1.055, vec3(2.4)), step(0.04045, stored)); }
vec3 encoded(vec3 light) { return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)); }
void main() { color = vec4(encoded(decoded(texture(texture0, place).rgb) * colDiffuse.rgb * tint.rgb), 1.0); }"""
NORMALS = """#version 330
in vec3 normal; out vec4 color;
void main() { color = vec4(normalize(gl_FrontFacing ? normal : -normal) * 0.5 + 0.5, 1.0); }"""
FLAT = """#version 330
in vec3 point; out vec4 color;
void main() { color = vec4(normalize(cross(dFdx(point), dFdy(point))) * 0.5 + 0.5, 1.0); }"""


def load(words):
    """The model at the moment of the case."""
    path = words["scene_file"].encode()
    model = rl.LoadModel(path)
    count = ffi.new("int *")
    clips = rl.LoadModelAnimations(path, count)
    clip = words.get("animation")
    if clip is not None and count[0]:
        names = [ffi.string(clips[number].name).decode() for number in range(count[0])]
        rl.UpdateModelAnimation(model, clips[names.index(clip) if clip in names else int(clip)], words["time"] * 60)
    return model


def vertices(words):
    """World-space positions in the order of node, primitive and vertex, which is the order of the engine's meshes."""
    model = load(words)
    rows = []
    for number in range(model.meshCount):
        mesh = model.meshes[number]
        moved = mesh.animVertices if mesh.animVertices != ffi.NULL else mesh.vertices
        rows.append(numpy.frombuffer(ffi.buffer(moved, 12 * mesh.vertexCount), dtype="<f4").reshape(-1, 3))
    return numpy.concatenate(rows)


def draw(words):
    """The picture, rows from the top."""
    model = load(words)
    has_normals = model.meshes[0].normals != ffi.NULL
    fragment = UNLIT if words["shading"] == "unlit" else NORMALS if has_normals else FLAT
    shader = rl.LoadShaderFromMemory(VERTEX.encode(), fragment.encode())
    for number in range(model.materialCount):
        material = model.materials[number]
        material.shader = shader
        texture = ffi.addressof(material.maps[rl.MATERIAL_MAP_ALBEDO], "texture")
        if texture.width > 1:
            rl.GenTextureMipmaps(texture)
            rl.SetTextureFilter(texture[0], rl.TEXTURE_FILTER_TRILINEAR)
    target = multisampled(words)
    background = [int(words["background"][at : at + 2], 16) for at in (1, 3, 5)]
    rl.ClearBackground([*background, 255])
    rl.BeginMode3D(ffi.new("Camera3D *", {"up": [0, 1, 0], "target": [0, 0, 1], "fovy": 45})[0])
    rl.rlSetMatrixProjection(matrix(words["projection"]))
    rl.rlSetMatrixModelview(matrix(words["view"]))
    rl.rlDisableColorBlend()
    rl.DrawModel(model, [0, 0, 0], 1, [255, 255, 255, 255])
    rl.EndMode3D()
    size = (words["width"], words["height"])
    if target:
        rl.rlDrawRenderBatchActive()
        gl.glBindFramebuffer(0x8CA9, 0)  # DRAW_FRAMEBUFFER
        gl.glBlitFramebuffer(0, 0, *size, 0, 0, *size, 0x4000, 0x2600)  # COLOR_BUFFER_BIT, NEAREST
        gl.glBindFramebuffer(0x8D40, 0)
    rows = ffi.buffer(rl.rlReadScreenPixels(*size), 4 * size[0] * size[1])
    return Image.frombytes("RGBA", size, bytes(rows)).convert("RGB")


def multisampled(words):
    """A target with samples, which the engine has only as a window, and Mesa's software windows give one of them back."""
    samples = int(str(words["samples"]).split("-")[0])
    if samples == 1:
        return None
    target = rl.rlLoadFramebuffer()
    gl.glBindFramebuffer(0x8D40, target)
    for kind, attachment in ((0x8058, 0x8CE0), (0x81A6, 0x8D00)):  # RGBA8 as colour, DEPTH_COMPONENT24 as depth
        buffer = ctypes.c_uint()
        gl.glGenRenderbuffers(1, ctypes.byref(buffer))
        gl.glBindRenderbuffer(0x8D41, buffer)
        gl.glRenderbufferStorageMultisample(0x8D41, samples, kind, words["width"], words["height"])
        gl.glFramebufferRenderbuffer(0x8D40, attachment, 0x8D41, buffer)
    return target


def matrix(columns):
    """The engine names entries by columns and holds them by rows."""
    return {f"m{place}": columns[place] for place in range(16)}


if __name__ == "__main__":
    case, out = sys.argv[1:]
    with open(case, encoding="utf-8") as file:
        task = json.load(file)
    rl.SetTraceLogLevel(rl.LOG_ERROR)
    rl.InitWindow(task["width"], task["height"], b"refrast")
    if out.endswith(".npy"):
        numpy.save(out, vertices(task))
    else:
        draw(task).save(out)

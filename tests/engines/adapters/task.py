"""What adapters in Python share: the words of a case as values, colours as shaders need them, and the file that is written."""

import json
import sys

import numpy
from PIL import Image

SRGB = """
vec3 decoded(vec3 stored) { return mix(stored / 12.92, pow((stored + 0.055) / 1.055, vec3(2.4)), step(0.04045, stored)); }
vec3 encoded(vec3 light) { return mix(12.92 * light, 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, light)); }
"""


def decoded(color):
    """The light that an encoded colour stands for."""
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]


class Task:
    """A case, as refrast writes it."""

    def __init__(self, words):
        self.file = words["scene_file"]
        self.clip = words.get("animation")
        self.time = words["time"]
        self.size = words["width"], words["height"]
        self.samples = int(str(words["samples"]).split("-")[0])
        self.is_unlit, self.is_lit = (words["shading"] == mode for mode in ("unlit", "lit"))
        self.view, self.projection = words["view"], words["projection"]  # By columns, as OpenGL has them.
        self.background = [int(words["background"][at : at + 2], 16) / 255 for at in (1, 3, 5)]
        self.mend = words.get("mend", [])

    def clip_in(self, names):
        """The place of its clip among those of the file: cases name one, or count."""
        return names.index(self.clip) if self.clip in names else int(self.clip)


def perform(draw, vertices):
    """Does what the program was called for: CASE.json OUT.png or OUT.npy. `draw` gives bytes of RGBA, the lowest row first as OpenGL has them."""
    case, out = sys.argv[1:]
    with open(case, encoding="utf-8") as file:
        task = Task(json.load(file))
    if out.endswith(".npy"):
        numpy.save(out, numpy.asarray(vertices(task), dtype="<f4"))
        return
    rows = numpy.frombuffer(draw(task), dtype=numpy.uint8)
    width, height = task.size
    Image.fromarray(rows.reshape(height, width, 4)[::-1]).convert("RGB").save(out)

"""The reference rasteriser for skinned meshes, with numpy arrays in and out.

What a picture shows is said in the words of ``refrast render --help`` as keywords: ``time=0.3``, ``camera="orbit:90,0"``,
``max_influences=4``, ``shadows="cascades:3"``, ``profile="d3d11"``. A word that has no meaning is a ``ValueError``, which lists
those that have one; so is everything else that goes wrong. Paths are seen from the working directory.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from typing import Any

import numpy

from . import _refrast

__all__ = ["Result", "check", "compare", "content_hash", "render", "vertices"]
__version__ = _refrast.__version__


@dataclass(frozen=True)
class Result:
    """What came out: ``right``, the words of the command, and everything as its ``--json`` has it. Without pictures and
    vertices, it is true where it is right."""

    right: bool
    text: str
    details: dict[str, Any]

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return self.text


def render(scene: str | os.PathLike[str], *, size: tuple[int, int] = (1280, 720), **words: Any) -> numpy.ndarray:
    """Draw a scene: an array (height, width, 4) of uint8, sRGB with alpha, the first row on top. ``size`` is width and
    height, as on the command line."""
    width, height, samples = _refrast.render(_case(scene, words, size=size))
    return numpy.frombuffer(samples, dtype=numpy.uint8).reshape(height, width, 4).copy()


def vertices(
    scene: str | os.PathLike[str], *, given: str = "file", any_rounding: bool = False, **words: Any
) -> numpy.ndarray:
    """The exact vertices of a pose, with how far a correct backend may be from them: the structured array that ``refrast
    vertices`` writes, in world space and metres."""
    return numpy.load(io.BytesIO(_refrast.vertices(_case(scene, words, given=given), any_rounding)))


def check(
    scene: str | os.PathLike[str],
    candidate: Any,
    *,
    given: str = "file",
    space: str = "world",
    size: tuple[int, int] | None = None,
    **words: Any,
) -> Result:
    """Is it right? The candidate is a picture, an array (height, width, 3 or 4) of uint8, or vertices: floats of the shape
    (N, 3), in clip space (N, 4), or a structured array with ``position`` and perhaps ``normal``, ``tangent`` and indices.
    ``space`` and ``size`` (width and height) are for vertices: a picture has its own size."""
    array = numpy.asarray(candidate)
    if array.dtype == numpy.uint8:
        picture = _picture(array)
        if space != "world" or size not in (None, picture[:2]):
            raise ValueError("space and size are for vertices; a picture has its own size: leave them out")
        return _result(_refrast.check_picture(_case(scene, words, given=given, size=picture[:2]), picture))
    return _result(_refrast.check_vertices(_case(scene, words, given=given, size=size), _npy(array), space))


def compare(
    golden: Any,
    candidate: Any,
    *,
    metric: str | None = None,
    threshold: float | None = None,
    max_differing: int | None = None,
    ignore: list[tuple[int, int, int, int]] | None = None,
    envelope: str | os.PathLike[str] | bytes | None = None,
) -> Result:
    """Compare two pictures, arrays (height, width, 3 or 4) of uint8: by an envelope where one is given (a file, or its
    bytes), else by ꟻLIP or another metric; ``ignore`` holds rectangles x, y, width, height. Or compare vertices with those
    of :func:`vertices`: by their bounds, or by ``threshold``, a distance, where they have none."""
    golden, candidate = numpy.asarray(golden), numpy.asarray(candidate)
    options = {"metric": metric, "max_differing": max_differing, "ignore": ignore}
    if golden.dtype != numpy.uint8:
        for name, value in {**options, "envelope": envelope}.items():
            if value is not None:
                raise ValueError(f"{name} is for pictures; vertices are judged by the golden's bounds, or by threshold")
        return _result(_refrast.compare_vertices(_npy(golden), _npy(candidate), threshold))
    if threshold is not None and metric is None:
        raise ValueError('threshold means something else to every metric; name one, for example metric="flip"')
    if envelope is not None and not isinstance(envelope, bytes):
        with open(envelope, "rb") as file:
            envelope = file.read()
    words = json.dumps({**options, "threshold": threshold, "ignore": ignore or []}, default=_plain)
    return _result(_refrast.compare_pictures(_picture(golden), _picture(candidate), words, envelope))


def content_hash(picture: Any) -> str:
    """The hash of a picture's pixels that ``refrast render --hash`` prints."""
    return _refrast.content_hash(_picture(numpy.asarray(picture)))


def _case(scene: str | os.PathLike[str], words: dict[str, Any], **own: Any) -> str:
    """The words as a case of a manifest, which is what the inner module reads."""
    case: dict[str, Any] = {"scene": os.fspath(scene)}
    shadows: dict[str, str] = {}
    for name, value in {**words, **own}.items():
        if value is None:
            continue
        if name == "size" and not isinstance(value, str):
            value = "{}x{}".format(*value)
        elif name in ("animation", "camera", "profile", "background", "skinning"):
            value = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        if name == "shadows":
            shadows["cast"] = str(value)
        elif name.startswith("shadow_"):
            shadows[name.removeprefix("shadow_")] = str(value)
        else:
            case[name.replace("_", "-")] = value
    if shadows:
        case["shadows"] = shadows
    return json.dumps(case, default=_plain)


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as JSON has them."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    raise TypeError(f"{value!r} is no word, number or list of numbers")


def _npy(array: numpy.ndarray) -> bytes:
    """An array as an NPY file."""
    file = io.BytesIO()
    numpy.save(file, array, allow_pickle=False)
    return file.getvalue()


def _picture(array: numpy.ndarray) -> tuple[int, int, bytes]:
    """Width, height and RGBA bytes."""
    if array.dtype != numpy.uint8 or array.ndim != 3 or array.shape[2] not in (3, 4):
        raise ValueError(f"a picture is (height, width, 3 or 4) of uint8, and this is {array.shape} of {array.dtype}")
    height, width, channels = array.shape
    if channels == 3:
        opaque = numpy.full((height, width, 1), 255, dtype=numpy.uint8)
        array = numpy.concatenate([array, opaque], axis=2)
    return width, height, numpy.ascontiguousarray(array).tobytes()


def _result(parts: tuple[bool, str, str]) -> Result:
    right, text, details = parts
    return Result(right, text, json.loads(details))

"""Writes the vertices of a backend as a file that `refrast compare golden.npy yours.npy` reads.

With numpy it is one line, `numpy.save("yours.npy", positions)` with an array of the shape (N, 3); this needs nothing but
Python. The rows are the vertices of the glTF file in the order of node, primitive and vertex, in world space.
"""

import struct


def write_vertices(path, positions, normals=None):
    """`positions` and `normals`: lists of three numbers a vertex."""
    fields = [("position", positions)] + ([("normal", normals)] if normals else [])
    named = ", ".join(f"('{name}', '<f4', (3,))" for name, _ in fields)
    header = f"{{'descr': [{named}], 'fortran_order': False, 'shape': ({len(positions)},), }}"
    # The signature, version and length take ten bytes; a line feed ends the header at a multiple of 64.
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii"))
        for row in zip(*(vectors for _, vectors in fields)):
            for vector in row:
                file.write(struct.pack("<3f", *vector))

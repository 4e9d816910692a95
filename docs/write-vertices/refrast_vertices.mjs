// Writes the vertices of a backend as a file that `refrast compare golden.npy yours.npy` reads.
//
// `positions` is what WebGL and WebGPU read back: a Float32Array with three numbers a vertex (four in clip space, for
// `--space clip --matrices FILE.json`). The rows are the vertices of the glTF file in the order of node, primitive and vertex.
// In a browser hand the bytes to a Blob; in Node.js write them with fs.writeFileSync.

export function vertexFile(positions, numbers = 3) {
    const rows = positions.length / numbers;
    let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${numbers}), }`;
    // The signature, version and length take ten bytes; a line feed ends the header at a multiple of 64.
    header += " ".repeat(63 - ((10 + header.length) % 64)) + "\n";
    const bytes = new Uint8Array(10 + header.length + 4 * positions.length);
    bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
    bytes.set(new TextEncoder().encode(header), 10);
    const view = new DataView(bytes.buffer, 10 + header.length);
    positions.forEach((number, index) => view.setFloat32(4 * index, number, true));
    return bytes;
}

// Writes the vertices of a backend as a file that `refrast compare golden.npy yours.npy` reads. C++17, nothing else.
//
// The rows are the vertices of the glTF file in the order of node, primitive and vertex, in world space (or in another
// one: `refrast compare --space model|view|clip --matrices FILE.json`). The file is an NPY array with named fields, which
// numpy.load opens as well. Use it as you like; no copyright is claimed on this page.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace refrast {

using Vector3 = std::array<float, 3>;
using Vector4 = std::array<float, 4>;

// What a backend has of its vertices. What it has not stays empty; all others are as long as the positions.
struct Vertices {
    std::vector<Vector3> positions;
    std::vector<Vector3> normals;
    std::vector<Vector4> tangents;
};

namespace detail {

template <class Vector>
void append(std::string& row, const std::vector<Vector>& all, std::size_t index) {
    for (float number : all.empty() ? Vector{} : all[index]) {
        std::uint32_t bits;
        std::memcpy(&bits, &number, sizeof bits);
        for (int byte = 0; byte < 4 && !all.empty(); ++byte) row.push_back(static_cast<char>(bits >> (8 * byte) & 255));
    }
}

}  // namespace detail

inline void write_vertices(const std::string& path, const Vertices& vertices) {
    const std::size_t count = vertices.positions.size();
    std::string fields = "('position', '<f4', (3,))";
    if (!vertices.normals.empty()) fields += ", ('normal', '<f4', (3,))";
    if (!vertices.tangents.empty()) fields += ", ('tangent', '<f4', (4,))";
    std::string header = "{'descr': [" + fields + "], 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
    // The signature, version and length take ten bytes; a line feed ends the header at a multiple of 64.
    header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes.push_back(static_cast<char>(header.size() & 255));
    bytes.push_back(static_cast<char>(header.size() >> 8));
    bytes += header;
    for (std::size_t index = 0; index < count; ++index) {
        detail::append(bytes, vertices.positions, index);
        detail::append(bytes, vertices.normals, index);
        detail::append(bytes, vertices.tangents, index);
    }
    std::ofstream file(path, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
        throw std::runtime_error(path + ": can not be written");
    }
}

}  // namespace refrast

// A whole file into memory that is already there, in large pages where the system has them: fewer faults, half the
// time.
#pragma once

#include <cstddef>
#include <span>

namespace calibrant {

// Reads from an open file up to the end or until `memory` is full; gives the number of bytes. Throws std::system_error.
std::size_t read_file(int descriptor, std::span<char> memory);

}  // namespace calibrant

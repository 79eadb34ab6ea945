// Rows in blocks that threads share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "parallel.hpp"
#include "stop.hpp"

namespace calibrant {

// Rows of a block that one thread takes: enough to outweigh handing it over, few enough to keep every thread busy.
inline constexpr std::size_t rows_per_task = 4096;

// Calls body(begin, end) for every block of `size` rows.
template <class Body>
void in_blocks(std::size_t n_rows, std::size_t size, std::size_t n_threads, const StopToken& stop, Body&& body) {
    const std::size_t n_blocks = (n_rows + size - 1) / size;
    parallel_for(n_blocks, n_threads, stop,
                 [&](std::size_t block, std::size_t) { body(block * size, std::min(n_rows, (block + 1) * size)); });
}

template <class Body>
void in_blocks(std::size_t n_rows, std::size_t n_threads, const StopToken& stop, Body&& body) {
    in_blocks(n_rows, rows_per_task, n_threads, stop, std::forward<Body>(body));
}

// The rows that go through a forest together. Every block loads the trees into the cache again, so many rows share
// that cost; yet there are at least four blocks for each thread, all of the same size, so that none waits for long.
inline std::size_t rows_at_once(std::size_t n_rows, std::size_t n_threads) {
    constexpr std::size_t enough = std::size_t{1} << 15, blocks_per_thread = 4;
    const std::size_t threads = std::max<std::size_t>(n_threads, 1);
    const std::size_t n_blocks = threads * std::max(blocks_per_thread, n_rows / (threads * enough));
    return std::max(rows_per_task, (n_rows + n_blocks - 1) / n_blocks);
}

}  // namespace calibrant

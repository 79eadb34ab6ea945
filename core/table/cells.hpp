// Numbers put into cells by sorted edges: ranges that the values of a column are counted by, or bins of a matrix of
// bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

// Sorted edges, padded to a power of two, so that a search takes as many steps as it has bits, without a branch that
// would be mispredicted half of the time.
class EdgeSearch {
  public:
    explicit EdgeSearch(std::span<const double> edges)
        : padded_(std::bit_ceil(edges.size() + 1), std::numeric_limits<double>::infinity()) {
        std::copy(edges.begin(), edges.end(), padded_.begin());
    }

    // Writes the number of edges that are less than each value of rows [begin, end), `missing` for NaN, `stride` apart.
    template <class T, class Cell>
    void write(const StridedView<T>& column, std::size_t begin, std::size_t end, Cell missing, Cell* out,
               std::size_t stride = 1) const {
        std::array<double, lanes> values{};
        std::array<std::uint32_t, lanes> at{};
        for (std::size_t row = begin; row < end; row += lanes) {
            const std::size_t n = std::min(lanes, end - row);
            for (std::size_t lane = 0; lane < n; ++lane) values[lane] = static_cast<double>(column[row + lane]);
            search(values, at);
            for (std::size_t lane = 0; lane < n; ++lane, out += stride)
                *out = values[lane] != values[lane] ? missing : static_cast<Cell>(at[lane]);
        }
    }

  private:
    // Searched at a time: each step waits for the one before it, but not for those of other values.
    static constexpr std::size_t lanes = 8;

    void search(const std::array<double, lanes>& values, std::array<std::uint32_t, lanes>& at) const {
        at.fill(0);
        const auto first = static_cast<std::uint32_t>(padded_.size() / 2);
        // The bins of bytes: of steps that are known, the loop is unrolled and the places stay in registers (a third
        // of the time less).
        if (first == 128)
            take_steps(std::integral_constant<std::uint32_t, 128>{}, values, at);
        else
            take_steps(first, values, at);
    }

    template <class Step>
    void take_steps(Step first, const std::array<double, lanes>& values, std::array<std::uint32_t, lanes>& at) const {
        const double* const edges = padded_.data();
        for (std::uint32_t step = first; step > 0; step /= 2) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                at[lane] += std::uint32_t{edges[at[lane] + step - 1] < values[lane]} * step;
        }
    }

    std::vector<double> padded_;
};

inline constexpr std::size_t most_edges = 65534;
inline constexpr std::uint16_t no_cell = 65535;  // of NaN

// Writes the number of edges that are less than each value: cell 0 is up to the first edge, the last beyond all of
// them. Throws std::invalid_argument for too many edges, edges that are not ascending, or an output of another length.
void find_cells(const std::variant<StridedView<float>, StridedView<double>>& values, std::span<const double> edges,
                std::span<std::uint16_t> out, std::size_t n_threads, const StopToken& stop);

// Codes columns into one row-major matrix of bytes: bins of numbers, category codes, 255 where missing. `highs` are the
// greatest values of the bins of each numeric column, ascending; a value belongs to the first bin whose greatest value
// is not less, and beyond the last to the last. Throws std::invalid_argument for a category that does not fit a byte,
// and for columns of another length than the rows of `out`.
void code_bytes(const std::vector<ColumnSource>& sources, const std::vector<std::span<const double>>& highs,
                std::span<std::uint8_t> out, std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant

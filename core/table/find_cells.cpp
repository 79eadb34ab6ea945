#include "table/find_cells.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>
#include <vector>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t block_rows = std::size_t{1} << 14;
constexpr std::size_t lanes = 8;  // searched at a time: each step waits for the one before it, but not for other lanes

// Sorted edges, padded to a power of two, so that a search takes as many steps as it has bits, without a branch.
class EdgeSearch {
  public:
    explicit EdgeSearch(std::span<const double> edges)
        : padded_(std::bit_ceil(edges.size() + 1), std::numeric_limits<double>::infinity()) {
        std::copy(edges.begin(), edges.end(), padded_.begin());
    }

    template <class T>
    void operator()(const StridedView<T>& column, std::size_t begin, std::size_t end, std::uint16_t* out) const {
        std::array<double, lanes> values{};
        std::array<std::uint32_t, lanes> at{};
        for (std::size_t row = begin; row < end; row += lanes) {
            const std::size_t n = std::min(lanes, end - row);
            for (std::size_t lane = 0; lane < n; ++lane) values[lane] = static_cast<double>(column[row + lane]);
            search(values, at);
            for (std::size_t lane = 0; lane < n; ++lane)
                out[row + lane] = values[lane] != values[lane] ? no_cell : static_cast<std::uint16_t>(at[lane]);
        }
    }

  private:
    void search(const std::array<double, lanes>& values, std::array<std::uint32_t, lanes>& at) const {
        at.fill(0);
        const double* edges = padded_.data();
        for (auto step = static_cast<std::uint32_t>(padded_.size() / 2); step > 0; step /= 2) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                at[lane] += std::uint32_t{edges[at[lane] + step - 1] < values[lane]} * step;
        }
    }

    std::vector<double> padded_;
};

}  // namespace

void find_cells(const std::variant<StridedView<float>, StridedView<double>>& values, std::span<const double> edges,
                std::span<std::uint16_t> out, std::size_t n_threads, const StopToken& stop) {
    if (edges.size() > most_edges) throw std::invalid_argument("there must be at most 65534 edges");
    if (!std::is_sorted(edges.begin(), edges.end())) throw std::invalid_argument("edges must be ascending");
    const EdgeSearch search(edges);
    std::visit(
        [&](const auto& column) {
            if (column.size != out.size()) throw std::invalid_argument("there must be one cell for each value");
            parallel_for((out.size() + block_rows - 1) / block_rows, n_threads, stop,
                         [&](std::size_t block, std::size_t) {
                             const std::size_t begin = block * block_rows;
                             search(column, begin, std::min(out.size(), begin + block_rows), out.data());
                         });
        },
        values);
}

}  // namespace calibrant

#include "table/cells.hpp"

#include <optional>
#include <stdexcept>
#include <string>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::uint8_t missing = missing_code<std::uint8_t>;
constexpr std::size_t cell_rows = std::size_t{1} << 14;
constexpr std::size_t byte_rows = 4096;      // whose bytes, for some twenty columns, stay in the second-level cache
constexpr std::size_t columns_at_once = 64;  // of a task, whose values fill whole cache lines of a row

// The bins of a column by the greatest value of each but the last, which holds all that is greater; none where every
// value is missing.
std::optional<EdgeSearch> bins_of(std::size_t index, std::span<const double> highs) {
    if (highs.size() > max_byte_values)
        throw std::invalid_argument("column " + std::to_string(index) + " has more than 255 bins");
    if (!std::is_sorted(highs.begin(), highs.end()))
        throw std::invalid_argument("column " + std::to_string(index) + " has bins that are not in ascending order");
    if (highs.empty()) return std::nullopt;
    return EdgeSearch(highs.first(highs.size() - 1));
}

// Codes rows of one column, at steps of `width` bytes.
struct CodeRows {
    const std::optional<EdgeSearch>& bins;
    std::size_t begin, end, width;
    std::uint8_t* out;

    template <class T>
    void operator()(const StridedView<T>& column) const {
        if (bins) return bins->write(column, begin, end, missing, out, width);
        for (std::size_t row = begin; row < end; ++row) out[(row - begin) * width] = missing;
    }
    void operator()(const NominalSource& column) const {
        for (std::size_t row = begin; row < end; ++row) {
            const std::int32_t code = column.codes[row];
            if (code >= static_cast<std::int32_t>(missing))
                throw std::invalid_argument("category code " + std::to_string(code) + " does not fit a byte");
            out[(row - begin) * width] = code < 0 ? missing : static_cast<std::uint8_t>(code);
        }
    }
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
            parallel_for((out.size() + cell_rows - 1) / cell_rows, n_threads, stop,
                         [&](std::size_t block, std::size_t) {
                             const std::size_t begin = block * cell_rows, end = std::min(out.size(), begin + cell_rows);
                             search.write(column, begin, end, no_cell, out.data() + begin);
                         });
        },
        values);
}

void code_bytes(const std::vector<ColumnSource>& sources, const std::vector<std::span<const double>>& highs,
                std::span<std::uint8_t> out, std::size_t n_threads, const StopToken& stop) {
    if (sources.empty()) return;
    const std::size_t width = sources.size(), n_rows = out.size() / width;
    for (std::size_t j = 0; j < width; ++j) {
        if (size_of(sources[j]) != n_rows)
            throw std::invalid_argument("column " + std::to_string(j) + " must have one value per row of the output");
    }
    // The edges of one column at a time: those of all columns of a wide table take more memory than its bytes.
    const std::size_t blocks = (width + columns_at_once - 1) / columns_at_once;
    parallel_for(blocks * ((n_rows + byte_rows - 1) / byte_rows), n_threads, stop, [&](std::size_t task, std::size_t) {
        const std::size_t begin = task / blocks * byte_rows, end = std::min(n_rows, begin + byte_rows);
        const std::size_t first = task % blocks * columns_at_once, last = std::min(width, first + columns_at_once);
        for (std::size_t j = first; j < last; ++j) {
            const auto bins = bins_of(j, highs[j]);
            std::visit(CodeRows{bins, begin, end, width, out.data() + begin * width + j}, sources[j]);
        }
    });
}

}  // namespace calibrant

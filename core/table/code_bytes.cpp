#include "table/code_bytes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string>
#include <variant>

#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::uint8_t missing = missing_code<std::uint8_t>;
constexpr std::size_t block_rows = 4096;  // whose bytes, for some twenty columns, stay in the second-level cache

// The greatest values of up to 255 bins, padded so that the search takes eight steps without a branch.
class BinSearch {
  public:
    explicit BinSearch(const std::vector<double>& highs) : last_(static_cast<std::uint32_t>(highs.size() - 1)) {
        padded_.fill(std::numeric_limits<double>::infinity());
        std::copy(highs.begin(), highs.end(), padded_.begin());
    }

    // Several at a time: each step waits for the one before it, but not for those of other values.
    static constexpr std::size_t lanes = 8;
    void operator()(const std::array<double, lanes>& values, std::array<std::uint8_t, lanes>& found) const {
        std::array<std::uint32_t, lanes> at{};
        for (std::uint32_t step = 128; step > 0; step /= 2) {
            for (std::size_t lane = 0; lane < lanes; ++lane)
                at[lane] += std::uint32_t{padded_[at[lane] + step - 1] < values[lane]} * step;
        }
        for (std::size_t lane = 0; lane < lanes; ++lane)
            found[lane] = values[lane] != values[lane] ? missing : static_cast<std::uint8_t>(std::min(at[lane], last_));
    }

  private:
    std::uint32_t last_;
    std::array<double, 256> padded_;
};

// Codes rows of one column, at steps of `width` bytes.
struct CodeRows {
    const BinSearch* bins;
    std::size_t begin, end, width;
    std::uint8_t* out;

    template <class T>
    void operator()(const StridedView<T>& column) const {
        std::uint8_t* to = out + begin * width;
        std::array<double, BinSearch::lanes> values{};
        std::array<std::uint8_t, BinSearch::lanes> found{};
        found.fill(missing);
        for (std::size_t row = begin; row < end; row += BinSearch::lanes) {
            const std::size_t n = std::min(BinSearch::lanes, end - row);
            for (std::size_t lane = 0; lane < n; ++lane) values[lane] = static_cast<double>(column[row + lane]);
            if (bins != nullptr) (*bins)(values, found);
            for (std::size_t lane = 0; lane < n; ++lane, to += width) *to = found[lane];
        }
    }
    void operator()(const NominalSource& column) const {
        std::uint8_t* to = out + begin * width;
        for (std::size_t row = begin; row < end; ++row, to += width) {
            const std::int32_t code = column.codes[row];
            if (code >= static_cast<std::int32_t>(missing))
                throw std::invalid_argument("category code " + std::to_string(code) + " does not fit a byte");
            *to = code < 0 ? missing : static_cast<std::uint8_t>(code);
        }
    }
};

struct SizeOf {
    std::size_t operator()(const NominalSource& column) const { return column.codes.size; }
    template <class T>
    std::size_t operator()(const StridedView<T>& column) const {
        return column.size;
    }
};

void check_highs(std::size_t index, const std::vector<double>& highs) {
    if (highs.size() > max_byte_values)
        throw std::invalid_argument("column " + std::to_string(index) + " has more than 255 bins");
    if (!std::is_sorted(highs.begin(), highs.end()))
        throw std::invalid_argument("column " + std::to_string(index) + " has bins that are not in ascending order");
}

}  // namespace

void code_bytes(const std::vector<ColumnSource>& sources, const std::vector<std::vector<double>>& highs,
                std::span<std::uint8_t> out, std::size_t n_threads, const StopToken& stop) {
    if (sources.empty()) return;
    const std::size_t width = sources.size(), n_rows = out.size() / width;
    std::vector<BinSearch> bins;
    std::vector<const BinSearch*> of_column(width, nullptr);
    bins.reserve(width);
    for (std::size_t j = 0; j < width; ++j) {
        if (std::visit(SizeOf{}, sources[j]) != n_rows)
            throw std::invalid_argument("column " + std::to_string(j) + " must have one value per row of the output");
        check_highs(j, highs[j]);
        if (!highs[j].empty()) of_column[j] = &bins.emplace_back(highs[j]);
    }
    parallel_for((n_rows + block_rows - 1) / block_rows, n_threads, stop, [&](std::size_t block, std::size_t) {
        const std::size_t begin = block * block_rows, end = std::min(n_rows, begin + block_rows);
        for (std::size_t j = 0; j < width; ++j)
            std::visit(CodeRows{of_column[j], begin, end, width, out.data() + j}, sources[j]);
    });
}

}  // namespace calibrant

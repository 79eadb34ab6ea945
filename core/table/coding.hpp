// Columns coded as small integers: ranks of the distinct values for numbers, category codes for nominal values.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stop.hpp"

namespace calibrant {

enum class Kind : std::uint8_t { numeric, nominal };

// The code of a missing value, for either width.
template <class Code>
inline constexpr Code missing_code = std::numeric_limits<Code>::max();

// A byte holds the codes 0 .. 254 and the missing one, uint16 0 .. 65534; a wider column takes uint32.
inline constexpr std::size_t max_byte_values = missing_code<std::uint8_t>;
inline constexpr std::size_t max_narrow_values = missing_code<std::uint16_t>;
inline constexpr std::size_t max_categories = std::numeric_limits<std::int32_t>::max();
inline constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max() - 1;

// A column of a row-major matrix of bytes, which somebody else keeps alive.
class ByteCodes {
  public:
    using value_type = std::uint8_t;

    ByteCodes(const std::uint8_t* first, std::size_t size, std::size_t stride)
        : first_(first), size_(size), stride_(stride) {}

    std::size_t size() const { return size_; }
    std::size_t stride() const { return stride_; }
    const std::uint8_t* data() const { return first_; }
    std::uint8_t operator[](std::size_t row) const { return first_[row * stride_]; }
    bool operator==(const ByteCodes& other) const {
        for (std::size_t row = 0; row < std::min(size_, other.size_); ++row) {
            if ((*this)[row] != other[row]) return false;
        }
        return size_ == other.size_;
    }

  private:
    const std::uint8_t* first_;
    std::size_t size_, stride_;
};

using Codes = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>, ByteCodes>;

template <class Column>
using CodeOf = typename Column::value_type;

// Calls fill with a vector of the narrowest width that holds the codes, every row missing at first.
template <class Fill>
Codes make_codes(std::size_t n_rows, std::size_t n_values, Fill&& fill) {
    auto make = [&]<class Code>(std::type_identity<Code>) {
        std::vector<Code> codes(n_rows, missing_code<Code>);
        fill(codes);
        return Codes{std::move(codes)};
    };
    if (n_values <= max_narrow_values) return make(std::type_identity<std::uint16_t>{});
    return make(std::type_identity<std::uint32_t>{});
}

struct CodedColumn {
    Kind kind = Kind::numeric;
    Codes codes{};
    std::vector<double>
        values{};                // numeric: the distinct values, ascending, or the greatest of each bin; nominal: empty
    std::vector<double> lows{};  // numeric, in bins: the least value of each; empty where every bin has one value
    std::uint32_t n_values = 0;  // distinct values, or declared categories
    std::uint64_t n_missing = 0;

    std::size_t size() const;
    // The least value that has a code.
    double low(std::size_t code) const { return lows.empty() ? values[code] : lows[code]; }
    bool is_binned() const { return !lows.empty(); }
};

// Half-way between two values, or the lower one where no number is between them.
inline double middle_of(double below, double above) {
    const double middle = below + (above - below) / 2;
    return middle < above && std::isfinite(middle) ? middle : below;
}

// A column as it lies in memory; stride in elements, so that a column of a row-major matrix needs no copy.
template <class T>
struct StridedView {
    const T* data = nullptr;
    std::size_t size = 0;
    std::ptrdiff_t stride = 1;

    const T& operator[](std::size_t row) const { return data[static_cast<std::ptrdiff_t>(row) * stride]; }
};

// A value to sort: its key, in the order of the numbers, and its row.
template <class Key>
struct Entry {
    Key key;
    std::uint32_t row;
};

template <class Key>
struct SortBuffers {
    std::vector<Entry<Key>> entries, other;
};

// Memory that one thread keeps from column to column.
struct Scratch {
    std::vector<std::uint32_t> table;
    SortBuffers<std::uint32_t> narrow;
    SortBuffers<std::uint64_t> wide;
};

// Ranks of the distinct values, in ascending order; NaN is missing, -0 equals +0, infinities are ordinary values.
template <class T>
CodedColumn code_numeric(StridedView<T> column, Scratch& scratch, const StopToken& stop);

// Category codes unchanged; negative is missing. Throws std::invalid_argument for a code >= n_categories.
CodedColumn code_nominal(StridedView<std::int32_t> column, std::size_t n_categories, const StopToken& stop);

}  // namespace calibrant

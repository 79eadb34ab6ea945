// Columns coded as small integers: ranks of the distinct values for numbers, category codes for nominal values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "stop.hpp"

namespace calibrant {

enum class Kind : std::uint8_t { numeric, nominal };

// The code of a missing value, for either width.
template <class Code>
inline constexpr Code missing_code = std::numeric_limits<Code>::max();

// uint16 holds the codes 0 .. 65534 and the missing one; a wider column takes uint32.
inline constexpr std::size_t max_narrow_values = missing_code<std::uint16_t>;
inline constexpr std::size_t max_categories = std::numeric_limits<std::int32_t>::max();
inline constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max() - 1;

using Codes = std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

struct CodedColumn {
    Kind kind = Kind::numeric;
    Codes codes{};
    std::vector<double> values{};  // numeric: the distinct values, ascending; nominal: empty
    std::uint32_t n_values = 0;    // distinct values, or declared categories
    std::uint64_t n_missing = 0;

    std::size_t size() const;
};

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

#include "tree/grow/value_order.hpp"

#include <algorithm>

#include "compiler.hpp"
#include "radix_sort.hpp"

namespace calibrant {
namespace {

// Adds to the position of each value the number of those before it. Comparing all pairs takes no branches that depend
// on the values and several at a time, which sorts a few dozen values in a quarter of the time.
CALIBRANT_CLONES void add_positions(const double* values, std::size_t n, std::int64_t* positions) {
    for (std::size_t i = 0; i < n; ++i) {
        const double value = values[i];
        std::int64_t n_less = 0;
        for (std::size_t j = i + 1; j < n; ++j) {
            const std::int64_t is_less = values[j] < value;
            n_less += is_less;
            positions[j] += 1 - is_less;
        }
        positions[i] += n_less;
    }
}

}  // namespace

std::span<const RowValue> ValueOrder::of(std::span<const double> column, std::span<const std::uint32_t> rows) {
    constexpr std::size_t few = 128;
    if (sorted_.size() < rows.size()) sorted_.resize(rows.size());
    if (rows.size() <= few)
        sort_few(column, rows);
    else
        sort_many(column, rows);
    return {sorted_.data(), rows.size()};
}

void ValueOrder::sort_few(std::span<const double> column, std::span<const std::uint32_t> rows) {
    values_.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) values_[i] = column[rows[i]];
    positions_.assign(rows.size(), 0);
    add_positions(values_.data(), rows.size(), positions_.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
        sorted_[static_cast<std::size_t>(positions_[i])] = {values_[i], rows[i]};
}

// Short digits of the leading bits that differ: nearly all that orders a thousand values.
void ValueOrder::sort_many(std::span<const double> column, std::span<const std::uint32_t> rows) {
    static constexpr int digit_bits = 8, most_digits = 3;
    using Sort = LeadingBitsSort<digit_bits, most_digits, 0>;
    auto& [entries, spare] = buffers_;
    entries.resize(rows.size());
    spare.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) entries[i] = {order_key<std::uint64_t>(column[rows[i]]), rows[i]};
    Sort::sort(std::span(entries), std::span(spare), 0, [](int width) {
        const int n = std::min(most_digits, (width + digit_bits - 1) / digit_bits);
        return Sort::Digits<int>{std::max(0, width - n * digit_bits), n};
    });
    for (std::size_t i = 0; i < rows.size(); ++i) sorted_[i] = {number_of(entries[i].key), entries[i].row};
}

}  // namespace calibrant

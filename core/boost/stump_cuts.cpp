#include "boost/stump_cuts.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

namespace calibrant {
namespace {

constexpr std::size_t few_values = 1024;    // counted as fast as buckets
constexpr std::size_t most_buckets = 1024;  // whose weights of two classes, 16 KB, stay in the first-level cache
constexpr std::size_t least_rows = 64;      // of a bucket: fewer would cost more to bound than to search

template <class Column>
void sort_rows(const Column& codes, std::size_t n_values, StumpBuckets& buckets) {
    using Code = CodeOf<Column>;
    buckets.starts.assign(n_values + 1, 0);
    for (std::size_t row = 0; row < codes.size(); ++row) {
        if (codes[row] != missing_code<Code>) ++buckets.starts[codes[row] + std::size_t{1}];
    }
    std::partial_sum(buckets.starts.begin(), buckets.starts.end(), buckets.starts.begin());
    buckets.order.resize(buckets.starts.back());
    std::vector<std::uint32_t> next(buckets.starts.begin(), buckets.starts.end() - 1);
    for (std::size_t row = 0; row < codes.size(); ++row) {
        if (codes[row] != missing_code<Code>) buckets.order[next[codes[row]]++] = static_cast<std::uint32_t>(row);
    }
}

void divide_values(StumpBuckets& buckets) {
    const std::size_t rows = std::max(least_rows, buckets.order.size() / most_buckets + 1);
    for (std::size_t value = 0; value < buckets.n_values(); ++value) {
        const bool is_full =
            buckets.empty() || buckets.starts[value] - buckets.starts[buckets.first_value.back()] >= rows;
        if (is_full) buckets.first_value.push_back(static_cast<std::uint32_t>(value));
    }
    buckets.first_value.push_back(static_cast<std::uint32_t>(buckets.n_values()));
}

void assign_rows(std::size_t n_rows, StumpBuckets& buckets) {
    buckets.of_row.assign(n_rows, static_cast<std::uint16_t>(buckets.n_buckets()));
    for (std::size_t bucket = 0; bucket < buckets.n_buckets(); ++bucket) {
        const std::size_t begin = buckets.starts[buckets.first_value[bucket]],
                          end = buckets.starts[buckets.first_value[bucket + 1]];
        for (std::size_t i = begin; i < end; ++i) buckets.of_row[buckets.order[i]] = static_cast<std::uint16_t>(bucket);
    }
}

}  // namespace

StumpBuckets StumpBuckets::of(const CodedColumn& column) {
    StumpBuckets buckets;
    if (column.kind == Kind::nominal || column.n_values <= few_values) return buckets;
    std::visit([&](const auto& codes) { sort_rows(codes, column.n_values, buckets); }, column.codes);
    divide_values(buckets);
    assign_rows(column.size(), buckets);
    return buckets;
}

}  // namespace calibrant

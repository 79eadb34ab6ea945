#include "table/coding.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "parallel.hpp"
#include "radix_sort.hpp"

namespace calibrant {

std::size_t CodedColumn::size() const {
    return std::visit([](const auto& rows) { return rows.size(); }, codes);
}

namespace {

struct ValueRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    std::uint64_t n_missing = 0;
};

template <class T>
ValueRange range_of(StridedView<T> column, const StopToken& stop) {
    T low = std::numeric_limits<T>::infinity(), high = -low;
    std::uint64_t n_missing = 0;
    in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const T value = column[row];
            low = value < low ? value : low;
            high = value > high ? value : high;
            n_missing += value != value;
        }
    });
    return {static_cast<double>(low), static_cast<double>(high), n_missing};
}

// Returns whether every known value passes the test; stops after the block in which one fails.
template <class T, class Test>
bool all_known(StridedView<T> column, const StopToken& stop, Test&& test) {
    constexpr std::size_t block = 4096;
    bool passed = true;
    in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
        for (; begin < end && passed; begin += block) {
            for (std::size_t row = begin; row < std::min(end, begin + block); ++row) {
                const T value = column[row];
                passed &= value != value || test(value);
            }
        }
    });
    return passed;
}

// Whole numbers in a range no longer than the column can be ranked by a table instead of a sort.
template <class T>
bool is_dense(StridedView<T> column, const ValueRange& range, const StopToken& stop) {
    constexpr double whole_limit = 2147483647.0;  // a cast to int32 beyond it is undefined
    if (range.n_missing == column.size || range.low < -whole_limit || range.high > whole_limit) return false;
    if (range.high - range.low >= static_cast<double>(std::max<std::size_t>(column.size, 1024))) return false;
    return all_known(column, stop, [](T value) { return static_cast<T>(static_cast<std::int32_t>(value)) == value; });
}

template <class T>
bool is_single(StridedView<T> column, const StopToken& stop) {
    if constexpr (sizeof(T) == 4) return true;
    constexpr double largest = std::numeric_limits<float>::max();
    return all_known(column, stop, [](double value) {
        const bool in_range = std::abs(value) <= largest;
        return std::isinf(value) || (in_range && static_cast<double>(static_cast<float>(value)) == value);
    });
}

template <class T>
CodedColumn code_dense(StridedView<T> column, const ValueRange& range, Scratch& scratch, const StopToken& stop) {
    const auto low = static_cast<std::int64_t>(range.low);
    const auto span = static_cast<std::size_t>(static_cast<std::int64_t>(range.high) - low) + 1;
    auto& rank = scratch.table;
    rank.assign(span, 0);
    // whole numbers: a difference of floats would round where the range is long
    const auto slot_of = [low](T value) { return static_cast<std::size_t>(static_cast<std::int64_t>(value) - low); };
    in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            if (const T value = column[row]; value == value) rank[slot_of(value)] = 1;
        }
    });
    CodedColumn coded{.n_missing = range.n_missing};
    for (std::size_t slot = 0; slot < span; ++slot) {
        if (rank[slot] == 0) continue;
        rank[slot] = coded.n_values++;
        coded.values.push_back(range.low + static_cast<double>(slot) + 0.0);
    }
    coded.codes = make_codes(column.size, coded.n_values, [&](auto& codes) {
        using Code = typename std::decay_t<decltype(codes)>::value_type;
        in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                if (const T value = column[row]; value == value) codes[row] = static_cast<Code>(rank[slot_of(value)]);
            }
        });
    });
    return coded;
}

constexpr int digit_bits = 11;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
constexpr std::size_t few_values = 4096;  // clearing and summing the counts of long digits takes longer than sorting

template <class Key>
constexpr int n_digits = (8 * static_cast<int>(sizeof(Key)) + digit_bits - 1) / digit_bits;

template <class Key>
std::size_t digit_of(Key key, int digit) {
    return static_cast<std::size_t>(key >> (digit * digit_bits)) & (digit_values - 1);
}

using Histogram = std::array<std::uint32_t, digit_values>;
template <class Key>
using Histograms = std::array<Histogram, static_cast<std::size_t>(n_digits<Key>)>;

// The known values as entries; each key is passed to count.
template <class Key, class T, class Count>
void gather(StridedView<T> column, std::vector<Entry<Key>>& entries, const StopToken& stop, Count&& count) {
    std::size_t known = 0;
    in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const T value = column[row];
            if (value != value) continue;
            const Key key = order_key<Key>(static_cast<FloatOf<Key>>(value));
            entries[known++] = {key, static_cast<std::uint32_t>(row)};
            count(key);
        }
    });
}

// One stable pass of the radix sort; `next` counts the digits and becomes the position of each digit's next entry.
template <class Key>
void scatter_by_digit(const std::vector<Entry<Key>>& from, std::vector<Entry<Key>>& to, std::size_t known, int digit,
                      Histogram& next, const StopToken& stop) {
    counts_to_positions(next);
    in_pieces(known, stop, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) to[next[digit_of(from[i].key, digit)]++] = from[i];
    });
}

// Short digits of the leading bits that differ, nearly all that orders a few thousand values.
template <class Key, class T>
void sort_few(StridedView<T> column, std::size_t known, SortBuffers<Key>& buffers, const StopToken& stop) {
    static constexpr int short_bits = 8, most_digits = 3;
    constexpr std::size_t sorted_by_comparing = 48;
    using Sort = LeadingBitsSort<short_bits, most_digits, 0>;
    gather(column, buffers.entries, stop, [](Key) {});
    Sort::sort(std::span(buffers.entries).first(known), std::span(buffers.other).first(known), sorted_by_comparing,
               [](int width) {
                   const int n = std::min(most_digits, (width + short_bits - 1) / short_bits);
                   return typename Sort::template Digits<int>{std::max(0, width - n * short_bits), n};
               });
}

// Leaves the known values in order at the front of buffers.entries.
template <class Key, class T>
void sort_known(StridedView<T> column, std::size_t known, SortBuffers<Key>& buffers, const StopToken& stop) {
    if (buffers.entries.size() < known) {
        buffers.entries.resize(known);
        buffers.other.resize(known);
    }
    if (known < few_values) return sort_few(column, known, buffers, stop);
    Histograms<Key> histograms{};
    gather(column, buffers.entries, stop, [&](Key key) {
        for (int digit = 0; digit < n_digits<Key>; ++digit)
            ++histograms[static_cast<std::size_t>(digit)][digit_of(key, digit)];
    });
    for (int digit = 0; digit < n_digits<Key> && known > 0; ++digit) {
        auto& histogram = histograms[static_cast<std::size_t>(digit)];
        if (histogram[digit_of(buffers.entries[0].key, digit)] == known) continue;  // all equal: already in order
        scatter_by_digit(buffers.entries, buffers.other, known, digit, histogram, stop);
        buffers.entries.swap(buffers.other);
    }
}

template <class Key>
std::vector<double> distinct_values(const std::vector<Entry<Key>>& sorted, std::size_t known) {
    std::size_t n_values = known > 0;
    for (std::size_t i = 1; i < known; ++i) n_values += sorted[i].key != sorted[i - 1].key;
    std::vector<double> values;
    values.reserve(n_values);
    for (std::size_t i = 0; i < known; ++i) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            values.push_back(static_cast<double>(number_of(sorted[i].key)));
    }
    return values;
}

// Any numbers: a radix sort of the keys, then ranks in sorted order.
template <class Key, class T>
CodedColumn code_sorted(StridedView<T> column, const ValueRange& range, SortBuffers<Key>& buffers,
                        const StopToken& stop) {
    const std::size_t known = column.size - range.n_missing;
    sort_known(column, known, buffers, stop);
    const auto& sorted = buffers.entries;
    CodedColumn coded{.values = distinct_values(sorted, known), .n_missing = range.n_missing};
    coded.n_values = static_cast<std::uint32_t>(coded.values.size());
    coded.codes = make_codes(column.size, coded.n_values, [&](auto& codes) {
        using Code = typename std::decay_t<decltype(codes)>::value_type;
        std::uint32_t rank = 0;
        in_pieces(known, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                rank += i > 0 && sorted[i].key != sorted[i - 1].key;
                codes[sorted[i].row] = static_cast<Code>(rank);
            }
        });
    });
    return coded;
}

}  // namespace

template <class T>
CodedColumn code_numeric(StridedView<T> column, Scratch& scratch, const StopToken& stop) {
    if (column.size > max_rows) throw std::invalid_argument("a table must have at most 4294967294 rows");
    const ValueRange range = range_of(column, stop);
    if (is_dense(column, range, stop)) return code_dense(column, range, scratch, stop);
    if (is_single(column, stop)) return code_sorted<std::uint32_t>(column, range, scratch.narrow, stop);
    return code_sorted<std::uint64_t>(column, range, scratch.wide, stop);
}

template CodedColumn code_numeric<float>(StridedView<float>, Scratch&, const StopToken&);
template CodedColumn code_numeric<double>(StridedView<double>, Scratch&, const StopToken&);

CodedColumn code_nominal(StridedView<std::int32_t> column, std::size_t n_categories, const StopToken& stop) {
    if (column.size > max_rows) throw std::invalid_argument("a table must have at most 4294967294 rows");
    if (n_categories > max_categories) throw std::invalid_argument("a column must have at most 2147483647 categories");
    CodedColumn coded{.kind = Kind::nominal, .n_values = static_cast<std::uint32_t>(n_categories)};
    coded.codes = make_codes(column.size, n_categories, [&](auto& codes) {
        using Code = typename std::decay_t<decltype(codes)>::value_type;
        in_pieces(column.size, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t row = begin; row < end; ++row) {
                const std::int32_t code = column[row];
                if (code < 0) {
                    ++coded.n_missing;
                } else if (static_cast<std::size_t>(code) >= n_categories) {
                    throw std::invalid_argument("category code " + std::to_string(code) + " at row " +
                                                std::to_string(row) + " of a column with " +
                                                std::to_string(n_categories) + " categories");
                } else {
                    codes[row] = static_cast<Code>(code);
                }
            }
        });
    });
    return coded;
}

}  // namespace calibrant

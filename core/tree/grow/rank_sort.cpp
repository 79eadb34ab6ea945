#include "tree/grow/rank_sort.hpp"

#include <algorithm>
#include <bit>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::size_t few = 32;         // counting the smaller ranks takes less time than reading all bits
constexpr std::size_t at_once = 4;      // rows that are taken from a word without asking whether it has so many
constexpr std::size_t spare = at_once;  // written beyond the last

// The number of ranks less than each: a compiler takes several at a time.
template <std::size_t n>
CALIBRANT_INLINE void count_smaller(const std::int16_t* ranks, std::size_t n_ranks, std::int16_t* smaller) {
    std::fill_n(smaller, n, std::int16_t{0});
    for (std::size_t j = 0; j < n_ranks; ++j) {
        const std::int16_t rank = ranks[j];
        for (std::size_t i = 0; i < n; ++i) smaller[i] = static_cast<std::int16_t>(smaller[i] + (rank < ranks[i]));
    }
}

CALIBRANT_CLONES void sort_few(std::span<const std::uint32_t> rows, const RowRanks& ranks, const SortedRow* column,
                               SortedRow* to) {
    std::array<std::int16_t, few> own{}, smaller;
    for (std::size_t i = 0; i < rows.size(); ++i) own[i] = static_cast<std::int16_t>(ranks.of(rows[i]));
    if (rows.size() <= few / 2)
        count_smaller<few / 2>(own.data(), rows.size(), smaller.data());
    else
        count_smaller<few>(own.data(), rows.size(), smaller.data());
    for (std::size_t i = 0; i < rows.size(); ++i) to[smaller[i]] = column[own[i]];
}

// Clears the bits.
CALIBRANT_CLONES void take_bits(std::uint64_t* words, std::size_t n_words, const SortedRow* column, SortedRow* to) {
    for (std::size_t word = 0; word < n_words; ++word, column += 64) {
        std::uint64_t bits = words[word];
        words[word] = 0;
        SortedRow* next = to;
        to += std::popcount(bits);
        do {
            for (std::size_t i = 0; i < at_once; ++i, bits &= bits - 1) next[i] = column[std::countr_zero(bits) % 64];
            next += at_once;
        } while (bits != 0);
    }
}

}  // namespace

std::span<const SortedRow> RankSort::sort(std::span<const std::uint32_t> rows, const RowRanks& ranks,
                                          std::span<const SortedRow> column) {
    if (sorted_.size() < rows.size() + spare) sorted_.resize(rows.size() + spare);
    if (rows.size() <= few) {
        sort_few(rows, ranks, column.data(), sorted_.data());
    } else {
        for (const std::uint32_t row : rows) {
            const std::uint32_t rank = ranks.of(row);
            bits_[rank / 64] |= std::uint64_t{1} << rank % 64;
        }
        take_bits(bits_.data(), (column.size() + 63) / 64, column.data(), sorted_.data());
    }
    return {sorted_.data(), rows.size()};
}

}  // namespace calibrant

// Radix passes over as many leading bits as tell most rows apart; the few that they do not are sorted where they lie.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "rank/ranking.hpp"

namespace calibrant {
namespace {

constexpr int digit_bits = 8, most_digits = 8, more_bits = 4;
constexpr std::size_t n_values = std::size_t{1} << digit_bits, few = 48;

template <class Rank>
bool is_likelier(const Rank& a, const Rank& b) {
    return a.key >> 1 < b.key >> 1;
}

// Which bits of the keys are sorted by, from the lowest; 0 digits where all probabilities are the same.
struct Digits {
    int low = 0, n = 0, below = 0;
    int shift(int digit) const { return low + digit * digit_bits; }
};

template <class Rank>
Digits digits_of(std::span<const Rank> ranks) {
    std::uint64_t differing = 0;
    for (const Rank& rank : ranks) differing |= rank.key ^ ranks.front().key;
    const int width = static_cast<int>(std::bit_width(differing >> 1));
    const int wanted = std::min(width, static_cast<int>(std::bit_width(ranks.size())) + more_bits);
    const int n = (wanted + digit_bits - 1) / digit_bits;
    const int below = std::max(0, width - n * digit_bits);
    return {1 + below, n, below};
}

template <class Rank>
void scatter(std::span<const Rank> from, std::span<Rank> to, std::array<std::uint32_t, n_values>& counts, int shift) {
    std::uint32_t place = 0;
    for (std::uint32_t& n : counts) place += std::exchange(n, place);
    for (const Rank& rank : from) to[counts[(rank.key >> shift) & (n_values - 1)]++] = rank;
}

// Runs whose leading bits are the same may be out of order still. Sorts are stable throughout: what tied rows add up to
// must not hang on the standard library's way of sorting.
template <class Rank>
void sort_runs(std::span<Rank> ranks, int shift) {
    for (std::size_t begin = 0; begin < ranks.size();) {
        std::size_t end = begin + 1;
        bool is_sorted = true;
        for (; end < ranks.size() && ranks[end].key >> shift == ranks[begin].key >> shift; ++end)
            is_sorted &= !is_likelier(ranks[end], ranks[end - 1]);
        if (!is_sorted)
            std::stable_sort(ranks.begin() + static_cast<std::ptrdiff_t>(begin),
                             ranks.begin() + static_cast<std::ptrdiff_t>(end), is_likelier<Rank>);
        begin = end;
    }
}

template <class Rank>
void sort_all(std::span<Rank> ranks, std::span<Rank> spare) {
    if (ranks.size() <= few || ranks.size() > std::numeric_limits<std::uint32_t>::max()) {
        std::stable_sort(ranks.begin(), ranks.end(), is_likelier<Rank>);
        return;
    }
    const Digits digits = digits_of<Rank>(ranks);
    std::array<std::array<std::uint32_t, n_values>, most_digits> counts;
    for (int d = 0; d < digits.n; ++d) counts[static_cast<std::size_t>(d)].fill(0);
    for (const Rank& rank : ranks) {
        for (int d = 0; d < digits.n; ++d)
            ++counts[static_cast<std::size_t>(d)][(rank.key >> digits.shift(d)) & (n_values - 1)];
    }
    std::span<Rank> from = ranks, to = spare;
    for (int d = 0; d < digits.n; ++d) {
        auto& of_digit = counts[static_cast<std::size_t>(d)];
        if (of_digit[(ranks.front().key >> digits.shift(d)) & (n_values - 1)] == ranks.size()) continue;
        scatter<Rank>(from, to, of_digit, digits.shift(d));
        std::swap(from, to);
    }
    if (from.data() != ranks.data()) std::copy(from.begin(), from.end(), ranks.begin());
    if (digits.below > 0) sort_runs(ranks, digits.low);
}

}  // namespace

void sort_ranks(std::span<PlainRank> ranks, std::span<PlainRank> spare) { sort_all(ranks, spare); }
void sort_ranks(std::span<WeightedRank> ranks, std::span<WeightedRank> spare) { sort_all(ranks, spare); }

}  // namespace calibrant

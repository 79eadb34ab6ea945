// Three passes over the leading bits that differ put nearly all scores in their place; what is left is sorted where it
// lies.
#include "calibrate/score_sort.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace calibrant {
namespace {

constexpr int digit_bits = 11, n_digits = 3;
constexpr std::size_t n_values = std::size_t{1} << digit_bits, few = 256;

struct Counts {
    std::array<std::array<std::uint32_t, n_values>, n_digits> of{};
};

template <class Item>
bool by_key(const Item& a, const Item& b) {
    return a.key < b.key;
}

std::size_t digit(std::uint64_t key, int shift) { return static_cast<std::size_t>(key >> shift) & (n_values - 1); }

// The lowest bit of the leading bits to be sorted by; all above them are the same in every key.
template <class Item>
int lowest_bit(std::span<const Item> items) {
    std::uint64_t differing = 0;
    for (const Item& item : items) differing |= item.key ^ items.front().key;
    return std::max(0, static_cast<int>(std::bit_width(differing)) - digit_bits * n_digits);
}

template <class Item>
void scatter(std::span<const Item> from, std::span<Item> to, std::array<std::uint32_t, n_values>& counts, int shift) {
    std::uint32_t place = 0;
    for (std::uint32_t& n : counts) place += std::exchange(n, place);
    for (const Item& item : from) to[counts[digit(item.key, shift)]++] = item;
}

// Runs whose leading bits are the same may be out of order still. Sorts are stable throughout: what tied rows add up to
// must not hang on the standard library's way of sorting.
template <class Item>
void sort_runs(std::span<Item> items, int low) {
    for (std::size_t begin = 0; begin < items.size();) {
        std::size_t end = begin + 1;
        bool is_sorted = true;
        for (; end < items.size() && items[end].key >> low == items[begin].key >> low; ++end)
            is_sorted &= items[end - 1].key <= items[end].key;
        if (!is_sorted)
            std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(begin),
                             items.begin() + static_cast<std::ptrdiff_t>(end), by_key<Item>);
        begin = end;
    }
}

template <class Item>
void sort_all(std::span<Item> items, std::span<Item> spare) {
    if (items.size() < few || items.size() > std::numeric_limits<std::uint32_t>::max()) {
        std::stable_sort(items.begin(), items.end(), by_key<Item>);
        return;
    }
    const int low = lowest_bit<Item>(items);
    const auto counts = std::make_unique<Counts>();
    for (const Item& item : items) {
        for (int d = 0; d < n_digits; ++d)
            ++counts->of[static_cast<std::size_t>(d)][digit(item.key, low + d * digit_bits)];
    }
    std::span<Item> from = items, to = spare;
    for (int d = 0; d < n_digits; ++d) {
        auto& of_digit = counts->of[static_cast<std::size_t>(d)];
        const int shift = low + d * digit_bits;
        if (of_digit[digit(items.front().key, shift)] == items.size()) continue;
        scatter<Item>(from, to, of_digit, shift);
        std::swap(from, to);
    }
    if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
    if (low > 0) sort_runs(items, low);
}

}  // namespace

void sort_scores(std::span<PlainScore> items, std::span<PlainScore> spare) { sort_all(items, spare); }
void sort_scores(std::span<WeightedScore> items, std::span<WeightedScore> spare) { sort_all(items, spare); }

}  // namespace calibrant

// Radix sorts: integer keys in the order of the numbers they stand for, stable passes by one digit, and a sort by the
// leading bits that differ.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace calibrant {

template <class Key>
using FloatOf = std::conditional_t<sizeof(Key) == 4, float, double>;

// Finite numbers sort as their keys do; -0.0 is 0.0.
template <class Key>
Key order_key(FloatOf<Key> value) {
    constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
    const auto bits = std::bit_cast<Key>(value + FloatOf<Key>{0});  // + 0 turns -0 into +0
    return bits ^ ((Key{0} - (bits >> (8 * sizeof(Key) - 1))) | sign);
}

template <class Key>
FloatOf<Key> number_of(Key key) {
    constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
    return std::bit_cast<FloatOf<Key>>((key & sign) ? key ^ sign : ~key);
}

// Turns the count of each digit into the position of its first item.
inline void counts_to_positions(std::span<std::uint32_t> counts) {
    std::uint32_t total = 0;
    for (std::uint32_t& count : counts) total += std::exchange(count, total);
}

// One stable pass; `next` is the position of each digit's next item.
template <class Item, class DigitOf>
void scatter(std::span<const Item> from, Item* to, std::uint32_t* next, DigitOf&& digit_of) {
    for (const Item& item : from) to[next[digit_of(item)]++] = item;
}

// Sorts items by the bits of their keys from `ignored_bits` on. Radix passes over the leading bits that differ put
// nearly all items in order; runs that agree in those are sorted in place. Stable throughout, so sums over tied
// items are the same with any standard library.
template <int digit_bits, int most_digits, int ignored_bits>
class LeadingBitsSort {
  public:
    // The digits to pass over from the lowest: `n` of them, from bit `low` on.
    template <class N>
    struct Digits {
        int low;
        N n;
    };

    // `digits_for(width)` chooses the digits, from the number of bits that differ; fewer items than `few` are sorted by
    // comparing.
    template <class Item, class DigitsFor>
    static void sort(std::span<Item> items, std::span<Item> spare, std::size_t few, DigitsFor&& digits_for) {
        if (items.size() < few || items.size() > std::numeric_limits<std::uint32_t>::max()) {
            std::stable_sort(items.begin(), items.end(), is_less<Item>);
            return;
        }
        const auto digits = digits_for(differing_width<Item>(items));
        std::array<std::array<std::uint32_t, n_values>, static_cast<std::size_t>(most_digits)> counts;
        for (int d = 0; d < digits.n; ++d) counts[static_cast<std::size_t>(d)].fill(0);
        for (const Item& item : items) {
            for (int d = 0; d < digits.n; ++d)
                ++counts[static_cast<std::size_t>(d)][digit(item.key, digits.low + d * digit_bits)];
        }
        std::span<Item> from = items, to = spare;
        for (int d = 0; d < digits.n; ++d) {
            auto& of_digit = counts[static_cast<std::size_t>(d)];
            const int shift = digits.low + d * digit_bits;
            if (of_digit[digit(items.front().key, shift)] == items.size()) continue;  // all the same: in order already
            counts_to_positions(of_digit);
            scatter<Item>(from, to.data(), of_digit.data(),
                          [shift](const Item& item) { return digit(item.key, shift); });
            std::swap(from, to);
        }
        if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
        if (digits.low > ignored_bits) sort_runs(items, digits.low);
    }

  private:
    static constexpr std::size_t n_values = std::size_t{1} << digit_bits;

    static std::size_t digit(std::uint64_t key, int shift) {
        return static_cast<std::size_t>(key >> shift) & (n_values - 1);
    }
    template <class Item>
    static bool is_less(const Item& a, const Item& b) {
        return a.key >> ignored_bits < b.key >> ignored_bits;
    }
    template <class Item>
    static int differing_width(std::span<const Item> items) {
        std::uint64_t differing = 0;
        for (const Item& item : items) differing |= item.key ^ items.front().key;
        return static_cast<int>(std::bit_width(differing >> ignored_bits));
    }
    template <class Item>
    static void sort_runs(std::span<Item> items, int low) {
        for (std::size_t begin = 0; begin < items.size();) {
            std::size_t end = begin + 1;
            bool is_sorted = true;
            for (; end < items.size() && items[end].key >> low == items[begin].key >> low; ++end)
                is_sorted &= !is_less(items[end], items[end - 1]);
            if (!is_sorted)
                std::stable_sort(items.begin() + static_cast<std::ptrdiff_t>(begin),
                                 items.begin() + static_cast<std::ptrdiff_t>(end), is_less<Item>);
            begin = end;
        }
    }
};

}  // namespace calibrant

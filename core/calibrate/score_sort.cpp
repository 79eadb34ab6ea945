#include "calibrate/score_sort.hpp"

#include <algorithm>
#include <type_traits>

namespace calibrant {
namespace {

// Three passes of 11 bits distinguish nearly all of millions of scores, and the 2048 counts of a digit fit the
// first-level cache.
constexpr int digit_bits = 11;
using ThreeDigits = std::integral_constant<int, 3>;
constexpr std::size_t few = 256;  // comparing sorts these faster than 2048 counts are cleared and summed
using Sort = LeadingBitsSort<digit_bits, ThreeDigits::value, 0>;

template <class Item>
void sort(std::span<Item> items, std::span<Item> spare) {
    Sort::sort(items, spare, few, [](int width) {
        return Sort::Digits<ThreeDigits>{std::max(0, width - digit_bits * ThreeDigits::value), {}};
    });
}

}  // namespace

void sort_scores(std::span<PlainKey> items, std::span<PlainKey> spare) { sort(items, spare); }
void sort_scores(std::span<WeightedKey> items, std::span<WeightedKey> spare) { sort(items, spare); }

}  // namespace calibrant

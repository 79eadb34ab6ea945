#include "calibrate/score_groups.hpp"

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

template <class Item>
std::vector<ScoreGroup> groups_of(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop) {
    SortedScores<Item> sorted(rows, n_threads, stop);
    std::vector<ScoreGroup> groups;
    sorted.for_each_group([&](const ScoreGroup& group) { groups.push_back(group); });
    return groups;
}

}  // namespace

void sort_scores(std::span<PlainKey> items, std::span<PlainKey> spare) { sort(items, spare); }
void sort_scores(std::span<WeightedKey> items, std::span<WeightedKey> spare) { sort(items, spare); }

std::vector<ScoreGroup> pool_ties(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop) {
    return rows.weights.empty() ? groups_of<PlainKey>(rows, n_threads, stop)
                                : groups_of<WeightedKey>(rows, n_threads, stop);
}

}  // namespace calibrant

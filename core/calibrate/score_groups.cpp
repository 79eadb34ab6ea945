#include "calibrate/score_groups.hpp"

namespace calibrant {
namespace {

template <class Item>
std::vector<ScoreGroup> groups_of(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop) {
    SortedScores<Item> sorted(rows, n_threads, stop);
    std::vector<ScoreGroup> groups;
    sorted.for_each_group([&](const ScoreGroup& group) { groups.push_back(group); });
    return groups;
}

}  // namespace

std::vector<ScoreGroup> pool_ties(const ScoreRows& rows, std::size_t n_threads, const StopToken& stop) {
    return rows.weights.empty() ? groups_of<PlainKey>(rows, n_threads, stop)
                                : groups_of<WeightedKey>(rows, n_threads, stop);
}

}  // namespace calibrant

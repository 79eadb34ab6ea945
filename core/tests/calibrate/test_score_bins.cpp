// Bins of equal weight are those of a walk over all sorted scores; bins of equal width are those of a search for each
// score.
#include "calibrate/score_bins.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "harness.hpp"
#include "scored_sample.hpp"

using namespace calibrant;

namespace test_score_bins {
namespace {

// The rule as the text has it: close bin i at the first position that reaches its share where the score changes.
ScoreBins walk(const ScoreRows& rows, std::size_t n_bins) {
    const auto groups = pool_ties(rows, 1, {});
    double total = 0, reached = 0, next = 1;
    for (const ScoreGroup& group : groups) total += group.weight;
    ScoreBins bins{{}, {}, {0}, {0}};
    for (std::size_t g = 0; g < groups.size(); ++g) {
        bins.weight.back() += groups[g].weight, bins.positive.back() += groups[g].positive, reached += groups[g].weight;
        bool is_end = false;
        for (; next < static_cast<double>(n_bins) && reached * static_cast<double>(n_bins) >= next * total; ++next)
            is_end = true;
        if (!is_end || g + 1 == groups.size()) continue;
        bins.below.push_back(groups[g].score), bins.above.push_back(groups[g + 1].score);
        bins.weight.push_back(0), bins.positive.push_back(0);
    }
    return bins;
}

void check_same(const ScoreBins& ours, const ScoreBins& theirs) {
    CHECK(ours.below == theirs.below && ours.above == theirs.above);
    CHECK(ours.weight == theirs.weight && ours.positive == theirs.positive);
}

ScoredSample sample(std::size_t n, int kind) {
    std::mt19937_64 random(5);
    ScoredSample made{{}, {}, std::make_unique<bool[]>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        const double x = std::normal_distribution<>()(random);
        made.scores.push_back(kind == 0   ? x
                              : kind == 1 ? std::round(x)
                              : kind == 2 ? std::ldexp(x, static_cast<int>(random() % 1800) - 900)
                                          : 1 + x * 1e-15);
        made.weights.push_back(static_cast<double>(1 + random() % 4));
        made.positive[i] = random() % 3 == 0;
    }
    return made;
}

}  // namespace

TEST(bins_of_equal_weight_are_those_of_the_walk) {
    for (const int kind : {0, 1, 2, 3}) {
        const ScoredSample made = sample(20000, kind);
        for (const bool is_weighted : {false, true}) {
            for (const std::size_t n_bins : {1U, 2U, 10U, 333U, 30000U})
                check_same(count_bins(made.rows(is_weighted), n_bins, 1, {}), walk(made.rows(is_weighted), n_bins));
        }
    }
}

TEST(bins_of_few_rows_hold_their_share) {
    const std::vector<double> scores{5, 1, 2, 2, 2, 6};
    const bool positive[] = {true, false, false, true, true, true};
    const ScoreBins bins = count_bins({scores, positive, {}}, 3, 1, {});
    CHECK(bins.weight == std::vector<double>({4, 2}) && bins.positive == std::vector<double>({2, 2}));
    CHECK(bins.below == std::vector<double>({2}) && bins.above == std::vector<double>({5}));
}

TEST(bins_of_equal_width_hold_what_lies_between_their_edges) {
    for (const int kind : {0, 1, 2, 3}) {
        const ScoredSample made = sample(5000, kind);
        const auto [low, high] = std::minmax_element(made.scores.begin(), made.scores.end());
        const ScoreBins bins = width_bins(made.rows(true), 7, *low, *high);
        std::vector<double> weight(7);
        for (std::size_t i = 0; i < made.scores.size(); ++i) {
            const auto place =
                std::upper_bound(bins.below.begin(), bins.below.end(), made.scores[i]) - bins.below.begin();
            weight[static_cast<std::size_t>(place)] += made.weights[i];
        }
        CHECK(bins.weight == weight);
    }
}

}  // namespace test_score_bins

// A ranking has the groups of pooled ties, whatever the rows, their weights and the threads.
#include "rank/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_ranking {
namespace {

// Probabilities of a grid of `n_values`, or of all numbers, where about half of the rows are positive.
struct Drawn {
    Drawn(std::size_t n, int n_values, unsigned seed) : scores(n), weights(n), positive(std::make_unique<bool[]>(n)) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> uniform(0, 1);
        for (std::size_t i = 0; i < n; ++i) {
            const double p = uniform(random);
            scores[i] = n_values == 0 ? p * p : static_cast<double>(static_cast<int>(p * n_values)) / n_values;
            positive[i] = uniform(random) < 0.5;
            weights[i] = 1 + static_cast<double>(random() % 3);
        }
    }
    ScoreRows rows(bool weighted) const {
        return {scores,
                {positive.get(), scores.size()},
                weighted ? std::span<const double>(weights) : std::span<const double>()};
    }
    std::vector<double> scores, weights;
    std::unique_ptr<bool[]> positive;
};

std::vector<ScoreGroup> groups_of(const Ranking& ranking) {
    std::vector<ScoreGroup> groups;
    ranking.for_each_group([&](const ScoreGroup& group) { groups.push_back(group); });
    return groups;
}

bool are_same(const std::vector<ScoreGroup>& a, const std::vector<ScoreGroup>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ScoreGroup& x, const ScoreGroup& y) {
        return x.score == y.score && x.weight == y.weight && x.positive == y.positive;
    });
}

}  // namespace

TEST(groups_are_those_of_pooled_ties_the_highest_first) {
    for (const std::size_t n : {1, 2, 47, 300, 5000, 200000}) {
        for (const int n_values : {0, 1, 3, 1000}) {
            for (const bool weighted : {false, true}) {
                const Drawn drawn(n, n_values, 7);
                auto expected = pool_ties(drawn.rows(weighted), 1, {});
                std::reverse(expected.begin(), expected.end());
                CHECK(are_same(groups_of(Ranking(drawn.rows(weighted), 1, {})), expected));
                CHECK(are_same(groups_of(Ranking(drawn.rows(weighted), 3, {})), expected));
            }
        }
    }
}

TEST(upwards_is_the_reverse_of_downwards) {
    const Drawn drawn(999, 50, 1);
    const Ranking ranking(drawn.rows(true), 2, {});
    std::vector<ScoreGroup> upwards;
    ranking.for_each_group_upwards([&](const ScoreGroup& group) { upwards.push_back(group); });
    std::reverse(upwards.begin(), upwards.end());
    CHECK(are_same(upwards, groups_of(ranking)));
}

TEST(numbers_next_to_each_other_are_distinguished) {
    std::vector<double> scores;
    double p = 0.3;
    for (int i = 0; i < 3000; ++i) scores.push_back(p = std::nextafter(p, 1.0));
    std::shuffle(scores.begin(), scores.end(), std::mt19937(3));
    scores.push_back(0.0);
    scores.push_back(1.0);
    const auto positive = std::make_unique<bool[]>(scores.size());
    const auto groups = groups_of(Ranking({scores, {positive.get(), scores.size()}, {}}, 1, {}));
    CHECK(groups.size() == scores.size());
    CHECK(std::is_sorted(groups.begin(), groups.end(),
                         [](const ScoreGroup& a, const ScoreGroup& b) { return a.score > b.score; }));
}

TEST(what_is_no_probability_throws) {
    const bool positive[] = {true, false};
    for (const double wrong : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
        const std::vector<double> scores{0.5, wrong};
        CHECK_THROWS(Ranking({scores, positive, {}}, 1, {}), std::invalid_argument);
    }
}

}  // namespace test_ranking

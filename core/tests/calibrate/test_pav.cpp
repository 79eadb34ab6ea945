// Blocks rise, hold the means of their rows, and are those that any order of pooling gives; ranks are those of pairs.
#include "calibrate/pav.hpp"

#include <memory>
#include <random>
#include <vector>

#include "harness.hpp"
#include "scored_sample.hpp"

using namespace calibrant;

namespace test_pav {
namespace {

ScoredSample sample(std::size_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    ScoredSample made{{}, {}, std::make_unique<bool[]>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        made.scores.push_back(static_cast<double>(random() % 50));
        made.weights.push_back(static_cast<double>(1 + random() % 3));
        made.positive[i] = random() % 60 < 5 + static_cast<unsigned>(made.scores.back());
    }
    return made;
}

}  // namespace

TEST(equal_scores_are_pooled_before_neighbours) {
    const std::vector<double> scores{2, 1, 2, 3};
    const bool positive[] = {true, false, false, true};
    const IsotonicFit fit = fit_isotonic({scores, positive, {}}, {}, 1, {});
    CHECK(fit.blocks.size() == 3 && fit.blocks[1].probability() == 0.5 && fit.blocks[1].first == 2 &&
          fit.blocks[1].last == 2);
    CHECK(pool_ties({scores, positive, {}}, 1, {}).size() == 3);
}

TEST(blocks_rise_and_no_block_hides_a_fall) {
    for (const bool is_weighted : {false, true}) {
        const ScoredSample made = sample(2000, 7);
        const IsotonicFit fit = fit_isotonic(made.rows(is_weighted), {}, 1, {});
        for (std::size_t b = 1; b < fit.blocks.size(); ++b) {
            CHECK(fit.blocks[b - 1].probability() < fit.blocks[b].probability() &&
                  fit.blocks[b - 1].last < fit.blocks[b].first);
        }
        for (const ScoreBlock& block : fit.blocks) {
            double weight = 0, positive = 0;
            for (const ScoreGroup& group : pool_ties(made.rows(is_weighted), 1, {})) {
                if (group.score < block.first || group.score > block.last) continue;
                weight += group.weight, positive += group.positive;
                CHECK(positive / weight >=
                      block.probability() - 1e-12);  // the start of a block is never below its mean
            }
            CHECK(weight == block.weight && positive == block.positive && block.first <= block.centre &&
                  block.centre <= block.last);
        }
    }
}

TEST(any_number_of_threads_gives_the_same_bits) {
    const ScoredSample made = sample(3000, 3);
    const IsotonicFit one = fit_isotonic(made.rows(true), {true, true}, 1, {}),
                      two = fit_isotonic(made.rows(true), {true, true}, 2, {});
    CHECK(one.blocks.size() == two.blocks.size() && one.after.auc == two.after.auc);
    for (std::size_t b = 0; b < one.blocks.size(); ++b) CHECK(one.blocks[b].centre == two.blocks[b].centre);
}

TEST(ranks_are_counted_in_pairs) {
    const std::vector<double> scores{1, 2, 3, 4};
    const bool positive[] = {false, true, false, true};
    const IsotonicFit fit = fit_isotonic({scores, positive, {}}, {}, 1, {});
    CHECK(fit.before.auc == 0.75 && fit.after.auc == 0.875);
    CHECK(fit.before.pairs_apart == 6 && fit.after.pairs_apart == 5);
    CHECK(fit_isotonic({scores, positive, {}}, {false, true}, 1, {}).after.pairs_apart == 6);
}

TEST(smoothed_ends_add_a_row_of_either_class) {
    const std::vector<double> scores{1, 2, 3, 4};
    const bool positive[] = {false, false, true, true};
    const IsotonicFit fit = fit_isotonic({scores, positive, {}}, {true, false}, 1, {});
    CHECK(fit.blocks.size() == 2 && fit.blocks[0].probability() == 0.25 && fit.blocks[1].probability() == 0.75);
}

}  // namespace test_pav

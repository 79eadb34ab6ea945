// Each measure of a ranking on rows that can be counted by hand.
#include "rank/rank_measures.hpp"

#include <cmath>
#include <memory>
#include <vector>

#include "harness.hpp"
#include "rank/harmonic.hpp"

using namespace calibrant;

namespace test_rank_measures {
namespace {

Ranking ranked(const std::vector<double>& scores, const std::vector<int>& labels,
               const std::vector<double>& weights = {}) {
    const auto positive = std::make_unique<bool[]>(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) positive[i] = labels[i] == 1;
    return Ranking({scores, {positive.get(), labels.size()}, weights}, 1, {});
}

bool near(double a, double b) { return std::abs(a - b) < 1e-14; }

}  // namespace

TEST(pairs_in_order_count_and_ties_half) {
    CHECK(area_under_roc(ranked({0.2, 0.9, 0.2, 0.1}, {0, 1, 1, 0})) == 0.875);
    CHECK(area_under_roc(ranked({0.2, 0.9}, {0, 1}, {3.0, 2.0})) == 1.0);
    CHECK(std::isnan(area_under_roc(ranked({0.2, 0.9}, {1, 1}))));
    CHECK(greatest_gap(ranked({0.2, 0.9, 0.2, 0.1}, {0, 1, 1, 0})) == 0.5);
}

TEST(precision_is_averaged_over_positive_rows) {
    const Ranking ranking = ranked({0.9, 0.8, 0.7}, {1, 0, 1});
    CHECK(near(average_precision(ranking), (1.0 + 2.0 / 3) / 2));
    CHECK(near(area_under_precision(ranking, true), (1.0 + (0.5 + 2.0 / 3) / 2) / 2));
    CHECK(near(area_under_precision(ranked({0.5, 0.5}, {1, 0}), false), 0.5));
    CHECK(std::isnan(average_precision(ranked({0.5}, {0}))));
}

TEST(precision_at_a_recall_is_the_best_from_there_on) {
    const std::vector<double> recalls{0.0, 0.5, 1.0};
    const auto best = precision_at(ranked({0.9, 0.8, 0.7, 0.6}, {0, 1, 1, 0}), recalls);
    CHECK(near(best[0], 2.0 / 3) && near(best[1], 2.0 / 3) && near(best[2], 2.0 / 3));
}

TEST(rows_of_one_probability_are_found_evenly) {
    const std::vector<double> depths{0.5, 1.0, 3.0};
    const auto found = found_within(ranked({0.9, 0.5, 0.5}, {1, 1, 0}), depths, false);
    CHECK(found[0] == 0.5 && found[1] == 1.0 && found[2] == 2.0);
    const auto other = found_within(ranked({0.9, 0.5, 0.5}, {1, 1, 0}), depths, true);
    CHECK(other[1] == 0.5 && other[2] == 1.0);
}

TEST(lift_is_averaged_over_ranks) {
    CHECK(near(mean_lift(ranked({0.8, 0.3}, {1, 0}), false), 1.5));
    CHECK(near(mean_lift(ranked({0.8, 0.3}, {1, 0}), true), 1.5));
    CHECK(near(mean_lift(ranked({0.5, 0.5, 0.5}, {1, 0, 0}), false), 1.0));
}

TEST(harmonic_sums_are_those_of_ranks) {
    double sum = 0;
    for (int r = 8; r <= 40; ++r) sum += 1.0 / r;
    CHECK(near(harmonic_between(7, 40), sum));
    CHECK(std::abs(harmonic_between(1e7, 1e7 + 2) - (1 / (1e7 + 1) + 1 / (1e7 + 2))) < 1e-21);
    CHECK(near(harmonic_between(0, 1), 1.0));
}

TEST(windows_start_at_every_whole_weight) {
    const Ranking rows = ranked({0.1, 0.4, 0.6, 0.9}, {0, 1, 0, 1});
    CHECK(near(window_calibration(rows, 2), (0.25 + 0.0 + 0.25) / 3));
    CHECK(near(window_calibration(rows, 100), 0.0));
    CHECK(near(window_calibration(ranked({0.25}, {1}, {4.0}), 2), 0.75));
    CHECK(near(window_calibration(ranked({0.1, 0.9}, {1, 0}, {1.5, 1.5}), 2), (0.9 * 1.5 - 0.9 * 0.5) / 2));
}

TEST(bins_hold_about_the_same_weight_and_whole_groups) {
    const auto bins = mass_bins(ranked({0.1, 0.2, 0.2, 0.2, 0.8, 0.9}, {0, 0, 1, 0, 1, 1}), 3);
    CHECK(bins.size() == 2);
    CHECK(bins[0].weight == 4 && bins[0].positive == 1 && bins[1].weight == 2);
}

TEST(the_hull_is_isotonic) {
    const auto blocks = hull_blocks(ranked({0.9, 0.8, 0.7, 0.1}, {1, 0, 1, 0}));
    CHECK(blocks.size() == 3);
    CHECK(blocks[1].weight == 2 && blocks[1].positive == 1 && near(blocks[1].probability, 1.5));
}

TEST(the_gap_is_from_the_block_of_each_row) {
    CHECK(near(isotonic_gap(ranked({0.9, 0.8, 0.7, 0.1}, {1, 0, 1, 0})), (0.1 + 0.3 + 0.2 + 0.1) / 4));
}

}  // namespace test_rank_measures

// Every measure of a ranking is what its definition gives for rows written out as often as they count.
#include "rank/rank_replicate.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_rank_replicate {
namespace {

struct Made {
    std::vector<int> score;  // falling
    std::vector<bool> positive;
    std::vector<std::uint8_t> marks, weights;
};

Made make(std::mt19937& random, std::size_t n, int n_scores) {
    Made made;
    for (std::size_t i = 0; i < n; ++i)
        made.score.push_back(static_cast<int>(random() % static_cast<unsigned>(n_scores)));
    std::sort(made.score.rbegin(), made.score.rend());
    for (std::size_t i = 0; i < n; ++i) {
        made.positive.push_back(random() % 3 == 0 || i == 1);
        if (i == 2) made.positive.back() = false;
        made.weights.push_back(static_cast<std::uint8_t>(i == 1 || i == 2 ? 1 : random() % 3));
        const bool ends = i + 1 == n || made.score[i + 1] != made.score[i];
        made.marks.push_back(
            static_cast<std::uint8_t>((made.positive.back() ? mark_positive : 0) | (ends ? mark_group_end : 0)));
    }
    return made;
}

// Weight, and positive weight, of the rows whose score is at least (or above) a given one.
double weight_from(const Made& made, int score, bool of_positive, bool above = false) {
    double sum = 0;
    for (std::size_t i = 0; i < made.score.size(); ++i) {
        if ((above ? made.score[i] > score : made.score[i] >= score) && (!of_positive || made.positive[i]))
            sum += made.weights[i];
    }
    return sum;
}

double brute_area(const Made& made) {
    double won = 0, pairs = 0;
    for (std::size_t i = 0; i < made.score.size(); ++i) {
        for (std::size_t j = 0; j < made.score.size(); ++j) {
            if (!made.positive[i] || made.positive[j]) continue;
            const double weight = static_cast<double>(made.weights[i]) * made.weights[j];
            pairs += weight;
            won += weight * (made.score[i] > made.score[j] ? 1.0 : made.score[i] == made.score[j] ? 0.5 : 0.0);
        }
    }
    return won / pairs;
}

double brute_precision(const Made& made) {
    double sum = 0, all = 0;
    for (std::size_t i = 0; i < made.score.size(); ++i) {
        if (!made.positive[i] || made.weights[i] == 0) continue;
        sum += made.weights[i] * weight_from(made, made.score[i], true) / weight_from(made, made.score[i], false);
        all += made.weights[i];
    }
    return sum / all;
}

double brute_ks(const Made& made, double positive, double negative) {
    double most = 0;
    for (const int score : made.score) {
        const double found = weight_from(made, score, true);
        most = std::max(most, std::abs(found / positive - (weight_from(made, score, false) - found) / negative));
    }
    return most;
}

// Positives expected among the first `rank` rows.
double expected(const Made& made, double rank) {
    for (const int score : made.score) {
        const double end = weight_from(made, score, false), start = weight_from(made, score, false, true);
        if (end < rank || end == start) continue;
        const double before = weight_from(made, score, true, true), found = weight_from(made, score, true);
        return before + (found - before) * (rank - start) / (end - start);
    }
    return 0;
}

double brute_lift_area(const Made& made, double all, double positive) {
    double sum = 0;
    for (double rank = 1; rank <= all; ++rank) sum += expected(made, rank) / rank;
    return sum / positive;
}

Made turned(const Made& made) {
    Made other = made;
    std::reverse(other.score.begin(), other.score.end());
    for (int& score : other.score) score = -score;
    std::reverse(other.positive.begin(), other.positive.end());
    other.positive.flip();
    std::reverse(other.weights.begin(), other.weights.end());
    return other;
}

void check_measures(const Made& made, const RankMeasures& found, double top_share) {
    const double all = weight_from(made, -1, false), positive = weight_from(made, -1, true);
    CHECK(found.positive == positive && found.negative == all - positive);
    CHECK(near(found.auc, brute_area(made), 1e-12));
    CHECK(near(found.average_precision, brute_precision(made), 1e-12));
    CHECK(near(found.ks, brute_ks(made, positive, all - positive), 1e-12));
    CHECK(near(found.top_positive, expected(made, top_share * all), 1e-9));
    CHECK(near(found.lift_area, brute_lift_area(made, all, positive), 1e-12));
    CHECK(near(found.lift_area_negative, brute_lift_area(turned(made), all, all - positive), 1e-12));
}

bool same_bits(const RankMeasures& one, const RankMeasures& other) {
    return std::memcmp(&one, &other, sizeof one) == 0;
}

}  // namespace

TEST(measures_are_those_of_rows_written_out) {
    std::mt19937 random(5);
    const Harmonic harmonic(20);
    for (std::size_t n = 4; n < 60; ++n) {
        const Made made = make(random, n, n % 2 ? 7 : 1000);
        const RankRequest request{true, 0.3, &harmonic};
        check_measures(made, measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, request), 0.3);
    }
}

TEST(fractional_weights_give_the_same_where_they_are_whole) {
    std::mt19937 random(6);
    const Harmonic harmonic(10);
    const Made made = make(random, 50, 9);
    const std::vector<double> weights(made.weights.begin(), made.weights.end());
    check_measures(made, measure_ranking<double>({{}, made.marks}, weights, {true, 0.25, &harmonic}), 0.25);
}

TEST(the_area_alone_has_the_bits_of_all_together_over_many_blocks) {
    std::mt19937 random(7);
    const Harmonic harmonic(5000);
    const Made made = make(random, 3000, 2500);
    const auto alone = measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, {});
    const auto all = measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, {true, 0.1, &harmonic});
    CHECK(alone.auc == all.auc && alone.positive == all.positive);
    CHECK(near(all.top_positive, expected(made, 0.1 * (all.positive + all.negative)), 1e-9));
}

TEST(a_row_without_weight_may_share_a_score_and_change_no_bit) {
    std::mt19937 random(8);
    const Harmonic harmonic(8000);
    Made made = make(random, 4000, 4000);
    std::fill(made.marks.begin(), made.marks.end(), mark_group_end);
    for (std::size_t i = 0; i < made.marks.size(); i += 3) made.marks[i] |= mark_positive;
    made.weights[100] = 0;
    const RankRequest request{true, 0.1, &harmonic};
    const auto apart = measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, request);
    made.marks[100] &= mark_positive;
    CHECK(same_bits(apart, measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, request)));
}

TEST(bytes_and_longer_counts_have_the_same_bits) {
    std::mt19937 random(9);
    const Harmonic harmonic(100);
    Made made = make(random, 2000, 700);
    for (std::uint8_t& weight : made.weights) weight = static_cast<std::uint8_t>(255 - weight);
    const std::vector<std::uint32_t> longer(made.weights.begin(), made.weights.end());
    const RankRequest request{true, 0.2, &harmonic};
    CHECK(same_bits(measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, request),
                    measure_ranking<std::uint32_t>({{}, made.marks}, longer, request)));
}

TEST(harmonic_numbers_beyond_the_table_are_those_in_it) {
    std::mt19937 random(10);
    const Harmonic few(20), many(5000);
    const Made made = make(random, 2000, 1500);
    const auto beyond = measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, {true, 0.2, &few});
    const auto within = measure_ranking<std::uint8_t>({{}, made.marks}, made.weights, {true, 0.2, &many});
    CHECK(near(beyond.lift_area, within.lift_area, 1e-12) &&
          near(beyond.lift_area_negative, within.lift_area_negative, 1e-12));
}

TEST(rows_out_of_order_are_found_by_their_ranks) {
    const std::vector<std::uint32_t> rows{2, 0, 1};
    const std::vector<std::uint8_t> marks{3, 2, 3}, weights{5, 1, 2};
    CHECK(measure_ranking<std::uint8_t>({rows, marks}, weights, {}).auc == 2.0 / 3.0);
}

TEST(a_class_without_weight_makes_no_number) {
    const Harmonic harmonic(4);
    const std::vector<std::uint8_t> marks{3, 2}, none{0, 1};
    const auto found = measure_ranking<std::uint8_t>({{}, marks}, none, {true, 0.5, &harmonic});
    CHECK(std::isnan(found.auc) && std::isnan(found.ks) && std::isnan(found.average_precision) &&
          std::isnan(found.lift_area));
    CHECK(near(found.lift_area_negative, 1.0, 1e-15));
}

}  // namespace test_rank_replicate

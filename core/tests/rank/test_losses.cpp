// Sums of losses over one column and over tables, with certainties among them.
#include "rank/losses.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_losses {
namespace {

constexpr std::size_t n_rows = 200000;

struct Drawn {
    Drawn()
        : scores(n_rows),
          weights(n_rows),
          positive(std::make_unique<bool[]>(n_rows)),
          labels(n_rows),
          table(2 * n_rows) {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> uniform(0, 1);
        for (std::size_t i = 0; i < n_rows; ++i) {
            scores[i] = uniform(random);
            positive[i] = uniform(random) < 0.5;
            weights[i] = uniform(random);
            labels[i] = positive[i];
            table[2 * i + 1] = scores[i];
            table[2 * i] = 1 - scores[i];
        }
    }
    ScoreRows rows() const { return {scores, {positive.get(), n_rows}, weights}; }
    ClassRows class_rows() const { return {table, labels, weights, 2}; }
    std::vector<double> scores, weights;
    std::unique_ptr<bool[]> positive;
    std::vector<std::int32_t> labels;
    std::vector<double> table;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

const StopToken stop;

}  // namespace

TEST(one_column_and_two_give_the_same_for_any_number_of_threads) {
    const Drawn drawn;
    const double squares = squared_errors(drawn.rows(), {1, stop});
    CHECK(squares == squared_errors(drawn.rows(), {3, stop}));
    CHECK(near(squared_errors(drawn.class_rows(), {2, stop}), 2 * squares));
    CHECK(near(own_squared_errors(drawn.class_rows(), {2, stop}), squares));
    CHECK(log_loss_sums(drawn.rows(), 0, {1, stop}).sum == log_loss_sums(drawn.rows(), 0, {4, stop}).sum);
    CHECK(near(log_loss_sums(drawn.class_rows(), 0, {1, stop}).sum, log_loss_sums(drawn.rows(), 0, {1, stop}).sum));
}

TEST(zeros_and_ones_are_distinguished_from_the_sum) {
    const std::vector<double> scores{0.0, 1.0, 0.5, std::numeric_limits<double>::denorm_min()};
    const bool positive[] = {true, true, false, true};
    const LogLossSums found = log_loss_sums(ScoreRows{scores, positive, {}}, 0, {1, stop});
    CHECK(found.at_zero == 1 && found.at_one == 1);
    CHECK(near(found.sum, std::log(2.0) - std::log(std::numeric_limits<double>::denorm_min())));
    CHECK(near(log_loss_sums(ScoreRows{scores, positive, {}}, 0.5, {1, stop}).sum, 4 * std::log(2.0)));
}

TEST(a_probability_at_an_edge_is_of_the_upper_bin) {
    std::vector<double> scores;
    for (int i = 0; i <= 10; ++i) scores.push_back(i / 10.0);
    const auto positive = std::make_unique<bool[]>(scores.size());
    const auto bins = width_sums({scores, {positive.get(), scores.size()}, {}}, 10, {1, stop});
    for (std::size_t bin = 0; bin < 9; ++bin) CHECK(bins[bin].weight == 1 && bins[bin].probability == scores[bin]);
    CHECK(bins[9].weight == 2);
}

}  // namespace test_losses

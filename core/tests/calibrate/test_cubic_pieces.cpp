// The sums of each piece are those of the textbook's formulas, and the same bits for any number of threads.
#include "calibrate/cubic_pieces.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_cubic_pieces {
namespace {

struct Sample {
    std::vector<double> offset, weights, targets;
    std::vector<std::size_t> bounds;
    PieceRows rows() const { return {offset, weights, targets, bounds}; }
};

Sample sample(std::size_t n) {
    std::mt19937_64 random(3);
    Sample made{{}, {}, {}, {0, n / 3, n / 3, n}};
    for (std::size_t i = 0; i < n; ++i) {
        made.offset.push_back(std::uniform_real_distribution<>()(random));
        made.weights.push_back(std::uniform_real_distribution<>(0, 5)(random));
        made.targets.push_back(made.weights.back() * std::uniform_real_distribution<>()(random));
    }
    return made;
}

const std::vector<Cubic> cubics{{30, -50, 8, 1}, {1, 2, 3, 4}, {-3, 0.5, 2, -0.5}};

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-10 * (1 + std::abs(b)); }

}  // namespace

TEST(sums_are_those_of_the_formulas) {
    for (const std::size_t n : {0U, 1U, 7U, 128U, 1000U}) {
        const Sample made = sample(n);
        const auto found = piece_sums(made.rows(), cubics, 1, {});
        for (std::size_t k = 0; k < cubics.size(); ++k) {
            PieceSums sums;
            for (std::size_t i = made.bounds[k]; i < made.bounds[k + 1]; ++i) {
                const double t = made.offset[i], w = made.weights[i];
                const double z = cubics[k][0] * t * t * t + cubics[k][1] * t * t + cubics[k][2] * t + cubics[k][3],
                             p = 1 / (1 + std::exp(-z));
                sums.loss += w * std::log1p(std::exp(z)) - made.targets[i] * z;
                for (std::size_t a = 0; a < 4; ++a) sums.slopes[a] += (w * p - made.targets[i]) * std::pow(t, a);
                for (std::size_t a = 0; a < 7; ++a) sums.curvature[a] += w * p * (1 - p) * std::pow(t, a);
            }
            CHECK(is_close(found[k].loss, sums.loss));
            for (std::size_t a = 0; a < 4; ++a) CHECK(is_close(found[k].slopes[a], sums.slopes[a]));
            for (std::size_t a = 0; a < 7; ++a) CHECK(is_close(found[k].curvature[a], sums.curvature[a]));
        }
    }
}

TEST(any_number_of_threads_gives_the_same_bits) {
    const Sample made = sample(10000);
    const auto one = piece_sums(made.rows(), cubics, 1, {}), three = piece_sums(made.rows(), cubics, 3, {});
    for (std::size_t k = 0; k < cubics.size(); ++k) {
        CHECK(one[k].loss == three[k].loss && one[k].slopes == three[k].slopes &&
              one[k].curvature == three[k].curvature);
    }
}

}  // namespace test_cubic_pieces

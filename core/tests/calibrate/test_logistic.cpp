// The sums of one pass are those of the textbook's formulas, and the same bits for any number of threads.
#include "calibrate/logistic.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_logistic {
namespace {

struct Sample {
    std::vector<double> a, b, weights;
    std::unique_ptr<bool[]> positive;
    LogisticRows rows(bool is_weighted) const {
        return {{{a.data(), 0.5, 0.25}, {b.data(), 2.0, -1.0}},
                {positive.get(), a.size()},
                is_weighted ? std::span<const double>(weights) : std::span<const double>{},
                0.1,
                0.8};
    }
};

Sample sample(std::size_t n) {
    std::mt19937_64 random(2);
    Sample made{{}, {}, {}, std::make_unique<bool[]>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        made.a.push_back(std::normal_distribution<>(0, 10)(random));
        made.b.push_back(std::normal_distribution<>()(random));
        made.weights.push_back(std::uniform_real_distribution<>()(random));
        made.positive[i] = random() % 3 == 0;
    }
    return made;
}

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-10 * (1 + std::abs(b)); }

}  // namespace

TEST(sums_are_those_of_the_formulas) {
    for (const std::size_t n : {1U, 7U, 128U, 1000U}) {
        const Sample made = sample(n);
        const std::vector<double> coef{0.7, -0.3, 0.2};
        const LogisticSums sums = logistic_sums(made.rows(true), coef, 1, {});
        double loss = 0, gradient[3] = {}, hessian[3][3] = {};
        for (std::size_t i = 0; i < n; ++i) {
            const double x[3] = {made.a[i] * 0.5 - 0.25, made.b[i] * 2 + 1, 1}, t = made.positive[i] ? 0.8 : 0.1,
                         w = made.weights[i];
            const double z = coef[0] * x[0] + coef[1] * x[1] + coef[2], p = 1 / (1 + std::exp(-z));
            loss += w * (std::log1p(std::exp(z)) - t * z);
            for (int a = 0; a < 3; ++a) {
                gradient[a] += w * (p - t) * x[a];
                for (int b = 0; b < 3; ++b) hessian[a][b] += w * p * (1 - p) * x[a] * x[b];
            }
        }
        CHECK(is_close(sums.loss, loss));
        for (std::size_t a = 0; a < 3; ++a) {
            CHECK(is_close(sums.gradient[a], gradient[a]));
            for (std::size_t b = 0; b < 3; ++b) CHECK(is_close(sums.hessian[a][b], hessian[a][b]));
        }
    }
}

TEST(any_number_of_threads_gives_the_same_bits) {
    const Sample made = sample(300000);
    const std::vector<double> coef{0.7, -0.3, 0.2};
    const LogisticSums one = logistic_sums(made.rows(false), coef, 1, {}),
                       three = logistic_sums(made.rows(false), coef, 3, {});
    CHECK(one.loss == three.loss && one.gradient == three.gradient && one.hessian == three.hessian);
}

}  // namespace test_logistic

// Area and variances are those of the placement of every row among the rows of the other class.
#include "rank/delong.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_delong {
namespace {

double kernel(double positive, double negative) { return positive > negative ? 1.0 : positive == negative ? 0.5 : 0.0; }

double variance_of_mean(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    const auto n = static_cast<double>(values.size());
    for (const double value : values) squares += (value - sum / n) * (value - sum / n);
    return squares / (n - 1) / n;
}

}  // namespace

TEST(variances_are_those_of_the_placements) {
    std::mt19937 random(1);
    std::vector<double> scores, positives, negatives;
    const auto flags = std::make_unique<bool[]>(60);
    for (std::size_t i = 0; i < 60; ++i) {
        flags[i] = random() % 3 == 0;
        scores.push_back(static_cast<double>(random() % 12) + (flags[i] ? 2 : 0));
        (flags[i] ? positives : negatives).push_back(scores.back());
    }
    std::vector<double> of_positive(positives.size()), of_negative(negatives.size());
    double area = 0;
    for (std::size_t i = 0; i < positives.size(); ++i) {
        for (std::size_t j = 0; j < negatives.size(); ++j) {
            const double won = kernel(positives[i], negatives[j]);
            of_positive[i] += won / static_cast<double>(negatives.size());
            of_negative[j] += won / static_cast<double>(positives.size());
            area += won / static_cast<double>(positives.size() * negatives.size());
        }
    }
    const auto found = area_variance({scores, {flags.get(), 60}, {}}, 1, {});
    CHECK(near(found.area, area, 1e-12));
    CHECK(near(found.by_positive, variance_of_mean(of_positive), 1e-14));
    CHECK(near(found.by_negative, variance_of_mean(of_negative), 1e-14));
}

TEST(a_weight_of_two_is_the_row_twice) {
    const std::vector<double> scores{1, 2, 3, 4}, weights{2, 1, 1, 2}, twice{1, 1, 2, 3, 4, 4};
    const bool flags[]{false, true, false, true}, twice_flags[]{false, false, true, false, true, true};
    const auto weighted = area_variance({scores, flags, weights}, 1, {}),
               written_out = area_variance({twice, twice_flags, {}}, 1, {});
    CHECK(near(weighted.area, written_out.area, 1e-15) && near(weighted.by_positive, written_out.by_positive, 1e-15));
    CHECK(near(weighted.by_negative, written_out.by_negative, 1e-15));
}

TEST(one_class_alone_has_no_area) {
    const std::vector<double> scores{1, 2};
    const bool flags[]{true, true};
    CHECK(std::isnan(area_variance({scores, flags, {}}, 1, {}).area));
}

}  // namespace test_delong

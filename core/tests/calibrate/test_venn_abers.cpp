// The pair at each place is what the max-min formula of isotonic regression gives for the scores with the object among
// them.
#include "calibrate/venn_abers.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_venn_abers {
namespace {

// The regression's value at one of the scores: the greatest, over where a block begins, of the least mean, over where
// it ends.
double isotonic_at(const std::vector<double>& weight, const std::vector<double>& positive, std::size_t place) {
    double greatest = 0;
    for (std::size_t first = 0; first <= place; ++first) {
        double least = 1, w = 0, y = 0;
        for (std::size_t last = first; last < weight.size(); ++last) {
            w += weight[last];
            y += positive[last];
            if (last >= place) least = std::min(least, y / w);
        }
        greatest = std::max(greatest, least);
    }
    return greatest;
}

double with_object(std::vector<double> weight, std::vector<double> positive, std::size_t place, double label) {
    weight.insert(weight.begin() + static_cast<std::ptrdiff_t>(place), 1.0);
    positive.insert(positive.begin() + static_cast<std::ptrdiff_t>(place), label);
    return isotonic_at(weight, positive, place);
}

void check_all_places(const std::vector<double>& weight, const std::vector<double>& positive) {
    std::vector<double> if_negative(weight.size() + 1), if_positive(weight.size() + 1);
    venn_abers({weight, positive}, {if_negative, if_positive});
    for (std::size_t place = 0; place <= weight.size(); ++place) {
        CHECK(near(if_negative[place], with_object(weight, positive, place, 0.0), 1e-12));
        CHECK(near(if_positive[place], with_object(weight, positive, place, 1.0), 1e-12));
    }
}

}  // namespace

TEST(pairs_are_those_of_the_max_min_formula) {
    std::mt19937 random(3);
    for (std::size_t n = 1; n < 40; ++n) {
        std::vector<double> weight(n), positive(n);
        for (std::size_t i = 0; i < n; ++i) {
            weight[i] = 1 + static_cast<double>(random() % 4);
            positive[i] = std::min(weight[i], static_cast<double>(random() % 5));
        }
        check_all_places(weight, positive);
    }
}

TEST(weights_need_not_be_whole) {
    std::mt19937 random(4);
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<double> weight(60), positive(60);
    for (std::size_t i = 0; i < 60; ++i) {
        weight[i] = 0.05 + share(random);
        positive[i] = weight[i] * (random() % 3 == 0 ? share(random) : static_cast<double>(random() % 2));
    }
    check_all_places(weight, positive);
}

TEST(scores_of_one_class_leave_the_object_alone_or_pool_it) {
    const std::vector<double> weight{2, 1}, none{0, 0};
    std::vector<double> if_negative(3), if_positive(3);
    venn_abers({weight, none}, {if_negative, if_positive});
    CHECK(if_negative == (std::vector<double>{0, 0, 0}));
    CHECK(near(if_positive[0], 0.25, 1e-15) && near(if_positive[1], 0.5, 1e-15) && if_positive[2] == 1);
}

}  // namespace test_venn_abers

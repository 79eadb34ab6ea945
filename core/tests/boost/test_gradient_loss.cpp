// Gradients are the derivatives of the loss, and packed numbers are as near as their units.
#include "boost/gradient_loss.hpp"

#include <cmath>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_gradient_loss {
namespace {

double loss_at(std::vector<double> scores, std::size_t moved, double by, std::uint16_t label) {
    scores[moved] += by;
    return sum_of_losses(scores.data(), 1, scores.size() == 1 ? 2 : scores.size(), &label, nullptr, 1);
}

}  // namespace

TEST(gradients_are_differences_of_the_loss) {
    const double h = 1e-5;
    for (const double score : {-3.0, -0.2, 0.0, 1.7})
        for (const std::uint16_t label : {std::uint16_t{0}, std::uint16_t{1}}) {
            double gradient = 0, hessian = 0;
            logistic_gradients(&score, &label, 1, &gradient, &hessian);
            const double up = loss_at({score}, 0, h, label), down = loss_at({score}, 0, -h, label);
            CHECK(near(gradient, (up - down) / (2 * h), 1e-8));
            CHECK(near(hessian, (up + down - 2 * loss_at({score}, 0, 0, label)) / (h * h), 1e-4));
        }
}

TEST(gradients_of_many_classes_are_differences_of_the_loss) {
    const double h = 1e-5;
    const std::vector<double> scores{0.3, -1.2, 2.0, 0.0};
    for (std::uint16_t label = 0; label < 4; ++label)
        for (std::size_t k = 0; k < 4; ++k) {
            double sum = 0, gradient = 0, hessian = 0;
            log_sums(scores.data(), 1, 4, 1, &sum);
            softmax_gradients(&scores[k], &sum, &label, k, 4, 1, &gradient, &hessian);
            const double up = loss_at(scores, k, h, label), down = loss_at(scores, k, -h, label);
            CHECK(near(gradient, (up - down) / (2 * h), 1e-8));
            CHECK(near(hessian * 3 / 4, (up + down - 2 * loss_at(scores, k, 0, label)) / (h * h), 1e-4));
        }
}

TEST(probabilities_add_up_to_one_even_at_extreme_scores) {
    const std::vector<double> scores{900, 0, -900, 5, 5, 5};
    std::vector<double> proba(6);
    probabilities_of(scores.data(), 2, 3, 2, proba.data());  // score s of row i at 2 s + i
    CHECK(near(proba[0] + proba[1] + proba[2], 1) && near(proba[3] + proba[4] + proba[5], 1));
    probabilities_of(scores.data(), 1, 2, 1, proba.data());
    CHECK(proba[1] == 1 && proba[0] >= 0);
}

TEST(packed_gradients_are_rounded_to_their_units) {
    const std::vector<double> gradients{0.3, -0.7, 0.11}, hessians{0.21, 0.21, 0.1}, weights{1, 2, 3};
    const GradientUnits units = units_of(0.3 + 1.4 + 0.33, 0.21 + 0.42 + 0.3);
    std::vector<GradientSum> once(3), weighted(3);
    pack_gradients(gradients.data(), hessians.data(), nullptr, units, 3, once.data());
    pack_gradients(gradients.data(), hessians.data(), weights.data(), units, 3, weighted.data());
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(near(gradient_of(once[i]) * units.gradient, gradients[i], 1e-8));
        CHECK(near(hessian_of(once[i]) * units.hessian, hessians[i], 1e-8));
        CHECK(weighted[i] == static_cast<GradientSum>(weights[i]) * once[i]);
    }
}

}  // namespace test_gradient_loss

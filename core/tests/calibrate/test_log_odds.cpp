// Logarithms and log-odds of many probabilities, those of 0 and 1 among them.
#include "calibrate/log_odds.hpp"

#include <cmath>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_log_odds {

TEST(log_odds_of_zero_and_one_are_those_of_the_least_probability) {
    std::vector<double> proba{0, 1, 0.5}, out(3);
    write_logits(proba, 1e-12, out);
    CHECK(std::abs(out[0] + 27.631021115927) < 1e-9 && std::abs(out[1] - 27.631021115927) < 1e-3 && out[2] == 0);
    write_logs(proba, 1e-12, out);
    CHECK(std::abs(out[0] + 27.631021115927) < 1e-9 && out[1] == 0);
}

TEST(every_probability_of_a_long_array_is_mapped) {
    std::vector<double> proba, out(1000);
    for (int i = 0; i < 1000; ++i) proba.push_back((i + 0.5) / 1000);
    write_logits(proba, 1e-12, out);
    for (std::size_t i = 0; i < 1000; ++i) CHECK(std::abs(out[i] - std::log(proba[i] / (1 - proba[i]))) < 1e-14);
}

}  // namespace test_log_odds

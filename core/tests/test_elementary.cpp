// Elementary functions are those of the standard library to the last place, and exact where they should be.
#include "elementary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exp_log.hpp"
#include "harness.hpp"

using namespace calibrant;

namespace test_elementary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Within a number of units in the last place, where long double has enough digits to compare.
bool is_within(double ours, long double exact, double places = 1) {
    const auto rounded = static_cast<double>(exact);
    const double place = std::abs(std::nextafter(rounded, infinity) - rounded);
    return std::abs(static_cast<double>(static_cast<long double>(ours) - exact)) <= places * place;
}

}  // namespace

TEST(logarithms_are_exact_to_the_last_place) {
    for (double x = 1e-320; x < 1e300; x *= 1.0137) {
        CHECK(is_within(log_at(x), std::log(static_cast<long double>(x))));
        CHECK(is_within(log2_of(x), std::log2(static_cast<long double>(x))));
    }
    for (double x = 0.4; x < 2.6; x += 0.000137) {
        CHECK(is_within(log_at(x), std::log(static_cast<long double>(x))));
        CHECK(is_within(log2_of(x), std::log2(static_cast<long double>(x))));
    }
}

TEST(the_logarithm_of_a_normal_number_is_that_taken_by_the_dozen) {
    for (double x = 1e-300; x < 1e300; x *= 1.0137) CHECK(log_at(x) == log_of(x));
}

TEST(logarithms_to_base_two_of_its_powers_are_whole) {
    for (int k = -1074; k < 1024; ++k) CHECK(log2_of(std::ldexp(1.0, k)) == k);
}

TEST(logarithms_know_the_ends_of_their_range) {
    for (const auto log : {log_at, log2_of}) {
        CHECK(log(0) == -infinity && log(infinity) == infinity && std::isnan(log(-1)));
        CHECK(std::isnan(log(std::numeric_limits<double>::quiet_NaN())) && log(1) == 0);
    }
}

TEST(logarithms_of_one_and_more_keep_the_last_place) {
    for (double x = 1e-300; x < 1e300; x *= 1.0137)
        CHECK(is_within(log1p_of(x), std::log1p(static_cast<long double>(x))));
    CHECK(log1p_of(0) == 0 && log1p_of(infinity) == infinity);
}

TEST(exponentials_are_exact_to_the_last_place) {
    for (double x = -700; x < 709; x += 0.0137) CHECK(is_within(exp_of(x), std::exp(static_cast<long double>(x))));
    CHECK(exp_of(0) == 1 && exp_of(1e9) == infinity && exp_of(-1e9) == 0);
}

TEST(powers_of_shares_are_exact_to_the_last_place) {
    for (const double x : {0.001, 0.05, 0.1, 0.25, 0.5, 0.75, 0.999, 1.0}) {
        for (double y = 1e-9; y < 40; y *= 1.0137) {
            const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
            CHECK(is_within(power_of_share(x, y), exact,
                            exact > 1e-3L ? 1.0 : 1 - std::log(static_cast<double>(exact)) / 8));
        }
    }
    CHECK(power_of_share(0.25, 0.5) == 0.5 && power_of_share(0.25, 1) == 0.25 && power_of_share(0.3, 0) == 1);
}

TEST(the_gamma_function_is_exact_to_fourteen_digits) {
    for (double x = 0.001; x < 1e6; x *= 1.0137) {
        const double exact = std::lgamma(x);
        CHECK(std::abs(log_gamma(x) - exact) <= 2e-15 * std::max(10.0, std::abs(exact)));
    }
    for (int n = 1; n < 200; ++n) CHECK(std::abs(log_gamma(n) - std::lgamma(n)) <= 8e-16 * std::lgamma(n));
    CHECK(log_gamma(1) == 0 && log_gamma(2) == 0);
}

}  // namespace test_elementary

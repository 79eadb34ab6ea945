// Exponentials and logarithms are those of the standard library except for a few last digits.
#include "exp_log.hpp"

#include <cmath>

#include "harness.hpp"

using namespace calibrant;

namespace test_exp_log {
namespace {

bool is_close(double ours, double exact) { return std::abs(ours - exact) <= 1e-15 * std::abs(exact); }

}  // namespace

TEST(exponentials_are_exact_but_for_the_last_digits) {
    for (double x = 0; x < 707; x += 0.0137) CHECK(is_close(exp_minus(x), std::exp(-x)));
    for (const double x : {708.0, 1e3, 1e9, 1e308}) CHECK(exp_minus(x) > 0 && exp_minus(x) < 1e-307);
}

TEST(logarithms_are_exact_but_for_the_last_digits) {
    for (double x = 1e-12; x < 1e13; x *= 1.00137) CHECK(is_close(log_of(x), std::log(x)));
    for (const double x : {1.0, 1 + 1e-15, 1 - 1e-15, 0.5, 2.0}) CHECK(is_close(log_of(x), std::log(x)));
}

TEST(logarithms_of_one_and_more_keep_the_digits_of_the_more) {
    for (double x = 1; x > 1e-300; x *= 0.937) CHECK(is_close(log_one_plus(x), std::log1p(x)));
    CHECK(log_one_plus(0) == 0);
}

TEST(a_sign_is_a_number) { CHECK(is_not_negative(3) == 1 && is_not_negative(-3) == 0 && is_not_negative(0) == 1); }

}  // namespace test_exp_log

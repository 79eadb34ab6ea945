// The first of the best tests is kept, however many there are; twoing by hand.
#include "boost/stump_cuts.hpp"

#include "harness.hpp"
#include "tables.hpp"
#include "tree/grow/criteria.hpp"

using namespace calibrant;
using tables::near;

TEST(of_very_many_equal_tests_the_first_is_kept) {
    FirstBest best;
    for (std::uint32_t code = 100000; code-- > 0;) best.offer({.gain = 0.25, .code = code});
    CHECK(best.result().code == 0);
}

TEST(a_slightly_better_test_replaces_those_more_than_the_tolerance_below) {
    FirstBest best;
    best.offer({.gain = 0.25, .code = 1});
    best.offer({.gain = 0.25 + 0.8e-9, .code = 2});
    best.offer({.gain = 0.25 + 1.6e-9, .code = 3});
    CHECK(best.result().code == 2);  // the first of those within 1e-9 of the best
}

TEST(no_test_is_none) { CHECK(FirstBest().none()); }

TEST(twoing_is_the_textbooks) {
    const std::vector<double> known{4, 4, 2}, left{3, 1, 0}, right{1, 3, 2};
    const XLogX xlogx(0);
    Twoing twoing({known, 10}, xlogx);
    twoing.start();
    twoing.add(left, 4);
    twoing.add(right, 6);
    const double apart = (3. / 4 - 1. / 6) + (3. / 6 - 1. / 4) + 2. / 6;
    CHECK(near(twoing.gain(), .4 * .6 / 4 * apart * apart, 1e-12));
}

TEST(twoing_of_an_empty_side_is_nothing) {
    const std::vector<double> known{1, 1}, none{0, 0};
    const XLogX xlogx(0);
    Twoing twoing({known, 2}, xlogx);
    twoing.start();
    twoing.add(none, 0);
    CHECK(twoing.gain() == 0);
}

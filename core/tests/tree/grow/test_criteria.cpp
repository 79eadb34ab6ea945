#include "tree/grow/criteria.hpp"

#include <numeric>
#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_criteria {
namespace {

using Counts = std::vector<double>;

double weight_of(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

template <Criterion C>
double gain_of(const std::vector<Counts>& branches) {
    Counts all(branches[0].size());
    for (const Counts& branch : branches) {
        for (std::size_t k = 0; k < all.size(); ++k) all[k] += branch[k];
    }
    const XLogX xlogx(20);
    C criterion({all, weight_of(all)}, xlogx);
    criterion.start();
    for (const Counts& branch : branches) criterion.add(branch, weight_of(branch));
    return criterion.gain();
}

template <Criterion C>
void check_two_class_search_equals_the_general_one() {
    const XLogX xlogx(40);
    std::mt19937 random(5);
    for (int trial = 0; trial < 200; ++trial) {
        std::size_t n[4];
        for (auto& count : n) count = random() % 10;
        n[0] += 1;
        n[3] += 1;
        const Counts left{static_cast<double>(n[0]), static_cast<double>(n[1])},
            right{static_cast<double>(n[2]), static_cast<double>(n[3])};
        const Counts all{left[0] + right[0], left[1] + right[1]};
        C criterion({all, weight_of(all)}, xlogx);
        CHECK(near(two_class_gain(criterion, n[0], n[1], n[2], n[3]), gain_of<C>({left, right}), 1e-12));
        CHECK(near(two_class_gain(criterion, left[0], left[1], right[0], right[1]), gain_of<C>({left, right}), 1e-12));
        CHECK(near(quick_two_class_gain(criterion, left[0], left[1], right[0], right[1]), gain_of<C>({left, right}),
                   1e-9));
    }
}

template <Criterion C>
void check_removing_takes_back() {
    const Counts all{6, 4, 2}, a{3, 1, 0}, b{3, 3, 2}, c{1, 2, 0.5};
    const XLogX xlogx(20);
    C criterion({all, 12}, xlogx);
    criterion.start();
    criterion.add(a, 4);
    criterion.add(b, 8);
    const double before = criterion.gain();
    criterion.add(c, 3.5);
    criterion.remove(c, 3.5);
    CHECK(near(criterion.gain(), before, 1e-12));
}

}  // namespace

TEST(x_log_x_is_the_same_looked_up_and_computed) {
    const XLogX xlogx(10);
    CHECK(xlogx(0.0) == 0 && xlogx(1.0) == 0 && xlogx(std::size_t{8}) == 24 && xlogx(std::size_t{16}) == 64);
    CHECK(near(xlogx(8.0), 24) && near(xlogx(16.0), 64) && near(xlogx(0.5), -0.5));
}

TEST(quick_x_log_x_is_accurate_enough) {
    const XLogX xlogx(10);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> exponent(-40, 40);
    CHECK(xlogx.quick(0) == 0 && xlogx.quick(1) == 0 && xlogx.quick(1024) == 10240);
    for (int trial = 0; trial < 10'000; ++trial) {
        const double x = std::exp2(exponent(random));
        CHECK(near(xlogx.quick(x), xlogx(x), 1e-10 * x));
    }
}

TEST(entropy_of_golf_by_outlook_is_quinlans) {
    CHECK(near(gain_of<Entropy>({{2, 3}, {4, 0}, {3, 2}}), 0.940286 - 5.0 / 14 * 0.970951 * 2, 1e-6));
}

TEST(gains_of_a_pure_split_are_the_impurities_of_the_whole) {
    const std::vector<Counts> pure{{5, 0}, {0, 5}};
    CHECK(near(gain_of<Entropy>(pure), 1));
    CHECK(near(gain_of<Gini>(pure), 0.5));
    CHECK(near(gain_of<Dkm>(pure), 1));
    CHECK(near(gain_of<Hellinger>(pure), std::sqrt(2)));
}

TEST(dkm_is_twice_the_root_of_p_q) {
    CHECK(near(gain_of<Dkm>({{1, 0}, {0, 3}}), 2 * std::sqrt(0.25 * 0.75)));
    CHECK(near(gain_of<Dkm>({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 1));
}

TEST(gini_by_hand) { CHECK(near(gain_of<Gini>({{3, 1}, {1, 3}}), 0.5 - 0.375)); }

TEST(hellinger_compares_shares_and_not_sizes) {
    const double by_hand = std::sqrt(std::pow(std::sqrt(0.75) - std::sqrt(0.25), 2) * 2);
    CHECK(near(gain_of<Hellinger>({{3, 1}, {1, 3}}), by_hand));
    CHECK(near(gain_of<Hellinger>({{300, 1}, {100, 3}}), by_hand));
}

TEST(a_split_that_splits_nothing_gains_nothing) {
    const std::vector<Counts> idle{{2, 4, 6}, {1, 2, 3}};
    CHECK(near(gain_of<Entropy>(idle), 0, 1e-12));
    CHECK(near(gain_of<Gini>(idle), 0, 1e-12));
    CHECK(near(gain_of<Dkm>(idle), 0, 1e-12));
    CHECK(gain_of<Hellinger>(idle) == 0);
}

TEST(one_class_has_no_gain) {
    CHECK(gain_of<Entropy>({{2}, {3}}) == 0);
    CHECK(gain_of<Gini>({{2}, {3}}) == 0);
    CHECK(gain_of<Dkm>({{2}, {3}}) == 0);
    CHECK(gain_of<Hellinger>({{2}, {3}}) == 0);
}

TEST(two_class_search_equals_the_general_one) {
    check_two_class_search_equals_the_general_one<Entropy>();
    check_two_class_search_equals_the_general_one<Gini>();
    check_two_class_search_equals_the_general_one<Dkm>();
    check_two_class_search_equals_the_general_one<Hellinger>();
}

TEST(a_branch_can_be_removed) {
    check_removing_takes_back<Entropy>();
    check_removing_takes_back<Gini>();
    check_removing_takes_back<Dkm>();
    check_removing_takes_back<Hellinger>();
}

TEST(rounding_noise_is_nothing_left_over) {
    CHECK(left_over(1, 0.1 + 0.2 + 0.7) == 0);
    CHECK(left_over(0.6, 0.1 + 0.2 + 0.3) == 0);
    CHECK(near(left_over(3, 1), 2));
}

}  // namespace test_criteria

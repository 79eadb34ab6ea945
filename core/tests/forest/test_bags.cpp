#include "forest/bags.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "forest/keyed_permutation.hpp"
#include "forest/multinomial.hpp"
#include "harness.hpp"

using namespace calibrant;

namespace test_bags {
namespace {

using Counts = std::vector<std::uint16_t>;

Counts count(const Bags& bags, std::size_t tree, std::size_t first, std::size_t last) {
    Counts counts(last - first);
    bags.count(tree, first, counts);
    return counts;
}

Counts count(const Bags& bags, std::size_t tree) { return count(bags, tree, 0, bags.n_rows()); }

std::size_t total(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::size_t{0}); }

Counts some(const Counts& counts, std::size_t first, std::size_t last) {
    return {counts.begin() + static_cast<std::ptrdiff_t>(first), counts.begin() + static_cast<std::ptrdiff_t>(last)};
}

BagSampling rows(BagKind kind, std::uint64_t seed, std::size_t n, std::size_t first = 0) {
    return {kind, seed, {n}, {first}, n / 3 + 1, {}, {}};
}

// The distance of counts from what is expected, as a standard normal number (Wilson & Hilferty 1931).
double chi_square(const std::vector<double>& observed, const std::vector<double>& expected) {
    double sum = 0;
    for (std::size_t i = 0; i < observed.size(); ++i)
        sum += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
    const auto n = static_cast<double>(observed.size() - 1);
    return (std::cbrt(sum / n) - (1 - 2 / (9 * n))) / std::sqrt(2 / (9 * n));
}

std::vector<std::uint16_t> labels_of(std::size_t n) {
    std::vector<std::uint16_t> labels(n);
    for (std::size_t i = 0; i < n; ++i) labels[i] = i % 7 == 0 ? 2 : i % 3 == 0;
    return labels;
}

std::vector<std::uint64_t> count_classes(std::span<const std::uint16_t> labels) {
    std::vector<std::uint64_t> counts(3);
    for (const auto label : labels) ++counts[label];
    return counts;
}

}  // namespace

TEST(a_bootstrap_bag_has_as_many_draws_as_units) {
    for (const std::size_t n : {1U, 2U, 3U, 255U, 256U, 257U, 4095U, 4096U, 4097U, 10000U, 70001U}) {
        const Bags bags(rows(BagKind::bootstrap, 1, n), n);
        for (std::size_t tree = 0; tree < 5; ++tree) CHECK(total(count(bags, tree)) == n);
    }
}

TEST(a_subsample_has_as_many_rows_as_requested_each_once) {
    for (const std::size_t n : {1U, 2U, 3U, 256U, 4096U, 4097U, 70001U}) {
        const Bags bags(rows(BagKind::subsample, 1, n), n);
        for (std::size_t tree = 0; tree < 5; ++tree) {
            const Counts counts = count(bags, tree);
            CHECK(total(counts) == n / 3 + 1);
            CHECK(*std::max_element(counts.begin(), counts.end()) == 1);
        }
    }
}

TEST(a_range_of_rows_is_that_range_of_all) {
    for (const BagKind kind : {BagKind::once, BagKind::bootstrap, BagKind::subsample}) {
        for (const std::size_t n : {300U, 20000U}) {
            const Bags bags(rows(kind, 5, n), n);
            const Counts all = count(bags, 3);
            for (const auto& [first, last] :
                 {std::pair{0U, 10U}, {17U, 299U}, {n - 1, n}, {n / 2, n / 2}, {n / 3, n}}) {
                CHECK(count(bags, 3, first, last) == some(all, first, last));
                const Bags part(rows(kind, 5, n, first), last - first);  // whoever holds these rows alone
                CHECK(count(part, 3) == some(all, first, last));
            }
        }
    }
}

TEST(rows_of_a_class_are_drawn_by_their_number_in_it) {
    constexpr std::size_t n = 30000, first = 11111, last = 25000;
    const auto labels = labels_of(n);
    const std::span<const std::uint16_t> all_labels(labels), own = all_labels.subspan(first, last - first);
    const auto n_units = count_classes(labels), before = count_classes(all_labels.first(first));
    const Bags bags({BagKind::bootstrap, 9, n_units, {}, 0, labels, {}}, n);
    const Bags part({BagKind::bootstrap, 9, n_units, before, 0, own, {}}, own.size());
    const Counts all = count(bags, 4);
    std::vector<std::uint64_t> drawn(3);
    for (std::size_t row = 0; row < n; ++row) drawn[labels[row]] += all[row];
    CHECK(drawn == n_units);
    CHECK(count(part, 4) == some(all, first, last));
    CHECK(count(part, 4, 5000, 9000) == some(all, first + 5000, first + 9000));
    CHECK(count(bags, 4, 8191, 8193) == some(all, 8191, 8193));
}

TEST(rows_of_a_group_are_drawn_together) {
    constexpr std::size_t n = 9000, n_groups = 500;
    std::vector<std::int64_t> groups(n);
    for (std::size_t row = 0; row < n; ++row) groups[row] = static_cast<std::int64_t>(row * 7919 % n_groups);
    const Bags groupwise({BagKind::bootstrap, 2, {n_groups}, {}, 0, {}, groups}, n),
        one(rows(BagKind::bootstrap, 2, n_groups), n_groups);
    const Counts drawn = count(one, 1), all = count(groupwise, 1);
    for (std::size_t row = 0; row < n; ++row) CHECK(all[row] == drawn[static_cast<std::size_t>(groups[row])]);
    CHECK(count(groupwise, 1, 100, 5000) == some(all, 100, 5000));
}

TEST(trees_and_seeds_have_bags_of_their_own) {
    constexpr std::size_t n = 600;
    for (const BagKind kind : {BagKind::bootstrap, BagKind::subsample}) {
        std::set<Counts> different;
        for (const std::uint64_t seed : {0U, 1U, 2U}) {
            const Bags bags(rows(kind, seed, n), n), again(rows(kind, seed, n), n);
            for (std::size_t tree = 0; tree < 10; ++tree) different.insert(count(bags, tree));
            CHECK(count(bags, 7) == count(again, 7));
        }
        CHECK(different.size() == 30);
    }
}

// Out of all counts of 4 draws from 4 units, as often as their multinomial coefficient says.
TEST(small_bags_are_multinomial) {
    constexpr std::size_t n = 4, n_trees = 25600;
    const Bags bags(rows(BagKind::bootstrap, 11, n), n);
    std::map<Counts, double> found;
    for (std::size_t tree = 0; tree < n_trees; ++tree) ++found[count(bags, tree)];
    CHECK(found.size() == 35);
    std::vector<double> observed, expected;
    for (const auto& [counts, times] : found) {
        double ways = 24;
        for (const std::uint16_t each : counts) ways /= std::tgamma(each + 1.0);
        observed.push_back(times);
        expected.push_back(n_trees * ways / 256);
    }
    CHECK(std::abs(chi_square(observed, expected)) < 4);
}

// The counts of units have the binomial distribution, in total and on both sides of the splits of a range.
TEST(units_of_large_bags_are_equally_likely) {
    constexpr std::size_t n = 9001, n_trees = 400;
    const Bags bags(rows(BagKind::bootstrap, 3, n), n);
    std::vector<double> by_unit(n), by_count(7);
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
        const Counts counts = count(bags, tree);
        for (std::size_t unit = 0; unit < n; ++unit) {
            by_unit[unit] += counts[unit];
            ++by_count[std::min<std::size_t>(counts[unit], 6)];
        }
    }
    CHECK(std::abs(chi_square(by_unit, std::vector<double>(n, n_trees))) < 4);
    double chance = std::pow(1 - 1.0 / n, static_cast<double>(n)), left = 1;
    std::vector<double> expected;
    for (std::size_t k = 0; k < 6; ++k) {
        expected.push_back(n * n_trees * chance);
        left -= chance;
        chance *= static_cast<double>(n - k) / static_cast<double>((k + 1) * (n - 1));
    }
    expected.push_back(n * n_trees * left);
    CHECK(std::abs(chi_square(by_count, expected)) < 4);
}

// Of n draws, those of a part of the units vary as Binomial(n, p), whatever p.
TEST(parts_of_a_range_have_binomial_draws) {
    constexpr std::uint64_t n = 1000, numerator = 512, denominator = 777;
    constexpr std::size_t times = 20000;
    const double p = static_cast<double>(numerator) / denominator, variance = n * p * (1 - p);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < times; ++i) {
        const double x = static_cast<double>(draw_binomial(17, i, n, numerator, denominator)) - n * p;
        sum += x;
        squares += x * x;
    }
    CHECK(std::abs(sum / times) < 4 * std::sqrt(variance / times));
    CHECK(std::abs(squares / times / variance - 1) < 4 * std::sqrt(2.0 / times));
    CHECK(draw_binomial(17, 0, 0, 1, 3) == 0);
}

TEST(a_keyed_permutation_is_a_bijection) {
    for (const std::uint64_t n : {1U, 2U, 5U, 4096U, 4097U, 10007U, 65536U, 100000U}) {
        for (const std::uint64_t key : {1U, 2U}) {
            std::vector<std::uint32_t> values(n), expected(n);
            std::iota(values.begin(), values.end(), 0U);
            std::iota(expected.begin(), expected.end(), 0U);
            KeyedPermutation(key, n).map(values, values);
            if (n > 5) CHECK(values != expected);
            std::sort(values.begin(), values.end());
            CHECK(values == expected);
        }
    }
}

// Rows are in a subsample equally often, and so are pairs of neighbors and of rows far apart.
TEST(rows_and_pairs_of_a_subsample_are_equally_likely) {
    for (const std::size_t n : {12U, 5000U}) {
        const std::size_t n_trees = n == 12 ? 20000 : 1500;
        BagSampling half = rows(BagKind::subsample, 23, n);
        half.n_drawn = n / 2;
        const Bags bags(half, n);
        std::vector<double> by_row(n), next(n), far(n);
        for (std::size_t tree = 0; tree < n_trees; ++tree) {
            const Counts counts = count(bags, tree);
            for (std::size_t row = 0; row < n; ++row) {
                by_row[row] += counts[row];
                next[row] += counts[row] * counts[(row + 1) % n];
                far[row] += counts[row] * counts[(row + n / 2 - 1) % n];
            }
        }
        const double p = 0.5, pair = p * (static_cast<double>(n) / 2 - 1) / (static_cast<double>(n) - 1),
                     m = static_cast<double>(n_trees);
        // counts of a row vary by p (1 - p), less than a Poisson number
        const auto worst = [&](const std::vector<double>& sums, double chance) {
            double most = 0;
            for (const double sum : sums)
                most = std::max(most, std::abs(sum - m * chance) / std::sqrt(m * chance * (1 - chance)));
            return most;
        };
        CHECK(worst(by_row, p) < 5);
        CHECK(worst(next, pair) < 5);
        CHECK(worst(far, pair) < 5);
        double squares = 0;
        for (const double sum : by_row) squares += (sum - m * p) * (sum - m * p) / (m * p * (1 - p));
        CHECK(std::abs(squares / (static_cast<double>(n) - 1) - 1) < 4 * std::sqrt(2.0 / (static_cast<double>(n) - 1)));
    }
}

TEST(bags_drawn_elsewhere_are_copied) {
    const Counts drawn{1, 0, 2, 0, 3, 0};
    const Bags bags(drawn, 3);
    CHECK(count(bags, 1) == (Counts{0, 3, 0}));
    CHECK(count(bags, 0, 1, 3) == (Counts{0, 2}));
    bags.check(2, 3);
    CHECK_THROWS(bags.check(3, 3), std::invalid_argument);
    CHECK_THROWS(bags.check(2, 4), std::invalid_argument);
}

TEST(rows_without_a_unit_throw) {
    const std::vector<std::uint16_t> labels{0, 1, 1};
    const std::vector<std::int64_t> groups{0, 1, 2};
    CHECK_THROWS(Bags(rows(BagKind::bootstrap, 0, 5, 3), 3), std::invalid_argument);
    CHECK_THROWS(Bags({BagKind::bootstrap, 0, {1, 1}, {}, 0, labels, {}}, 3), std::invalid_argument);
    CHECK_THROWS(Bags({BagKind::bootstrap, 0, {3}, {}, 0, labels, {}}, 3), std::invalid_argument);
    CHECK_THROWS(Bags({BagKind::bootstrap, 0, {2}, {}, 0, {}, groups}, 3), std::invalid_argument);
}

TEST(a_part_without_rows_has_nothing_to_count) {
    CHECK(Bags({BagKind::bootstrap, 0, {3, 4}, {3, 4}, 0, {}, {}}, 0).of(2).empty());
    CHECK(Bags(rows(BagKind::subsample, 0, 5, 5), 0).of(2).empty());
}

}  // namespace test_bags

// Cuts of a column for boosted stumps: buckets of its values, gains kept up to date row by row, the first of the best.
#include "boost/stump_cuts.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_stump_cuts {
namespace {

template <Criterion C>
void check_against_the_whole(std::size_t n_classes) {
    std::mt19937 random(static_cast<std::uint32_t>(n_classes));
    std::uniform_real_distribution<double> weight(0, 2);
    std::vector<std::pair<std::size_t, double>> rows(5000);
    std::vector<double> known(n_classes);
    for (auto& row : rows) {
        row = {random() % n_classes, weight(random)};
        known[row.first] += row.second;
    }
    double whole = 0;
    for (const double n : known) whole += n;
    const XLogX xlogx(0);
    RunningGain<C> running({known, whole}, xlogx);
    C criterion({known, whole}, xlogx);
    for (const auto& [label, moved] : rows) {
        running.move(label, moved);
        std::vector<double> right(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) right[k] = left_over(known[k], running.left()[k]);
        criterion.start();
        criterion.add(running.left(), running.low());
        criterion.add(right, left_over(whole, running.low()));
        CHECK(near(running.quick(), criterion.gain(), 1e-8));
    }
}

CodedColumn coded(const std::vector<double>& values) {
    Scratch scratch;
    return code_numeric<double>({values.data(), values.size(), 1}, scratch, {});
}

}  // namespace

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

TEST(every_cut_gains_what_it_gains_computed_alone) {
    for (const std::size_t n_classes : {std::size_t{2}, std::size_t{3}, std::size_t{9}}) {
        check_against_the_whole<Entropy>(n_classes);
        check_against_the_whole<Gini>(n_classes);
        check_against_the_whole<Dkm>(n_classes);
    }
}

TEST(columns_of_few_values_and_of_categories_are_counted_as_they_are) {
    CHECK(StumpBuckets::of(coded({3, 1, 2})).empty());
    const std::vector<std::int32_t> categories(5000, 0);
    CHECK(StumpBuckets::of(code_nominal({categories.data(), categories.size(), 1}, 4000, {})).empty());
}

TEST(every_row_with_a_value_is_in_order_once_and_in_the_bucket_of_its_value) {
    std::vector<double> values;
    for (int i = 0; i < 20000; ++i)
        values.push_back(i % 10 == 0 ? tables::missing : i % 3 == 0 ? 7 : (i * 7919) % 5000);
    const CodedColumn column = coded(values);
    const StumpBuckets buckets = StumpBuckets::of(column);
    CHECK(buckets.order.size() == 18000 && buckets.n_values() == column.n_values);
    CHECK(std::is_sorted(buckets.order.begin(), buckets.order.end(),
                         [&](auto a, auto b) { return values[a] < values[b]; }));
    for (std::size_t bucket = 0; bucket < buckets.n_buckets(); ++bucket) {
        CHECK(buckets.first_value[bucket] < buckets.first_value[bucket + 1]);
        for (std::size_t value = buckets.first_value[bucket]; value < buckets.first_value[bucket + 1]; ++value) {
            for (const std::uint32_t row : buckets.rows_of(value))
                CHECK(buckets.of_row[row] == bucket && values[row] == column.values[value]);
        }
    }
    CHECK(buckets.of_row[0] == buckets.n_buckets());  // a missing
}

TEST(buckets_are_at_most_a_thousand_and_some) {
    std::vector<double> values;
    for (int i = 0; i < 300000; ++i) values.push_back(i);
    CHECK(StumpBuckets::of(coded(values)).n_buckets() <= 1024);
}

}  // namespace test_stump_cuts

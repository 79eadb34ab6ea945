#include "tree/grow/node_rules.hpp"

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;

namespace test_node_rules {
namespace {

CodedTable three_columns() {
    tables::Problem problem{};
    problem.add({1, 2});
    problem.add({1, 2});
    problem.add({0, 1}, 50);
    return CodedTable(2, problem.columns);
}

FoundTest test(double gain, double info) { return {.usable = true, .gain = gain, .info = info}; }

std::size_t chosen(const std::vector<FoundTest>& tests, const GrowOptions& options = {}, double n_cases = 1000,
                   std::uint64_t random = 0) {
    const CodedTable table = three_columns();
    const std::size_t columns[] = {0, 1, 2};
    return SplitChoice(table, options, 1e-7, n_cases).choose(tests, columns, random);
}

}  // namespace

TEST(the_best_ratio_of_at_least_average_gain_is_chosen) {
    CHECK(chosen({test(0.5, 1.0), test(0.4, 0.5), {}}) == 0);  // the average is 0.45
    CHECK(chosen({test(0.5, 1.0), test(0.46, 0.5), test(0.1, 0.01)}) == 1);
}

TEST(the_gain_is_chosen_where_no_ratio_is_wanted) {
    CHECK(chosen({test(0.5, 1.0), test(0.46, 0.5), {}}, {.ratio = false}) == 0);
}

TEST(the_first_of_equals_is_chosen) { CHECK(chosen({{}, test(0.5, 1.0), test(0.5 + 1e-9, 1.0)}) == 1); }

TEST(nothing_usable_is_past_the_last) {
    CHECK(chosen({{}, {}, {}}) == 3);
    CHECK(chosen({{}, test(0.5, 1e-4), {}}) == 3);
}

TEST(a_gain_of_nothing_is_accepted_or_not) {
    CHECK(chosen({{}, test(0, 1), {}}) == 1);
    CHECK(chosen({{}, test(0, 1), {}}, {.accept_zero_gain = false}) == 3);
}

TEST(a_nominal_column_of_very_many_values_is_left_out_of_the_average) {
    const std::vector<FoundTest> tests{test(0.3, 1.0), test(0.31, 1.0), test(0.9, 5.0)};
    CHECK(chosen(tests, {}, 100) == 1);
    CHECK(chosen(tests, {}, 1000) == 2);
}

TEST(random_ties_take_any_of_the_equals) {
    const std::vector<FoundTest> tests{test(0.5, 1.0), test(0.5, 1.0), test(0.499, 1.0)};
    const GrowOptions options{.random_ties = true};
    CHECK(chosen(tests, options, 1000, 0) == 0);
    CHECK(chosen(tests, options, 1000, 1) == 1);
    CHECK(chosen(tests, options, 1000, 2) == 0);
}

}  // namespace test_node_rules

#include "table/take_rows.hpp"

#include <limits>
#include <random>
#include <stdexcept>

#include "harness.hpp"

using namespace calibrant;

namespace test_take_rows {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

CodedTable coded(const std::vector<double>& numbers, const std::vector<std::int32_t>& categories,
                 std::size_t n_categories) {
    const std::size_t n = numbers.size();
    return CodedTable::code(
        n, {StridedView<double>{numbers.data(), n, 1}, NominalSource{{categories.data(), n, 1}, n_categories}}, 1, {});
}

bool same(const CodedColumn& a, const CodedColumn& b) {
    return a.kind == b.kind && a.codes == b.codes && a.values == b.values && a.n_values == b.n_values &&
           a.n_missing == b.n_missing;
}

StridedView<std::int64_t> all_of(const std::vector<std::int64_t>& rows) { return {rows.data(), rows.size(), 1}; }

}  // namespace

TEST(taken_rows_are_coded_as_if_there_were_no_others) {
    const auto table = coded({3.5, missing, -1, 3.5, 7}, {2, 0, -1, 2, 1}, 3);
    const std::vector<std::int64_t> rows{4, 0, 1, 0};
    const auto taken = take_rows(table, all_of(rows), {true, true}, 1, {});
    const auto alone = coded({7, 3.5, missing, 3.5}, {1, 2, 0, 2}, 3);
    CHECK(same(taken.table.column(0), alone.column(0)));
    CHECK(same(taken.table.column(1), alone.column(1)));
    CHECK(taken.categories[0].empty() && taken.categories[1] == std::vector<std::uint32_t>({0, 1, 2}));
}

TEST(collected_categories_that_do_not_occur_are_dropped) {
    const auto table = coded({1, 2, 3}, {2, 0, -1}, 3);
    const std::vector<std::int64_t> rows{0, 2};
    const auto collected = take_rows(table, all_of(rows), {false, true}, 1, {});
    CHECK(collected.table.column(1).n_values == 1 && collected.table.column(1).n_missing == 1);
    CHECK(collected.categories[1] == std::vector<std::uint32_t>{2});
    const auto declared = take_rows(table, all_of(rows), {false, false}, 1, {});
    CHECK(declared.table.column(1).n_values == 3 && declared.categories[1].empty());
    CHECK((declared.table.column(1).codes == Codes{std::vector<std::uint16_t>{2, 65535}}));
}

TEST(few_values_of_a_wide_column_take_narrow_codes) {
    const std::size_t n = 70000;
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = 0.5 * static_cast<double>(n - i);
    const auto table = CodedTable::code(n, {StridedView<double>{values.data(), n, 1}}, 1, {});
    const std::vector<std::int64_t> rows{0, 69999, 12};
    const auto taken = take_rows(table, all_of(rows), {true}, 1, {});
    CHECK((taken.table.column(0).codes == Codes{std::vector<std::uint16_t>{2, 0, 1}}));
    CHECK(taken.table.column(0).values == std::vector<double>({0.5, 34994, 35000}));
}

TEST(any_number_of_threads_takes_the_same_rows) {
    std::mt19937 random(5);
    std::vector<double> values(4000);
    for (auto& value : values) value = static_cast<double>(random() % 900) / 7;
    const std::vector<ColumnSource> sources(9, StridedView<double>{values.data(), values.size(), 1});
    const auto table = CodedTable::code(4000, sources, 1, {});
    std::vector<std::int64_t> rows(3000);
    for (auto& row : rows) row = static_cast<std::int64_t>(random() % 4000);
    const std::vector<bool> collected(9, true);
    const auto one = take_rows(table, all_of(rows), collected, 1, {});
    const auto four = take_rows(table, all_of(rows), collected, 4, {});
    for (std::size_t j = 0; j < 9; ++j) CHECK(same(one.table.column(j), four.table.column(j)));
}

TEST(rows_beyond_the_table_throw) {
    const auto table = coded({1, 2}, {0, 0}, 1);
    for (const std::int64_t row : {std::int64_t{2}, std::int64_t{-1}}) {
        const std::vector<std::int64_t> rows{0, row};
        CHECK_THROWS(take_rows(table, all_of(rows), {true, true}, 1, {}), std::out_of_range);
    }
    const std::vector<std::int64_t> rows{0};
    CHECK_THROWS(take_rows(table, all_of(rows), {true}, 1, {}), std::invalid_argument);
}

}  // namespace test_take_rows

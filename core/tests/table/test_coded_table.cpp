#include "table/coded_table.hpp"

#include <cmath>
#include <random>
#include <stdexcept>

#include "harness.hpp"
#include "parallel.hpp"

using namespace calibrant;

namespace test_coded_table {
namespace {

bool same(const CodedTable& a, const CodedTable& b) {
    if (a.n_columns() != b.n_columns()) return false;
    for (std::size_t i = 0; i < a.n_columns(); ++i) {
        if (a.column(i).codes != b.column(i).codes || a.column(i).values != b.column(i).values) return false;
    }
    return true;
}

}  // namespace

TEST(any_number_of_threads_gives_the_same_bits) {
    std::mt19937 random(3);
    std::vector<std::vector<double>> columns(17, std::vector<double>(5000));
    std::vector<ColumnSource> sources;
    for (auto& column : columns) {
        for (auto& value : column) value = static_cast<double>(random() % 2000) / 7;
        sources.emplace_back(StridedView<double>{column.data(), column.size(), 1});
    }
    const auto one = CodedTable::code(5000, sources, 1, {});
    for (const std::size_t n_threads : {2, 5, 32}) CHECK(same(one, CodedTable::code(5000, sources, n_threads, {})));
}

TEST(columns_coded_when_asked_for_are_those_coded_at_once) {
    constexpr std::size_t n_rows = 200, n_columns = 30;
    std::mt19937 random(5);
    std::vector<double> matrix(n_rows * n_columns);
    std::vector<ColumnSource> sources;
    for (std::size_t j = 0; j < n_columns; ++j) {
        double* const column = matrix.data() + j * n_rows;
        for (std::size_t i = 0; i < n_rows; ++i) column[i] = static_cast<double>(random() % (j % 3 == 0 ? 9 : 900)) / 7;
        if (j % 3 == 1) column[n_rows - 1] = std::nan("");
        sources.emplace_back(StridedView<double>{column, n_rows, 1});
    }
    const auto later = CodedTable::code_when_asked(n_rows, matrix, 64, 3, {});
    for (std::size_t j = 0; j < n_columns; ++j) CHECK(later.uncoded(j).empty() == (j % 3 != 2));
    std::vector<const CodedColumn*> seen(2 * n_columns);
    parallel_for(2 * n_columns, 4, {}, [&](std::size_t i, std::size_t) { seen[i] = &later.column(i % n_columns); });
    CHECK(same(later, CodedTable::code(n_rows, sources, 1, {})));
}

TEST(columns_of_all_types_form_a_table) {
    const std::vector<float> single{1, 2};
    const std::vector<double> wide{0.1, 0.2};
    const std::vector<std::int32_t> nominal{1, 0};
    const auto table =
        CodedTable::code(2,
                         {StridedView<float>{single.data(), 2, 1}, StridedView<double>{wide.data(), 2, 1},
                          NominalSource{{nominal.data(), 2, 1}, 2}},
                         2, {});
    CHECK(table.n_columns() == 3 && table.n_rows() == 2);
    CHECK(table.column(2).kind == Kind::nominal && table.column(0).kind == Kind::numeric);
    CHECK(table.n_bytes() == 3 * 2 * 2 + 4 * 8);
}

TEST(columns_of_other_lengths_throw) {
    const std::vector<float> column{1, 2};
    CHECK_THROWS(CodedTable::code(3, {StridedView<float>{column.data(), 2, 1}}, 1, {}), std::invalid_argument);
}

TEST(restored_columns_are_checked) {
    CodedColumn column{.codes = std::vector<std::uint16_t>{0, 5}, .values = {1.0}, .n_values = 1};
    CHECK_THROWS(CodedTable(2, {column}), std::invalid_argument);
    column.codes = std::vector<std::uint16_t>{0, 65535};
    CHECK(CodedTable(2, {column}).n_rows() == 2);
    column.values.push_back(2.0);
    CHECK_THROWS(CodedTable(2, {column}), std::invalid_argument);
    column.n_values = 2;
    CHECK(CodedTable(2, {column}).n_columns() == 1);
    column.values = {2.0, 1.0};
    CHECK_THROWS(CodedTable(2, {column}), std::invalid_argument);
    CHECK_THROWS(CodedTable(7, {}).column(0), std::out_of_range);
}

}  // namespace test_coded_table

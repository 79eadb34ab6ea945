#include "tree/grow/row_cells.hpp"

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::missing;

namespace test_row_cells {
namespace {

constexpr Keys keys{.class_bits = 1};

}  // namespace

TEST(keys_hold_code_and_class_row_by_row_with_missing_values_last) {
    tables::Problem problem{.labels = {0, 1, 1}};
    problem.add(std::vector<double>{9, 9, 9});
    problem.add(std::vector<double>{5, missing, 3});
    problem.add(std::vector<double>{1, 2, 2.000001});
    const CodedTable table(3, problem.columns);
    const RowKeys row_keys(table, problem.labels, {1, 2}, keys, value_gaps_of(table, 1e-5), 2, {});
    CHECK(row_keys.n_columns() == 2 && row_keys.column(0) == 1 && row_keys.column(1) == 2);
    CHECK(keys.code(row_keys.row(0)[0]) == 1 && keys.label(row_keys.row(0)[0]) == 0);
    CHECK(keys.code(row_keys.row(1)[0]) == 2 && keys.label(row_keys.row(1)[0]) == 1);
    CHECK(row_keys.row(1)[1] == keys.key(1, 1, true) && row_keys.row(2)[1] == keys.key(2, 1, false));
}

TEST(cells_hold_the_codes_of_columns_of_few_values) {
    tables::Problem problem{.labels = std::vector<std::uint16_t>(100)};
    std::vector<double> many(100), few(100);
    for (std::size_t i = 0; i < 100; ++i)
        many[i] = static_cast<double>(i), few[i] = i == 7 ? missing : static_cast<double>(i % 3);
    problem.add(many);
    problem.add(few);
    problem.add(std::vector<std::int32_t>(100, 0), 1);
    const CodedTable table(100, problem.columns);
    const RowCells cells(table, 2, {});
    CHECK(cells.n_columns() == 1 && !cells.has(0) && cells.has(1) && !cells.has(2));
    CHECK(cells.data()[5] == 2 && cells.data()[6] == 0 && cells.data()[7] == 3);
}

}  // namespace test_row_cells

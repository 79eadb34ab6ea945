#include "tree/grow/value_order.hpp"

#include <algorithm>
#include <random>

#include "harness.hpp"

using namespace calibrant;

namespace test_value_order {

TEST(values_come_in_ascending_order_and_equal_ones_in_that_of_their_rows) {
    std::mt19937 random(7);
    ValueOrder order;
    for (const std::size_t n : {0, 1, 2, 9, 127, 128, 129, 300, 1500}) {
        std::vector<double> column(2 * n + 1);
        for (double& value : column)
            value = (static_cast<double>(random() % 101) - 50) * (random() % 3 == 0 ? 1e-9 : 1e9);
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < n; ++i) rows.push_back(static_cast<std::uint32_t>(2 * i + random() % 2));
        auto expected = rows;
        std::ranges::stable_sort(expected, {}, [&](std::uint32_t row) { return column[row]; });
        const auto sorted = order.of(column, rows);
        CHECK(std::ranges::equal(sorted, expected, {}, &RowValue::row));
        CHECK(std::ranges::all_of(sorted, [&](const RowValue& each) { return each.value == column[each.row]; }));
    }
}

}  // namespace test_value_order

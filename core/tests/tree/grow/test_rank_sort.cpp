#include "tree/grow/rank_sort.hpp"

#include <algorithm>
#include <random>

#include "harness.hpp"

using namespace calibrant;

namespace test_rank_sort {

TEST(some_rows_come_in_the_order_of_the_column) {
    std::mt19937 random(11);
    RankSort rank_sort;
    for (const std::size_t n_rows : {std::size_t{5}, std::size_t{64}, std::size_t{1000}, RankSort::most}) {
        std::vector<std::uint32_t> order(n_rows);
        for (std::uint32_t row = 0; row < n_rows; ++row) order[row] = row;
        std::shuffle(order.begin(), order.end(), random);
        std::vector<SortedRow> column;
        std::vector<std::uint16_t> ranks(2 * n_rows);  // those of another column lie between them
        for (std::uint32_t rank = 0; rank < n_rows; ++rank) {
            column.push_back({order[rank], rank / 3});
            ranks[2 * order[rank] + 1] = static_cast<std::uint16_t>(rank);
        }
        for (const std::size_t one_in : {1, 2, 30, 500}) {
            std::vector<std::uint32_t> rows, expected;
            for (std::uint32_t row = 0; row < n_rows; ++row) {
                if (random() % one_in == 0) rows.push_back(row);
            }
            for (const SortedRow& row : column) {
                if (std::ranges::binary_search(rows, row.row)) expected.push_back(row.row);
            }
            const auto sorted = rank_sort.sort(rows, {ranks.data() + 1, 2}, column);
            CHECK(std::ranges::equal(sorted, expected, {}, &SortedRow::row));
            CHECK(std::ranges::is_sorted(sorted, {}, &SortedRow::key));
        }
    }
}

}  // namespace test_rank_sort

#include "table/find_cells.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "harness.hpp"

using namespace calibrant;

TEST(cells_are_the_number_of_lesser_edges) {
    std::mt19937 random(7);
    std::vector<double> values(3001);
    for (auto& value : values) value = static_cast<double>(random() % 500) / 3;
    values[5] = std::numeric_limits<double>::quiet_NaN();
    values[6] = std::numeric_limits<double>::infinity();
    values[7] = -values[6];
    for (const std::size_t n_edges : {0, 1, 2, 3, 7, 8, 200}) {
        std::vector<double> edges(values.begin() + 10, values.begin() + 10 + static_cast<std::ptrdiff_t>(n_edges));
        std::sort(edges.begin(), edges.end());
        std::vector<std::uint16_t> cells(values.size());
        find_cells(StridedView<double>{values.data(), values.size(), 1}, edges, cells, 2, {});
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto expected = std::lower_bound(edges.begin(), edges.end(), values[i]) - edges.begin();
            CHECK(cells[i] == (i == 5 ? no_cell : static_cast<std::uint16_t>(expected)));
        }
    }
}

TEST(edges_out_of_order_are_refused) {
    const std::vector<float> values{1};
    std::vector<std::uint16_t> cells(1);
    const std::vector<double> edges{2, 1};
    CHECK_THROWS(find_cells(StridedView<float>{values.data(), 1, 1}, edges, cells, 1, {}), std::invalid_argument);
}

#include "table/cells.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "harness.hpp"

using namespace calibrant;

namespace test_cells {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::uint8_t> coded(const std::vector<double>& values, const std::vector<double>& highs) {
    std::vector<std::uint8_t> out(values.size());
    code_bytes({StridedView<double>{values.data(), values.size(), 1}}, {highs}, out, 1, {});
    return out;
}

template <class Work>
bool is_refused(Work&& work) {
    try {
        work();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace

TEST(a_value_belongs_to_the_first_bin_whose_greatest_value_is_not_less) {
    CHECK(coded({-infinity, 1, 1.5, 2, 2.5, 7, infinity, missing}, {1, 2, 7}) ==
          std::vector<std::uint8_t>({0, 0, 1, 1, 2, 2, 2, 255}));
    CHECK(coded({3, missing}, {}) == std::vector<std::uint8_t>({255, 255}));
}

TEST(bins_are_found_as_a_binary_search_finds_them) {
    std::mt19937 random(0);
    std::normal_distribution<double> normal;
    for (const std::size_t n_bins : {1, 2, 7, 8, 9, 128, 254, 255}) {
        std::vector<double> highs(n_bins), values(1003);
        for (double& high : highs) high = normal(random);
        std::sort(highs.begin(), highs.end());
        for (double& value : values) value = normal(random);
        const auto found = coded(values, highs);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at =
                static_cast<std::size_t>(std::lower_bound(highs.begin(), highs.end(), values[i]) - highs.begin());
            CHECK(found[i] == std::min(at, n_bins - 1));
        }
    }
}

TEST(columns_are_coded_side_by_side_for_any_number_of_threads) {
    const std::size_t n = 10000;
    std::vector<float> numbers(n);
    std::vector<std::int32_t> words(n);
    for (std::size_t i = 0; i < n; ++i) {
        numbers[i] = static_cast<float>(i % 100);
        words[i] = static_cast<std::int32_t>(i % 7) - 1;
    }
    const std::vector<ColumnSource> sources{StridedView<float>{numbers.data(), n, 1},
                                            NominalSource{{words.data(), n, 1}, 6}};
    std::vector<std::uint8_t> one(2 * n), two(2 * n);
    const std::vector<double> highs{9, 49, 99};
    code_bytes(sources, {highs, {}}, one, 1, {});
    code_bytes(sources, {highs, {}}, two, 2, {});
    CHECK(one == two);
    for (std::size_t i = 0; i < n; ++i) {
        CHECK(one[2 * i] == (i % 100 <= 9 ? 0 : i % 100 <= 49 ? 1 : 2));
        CHECK(one[2 * i + 1] == (i % 7 == 0 ? 255 : i % 7 - 1));
    }
}

TEST(codes_that_do_not_fit_a_byte_are_refused) {
    const std::vector<std::int32_t> words{0, 255};
    std::vector<std::uint8_t> out(2);
    CHECK(is_refused([&] { code_bytes({NominalSource{{words.data(), 2, 1}, 256}}, {{}}, out, 1, {}); }));
    CHECK(is_refused([&] { coded({1, 2}, std::vector<double>(256, 1.0)); }));
    CHECK(is_refused([&] { coded({1, 2}, {2, 1}); }));
}

TEST(a_table_of_bytes_views_its_matrix) {
    const std::vector<std::uint8_t> matrix{0, 1, 1, 255, 2, 0};
    std::vector<CodedColumn> columns(2);
    columns[0] = {.values = {1, 5, 9}, .lows = {0, 4, 9}, .n_values = 3};
    columns[1] = {.kind = Kind::nominal, .n_values = 2};
    const auto table = CodedTable::of_bytes(3, matrix.data(), columns, 1, {});
    CHECK(table.bytes() == matrix.data() && table.column(1).n_missing == 1 && table.column(0).n_missing == 0);
    CHECK(std::get<ByteCodes>(table.column(0).codes)[2] == 2 && table.column(0).low(1) == 4);
    columns[0].lows = {0, 1, 9};
    CHECK(is_refused([&] { CodedTable::of_bytes(3, matrix.data(), columns, 1, {}); }));
    columns[0] = {.values = {1, 5}, .n_values = 2};
    CHECK(is_refused([&] { CodedTable::of_bytes(3, matrix.data(), columns, 1, {}); }));
}

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

}  // namespace test_cells

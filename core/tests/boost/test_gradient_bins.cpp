// Bins of columns: in the order of the values, of about equal weight, and the same for new rows.
#include "boost/gradient_bins.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;

namespace test_gradient_bins {
namespace {

CodedTable coded(const std::vector<double>& numbers, const std::vector<std::int32_t>& categories,
                 std::size_t n_categories) {
    tables::Problem problem{std::vector<std::uint16_t>(numbers.size())};
    problem.add(numbers);
    problem.add(categories, n_categories);
    return CodedTable(numbers.size(), problem.columns);
}

BinnedTable binned(const CodedTable& table, std::size_t max_bins, const std::vector<double>& weights = {}) {
    std::vector<std::uint32_t> rows(table.n_rows());
    std::iota(rows.rbegin(), rows.rend(), 0U);  // in any order
    return BinnedTable(table, rows, weights, max_bins, 2, {});
}

}  // namespace

TEST(new_rows_have_the_bins_of_the_training_rows) {
    std::vector<double> numbers;
    std::vector<std::int32_t> categories;
    for (int i = 0; i < 2000; ++i) {
        numbers.push_back(i % 17 == 0 ? tables::missing : (i * 7919) % 1500);
        categories.push_back(i % 13 == 0 ? -1 : (i * 31) % 400);
    }
    const CodedTable table = coded(numbers, categories, 400);
    const BinnedTable bins = binned(table, 40);
    std::vector<std::uint8_t> found(2000);
    BinWriter(bins.rules(), 0).write(StridedView<double>{numbers.data(), 2000, 1}, 0, 2000, found.data());
    CHECK(std::equal(found.rbegin(), found.rend(), bins.codes(0)));
    BinWriter(bins.rules(), 1).write(StridedView<std::int32_t>{categories.data(), 2000, 1}, 0, 2000, found.data());
    CHECK(std::equal(found.rbegin(), found.rend(), bins.codes(1)));
    CHECK(bins.rules().n_bins[0] == 40 && bins.rules().n_bins[1] == 40);
    CHECK(bins.blocks()[0].row(5)[1] == bins.codes(1)[5]);
}

TEST(bins_have_about_the_same_weight_and_a_heavy_value_has_its_own) {
    std::vector<double> numbers, weights;
    for (int i = 0; i < 1000; ++i) {
        numbers.push_back(i);
        weights.push_back(i == 500 ? 1000 : 1);
    }
    const CodedTable table = coded(numbers, std::vector<std::int32_t>(1000), 1);
    const BinnedTable bins = binned(table, 11, weights);
    std::vector<double> weight(12);
    for (std::size_t row = 0; row < 1000; ++row) weight[bins.codes(0)[row]] += weights[999 - row];
    CHECK(weight[11] == 0);
    std::sort(weight.begin(), weight.begin() + 11);
    CHECK(weight[10] == 1000);
    CHECK(weight[0] >= 50 && weight[9] <= 200);
}

TEST(few_values_have_a_bin_each_and_a_constant_column_none) {
    const CodedTable table = coded({3, 1, 2, 2}, {1, 1, 1, 1}, 3);
    const BinnedTable bins = binned(table, 255);
    CHECK(bins.rules().n_bins[0] == 3 && bins.rules().cuts == std::vector<double>({1.5, 2.5}));
    CHECK(!bins.rules().is_usable(1) && bins.usable().size() == 1);
    CHECK_THROWS(binned(table, 256), std::invalid_argument);
}

}  // namespace test_gradient_bins

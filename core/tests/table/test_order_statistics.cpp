#include "table/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "harness.hpp"

using namespace calibrant;

namespace test_order_statistics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Compares every position with the sorted values.
template <class T>
bool agrees(const std::vector<T>& values) {
    std::vector<double> sorted;
    for (const T value : values) {
        if (value == value) sorted.push_back(static_cast<double>(value));
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int64_t> positions(sorted.size());
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
    const auto found = order_statistics(StridedView<T>{values.data(), values.size(), 1}, positions, {});
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto next = std::upper_bound(sorted.begin(), sorted.end(), sorted[i]);
        if (found[i].value != sorted[i]) return false;
        if (next == sorted.end() ? !std::isnan(found[i].next) : found[i].next != *next) return false;
    }
    return true;
}

}  // namespace

TEST(order_statistics_are_those_of_the_sorted_column) {
    std::mt19937 random(0);
    std::normal_distribution<double> normal;
    std::vector<double> plain, heavy, ties, wide{-infinity, infinity, 1e300, -1e300, 0, -0.0, 5e-324, 1};
    std::vector<float> narrow;
    for (int i = 0; i < 5000; ++i) {
        plain.push_back(normal(random));
        heavy.push_back(std::exp(20 * normal(random)));
        ties.push_back(i % 10 == 0 ? std::nan("") : std::floor(3 * normal(random)));
        narrow.push_back(static_cast<float>(normal(random)));
    }
    CHECK(agrees(plain) && agrees(heavy) && agrees(ties) && agrees(wide) && agrees(narrow));
    CHECK(agrees(std::vector<double>(100, 2.5)) && agrees(std::vector<double>{std::nan(""), 1, infinity}));
}

}  // namespace test_order_statistics

#include "boost/drawn_rows.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

#include "harness.hpp"

using namespace calibrant;

namespace test_drawn_rows {
namespace {

using Counts = std::vector<double>;

double sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

// Cumulative weights of rows, some of which weigh nothing and some most.
std::vector<double> edges_of(std::size_t n_rows) {
    std::vector<double> edges{0.0};
    for (std::size_t i = 0; i < n_rows; ++i)
        edges.push_back(edges.back() + (i % 5 == 0 ? 0.0 : i % 7 == 0 ? 40.0 : 0.25));
    return edges;
}

}  // namespace

TEST(as_many_rows_are_drawn_as_requested_and_none_of_weight_0) {
    const auto edges = edges_of(3000);
    for (const std::uint64_t n_draws : {1, 8, 9, 3000, 1'000'000}) {
        const Counts counts = draw_by_weight(1, n_draws, edges.back(), edges);
        CHECK(sum(counts) == static_cast<double>(n_draws));
        for (std::size_t i = 0; i < counts.size(); i += 5) CHECK(counts[i] == 0);
    }
}

TEST(some_of_the_rows_are_drawn_as_often_as_among_all) {
    const auto edges = edges_of(3000);
    for (const std::uint64_t n_draws : {2999, 1'000'000}) {
        const Counts all = draw_by_weight(2, n_draws, edges.back(), edges);
        for (const std::size_t size : {1, 7, 1000}) {
            Counts joined;
            for (std::size_t first = 0; first < 3000; first += size) {
                const std::size_t last = std::min<std::size_t>(first + size, 3000);
                const auto part =
                    draw_by_weight(2, n_draws, edges.back(), std::span(edges).subspan(first, last - first + 1));
                joined.insert(joined.end(), part.begin(), part.end());
            }
            CHECK(joined == all);
        }
    }
}

TEST(no_draw_falls_off_the_end_of_a_tiny_total) {
    const double tiny = std::numeric_limits<double>::denorm_min();
    CHECK(draw_by_weight(3, 100, tiny, std::vector{0.0, tiny}) == Counts{100});
    CHECK(draw_by_weight(3, 100, 1.0, std::vector{0.0, 1.0, 1.0}) == (Counts{100, 0}));
}

TEST(an_edge_alone_has_no_intervals_and_there_must_be_one) {
    CHECK(draw_by_weight(4, 100, 1.0, std::vector{0.5}).empty());
    CHECK_THROWS(draw_by_weight(4, 100, 1.0, {}), std::invalid_argument);
    CHECK_THROWS(draw_by_weight(4, std::uint64_t{1} << 54, 1.0, std::vector{0.5}), std::invalid_argument);
}

}  // namespace test_drawn_rows

// Replicates are the same for any number of threads, and are what their weights give.
#include "rank/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_bootstrap {
namespace {

struct Room {
    std::vector<double> weight, values, cells, rankings;
    Room(std::size_t n, std::size_t n_values, std::size_t n_cells, std::size_t n_rankings)
        : weight(n), values(n * n_values), cells(n * n_cells), rankings(n * n_rankings * n_rank_measures) {}
    ResampledSums view() { return {weight, values, cells, rankings}; }
};

constexpr std::size_t n_rows = 1500, n_replicates = 40;

struct Rows {
    std::vector<double> value;
    std::vector<std::uint32_t> cell;
    std::vector<std::uint8_t> marks;
    Rows() : value(n_rows), cell(n_rows), marks(n_rows) {
        for (std::size_t row = 0; row < n_rows; ++row) {
            value[row] = std::sin(static_cast<double>(row));
            cell[row] = static_cast<std::uint32_t>(row % 3);
            marks[row] = static_cast<std::uint8_t>(mark_group_end | (row % 4 == 0 ? mark_positive : 0));
        }
    }
    ResampledRows view() const { return {n_rows, {}, {}, {value}, cell, 3, {{{}, marks}}}; }
};

Room drawn(std::size_t n_threads, std::size_t first = 0, std::size_t n = n_replicates) {
    const Rows rows;
    const std::vector<std::uint64_t> ends{n_rows};
    Room room(n, 1, 3, 1);
    resample(rows.view(), {{n_rows, ends, {}}, 11, {}, {}}, {n, n_threads, true, 0.1, first}, room.view(), {});
    return room;
}

}  // namespace

TEST(any_number_of_threads_gives_the_same_bits) {
    const Room one = drawn(1), three = drawn(3);
    CHECK(one.values == three.values && one.cells == three.cells && one.rankings == three.rankings);
}

TEST(a_part_of_the_replicates_has_the_bits_of_the_whole) {
    const Room whole = drawn(1), part = drawn(2, 10, 5);
    CHECK(std::equal(part.values.begin(), part.values.end(), whole.values.begin() + 10));
    CHECK(std::equal(part.cells.begin(), part.cells.end(), whole.cells.begin() + 30));
}

TEST(cells_add_up_to_the_weight_and_replicates_differ) {
    const Room room = drawn(2);
    for (std::size_t r = 0; r < n_replicates; ++r) {
        CHECK(room.weight[r] == n_rows);
        CHECK(std::accumulate(room.cells.begin() + static_cast<std::ptrdiff_t>(3 * r),
                              room.cells.begin() + static_cast<std::ptrdiff_t>(3 * r + 3), 0.0) == n_rows);
    }
    CHECK(room.values[0] != room.values[1]);
}

TEST(a_block_left_out_takes_its_rows_away) {
    const std::vector<double> value{1, 2, 4, 8};
    const std::vector<std::uint32_t> unit_of_row{0, 1, 1, 2}, blocks{0, 1, 0};
    const std::vector<double> row_weight{1, 1, 0.5, 1};
    const std::vector<std::uint64_t> ends{3};
    Room room(2, 1, 0, 0);
    resample({4, unit_of_row, row_weight, {value}, {}, 0, {}}, {{3, ends, {}}, 0, blocks, {}}, {2, 1, false, 0},
             room.view(), {});
    CHECK(room.values[0] == 4 && room.values[1] == 9);
    CHECK(room.weight[0] == 1.5 && room.weight[1] == 2);
}

TEST(rows_of_a_cluster_are_drawn_together) {
    const std::vector<double> value{1, -1, 1, -1};
    const std::vector<std::uint32_t> unit_of_row{0, 0, 1, 1};
    const std::vector<std::uint64_t> ends{2};
    Room room(20, 1, 0, 0);
    resample({4, unit_of_row, {}, {value}, {}, 0, {}}, {{2, ends, {}}, 3, {}, {}}, {20, 2, false, 0}, room.view(), {});
    for (const double sum : room.values) CHECK(sum == 0);
}

TEST(arrays_that_do_not_fit_throw) {
    const std::vector<double> value{1, 2};
    const std::vector<std::uint64_t> ends{3};
    Room room(1, 1, 0, 0);
    const ResampledRows rows{3, {}, {}, {value}, {}, 0, {}};
    const Resampling how{{3, ends, {}}, 0, {}, {}};
    const ResampleOptions options{1, 1, false, 0};
    CHECK_THROWS(resample(rows, how, options, room.view(), {}), std::invalid_argument);
}

TEST(known_draws_are_taken_as_they_are) {
    const std::vector<std::uint64_t> ends{3};
    const std::vector<double> values{1, 2, 4};
    const std::vector<std::uint32_t> counts{2, 0, 1, 0, 3, 0};
    std::vector<double> weight(2), sums(2);
    const ResampledRows rows{3, {}, {}, {values}, {}, 0, {}};
    resample(rows, {{3, ends, {}}, 0, {}, counts}, {2, 1, false, 0}, {weight, sums, {}, {}}, {});
    CHECK(weight == (std::vector<double>{3, 3}));
    CHECK(sums == (std::vector<double>{6, 6}));
    const std::vector<std::uint32_t> too_few{2, 0, 1};
    CHECK_THROWS(resample(rows, {{3, ends, {}}, 0, {}, too_few}, {2, 1, false, 0}, {weight, sums, {}, {}}, {}),
                 std::invalid_argument);
}

}  // namespace test_bootstrap

#include "tree/grow/partition.hpp"

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::missing;

namespace test_partition {
namespace {

CodedTable one_column(const std::vector<double>& values) {
    tables::Problem problem{};
    problem.add(values);
    return CodedTable(values.size(), problem.columns);
}

std::vector<std::uint32_t> numbers(std::span<const SortedRow> rows) {
    std::vector<std::uint32_t> result;
    for (const SortedRow& row : rows) result.push_back(row.row);
    return result;
}

std::vector<std::uint32_t> numbers(std::span<const std::uint32_t> rows) { return {rows.begin(), rows.end()}; }

using Rows = std::vector<std::uint32_t>;

constexpr Keys keys{.class_bits = 1};
const std::vector<ValueGaps> no_gaps{ValueGaps({}, 1e-5)};

// A partition with what it reads from.
struct Held {
    RowKeys row_keys;
    RowCells row_cells;
    Partition partition;

    Held(const CodedTable& table, const std::vector<std::uint16_t>& labels, const std::vector<double>& weights = {},
         bool presorts = true)
        : row_keys(table, labels, {0}, keys, no_gaps, 1, {}),
          row_cells(table, 1, {}),
          partition(table, labels, weights, row_keys, row_cells) {
        if (presorts) partition.presort(partition.root(), tables::alone, {});
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
};

}  // namespace

TEST(a_column_is_sorted_stably_with_missing_values_last) {
    const CodedTable table = one_column({5, missing, 3, 5, 3});
    const std::vector<std::uint16_t> labels{0, 1, 0, 1, 1};
    const Held held(table, labels);
    const Partition& partition = held.partition;
    const auto rows = partition.sorted_rows(0, partition.root());
    CHECK((numbers(rows) == Rows{2, 4, 0, 3, 1}));
    CHECK(rows[1].key == keys.key(0, 1, false) && rows[2].key == keys.key(1, 0, false) &&
          rows[4].key == keys.key(2, 1, false));
}

TEST(rows_of_weight_zero_are_absent) {
    const CodedTable table = one_column({5, 4, 3});
    const std::vector<std::uint16_t> labels{0, 1, 0};
    const std::vector<double> weights{1, 0, 2};
    Held held(table, labels, weights);
    Partition& partition = held.partition;
    CHECK(partition.root().size == 2);
    const auto rows = partition.sorted_rows(0, partition.root());
    CHECK(partition.number(rows[0]) == 1 && partition.number(rows[1]) == 0);
    CHECK(partition.is_packed() && partition.times(rows[0]) == 2 && partition.times(rows[1]) == 1);
    CHECK(partition.origin(1) == 2);
    partition.enter(partition.root());
    CHECK(partition.is_weighted() && partition.weights()[1] == 2);
}

TEST(heavier_weights_leave_fewer_bits_to_the_numbers_of_rows) {
    const std::vector<double> values(70000);
    const CodedTable table = one_column(values);
    const std::vector<std::uint16_t> labels(values.size());
    for (const auto& [heaviest, is_packed] : {std::pair{3.0, true}, {32767.0, true}, {65535.0, false}}) {
        std::vector<double> weights(values.size(), 1.0);
        weights.back() = heaviest;
        Held held(table, labels, weights);
        Partition& partition = held.partition;
        const SortedRow last = partition.sorted_rows(0, partition.root()).back();
        CHECK(partition.is_packed() == is_packed && partition.number(last) == values.size() - 1);
        CHECK(!is_packed || partition.times(last) == heaviest);
    }
}

TEST(a_split_in_two_keeps_the_order_on_both_sides) {
    const CodedTable table = one_column({6, 1, 5, 2, 4, 3});
    const std::vector<std::uint16_t> labels(6, 0);
    Held held(table, labels);
    Partition& partition = held.partition;
    for (const std::uint32_t row : {0U, 1U, 2U}) partition.mark_side(row, Partition::second);
    for (const std::uint32_t row : {3U, 4U, 5U}) partition.mark_side(row, Partition::first);
    std::vector<Branch> branches(2, Branch{.keep = true, .segment = {0, 3}});
    partition.split(partition.root(), branches, true, tables::alone, {});
    CHECK((numbers(partition.sorted_rows(0, branches[0].segment)) == Rows{3, 5, 4}));
    CHECK((numbers(partition.sorted_rows(0, branches[1].segment)) == Rows{1, 2, 0}));
    CHECK(branches[0].segment.begin > branches[1].segment.begin);
}

TEST(the_rows_of_a_leaf_are_dropped) {
    const CodedTable table = one_column({1, 2, 3, 4});
    const std::vector<std::uint16_t> labels(4, 0);
    Held held(table, labels);
    Partition& partition = held.partition;
    for (std::uint32_t row = 0; row < 4; ++row)
        partition.mark_side(row, row >= 1 ? Partition::second : Partition::first);
    std::vector<Branch> branches{{.keep = false, .segment = {0, 1}}, {.keep = true, .segment = {0, 3}}};
    partition.split(partition.root(), branches, true, tables::alone, {});
    CHECK(branches[1].segment.begin == 0);
    CHECK((numbers(partition.sorted_rows(0, branches[1].segment)) == Rows{1, 2, 3}));
}

TEST(missing_cases_go_to_every_branch_by_its_share) {
    const CodedTable table = one_column({1, missing, 2, 3});
    const std::vector<std::uint16_t> labels(4, 0);
    Held held(table, labels);
    Partition& partition = held.partition;
    partition.enter(partition.root());
    partition.mark(0, 0);
    partition.mark(1, Partition::missing);
    partition.mark(2, 2);
    partition.mark(3, 2);
    std::vector<Branch> branches{{.share = 1.0 / 3, .keep = true, .segment = {0, 2}},
                                 {.share = 0, .keep = false, .segment = {0, 0}},
                                 {.share = 2.0 / 3, .keep = true, .segment = {0, 3}}};
    partition.split(partition.root(), branches, false, tables::alone, {});
    partition.enter(branches[0].segment);
    CHECK((numbers(partition.rows(branches[0].segment)) == Rows{0, 1}));
    CHECK(tables::near(partition.weights()[1], 1.0 / 3));
    partition.enter(branches[2].segment);
    CHECK((numbers(partition.sorted_rows(0, branches[2].segment)) == Rows{2, 3, 1}));
    CHECK(tables::near(partition.weights()[1], 2.0 / 3) && partition.weights()[3] == 1);
}

TEST(a_subset_of_the_rows_is_presorted_by_itself) {
    const CodedTable table = one_column({6, 1, 5, 2, 4, 3});
    const std::vector<std::uint16_t> labels{0, 1, 0, 1, 0, 1};
    Held held(table, labels, {}, false);
    Partition& partition = held.partition;
    partition.enter(partition.root());
    for (std::uint32_t row = 0; row < 6; ++row)
        partition.mark_side(row, row >= 2 ? Partition::second : Partition::first);
    std::vector<Branch> branches{{.keep = true, .segment = {0, 2}}, {.keep = true, .segment = {0, 4}}};
    partition.split(partition.root(), branches, true, tables::alone, {});
    CHECK(!partition.is_presorted() && (numbers(partition.rows(branches[1].segment)) == Rows{2, 3, 4, 5}));
    partition.presort(branches[0].segment, tables::alone, {});
    CHECK(partition.is_presorted() && (numbers(partition.sorted_rows(0, branches[0].segment)) == Rows{1, 0}));
    partition.leave_presorted();
    partition.presort(branches[1].segment, tables::alone, {});
    const auto rows = partition.sorted_rows(0, branches[1].segment);
    CHECK((numbers(rows) == Rows{1, 3, 2, 0}) && partition.origin(rows[0].row) == 3 && keys.label(rows[0].key) == 1);
    const auto extracted = partition.extract(branches[1].segment);
    CHECK((extracted.rows == Rows{2, 3, 4, 5}) && extracted.weights.empty());
}

TEST(missing_cases_go_to_both_sides_of_a_cut) {
    const CodedTable table = one_column({4, missing, 2, 3, missing});
    const std::vector<std::uint16_t> labels(5, 0);
    for (const bool keep_first : {true, false}) {
        Held held(table, labels);
        Partition& partition = held.partition;
        partition.enter(partition.root());
        for (const std::uint32_t row : {1U, 4U}) partition.mark_side(row, Partition::both);
        partition.mark_side(2, Partition::first);
        for (const std::uint32_t row : {0U, 3U}) partition.mark_side(row, Partition::second);
        std::vector<Branch> branches{{.share = 1.0 / 3, .keep = keep_first, .segment = {0, 3}},
                                     {.share = 2.0 / 3, .keep = true, .segment = {0, 4}}};
        partition.split(partition.root(), branches, true, tables::alone, {});
        partition.enter(branches[1].segment);
        CHECK((numbers(partition.sorted_rows(0, branches[1].segment)) == Rows{3, 0, 1, 4}));
        CHECK((numbers(partition.rows(branches[1].segment)) == Rows{0, 1, 3, 4}) && partition.weights()[3] == 1);
        CHECK(tables::near(partition.weights()[1], 2.0 / 3));
        if (!keep_first) continue;
        partition.enter(branches[0].segment);
        CHECK((numbers(partition.sorted_rows(0, branches[0].segment)) == Rows{2, 1, 4}));
        CHECK((numbers(partition.rows(branches[0].segment)) == Rows{1, 2, 4}) &&
              tables::near(partition.weights()[4], 1.0 / 3));
    }
}

TEST(weights_that_are_not_whole_are_looked_up) {
    const CodedTable table = one_column({5, 4, 3});
    const std::vector<std::uint16_t> labels{0, 1, 0};
    const std::vector<double> weights{1, 0.5, 2};
    const Held held(table, labels, weights);
    CHECK(!held.partition.is_packed() && !held.partition.is_whole() && held.partition.weights()[1] == 0.5);
}

TEST(rows_without_sorted_columns_are_split_while_counting) {
    const CodedTable table = one_column({6, 1, 5, 2});
    const std::vector<std::uint16_t> labels(4, 0);
    Held held(table, labels, {}, false);
    const auto n_second = held.partition.split_at_once(
        held.partition.root(), [](std::uint32_t row) { return std::uint32_t{row != 2}; }, [](std::uint32_t) {});
    CHECK(n_second == 3 && (numbers(held.partition.rows({0, 3})) == Rows{0, 1, 3}) &&
          held.partition.rows({3, 1})[0] == 2);
}

}  // namespace test_partition

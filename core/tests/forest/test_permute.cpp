#include "forest/permute.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace test_permute {
namespace {

struct Permuted {
    std::vector<std::uint32_t> columns, order;
    std::vector<double> changes;

    // Every column but the first takes the values of the rows in reverse.
    Permuted(const Grown& grown, std::size_t n_threads) : columns(grown.table.n_columns() - 1) {
        std::iota(columns.begin(), columns.end(), 1U);
        const std::size_t n = grown.table.n_rows();
        for (std::size_t p = 0; p < columns.size(); ++p)
            for (std::size_t row = 0; row < n; ++row) order.push_back(static_cast<std::uint32_t>(n - 1 - row));
        changes.resize(columns.size() * n * grown.problem.n_classes);
        std::vector<Member> members;
        for (std::size_t t = 0; t < grown.trees.size(); ++t) members.push_back({&grown.trees[t], grown.frequencies[t]});
        add_permuted_changes(members, grown.table, grown.bags, 0, {columns, order}, changes, n_threads, {});
    }
};

// The codes of a table with one column reversed.
CodedTable with_reversed(const Grown& grown, std::size_t column) {
    auto columns = grown.problem.columns;
    std::ranges::reverse(std::get<std::vector<std::uint16_t>>(columns[column].codes));
    return {grown.table.n_rows(), columns};
}

}  // namespace

TEST(changes_are_those_of_a_second_prediction_of_the_permuted_rows) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(400, 3, with_missing, 3);
        const Permuted found(grown, 1);
        std::vector<double> expected(found.changes.size()), before(400 * 3), after(400 * 3);
        for (std::size_t t = 0; t < 3; ++t) {
            const Member member{&grown.trees[t], grown.frequencies[t]};
            PackedForest({member}, 3).sum(coded_rows(grown.table), before, 1, {});
            for (std::size_t p = 0; p < found.columns.size(); ++p) {
                const CodedTable reversed = with_reversed(grown, found.columns[p]);
                PackedForest({member}, 3).sum(coded_rows(reversed), after, 1, {});
                for (std::size_t i = 0; i < 400 * 3; ++i)
                    if (grown.is_out_of_bag(t, i / 3)) expected[p * 400 * 3 + i] += after[i] - before[i];
            }
        }
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(near(found.changes[i], expected[i], 1e-12));
    }
}

TEST(changes_are_the_same_for_any_number_of_threads) {
    const Grown grown(9000, 3, true);
    CHECK(Permuted(grown, 1).changes == Permuted(grown, 4).changes);
}

TEST(permutations_must_fit_the_table) {
    const Grown grown(50, 1, false);
    const Member member{&grown.trees[0], grown.frequencies[0]};
    const std::vector<std::uint32_t> column{7}, order(50, 0U), beyond(50, 50U);
    std::vector<double> changes(100);
    const auto add = [&](std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows) {
        add_permuted_changes({&member, 1}, grown.table, grown.bags, 0, {columns, rows}, changes, 1, {});
    };
    CHECK_THROWS(add(column, order), std::invalid_argument);
    CHECK_THROWS(add(std::vector<std::uint32_t>{0}, beyond), std::invalid_argument);
    CHECK_THROWS(add(std::vector<std::uint32_t>{0, 1}, order), std::invalid_argument);
}

}  // namespace test_permute

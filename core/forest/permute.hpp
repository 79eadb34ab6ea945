// The predictions of a forest with one column permuted: only what lies below a row's first test of it is walked again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forest/bags.hpp"
#include "forest/packed_forest.hpp"
#include "stop.hpp"
#include "table/coded_table.hpp"

namespace calibrant {

// Columns, and for each of them the row whose value each row takes (columns x rows).
struct Permutations {
    std::span<const std::uint32_t> columns;
    std::span<const std::uint32_t> order;
};

// Adds to `changes` (permutations x rows x classes), for every member and row that is not in its bag, where the first
// member is tree `first_tree` of the bags: the member's prediction with the column permuted, minus that of the row as
// it is. The table is the one that the trees were grown from.
void add_permuted_changes(std::span<const Member> members, const CodedTable& table, const Bags& bags,
                          std::size_t first_tree, const Permutations& permutations, std::span<double> changes,
                          std::size_t n_threads, const StopToken& stop);

}  // namespace calibrant

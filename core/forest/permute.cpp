#include "forest/permute.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "table/coding.hpp"
#include "tree/descent.hpp"
#include "tree/row_major.hpp"

namespace calibrant {
namespace {

using Code = std::uint32_t;

// The codes of all rows, as they are and permuted, row by row, and the size of everything.
struct Cells {
    std::vector<Code> codes, permuted;
    std::size_t n_rows, n_columns, n_permutations, width;

    const Code* row(std::size_t number) const { return codes.data() + number * n_columns; }
    const Code* permuted_row(std::size_t number) const { return permuted.data() + number * n_permutations; }
};

Cells cells_of(const CodedTable& table, const Permutations& permutations, std::size_t width, std::size_t n_threads,
               const StopToken& stop) {
    std::vector<std::size_t> columns(table.n_columns());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    auto codes = row_major_cells<Code>(table, columns, rows_per_task, n_threads, stop, [](std::size_t) {
        return [](std::size_t, Code code, bool is_missing) { return is_missing ? missing_code<Code> : code; };
    });
    const std::size_t n = table.n_rows(), n_permutations = permutations.columns.size();
    std::vector<Code> permuted(n * n_permutations);  // once, because every tree would look up rows all over the table
    for (std::size_t p = 0; p < n_permutations; ++p) {
        for (std::size_t row = 0; row < n; ++row)
            permuted[row * n_permutations + p] =
                codes[permutations.order[p * n + row] * columns.size() + permutations.columns[p]];
    }
    return {std::move(codes), std::move(permuted), n, columns.size(), n_permutations, width};
}

// The permutation of each column, or `none`.
constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

std::vector<std::uint32_t> by_column(const Permutations& permutations, std::size_t n_columns) {
    std::vector<std::uint32_t> found(n_columns, none);
    for (std::size_t p = 0; p < permutations.columns.size(); ++p)
        found.at(permutations.columns[p]) = static_cast<std::uint32_t>(p);
    return found;
}

// The tests of a tree on codes, 16 bytes each: one cache line a step.
class CodeTests {
  public:
    static constexpr std::int32_t missing = -1;

    explicit CodeTests(const Tree& tree) : tree_(tree), nodes_(tree.n_nodes()) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (tree.is_leaf(i)) continue;
            if (tree.n_values[i] > 0)
                nodes_[i] = {tree.feature[i], tree.first_value[i], -static_cast<std::int32_t>(tree.n_values[i]),
                             static_cast<std::int32_t>(tree.first_child[i])};
            else
                nodes_[i] = {tree.feature[i], tree.cut_code[i], tree.children[tree.first_child[i]],
                             tree.children[tree.first_child[i] + 1]};
        }
    }

    // The column tested at a node, -1 for a leaf.
    std::int32_t column(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].column; }

    // The child that a code leads to, or `missing` where it leads to all.
    std::int32_t next(std::int32_t node, Code code) const {
        const Node& at = nodes_[static_cast<std::size_t>(node)];
        if (code == missing_code<Code>) return child_of_missing(node);
        if (at.low > 0) return code <= at.cut ? at.low : at.high;
        if (code >= static_cast<Code>(-at.low)) return child_of_missing(node);
        const std::int32_t branch = tree_.branch_of_value[at.cut + code];
        return branch < 0 ? child_of_missing(node)
                          : tree_.children[static_cast<std::size_t>(at.high) + static_cast<std::size_t>(branch)];
    }

  private:
    // A number up to code `cut` leads to `low`, above to `high`; a nominal test has where its values begin, minus their
    // number, and where its children begin.
    struct Node {
        std::int32_t column = Tree::leaf;
        std::uint32_t cut = 0;
        std::int32_t low = 0, high = 0;
    };

    std::int32_t child_of_missing(std::int32_t node) const {
        const auto at = static_cast<std::size_t>(node);
        const std::int32_t branch = tree_.missing_branch[at];
        return branch == Tree::all_branches
                   ? missing
                   : static_cast<std::int32_t>(tree_.child(at, static_cast<std::size_t>(branch)));
    }

    const Tree& tree_;
    std::vector<Node> nodes_;
};

// Walks one tree for row after row.
class MemberWalk {
  public:
    MemberWalk(const Member& member, const Cells& cells, std::span<const std::uint32_t> columns,
               std::span<const std::uint32_t> permutation_of, std::span<double> changes)
        : tree_(*member.tree),
          table_(member.table.data()),
          cells_(cells),
          columns_(columns),
          permutation_of_(permutation_of),
          changes_(changes),
          tests_(tree_),
          shares_(tree_),
          last_row_(columns.size(), none),
          before_(cells.width),
          after_(cells.width) {}

    void add(std::size_t row) {
        row_ = row;
        values_ = cells_.row(row);
        first_tests_.clear();
        std::int32_t node = 0;
        while (tests_.column(node) >= 0) {
            note(tests_.column(node), node);
            node = tests_.next(node, values_[tests_.column(node)]);
            if (node == CodeTests::missing) return add_mixture();
        }
        for (const FirstTest& test : first_tests_) add_change(test, table_row(node));
    }

  private:
    // The first node on the row's path that tests the column of a permutation.
    struct FirstTest {
        std::uint32_t permutation;
        std::int32_t node;
    };

    const double* table_row(std::int32_t node) const { return table_ + static_cast<std::size_t>(node) * cells_.width; }

    // Keeps a node for the column that is tested, unless the row has met the column before.
    void note(std::int32_t column, std::int32_t node) {
        const std::uint32_t permutation = permutation_of_[static_cast<std::size_t>(column)];
        if (permutation == none || last_row_[permutation] == row_) return;
        last_row_[permutation] = row_;
        first_tests_.push_back({permutation, node});
    }

    // A row with missing values has several paths, and is sent down again from the root.
    void add_mixture() {
        first_tests_.clear();
        std::fill(last_row_.begin(), last_row_.end(), static_cast<std::size_t>(none));
        const auto noted = [&](std::size_t node) {
            note(tree_.feature[node], 0);
            return shares_.branch_of_value(node, values_[tree_.feature[node]]);
        };
        mix(0, noted, before_);
        for (const FirstTest& test : first_tests_) add_change(test, before_.data());
    }

    void add_change(const FirstTest& test, const double* before) {
        const auto column = static_cast<std::int32_t>(columns_[test.permutation]);
        const Code value = cells_.permuted_row(row_)[test.permutation];
        if (value == values_[column]) return;
        const double* const after = predict(test.node, column, value);
        if (after == before) return;
        double* const to = changes_.data() + (test.permutation * cells_.n_rows + row_) * cells_.width;
        for (std::size_t k = 0; k < cells_.width; ++k) to[k] += after[k] - before[k];
    }

    // The prediction from a node on, with another value in one column.
    const double* predict(std::int32_t node, std::int32_t column, Code value) {
        for (std::int32_t tested = tests_.column(node); tested >= 0; tested = tests_.column(node)) {
            const std::int32_t next = tests_.next(node, tested == column ? value : values_[tested]);
            if (next == CodeTests::missing) return mix_permuted(node, column, value);
            node = next;
        }
        return table_row(node);
    }

    const double* mix_permuted(std::int32_t node, std::int32_t column, Code value) {
        const auto branch = [&](std::size_t at) {
            return shares_.branch_of_value(at, tree_.feature[at] == column ? value : values_[tree_.feature[at]]);
        };
        mix(static_cast<std::size_t>(node), branch, after_);
        return after_.data();
    }

    template <class BranchAt>
    void mix(std::size_t start, BranchAt&& branch, std::vector<double>& mixture) {
        std::fill(mixture.begin(), mixture.end(), 0.0);
        double total = 0;
        shares_.descend_from(start, branch, [&](std::size_t leaf, double share) {
            total += share;
            for (std::size_t k = 0; k < cells_.width; ++k) mixture[k] += share * table_[leaf * cells_.width + k];
        });
        divide(mixture, total);
    }

    const Tree& tree_;
    const double* table_;
    const Cells& cells_;
    std::span<const std::uint32_t> columns_;
    std::span<const std::uint32_t> permutation_of_;
    std::span<double> changes_;
    CodeTests tests_;
    ShareDescent shares_;
    std::vector<std::size_t> last_row_;  // that met the column of each permutation
    std::vector<FirstTest> first_tests_;
    std::vector<double> before_, after_;
    std::size_t row_ = 0;
    const Code* values_ = nullptr;
};

void check(std::span<const Member> members, const CodedTable& table, const Permutations& permutations,
           std::span<const double> changes, std::size_t width) {
    const std::size_t n = table.n_rows(), n_permutations = permutations.columns.size();
    const bool fits = permutations.order.size() == n_permutations * n && changes.size() == n_permutations * n * width;
    if (!fits) throw std::invalid_argument("the sizes of permutations and changes must match");
    if (std::ranges::any_of(permutations.columns, [&](auto column) { return column >= table.n_columns(); }) ||
        std::ranges::any_of(permutations.order, [&](auto row) { return row >= n; }))
        throw std::invalid_argument("permutations must have columns and rows of the table");
    for (const Member& member : members) {
        if (member.table.size() != member.tree->n_nodes() * width)
            throw std::invalid_argument("each table must have one row per node, as wide as the changes");
    }
}

}  // namespace

void add_permuted_changes(std::span<const Member> members, const CodedTable& table, const Bags& bags,
                          std::size_t first_tree, const Permutations& permutations, std::span<double> changes,
                          std::size_t n_threads, const StopToken& stop) {
    if (members.empty() || table.n_rows() == 0 || permutations.columns.empty()) return;
    const std::size_t n = table.n_rows(), width = changes.size() / (n * permutations.columns.size());
    check(members, table, permutations, changes, width);
    bags.check(first_tree + members.size(), n);
    const Cells cells = cells_of(table, permutations, width, n_threads, stop);
    const std::vector<std::uint32_t> permutation_of = by_column(permutations, table.n_columns());
    in_blocks(n, rows_at_once(n, n_threads), n_threads, stop, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint16_t> in_bag(end - begin);
        for (std::size_t m = 0; m < members.size(); ++m) {
            check_stop(stop);
            bags.count(first_tree + m, begin, in_bag);
            MemberWalk walk(members[m], cells, permutations.columns, permutation_of, changes);
            for (std::size_t row = begin; row < end; ++row) {
                if (in_bag[row - begin] == 0) walk.add(row);
            }
        }
    });
}

}  // namespace calibrant

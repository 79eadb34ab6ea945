// Many trees in few narrow arrays, as model files keep them: exact to the bit, and checked before they are believed.
// What follows from the rest is left out: children, parents, depths, codes of cuts; counts of tests that are the sum of
// their branches; weights that are the sum of the counts; majority classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "table/coded_table.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// An array of a file, of the narrowest type that holds its numbers.
class NarrowArray {
  public:
    using Values = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                                std::span<const std::uint32_t>, std::span<const float>, std::span<const double>>;

    NarrowArray() = default;
    template <class T>
    explicit NarrowArray(std::span<const T> values) : values_(values) {}

    const Values& values() const { return values_; }
    std::size_t size() const {
        return std::visit([](auto values) { return values.size(); }, values_);
    }
    bool holds_integers() const { return values_.index() < 3; }
    // One number; throws std::invalid_argument beyond the end.
    template <class T>
    T at(std::size_t i) const {
        return std::visit(
            [i](auto values) {
                if (i >= values.size()) throw std::invalid_argument("an array of packed trees is too short");
                return static_cast<T>(values[i]);
            },
            values_);
    }

  private:
    Values values_{};
};

// The arrays of all trees, tree after tree and in each of them node after node, in preorder.
template <class Array>
struct TreeArrays {
    Array n_nodes{};             // of each tree
    Array test{};                // of each node: 0 for a leaf, else the column + 1
    Array cut{};                 // of each numeric test its threshold; with ranks the distinct ones, column by column
    Array first_cut{};           // with ranks: where the cuts of each column begin, and their number; else empty
    Array cut_rank{};            // with ranks: of each numeric test the position among the cuts of its column
    Array n_branches{};          // of each nominal test
    Array branch_of_category{};  // of each category of each nominal test: the branch + 1, 0 for none
    Array missing_branch{};  // of each test: the branch + 1, 0 for all of them; of all tests where there is only one
    Array counts{};          // class after class, of each leaf or, where these do not add up, of each node
    Array weight{};          // of each node; empty: the sum of its counts
    Array label_node{};      // nodes whose majority class does not follow from the counts, among those of all trees
    Array label{};           // their majority classes
    Array log_prior{};       // of each test; empty: 0 everywhere
};

struct WideTreeArrays {
    TreeArrays<std::vector<std::uint32_t>> integers{};  // all but cut, counts, weight and log_prior
    std::vector<double> cut{}, counts{}, weight{}, log_prior{};
};

// Packs trees of the same columns and classes without ranks; throws std::invalid_argument unless nodes are in preorder.
// `n_categories` is 0 for a numeric column.
WideTreeArrays pack_trees(std::span<const Tree* const> trees, std::size_t n_classes,
                          std::span<const std::uint32_t> n_categories);

// Packed trees, each of which can be unpacked by itself. The arrays are not copied.
class PackedTrees {
  public:
    // Throws std::invalid_argument unless the arrays describe trees: the nodes of each add up, tests are of columns
    // that exist, branches of the branches that there are, no threshold is NaN, counts are finite and not negative, and
    // every root has some.
    PackedTrees(std::size_t n_classes, std::vector<std::uint32_t> n_categories, const TreeArrays<NarrowArray>& arrays);

    std::size_t n_trees() const { return starts_.size() - 1; }
    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_nodes(std::size_t tree) const { return starts_.at(tree + 1).node - starts_.at(tree).node; }
    std::size_t n_tests() const { return starts_.back().numeric + starts_.back().nominal; }

    // Returns a tree; the codes of its cuts are those of the values of the table, 0 without one.
    Tree unpack(std::size_t tree, const CodedTable* table) const;

  private:
    // Where a tree begins in the arrays.
    struct Start {
        std::size_t node = 0, numeric = 0, nominal = 0, category = 0, leaf = 0, label = 0;
    };

    void check_types() const;
    void check_cuts() const;
    Start check_tree(Start at, std::size_t n_nodes) const;
    void check_test(std::size_t column, Start& at, std::size_t& n_open) const;
    void check_sizes() const;
    void check_counts() const;
    void check_weights() const;
    double checked_weight(std::size_t node) const;
    void find_labels();

    bool has_ranks() const { return arrays_.first_cut.size() > 0; }
    bool counts_leaves() const { return n_counted() == starts_.back().leaf && arrays_.weight.size() == 0; }
    std::size_t n_counted() const { return arrays_.counts.size() / n_classes_; }
    std::size_t n_branches(std::size_t column, const Start& at) const;
    std::int32_t missing_branch(const Start& at) const;
    double cut(std::size_t column, const Start& at) const;
    double log_prior(const Start& at) const;
    std::size_t add_node(Tree& tree, std::size_t test, std::int32_t parent, Start& at, const CodedTable* table) const;
    void add_counts(Tree& tree, const Start& start) const;
    void add_labels(Tree& tree, std::size_t tree_number) const;

    std::size_t n_classes_;
    std::vector<std::uint32_t> n_categories_;
    TreeArrays<NarrowArray> arrays_;
    std::vector<Start> starts_{1};
};

}  // namespace calibrant

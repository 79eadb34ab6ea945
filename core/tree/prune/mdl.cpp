#include <algorithm>
#include <cmath>
#include <vector>

#include "elementary.hpp"
#include "exp_log.hpp"
#include "tree/prune/pruning.hpp"

namespace calibrant {
namespace {

double log2_gamma(double x) { return log_gamma(x) / ln2; }

double class_bits(const Tree& tree, std::size_t node) {
    if (!(tree.weight[node] > 0)) return 0;
    const auto n_classes = static_cast<double>(tree.n_classes);
    double bits = log2_gamma(tree.weight[node] + n_classes) - log2_gamma(n_classes);
    for (const double n : tree.counts_of(node)) bits -= log2_gamma(n + 1);
    return bits;
}

double log2_of_at_least_one(double n) { return n > 1 ? log2_of(n) : 0.0; }

// Missing values that have a branch are one more category.
std::uint32_t n_categories(const Tree& tree, std::size_t node) {
    return tree.n_values[node] + (tree.missing_branch[node] == Tree::all_branches ? 0 : 1);
}

bool is_one_against_the_rest(const Tree& tree, std::size_t node) {
    const auto values = tree.branch_of_value.begin() + tree.first_value[node];
    const auto n_first = std::count(values, values + tree.n_values[node], 0) + (tree.missing_branch[node] == 0 ? 1 : 0);
    return tree.n_children[node] == 2 &&
           (n_first == 1 || n_first + 1 == static_cast<std::ptrdiff_t>(n_categories(tree, node)));
}

double value_bits(const Tree& tree, std::size_t node, const CodedTable& table) {
    const bool sends_missing = tree.missing_branch[node] != Tree::all_branches;
    double n_values = table.column(static_cast<std::size_t>(tree.feature[node])).n_values;
    if (tree.n_values[node] == 0)  // with missing values on either side, or a test whether the value is missing
        return log2_of_at_least_one(sends_missing ? 2 * n_values - 1 : n_values - 1);
    if (sends_missing) ++n_values;
    if (tree.n_children[node] == n_categories(tree, node)) return 0;
    if (is_one_against_the_rest(tree, node)) return log2_of_at_least_one(n_values);
    return n_values * log2_of_at_least_one(tree.n_children[node]);
}

// Of the columns that have two values or are tested, since one value and missing ones can be told apart.
double column_bits(const Tree& tree, const CodedTable& table) {
    std::vector<bool> is_useful(table.n_columns());
    for (std::size_t column = 0; column < table.n_columns(); ++column)
        is_useful[column] = table.column(column).n_values > 1;
    for (const std::int32_t column : tree.feature) {
        if (column != Tree::leaf) is_useful[static_cast<std::size_t>(column)] = true;
    }
    return log2_of_at_least_one(static_cast<double>(std::ranges::count(is_useful, true)));
}

}  // namespace

Tree prune_mdl(const Tree& tree, const CodedTable& table) {
    constexpr double tolerance = 1e-9;
    const double choice = 1 + column_bits(tree, table);
    std::vector<double> bits(tree.n_nodes());  // of the pruned tree below
    std::vector<bool> is_leaf_now(tree.n_nodes());
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        const double as_leaf = 1 + class_bits(tree, node);
        if (!tree.is_leaf(node)) bits[node] += choice + value_bits(tree, node, table);
        is_leaf_now[node] = tree.is_leaf(node) || as_leaf <= bits[node] + tolerance;
        if (is_leaf_now[node]) bits[node] = as_leaf;
        if (node > 0) bits[static_cast<std::size_t>(tree.parent[node])] += bits[node];
    }
    return prune_to(tree, is_leaf_now);
}

}  // namespace calibrant

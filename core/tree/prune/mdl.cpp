#include <algorithm>
#include <cmath>

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

bool is_one_against_the_rest(const Tree& tree, std::size_t node) {
    const auto values = tree.branch_of_value.begin() + tree.first_value[node];
    const auto n_first = std::count(values, values + tree.n_values[node], 0);
    return tree.n_children[node] == 2 &&
           (n_first == 1 || n_first + 1 == static_cast<std::ptrdiff_t>(tree.n_values[node]));
}

double value_bits(const Tree& tree, std::size_t node, const CodedTable& table) {
    const double n_values = table.column(static_cast<std::size_t>(tree.feature[node])).n_values;
    if (tree.n_values[node] == 0) return log2_of_at_least_one(n_values - 1);
    if (tree.n_children[node] == tree.n_values[node]) return 0;
    if (is_one_against_the_rest(tree, node)) return log2_of_at_least_one(n_values);
    return n_values * log2_of_at_least_one(tree.n_children[node]);
}

double column_bits(const CodedTable& table) {
    double useful = 0;
    for (std::size_t column = 0; column < table.n_columns(); ++column) useful += table.column(column).n_values > 1;
    return log2_of_at_least_one(useful);
}

}  // namespace

Tree prune_mdl(const Tree& tree, const CodedTable& table) {
    constexpr double tolerance = 1e-9;
    const double choice = 1 + column_bits(table);
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

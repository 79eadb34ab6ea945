#include "boost/gradient_trees.hpp"

#include <algorithm>
#include <bit>

#include "compiler.hpp"

namespace calibrant {
namespace {

constexpr std::uint64_t all_leaves = ~std::uint64_t{0};

// The number of leaves decides on the width of the sets: narrow ones take several rows an instruction.
template <class Mask>
CALIBRANT_INLINE void keep_numeric(const std::uint8_t* codes, std::size_t n, std::uint8_t cut, std::uint8_t also,
                                   std::uint64_t kept, Mask* masks) {
    const auto mask = static_cast<Mask>(kept);
    const auto all = static_cast<Mask>(all_leaves);
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_first = (codes[i] <= cut) | (codes[i] == also);
        masks[i] = static_cast<Mask>(masks[i] & (is_first ? all : mask));
    }
}

CALIBRANT_CLONES void keep(const std::uint8_t* codes, std::size_t n, std::uint8_t cut, std::uint8_t also,
                           std::uint64_t kept, std::uint16_t* masks) {
    keep_numeric(codes, n, cut, also, kept, masks);
}

CALIBRANT_CLONES void keep(const std::uint8_t* codes, std::size_t n, std::uint8_t cut, std::uint8_t also,
                           std::uint64_t kept, std::uint64_t* masks) {
    keep_numeric(codes, n, cut, also, kept, masks);
}

template <class Mask>
void keep_nominal(const std::uint8_t* codes, std::size_t n, const CategorySet& set, std::uint64_t kept, Mask* masks) {
    std::array<Mask, 256> mask_of_code;
    for (std::size_t code = 0; code < 256; ++code)
        mask_of_code[code] = static_cast<Mask>(contains(set, code) ? all_leaves : kept);
    for (std::size_t i = 0; i < n; ++i) masks[i] = static_cast<Mask>(masks[i] & mask_of_code[codes[i]]);
}

// Few categories fit into one word, whose bits several rows test at a time.
template <class Mask>
CALIBRANT_INLINE void keep_of_few(const std::uint8_t* codes, std::size_t n, std::uint32_t set, std::uint64_t kept,
                                  Mask* masks) {
    const auto mask = static_cast<Mask>(kept);
    for (std::size_t i = 0; i < n; ++i) {
        const auto is_first = static_cast<Mask>((set >> (codes[i] & 31U)) & 1U);
        masks[i] = static_cast<Mask>(masks[i] & static_cast<Mask>(mask | static_cast<Mask>(Mask{0} - is_first)));
    }
}

CALIBRANT_CLONES void keep_few(const std::uint8_t* codes, std::size_t n, std::uint32_t set, std::uint64_t kept,
                               std::uint16_t* masks) {
    keep_of_few(codes, n, set, kept, masks);
}

CALIBRANT_CLONES void keep_few(const std::uint8_t* codes, std::size_t n, std::uint32_t set, std::uint64_t kept,
                               std::uint64_t* masks) {
    keep_of_few(codes, n, set, kept, masks);
}

template <class Mask>
void add_tree(const GradientTrees& trees, std::size_t tree, BlockColumns columns, std::size_t n_rows, double* scores) {
    std::array<Mask, scored_rows> masks;
    std::fill_n(masks.begin(), n_rows, static_cast<Mask>(all_leaves));
    for (std::size_t node = trees.first_node[tree]; node < trees.first_node[tree + 1]; ++node) {
        const std::uint8_t* codes = columns[trees.column[node]];
        const std::int32_t index = trees.set_index[node];
        if (index < 0) {
            keep(codes, n_rows, trees.cut[node], trees.also[node], trees.kept_leaves[node], masks.data());
            continue;
        }
        const CategorySet& set = trees.sets[static_cast<std::size_t>(index)];
        if (trees.cut[node] < 32)  // of a nominal test the greatest code
            keep_few(codes, n_rows, static_cast<std::uint32_t>(set[0]), trees.kept_leaves[node], masks.data());
        else
            keep_nominal(codes, n_rows, set, trees.kept_leaves[node], masks.data());
    }
    const double* values = trees.values.data() + trees.first_leaf[tree];
    for (std::size_t i = 0; i < n_rows; ++i) scores[i] += values[std::countr_zero(masks[i])];
}

// Numbers the leaves from left to right and returns those below a node.
std::uint64_t number_leaves(const GrowingTree& tree, std::int32_t at, std::size_t first_node, GradientTrees& trees) {
    if (at < 0) {
        const std::size_t number = trees.values.size() - trees.first_leaf.back();
        const std::int64_t leaf = ~std::int64_t{at};
        trees.values.push_back(tree.values[static_cast<std::size_t>(leaf)]);
        return std::uint64_t{1} << number;
    }
    const auto& node = tree.nodes[static_cast<std::size_t>(at)];
    const std::uint64_t first = number_leaves(tree, node.first, first_node, trees);
    trees.kept_leaves[first_node + static_cast<std::size_t>(at)] = ~first;
    return first | number_leaves(tree, node.second, first_node, trees);
}

}  // namespace

void GradientTrees::truncate(std::size_t n_trees) {
    first_node.resize(n_trees + 1);
    first_leaf.resize(n_trees + 1);
    score.resize(n_trees);
    const std::size_t n_nodes = first_node.back();
    column.resize(n_nodes);
    cut.resize(n_nodes);
    also.resize(n_nodes);
    set_index.resize(n_nodes);
    kept_leaves.resize(n_nodes);
    values.resize(first_leaf.back());
    std::int32_t n_sets = 0;
    for (const std::int32_t index : set_index) n_sets = std::max(n_sets, index + 1);
    sets.resize(static_cast<std::size_t>(n_sets));
}

void GradientTrees::append(const GradientTrees& other) {
    const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const std::uint32_t n_nodes = first_node.back(), n_leaves = first_leaf.back();
    for (std::size_t tree = 1; tree <= other.n_trees(); ++tree) {
        first_node.push_back(n_nodes + other.first_node[tree]);
        first_leaf.push_back(n_leaves + other.first_leaf[tree]);
    }
    const auto n_sets = static_cast<std::int32_t>(sets.size());
    for (const std::int32_t index : other.set_index) set_index.push_back(index < 0 ? index : n_sets + index);
    add(score, other.score);
    add(column, other.column);
    add(cut, other.cut);
    add(also, other.also);
    add(kept_leaves, other.kept_leaves);
    add(values, other.values);
    add(sets, other.sets);
}

void append_tree(GradientTrees& trees, const GrowingTree& tree, std::size_t score) {
    const std::size_t first_node = trees.column.size();
    for (const auto& node : tree.nodes) {
        trees.column.push_back(node.test.column);
        trees.cut.push_back(node.test.cut);
        trees.also.push_back(node.test.also);
        trees.set_index.push_back(node.test.is_nominal ? static_cast<std::int32_t>(trees.sets.size()) : -1);
        if (node.test.is_nominal) trees.sets.push_back(node.test.set);
    }
    trees.kept_leaves.resize(trees.column.size());
    number_leaves(tree, tree.nodes.empty() ? -1 : 0, first_node, trees);
    trees.first_node.push_back(static_cast<std::uint32_t>(trees.column.size()));
    trees.first_leaf.push_back(static_cast<std::uint32_t>(trees.values.size()));
    trees.score.push_back(static_cast<std::uint16_t>(score));
}

void add_scores(const GradientTrees& trees, std::size_t begin, std::size_t end, BlockColumns columns,
                std::size_t n_rows, double* scores, std::size_t stride) {
    for (std::size_t tree = begin; tree < end; ++tree) {
        double* const of_tree = scores + trees.score[tree] * stride;
        if (trees.first_leaf[tree + 1] - trees.first_leaf[tree] <= 16)
            add_tree<std::uint16_t>(trees, tree, columns, n_rows, of_tree);
        else
            add_tree<std::uint64_t>(trees, tree, columns, n_rows, of_tree);
    }
}

}  // namespace calibrant

#include <algorithm>
#include <utility>

#include "tree/prune/pruning.hpp"

namespace calibrant {
namespace {

constexpr double same = 1e-12;  // strengths closer than this, relatively, are equal
constexpr std::int32_t none = -1;

// The cost of a subtree is min(R(leaf) + alpha, sum of its branches' costs), concave and piecewise linear in alpha, and
// so is that of every branch: bending where a node below becomes a leaf. From the leaves up, a node's strength is where
// the two sides meet; bends beyond it no longer matter. Each node bends the cost once, so mergeable heaps make it O(n
// log n) for any depth.
class Links {
  public:
    explicit Links(const Tree& tree);
    CostComplexity sequence() const;

  private:
    void find_strength(std::size_t node);
    std::int32_t merge(std::int32_t a, std::int32_t b);
    std::int32_t rank(std::int32_t node) const { return node == none ? 0 : rank_[static_cast<std::size_t>(node)]; }
    std::int32_t without_top(std::int32_t top) {
        return merge(left_[static_cast<std::size_t>(top)], right_[static_cast<std::size_t>(top)]);
    }
    std::vector<double> rising_levels() const;

    const Tree& tree_;
    std::vector<double> strength_;  // errors for each leaf saved
    std::vector<double>
        saved_;  // errors that the subtree saves, and the leaves it takes, where it stops being worth them
    std::vector<std::size_t> taken_;
    std::vector<bool> is_lost_;                             // an ancestor becomes a leaf before
    std::vector<std::int32_t> heap_, left_, right_, rank_;  // leftist heaps, the strongest link on top
};

Links::Links(const Tree& tree)
    : tree_(tree),
      strength_(tree.n_nodes()),
      saved_(tree.n_nodes()),
      taken_(tree.n_nodes()),
      is_lost_(tree.n_nodes()),
      heap_(tree.n_nodes(), none),
      left_(tree.n_nodes(), none),
      right_(tree.n_nodes(), none),
      rank_(tree.n_nodes(), 1) {
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        if (!tree.is_leaf(node)) find_strength(node);
    }
}

// The right spine of a leftist heap of n nodes is at most log2(n + 1) long, and so is the recursion.
std::int32_t Links::merge(std::int32_t a, std::int32_t b) {
    if (a == none) return b;
    if (b == none) return a;
    if (strength_[static_cast<std::size_t>(a)] < strength_[static_cast<std::size_t>(b)]) std::swap(a, b);
    const auto top = static_cast<std::size_t>(a);
    right_[top] = merge(right_[top], b);
    if (rank(left_[top]) < rank(right_[top])) std::swap(left_[top], right_[top]);
    rank_[top] = rank(right_[top]) + 1;
    return a;
}

void Links::find_strength(std::size_t node) {
    double saved = errors_as_leaf(tree_, node);
    const double least = same * errors_as_leaf(tree_, 0);
    std::size_t taken = tree_.n_children[node] - 1;
    std::int32_t bends = none;
    for (std::size_t branch = 0; branch < tree_.n_children[node]; ++branch) {
        const std::size_t child = tree_.child(node, branch);
        saved -= errors_as_leaf(tree_, child);
        bends = merge(bends, heap_[child]);
    }
    const auto strength = [&] { return saved > least && taken > 0 ? saved / static_cast<double>(taken) : 0.0; };
    while (bends != none && strength_[static_cast<std::size_t>(bends)] > strength()) {
        const auto top = static_cast<std::size_t>(bends);
        saved += saved_[top];
        taken += taken_[top];
        is_lost_[top] = true;
        bends = without_top(bends);
    }
    strength_[node] = strength();
    saved_[node] = std::max(0.0, saved);
    taken_[node] = taken;
    left_[node] = bends;
    heap_[node] = static_cast<std::int32_t>(node);
}

// The different strengths at which something is pruned, ascending from 0; those that differ by rounding alone are one.
std::vector<double> Links::rising_levels() const {
    std::vector<double> all{0.0};
    for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
        if (!tree_.is_leaf(node) && !is_lost_[node]) all.push_back(strength_[node]);
    }
    std::sort(all.begin(), all.end());
    std::vector<double> levels;
    for (const double level : all) {
        if (!levels.empty() && level <= levels.back() * (1 + same))
            levels.back() = level;
        else
            levels.push_back(level);
    }
    return levels;
}

CostComplexity Links::sequence() const {
    const double total = tree_.weight[0] > 0 ? tree_.weight[0] : 1.0;
    const std::vector<double> levels = rising_levels();
    std::vector<double> saved(levels.size());
    std::vector<std::size_t> taken(levels.size());
    CostComplexity result{std::vector<double>(tree_.n_nodes()), std::vector<double>(levels.size()),
                          std::vector<std::size_t>(levels.size()), std::vector<double>(levels.size())};
    for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
        if (tree_.is_leaf(node)) continue;
        if (is_lost_[node]) {
            result.node_alpha[node] = result.node_alpha[static_cast<std::size_t>(tree_.parent[node])];
            continue;
        }
        const auto level =
            static_cast<std::size_t>(std::lower_bound(levels.begin(), levels.end(), strength_[node]) - levels.begin());
        saved[level] += saved_[node];
        taken[level] += taken_[node];
        result.node_alpha[node] = levels[level] / total;
    }
    double errors = errors_as_leaf(tree_, 0);
    std::size_t leaves = 1;
    for (std::size_t level = levels.size(); level-- > 0;) {
        result.alphas[level] = levels[level] / total;
        result.n_leaves[level] = leaves;
        result.risks[level] = std::max(0.0, errors) / total;
        errors -= saved[level];
        leaves += taken[level];
    }
    return result;
}

}  // namespace

CostComplexity cost_complexity(const Tree& tree) { return Links(tree).sequence(); }

Tree prune_cost_complexity(const Tree& tree, double alpha) {
    const CostComplexity pruning = cost_complexity(tree);
    std::vector<bool> is_leaf_now(tree.n_nodes());
    const double most = alpha * (1 + same);  // rounding must not keep a link of strength alpha
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) is_leaf_now[node] = pruning.node_alpha[node] <= most;
    return prune_to(tree, is_leaf_now);
}

}  // namespace calibrant

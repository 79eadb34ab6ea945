#include <algorithm>
#include <limits>

#include "tree/grow/criteria.hpp"
#include "tree/prune/pruning.hpp"

namespace calibrant {
namespace {

constexpr double same = 1e-12;  // risks closer than this, relative to that of the root, are equal
constexpr double infinite = std::numeric_limits<double>::infinity();

// The least risk with at most 1, 2, ... leaves: below a node, or below the first branches of one.
using Risks = std::vector<double>;

// Both sides together with at most k leaves, each having one at least.
Risks together(const Risks& a, const Risks& b, std::size_t most) {
    Risks sum(std::min(most, a.size() + b.size()), infinite);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size() && i + j + 1 < sum.size(); ++j)
            sum[i + j + 1] = std::min(sum[i + j + 1], a[i] + b[j]);
    }
    return sum;
}

class BestSubtree {
  public:
    BestSubtree(const Tree& tree, std::size_t max_leaves);
    Tree pruned() const;

  private:
    std::vector<Risks> branches_together(std::size_t node) const;
    void divide(std::size_t node, std::vector<std::size_t>& leaves) const;

    const Tree& tree_;
    std::size_t max_leaves_;
    std::vector<Risks> risks_;
};

BestSubtree::BestSubtree(const Tree& tree, std::size_t max_leaves)
    : tree_(tree), max_leaves_(max_leaves), risks_(tree.n_nodes()) {
    const XLogX xlogx(0);
    const Information information(xlogx);
    for (std::size_t node = tree.n_nodes(); node-- > 0;) {
        risks_[node] = {std::max(0.0, information.of(tree.counts_of(node), tree.weight[node]))};
        if (tree.is_leaf(node)) continue;
        const Risks split = branches_together(node).back();
        for (std::size_t k = 1; k < split.size(); ++k) risks_[node].push_back(std::min(risks_[node].back(), split[k]));
    }
}

// The risks of the first branch, of the first two, and so on.
std::vector<Risks> BestSubtree::branches_together(std::size_t node) const {
    std::vector<Risks> all{risks_[tree_.child(node, 0)]};
    for (std::size_t branch = 1; branch < tree_.n_children[node]; ++branch)
        all.push_back(together(all.back(), risks_[tree_.child(node, branch)], max_leaves_));
    return all;
}

// Divides the leaves of a node among its branches, the last first.
void BestSubtree::divide(std::size_t node, std::vector<std::size_t>& leaves) const {
    const std::vector<Risks> all = branches_together(node);
    std::size_t left = leaves[node];
    for (std::size_t branch = tree_.n_children[node]; branch-- > 1;) {
        const std::size_t child = tree_.child(node, branch);
        const Risks &before = all[branch - 1], &own = risks_[child];
        double least = infinite;
        for (std::size_t k = 1; k <= own.size() && k < left; ++k) {
            if (left - k > before.size() || !(before[left - k - 1] + own[k - 1] < least)) continue;
            least = before[left - k - 1] + own[k - 1];
            leaves[child] = k;
        }
        left -= leaves[child];
    }
    leaves[tree_.child(node, 0)] = left;
}

Tree BestSubtree::pruned() const {
    const double tolerance = same * risks_[0][0];
    std::vector<std::size_t> leaves(tree_.n_nodes());
    std::vector<bool> is_leaf_now(tree_.n_nodes());
    leaves[0] = risks_[0].size();
    for (std::size_t node = 0; node < tree_.n_nodes(); ++node) {
        if (leaves[node] == 0) continue;
        while (leaves[node] > 1 && risks_[node][leaves[node] - 2] <= risks_[node][leaves[node] - 1] + tolerance)
            --leaves[node];
        is_leaf_now[node] = leaves[node] == 1;
        if (leaves[node] > 1) divide(node, leaves);
    }
    return prune_to(tree_, is_leaf_now);
}

}  // namespace

Tree prune_to_leaves(const Tree& tree, std::size_t max_leaves) {
    return BestSubtree(tree, std::max<std::size_t>(max_leaves, 1)).pruned();
}

}  // namespace calibrant

// Rows descending a tree: one by one where a tested value may be missing, several at a time in lanes elsewhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "tree/lanes.hpp"
#include "tree/predict.hpp"
#include "tree/row_blocks.hpp"
#include "tree/tree.hpp"

namespace calibrant {

// Sends shares of a row down a tree, by the branches that its values take.
class ShareDescent {
  public:
    static constexpr std::size_t missing = static_cast<std::size_t>(-1);

    explicit ShareDescent(const Tree& tree) : tree_(tree) {}

    // Calls arrive(node, share) for every leaf below `start` that the row reaches; the shares add up to 1.
    // branch_at(node) is the branch of the row at a test, or `missing`. A row whose tested value is missing stays at a
    // node that no training row reached (after the tree was counted again).
    template <class BranchAt, class Arrive>
    void descend_from(std::size_t start, BranchAt&& branch_at, Arrive&& arrive) {
        pending_.assign(1, {start, 1.0});
        while (!pending_.empty()) {
            auto [node, share] = pending_.back();
            pending_.pop_back();
            while (!tree_.is_leaf(node)) {
                const std::size_t branch = branch_at(node);
                if (branch == missing) break;
                node = tree_.child(node, branch);
            }
            if (tree_.is_leaf(node) || !(tree_.weight[node] > 0) || !split_share(node, share)) arrive(node, share);
        }
    }

    // The branch of a number, of a category code or of a code of the table that the tree was grown from; `missing`
    // where it is missing and goes to every branch.
    template <class T>
    std::size_t branch_of_value(std::size_t node, T value) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (value != value) return branch_of_missing(node);
            return static_cast<double>(value) <= tree_.threshold[node] ? 0 : 1;
        } else if constexpr (std::is_signed_v<T>) {
            return value < 0 ? branch_of_missing(node) : nominal_branch(node, static_cast<std::uint32_t>(value));
        } else {
            if (value == missing_code<T>) return branch_of_missing(node);
            if (tree_.n_values[node] > 0) return nominal_branch(node, value);
            return value <= tree_.cut_code[node] ? 0 : 1;
        }
    }

  private:
    // A share of the row that has reached a node.
    struct NodeShare {
        std::size_t node;
        double share;
    };

    std::size_t nominal_branch(std::size_t node, std::uint32_t code) const {
        if (code >= tree_.n_values[node]) return branch_of_missing(node);
        const std::int32_t branch = tree_.branch_of_value[tree_.first_value[node] + code];
        return branch < 0 ? branch_of_missing(node) : static_cast<std::size_t>(branch);
    }
    std::size_t branch_of_missing(std::size_t node) const {
        const std::int32_t branch = tree_.missing_branch[node];
        return branch == Tree::all_branches ? missing : static_cast<std::size_t>(branch);
    }
    // Returns whether a branch takes a part. None takes more than the whole, whatever the weights of a file are.
    bool split_share(std::size_t node, double share) {
        const std::size_t n_before = pending_.size();
        for (std::size_t branch = tree_.n_children[node]; branch-- > 0;) {
            const std::size_t child = tree_.child(node, branch);
            const double portion = std::min(tree_.weight[child] / tree_.weight[node], 1.0);
            if (portion > 0) pending_.push_back({child, share * portion});
        }
        return pending_.size() > n_before;
    }

    const Tree& tree_;
    std::vector<NodeShare> pending_;
};

// Rows that descend a tree one by one.
class Descent {
  public:
    Descent(const Tree& tree, const PredictRows& rows) : tree_(tree), rows_(rows), shares_(tree) {}

    // Calls arrive(node, share) for every leaf that a row reaches.
    template <class Arrive>
    void descend(std::size_t row, Arrive&& arrive) {
        shares_.descend_from(0, [&](std::size_t node) { return branch_of(node, row); }, arrive);
    }

  private:
    std::size_t branch_of(std::size_t node, std::size_t row) const {
        return std::visit([&](const auto& column) { return shares_.branch_of_value(node, column[row]); },
                          rows_.columns[static_cast<std::size_t>(tree_.feature[node])]);
    }

    const Tree& tree_;
    const PredictRows& rows_;
    ShareDescent shares_;
};

// Divides a mixture by its shares' sum where rounding has taken that away from 1. A sum within a few last bits is left
// alone, so that rows of equal probabilities stay tied.
inline void divide(std::span<double> mixture, double total) {
    constexpr double last_bits = 4 * std::numeric_limits<double>::epsilon();
    if (std::abs(total - 1.0) <= last_bits) return;
    for (double& value : mixture) value /= total;
}

// The tests of a tree and the columns that they read.
template <class AnyLanes>
struct LaneLayout {
    AnyLanes lanes;
    TypedColumns<typename AnyLanes::Value> columns;
};

// A tree laid out for the rows that will descend it; several threads may walk blocks of them at once.
class TreeWalk {
  public:
    TreeWalk(const Tree& tree, const PredictRows& rows);

    // Calls on_leaf(row, leaf) for the rows that lanes can take and on_missing(descent, row) for the others.
    template <class OnLeaf, class OnMissing>
    void block(std::size_t begin, std::size_t end, OnLeaf&& on_leaf, OnMissing&& on_missing) const {
        Descent descent(tree_, rows_);
        std::visit(
            [&]<class AnyLayout>(const AnyLayout& layout) {
                if constexpr (std::is_same_v<AnyLayout, std::monostate>) {
                    for (std::size_t row = begin; row < end; ++row) on_missing(descent, row);
                } else {
                    in_lanes(layout, descent, begin, end, on_leaf, on_missing);
                }
            },
            layout_);
    }

  private:
    template <class AnyLayout, class OnLeaf, class OnMissing>
    static void in_lanes(const AnyLayout& layout, Descent& descent, std::size_t begin, std::size_t end,
                         OnLeaf&& on_leaf, OnMissing&& on_missing) {
        for (; begin < end; begin += lanes_at_once) {
            const std::size_t n = std::min(end - begin, lanes_at_once);
            const auto leaves = layout.lanes.leaves(layout.columns, begin, n);
            for (std::size_t lane = 0; lane < n; ++lane) {
                if (leaves[lane] != may_miss_value)
                    on_leaf(begin + lane, leaves[lane]);
                else
                    on_missing(descent, begin + lane);
            }
        }
    }

    const Tree& tree_;
    const PredictRows& rows_;
    std::variant<std::monostate, LaneLayout<Lanes<float>>, LaneLayout<Lanes<float, std::uint64_t>>,
                 LaneLayout<Lanes<double>>, LaneLayout<Lanes<std::uint8_t, std::uint32_t>>,
                 LaneLayout<Lanes<std::uint8_t, std::uint64_t>>, LaneLayout<Lanes<std::uint32_t>>,
                 LaneLayout<Lanes<std::uint32_t, std::uint64_t>>>
        layout_;
};

}  // namespace calibrant

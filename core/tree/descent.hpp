// The way of rows down a tree: row by row where values may be unknown, in lanes where that can be done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"
#include "tree/lanes.hpp"
#include "tree/predict.hpp"
#include "tree/tree.hpp"

namespace calibrant {

class Descent {
  public:
    Descent(const Tree& tree, const PredictRows& rows) : tree_(tree), rows_(rows) {}

    // Calls arrive(node, share) for every leaf that a row reaches; the shares add up to 1. A row whose value is unknown
    // where no training row went (in a tree that was counted anew) stays at that node.
    template <class Arrive>
    void descend(std::size_t row, Arrive&& arrive) {
        parts_.assign(1, {0, 1.0});
        while (!parts_.empty()) {
            auto [node, share] = parts_.back();
            parts_.pop_back();
            while (!tree_.is_leaf(node)) {
                const std::size_t branch = branch_of(node, row);
                if (branch == unknown) break;
                node = tree_.child(node, branch);
            }
            if (tree_.is_leaf(node) || !(tree_.weight[node] > 0))
                arrive(node, share);
            else
                part(node, share);
        }
    }

  private:
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1);

    // A part of a row that is on its way down.
    struct Part {
        std::size_t node;
        double share;
    };

    std::size_t branch_of(std::size_t node, std::size_t row) const {
        return std::visit([&](const auto& column) { return branch_of_value(node, column[row]); },
                          rows_.columns[static_cast<std::size_t>(tree_.feature[node])]);
    }
    template <class T>
    std::size_t branch_of_value(std::size_t node, T value) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (value != value) return unknown;
            return static_cast<double>(value) <= tree_.threshold[node] ? 0 : 1;
        } else if constexpr (std::is_signed_v<T>) {
            return value < 0 ? unknown : nominal_branch(node, static_cast<std::uint32_t>(value));
        } else {
            if (value == missing_code<T>) return unknown;
            if (tree_.n_values[node] > 0) return nominal_branch(node, value);
            return value <= tree_.cut_code[node] ? 0 : 1;
        }
    }
    std::size_t nominal_branch(std::size_t node, std::uint32_t code) const {
        if (code >= tree_.n_values[node]) return unknown;
        const std::int32_t branch = tree_.branch_of_value[tree_.first_value[node] + code];
        return branch < 0 ? unknown : static_cast<std::size_t>(branch);
    }
    void part(std::size_t node, double share) {
        for (std::size_t branch = tree_.n_children[node]; branch-- > 0;) {
            const std::size_t child = tree_.child(node, branch);
            const double portion = tree_.weight[child] / tree_.weight[node];
            if (portion > 0) parts_.push_back({child, share * portion});
        }
    }

    const Tree& tree_;
    const PredictRows& rows_;
    std::vector<Part> parts_;
};

// Rows are shared among threads in blocks of this size.
inline constexpr std::size_t rows_per_task = 4096;

template <class Body>
void in_blocks(std::size_t n_rows, std::size_t size, std::size_t n_threads, const StopToken& stop, Body&& body) {
    const std::size_t n_blocks = (n_rows + size - 1) / size;
    parallel_for(n_blocks, n_threads, stop,
                 [&](std::size_t block, std::size_t) { body(block * size, std::min(n_rows, (block + 1) * size)); });
}

template <class Body>
void in_blocks(std::size_t n_rows, std::size_t n_threads, const StopToken& stop, Body&& body) {
    in_blocks(n_rows, rows_per_task, n_threads, stop, std::forward<Body>(body));
}

// How many rows go through a forest together: its trees are loaded anew for each block, so that many rows share the
// cost, but there are equal blocks for every thread.
inline std::size_t rows_at_once(std::size_t n_rows, std::size_t n_threads) {
    constexpr std::size_t enough = std::size_t{1} << 15, blocks_a_thread = 4;
    const std::size_t threads = std::max<std::size_t>(n_threads, 1);
    const std::size_t n_blocks = threads * std::max(blocks_a_thread, n_rows / (threads * enough));
    return std::max(rows_per_task, (n_rows + n_blocks - 1) / n_blocks);
}

// A tree laid out for the rows it will see; blocks of them may be walked by several threads at once.
class Walk {
  public:
    Walk(const Tree& tree, const PredictRows& rows) : tree_(tree), rows_(rows) {
        if (tree.n_nodes() == 0) throw std::invalid_argument("the tree has no nodes");
        if (rows.n_rows < few_rows || rows.n_rows < tree.n_nodes() / few_rows) return;
        [[maybe_unused]] const bool is_laid_out =
            take(Lanes<float>::make(tree, rows)) || take(Lanes<float, std::uint64_t>::make(tree, rows)) ||
            take(Lanes<double>::make(tree, rows)) || take(Lanes<std::uint32_t>::make(tree, rows)) ||
            take(Lanes<std::uint32_t, std::uint64_t>::make(tree, rows));
    }

    // Calls sure(row, leaf) for the rows that the lanes can take and each(descent, row) for the others.
    template <class Sure, class Each>
    void block(std::size_t begin, std::size_t end, Sure&& sure, Each&& each) const {
        Descent descent(tree_, rows_);
        std::visit(
            [&]<class Way>(const Way& way) {
                if constexpr (std::is_same_v<Way, std::monostate>) {
                    for (std::size_t row = begin; row < end; ++row) each(descent, row);
                } else {
                    in_lanes(way, descent, begin, end, sure, each);
                }
            },
            lanes_);
    }

  private:
    static constexpr std::size_t few_rows = 16;  // not worth laying the tree out for the lanes

    template <class Made>
    bool take(Made&& made) {
        if (made) lanes_ = *std::forward<Made>(made);
        return made.has_value();
    }

    template <class Way, class Sure, class Each>
    static void in_lanes(const Way& lanes, Descent& descent, std::size_t begin, std::size_t end, Sure&& sure,
                         Each&& each) {
        for (; begin < end; begin += Way::width) {
            const std::size_t n = std::min(end - begin, Way::width);
            const auto leaves = lanes.leaves(begin, n);
            for (std::size_t lane = 0; lane < n; ++lane) {
                if (leaves[lane] != Way::unsure)
                    sure(begin + lane, leaves[lane]);
                else
                    each(descent, begin + lane);
            }
        }
    }

    const Tree& tree_;
    const PredictRows& rows_;
    std::variant<std::monostate, Lanes<float>, Lanes<float, std::uint64_t>, Lanes<double>, Lanes<std::uint32_t>,
                 Lanes<std::uint32_t, std::uint64_t>>
        lanes_;
};

}  // namespace calibrant

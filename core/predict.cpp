#include "predict.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "lanes.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_per_task = 4096;
constexpr std::size_t few_rows = 16;  // not worth laying the tree out for the lanes
constexpr std::size_t unknown = static_cast<std::size_t>(-1);

// A part of a row's weight that is on its way down.
struct Share {
    std::size_t node;
    double weight;
};

class Descent {
public:
    Descent(const Tree& tree, const PredictRows& rows) : tree_(tree), rows_(rows) {}

    // Calls arrive(node, weight) for every leaf that a row reaches; the weights add up to 1. A row whose value is unknown where
    // no training row went (in a tree that was counted anew) stays at that node.
    template <class Arrive>
    void descend(std::size_t row, Arrive&& arrive) {
        shares_.assign(1, {0, 1.0});
        while (!shares_.empty()) {
            auto [node, weight] = shares_.back();
            shares_.pop_back();
            while (!tree_.is_leaf(node)) {
                const std::size_t branch = branch_of(node, row);
                if (branch == unknown) break;
                node = tree_.child(node, branch);
            }
            if (tree_.is_leaf(node) || !(tree_.weight[node] > 0)) arrive(node, weight);
            else part(node, weight);
        }
    }

private:
    std::size_t branch_of(std::size_t node, std::size_t row) const {
        const auto& column = rows_.columns[static_cast<std::size_t>(tree_.feature[node])];
        if (const auto* codes = std::get_if<StridedView<std::int32_t>>(&column)) return nominal_branch(node, (*codes)[row]);
        const auto* single = std::get_if<StridedView<float>>(&column);
        const double value = single != nullptr ? static_cast<double>((*single)[row]) : std::get<StridedView<double>>(column)[row];
        if (value != value) return unknown;
        return value <= tree_.threshold[node] ? 0 : 1;
    }
    std::size_t nominal_branch(std::size_t node, std::int32_t code) const {
        if (code < 0 || static_cast<std::uint32_t>(code) >= tree_.n_values[node]) return unknown;
        const std::int32_t branch = tree_.branch_of_value[tree_.first_value[node] + static_cast<std::uint32_t>(code)];
        return branch < 0 ? unknown : static_cast<std::size_t>(branch);
    }
    void part(std::size_t node, double weight) {
        for (std::size_t branch = tree_.n_children[node]; branch-- > 0;) {
            const std::size_t child = tree_.child(node, branch);
            const double share = tree_.weight[child] / tree_.weight[node];
            if (share > 0) shares_.push_back({child, weight * share});
        }
    }

    const Tree& tree_;
    const PredictRows& rows_;
    std::vector<Share> shares_;
};

template <class Body>
void in_tasks(const PredictRows& rows, std::size_t n_threads, const std::stop_token& stop, Body&& body) {
    const std::size_t n_tasks = (rows.n_rows + rows_per_task - 1) / rows_per_task;
    parallel_for(n_tasks, n_threads, stop, [&](std::size_t task, std::size_t) {
        body(task * rows_per_task, std::min(rows.n_rows, (task + 1) * rows_per_task));
    });
}

// Calls sure(row, leaf) for the rows that fast lanes can take and each(descent, row) for the others.
template <class T, class Sure, class Each>
void walk_lanes(const Lanes<T>& lanes, Descent& descent, std::size_t begin, std::size_t end, Sure&& sure, Each&& each) {
    for (; begin < end; begin += Lanes<T>::width) {
        const std::size_t n = std::min(end - begin, Lanes<T>::width);
        const auto leaves = lanes.leaves(begin, n);
        for (std::size_t lane = 0; lane < n; ++lane) {
            if (leaves[lane] != Lanes<T>::unsure) sure(begin + lane, leaves[lane]);
            else each(descent, begin + lane);
        }
    }
}

template <class Sure, class Each>
void walk(const Tree& tree, const PredictRows& rows, std::size_t n_threads, const std::stop_token& stop, Sure&& sure, Each&& each) {
    std::optional<Lanes<float>> singles;
    std::optional<Lanes<double>> doubles;
    if (rows.n_rows >= few_rows && rows.n_rows >= tree.n_nodes() / few_rows) {
        singles = Lanes<float>::make(tree, rows);
        if (!singles) doubles = Lanes<double>::make(tree, rows);
    }
    in_tasks(rows, n_threads, stop, [&](std::size_t begin, std::size_t end) {
        Descent descent(tree, rows);
        if (singles) return walk_lanes(*singles, descent, begin, end, sure, each);
        if (doubles) return walk_lanes(*doubles, descent, begin, end, sure, each);
        for (std::size_t row = begin; row < end; ++row) each(descent, row);
    });
}

// Gives every node the counts of those below it, its weight and its majority class; the counts of the leaves are there.
void add_up(Tree& tree) {
    for (std::size_t node = tree.n_nodes(); node-- > 1;) {
        const auto above = static_cast<std::size_t>(tree.parent[node]);
        for (std::size_t k = 0; k < tree.n_classes; ++k) tree.counts[above * tree.n_classes + k] += tree.counts[node * tree.n_classes + k];
    }
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const auto counts = tree.counts_of(node);
        tree.weight[node] = std::accumulate(counts.begin(), counts.end(), 0.0);
        if (tree.weight[node] > 0) tree.label[node] = static_cast<std::int32_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
        else if (node > 0) tree.label[node] = tree.label[static_cast<std::size_t>(tree.parent[node])];
    }
}

}  // namespace

void predict(const Tree& tree, const PredictRows& rows, std::span<const double> table, std::span<double> out, std::size_t n_threads,
             const std::stop_token& stop) {
    if (tree.n_nodes() == 0 || table.size() % tree.n_nodes() != 0) throw std::invalid_argument("the table has a row for each node");
    const std::size_t width = table.size() / tree.n_nodes();
    if (out.size() != rows.n_rows * width) throw std::invalid_argument("the output has a row for each row");
    const auto copy = [&](std::size_t row, std::size_t leaf) { std::copy_n(table.data() + leaf * width, width, out.data() + row * width); };
    const auto mix = [&](Descent& descent, std::size_t row) {
        double* const to = out.data() + row * width;
        std::fill_n(to, width, 0.0);
        descent.descend(row, [&](std::size_t leaf, double weight) {
            for (std::size_t k = 0; k < width; ++k) to[k] += weight * table[leaf * width + k];
        });
    };
    walk(tree, rows, n_threads, stop, copy, mix);
}

void apply(const Tree& tree, const PredictRows& rows, std::span<std::int32_t> out, std::size_t n_threads, const std::stop_token& stop) {
    if (tree.n_nodes() == 0) throw std::invalid_argument("the tree has no nodes");
    const auto note = [&](std::size_t row, std::size_t leaf) { out[row] = static_cast<std::int32_t>(leaf); };
    const auto note_heaviest = [&](Descent& descent, std::size_t row) {
        double most = -1;
        descent.descend(row, [&](std::size_t leaf, double weight) {
            if (weight > most + 1e-12) {
                most = weight;
                note(row, leaf);
            }
        });
    };
    walk(tree, rows, n_threads, stop, note, note_heaviest);
}

Tree count_rows(const Tree& tree, const PredictRows& rows, std::span<const std::uint16_t> labels, std::span<const double> weights,
                const std::stop_token& stop) {
    if (labels.size() != rows.n_rows || weights.size() != rows.n_rows) throw std::invalid_argument("one label and one weight for each row");
    if (std::any_of(labels.begin(), labels.end(), [&](auto label) { return label >= tree.n_classes; })) throw std::invalid_argument("no such class");
    Tree counted = tree;
    std::fill(counted.counts.begin(), counted.counts.end(), 0.0);
    Descent descent(tree, rows);
    for (std::size_t row = 0; row < rows.n_rows; ++row) {
        if (row % rows_per_task == 0) check_stop(stop);
        if (weights[row] == 0) continue;
        descent.descend(row, [&](std::size_t leaf, double share) { counted.counts[leaf * tree.n_classes + labels[row]] += share * weights[row]; });
    }
    add_up(counted);
    return counted;
}

}  // namespace calibrant

// Nielsen's readings of forests: votes, mean predictions, pooled counts, leave-one-out predictions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bind/bind.hpp"
#include "bind/rows.hpp"
#include "forest/leave_one_out.hpp"
#include "forest/leave_one_out_by_label.hpp"
#include "forest/mean_predictions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

// Few rows are read in less time than a thread takes to start.
template <class Work>
auto run_over(const LeafPaths& paths, Work&& work) {
    constexpr std::size_t few = std::size_t{1} << 14;
    if (paths.n_rows() * paths.n_trees() > few) return run_interruptibly(work);
    const nb::gil_scoped_release released;
    return work(StopToken{});
}

std::unique_ptr<LeafPaths> leaf_paths_from_leaves(const Matrix<std::int32_t>& leaves) {
    return std::make_unique<LeafPaths>(span_of(leaves), leaves.shape(0));
}

std::unique_ptr<LeafPaths> leaf_paths_of_rows(const std::vector<const Tree*>& trees, std::size_t n_rows,
                                              const PredictArgument& columns) {
    return std::make_unique<LeafPaths>(trees, rows_to_predict(n_rows, columns));
}

std::unique_ptr<LeafPaths> leaf_paths_of_table(const std::vector<const Tree*>& trees, const CodedTable& table,
                                               std::size_t most_bytes, std::size_t n_threads) {
    return run_interruptibly(
        [&](const StopToken& stop) { return std::make_unique<LeafPaths>(trees, table, most_bytes, n_threads, stop); });
}

// Spans of the elements of arrays, one for each tree.
template <class T, class Array>
std::vector<std::span<const T>> spans_of(const std::vector<Array>& arrays) {
    std::vector<std::span<const T>> spans;
    for (const auto& array : arrays) spans.push_back(span_of(array));
    return spans;
}

TreeVotes tree_votes_of(const std::vector<Matrix<double>>& tables) {
    return {spans_of<double>(tables), tables.empty() ? 1 : tables.front().shape(1)};
}

BaggedRows bagged_rows(const Bags& bags, const Vector<std::int32_t>& classes,
                       const std::optional<Vector<double>>& weights, std::size_t n_classes, bool drawn_by_weight,
                       bool multiplicity, const std::optional<Vector<std::int32_t>>& groups, double step) {
    return {&bags, span_of(classes), span_of(weights), n_classes, drawn_by_weight, multiplicity, span_of(groups), step};
}

nb::object vote_forest(const LeafPaths& paths, const std::vector<Matrix<double>>& frequencies, const Bags* bags,
                       std::size_t n_threads) {
    const TreeVotes tree_votes = tree_votes_of(frequencies);
    std::vector<double> votes(paths.n_rows() * tree_votes.n_classes());
    std::vector<std::int32_t> labels(paths.n_rows());
    run_over(paths, [&](const StopToken& stop) { vote(paths, tree_votes, bags, votes, labels, n_threads, stop); });
    return nb::make_tuple(to_numpy(std::move(votes), {paths.n_rows(), tree_votes.n_classes()}),
                          to_numpy(std::move(labels), {paths.n_rows()}));
}

// The predictions of a tree: the index by node and label (none: the node's number), and the table.
using LeafPredictionsArgument = std::pair<std::optional<Matrix<std::int32_t>>, Matrix<double>>;

nb::object average_forest(const LeafPaths& paths, const std::vector<Matrix<double>>& voters,
                          const std::vector<std::vector<LeafPredictionsArgument>>& arrays, const Bags* bags,
                          std::size_t n_threads) {
    const TreeVotes tree_votes = tree_votes_of(voters);
    PredictionLevels levels;
    for (const auto& level : arrays) {
        auto& trees = levels.emplace_back();
        for (const auto& [index, table] : level)
            trees.push_back({span_of(index), span_of(table), index ? index->shape(1) : 1});
    }
    const std::size_t width = arrays.at(0).at(0).second.shape(1);
    std::vector<double> out(paths.n_rows() * width);
    run_over(paths, [&](const StopToken& stop) {
        average_predictions(paths, tree_votes, levels, bags, out, n_threads, stop);
    });
    return to_numpy(std::move(out), {paths.n_rows(), width});
}

std::vector<std::uint8_t> marks_of(const std::optional<Vector<bool>>& chosen) {
    return chosen ? std::vector<std::uint8_t>(chosen->data(), chosen->data() + chosen->size())
                  : std::vector<std::uint8_t>();
}

// The results of work(tree) for some trees from `first` on, in threads.
template <class Work>
auto for_trees(const LeafPaths& paths, std::size_t first, std::size_t n, std::size_t n_threads, Work&& work) {
    if (first + n > paths.n_trees()) throw std::invalid_argument("there are fewer trees");
    return run_over(paths, [&](const StopToken& stop) {
        std::vector<BinCounts> found(n);
        parallel_for(n, n_threads, stop, [&](std::size_t i, std::size_t) { found[i] = work(first + i, i, stop); });
        return found;
    });
}

nb::object counted_leaves(const LeafPaths& paths, std::size_t first, const std::vector<std::size_t>& n_nodes,
                          const BaggedRows& rows, const std::optional<Vector<bool>>& left_out, std::size_t n_threads) {
    rows.bags->check(paths.n_trees(), paths.n_rows());
    const std::vector<std::uint8_t> marks = marks_of(left_out);
    auto found =
        for_trees(paths, first, n_nodes.size(), n_threads, [&](std::size_t tree, std::size_t i, const StopToken& stop) {
            return count_leaves(paths, tree, n_nodes[i], rows, marks, stop);
        });
    nb::list counts;
    for (auto& each : found) {
        const std::size_t n_bins = each.n_bins();
        counts.append(to_numpy(std::move(each.counts), {n_bins, 2 * rows.n_classes}));
    }
    return counts;
}

nb::object counted_cells(const LeafPaths& paths, std::size_t first, const std::vector<std::size_t>& n_nodes,
                         const BaggedRows& rows, const Vector<std::int32_t>& labels, std::size_t n_threads) {
    rows.bags->check(paths.n_trees(), paths.n_rows());
    auto found =
        for_trees(paths, first, n_nodes.size(), n_threads, [&](std::size_t tree, std::size_t i, const StopToken& stop) {
            return count_cells(paths, tree, n_nodes[i], rows, span_of(labels), stop);
        });
    nb::list cells;
    for (auto& each : found) {
        const std::size_t n_nodes_here = each.index.size() / rows.n_classes, n_bins = each.n_bins();
        cells.append(nb::make_tuple(to_numpy(std::move(each.index), {n_nodes_here, rows.n_classes}),
                                    to_numpy(std::move(each.counts), {n_bins, 2 * rows.n_classes})));
    }
    return cells;
}

nb::object pooled_nodes(const Matrix<double>& leaves, const Vector<std::int32_t>& parents, const Pooling& pooling) {
    const std::size_t n_classes = leaves.shape(1) / 2, n_nodes = leaves.shape(0);
    if (parents.size() != n_nodes || pooling.added.size() != n_classes)
        throw std::invalid_argument("counts must be those of the nodes and classes of the tree");
    return to_numpy(pool_nodes({n_classes, span_of(leaves)}, span_of(parents), pooling), {n_nodes, n_classes});
}

nb::object pooled_bins(const Matrix<std::int32_t>& index, const Matrix<double>& counts, const Pooling& pooling) {
    const std::size_t n_classes = counts.shape(1) / 2, n_cells = counts.shape(0);
    const auto lines = span_of(index);
    if (pooling.added.size() != n_classes ||
        std::ranges::any_of(lines, [&](std::int32_t at) { return at >= 0 && static_cast<std::size_t>(at) >= n_cells; }))
        throw std::invalid_argument("the index must be that of the cells");
    auto found = pool_bins({lines.begin(), lines.end()}, {n_classes, span_of(counts)}, pooling);
    return nb::make_tuple(to_numpy(std::move(found.index), {index.shape(0), index.shape(1)}),
                          to_numpy(std::move(found.table), {n_cells, n_classes}));
}

nb::object pooled_leaves(const LeafPaths& paths, const std::vector<Vector<std::int32_t>>& parents,
                         const BaggedRows& rows, const std::optional<Vector<bool>>& left_out, const Pooling& pooling,
                         std::size_t n_threads) {
    const auto spans = spans_of<std::int32_t>(parents);
    const std::vector<std::uint8_t> marks = marks_of(left_out);
    auto found = run_over(
        paths, [&](const StopToken& stop) { return pool_leaves(paths, spans, rows, marks, pooling, n_threads, stop); });
    nb::list counts;
    for (auto& each : found) {
        const std::size_t n_nodes = each.size() / rows.n_classes;
        counts.append(to_numpy(std::move(each), {n_nodes, rows.n_classes}));
    }
    return counts;
}

nb::object pooled_cells(const LeafPaths& paths, const std::vector<std::size_t>& n_nodes, const BaggedRows& rows,
                        const Vector<std::int32_t>& labels, const Pooling& pooling, std::size_t n_threads) {
    auto found = run_over(paths, [&](const StopToken& stop) {
        return pool_cells(paths, n_nodes, rows, span_of(labels), pooling, n_threads, stop);
    });
    nb::list cells;
    for (auto& [index, table] : found) {
        const std::size_t n_nodes_here = index.size() / rows.n_classes, n_cells = table.size() / rows.n_classes;
        cells.append(nb::make_tuple(to_numpy(std::move(index), {n_nodes_here, rows.n_classes}),
                                    to_numpy(std::move(table), {n_cells, rows.n_classes})));
    }
    return cells;
}

nb::object leave_one_out_predictions(const LeafPaths& paths, const std::vector<std::size_t>& n_nodes,
                                     const BaggedRows& rows, const Pooling& pooling, const std::vector<double>& alphas,
                                     std::size_t n_threads, const std::vector<Matrix<double>>& whole) {
    const CountEstimate estimate{pooling, alphas};
    const auto counts = spans_of<double>(whole);
    auto found = run_over(paths, [&](const StopToken& stop) {
        return predict_leave_one_out(paths, n_nodes, rows, estimate, counts, n_threads, stop);
    });
    return to_numpy(std::move(found), {paths.n_rows(), estimate.width(rows.n_classes)});
}

nb::object leave_one_out_predictions_by_label(const LeafPaths& paths, const std::vector<std::size_t>& n_nodes,
                                              const BaggedRows& rows, const std::vector<Matrix<double>>& frequencies,
                                              const Pooling& pooling, const std::vector<double>& alphas,
                                              std::size_t max_neighbors, std::size_t n_threads) {
    const CountEstimate estimate{pooling, alphas};
    const TreeVotes tree_votes = tree_votes_of(frequencies);
    auto found = run_over(paths, [&](const StopToken& stop) {
        return predict_leave_one_out_by_label(paths, n_nodes, rows, tree_votes, estimate, max_neighbors, n_threads,
                                              stop);
    });
    return to_numpy(std::move(found), {paths.n_rows(), estimate.width(rows.n_classes)});
}

}  // namespace

void bind_readings(nb::module_& module) {
    nb::class_<LeafPaths>(module, "LeafPaths", "The leaves that rows reach in the trees of a forest.");
    module.def("leaf_paths_from_leaves", &leaf_paths_from_leaves, "leaves"_a.noconvert(), nb::keep_alive<0, 1>(),
               "Return leaf paths from the leaves of rows, trees x rows; -1 where a tree is not used for a row.");
    module.def("leaf_paths_of_rows", &leaf_paths_of_rows, "trees"_a, "n_rows"_a, "columns"_a.noconvert(),
               nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(),
               "Return the leaf paths of new rows, found whenever they are used.");
    module.def("leaf_paths_of_table", &leaf_paths_of_table, "trees"_a, "table"_a, "most_bytes"_a, "n_threads"_a,
               nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
               "Return the leaf paths of the table that the trees were grown from, stored as far as they fit into "
               "most_bytes.");

    nb::class_<BaggedRows>(module, "BaggedRows", "The training rows of a forest.");
    module.def("bagged_rows", &bagged_rows, "bags"_a, "classes"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a, "drawn_by_weight"_a, "multiplicity"_a, "groups"_a.noconvert().none(), "step"_a,
               nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 7>());
    nb::class_<Pooling>(module, "Pooling", "Options of probabilities from counts.")
        .def(nb::init<bool, double, bool, double, std::vector<double>>(), "only"_a, "alpha"_a, "by_bin"_a, "floor"_a,
             "added"_a)
        .def(
            "alpha_of",
            [](const Pooling& pooling, const Vector<double>& inside, const Vector<double>& outside) {
                return pooling.alpha_of(span_of(inside), span_of(outside));
            },
            "inside"_a.noconvert(), "outside"_a.noconvert(),
            "Return the weight of an out-of-bag row in a bin of these counts.");

    module.def(
        "vote_forest", &vote_forest, "paths"_a, "frequencies"_a.noconvert(), "bags"_a.none(), "n_threads"_a,
        "Return the votes of the trees whose bag does not hold the row, and the class that wins, -1 without votes.");
    module.def("average_forest", &average_forest, "paths"_a, "voters"_a.noconvert(), "levels"_a.noconvert(),
               "bags"_a.none(), "n_threads"_a,
               "Return the mean prediction of the trees by leaf and voted label, at the first level that has any.");
    module.def("count_leaves", &counted_leaves, "paths"_a, "first"_a, "n_nodes"_a, "rows"_a,
               "left_out"_a.noconvert().none(), "n_threads"_a,
               "Return for some trees from `first` on, of so many nodes each, the class counts of the rows in and out "
               "of the bag at each node, those out of the bag unless they are left out.");
    module.def("count_cells", &counted_cells, "paths"_a, "first"_a, "n_nodes"_a, "rows"_a, "labels"_a.noconvert(),
               "n_threads"_a, "Return the same by leaf and label: the index of a cell, -1 for none, and the counts.");
    module.def("pool_nodes", &pooled_nodes, "leaves"_a.noconvert(), "parents"_a.noconvert(), "pooling"_a,
               "Return the pooled counts of every node of a tree from the counts of its leaves.");
    module.def("pool_bins", &pooled_bins, "index"_a.noconvert(), "counts"_a.noconvert(), "pooling"_a,
               "Return the index of the prediction for a leaf and a label, and the predictions, from counts.");
    module.def("pool_leaves", &pooled_leaves, "paths"_a, "parents"_a.noconvert(), "rows"_a,
               "left_out"_a.noconvert().none(), "pooling"_a, "n_threads"_a,
               "Return the pooled counts of every node, for each tree.");
    module.def("pool_cells", &pooled_cells, "paths"_a, "n_nodes"_a, "rows"_a, "labels"_a.noconvert(), "pooling"_a,
               "n_threads"_a,
               "Return for each tree the index of the prediction for a leaf and a label, and the predictions.");
    module.def(
        "predict_leave_one_out", &leave_one_out_predictions, "paths"_a, "n_nodes"_a, "rows"_a, "pooling"_a, "alphas"_a,
        "n_threads"_a, "whole"_a.noconvert() = std::vector<Matrix<double>>(),
        "Return out-of-bag predictions by leaf, each row left out of its leaves, or the probabilities of its own "
        "class for each alpha; NaN where no tree has a prediction. `whole` has the counts of all rows, for each tree, "
        "where these are some of them.");
    module.def("predict_leave_one_out_by_label", &leave_one_out_predictions_by_label, "paths"_a, "n_nodes"_a, "rows"_a,
               "frequencies"_a.noconvert(), "pooling"_a, "alphas"_a, "max_neighbors"_a, "n_threads"_a,
               "Return out-of-bag predictions by leaf and label from the trees grown without each row; NaN where there "
               "is none.");
}

}  // namespace calibrant

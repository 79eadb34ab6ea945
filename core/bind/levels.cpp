// Trees grown level by level: what the parts of the rows count, and what is chosen from their sums.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bind/bind.hpp"
#include "bind/rows.hpp"
#include "tree/levels/level_rows.hpp"
#include "tree/levels/level_tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

// n_table_rows, n_rows, weight, heaviest, is_whole, present (columns x 256; none: no row is absent).
using WholeArgument = std::tuple<std::size_t, std::size_t, double, double, bool, std::optional<Matrix<std::uint8_t>>>;
// key, depth, used columns.
using TopArgument = std::tuple<std::uint64_t, std::size_t, std::vector<bool>>;
// nodes, columns, first, counts_rows.
using RequestArgument =
    std::tuple<std::vector<std::int32_t>, std::vector<std::uint32_t>, std::vector<std::size_t>, bool>;
using RowNodes = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

WholeTree whole_of(const CodedTable& columns, const WholeArgument& argument) {
    const auto& [n_table_rows, n_rows, weight, heaviest, is_whole, present] = argument;
    WholeTree whole{n_table_rows, n_rows, weight, heaviest, is_whole};
    if (present) whole.last_present = last_present_of(columns, {present->data(), present->size()});
    return whole;
}

PartRows part_of(const CodedTable& table, const Column<std::uint16_t>& labels,
                 const std::optional<Column<double>>& weights, std::size_t n_classes) {
    const PartRows rows{&table, contiguous(labels), contiguous(weights), n_classes};
    if (table.n_rows() > 0 && table.bytes() == nullptr) throw std::invalid_argument("the table must be one of bytes");
    if (rows.labels.size() != table.n_rows() || (weights && rows.weights.size() != table.n_rows()))
        throw std::invalid_argument("labels and weights must have one entry per row");
    return rows;
}

nb::object part_totals(const CodedTable& table, const Column<std::uint16_t>& labels,
                       const std::optional<Column<double>>& weights, std::size_t n_classes) {
    const PartRows rows = part_of(table, labels, weights, n_classes);
    PartTotals totals = run_interruptibly([&](const StopToken&) { return totals_of(rows); });
    const std::size_t n_columns = table.n_columns();
    return nb::make_tuple(to_numpy(std::move(totals.counts), {n_classes}), totals.n_rows, totals.heaviest,
                          totals.is_whole, to_numpy(std::move(totals.present), {n_columns, 256}));
}

void route_rows(const Tree& tree, const CodedTable& table, const RowNodes& node_of_row) {
    if (node_of_row.shape(0) != table.n_rows()) throw std::invalid_argument("there must be a node for each row");
    const std::span<std::int32_t> nodes(node_of_row.data(), node_of_row.shape(0));
    run_interruptibly([&](const StopToken& stop) { route(tree, table, nodes, stop); });
}

template <class Cell>
nb::object counted(const PartRows& rows, std::span<const std::int32_t> nodes, const HistogramRequest& request) {
    auto histograms =
        run_interruptibly([&](const StopToken& stop) { return count_level<Cell>(rows, nodes, request, stop); });
    const std::size_t n_cells = histograms.cells.size(), n_rows = histograms.rows.size();
    return nb::make_tuple(to_numpy(std::move(histograms.cells), {n_cells}),
                          to_numpy(std::move(histograms.rows), {n_rows}));
}

nb::object count_rows_of_level(const CodedTable& table, const Column<std::uint16_t>& labels,
                               const std::optional<Column<double>>& weights, std::size_t n_classes,
                               const Column<std::int32_t>& node_of_row, const RequestArgument& request, bool is_whole) {
    const PartRows rows = part_of(table, labels, weights, n_classes);
    const auto& [nodes, columns, first, counts_rows] = request;
    const HistogramRequest wanted{nodes, columns, first, counts_rows};
    const auto of_rows = contiguous(node_of_row);
    if (of_rows.size() != table.n_rows()) throw std::invalid_argument("there must be a node for each row");
    return is_whole ? counted<std::uint32_t>(rows, of_rows, wanted) : counted<double>(rows, of_rows, wanted);
}

RequestArgument request_of(LevelTree& tree) {
    HistogramRequest request = tree.request();
    return {std::move(request.nodes), std::move(request.columns), std::move(request.first), request.counts_rows};
}

TopArgument top_of(const LevelTree& tree, std::int32_t node) {
    const SubtreeRoot& root = tree.root_of(node);
    return {root.key, root.depth, root.used};
}

Tree grow_top(const CodedTable& table, const Column<std::uint16_t>& labels,
              const std::optional<Column<double>>& weights, std::size_t n_classes, const GrowOptions& options,
              const WholeArgument& whole, const TopArgument& top) {
    const WholeTree all = whole_of(table, whole);
    const Examples examples{&table, contiguous(labels), contiguous(weights), n_classes, {}, &all};
    const auto& [key, depth, used] = top;
    if (used.size() != table.n_columns()) throw std::invalid_argument("used must have one entry per column");
    return run_interruptibly(
        [&](const StopToken& stop) { return grow_subtree(examples, options, {key, depth, used}, stop); });
}

}  // namespace

void bind_levels(nb::module_& module) {
    nb::class_<LevelTree>(module, "LevelTree", "The top of a tree, grown level by level from histograms.")
        .def(
            "__init__",
            [](LevelTree* self, const CodedTable& columns, const Column<double>& counts, const GrowOptions& options,
               const WholeArgument& whole, double few_rows) {
                new (self) LevelTree(columns, copied(counts), options, whole_of(columns, whole), few_rows);
            },
            "columns"_a, "counts"_a, "options"_a, "whole"_a, "few_rows"_a, nb::keep_alive<1, 2>())
        .def("request", &request_of, "Return the histograms needed next: nodes, columns, first, counts_rows.")
        .def(
            "grow",
            [](LevelTree& self, const std::variant<Column<std::uint32_t>, Column<double>>& cells,
               const std::optional<Column<std::uint32_t>>& rows) {
                std::visit([&](const auto& each) { self.grow(contiguous(each), contiguous(rows)); }, cells);
            },
            "cells"_a.noconvert(), "rows"_a.noconvert().none(),
            "Split the nodes of the last request by their histograms, added up over all parts.",
            nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("tree", &LevelTree::tree, nb::rv_policy::copy, "The tree so far, nodes in the order made.")
        .def_prop_ro(
            "left",
            [](const LevelTree& self) { return std::vector<std::int32_t>(self.left().begin(), self.left().end()); },
            "The nodes left to be grown from their rows.")
        .def("top_of", &top_of, "node"_a, "Return key, depth and used columns of a node left.")
        .def(
            "weight_of",
            [](const LevelTree& self, std::int32_t node) {
                return self.tree().weight.at(static_cast<std::size_t>(node));
            },
            "node"_a, "Return the weight of a node.")
        .def(
            "finished",
            [](const LevelTree& self, const std::vector<const Tree*>& subtrees) { return self.finished(subtrees); },
            "subtrees"_a, "Return the tree with the subtrees of the nodes left, in preorder.");

    module.def("part_totals", &part_totals, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a,
               "Return class weights, number of rows, greatest weight, whether all are whole, and the codes present.");
    module.def(
        "route_rows", &route_rows, "tree"_a, "table"_a, "node_of_row"_a.noconvert(),
        "Move each row of a table of bytes on to the leaf below its node; -1 stays, and is what becomes of a row "
        "that reaches several leaves.");
    module.def("count_level", &count_rows_of_level, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a, "node_of_row"_a.noconvert(), "request"_a, "is_whole"_a,
               "Return the histograms of a request, and the rows of each value where requested.");
    module.def("grow_subtree", &grow_top, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a, "options"_a, "whole"_a, "top"_a,
               "Grow the subtree of a node from its rows; whole: what it must know of the others.");
}

}  // namespace calibrant

// The door between Python and the core: arrays in, arrays out, the GIL released; nothing is computed here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "bind/bootstrap.hpp"
#include "bind/calibration.hpp"
#include "bind/forest.hpp"
#include "bind/interruptible.hpp"
#include "bind/lazy.hpp"
#include "bind/metrics.hpp"
#include "bind/packed.hpp"
#include "bind/readings.hpp"
#include "bind/rows.hpp"
#include "bind/stumps.hpp"
#include "bind/venn.hpp"
#include "forest/forest.hpp"
#include "parallel.hpp"
#include "table/coded_table.hpp"
#include "tree/arrivals.hpp"
#include "tree/grow/grower.hpp"
#include "tree/predict.hpp"
#include "tree/prune/pruning.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

template <class T>
using ReadOnly = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

using NominalArgument = std::pair<Column<std::int32_t>, std::size_t>;
using ColumnArgument = std::variant<Column<float>, Column<double>, NominalArgument>;

struct ToSource {
    ColumnSource operator()(const Column<float>& column) const { return view(column); }
    ColumnSource operator()(const Column<double>& column) const { return view(column); }
    ColumnSource operator()(const NominalArgument& column) const {
        return NominalSource{view(column.first), column.second};
    }
};

CodedTable code_table(std::size_t n_rows, const std::vector<ColumnArgument>& columns, std::size_t n_threads) {
    std::vector<ColumnSource> sources;
    sources.reserve(columns.size());
    for (const auto& column : columns) sources.push_back(std::visit(ToSource{}, column));
    return run_interruptibly([&](const StopToken& stop) { return CodedTable::code(n_rows, sources, n_threads, stop); });
}

using CodesArgument = std::variant<Column<std::uint16_t>, Column<std::uint32_t>>;

// A column as a pickle holds it: codes, number of values, and the values of a numeric one.
using ColumnState = std::tuple<CodesArgument, std::uint32_t, std::optional<Column<double>>>;

CodedColumn make_column(const ColumnState& state) {
    const auto& [codes, n_values, values] = state;
    CodedColumn column{.kind = values ? Kind::numeric : Kind::nominal, .n_values = n_values};
    std::visit(
        [&]<class Code>(const Column<Code>& given) {
            auto kept = copied(given);
            column.n_missing = static_cast<std::uint64_t>(std::count(kept.begin(), kept.end(), missing_code<Code>));
            column.codes = std::move(kept);
        },
        codes);
    if (values) column.values = copied(*values);
    return column;
}

CodedTable restore_table(std::size_t n_rows, const std::vector<ColumnState>& columns) {
    const nb::gil_scoped_release released;
    std::vector<CodedColumn> restored;
    for (const auto& column : columns) restored.push_back(make_column(column));
    return CodedTable(n_rows, std::move(restored));
}

template <class T>
nb::object as_array(const std::vector<T>& values, nb::handle owner) {
    return nb::cast(ReadOnly<T>(values.data(), {values.size()}, owner));
}

nb::object codes_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return std::visit([&](const auto& codes) { return as_array(codes, self); }, column.codes);
}

nb::object values_of(nb::handle_t<CodedTable> self, std::size_t index) {
    const auto& column = nb::cast<const CodedTable&>(self).column(index);
    return column.kind == Kind::nominal ? nb::none() : as_array(column.values, self);
}

// A member of a tree or another result as a read-only view.
template <class Owner, class T>
auto view_of(std::vector<T> Owner::* member) {
    return [member](nb::handle_t<Owner> self) { return as_array(nb::cast<const Owner&>(self).*member, self); };
}

template <class T>
std::span<const T> span_of(const Column<T>& column) {
    if (column.stride(0) != 1 && column.shape(0) > 1)
        throw std::invalid_argument("labels, weights and cases must be contiguous");
    return {column.data(), column.shape(0)};
}

template <class T>
std::span<const T> span_of(const std::optional<Column<T>>& column) {
    return column ? span_of(*column) : std::span<const T>{};
}

Examples examples_of(const CodedTable& table, const Column<std::uint16_t>& labels,
                     const std::optional<Column<double>>& weights, std::size_t n_classes) {
    return {&table, span_of(labels), span_of(weights), n_classes};
}

Tree prune_tree_pessimistically(const Tree& tree, const CodedTable& table, const Column<std::uint16_t>& labels,
                                const std::optional<Column<double>>& weights, const PessimisticOptions& options) {
    const Examples examples = examples_of(table, labels, weights, tree.n_classes);
    return run_interruptibly([&](const StopToken& stop) { return prune_pessimistic(tree, examples, options, stop); });
}

Tree grow_tree(const CodedTable& table, const Column<std::uint16_t>& labels,
               const std::optional<Column<double>>& weights, std::size_t n_classes, const GrowOptions& options,
               const std::optional<Column<double>>& cases) {
    Examples examples = examples_of(table, labels, weights, n_classes);
    examples.cases = span_of(cases);
    return run_interruptibly([&](const StopToken& stop) { return grow(examples, options, stop); });
}

std::vector<Tree> grow_trees(const CodedTable& table, const Column<std::uint16_t>& labels,
                             const std::optional<Column<double>>& weights,
                             const nb::ndarray<const std::uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& in_bag,
                             const std::vector<std::uint64_t>& seeds, std::size_t n_classes,
                             const GrowOptions& options) {
    const Examples examples = examples_of(table, labels, weights, n_classes);
    const Bags bags{{in_bag.data(), in_bag.size()}, seeds};
    return run_interruptibly([&](const StopToken& stop) { return grow_forest(examples, bags, options, stop); });
}

void predict_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                  const std::vector<Matrix>& tables, const std::vector<Writable>& outputs, std::size_t n_threads) {
    if (tables.size() != outputs.size()) throw std::invalid_argument("an output for each table");
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<Reading> readings;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        readings.push_back({{tables[i].data(), tables[i].size()}, {outputs[i].data(), outputs[i].size()}});
    }
    run_down(tree, n_rows, [&](const StopToken& stop) { predict(tree, rows, readings, n_threads, stop); });
}

nb::object apply_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<std::int32_t> out(n_rows);
    run_down(tree, n_rows, [&](const StopToken& stop) { apply(tree, rows, out, n_threads, stop); });
    return given_away(std::move(out), {n_rows});
}

nb::object arrivals_of_rows(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                            const std::optional<Column<bool>>& wanted, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<std::uint8_t> marks;
    for (std::size_t row = 0; wanted && row < wanted->shape(0); ++row) marks.push_back(view(*wanted)[row]);
    Arrivals found;
    run_down(tree, n_rows, [&](const StopToken& stop) { found = arrivals(tree, rows, marks, n_threads, stop); });
    const std::size_t n = found.row.size();
    return nb::make_tuple(given_away(std::move(found.row), {n}), given_away(std::move(found.leaf), {n}),
                          given_away(std::move(found.share), {n}));
}

Tree count_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                const Column<std::uint16_t>& labels, const Column<double>& weights) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    const auto labels_copy = copied(labels);
    const auto weights_copy = copied(weights);
    return run_interruptibly(
        [&](const StopToken& stop) { return count_rows(tree, rows, labels_copy, weights_copy, stop); });
}

// The arrays of a tree in the order in which Tree.state gives them.
using TreeState =
    std::tuple<Column<std::int32_t>, Column<std::int32_t>, Column<double>, Column<std::uint32_t>, Column<std::int32_t>,
               Column<double>, Column<double>, Column<std::uint32_t>, Column<std::uint32_t>, Column<std::int32_t>,
               Column<std::uint32_t>, Column<std::uint32_t>, Column<std::int32_t>>;
constexpr auto tree_members =
    std::tuple{&Tree::parent,      &Tree::feature,  &Tree::threshold,      &Tree::cut_code,   &Tree::label,
               &Tree::weight,      &Tree::counts,   &Tree::first_child,    &Tree::n_children, &Tree::children,
               &Tree::first_value, &Tree::n_values, &Tree::branch_of_value};

nb::object state_of(nb::handle_t<Tree> self) {
    const Tree& tree = nb::cast<const Tree&>(self);
    return std::apply([&](auto... member) { return nb::object(nb::make_tuple(as_array(tree.*member, self)...)); },
                      tree_members);
}

Tree restore_tree(std::size_t n_classes, const TreeState& state) {
    Tree tree(n_classes);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((tree.*std::get<I>(tree_members) = copied(std::get<I>(state))), ...);
    }(std::make_index_sequence<std::tuple_size_v<TreeState>>{});
    tree.check();
    return tree;
}

}  // namespace

NB_MODULE(_core, module) {
    module.doc() = "The native core of calibrant; private, its interface may change at any time.";

    nb::class_<CodedTable>(module, "CodedTable", "Columns as small integers; immutable.")
        .def_prop_ro("n_rows", &CodedTable::n_rows)
        .def_prop_ro("n_columns", &CodedTable::n_columns)
        .def_prop_ro("n_bytes", &CodedTable::n_bytes)
        .def("codes", &codes_of, "index"_a,
             "The codes of a column: uint16 or uint32, the greatest for missing; a view.")
        .def("values", &values_of, "index"_a,
             "The distinct values of a numeric column, ascending; None for a nominal one.")
        .def(
            "n_values", [](const CodedTable& table, std::size_t index) { return table.column(index).n_values; },
            "index"_a)
        .def(
            "n_missing", [](const CodedTable& table, std::size_t index) { return table.column(index).n_missing; },
            "index"_a);

    nb::enum_<CriterionName>(module, "Criterion")
        .value("entropy", CriterionName::entropy)
        .value("gini", CriterionName::gini)
        .value("dkm", CriterionName::dkm)
        .value("hellinger", CriterionName::hellinger);
    nb::enum_<NominalSplits>(module, "NominalSplits")
        .value("multiway", NominalSplits::multiway)
        .value("subset", NominalSplits::subset)
        .value("binary", NominalSplits::binary);
    nb::enum_<Dialect>(module, "Dialect").value("c45", Dialect::c45).value("j48", Dialect::j48);

    nb::class_<GrowOptions>(module, "GrowOptions", "How to grow a tree.")
        .def(nb::init<>())
        .def_rw("criterion", &GrowOptions::criterion)
        .def_rw("ratio", &GrowOptions::ratio)
        .def_rw("nominal_splits", &GrowOptions::nominal_splits)
        .def_rw("min_leaf", &GrowOptions::min_leaf)
        .def_rw("min_rows", &GrowOptions::min_rows)
        .def_rw("c45_cuts", &GrowOptions::c45_cuts)
        .def_rw("max_depth", &GrowOptions::max_depth)
        .def_rw("midpoint", &GrowOptions::midpoint)
        .def_rw("penalty", &GrowOptions::penalty)
        .def_rw("dialect", &GrowOptions::dialect)
        .def_rw("accept_zero_gain", &GrowOptions::accept_zero_gain)
        .def_rw("n_declared_classes", &GrowOptions::n_declared_classes)
        .def_rw("random_ties", &GrowOptions::random_ties)
        .def_rw("seed", &GrowOptions::seed)
        .def_rw("n_threads", &GrowOptions::n_threads)
        .def_rw("max_features", &GrowOptions::max_features)
        .def_rw("redraw", &GrowOptions::redraw)
        .def_rw("most_counts", &GrowOptions::most_counts);

    nb::class_<PessimisticOptions>(module, "PessimisticOptions", "How to prune by C4.5's error estimates.")
        .def(nb::init<>())
        .def_rw("confidence", &PessimisticOptions::confidence)
        .def_rw("z", &PessimisticOptions::z)
        .def_rw("raising", &PessimisticOptions::raising)
        .def_rw("dialect", &PessimisticOptions::dialect);

    nb::class_<CostComplexity>(module, "CostComplexity", "The nested sequence of weakest-link pruning.")
        .def_prop_ro("node_alpha", view_of(&CostComplexity::node_alpha),
                     "The alpha from which each node tests nothing.")
        .def_prop_ro("alphas", view_of(&CostComplexity::alphas), "Where the pruned tree changes, ascending from 0.")
        .def_prop_ro("n_leaves", view_of(&CostComplexity::n_leaves))
        .def_prop_ro("risks", view_of(&CostComplexity::risks));

    nb::class_<Tree>(module, "Tree", "A grown tree, nodes in preorder.")
        .def_ro("n_classes", &Tree::n_classes)
        .def_prop_ro("n_nodes", &Tree::n_nodes)
        .def_prop_ro("parent", view_of(&Tree::parent))
        .def_prop_ro("feature", view_of(&Tree::feature))
        .def_prop_ro("threshold", view_of(&Tree::threshold))
        .def_prop_ro("label", view_of(&Tree::label))
        .def_prop_ro("weight", view_of(&Tree::weight))
        .def_prop_ro("counts", view_of(&Tree::counts))
        .def_prop_ro("first_child", view_of(&Tree::first_child))
        .def_prop_ro("n_children", view_of(&Tree::n_children))
        .def_prop_ro("children", view_of(&Tree::children))
        .def_prop_ro("first_value", view_of(&Tree::first_value))
        .def_prop_ro("n_values", view_of(&Tree::n_values))
        .def_prop_ro("branch_of_value", view_of(&Tree::branch_of_value))
        .def_prop_ro("state", &state_of, "Every array, as restore_tree takes them.");

    module.def("grow_tree", &grow_tree, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a, "options"_a, "cases"_a.noconvert().none() = nb::none(),
               "Grow a tree from coded rows, their classes and their weights; cases: how often each is counted as one, "
               "else its weight.");

    module.def("grow_forest", &grow_trees, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "in_bag"_a.noconvert(), "seeds"_a, "n_classes"_a, "options"_a,
               "Grow a tree for each seed from rows as often as they are in its bag.");

    const nb::call_guard<nb::gil_scoped_release> released;
    module.def("collapse_tree", &collapse, "tree"_a,
               "Make a leaf of every node whose leaves make no fewer training errors.", released);
    module.def("extra_errors", &extra_errors, "weight"_a, "errors"_a, "options"_a,
               "Give the upper limit of the errors, less the errors.");
    module.def("prune_pessimistic", &prune_tree_pessimistically, "tree"_a, "table"_a, "labels"_a.noconvert(),
               "weights"_a.noconvert().none(), "options"_a,
               "Prune by C4.5's error estimates; the rows are those the tree was grown from.");
    module.def("prune_reduced_error", &prune_reduced_error, "tree"_a, "holdout"_a,
               "Prune where it makes no more errors on a holdout, given as the same tree with its counts.", released);
    module.def("cost_complexity", &cost_complexity, "tree"_a, "Give the nested sequence of weakest-link pruning.",
               released);
    module.def("prune_cost_complexity", &prune_cost_complexity, "tree"_a, "alpha"_a,
               "Prune every link no stronger than alpha.", released);
    module.def("prune_mdl", &prune_mdl, "tree"_a, "table"_a, "Prune where a leaf is the shorter description.",
               released);

    module.def("predict_tree", &predict_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "tables"_a.noconvert(),
               "outputs"_a.noconvert(), "n_threads"_a,
               "Read tables of one row for each node at the leaves that the rows reach, in one descent.");
    module.def("apply_tree", &apply_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "n_threads"_a,
               "Give the leaf of each row.");

    module.def("arrivals", &arrivals_of_rows, "tree"_a, "n_rows"_a, "columns"_a.noconvert(),
               "wanted"_a.noconvert().none(), "n_threads"_a,
               "Give the leaves that rows reach: row, leaf and the share of the row, three arrays.");
    module.def("count_rows", &count_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "labels"_a.noconvert(),
               "weights"_a.noconvert(), "Give the same tests with the counts of these rows at every node.");
    module.def("restore_tree", &restore_tree, "n_classes"_a, "state"_a.noconvert(),
               "Make a tree again from its arrays.");

    module.def("code_table", &code_table, "n_rows"_a, "columns"_a.noconvert(), "n_threads"_a,
               "Code columns: float32 or float64 arrays for numbers, (int32 codes, n_categories) for nominal ones.");
    module.def("restore_table", &restore_table, "n_rows"_a, "columns"_a.noconvert(),
               "Make a table again from (codes, n_values, values or None) for each column.");
    bind_forests(module);
    bind_readings(module);
    bind_stumps(module);
    bind_packed_forests(module);
    bind_lazy_trees(module);
    bind_calibration(module);
    bind_venn_abers(module);
    bind_bootstrap(module);
    bind_metrics(module);
}

}  // namespace calibrant

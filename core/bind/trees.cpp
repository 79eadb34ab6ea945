// Trees: growing, pruning, predicting, storing, packing.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <utility>
#include <variant>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "bind/rows.hpp"
#include "forest/forest.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/grower.hpp"
#include "tree/leaf_shares.hpp"
#include "tree/packed_tree.hpp"
#include "tree/predict.hpp"
#include "tree/prune/pruning.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

// A property that views a member of a tree or another result.
template <class Owner, class T>
auto view_of(std::vector<T> Owner::* member) {
    return [member](nb::handle_t<Owner> self) { return view_array(nb::cast<const Owner&>(self).*member, self); };
}

Examples examples_of(const CodedTable& table, const Column<std::uint16_t>& labels,
                     const std::optional<Column<double>>& weights, std::size_t n_classes) {
    return {&table, contiguous(labels), contiguous(weights), n_classes};
}

Tree prune_tree_pessimistically(const Tree& tree, const CodedTable& table, const Column<std::uint16_t>& labels,
                                const std::optional<Column<double>>& weights, const PessimisticOptions& options) {
    const Examples examples = examples_of(table, labels, weights, tree.n_classes);
    return run_interruptibly([&](const StopToken& stop) { return prune_pessimistic(tree, examples, options, stop); });
}

Tree prune_marked(const Tree& tree, const Column<bool>& is_leaf_now) {
    if (is_leaf_now.shape(0) != tree.n_nodes()) throw std::invalid_argument("there must be one mark per node");
    std::vector<bool> marks;
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) marks.push_back(view(is_leaf_now)[node]);
    return prune_to(tree, marks);
}

Tree grow_tree(const CodedTable& table, const Column<std::uint16_t>& labels,
               const std::optional<Column<double>>& weights, std::size_t n_classes, const GrowOptions& options,
               const std::optional<Column<double>>& cases) {
    Examples examples = examples_of(table, labels, weights, n_classes);
    examples.cases = contiguous(cases);
    return run_interruptibly([&](const StopToken& stop) { return grow(examples, options, stop); });
}

std::vector<Tree> grow_trees(const CodedTable& table, const Column<std::uint16_t>& labels,
                             const std::optional<Column<double>>& weights, const Bags& bags, std::size_t first_tree,
                             const std::vector<std::uint64_t>& seeds, std::size_t n_classes,
                             const GrowOptions& options) {
    const Examples examples = examples_of(table, labels, weights, n_classes);
    const ForestDraws draws{bags, first_tree, seeds};
    return run_interruptibly([&](const StopToken& stop) { return grow_forest(examples, draws, options, stop); });
}

void predict_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                  const std::vector<Matrix<double>>& tables, const std::vector<OutputMatrix>& outputs,
                  std::size_t n_threads) {
    if (tables.size() != outputs.size()) throw std::invalid_argument("there must be one output per table");
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<TableLookup> lookups;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        lookups.push_back({{tables[i].data(), tables[i].size()}, {outputs[i].data(), outputs[i].size()}});
    }
    run_predict(tree, n_rows, [&](const StopToken& stop) { predict(tree, rows, lookups, n_threads, stop); });
}

nb::object apply_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<std::int32_t> out(n_rows);
    run_predict(tree, n_rows, [&](const StopToken& stop) { apply(tree, rows, out, n_threads, stop); });
    return to_numpy(std::move(out), {n_rows});
}

nb::object leaf_shares_of_rows(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                               const std::optional<Column<bool>>& wanted, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<std::uint8_t> marks;
    for (std::size_t row = 0; wanted && row < wanted->shape(0); ++row) marks.push_back(view(*wanted)[row]);
    LeafShares found;
    run_predict(tree, n_rows, [&](const StopToken& stop) { found = leaf_shares(tree, rows, marks, n_threads, stop); });
    const std::size_t n = found.row.size();
    return nb::make_tuple(to_numpy(std::move(found.row), {n}), to_numpy(std::move(found.leaf), {n}),
                          to_numpy(std::move(found.share), {n}));
}

Tree count_tree(const Tree& tree, std::size_t n_rows, const PredictArgument& columns,
                const Column<std::uint16_t>& labels, const Column<double>& weights) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    const auto labels_copy = copied(labels);
    const auto weights_copy = copied(weights);
    return run_interruptibly(
        [&](const StopToken& stop) { return count_rows(tree, rows, labels_copy, weights_copy, stop); });
}

// The arrays of a tree in the order of Tree.state.
using TreeState = std::tuple<Column<std::int32_t>, Column<std::int32_t>, Column<double>, Column<std::uint32_t>,
                             Column<std::int32_t>, Column<double>, Column<double>, Column<std::uint32_t>,
                             Column<std::uint32_t>, Column<std::int32_t>, Column<std::uint32_t>, Column<std::uint32_t>,
                             Column<std::int32_t>, Column<std::int32_t>, Column<double>>;
constexpr auto tree_members =
    std::tuple{&Tree::parent,      &Tree::feature,  &Tree::threshold,       &Tree::cut_code,       &Tree::label,
               &Tree::weight,      &Tree::counts,   &Tree::first_child,     &Tree::n_children,     &Tree::children,
               &Tree::first_value, &Tree::n_values, &Tree::branch_of_value, &Tree::missing_branch, &Tree::log_prior};

nb::object state_of(nb::handle_t<Tree> self) {
    const Tree& tree = nb::cast<const Tree&>(self);
    return std::apply([&](auto... member) { return nb::object(nb::make_tuple(view_array(tree.*member, self)...)); },
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

using NarrowArgument =
    std::variant<Vector<std::uint8_t>, Vector<std::uint16_t>, Vector<std::uint32_t>, Vector<float>, Vector<double>>;

// The arrays in the order of TreeArrays.
PackedTrees packed_trees(std::size_t n_classes, std::vector<std::uint32_t> n_categories,
                         const std::vector<NarrowArgument>& arrays) {
    if (arrays.size() != 13) throw std::invalid_argument("packed trees have thirteen arrays");
    const auto narrow = [&](std::size_t i) {
        return std::visit([](const auto& array) { return NarrowArray(span_of(array)); }, arrays[i]);
    };
    const nb::gil_scoped_release released;
    return {n_classes,
            std::move(n_categories),
            {narrow(0), narrow(1), narrow(2), narrow(3), narrow(4), narrow(5), narrow(6), narrow(7), narrow(8),
             narrow(9), narrow(10), narrow(11), narrow(12)}};
}

template <class T>
nb::object take(std::vector<T>&& values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

nb::object pack(const std::vector<const Tree*>& trees, std::size_t n_classes,
                const std::vector<std::uint32_t>& n_categories) {
    WideTreeArrays wide;
    {
        const nb::gil_scoped_release released;
        wide = pack_trees(trees, n_classes, n_categories);
    }
    auto& integers = wide.integers;
    return nb::make_tuple(take(std::move(integers.n_nodes)), take(std::move(integers.test)), take(std::move(wide.cut)),
                          take(std::move(integers.first_cut)), take(std::move(integers.cut_rank)),
                          take(std::move(integers.n_branches)), take(std::move(integers.branch_of_category)),
                          take(std::move(integers.missing_branch)), take(std::move(wide.counts)),
                          take(std::move(wide.weight)), take(std::move(integers.label_node)),
                          take(std::move(integers.label)), take(std::move(wide.log_prior)));
}

}  // namespace

void bind_trees(nb::module_& module) {
    nb::enum_<CriterionName>(module, "Criterion")
        .value("entropy", CriterionName::entropy)
        .value("gini", CriterionName::gini)
        .value("dkm", CriterionName::dkm)
        .value("hellinger", CriterionName::hellinger)
        .value("twoing", CriterionName::twoing)
        .value("bayes", CriterionName::bayes)
        .value("mml", CriterionName::mml);
    nb::enum_<NominalSplits>(module, "NominalSplits")
        .value("multiway", NominalSplits::multiway)
        .value("subset", NominalSplits::subset)
        .value("binary", NominalSplits::binary);
    nb::enum_<MissingValues>(module, "MissingValues")
        .value("fractional", MissingValues::fractional)
        .value("learned", MissingValues::learned);
    nb::enum_<Dialect>(module, "Dialect").value("c45", Dialect::c45).value("j48", Dialect::j48);

    nb::class_<GrowOptions>(module, "GrowOptions", "Options of the growth of a tree.")
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
        .def_rw("missing", &GrowOptions::missing)
        .def_rw("accept_zero_gain", &GrowOptions::accept_zero_gain)
        .def_rw("n_declared_classes", &GrowOptions::n_declared_classes)
        .def_rw("random_ties", &GrowOptions::random_ties)
        .def_rw("seed", &GrowOptions::seed)
        .def_rw("n_threads", &GrowOptions::n_threads)
        .def_rw("max_features", &GrowOptions::max_features)
        .def_rw("redraw", &GrowOptions::redraw)
        .def_rw("most_counts", &GrowOptions::most_counts);

    nb::class_<PessimisticOptions>(module, "PessimisticOptions", "Options of pruning by C4.5's error estimates.")
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
        .def_prop_ro("missing_branch", view_of(&Tree::missing_branch))
        .def_prop_ro("log_prior", view_of(&Tree::log_prior), "Of each test; empty where all are 0.")
        .def_prop_ro("state", &state_of, "Every array, as restore_tree takes them.");

    module.def("grow_tree", &grow_tree, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(),
               "n_classes"_a, "options"_a, "cases"_a.noconvert().none() = nb::none(),
               "Grow a tree from coded rows, their classes and their weights; cases: the number of cases of each row "
               "for J48's rule, default its weight.");

    module.def("grow_forest", &grow_trees, "table"_a, "labels"_a.noconvert(), "weights"_a.noconvert().none(), "bags"_a,
               "first_tree"_a, "seeds"_a, "n_classes"_a, "options"_a,
               "Grow a tree for each seed, rows weighted by the number of times they are in its bag; the first has the "
               "bag of first_tree.");

    const nb::call_guard<nb::gil_scoped_release> released;
    module.def("collapse_tree", &collapse, "tree"_a,
               "Return the tree with every node made a leaf whose leaves make no fewer training errors.", released);
    module.def("extra_errors", &extra_errors, "weight"_a, "errors"_a, "options"_a,
               "Return the upper confidence limit of the errors, less the errors.");
    module.def("prune_pessimistic", &prune_tree_pessimistically, "tree"_a, "table"_a, "labels"_a.noconvert(),
               "weights"_a.noconvert().none(), "options"_a,
               "Prune by C4.5's error estimates; the rows are those the tree was grown from.");
    module.def("prune_continuity", &prune_continuity, "tree"_a,
               "Prune where a leaf makes fewer errors than the leaves below and their standard error, half an error "
               "added for each leaf.",
               released);
    module.def("prune_marked", &prune_marked, "tree"_a, "is_leaf_now"_a.noconvert(),
               "Return the tree with the marked nodes made leaves.");
    module.def("prune_reduced_error", &prune_reduced_error, "tree"_a, "holdout"_a,
               "Prune where that makes no more errors on a holdout, passed as the same tree with its counts.",
               released);
    module.def("cost_complexity", &cost_complexity, "tree"_a, "Return the nested sequence of weakest-link pruning.",
               released);
    module.def("prune_cost_complexity", &prune_cost_complexity, "tree"_a, "alpha"_a,
               "Prune every link no stronger than alpha.", released);
    module.def("prune_to_leaves", &prune_to_leaves, "tree"_a, "max_leaves"_a,
               "Return the subtree of at most so many leaves that has the least log-loss on its own rows.", released);
    module.def("prune_mdl", &prune_mdl, "tree"_a, "table"_a, "Prune where a leaf is the shorter description.",
               released);

    module.def("predict_tree", &predict_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "tables"_a.noconvert(),
               "outputs"_a.noconvert(), "n_threads"_a,
               "Write the rows of tables, one row per node, at the leaves that the rows reach, in one descent.");
    module.def("apply_tree", &apply_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "n_threads"_a,
               "Return the leaf of each row.");

    module.def("leaf_shares", &leaf_shares_of_rows, "tree"_a, "n_rows"_a, "columns"_a.noconvert(),
               "wanted"_a.noconvert().none(), "n_threads"_a,
               "Return the leaves that rows reach: row, leaf and the share of the row, three arrays.");
    module.def("count_rows", &count_tree, "tree"_a, "n_rows"_a, "columns"_a.noconvert(), "labels"_a.noconvert(),
               "weights"_a.noconvert(), "Return the same tests with the counts of these rows at every node.");
    module.def("restore_tree", &restore_tree, "n_classes"_a, "state"_a.noconvert(),
               "Return a tree restored from its arrays.");
}

void bind_packed_trees(nb::module_& module) {
    const nb::call_guard<nb::gil_scoped_release> released;
    nb::class_<PackedTrees>(module, "PackedTrees", "Trees in few narrow arrays, as model files keep them.")
        .def_prop_ro("n_trees", &PackedTrees::n_trees)
        .def("n_nodes", &PackedTrees::n_nodes, "tree"_a, "Return the number of nodes of a tree.")
        .def("unpack", &PackedTrees::unpack, "tree"_a, "table"_a.none(),
             "Return a tree; with the table that it was grown from, it can predict its codes.", released);
    module.def("packed_trees", &packed_trees, "n_classes"_a, "n_categories"_a, "arrays"_a.noconvert(),
               nb::keep_alive<0, 3>(), "Return packed trees after checking their arrays.");
    module.def("pack_trees", &pack, "trees"_a, "n_classes"_a, "n_categories"_a,
               "Return the arrays of trees, not yet narrow; n_categories is 0 for a numeric column.");
}

}  // namespace calibrant

// Forests: bags of rows, growing and predicting.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bind/bind.hpp"
#include "bind/rows.hpp"
#include "boost/drawn_rows.hpp"
#include "forest/bags.hpp"
#include "forest/lazy_trees.hpp"
#include "forest/packed_forest.hpp"
#include "forest/permute.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

std::unique_ptr<Bags> once(std::size_t n_rows) {
    BagSampling sampling;
    sampling.n_units = {n_rows};
    return std::make_unique<Bags>(std::move(sampling), n_rows);
}

std::unique_ptr<Bags> drawn(const Matrix<std::uint16_t>& in_bag) {
    return std::make_unique<Bags>(span_of(in_bag), in_bag.shape(1));
}

std::unique_ptr<Bags> bootstrap(std::uint64_t seed, std::size_t n_rows, std::vector<std::uint64_t> n_units,
                                std::vector<std::uint64_t> first_units,
                                const std::optional<Vector<std::uint16_t>>& labels,
                                const std::optional<Vector<std::int64_t>>& groups) {
    return std::make_unique<Bags>(BagSampling{BagKind::bootstrap, seed, std::move(n_units), std::move(first_units), 0,
                                              span_of(labels), span_of(groups)},
                                  n_rows);
}

std::unique_ptr<Bags> subsample(std::uint64_t seed, std::size_t n_rows, std::uint64_t n_units, std::uint64_t n_drawn,
                                std::uint64_t first_unit, const std::optional<Vector<std::int64_t>>& groups) {
    return std::make_unique<Bags>(
        BagSampling{BagKind::subsample, seed, {n_units}, {first_unit}, n_drawn, {}, span_of(groups)}, n_rows);
}

nb::object count(const Bags& bags, std::size_t tree, std::size_t first, std::size_t last) {
    if (first > last || last > bags.n_rows()) throw std::invalid_argument("first and last must be rows of the bags");
    std::vector<std::uint16_t> counts(last - first);
    {
        const nb::gil_scoped_release released;
        bags.count(tree, first, counts);
    }
    return to_numpy(std::move(counts), {last - first});
}

nb::object draw(std::uint64_t seed, std::uint64_t n_draws, double total, const Vector<double>& edges) {
    std::vector<double> counts;
    {
        const nb::gil_scoped_release released;
        counts = draw_by_weight(seed, n_draws, total, span_of(edges));
    }
    const std::size_t n = counts.size();
    return to_numpy(std::move(counts), {n});
}

std::vector<Member> members_of(const std::vector<const Tree*>& trees, const std::vector<Matrix<double>>& tables) {
    if (trees.empty() || tables.size() != trees.size()) throw std::invalid_argument("there must be one table per tree");
    std::vector<Member> members;
    for (std::size_t i = 0; i < trees.size(); ++i) members.push_back({trees[i], span_of(tables[i])});
    return members;
}

// Rows x trees that are predicted in less time than a thread takes to start.
constexpr std::size_t few_descents = std::size_t{1} << 13;

void sum_forest(const PackedForest& forest, std::size_t n_rows, const PredictArgument& columns,
                const OutputMatrix& output, std::size_t n_threads) {
    const PredictRows rows = rows_to_predict(n_rows, columns);
    const auto sum = [&](const StopToken& stop) { forest.sum(rows, {output.data(), output.size()}, n_threads, stop); };
    if (n_rows * forest.n_trees() > few_descents) return run_interruptibly(sum);
    const nb::gil_scoped_release released;
    sum(StopToken{});
}

void permute_forest(const std::vector<const Tree*>& trees, const std::vector<Matrix<double>>& tables,
                    const CodedTable& table, const Bags& bags, std::size_t first_tree,
                    const Vector<std::uint32_t>& columns, const Matrix<std::uint32_t>& order,
                    const OutputMatrix& changes, std::size_t n_threads) {
    const std::vector<Member> members = members_of(trees, tables);
    const Permutations permutations{span_of(columns), span_of(order)};
    run_interruptibly([&](const StopToken& stop) {
        add_permuted_changes(members, table, bags, first_tree, permutations, span_of(changes), n_threads, stop);
    });
}

void predict_lazily(const Matrix<std::uint32_t>& codes, const Matrix<std::uint32_t>& order,
                    const Vector<bool>& is_nominal, const Vector<std::uint16_t>& labels, const Bags& drawn,
                    std::size_t n_bags, const std::optional<Vector<double>>& weights,
                    const Matrix<std::uint32_t>& queries, const OutputMatrix& output, std::size_t max_options,
                    double option_fraction, double min_leaf, std::size_t max_leaves, std::size_t n_threads) {
    const std::vector<std::uint8_t> kinds(is_nominal.data(), is_nominal.data() + is_nominal.size());
    const LazyExamples examples{codes.shape(1), codes.shape(0), output.shape(1), span_of(codes),
                                span_of(order), kinds,          span_of(labels)};
    const LazyBags bags{drawn, n_bags, span_of(weights)};
    const LazyOptions options{max_options, option_fraction, min_leaf, max_leaves, n_threads};
    run_interruptibly([&](const StopToken& stop) {
        predict_lazy_trees(examples, bags, span_of(queries), options, span_of(output), stop);
    });
}

}  // namespace

void bind_bags(nb::module_& module) {
    nb::class_<Bags>(module, "Bags", "The number of times that each row is drawn for each tree.")
        .def("count", &count, "tree"_a, "first"_a, "last"_a,
             "Return the number of times that each row from first up to last is in the bag of a tree.")
        .def_prop_ro("n_rows", &Bags::n_rows, "Number of rows.");
    module.def("bags_of_all_rows", &once, "n_rows"_a, "Return bags that hold every row once.");
    module.def("bags_from_counts", &drawn, "in_bag"_a.noconvert(), nb::keep_alive<0, 1>(),
               "Return bags that were drawn elsewhere, trees x rows.");
    module.def("bootstrap_bags", &bootstrap, "seed"_a, "n_rows"_a, "n_units"_a, "first_units"_a,
               "labels"_a.noconvert().none(), "groups"_a.noconvert().none(), nb::keep_alive<0, 5>(),
               nb::keep_alive<0, 6>(),
               "Return bags of rows drawn with replacement: from all rows, of which there are n_units anywhere and "
               "first_units before these; from those of each class by labels, n_units and first_units by class; or by "
               "groups, n_units of them.");
    module.def("subsample_bags", &subsample, "seed"_a, "n_rows"_a, "n_units"_a, "n_drawn"_a, "first_unit"_a,
               "groups"_a.noconvert().none(), nb::keep_alive<0, 6>(),
               "Return bags of n_drawn rows, or groups, drawn without replacement.");
    module.def("draw_by_weight", &draw, "seed"_a, "n_draws"_a, "total"_a, "edges"_a.noconvert(),
               "Return how many of so many random points of [0, total) lie in each interval between edges.");
}

void bind_forests(nb::module_& module) {
    nb::class_<StopSource>(module, "Stop", "A request to stop the work that threads of Python started in the core.")
        .def(nb::init<>())
        .def(
            "watch", [](const StopSource& stop) { heeded_stop = stop.token(); },
            "Make the request stop the work of the calling thread.")
        .def("request", [](StopSource& stop) { stop.request_stop(); }, "Stop the work, and any that is started later.");
    module.def("permute_forest", &permute_forest, "trees"_a, "tables"_a.noconvert(), "table"_a, "bags"_a,
               "first_tree"_a, "columns"_a.noconvert(), "order"_a.noconvert(), "changes"_a.noconvert(), "n_threads"_a,
               "Add to changes (columns x rows, classes) how the trees' predictions of out-of-bag rows change when a "
               "column takes the values of the rows in order (columns x rows).");

    nb::class_<PackedForest>(module, "PackedForest", "Trees with their tables; immutable.")
        .def(
            "__init__",
            [](PackedForest* self, const std::vector<const Tree*>& trees, const std::vector<Matrix<double>>& tables) {
                new (self) PackedForest(members_of(trees, tables), tables.front().shape(1));
            },
            "trees"_a, "tables"_a.noconvert(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("sum", &sum_forest, "n_rows"_a, "columns"_a.noconvert(), "output"_a.noconvert(), "n_threads"_a,
             "Write the sum of the trees' tables at the leaves that the rows reach.");

    module.def("predict_lazy_trees", &predict_lazily, "codes"_a.noconvert(), "order"_a.noconvert(),
               "is_nominal"_a.noconvert(), "labels"_a.noconvert(), "bags"_a, "n_bags"_a, "weights"_a.noconvert().none(),
               "queries"_a.noconvert(), "output"_a.noconvert(), nb::kw_only(), "max_options"_a, "option_fraction"_a,
               "min_leaf"_a, "max_leaves"_a, "n_threads"_a,
               "Write the class probabilities of coded queries; codes and order are columns x rows, the other tables "
               "rows first.");
}

}  // namespace calibrant

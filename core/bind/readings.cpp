// The door between Python and Nielsen's readings of forests: arrays in, arrays out, the GIL released; nothing is
// computed here.
#include "bind/readings.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/unique_ptr.h>

#include <optional>

#include "bind/rows.hpp"
#include "forest/answers.hpp"
#include "forest/honest.hpp"
#include "forest/strict.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

template <class Array>
auto span_of(const std::optional<Array>& array) {
    return array ? span_of(*array) : decltype(span_of(*array)){};
}

// Few rows are answered for before a thread would have started.
template <class Work>
auto run_over(const ForestWays& ways, Work&& work) {
    constexpr std::size_t few = std::size_t{1} << 14;
    if (ways.n_rows() * ways.n_trees() > few) return run_interruptibly(work);
    const nb::gil_scoped_release released;
    return work(StopToken{});
}

std::unique_ptr<ForestWays> stored_ways(const Table<std::int32_t>& leaves) {
    return std::make_unique<ForestWays>(span_of(leaves), leaves.shape(0));
}

std::unique_ptr<ForestWays> walked_ways(const std::vector<const Tree*>& trees, std::size_t n_rows,
                                        const PredictArgument& columns) {
    return std::make_unique<ForestWays>(trees, rows_to_predict(n_rows, columns));
}

std::unique_ptr<ForestWays> kept_ways(const std::vector<const Tree*>& trees, const CodedTable& table,
                                      std::size_t most_bytes, std::size_t n_threads) {
    return run_interruptibly(
        [&](const StopToken& stop) { return std::make_unique<ForestWays>(trees, table, most_bytes, n_threads, stop); });
}

Ballots ballots_of(const std::vector<Table<double>>& tables) {
    std::vector<std::span<const double>> spans;
    for (const auto& table : tables) spans.push_back(span_of(table));
    return {std::move(spans), tables.empty() ? 1 : tables.front().shape(1)};
}

BaggedRows bagged_rows(const Table<std::uint16_t>& in_bag, const Vector<std::int32_t>& classes,
                       const std::optional<Vector<double>>& weights, std::size_t n_classes, bool drawn_by_weight,
                       bool multiplicity) {
    return {{span_of(in_bag), in_bag.shape(1)},
            span_of(classes),
            span_of(weights),
            n_classes,
            drawn_by_weight,
            multiplicity};
}

nb::object vote_forest(const ForestWays& ways, const std::vector<Table<double>>& frequencies,
                       const std::optional<Table<std::uint16_t>>& in_bag, std::size_t n_threads) {
    const Ballots ballots = ballots_of(frequencies);
    std::vector<double> votes(ways.n_rows() * ballots.n_classes());
    std::vector<std::int32_t> labels(ways.n_rows());
    run_over(ways, [&](const StopToken& stop) {
        vote(ways, ballots, {span_of(in_bag), ways.n_rows()}, votes, labels, n_threads, stop);
    });
    return nb::make_tuple(given_away(std::move(votes), {ways.n_rows(), ballots.n_classes()}),
                          given_away(std::move(labels), {ways.n_rows()}));
}

// A tree's answers: where they are for each node and label, none where the node's number is the place, and the answers.
using CellsArgument = std::pair<std::optional<Table<std::int32_t>>, Table<double>>;

nb::object answer_forest(const ForestWays& ways, const std::vector<Table<double>>& voters,
                         const std::vector<std::vector<CellsArgument>>& given,
                         const std::optional<Table<std::uint16_t>>& in_bag, std::size_t n_threads) {
    const Ballots ballots = ballots_of(voters);
    Levels levels;
    for (const auto& level : given) {
        auto& cells = levels.emplace_back();
        for (const auto& [place, table] : level)
            cells.push_back({span_of(place), span_of(table), place ? place->shape(1) : 1});
    }
    const std::size_t width = given.at(0).at(0).second.shape(1);
    std::vector<double> out(ways.n_rows() * width);
    run_over(ways, [&](const StopToken& stop) {
        answer(ways, ballots, levels, {span_of(in_bag), ways.n_rows()}, out, n_threads, stop);
    });
    return given_away(std::move(out), {ways.n_rows(), width});
}

nb::object pooled_leaves(const ForestWays& ways, const std::vector<Vector<std::int32_t>>& parents,
                         const BaggedRows& rows, const std::optional<Vector<bool>>& left_out, const Pooling& pooling,
                         std::size_t n_threads) {
    std::vector<std::span<const std::int32_t>> spans;
    for (const auto& parent : parents) spans.push_back(span_of(parent));
    std::vector<std::uint8_t> marks;
    if (left_out) marks.assign(left_out->data(), left_out->data() + left_out->size());
    auto found = run_over(
        ways, [&](const StopToken& stop) { return pool_leaves(ways, spans, rows, marks, pooling, n_threads, stop); });
    nb::list counts;
    for (auto& each : found) {
        const std::size_t n_nodes = each.size() / rows.n_classes;
        counts.append(given_away(std::move(each), {n_nodes, rows.n_classes}));
    }
    return counts;
}

nb::object pooled_cells(const ForestWays& ways, const std::vector<std::size_t>& n_nodes, const BaggedRows& rows,
                        const Vector<std::int32_t>& labels, const Pooling& pooling, std::size_t n_threads) {
    auto found = run_over(ways, [&](const StopToken& stop) {
        return pool_cells(ways, n_nodes, rows, span_of(labels), pooling, n_threads, stop);
    });
    nb::list cells;
    for (auto& [place, table] : found) {
        const std::size_t n_places = place.size() / rows.n_classes, n_cells = table.size() / rows.n_classes;
        cells.append(nb::make_tuple(given_away(std::move(place), {n_places, rows.n_classes}),
                                    given_away(std::move(table), {n_cells, rows.n_classes})));
    }
    return cells;
}

nb::object honest_answers(const ForestWays& ways, const std::vector<std::size_t>& n_nodes, const BaggedRows& rows,
                          const Pooling& pooling, const std::vector<double>& alphas, std::size_t n_threads) {
    const Question question{pooling, alphas};
    auto found = run_over(ways, [&](const StopToken& stop) {
        return answer_without_own(ways, n_nodes, rows, question, n_threads, stop);
    });
    return given_away(std::move(found), {ways.n_rows(), question.width(rows.n_classes)});
}

nb::object strict_answers(const ForestWays& ways, const std::vector<std::size_t>& n_nodes, const BaggedRows& rows,
                          const std::vector<Table<double>>& frequencies, const Pooling& pooling,
                          const std::vector<double>& alphas, std::size_t most_beside, std::size_t n_threads) {
    const Question question{pooling, alphas};
    const Ballots ballots = ballots_of(frequencies);
    auto found = run_over(ways, [&](const StopToken& stop) {
        return answer_strictly(ways, n_nodes, rows, ballots, question, most_beside, n_threads, stop);
    });
    return given_away(std::move(found), {ways.n_rows(), question.width(rows.n_classes)});
}

}  // namespace

void bind_readings(nb::module_& module) {
    nb::class_<ForestWays>(module, "ForestWays", "Where rows end in the trees of a forest.");
    module.def("stored_ways", &stored_ways, "leaves"_a.noconvert(), nb::keep_alive<0, 1>(),
               "The leaves of rows, trees x rows; -1 for none.");
    module.def("walked_ways", &walked_ways, "trees"_a, "n_rows"_a, "columns"_a.noconvert(), nb::keep_alive<0, 1>(),
               nb::keep_alive<0, 3>(), "The ways of new rows, found when asked for.");
    module.def("kept_ways", &kept_ways, "trees"_a, "table"_a, "most_bytes"_a, "n_threads"_a, nb::keep_alive<0, 1>(),
               "The ways of the table that the trees were grown from, kept as far as they fit into so many bytes.");

    nb::class_<BaggedRows>(module, "BaggedRows", "The training rows of a forest.");
    module.def("bagged_rows", &bagged_rows, "in_bag"_a.noconvert(), "classes"_a.noconvert(),
               "weights"_a.noconvert().none(), "n_classes"_a, "drawn_by_weight"_a, "multiplicity"_a,
               nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>());
    nb::class_<Pooling>(module, "Pooling", "How counts become probabilities.")
        .def(nb::init<bool, double, bool, double, std::vector<double>>(), "only"_a, "alpha"_a, "by_bin"_a, "floor"_a,
             "added"_a)
        .def(
            "alpha_of",
            [](const Pooling& pooling, const Vector<double>& inside, const Vector<double>& outside) {
                return pooling.alpha_of(span_of(inside), span_of(outside));
            },
            "inside"_a.noconvert(), "outside"_a.noconvert(),
            "How often a row out of the bag counts in a bin of these counts.");

    module.def("vote_forest", &vote_forest, "ways"_a, "frequencies"_a.noconvert(), "in_bag"_a.noconvert().none(),
               "n_threads"_a,
               "Give the votes on rows, of the trees that they were not drawn for, and the class that wins, -1 without "
               "votes.");
    module.def("answer_forest", &answer_forest, "ways"_a, "voters"_a.noconvert(), "levels"_a.noconvert(),
               "in_bag"_a.noconvert().none(), "n_threads"_a,
               "Give the mean answers of the trees by leaf and voted label, of the first level that has any.");
    module.def("pool_leaves", &pooled_leaves, "ways"_a, "parents"_a.noconvert(), "rows"_a,
               "left_out"_a.noconvert().none(), "pooling"_a, "n_threads"_a,
               "Give for each tree the counts that answer at every node.");
    module.def("pool_cells", &pooled_cells, "ways"_a, "n_nodes"_a, "rows"_a, "labels"_a.noconvert(), "pooling"_a,
               "n_threads"_a, "Give for each tree where the answer for a leaf and a label is, and the answers.");
    module.def("answer_without_own", &honest_answers, "ways"_a, "n_nodes"_a, "rows"_a, "pooling"_a, "alphas"_a,
               "n_threads"_a,
               "Give out-of-bag answers by leaf, or the probabilities of the own class for each alpha; NaN where no "
               "tree answers.");
    module.def("answer_strictly", &strict_answers, "ways"_a, "n_nodes"_a, "rows"_a, "frequencies"_a.noconvert(),
               "pooling"_a, "alphas"_a, "most_beside"_a, "n_threads"_a,
               "Give out-of-bag answers by leaf and label of the part of the forest grown without each row; NaN where "
               "there is none.");
}

}  // namespace calibrant

// The door between Python and what is read from forests: arrays in, arrays out, the GIL released; nothing is computed
// here.
#include "bind/forest.hpp"

#include "bind/rows.hpp"
#include "forest/predict.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace calibrant {
namespace {

void predict_forest(const std::vector<const Tree*>& trees, std::size_t n_rows, const PredictArgument& columns,
                    const std::vector<Matrix>& tables, const Writable& output, std::size_t n_threads) {
    if (tables.size() != trees.size() || trees.empty()) throw std::invalid_argument("a table for each tree");
    const PredictRows rows = rows_to_predict(n_rows, columns);
    std::vector<Member> members;
    for (std::size_t i = 0; i < trees.size(); ++i) members.push_back({trees[i], {tables[i].data(), tables[i].size()}});
    run_down(*trees.front(), n_rows, [&](const StopToken& stop) {
        sum_answers(members, rows, {output.data(), output.size()}, n_threads, stop);
    });
}

}  // namespace

void bind_forests(nb::module_& module) {
    nb::class_<StopSource>(module, "Stop", "Stops what threads of Python asked the core for.")
        .def(nb::init<>())
        .def(
            "heed", [](const StopSource& stop) { heeded_stop = stop.token(); },
            "Let it stop the work of the calling thread.")
        .def("request", [](StopSource& stop) { stop.request_stop(); }, "Stop the work, and what is asked for later.");
    module.def("predict_forest", &predict_forest, "trees"_a, "n_rows"_a, "columns"_a.noconvert(),
               "tables"_a.noconvert(), "output"_a.noconvert(), "n_threads"_a,
               "Write the sum of the trees' tables at the leaves that the rows reach.");
}

}  // namespace calibrant

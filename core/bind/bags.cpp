// The bags of forests, and the rows that rounds of boosting draw.
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

}  // namespace calibrant

// The best test of a column is the best of all, one by one.
#include "boost/gradient_split.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_gradient_split {
namespace {

constexpr std::size_t n_bins = 37;

struct Cells {
    std::vector<GradientSum> cells = std::vector<GradientSum>(n_bins + 1);
    NodeSums node{};
};

Cells random_cells(std::mt19937& random, bool has_missing) {
    Cells made;
    for (std::size_t code = 0; code < n_bins + has_missing; ++code) {
        if (random() % 4 == 0) continue;
        made.cells[code] =
            pack(static_cast<std::int64_t>(random() % 2001) - 1000, static_cast<std::int64_t>(1 + random() % 500));
        made.node.sum += made.cells[code];
        made.node.weight += 10;
    }
    return made;
}

double term(GradientSum sum, double l2) {
    const double g = gradient_of(sum);
    return g * g / (hessian_of(sum) + l2);
}

double gain_of(const Cells& all, const BinTest& test, const GradientOptions& options) {
    GradientSum first = 0;
    for (std::size_t code = 0; code <= n_bins; ++code)
        if (test.is_first(static_cast<std::uint8_t>(code))) first += all.cells[code];
    const double l2 = options.l2 + (test.is_nominal ? options.category_l2 : 0.0);
    const double least = options.min_leaf * hessian_of(all.node.sum) / all.node.weight;
    if (hessian_of(first) < least || hessian_of(all.node.sum - first) < least) return 0;
    return term(first, l2) + term(all.node.sum - first, l2) - term(all.node.sum, options.l2);
}

}  // namespace

TEST(sums_are_packed_and_unpacked_exactly) {
    for (const std::int64_t gradient : {-1073741824, -7, 0, 3, 1073741823})
        for (const std::int64_t hessian : {0, 5, 2147483647}) {
            const GradientSum sum = pack(gradient, hessian);
            CHECK(gradient_of(sum) == gradient && hessian_of(sum) == hessian);
            CHECK(gradient_of(sum + pack(-gradient, 0)) == 0);
        }
}

TEST(the_cut_found_has_the_most_gain_of_all_cuts) {
    std::mt19937 random(1);
    GradientOptions options;
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Cells all = random_cells(random, repeat % 2 == 0);
        SplitSearch search(options, {});
        search.start(all.node);
        GradientSplit found;
        search.search_numeric(0, all.cells.data(), n_bins, found);
        double most = 0;
        for (std::uint8_t cut = 0; cut < n_bins; ++cut)
            for (const std::uint8_t also : {cut, static_cast<std::uint8_t>(n_bins)})
                most = std::max(most, gain_of(all, {0, cut, also, false}, options));
        CHECK(near(found.gain, most, 1e-6));
        CHECK(near(gain_of(all, found.test, options), most, 1e-6));
    }
}

TEST(a_set_of_categories_gains_what_it_claims) {
    std::mt19937 random(2);
    GradientOptions options;
    options.category_support = 0;
    options.category_smoothing = 0;
    options.category_l2 = 0;
    options.min_leaf = 0;
    for (int repeat = 0; repeat < 200; ++repeat) {
        Cells all = random_cells(random, repeat % 2 == 0);
        SplitSearch search(options, {});
        search.start(all.node);
        GradientSplit found;
        search.search_nominal(0, all.cells.data(), n_bins, found);
        CHECK(near(gain_of(all, found.test, options), found.gain, 1e-6));
        for (int other = 0; other < 50; ++other) {  // no other set gains more (Fisher 1958)
            BinTest test{0, n_bins, n_bins, true};
            test.set[0] = (std::uint64_t{random()} << 32) | random();
            CHECK(gain_of(all, test, options) <= found.gain + 1.0);
        }
    }
}

TEST(a_leaf_is_a_newton_step) {
    GradientOptions options;
    options.rate = 0.5;
    options.l2 = 2;
    const SplitSearch search(options, {0.25, 0.125});
    CHECK(near(search.leaf_value(pack(12, 16)), -0.5 * 3.0 / (2.0 + 2.0)));
}

}  // namespace test_gradient_split

#include "forest/leave_one_out.hpp"

#include <cmath>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace test_leave_one_out {

TEST(a_prediction_is_that_of_leaves_counted_without_the_row) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(150, 5, with_missing, 3);
        const Pooling pooling{.alpha = 2, .added = {0, 0, 0}};
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {pooling, {}}, {}, 2, {});
        for (std::size_t row = 0; row < 150; ++row) {
            std::vector<double> sums(3), counts(3);
            double n = 0;
            for (std::size_t tree = 0; tree < 5; ++tree) {
                if (!grown.is_out_of_bag(tree, row)) continue;
                std::vector<std::uint8_t> without(150);
                without[row] = 1;
                const BinCounts bins =
                    count_leaves(grown.paths(), tree, grown.n_nodes[tree], grown.rows(), without, {});
                std::vector<double> mixed(3);
                double mass = 0;
                grown.paths().each(tree, {}, [&](std::size_t each, std::size_t leaf, double share) {
                    if (each != row || !(pooling.pool(bins.inside(leaf), bins.outside(leaf), counts) > 1e-9)) return;
                    pooling.rates(counts);
                    for (std::size_t k = 0; k < 3; ++k) mixed[k] += share * counts[k];
                    mass += share;
                });
                if (mass > 0) n += 1;
                for (std::size_t k = 0; k < 3 && mass > 0; ++k) sums[k] += mixed[k] / mass;
            }
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(n > 0 ? near(found[row * 3 + k], sums[k] / n, 1e-9) : std::isnan(found[row * 3 + k]));
        }
    }
}

TEST(the_own_class_has_the_probability_that_each_alpha_gives_it) {
    const Grown grown(400, 6, true);
    const std::vector<double> alphas{0.5, 4};
    const Pooling plain{.added = {1, 1}};
    const auto rates = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {plain, alphas}, {}, 1, {});
    for (std::size_t i = 0; i < 2; ++i) {
        const Pooling pooling{.alpha = alphas[i], .added = {1, 1}};
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {pooling, {}}, {}, 1, {});
        for (std::size_t row = 0; row < 400; ++row) {
            const double expected = found[row * 2 + static_cast<std::size_t>(grown.classes[row])],
                         rate = rates[row * 2 + i];
            CHECK(std::isnan(expected) ? std::isnan(rate) : near(rate, expected, 1e-12));
        }
    }
}

TEST(a_prediction_in_a_group_is_that_of_leaves_counted_without_the_group) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(150, 5, with_missing, 3);
        std::vector<std::int32_t> groups(150);
        for (std::size_t row = 0; row < 150; ++row) groups[row] = static_cast<std::int32_t>(row % 40);
        BaggedRows rows = grown.rows();
        rows.groups = groups;
        const Pooling pooling{.alpha = 2, .added = {1, 1, 1}};
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, rows, {pooling, {}}, {}, 2, {});
        for (std::size_t row = 0; row < 150; ++row) {
            std::vector<std::uint8_t> without(150);
            for (std::size_t other = 0; other < 150; ++other) without[other] = groups[other] == groups[row];
            std::vector<double> sums(3), counts(3);
            double n = 0;
            for (std::size_t tree = 0; tree < 5; ++tree) {
                if (!grown.is_out_of_bag(tree, row)) continue;
                const BinCounts bins =
                    count_leaves(grown.paths(), tree, grown.n_nodes[tree], grown.rows(), without, {});
                std::vector<double> mixed(3);
                double mass = 0;
                grown.paths().each(tree, {}, [&](std::size_t each, std::size_t leaf, double share) {
                    if (each != row || !(pooling.pool(bins.inside(leaf), bins.outside(leaf), counts) > 1e-9)) return;
                    pooling.rates(counts);
                    for (std::size_t k = 0; k < 3; ++k) mixed[k] += share * counts[k];
                    mass += share;
                });
                if (mass > 0) n += 1;
                for (std::size_t k = 0; k < 3 && mass > 0; ++k) sums[k] += mixed[k] / mass;
            }
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(n > 0 ? near(found[row * 3 + k], sums[k] / n, 1e-9) : std::isnan(found[row * 3 + k]));
        }
    }
}

TEST(some_rows_are_predicted_by_the_counts_of_all_rows) {
    const Grown grown(300, 5, false, 3);
    const Pooling pooling{.alpha = 0.3, .added = {1, 1, 1}};
    const auto all = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {pooling, {}}, {}, 1, {});
    std::vector<BinCounts> counted;
    std::vector<std::span<const double>> whole;
    for (std::size_t tree = 0; tree < 5; ++tree)
        counted.push_back(count_leaves(grown.paths(), tree, grown.n_nodes[tree], grown.rows(), {}, {}));
    for (const BinCounts& each : counted) whole.push_back(each.counts);
    constexpr std::size_t first = 100, n = 37;  // the rows of a part
    std::vector<std::int32_t> leaves;
    std::vector<std::uint16_t> in_bag;
    for (std::size_t tree = 0; tree < 5; ++tree) {
        const auto drawn = grown.bags.of(tree);
        in_bag.insert(in_bag.end(), drawn.begin() + first, drawn.begin() + first + n);
        for (std::size_t row = first; row < first + n; ++row)
            leaves.push_back(static_cast<std::int32_t>(grown.leaf(tree, row)));
    }
    const Bags bags(in_bag, n);
    const LeafPaths paths(leaves, 5);
    BaggedRows rows{&bags, std::span(grown.classes).subspan(first, n), {}, 3};
    const auto some = predict_leave_one_out(paths, grown.n_nodes, rows, {pooling, {}}, whole, 2, {});
    for (std::size_t i = 0; i < n * 3; ++i)
        CHECK(some[i] == all[first * 3 + i] || (std::isnan(some[i]) && std::isnan(all[first * 3 + i])));
    whole.pop_back();
    CHECK_THROWS(predict_leave_one_out(paths, grown.n_nodes, rows, {pooling, {}}, whole, 2, {}), std::invalid_argument);
    whole.push_back(counted[4].counts);
    const std::vector<std::int32_t> groups(n);
    rows.groups = groups;
    CHECK_THROWS(predict_leave_one_out(paths, grown.n_nodes, rows, {pooling, {}}, whole, 2, {}), std::invalid_argument);
}

}  // namespace test_leave_one_out

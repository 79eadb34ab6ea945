#include "forest/leave_one_out.hpp"

#include <cmath>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

TEST(a_prediction_is_that_of_leaves_counted_without_the_row) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(150, 5, with_missing, 3);
        const Pooling pooling{.alpha = 2, .added = {0, 0, 0}};
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {pooling, {}}, 2, {});
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
    const auto rates = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {plain, alphas}, 1, {});
    for (std::size_t i = 0; i < 2; ++i) {
        const Pooling pooling{.alpha = alphas[i], .added = {1, 1}};
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, grown.rows(), {pooling, {}}, 1, {});
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
        const auto found = predict_leave_one_out(grown.paths(), grown.n_nodes, rows, {pooling, {}}, 2, {});
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

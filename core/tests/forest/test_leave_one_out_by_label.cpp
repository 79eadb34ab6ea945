#include "forest/leave_one_out_by_label.hpp"

#include <cmath>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace test_leave_one_out_by_label {
namespace {

constexpr std::size_t all_rows = 1'000'000;

// The trees grown without a row, and their votes on all rows.
struct SubForest {
    std::vector<std::size_t> trees;
    std::vector<std::int32_t> labels;

    SubForest(const Grown& grown, std::size_t row) : labels(grown.table.n_rows()) {
        std::vector<const Tree*> members;
        std::vector<std::span<const double>> tables;
        std::vector<std::uint16_t> in_bag;
        for (std::size_t tree = 0; tree < grown.trees.size(); ++tree) {
            if (!grown.is_out_of_bag(tree, row)) continue;
            trees.push_back(tree);
            members.push_back(&grown.trees[tree]);
            tables.push_back(grown.frequencies[tree]);
            const auto first = grown.drawn_bags.in_bag.begin() + static_cast<std::ptrdiff_t>(tree * labels.size());
            in_bag.insert(in_bag.end(), first, first + static_cast<std::ptrdiff_t>(labels.size()));
        }
        if (trees.empty()) return;
        const Bags bags(in_bag, labels.size());
        vote(LeafPaths(members, grown.table, 0, 1, {}), {tables, grown.problem.n_classes}, &bags, {}, labels, 1, {});
    }
};

// Adds the prediction of a tree for a row that is not counted there.
void add_prediction(const Grown& grown, const SubForest& part, std::size_t tree, std::size_t row,
                    const Pooling& pooling, std::vector<double>& sums, double& n) {
    const std::size_t n_classes = grown.problem.n_classes;
    std::vector<std::int32_t> others = part.labels;
    others[row] = -1;
    const BinCounts bins = count_cells(grown.paths(), tree, grown.n_nodes[tree], grown.rows(), others, {});
    std::vector<double> mixed(n_classes), counts(n_classes);
    double mass = 0;
    grown.paths().each(tree, {}, [&](std::size_t each, std::size_t leaf, double share) {
        if (each != row) return;
        const std::int32_t bin = bins.index[leaf * n_classes + static_cast<std::size_t>(part.labels[row])];
        if (bin < 0) return;
        pooling.pool(bins.inside(static_cast<std::size_t>(bin)), bins.outside(static_cast<std::size_t>(bin)), counts);
        pooling.rates(counts);
        for (std::size_t k = 0; k < n_classes; ++k) mixed[k] += share * counts[k];
        mass += share;
    });
    if (!(mass > 0)) return;
    for (std::size_t k = 0; k < n_classes; ++k) sums[k] += mixed[k] / mass;
    n += 1;
}

}  // namespace

TEST(a_prediction_is_that_of_the_trees_grown_without_the_row) {
    for (const bool with_missing : {false, true}) {
        for (const std::size_t n_classes : {2, 3}) {
            const Grown grown(80, 12, with_missing, n_classes);
            const Pooling pooling{.alpha = 2, .added = std::vector<double>(n_classes)};
            const auto found = predict_leave_one_out_by_label(grown.paths(), grown.n_nodes, grown.rows(),
                                                              grown.tree_votes(), {pooling, {}}, all_rows, 2, {});
            for (std::size_t row = 0; row < 80; ++row) {
                const SubForest part(grown, row);
                std::vector<double> sums(n_classes);
                double n = 0;
                for (const std::size_t tree : part.trees) add_prediction(grown, part, tree, row, pooling, sums, n);
                for (std::size_t k = 0; k < n_classes; ++k) {
                    CHECK(n > 0 ? near(found[row * n_classes + k], sums[k] / n, 1e-9)
                                : std::isnan(found[row * n_classes + k]));
                }
            }
        }
    }
}

TEST(a_sample_of_a_large_leaf_represents_it_for_any_number_of_threads) {
    const Grown grown(3000, 10, false);
    std::vector<std::vector<double>> roots;
    std::vector<std::span<const double>> tables;
    for (const auto& table : grown.frequencies) roots.emplace_back(table.begin(), table.begin() + 2);
    for (const auto& root : roots) tables.emplace_back(root);
    const std::vector<std::int32_t> leaves(3000 * 10);  // every tree is its root
    const std::vector<std::size_t> n_nodes(10, 1);
    const LeafPaths paths(leaves, 10);
    const Pooling laplace{.added = {1, 1}};
    const auto predict = [&](std::size_t most, std::size_t threads) {
        return predict_leave_one_out_by_label(paths, n_nodes, grown.rows(), {tables, 2}, {laplace, {}}, most, threads,
                                              {});
    };
    const auto all = predict(all_rows, 1), some = predict(500, 1), again = predict(500, 3);
    for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(std::isnan(all[i]) ? std::isnan(some[i])
                                 : near(some[i], all[i], 0.1));  // four standard errors of 500 rows
        CHECK(some[i] == again[i] || std::isnan(some[i]));
    }
    CHECK(some != all);
}

}  // namespace test_leave_one_out_by_label

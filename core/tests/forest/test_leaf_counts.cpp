#include "forest/leaf_counts.hpp"

#include <algorithm>
#include <cmath>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace test_leaf_counts {
namespace {

// Four rows at the one leaf of one tree: classes 0 1 1 0, drawn 1 2 0 0 times, of weights 1 2 3 4.
const std::vector<std::int32_t> leaves(4), classes{0, 1, 1, 0};
const std::vector<std::uint16_t> in_bag{1, 2, 0, 0};
const std::vector<double> weights{1, 2, 3, 4};
const Bags bags(in_bag, 4);
const BaggedRows four_rows{&bags, classes, {}, 2};

}  // namespace

TEST(rows_are_counted_in_and_out_of_the_bag) {
    const LeafPaths paths(leaves, 1);
    CHECK(count_leaves(paths, 0, 1, four_rows, {}, {}).counts == (std::vector<double>{1, 1, 1, 1}));
    CHECK(count_leaves(paths, 0, 1, four_rows, std::vector<std::uint8_t>{1, 1, 1, 0}, {}).counts ==
          (std::vector<double>{1, 1, 1, 0}));
    BaggedRows how = four_rows;
    how.multiplicity = true;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 2, 1, 1}));
    how.weights = weights;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 4, 4, 3}));
    how.drawn_by_weight = true;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 2, 4, 3}));
}

TEST(shares_of_rows_are_counted_in_steps_and_whole_rows_as_they_are) {
    BaggedRows how = four_rows;
    how.weights = weights;
    CHECK(how.counted(2, 0, 0.3) == 3 * 0.3);
    how.step = 0.25;
    CHECK(how.counted(2, 0, 0.3) == 1.0);
    CHECK(how.counted(2, 0, 0.01) == 0.0);
    how.step = 2;
    CHECK(how.counted(2, 0, 1.0) == 3.0);
}

TEST(counts_in_steps_are_the_same_in_any_order) {
    const Grown grown(500, 2, true, 3);  // rows with missing values reach several leaves
    std::vector<double> uneven(500);
    for (std::size_t row = 0; row < 500; ++row) uneven[row] = static_cast<double>(row % 7 + 1) / 64;
    BaggedRows how = grown.rows();
    how.weights = uneven;
    how.step = std::ldexp(1.0, -36);
    std::vector<double> forward(grown.n_nodes[0] * 6), backward(forward);
    struct Counted {
        std::size_t at;
        double count;
    };
    std::vector<Counted> all;
    const auto in_bag = grown.bags.of(0);
    grown.paths().each(0, {}, [&](std::size_t row, std::size_t leaf, double share) {
        const std::size_t side = leaf * 2 + (in_bag[row] == 0);
        all.push_back({side * 3 + static_cast<std::size_t>(how.classes[row]), how.counted(row, in_bag[row], share)});
    });
    for (const auto& [at, count] : all) forward[at] += count;
    std::ranges::reverse(all);
    for (const auto& [at, count] : all) backward[at] += count;
    CHECK(all.size() > 500 && forward == backward);
    CHECK(count_leaves(grown.paths(), 0, grown.n_nodes[0], how, {}, {}).counts == forward);
}

TEST(rows_are_counted_by_label_and_those_without_one_are_not) {
    const BinCounts bins =
        count_cells(LeafPaths(leaves, 1), 0, 1, four_rows, std::vector<std::int32_t>{-1, 1, 1, 1}, {});
    CHECK(bins.index == (std::vector<std::int32_t>{-1, 0}));
    CHECK(bins.counts == (std::vector<double>{0, 1, 1, 1}));
}

TEST(cells_have_frequencies_and_empty_cells_have_no_index) {
    const std::vector<std::int32_t> labels{0, 0, 1, 1};
    const std::vector<std::size_t> n_nodes{1};
    const Pooling laplace{.added = {1, 1}}, only{.only = true, .added = {0, 0}};
    const auto both = pool_cells(LeafPaths(leaves, 1), n_nodes, four_rows, labels, laplace, 1, {});
    CHECK(both[0].index == (std::vector<std::int32_t>{0, 1}) && both[0].table == (std::vector{0.5, 0.5, 0.5, 0.5}));
    const auto outside = pool_cells(LeafPaths(leaves, 1), n_nodes, four_rows, labels, only, 1, {});
    CHECK(outside[0].index == (std::vector<std::int32_t>{-1, 1}));
}

TEST(pooled_counts_weight_out_of_bag_rows_and_add_up_to_the_root) {
    const Grown grown(2000, 3, true, 3);
    std::vector<std::span<const std::int32_t>> parents;
    for (const Tree& tree : grown.trees) parents.push_back(tree.parent);
    const Pooling twice{.alpha = 2, .added = {0, 0, 0}};
    const auto one = pool_leaves(grown.paths(), parents, grown.rows(), {}, twice, 1, {}),
               many = pool_leaves(grown.paths(), parents, grown.rows(), {}, twice, 4, {});
    CHECK(one == many);
    for (std::size_t tree = 0; tree < 3; ++tree) {
        double expected = 0;
        for (std::size_t row = 0; row < 2000; ++row)
            expected += grown.classes[row] == 1 ? (grown.is_out_of_bag(tree, row) ? 2 : 1) : 0;
        CHECK(near(one[tree][1], expected, 1e-6));
    }
}

TEST(counts_that_were_added_up_elsewhere_are_pooled_like_those_counted_here) {
    const Grown grown(300, 2, false, 3);
    std::vector<std::span<const std::int32_t>> parents;
    for (const Tree& tree : grown.trees) parents.push_back(tree.parent);
    const Pooling pooling{.alpha = 0.3, .added = {1, 1, 1}};
    const auto leaves = pool_leaves(grown.paths(), parents, grown.rows(), {}, pooling, 1, {});
    const std::vector<std::int32_t>& labels = grown.classes;
    const auto cells = pool_cells(grown.paths(), grown.n_nodes, grown.rows(), labels, pooling, 1, {});
    for (std::size_t tree = 0; tree < 2; ++tree) {
        const std::size_t n_nodes = grown.n_nodes[tree];
        const BinCounts by_leaf = count_leaves(grown.paths(), tree, n_nodes, grown.rows(), {}, {}),
                        by_cell = count_cells(grown.paths(), tree, n_nodes, grown.rows(), labels, {});
        CHECK(pool_nodes(by_leaf.view(), parents[tree], pooling) == leaves[tree]);
        const CellPredictions found = pool_bins(by_cell.index, by_cell.view(), pooling);
        CHECK(found.index == cells[tree].index && found.table == cells[tree].table);
    }
}

TEST(a_bin_may_have_its_own_alpha_shrunk_towards_the_common_one) {
    const Pooling by_bin{.alpha = 4, .by_bin = true, .added = {0, 0}};
    CHECK(near(by_bin.alpha_of(std::vector<double>{3, 1}, std::vector<double>{0, 0}), 4));
    CHECK(by_bin.alpha_of(std::vector<double>{9, 1}, std::vector<double>{1, 90}) > 4);
    CHECK(by_bin.alpha_of(std::vector<double>{9, 1}, std::vector<double>{9, 1}) < 4);
}

}  // namespace test_leaf_counts

#include "forest/leaf_counts.hpp"

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;
using tables::near;

namespace {

// Four rows at the one leaf of one tree: classes 0 1 1 0, drawn 1 2 0 0 times, of weights 1 2 3 4.
const std::vector<std::int32_t> leaves(4), classes{0, 1, 1, 0};
const std::vector<std::uint16_t> in_bag{1, 2, 0, 0};
const std::vector<double> weights{1, 2, 3, 4};
const Bags bags(in_bag, 4);
const BaggedRows rows{&bags, classes, {}, 2};

}  // namespace

TEST(rows_are_counted_in_and_out_of_the_bag) {
    const LeafPaths paths(leaves, 1);
    CHECK(count_leaves(paths, 0, 1, rows, {}, {}).counts == (std::vector<double>{1, 1, 1, 1}));
    CHECK(count_leaves(paths, 0, 1, rows, std::vector<std::uint8_t>{1, 1, 1, 0}, {}).counts ==
          (std::vector<double>{1, 1, 1, 0}));
    BaggedRows how = rows;
    how.multiplicity = true;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 2, 1, 1}));
    how.weights = weights;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 4, 4, 3}));
    how.drawn_by_weight = true;
    CHECK(count_leaves(paths, 0, 1, how, {}, {}).counts == (std::vector<double>{1, 2, 4, 3}));
}

TEST(rows_are_counted_by_label_and_those_without_one_are_not) {
    const BinCounts bins = count_cells(LeafPaths(leaves, 1), 0, 1, rows, std::vector<std::int32_t>{-1, 1, 1, 1}, {});
    CHECK(bins.index == (std::vector<std::int32_t>{-1, 0}));
    CHECK(bins.counts == (std::vector<double>{0, 1, 1, 1}));
}

TEST(cells_have_frequencies_and_empty_cells_have_no_index) {
    const std::vector<std::int32_t> labels{0, 0, 1, 1};
    const std::vector<std::size_t> n_nodes{1};
    const Pooling laplace{.added = {1, 1}}, only{.only = true, .added = {0, 0}};
    const auto both = pool_cells(LeafPaths(leaves, 1), n_nodes, rows, labels, laplace, 1, {});
    CHECK(both[0].index == (std::vector<std::int32_t>{0, 1}) && both[0].table == (std::vector{0.5, 0.5, 0.5, 0.5}));
    const auto outside = pool_cells(LeafPaths(leaves, 1), n_nodes, rows, labels, only, 1, {});
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

TEST(a_bin_may_have_its_own_alpha_shrunk_towards_the_common_one) {
    const Pooling by_bin{.alpha = 4, .by_bin = true, .added = {0, 0}};
    CHECK(near(by_bin.alpha_of(std::vector<double>{3, 1}, std::vector<double>{0, 0}), 4));
    CHECK(by_bin.alpha_of(std::vector<double>{9, 1}, std::vector<double>{1, 90}) > 4);
    CHECK(by_bin.alpha_of(std::vector<double>{9, 1}, std::vector<double>{9, 1}) < 4);
}

// Trees come back from their arrays to the bit, and arrays that describe no tree are refused.
#include "tree/packed_tree.hpp"

#include <limits>
#include <random>
#include <vector>

#include "hand_made.hpp"
#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;

namespace test_packed_tree {
namespace {

const std::vector<std::uint32_t> columns_of_forest{0, 0, 0, 0, 0, 0, 5};

TreeArrays<NarrowArray> views(const WideTreeArrays& wide) {
    const auto narrow = [](const auto& values) { return NarrowArray(std::span(std::as_const(values))); };
    const auto& [n_nodes, test, cut, first_cut, cut_rank, n_branches, branches, missing, counts, weight, node, label,
                 prior] = wide.integers;
    return {narrow(n_nodes),    narrow(test),     narrow(wide.cut),      narrow(first_cut),   narrow(cut_rank),
            narrow(n_branches), narrow(branches), narrow(missing),       narrow(wide.counts), narrow(wide.weight),
            narrow(node),       narrow(label),    narrow(wide.log_prior)};
}

PackedTrees believed(const WideTreeArrays& wide, std::size_t n_classes,
                     const std::vector<std::uint32_t>& n_categories = columns_of_forest) {
    return {n_classes, n_categories, views(wide)};
}

WideTreeArrays packed(const small_forest::Grown& grown) {
    return pack_trees(grown.members(), grown.problem.n_classes, columns_of_forest);
}

// A test with two leaves on one numeric column.
WideTreeArrays small() {
    const Tree tree = hand_made({{-1, {3, 2}}, {0, {3, 0}}, {0, {0, 2}}});
    const Tree* const trees[] = {&tree};
    return pack_trees(trees, 2, std::vector<std::uint32_t>{0});
}

void refuse(void (*change)(WideTreeArrays&)) {
    WideTreeArrays wide = small();
    change(wide);
    CHECK_THROWS(believed(wide, 2, {0}), std::invalid_argument);
}

}  // namespace

TEST(trees_come_back_to_the_bit) {
    for (const bool with_missing : {false, true}) {
        const small_forest::Grown grown(300, 5, with_missing, 3);
        const WideTreeArrays wide = packed(grown);
        const PackedTrees trees = believed(wide, 3);
        CHECK(trees.n_trees() == 5);
        for (std::size_t i = 0; i < 5; ++i) {
            const Tree tree = trees.unpack(i, &grown.table);
            CHECK(tables::same(tree, grown.trees[i]) && tree.cut_code == grown.trees[i].cut_code);
            CHECK(trees.n_nodes(i) == grown.trees[i].n_nodes());
        }
    }
}

TEST(priors_of_tests_come_back_and_take_no_space_where_there_are_none) {
    CHECK(small().log_prior.empty());
    Tree tree = hand_made({{-1, {3, 2}}, {0, {3, 0}}, {0, {0, 2}}});
    tree.set_log_prior(0, -1.25);
    const Tree plain = hand_made({{-1, {3, 2}}, {0, {3, 0}}, {0, {0, 2}}});
    const Tree* const trees[] = {&plain, &tree};
    const WideTreeArrays wide = pack_trees(trees, 2, std::vector<std::uint32_t>{0});
    CHECK((wide.log_prior == std::vector<double>{0, -1.25}));
    CHECK(believed(wide, 2, {0}).unpack(0, nullptr).log_prior.empty());
    CHECK((believed(wide, 2, {0}).unpack(1, nullptr).log_prior == std::vector<double>{-1.25, 0, 0}));
    refuse([](WideTreeArrays& changed) { changed.log_prior = {0.5}; });
    refuse([](WideTreeArrays& changed) { changed.log_prior = {std::numeric_limits<double>::quiet_NaN()}; });
    refuse([](WideTreeArrays& changed) { changed.log_prior = {-1, -1}; });
}

TEST(counts_that_add_up_are_kept_of_leaves_alone) {
    CHECK(small().counts.size() == 4 && small().weight.empty());
    const small_forest::Grown shared(300, 2, true);  // rows with missing values are shared among branches
    CHECK(packed(shared).counts.size() == 2 * packed(shared).integers.test.size());
}

TEST(a_majority_class_that_does_not_follow_from_the_counts_is_kept) {
    Tree tree = hand_made({{-1, {2, 2}}, {0, {2, 0}}, {0, {0, 2}}});
    tree.label[0] = 1;
    const Tree* const trees[] = {&tree, &tree};
    const WideTreeArrays wide = pack_trees(trees, 2, std::vector<std::uint32_t>{0});
    CHECK((wide.integers.label_node == std::vector<std::uint32_t>{0, 3}));
    CHECK(believed(wide, 2, {0}).unpack(1, nullptr).label == tree.label);
}

TEST(ranks_name_the_cuts_of_a_column) {
    WideTreeArrays wide = small();
    wide.integers.first_cut = {0, 2};
    wide.integers.cut_rank = {1};
    wide.cut = {0.25, 0.75};
    CHECK(believed(wide, 2, {0}).unpack(0, nullptr).threshold[0] == 0.75);
    wide.integers.cut_rank = {2};
    CHECK_THROWS(believed(wide, 2, {0}), std::invalid_argument);
    wide.integers.first_cut = {0, 3};
    CHECK_THROWS(believed(wide, 2, {0}), std::invalid_argument);
}

TEST(arrays_that_are_no_trees_are_refused) {
    CHECK(believed(small(), 2, {0}).n_trees() == 1);
    refuse([](WideTreeArrays& wide) { wide.integers.n_nodes = {2}; });
    refuse([](WideTreeArrays& wide) { wide.integers.n_nodes = {4}; });
    refuse([](WideTreeArrays& wide) { wide.integers.n_nodes = {0, 3}; });
    refuse([](WideTreeArrays& wide) { wide.integers.n_nodes = {}; });
    refuse([](WideTreeArrays& wide) { wide.integers.test = {0, 1, 0}; });  // a node that no branch leads to
    refuse([](WideTreeArrays& wide) { wide.integers.test = {1, 1, 0}; });  // open branches
    refuse([](WideTreeArrays& wide) { wide.integers.test = {2, 0, 0}; });  // no such column
    refuse([](WideTreeArrays& wide) { wide.cut[0] = tables::missing; });
    refuse([](WideTreeArrays& wide) { wide.cut.push_back(1); });
    refuse([](WideTreeArrays& wide) { wide.integers.missing_branch = {3}; });
    refuse([](WideTreeArrays& wide) { wide.counts[0] = -1; });
    refuse([](WideTreeArrays& wide) { wide.counts[0] = tables::missing; });
    refuse([](WideTreeArrays& wide) { wide.counts[0] = 1e300; });
    refuse([](WideTreeArrays& wide) { wide.counts = {0, 0, 0, 0}; });  // a root without weight
    refuse([](WideTreeArrays& wide) { wide.counts.pop_back(); });
    refuse([](WideTreeArrays& wide) { wide.weight = {5, 3, 2}; });  // with the counts of leaves
    refuse([](WideTreeArrays& wide) { wide.integers.label_node = {3}, wide.integers.label = {0}; });
    refuse([](WideTreeArrays& wide) { wide.integers.label_node = {1, 1}, wide.integers.label = {0, 0}; });
    refuse([](WideTreeArrays& wide) { wide.integers.label_node = {1}, wide.integers.label = {2}; });
}

TEST(weights_must_be_those_of_counts_and_branches) {
    const auto with = [](std::vector<double> counts, std::vector<double> weight) {
        WideTreeArrays wide = small();
        wide.counts = std::move(counts);
        wide.weight = std::move(weight);
        return wide;
    };
    CHECK(believed(with({3, 3, 0, 2, 0, 2}, {5, 3, 2}), 2, {0}).unpack(0, nullptr).weight[0] == 5);
    CHECK_THROWS(believed(with({3, 3, 0, 2, 0, 2}, {6, 3, 2}), 2, {0}), std::invalid_argument);
    const double endless = std::numeric_limits<double>::infinity();
    CHECK_THROWS(believed(with({3, 3, 0, 2, 0, 2}, {5, endless, 2}), 2, {0}), std::invalid_argument);
    CHECK_THROWS(believed(with({4, 3, 0, 2, 0, 2}, {6, 3, 2}), 2, {0}), std::invalid_argument);
}

TEST(a_nominal_test_has_the_branches_that_its_nodes_fill) {
    const Tree tree = hand_made({{-1, {3, 2}}, {0, {3, 0}}, {0, {0, 1}}, {0, {0, 1}}});
    const Tree* const trees[] = {&tree};
    WideTreeArrays wide = pack_trees(trees, 2, std::vector<std::uint32_t>{3});
    CHECK(tables::same(believed(wide, 2, {3}).unpack(0, nullptr), tree));
    wide.integers.branch_of_category[0] = 4;
    CHECK_THROWS(believed(wide, 2, {3}), std::invalid_argument);
    CHECK_THROWS(believed(pack_trees(trees, 2, std::vector<std::uint32_t>{3}), 2, {0}), std::invalid_argument);
}

// Whatever is believed can be unpacked, and is a tree.
TEST(changed_numbers_are_refused_or_another_tree) {
    const small_forest::Grown grown(120, 3, true);
    std::mt19937 random(7);
    std::size_t n_believed = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        WideTreeArrays wide = packed(grown);
        auto& all = wide.integers;
        std::vector<std::uint32_t>* const arrays[] = {
            &all.n_nodes, &all.test, &all.n_branches, &all.branch_of_category, &all.missing_branch, &all.label_node};
        auto& array = *arrays[random() % std::size(arrays)];
        if (array.empty() || random() % 8 == 0)
            array.resize(random() % 40);
        else
            array[random() % array.size()] = random() % 4 == 0 ? random() : random() % 9;
        try {
            const PackedTrees trees = believed(wide, 2);
            for (std::size_t i = 0; i < trees.n_trees(); ++i) trees.unpack(i, nullptr).check();
            ++n_believed;
        } catch (const std::invalid_argument&) {
        }
    }
    CHECK(n_believed > 0 && n_believed < 3000);
}

}  // namespace test_packed_tree

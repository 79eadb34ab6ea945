#include "forest/leaf_paths.hpp"

#include "harness.hpp"
#include "small_forest.hpp"
#include "tree/leaf_shares.hpp"

using namespace calibrant;
using small_forest::Grown;

namespace test_leaf_paths {

TEST(a_row_at_one_leaf_has_its_number_and_a_row_at_several_has_shares) {
    ReachedLeaves reached;
    reached.clear(2, 3);
    const std::vector<LeafShare> one{{4, 1.0}}, two{{5, 0.25}, {6, 0.75}};
    reached.leaves(0)[0] = ReachedLeaves::none;
    reached.set_shares(0, 1, one);
    reached.set_shares(1, 2, two);
    CHECK(reached.leaves(0)[0] == ReachedLeaves::none && reached.leaves(0)[1] == 4 &&
          reached.leaves(1)[2] < ReachedLeaves::none);
    double mass = 0;
    reached.each(1, 2, [&](std::size_t leaf, double share) { mass += static_cast<double>(leaf) * share; });
    CHECK(mass == 5 * 0.25 + 6 * 0.75);
    reached.each(0, 0, [&](std::size_t, double) { CHECK(false); });
}

TEST(walking_finds_the_leaf_shares_of_each_tree) {
    for (const bool with_missing : {false, true}) {
        const Grown grown(6000, 3, with_missing);
        const LeafPaths stored = grown.paths(), partly = grown.paths(50'000), coded = grown.paths(0),
                        rows(grown.members(), coded_rows(grown.table));
        for (std::size_t tree = 0; tree < 3; ++tree) {
            const LeafShares expected = leaf_shares(grown.trees[tree], coded_rows(grown.table), {}, 1, {});
            for (const LeafPaths* paths : {&stored, &partly, &coded, &rows}) {
                std::size_t n = 0;
                paths->each(tree, {}, [&](std::size_t row, std::size_t leaf, double share) {
                    CHECK(expected.row[n] == static_cast<std::int64_t>(row) &&
                          expected.leaf[n] == static_cast<std::int32_t>(leaf));
                    CHECK(expected.share[n++] == share);
                });
                CHECK(n == expected.row.size());
            }
        }
    }
}

TEST(stored_paths_equal_walked_paths) {
    const Grown grown(9000, 4, true);
    const LeafPaths stored = grown.paths(), walked = grown.paths(0);
    ReachedLeaves one, other;
    for (const IndexRange rows : {IndexRange{100, 700}, IndexRange{4000, 4200}, IndexRange{10, 8999}}) {
        stored.fill({1, 3}, rows, one);
        walked.fill({1, 3}, rows, other);
        for (std::size_t tree = 0; tree < 2; ++tree) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                double first = 0, second = 0;
                one.each(tree, i, [&](std::size_t leaf, double share) { first += static_cast<double>(leaf) * share; });
                other.each(tree, i,
                           [&](std::size_t leaf, double share) { second += static_cast<double>(leaf) * share; });
                CHECK(first == second);
            }
        }
    }
}

TEST(leaves_passed_in_come_back_block_by_block) {
    std::vector<std::int32_t> leaves(2 * 9000);
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = static_cast<std::int32_t>(i % 7) - 1;
    const LeafPaths paths(leaves, 2);
    paths.in_blocks({1, 2}, 3, {}, [&](IndexRange rows, const ReachedLeaves& reached) {
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            CHECK(reached.leaves(0)[row - rows.begin] == leaves[9000 + row]);
    });
    CHECK_THROWS(LeafPaths(std::span(leaves).first(5), 2), std::invalid_argument);
}

}  // namespace test_leaf_paths

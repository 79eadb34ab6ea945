#include "forest/leaf_paths.hpp"

#include "harness.hpp"
#include "small_forest.hpp"
#include "tree/arrivals.hpp"

using namespace calibrant;
using small_forest::Grown;

TEST(a_row_in_one_part_is_at_a_leaf_and_one_in_several_has_shares) {
    Ends ends;
    ends.clear(2, 3);
    const std::vector<End> one{{4, 1.0}}, two{{5, 0.25}, {6, 0.75}};
    ends.leaves(0)[0] = Ends::nowhere;
    ends.set_parts(0, 1, one);
    ends.set_parts(1, 2, two);
    CHECK(ends.leaves(0)[0] == Ends::nowhere && ends.leaves(0)[1] == 4 && ends.leaves(1)[2] < Ends::nowhere);
    double mass = 0;
    ends.each(1, 2, [&](std::size_t leaf, double share) { mass += static_cast<double>(leaf) * share; });
    CHECK(mass == 5 * 0.25 + 6 * 0.75);
    ends.each(0, 0, [&](std::size_t, double) { CHECK(false); });
}

TEST(walking_finds_the_arrivals_of_each_tree) {
    for (const bool holes : {false, true}) {
        const Grown grown(6000, 3, holes);
        const ForestWays kept = grown.ways(), partly = grown.ways(50'000), coded = grown.ways(0),
                         rows(grown.members(), coded_rows(grown.table));
        for (std::size_t tree = 0; tree < 3; ++tree) {
            const Arrivals expected = arrivals(grown.trees[tree], coded_rows(grown.table), {}, 1, {});
            for (const ForestWays* ways : {&kept, &partly, &coded, &rows}) {
                std::size_t n = 0;
                ways->each(tree, {}, [&](std::size_t row, std::size_t leaf, double share) {
                    CHECK(expected.row[n] == static_cast<std::int64_t>(row) &&
                          expected.leaf[n] == static_cast<std::int32_t>(leaf));
                    CHECK(expected.share[n++] == share);
                });
                CHECK(n == expected.row.size());
            }
        }
    }
}

TEST(any_part_of_what_is_kept_is_what_is_walked) {
    const Grown grown(9000, 4, true);
    const ForestWays kept = grown.ways(), walked = grown.ways(0);
    Ends one, other;
    for (const Range rows : {Range{100, 700}, Range{4000, 4200}, Range{10, 8999}}) {
        kept.fill({1, 3}, rows, one);
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

TEST(leaves_told_beforehand_are_given_back_block_by_block) {
    std::vector<std::int32_t> leaves(2 * 9000);
    for (std::size_t i = 0; i < leaves.size(); ++i) leaves[i] = static_cast<std::int32_t>(i % 7) - 1;
    const ForestWays ways(leaves, 2);
    ways.in_blocks({1, 2}, 3, {}, [&](Range rows, const Ends& ends) {
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            CHECK(ends.leaves(0)[row - rows.begin] == leaves[9000 + row]);
    });
    CHECK_THROWS(ForestWays(std::span(leaves).first(5), 2), std::invalid_argument);
}

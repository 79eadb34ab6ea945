#include "forest/votes.hpp"

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;

namespace test_votes {
namespace {

// The vote of trees of one leaf on one row.
std::int32_t vote_of(const std::vector<std::vector<double>>& tables) {
    const std::vector<std::int32_t> leaves(tables.size());
    std::vector<std::int32_t> label(1);
    vote(LeafPaths(leaves, tables.size()), TreeVotes({tables.begin(), tables.end()}, tables.front().size()), nullptr,
         {}, label, 1, {});
    return label.front();
}

}  // namespace

TEST(the_first_of_equal_values_is_the_greatest_whatever_the_rounding) {
    CHECK(majority(std::vector{0.3, 0.7}) == 1);
    CHECK(majority(std::vector{0.5, 0.5}) == 0);
    CHECK(majority(std::vector{0.3, 0.1 + 0.2, 0.2}) == 0);
}

TEST(most_votes_win_then_the_greatest_sum_then_the_lower_class) {
    CHECK(vote_of({{0.4, 0.6}, {0.9, 0.1}, {0.4, 0.6}}) == 1);
    CHECK(vote_of({{0.4, 0.6}, {0.9, 0.1}}) == 0);
    CHECK(vote_of({{0.1, 0.9}, {0.6, 0.4}}) == 1);
    CHECK(vote_of({{0.1, 0.9}, {0.9, 0.1}}) == 0);
    CHECK(vote_of({{0.1, 0.0, 0.9}, {0.0, 0.8, 0.2}, {1.0, 0.0, 0.0}, {0.4, 0.3, 0.3}, {0.2, 0.1, 0.7}}) ==
          2);  // 0 and 2 lead
}

TEST(a_class_without_the_most_votes_does_not_win_by_its_sum) {
    CHECK(vote_of({{0.0, 0.49, 0.51}, {0.51, 0.49, 0.0}, {0.0, 1.0, 0.0}, {0.51, 0.49, 0.0}, {0.0, 0.49, 0.51}}) == 0);
}

TEST(a_row_at_several_leaves_is_voted_on_by_mixed_frequencies) {
    const std::vector<double> table{0.5, 0.5, 0.9, 0.1, 0.2, 0.8};
    const TreeVotes tree_votes({table}, 2);
    std::vector<double> mixed(2);
    CHECK(tree_votes.vote(0, std::vector<LeafShare>{{1, 0.25}, {2, 0.75}}, mixed) == 1);
    CHECK(tables::near(mixed[1], 0.25 * 0.1 + 0.75 * 0.8));
}

TEST(trees_whose_bag_holds_a_row_do_not_vote_on_it) {
    const Grown grown(2000, 9, true, 3);
    const LeafPaths paths = grown.paths();
    const TreeVotes tree_votes = grown.tree_votes();
    std::vector<double> votes(2000 * 3);
    std::vector<std::int32_t> labels(2000), again(2000);
    vote(paths, tree_votes, grown.rows().bags, votes, labels, 1, {});
    vote(paths, tree_votes, grown.rows().bags, {}, again, 4, {});
    CHECK(labels == again);
    for (std::size_t row = 0; row < 2000; ++row) {
        std::size_t n_out = 0;
        for (std::size_t tree = 0; tree < 9; ++tree) n_out += grown.is_out_of_bag(tree, row);
        CHECK(votes[row * 3] + votes[row * 3 + 1] + votes[row * 3 + 2] == static_cast<double>(n_out));
        CHECK((labels[row] < 0) == (n_out == 0));
    }
}

}  // namespace test_votes

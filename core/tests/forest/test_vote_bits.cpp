#include "forest/vote_bits.hpp"

#include <random>

#include "harness.hpp"
#include "small_forest.hpp"

using namespace calibrant;
using small_forest::Grown;

namespace test_vote_bits {

TEST(the_winner_among_the_trees_grown_without_a_row_is_that_of_the_votes) {
    for (const std::size_t n_trees : {5, 70, 150}) {
        const Grown grown(300, n_trees, true, 3);
        const TreeVotes tree_votes = grown.tree_votes();
        const Bags* const bags = grown.rows().bags;
        const VoteBits bits(grown.paths(), tree_votes, bags, 2, {});
        std::vector<std::int32_t> labels(300);
        std::vector<std::uint64_t> voters(bits.n_words());
        vote(grown.paths(), tree_votes, bags, {}, labels, 1, {});
        for (std::size_t row = 0; row < 300; ++row) {
            bits.write_voters(row, voters);
            CHECK(bits.winner(row, voters) == labels[row]);
        }
    }
}

TEST(an_outcome_is_whether_a_label_has_more_votes_than_any_other) {
    for (const std::size_t n_trees : {6, 70, 150}) {
        for (const std::size_t n_classes : {2, 4}) {
            const Grown grown(200, n_trees, false, n_classes);
            const TreeVotes tree_votes = grown.tree_votes();
            const VoteBits bits(grown.paths(), tree_votes, grown.rows().bags, 1, {});
            std::vector<std::uint64_t> voters(bits.n_words()), all;
            for (std::size_t row = 0; row < 200; ++row) all.insert(all.end(), bits.of(row).begin(), bits.of(row).end());
            std::vector<VoteOutcome> outcomes(200);
            bits.write_voters(7, voters);
            for (std::size_t label = 0; label < n_classes; ++label) {
                compare_votes(all, n_classes, voters, label, outcomes);
                for (std::size_t row = 0; row < 200; ++row) {
                    const bool wins = bits.winner(row, voters) == static_cast<std::int32_t>(label);
                    CHECK(outcomes[row] == VoteOutcome::tied || (outcomes[row] == VoteOutcome::same) == wins);
                }
            }
        }
    }
}

TEST(without_common_trees_there_is_no_winner) {
    const Grown grown(50, 6, false);
    const TreeVotes tree_votes = grown.tree_votes();
    const VoteBits bits(grown.paths(), tree_votes, grown.rows().bags, 1, {});
    const std::vector<std::uint64_t> none(bits.n_words());
    std::vector<VoteOutcome> outcome(1);
    CHECK(bits.winner(0, none) == -1);
    compare_votes(bits.of(0), 2, none, 0, outcome);
    CHECK(outcome[0] == VoteOutcome::other);
}

}  // namespace test_vote_bits

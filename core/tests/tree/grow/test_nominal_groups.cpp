#include "tree/grow/nominal_groups.hpp"

#include <numeric>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_nominal_groups {
namespace {

// Values x two classes at a node.
struct Values {
    std::vector<double> table, weights{}, counts{0, 0};
    std::vector<std::uint32_t> seen{}, rows{};
    double missing = 0;
    double min_branch = 2, min_rows = 0;
    XLogX xlogx{600};
    std::vector<double> scratch{0, 0, 0, 0};

    explicit Values(std::vector<double> cells) : table(std::move(cells)) {
        for (std::size_t value = 0; value < table.size() / 2; ++value) {
            weights.push_back(table[2 * value] + table[2 * value + 1]);
            for (std::size_t k = 0; k < 2; ++k) counts[k] += table[2 * value + k];
            if (weights.back() > 0) seen.insert(seen.begin(), static_cast<std::uint32_t>(value));  // in any order
        }
    }
    ValueCounts nominal() const { return {seen, table, weights, rows}; }
    Known known() const { return {counts, counts[0] + counts[1]}; }
    NodeFacts node() {
        return {counts[0] + counts[1] + missing,
                min_branch,
                min_branch,
                0,
                &xlogx,
                scratch,
                min_rows,
                std::accumulate(rows.begin(), rows.end(), std::size_t{0})};
    }
    template <Criterion C = Entropy>
    FoundTest subsets(bool ratio = true) {
        const NodeFacts facts = node();
        const Known all = known();
        return search_subsets<C>(nominal(), facts, all, ratio);
    }
    template <Criterion C = Entropy>
    FoundTest one_against_rest(bool ratio = true) {
        const NodeFacts facts = node();
        const Known all = known();
        return search_one_against_rest<C>(nominal(), facts, all, ratio, CutRules{.tolerance = 1e-6});
    }
};

using Branches = std::vector<std::int32_t>;

}  // namespace

TEST(the_last_group_takes_the_index_of_the_merged_one) {
    Values values({1, 2, 3, 4, 5, 6, 7, 8});
    values.min_branch = 11;
    ValueGroups groups(values.nominal());
    groups.merge(0, 1);
    CHECK(groups.size() == 3 && groups.weight(0) == 10 && groups.counts(0)[1] == 6);
    CHECK(groups.weight(1) == 15 && groups.weight(2) == 11);
    CHECK((groups.branches(4) == Branches{0, 0, 2, 1}));
    CHECK(groups.heaviest(values.node()) == 1 && groups.n_filled(values.node()) == 2);
}

TEST(blocks_of_one_class_are_merged_first) {
    const Values values({3, 0, 0, 2, 4, 0, 1, 1, 0, 5});
    ValueGroups groups(values.nominal());
    CHECK(groups.merge_pure());
    CHECK(groups.size() == 3);
    CHECK((groups.branches(5) == Branches{0, 1, 0, 2, 1}));
    CHECK(!groups.merge_pure());
}

TEST(values_of_half_a_case_are_left_out) {
    const Values values({3, 1, 0.25, 0.25, 0, 0, 1, 3});
    const ValueGroups groups(values.nominal());
    CHECK(groups.size() == 2);
    CHECK((groups.branches(4) == Branches{0, 2, 2, 1}));
    CHECK(std::ranges::equal(groups.left_out(), std::vector<std::uint32_t>{1}));
}

TEST(two_kinds_of_values_become_two_groups) {
    Values values({9, 1, 1, 9, 9, 1, 1, 9});
    const FoundTest found = values.subsets();
    CHECK(found.usable && found.n_branches == 2);
    CHECK((found.branches == Branches{0, 1, 0, 1}));
    const double mixed = -0.9 * std::log2(0.9) - 0.1 * std::log2(0.1);
    CHECK(near(found.gain, 1 - mixed) && near(found.info, 1));
}

TEST(values_that_do_not_occur_share_an_empty_branch_at_the_end) {
    Values values({9, 1, 0, 0, 1, 9, 0, 0});
    const FoundTest found = values.subsets();
    CHECK(found.usable && found.n_branches == 3);
    CHECK((found.branches == Branches{0, 2, 1, 2}));
}

TEST(gains_that_are_not_divided_are_merged_down_to_two_groups) {
    Values values({9, 1, 4, 6, 1, 9, 8, 2});
    for (const FoundTest& found :
         {values.subsets<Gini>(false), values.subsets<Hellinger>(false), values.subsets<Dkm>(false)}) {
        CHECK(found.usable && found.n_branches == 2);
        CHECK((found.branches == Branches{0, 1, 1, 0}));
    }
}

TEST(groups_are_merged_two_by_two_as_the_textbook_does) {
    // Of the pairs of {9 1}, {5 5}, {1 9} with the gain halved at most, the last two are worth the most, then nothing
    // is gained.
    Values values({9, 1, 5, 5, 1, 9});
    const FoundTest found = values.subsets();
    CHECK(found.usable && found.n_branches == 2);
    CHECK((found.branches == Branches{0, 1, 1}));
}

TEST(of_pairs_of_equal_score_the_later_is_merged) {
    Values values({9, 1, 5, 5, 1, 9, 7, 3});  // 7 3 is as near to 9 1 as to 5 5
    CHECK((values.subsets<Gini>(false).branches == Branches{0, 0, 1, 0}));
    Values two({9, 1, 7, 3, 3, 7, 1, 9});
    ValueGroups groups(two.nominal());
    const NodeFacts facts = two.node();
    const Known all = two.known();
    GroupScorer<Gini> scorer(groups, facts, all, false);
    CHECK(near(scorer.with_merged(0, 1).gain, scorer.with_merged(2, 3).gain));
    CHECK((two.subsets<Gini>(false).branches == Branches{0, 0, 1, 1}));
}

TEST(a_grouped_test_needs_two_filled_branches) {
    Values values({5, 0, 0, 1, 0, 0});
    CHECK(!values.subsets().usable);
    values.min_branch = 1;
    CHECK(values.subsets().usable);
}

TEST(a_grouped_test_must_gain) {
    Values values({3, 3, 3, 3, 3, 3});
    CHECK(!values.subsets().usable);
}

TEST(missing_cases_are_an_outcome_of_their_own) {
    Values values({5, 0, 0, 5, 5, 0});
    values.missing = 5;
    const FoundTest found = values.subsets();
    CHECK(near(found.gain, (-10 * std::log2(10.0 / 15) - 5 * std::log2(5.0 / 15)) / 20));
    CHECK(near(found.info, 1.5));
}

TEST(very_many_values_keep_a_branch_each) {
    std::vector<double> cells;
    for (std::size_t value = 0; value < most_merged + 10; ++value)
        cells.insert(cells.end(), {1.0, 1.0 + static_cast<double>(value % 2)});
    Values values(cells);
    values.xlogx = XLogX(2000);
    CHECK(values.subsets().n_branches == most_merged + 10);
}

TEST(one_value_is_split_from_the_rest) {
    Values values({1, 9, 9, 1, 1, 9});
    const FoundTest found = values.one_against_rest();
    CHECK(found.usable && found.n_branches == 2);
    CHECK((found.branches == Branches{1, 0, 1}));
    CHECK(near(found.info, -std::log2(1.0 / 3) / 3 - std::log2(2.0 / 3) * 2 / 3));
}

TEST(of_equal_values_the_first_is_chosen) {
    Values values({1, 9, 9, 1, 9, 1, 1, 9});
    CHECK((values.one_against_rest<Gini>(false).branches == Branches{0, 1, 1, 1}));
}

TEST(the_gain_or_its_ratio_chooses_the_value) {
    Values values({0, 2, 3, 12, 30, 1});
    CHECK((values.one_against_rest(false).branches == Branches{1, 1, 0}));
    Values small({4, 0, 20, 10, 5, 30});
    CHECK((small.one_against_rest(true).branches == Branches{1, 1, 0}));
}

TEST(both_sides_must_be_filled) {
    Values values({1, 0, 5, 0, 0, 0});
    CHECK(!values.one_against_rest().usable);
    Values enough({2, 0, 0, 5, 0, 1});
    CHECK((enough.one_against_rest().branches == Branches{0, 1, 1}));
}

TEST(a_heavy_value_of_one_row_is_neither_alone_nor_first) {
    Values values({0, 20, 9, 1, 1, 9, 8, 2});
    values.rows = {1, 5, 5, 5};
    values.min_rows = 2;
    const NodeFacts facts = values.node();
    const ValueGroups groups(values.nominal());
    CHECK(groups.n_filled(facts) == 3 && groups.heaviest(facts) == 1);
    CHECK(values.one_against_rest().branches[0] == 1);
    values.min_rows = 0;
    CHECK(groups.n_filled(values.node()) == 4 && groups.heaviest(values.node()) == 0);
    CHECK((values.one_against_rest().branches == Branches{0, 1, 1, 1}));
}

TEST(groups_are_merged_until_two_have_rows_enough) {
    Values values({9, 0, 0, 8, 5, 4});
    values.rows = {1, 1, 3};
    values.min_rows = 2;
    const FoundTest found = values.subsets();
    CHECK(found.usable && found.n_branches == 2 && found.branches[0] == found.branches[1]);
    values.rows = {1, 1, 1};
    CHECK(!values.subsets().usable);
}

}  // namespace test_nominal_groups

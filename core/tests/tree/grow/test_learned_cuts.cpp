#include "tree/grow/learned_cuts.hpp"

#include <algorithm>
#include <random>

#include "harness.hpp"
#include "tables.hpp"
#include "tree/grow/criteria.hpp"
#include "tree/predict.hpp"

using namespace calibrant;
using tables::missing;
using tables::near;
using tables::Problem;
using tables::same;

namespace test_learned_cuts {
namespace {

enum class Weights { none, whole, fixed };

constexpr GrowOptions learned{.ratio = false,
                              .min_leaf = 1,
                              .c45_cuts = false,
                              .midpoint = true,
                              .penalty = false,
                              .missing = MissingValues::learned};

struct Drawn {
    std::vector<double> values;
    Problem problem;
};

// One column; its missing values are of class 1 more often than the others.
Drawn drawn(std::mt19937& random, std::size_t n, std::size_t n_values, std::size_t n_classes, Weights weights) {
    Drawn result{std::vector<double>(n), Problem{std::vector<std::uint16_t>(n), n_classes}};
    for (std::size_t i = 0; i < n; ++i) {
        result.values[i] = random() % 5 == 0 ? missing : static_cast<double>(random() % n_values);
        const bool is_odd = random() % 3 == 0;
        const bool high = !(result.values[i] < 0.6 * static_cast<double>(n_values));
        result.problem.labels[i] = static_cast<std::uint16_t>(is_odd ? random() % n_classes : (high ? 1 : 0));
        if (weights == Weights::whole) result.problem.weights.push_back(static_cast<double>(1 + random() % 3));
        if (weights == Weights::fixed) result.problem.weights.push_back(0.5 + static_cast<double>(random() % 7) / 3);
    }
    result.problem.add(result.values);
    return result;
}

double weight_of(const Problem& problem, std::size_t row) {
    return problem.weights.empty() ? 1.0 : problem.weights[row];
}

// The gain of sending each row to one of two sides; `sides` has 0 or 1 for each.
template <Criterion C>
double gain_of(const Problem& problem, const std::vector<int>& sides, double min_leaf) {
    const XLogX xlogx(0);
    std::vector<std::vector<double>> counts(3, std::vector<double>(problem.n_classes));
    double weights[3] = {0, 0, 0};
    for (std::size_t row = 0; row < sides.size(); ++row) {
        for (const int part : {sides[row], 2}) {
            counts[static_cast<std::size_t>(part)][problem.labels[row]] += weight_of(problem, row);
            weights[part] += weight_of(problem, row);
        }
    }
    if (std::min(weights[0], weights[1]) < min_leaf) return 0;
    C criterion(Known{counts[2], weights[2]}, xlogx);
    criterion.start();
    criterion.add(counts[0], weights[0]);
    criterion.add(counts[1], weights[1]);
    return criterion.gain();
}

template <Criterion C>
double best_gain(const Drawn& rows, double min_leaf) {
    double best = 0;
    std::vector<int> sides(rows.values.size());
    for (const double cut : rows.values) {
        for (const int side : {0, 1}) {
            for (std::size_t i = 0; i < sides.size(); ++i)
                sides[i] =
                    rows.values[i] != rows.values[i] ? side : rows.values[i] > cut;  // a missing cut: missing or not
            best = std::max(best, gain_of<C>(rows.problem, sides, min_leaf));
        }
    }
    return best;
}

template <Criterion C>
void check_best(const Drawn& rows, CriterionName name, double min_leaf) {
    GrowOptions options = learned;
    options.criterion = name;
    options.min_leaf = min_leaf;
    options.max_depth = 1;
    const Tree tree = rows.problem.grow(options);
    const double best = best_gain<C>(rows, min_leaf);
    if (tree.is_leaf(0)) {
        CHECK(best < 1e-9);
        return;
    }
    std::vector<int> sides(rows.values.size());
    for (std::size_t i = 0; i < sides.size(); ++i) {
        const double value = rows.values[i];
        sides[i] = value != value ? tree.missing_branch[0] : value > tree.threshold[0];
    }
    CHECK(near(gain_of<C>(rows.problem, sides, min_leaf), best));
    for (std::size_t k = 0; k < tree.n_classes; ++k) {
        double left = 0;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            if (sides[i] == 0 && rows.problem.labels[i] == k) left += weight_of(rows.problem, i);
        }
        CHECK(near(tree.counts_of(1)[k], left));
    }
}

void check_all(const Drawn& rows, double min_leaf) {
    check_best<Entropy>(rows, CriterionName::entropy, min_leaf);
    check_best<Gini>(rows, CriterionName::gini, min_leaf);
    check_best<Dkm>(rows, CriterionName::dkm, min_leaf);
    check_best<Hellinger>(rows, CriterionName::hellinger, min_leaf);
    check_best<Twoing>(rows, CriterionName::twoing, min_leaf);
}

}  // namespace

TEST(the_best_cut_and_side_are_those_of_a_search_of_all) {
    std::mt19937 random(41);
    for (const std::size_t n : {12, 80, 150}) {
        for (const std::size_t n_values : {1, 3, 40, 400}) {
            for (const std::size_t n_classes : {2, 3}) {
                for (const Weights weights : {Weights::none, Weights::whole, Weights::fixed})
                    check_all(drawn(random, n, n_values, n_classes, weights), 1.0 + static_cast<double>(random() % 9));
            }
        }
    }
}

TEST(large_nodes_find_the_best_cut_and_side_too) {
    std::mt19937 random(43);
    for (const Weights weights : {Weights::none, Weights::whole, Weights::fixed}) {
        const Drawn rows = drawn(random, 2300, 90, 2, weights);
        check_best<Entropy>(rows, CriterionName::entropy, 5);
        check_best<Hellinger>(rows, CriterionName::hellinger, 5);
        check_best<Twoing>(rows, CriterionName::twoing, 5);
    }
}

TEST(every_number_of_threads_grows_the_same_tree_with_learned_branches) {
    std::mt19937 random(47);
    Drawn rows = drawn(random, 9000, 5000, 2, Weights::none);
    rows.problem.add(drawn(random, 9000, 30, 2, Weights::none).values);
    GrowOptions options = learned;
    const Tree one = rows.problem.grow(options);
    options.n_threads = 3;
    const Tree three = rows.problem.grow(options);
    CHECK(same(one, three));
    CHECK(std::ranges::count(one.missing_branch, 0) > 0 && std::ranges::count(one.missing_branch, 1) > 0);
}

TEST(a_branch_of_all_missing_values_is_no_cut) {
    Problem problem{{0, 0, 0, 1, 1}};
    problem.add(std::vector<double>{1, 2, 3, missing, missing});
    const Tree tree = problem.grow(learned);
    CHECK(tree.n_nodes() == 3 && std::isinf(tree.threshold[0]) && tree.missing_branch[0] == 1);
    CHECK((tree.counts == std::vector<double>{3, 2, 3, 0, 0, 2}));
}

TEST(a_nominal_test_has_a_branch_for_missing_values) {
    Problem problem{{0, 0, 1, 1, 2, 2}, 3};
    problem.add(std::vector<std::int32_t>{0, 0, 1, 1, -1, -1}, 2);
    const Tree tree = problem.grow(learned);
    CHECK(tree.n_children[0] == 3 && tree.n_values[0] == 2 && tree.missing_branch[0] == 2);
    CHECK((std::vector<double>(tree.counts.end() - 3, tree.counts.end()) == std::vector<double>{0, 0, 2}));
    GrowOptions binary = learned;
    binary.nominal_splits = NominalSplits::binary;
    const Tree two = problem.grow(binary);
    CHECK(two.n_children[0] == 2 && two.missing_branch[0] >= 0);
}

TEST(rows_with_missing_values_go_down_the_branch_that_was_learned) {
    Problem problem{{0, 0, 0, 1, 1}};
    problem.add(std::vector<double>{1, 2, missing, 3, 4});
    const Tree tree = problem.grow(learned);
    CHECK(tree.missing_branch[0] == 0);
    const std::vector<double> values{missing, 5, 0};
    const PredictRows rows{3, {StridedView<double>{values.data(), values.size(), 1}}};
    std::vector<std::int32_t> leaves(3);
    apply(tree, rows, leaves, 1, {});
    CHECK((leaves == std::vector<std::int32_t>{1, 2, 1}));
    const Tree counted = count_rows(tree, rows, std::vector<std::uint16_t>{1, 1, 0}, std::vector<double>{1, 1, 1}, {});
    CHECK((counted.counts == std::vector<double>{1, 2, 1, 1, 0, 1}));
}

}  // namespace test_learned_cuts

#include "tree/grow/criteria.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "harness.hpp"
#include "tables.hpp"
#include "tree/grow/bayes_logs.hpp"

using namespace calibrant;
using tables::near;

namespace test_evidence {
namespace {

using Counts = std::vector<double>;

double sum_of(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

// By the gamma function of the C library.
double log_marginal(const Counts& counts) {
    const auto n_classes = static_cast<double>(counts.size());
    double sum = std::lgamma(n_classes) - std::lgamma(sum_of(counts) + n_classes);
    for (const double n : counts) sum += std::lgamma(n + 1);
    return sum;
}

struct Split {
    Counts left, right, all;
    Split(std::mt19937& random, std::size_t n_classes, bool whole) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            for (Counts* side : {&left, &right})
                side->push_back(static_cast<double>(random() % 60) + (whole || random() % 2 ? 0.0 : 0.37));
            all.push_back(left[k] + right[k]);
        }
        left[0] += 1, all[0] += 1;
    }
    double gain() const { return (log_marginal(left) + log_marginal(right) - log_marginal(all)) / sum_of(all); }
};

}  // namespace

TEST(factorials_are_those_of_the_gamma_function) {
    const LogFactorial looked_up(1000), computed;
    for (double x = 0; x < 200; x += 0.173) CHECK(near(looked_up(x), std::lgamma(x + 1), 1e-12 * (1 + x)));
    for (std::size_t x = 0; x < 2000; ++x)
        CHECK(near(computed(x), std::lgamma(static_cast<double>(x) + 1), 1e-12 * static_cast<double>(1 + x)));
}

TEST(eight_factorials_at_once_are_those_of_one_by_one) {
    for (const double scale : {0.01, 1.0, 1e3, 1e7}) {
        double x[8], found[8];
        for (int i = 0; i < 8; ++i) x[i] = scale * (i + 0.37);
        LogFactorial::of_eight(x, found);
        for (int i = 0; i < 8; ++i) {
            CHECK(near(found[i], std::lgamma(x[i] + 1), 1e-12 * std::max(10.0, std::lgamma(x[i] + 1))));
            CHECK(near(LogFactorial()(x[i]), std::lgamma(x[i] + 1), 1e-12 * std::max(10.0, std::lgamma(x[i] + 1))));
        }
    }
}

TEST(the_gain_is_the_log_of_the_bayes_factor_per_row) {
    std::mt19937 random(1);
    for (const bool whole : {true, false}) {
        for (int trial = 0; trial < 200; ++trial) {
            const Split split(random, 2 + random() % 4, whole);
            const XLogX xlogx(20, 300);
            Evidence evidence({split.all, sum_of(split.all)}, xlogx);
            evidence.start();
            evidence.add(split.left, sum_of(split.left));
            evidence.add(split.right, sum_of(split.right));
            CHECK(near(evidence.gain(), split.gain(), 1e-11));
            evidence.add(split.all, sum_of(split.all));
            evidence.remove(split.all, sum_of(split.all));
            CHECK(near(evidence.gain(), split.gain(), 1e-11));
        }
    }
}

TEST(two_classes_have_the_same_gain_from_counts_and_from_weights) {
    std::mt19937 random(2);
    const XLogX xlogx(20, 300);
    for (int trial = 0; trial < 200; ++trial) {
        const Split split(random, 2, trial % 2 == 0);
        Evidence evidence({split.all, sum_of(split.all)}, xlogx);
        const auto n = [](double count) { return static_cast<std::size_t>(count); };
        CHECK(near(two_class_gain(evidence, split.left[0], split.left[1], split.right[0], split.right[1]), split.gain(),
                   1e-12));
        if (trial % 2 == 1) continue;
        CHECK(near(two_class_gain(evidence, n(split.left[0]), n(split.left[1]), n(split.right[0]), n(split.right[1])),
                   split.gain(), 1e-12));
    }
}

TEST(a_cut_that_moves_on_has_the_gain_of_its_sides) {
    std::mt19937 random(3);
    const XLogX xlogx(20, 300);
    for (int trial = 0; trial < 100; ++trial) {
        const Split split(random, 2 + random() % 4, trial % 2 == 0);
        Evidence evidence({split.all, sum_of(split.all)}, xlogx);
        evidence.start_cuts(split.all);
        for (std::size_t k = 0; k < split.all.size(); ++k) {
            const double half = std::floor(split.left[k] / 2);
            evidence.move(split.all[k], 0, half);
            evidence.move(split.all[k], half, split.left[k]);
        }
        CHECK(near(evidence.gain_at(sum_of(split.left)), split.gain(), 1e-11));
    }
}

TEST(a_log_mean_is_that_of_the_exponentials) {
    LogMean mean;
    const double logs[] = {-3, 1.5, 0, 1.5, -60, 2}, weights[] = {1, 0.5, 2, 1, 1, 3};
    double sum = 0, weight = 0;
    for (int i = 0; i < 6; ++i) {
        mean.add(logs[i], weights[i]);
        sum += weights[i] * std::exp(logs[i]);
        weight += weights[i];
    }
    CHECK(near(mean.log_mean(), std::log(sum / weight), 1e-14));
    LogMean large;
    large.add(-5000, 1);
    large.add(5000, 3);
    CHECK(near(large.log_mean(), 5000 + std::log(0.75), 1e-9));
}

TEST(branches_of_a_test_are_leaves_with_the_probability_of_wallace_and_patrick) {
    CHECK(near(log_prior_of_leaves(2), 2 * std::log(0.5), 1e-15));
    CHECK(near(log_prior_of_leaves(5), 5 * std::log(0.8), 1e-14));
}

TEST(a_tree_keeps_the_prior_of_its_cuts) {
    const Tree tree = tables::Golf().problem().grow(
        {.criterion = CriterionName::bayes, .ratio = false, .min_leaf = 0.5, .c45_cuts = false, .penalty = false});
    CHECK(tree.log_prior.size() == tree.n_nodes());
    for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
        const bool is_cut = !tree.is_leaf(node) && tree.n_values[node] == 0;
        CHECK(is_cut ? tree.log_prior[node] <= 0 : tree.log_prior[node] == 0);
    }
    CHECK(tables::Golf().problem().grow().log_prior.empty());
}

}  // namespace test_evidence

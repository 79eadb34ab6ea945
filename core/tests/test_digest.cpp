// The bits of a fixed forest, of its probabilities and of what is measured on them: the same with every compiler and on
// every processor. A digest changes only with the algorithm itself; then the new one is written here and in
// CHANGELOG.md.
#include <bit>
#include <cstdio>
#include <memory>
#include <random>

#include "calibrate/logistic.hpp"
#include "forest/bags.hpp"
#include "forest/forest.hpp"
#include "forest/packed_forest.hpp"
#include "harness.hpp"
#include "rank/losses.hpp"
#include "rank/rank_measures.hpp"
#include "tables.hpp"
#include "tree/prune/pruning.hpp"

using namespace calibrant;

namespace test_digest {
namespace {

// FNV-1a, 64 bits.
class Digest {
  public:
    template <class T>
    Digest& add(const std::vector<T>& values) {
        for (const T value : values) add(value);
        return *this;
    }
    Digest& add(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
    Digest& add(std::int32_t value) { return add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(value))); }
    Digest& add(std::uint64_t bits) {
        for (int byte = 0; byte < 8; ++byte) state_ = (state_ ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3ULL;
        return *this;
    }
    Digest& add(const Tree& tree) { return add(tree.feature).add(tree.threshold).add(tree.counts).add(tree.parent); }
    bool is(std::uint64_t expected) const {
        if (state_ != expected)
            std::fprintf(stderr, "digest is 0x%016llxULL\n", static_cast<unsigned long long>(state_));
        return state_ == expected;
    }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

// mt19937_64 is fixed by the standard, the distributions are not.
class Draws {
  public:
    double share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  private:
    std::mt19937_64 random_{20};
};

constexpr std::size_t n_rows = 1200, n_trees = 8, n_classes = 3;

struct Fixed {
    tables::Problem problem{std::vector<std::uint16_t>(n_rows), n_classes};
    std::vector<std::uint16_t> in_bag = std::vector<std::uint16_t>(n_rows * n_trees);
    std::vector<std::uint64_t> seeds;
    Draws draws;

    Fixed() {
        for (int column = 0; column < 5; ++column) add_numbers(column);
        std::vector<std::int32_t> words(n_rows);
        for (auto& word : words) word = static_cast<std::int32_t>(draws.below(6));
        problem.add(words, 6);
        for (std::size_t i = 0; i < n_rows; ++i) problem.weights.push_back(0.25 + draws.share());
        for (std::size_t tree = 0; tree < n_trees; ++tree) {
            seeds.push_back(tree);
            for (std::size_t i = 0; i < n_rows; ++i) ++in_bag[tree * n_rows + draws.below(n_rows)];
        }
    }
    void add_numbers(int column) {
        std::vector<double> values(n_rows);
        for (auto& value : values) value = draws.below(12) == 0 ? tables::missing : draws.share();
        for (std::size_t i = 0; i < n_rows && column < 2; ++i)
            problem.labels[i] = static_cast<std::uint16_t>((problem.labels[i] + (values[i] > 0.6)) % n_classes);
        problem.add(values);
    }
    Examples examples(const CodedTable& table) const { return {&table, problem.labels, problem.weights, n_classes}; }
};

std::vector<Tree> grown(const Fixed& fixed, const CodedTable& table, std::size_t n_threads) {
    const GrowOptions options{.n_declared_classes = n_classes, .n_threads = n_threads, .max_features = 3};
    const Bags bags(fixed.in_bag, n_rows);
    return grow_forest(fixed.examples(table), {bags, 0, fixed.seeds}, options, {});
}

std::vector<double> probabilities(const std::vector<Tree>& trees, const CodedTable& table, std::size_t n_threads) {
    std::vector<std::vector<double>> laplace;
    std::vector<Member> members;
    for (const Tree& tree : trees) {
        auto& shares = laplace.emplace_back(tree.counts);
        for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = (shares[i] + 1) / (tree.weight[i / n_classes] + 3);
    }
    for (std::size_t tree = 0; tree < n_trees; ++tree) members.push_back({&trees[tree], laplace[tree]});
    std::vector<double> sums(n_rows * n_classes);
    PackedForest(members, n_classes).sum(coded_rows(table), sums, n_threads, {});
    for (double& sum : sums) sum /= n_trees;
    return sums;
}

// One class against the others.
struct Scored {
    std::vector<double> scores;
    std::unique_ptr<bool[]> positive = std::make_unique<bool[]>(n_rows);
    Scored(const Fixed& fixed, const std::vector<double>& proba) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            scores.push_back(proba[i * n_classes]);
            positive[i] = fixed.problem.labels[i] == 0;
        }
    }
};

}  // namespace

TEST(a_fixed_forest_has_the_same_bits_everywhere) {
    const Fixed fixed;
    const CodedTable table(n_rows, fixed.problem.columns);
    for (const std::size_t n_threads : {1U, 2U}) {
        Digest digest;
        for (const Tree& tree : grown(fixed, table, n_threads)) digest.add(tree);
        CHECK(digest.is(0xf7ddccfa4fd4ce7cULL));
    }
}

TEST(bags_have_the_same_bits_everywhere) {
    Digest digest;
    for (const BagKind kind : {BagKind::bootstrap, BagKind::subsample}) {
        for (const std::size_t n : {1000U, 9001U}) {
            const Bags bags({kind, 20, {n}, {}, n / 2, {}, {}}, n);
            for (std::size_t tree = 0; tree < 3; ++tree) {
                for (const std::uint16_t count : bags.of(tree)) digest.add(std::uint64_t{count});
            }
        }
    }
    CHECK(digest.is(0x95df06131750578eULL));
}

TEST(pruned_trees_have_the_same_bits_everywhere) {
    const Fixed fixed;
    const CodedTable table(n_rows, fixed.problem.columns);
    const Tree tree = grow(fixed.examples(table), {.n_declared_classes = n_classes}, {});
    Digest digest;
    digest.add(prune_pessimistic(tree, fixed.examples(table), {}, {})).add(prune_mdl(tree, table));
    for (double weight = 0.5; weight < 50; weight += 0.5) digest.add(extra_errors(weight, 0.3, {}));
    CHECK(digest.is(0x1fada131b1d4580cULL));
}

TEST(bayesian_trees_have_the_same_bits_everywhere) {
    const Fixed fixed;
    const CodedTable table(n_rows, fixed.problem.columns);
    const GrowOptions options{
        .criterion = CriterionName::mml, .ratio = false, .penalty = false, .n_declared_classes = n_classes};
    const Tree tree = grow(fixed.examples(table), options, {});
    CHECK(Digest().add(tree).add(tree.log_prior).add(prune_continuity(tree)).is(0x14142b15063e666cULL));
}

TEST(probabilities_of_a_fixed_forest_have_the_same_bits_everywhere) {
    const Fixed fixed;
    const CodedTable table(n_rows, fixed.problem.columns);
    const std::vector<Tree> trees = grown(fixed, table, 2);
    for (const std::size_t n_threads : {1U, 2U})
        CHECK(Digest().add(probabilities(trees, table, n_threads)).is(0xa88e952e33fcdb3aULL));
}

TEST(measures_have_the_same_bits_everywhere) {
    const Fixed fixed;
    const CodedTable table(n_rows, fixed.problem.columns);
    const Scored scored(fixed, probabilities(grown(fixed, table, 2), table, 2));
    const ScoreRows rows{scored.scores, {scored.positive.get(), n_rows}, fixed.problem.weights};
    const StopToken stop;
    const Ranking ranking(rows, 2, {});
    const LogisticRows line{
        {{scored.scores.data(), 4.0, 1.0}}, {scored.positive.get(), n_rows}, fixed.problem.weights, 0.0, 1.0};
    const LogisticSums sums = logistic_sums(line, std::vector<double>{0.7, -0.2}, 2, {});
    Digest digest;
    digest.add(squared_errors(rows, {2, stop})).add(log_loss_sums(rows, 0, {2, stop}).sum);
    digest.add(area_under_roc(ranking)).add(average_precision(ranking)).add(area_under_precision(ranking, false));
    digest.add(sums.loss).add(sums.gradient[0]).add(sums.hessian[0][1]);
    CHECK(digest.is(0x09ae9789359778f1ULL));
}

}  // namespace test_digest

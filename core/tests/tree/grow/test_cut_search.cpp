#include "tree/grow/cut_search.hpp"

#include <numeric>
#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace test_cut_search {
namespace {

constexpr Keys keys{.class_bits = 2};

const ValueGaps no_gaps({}, 1e-5);

// A column at a node: ascending rows, and the arguments of the searches.
struct Drawn {
    std::vector<SortedRow> rows{};
    std::vector<double> weights{};
    std::size_t n_classes = 2;
    std::size_t n_values = 0;
    std::vector<double> counts{};
    double weight = 0;
    double missing = 0;  // weight of cases without a value

    Known known() const { return {counts, weight}; }
    std::size_t label(std::size_t i) const { return keys.label(rows[i].key); }
    std::uint32_t code(std::size_t i) const { return keys.code(rows[i].key); }
    std::vector<double> table() const {
        std::vector<double> cells(n_values * n_classes);
        for (std::size_t i = 0; i < rows.size(); ++i) cells[code(i) * n_classes + label(i)] += weights[i];
        return cells;
    }
};

Drawn make(const std::vector<std::uint32_t>& codes, const std::vector<std::uint32_t>& labels, std::size_t n_classes,
           std::vector<double> weights = {}) {
    Drawn drawn{.weights = std::move(weights), .n_classes = n_classes, .counts = std::vector<double>(n_classes)};
    if (drawn.weights.empty()) drawn.weights.assign(codes.size(), 1.0);
    for (std::uint32_t i = 0; i < codes.size(); ++i) {
        drawn.rows.push_back({i, keys.key(codes[i], labels[i], false)});
        drawn.counts[labels[i]] += drawn.weights[i];
        drawn.weight += drawn.weights[i];
        drawn.n_values = std::max<std::size_t>(drawn.n_values, codes[i] + 1);
    }
    return drawn;
}

Drawn draw(std::mt19937& random, std::size_t n_classes, bool weighted) {
    const bool is_long = random() % 10 == 0;
    const std::size_t n = 2 + random() % (is_long ? 300 : 40);
    std::vector<std::uint32_t> codes(n), labels(n);
    std::vector<double> weights(n, 1.0);
    for (auto& code : codes) code = random() % (1 + random() % (is_long ? 400 : 20));
    std::sort(codes.begin(), codes.end());
    for (std::size_t i = 0; i < n; ++i) labels[i] = (codes[i] / 4 + (random() % 3 == 0)) % n_classes;
    if (weighted) {
        for (auto& weight : weights) weight = static_cast<double>(1 + random() % 7) / 3;
    }
    Drawn drawn = make(codes, labels, n_classes, weights);
    drawn.missing = static_cast<double>(random() % 3) / 2;
    return drawn;
}

struct Facts {
    XLogX xlogx{2000};
    std::vector<double> scratch;
    NodeFacts facts;

    Facts(const Drawn& drawn, double min_side, double min_branch = 1)
        : scratch(2 * drawn.n_classes), facts{drawn.weight + drawn.missing,           min_branch, min_side,
                                              static_cast<double>(drawn.rows.size()), &xlogx,     scratch} {}
};

template <Criterion C>
FoundTest sorted(const Drawn& drawn, const Facts& facts, const CutRules& rules,
                 const std::vector<double>& values = {}) {
    const auto weight_of = [&](const SortedRow& row) { return drawn.weights[row.row]; };
    const ValueGaps gaps(values, 1e-5);
    auto rows = drawn.rows;
    for (SortedRow& row : rows) row.key = keys.key(keys.code(row.key), keys.label(row.key), gaps);
    return best_cut<CutSearch<C>>(facts.facts, drawn.known(), rules, std::span<const SortedRow>(rows), keys, weight_of,
                                  gaps);
}

// The textbook: the gain of every cut between two values, the first of the best.
template <Criterion C>
FoundTest brute_force(const Drawn& drawn, const Facts& facts, const CutRules& rules) {
    FoundTest best{.gain = -1};
    double tries = 0;
    for (std::size_t i = 0; i + 1 < drawn.rows.size(); ++i) {
        if (drawn.code(i) == drawn.code(i + 1)) continue;
        std::vector<double> left(drawn.n_classes), right(drawn.n_classes);
        for (std::size_t j = 0; j < drawn.rows.size(); ++j) (j <= i ? left : right)[drawn.label(j)] += drawn.weights[j];
        const double low = std::accumulate(left.begin(), left.end(), 0.0), high = drawn.weight - low;
        if (std::min(low, high) < facts.facts.min_side - size_tolerance) continue;
        ++tries;
        C criterion(drawn.known(), facts.xlogx);
        criterion.start();
        criterion.add(left, low);
        criterion.add(right, high);
        const double gain = criterion.gain() * drawn.weight / facts.facts.weight;
        if (!(gain > best.gain + rules.tolerance)) continue;
        const double sides[] = {low, high};
        best = {.usable = true,
                .gain = gain,
                .info = split_information(facts.facts, drawn.missing, sides),
                .below = drawn.code(i),
                .above = drawn.code(i + 1)};
    }
    if (tries > 0 && rules.penalty) best.gain -= std::log2(tries) / facts.facts.weight;
    return best.gain > rules.usable_gain ? best : FoundTest{};
}

bool same(const FoundTest& a, const FoundTest& b) {
    return a.usable == b.usable && near(a.gain, b.gain, 1e-9) && near(a.info, b.info, 1e-9) && a.below == b.below &&
           a.above == b.above;
}

template <Criterion C>
void check_brute_force(std::size_t n_classes, bool weighted, bool penalty, double tolerance) {
    std::mt19937 random(7);
    const CutRules rules{.tolerance = tolerance, .usable_gain = 1e-7, .penalty = penalty};
    for (int trial = 0; trial < 400; ++trial) {
        const Drawn drawn = draw(random, n_classes, weighted);
        const Facts facts(drawn, 1 + static_cast<double>(random() % 3));
        const FoundTest expected = drawn.weight < 2 ? FoundTest{} : brute_force<C>(drawn, facts, rules);
        CHECK(same(sorted<C>(drawn, facts, rules), expected));
        const std::vector<double> table = drawn.table();
        CHECK(same(best_cut<CutSearch<C>>(facts.facts, drawn.known(), rules, std::span(table), n_classes, no_gaps),
                   expected));
    }
}

template <class Cuts, class WeightOf>
FoundTest of_pairs(const Drawn& drawn, const Facts& facts, const CutRules& rules, const std::vector<SortedRow>& pairs,
                   const WeightOf& weight_of) {
    return best_cut<Cuts>(facts.facts, drawn.known(), rules, std::span(pairs), two_class_keys, weight_of, no_gaps);
}

template <Criterion C>
void check_pairs() {
    std::mt19937 random(9);
    for (int trial = 0; trial < 400; ++trial) {
        const CutRules rules{
            .tolerance = trial % 2 == 0 ? tie_tolerance : 0.02, .usable_gain = 1e-7, .penalty = trial % 4 < 2};
        Drawn drawn = draw(random, 2, false);
        drawn.missing = 0;
        const Facts facts(drawn, 0.5 + static_cast<double>(random() % 4));
        std::vector<SortedRow> pairs;
        std::vector<std::uint32_t> table(2 * drawn.n_values);
        for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
            const auto label = static_cast<std::uint32_t>(drawn.label(i));
            pairs.push_back({drawn.rows[i].row, two_class_keys.key(drawn.code(i), label, false)});
            ++table[2 * drawn.code(i) + label];
        }
        const FoundTest expected = sorted<C>(drawn, facts, rules);
        const auto once = [](const SortedRow&) { return std::size_t{1}; };
        CHECK(same(of_pairs<TwoClassCuts<C, std::size_t>>(drawn, facts, rules, pairs, once), expected));
        CHECK(same(of_pairs<TwoClassCuts<C, double>>(drawn, facts, rules, pairs, once), expected));
        const std::span<const std::uint32_t> cells(table);
        CHECK(same(
            best_cut<TwoClassCuts<C, std::size_t>>(facts.facts, drawn.known(), rules, cells, std::size_t{2}, no_gaps),
            expected));
    }
}

template <Criterion C>
void check_weighted_pairs() {
    std::mt19937 random(21);
    for (int trial = 0; trial < 400; ++trial) {
        const CutRules rules{.tolerance = trial % 2 == 0 ? tie_tolerance : 0.02, .usable_gain = 1e-7};
        const Drawn drawn = draw(random, 2, true);
        const Facts facts(drawn, 0.5 + static_cast<double>(random() % 4));
        std::vector<SortedRow> pairs;
        for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
            pairs.push_back({drawn.rows[i].row,
                             two_class_keys.key(drawn.code(i), static_cast<std::uint32_t>(drawn.label(i)), false)});
        }
        const auto weight_of = [&](const SortedRow& row) { return drawn.weights[row.row]; };
        CHECK(same(of_pairs<TwoClassCuts<C, double>>(drawn, facts, rules, pairs, weight_of),
                   sorted<C>(drawn, facts, rules)));
    }
}

// Rows that count several times, as whole numbers and as weights.
template <Criterion C>
void check_whole_pairs() {
    std::mt19937 random(33);
    for (int trial = 0; trial < 400; ++trial) {
        const CutRules rules{
            .tolerance = trial % 2 == 0 ? tie_tolerance : 0.02, .usable_gain = 1e-7, .penalty = trial % 4 < 2};
        Drawn drawn = draw(random, 2, true);
        for (double& weight : drawn.weights) weight = static_cast<double>(1 + random() % 4);
        std::vector<std::uint32_t> codes, labels;
        for (std::size_t i = 0; i < drawn.rows.size(); ++i)
            codes.push_back(drawn.code(i)), labels.push_back(static_cast<std::uint32_t>(drawn.label(i)));
        drawn = make(codes, labels, 2, drawn.weights);
        const Facts facts(drawn, 0.5 + static_cast<double>(random() % 6));
        CodedColumn column;  // some of its values are too close for a cut
        for (std::size_t code = 0; code < drawn.n_values; ++code)
            column.values.push_back((code == 0 ? 0.0 : column.values.back()) + (random() % 3 == 0 ? 4e-6 : 1.0));
        const ValueGaps gaps(column.values, 1e-5);
        std::vector<SortedRow> pairs;
        for (std::size_t i = 0; i < drawn.rows.size(); ++i) {
            pairs.push_back({drawn.rows[i].row,
                             two_class_keys.key(drawn.code(i), static_cast<std::uint32_t>(drawn.label(i)), gaps)});
        }
        const auto times_of = [&](const SortedRow& row) { return static_cast<std::size_t>(drawn.weights[row.row]); };
        CHECK(same(
            best_cut<TwoClassCuts<C, std::size_t>>(facts.facts, drawn.known(), rules, std::span<const SortedRow>(pairs),
                                                   two_class_keys, times_of, gaps),
            sorted<C>(drawn, facts, rules, column.values)));
    }
}

template <Criterion C>
void check_all() {
    for (const std::size_t n_classes : {2, 3, 4}) {
        for (const bool weighted : {false, true}) {
            check_brute_force<C>(n_classes, weighted, false, tie_tolerance);
            check_brute_force<C>(n_classes, weighted, true, tie_tolerance);
            check_brute_force<C>(n_classes, weighted, false, 0.02);
        }
    }
    check_pairs<C>();
    check_whole_pairs<C>();
    check_weighted_pairs<C>();
}

}  // namespace

TEST(an_entropy_cut_equals_brute_force) { check_all<Entropy>(); }
TEST(a_gini_cut_equals_brute_force) { check_all<Gini>(); }
TEST(a_dkm_cut_equals_brute_force) { check_all<Dkm>(); }
TEST(a_hellinger_cut_equals_brute_force) { check_all<Hellinger>(); }

TEST(of_equal_cuts_the_first_wins) {
    const Drawn drawn = make({0, 1, 2, 3}, {0, 1, 1, 0}, 2);
    const FoundTest found = sorted<Entropy>(drawn, Facts(drawn, 1), {.penalty = false});
    CHECK(found.usable && found.below == 0 && found.above == 1);
}

TEST(no_cut_lies_between_values_closer_than_the_gap) {
    const Drawn drawn = make({0, 1, 2, 3}, {0, 0, 1, 1}, 2);
    const std::vector<double> close{1.0, 2.0, 2.000001, 3.0};
    const FoundTest found = sorted<Entropy>(drawn, Facts(drawn, 1), {.penalty = false}, close);
    CHECK(found.usable && found.below == 0);
    CHECK(sorted<Entropy>(drawn, Facts(drawn, 1), {.penalty = false}).below == 1);
}

TEST(cuts_are_allowed_or_not_however_many_values_lie_between) {
    std::mt19937 random(17);
    CodedColumn column;
    double value = 0;
    for (int i = 0; i < 2000; ++i)
        column.values.push_back(value += i % 500 < 300 ? 1e-8 : static_cast<double>(1 + random() % 40) * 1e-6);
    const ValueGaps gaps(column.values, 1e-5);
    for (std::size_t code = 0; code < column.values.size(); ++code) {
        for (std::size_t greater = code + 1; greater < column.values.size(); greater += 1 + random() % 9) {
            CHECK(gaps.can_cut_between(code, greater) == (column.values[code] < column.values[greater] - 1e-5));
        }
    }
}

TEST(the_penalty_is_the_information_in_the_number_of_cuts) {
    const Drawn drawn = make({0, 1, 2, 3}, {0, 0, 1, 1}, 2);
    CHECK(near(sorted<Entropy>(drawn, Facts(drawn, 1), {}).gain, 1 - std::log2(3) / 4));
    CHECK(near(sorted<Entropy>(drawn, Facts(drawn, 2), {}).gain, 1));
}

TEST(too_few_known_cases_are_not_searched) {
    const Drawn drawn = make({0, 1, 2}, {0, 1, 1}, 2);
    CHECK(!sorted<Entropy>(drawn, Facts(drawn, 1, 2), {.penalty = false}).usable);
    CHECK(!sorted<Entropy>(drawn, Facts(drawn, 2, 1), {.count_cases = true, .penalty = false}).usable);
    CHECK(sorted<Entropy>(drawn, Facts(drawn, 1, 1), {.penalty = false}).usable);
}

TEST(missing_cases_lower_the_gain_and_are_an_outcome_of_their_own) {
    Drawn drawn = make({0, 1}, {0, 1}, 2);
    drawn.missing = 2;
    const FoundTest found = sorted<Entropy>(drawn, Facts(drawn, 1), {});
    CHECK(near(found.gain, 0.5) && near(found.info, 1.5));
}

TEST(a_multiway_test_of_golf_by_outlook_is_quinlans) {
    const std::vector<double> table{2, 3, 4, 0, 3, 2}, weights{5, 4, 5}, counts{9, 5};
    const std::vector<std::uint32_t> seen{2, 0, 1};
    const XLogX xlogx(14);
    const NodeFacts node{14, 2, 2, 14, &xlogx, {}};
    const FoundTest found = search_multiway<Entropy>(seen, table, weights, node, {counts, 14});
    CHECK(found.usable && near(found.gain, 0.24675, 1e-5) && near(found.info, 1.577406, 1e-6) && found.n_branches == 3);
}

TEST(a_multiway_test_needs_two_filled_branches) {
    const std::vector<double> table{4, 0, 0, 1, 0, 0}, weights{4, 1, 0}, counts{4, 1};
    const std::vector<std::uint32_t> seen{0, 1};
    const XLogX xlogx(5);
    CHECK(!search_multiway<Entropy>(seen, table, weights, {5, 2, 2, 5, &xlogx, {}}, {counts, 5}).usable);
    CHECK(search_multiway<Entropy>(seen, table, weights, {5, 1, 2, 5, &xlogx, {}}, {counts, 5}).usable);
}

}  // namespace test_cut_search

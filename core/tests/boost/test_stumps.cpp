// Stumps against every cut tried one by one, for each criterion, few and many classes, missing values,
// ties and any number of threads.
#include "boost/stumps.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::missing;
using tables::near;

namespace test_stumps {
namespace {

constexpr StumpCriterion all_criteria[] = {StumpCriterion::entropy, StumpCriterion::gini, StumpCriterion::dkm,
                                           StumpCriterion::twoing};

using Branch = std::vector<double>;

double total(const Branch& branch) { return std::accumulate(branch.begin(), branch.end(), 0.0); }

double impurity(const Branch& branch, StumpCriterion criterion) {
    const double w = total(branch), n_classes = static_cast<double>(branch.size());
    double sum = 0;
    for (const double n : branch) {
        if (n <= 0) continue;
        if (criterion == StumpCriterion::gini)
            sum += n / w * (1 - n / w);
        else if (criterion == StumpCriterion::dkm)
            sum += std::sqrt(n / w);
        else
            sum -= n / w * std::log2(n / w);
    }
    if (criterion == StumpCriterion::dkm) sum = w > 0 ? (sum * sum - 1) / (n_classes - 1) : 0;
    return w * sum;
}

double twoing(const Branch& left, const Branch& right) {
    const double l = total(left), r = total(right);
    if (l <= 0 || r <= 0) return 0;
    double apart = 0;
    for (std::size_t k = 0; k < left.size(); ++k) apart += std::abs(left[k] / l - right[k] / r);
    return l * r / ((l + r) * (l + r)) / 4 * apart * apart;
}

// Branches: first, second, missing.
double score(const std::vector<Branch>& branches, StumpCriterion criterion) {
    Branch all(branches[0].size());
    for (const Branch& branch : branches) {
        for (std::size_t k = 0; k < all.size(); ++k) all[k] += branch[k];
    }
    if (criterion == StumpCriterion::twoing) {
        return twoing(branches[0], branches[1]) * (total(branches[0]) + total(branches[1])) / total(all);
    }
    double gain = impurity(all, criterion);
    for (const Branch& branch : branches) gain -= impurity(branch, criterion);
    return gain / total(all);
}

struct Drawn {
    tables::Problem problem;
    std::vector<std::vector<double>> numbers;
    std::vector<std::vector<std::int32_t>> categories;

    std::vector<Branch> branches(std::size_t column, const auto& is_first, const auto& is_missing) const {
        std::vector<Branch> result(3, Branch(problem.n_classes));
        for (std::size_t row = 0; row < problem.labels.size(); ++row) {
            const std::size_t branch = is_missing(column, row) ? 2 : is_first(row) ? 0 : 1;
            result[branch][problem.labels[row]] += problem.weights[row];
        }
        return result;
    }
    double best_by_hand(StumpCriterion criterion) const {
        double best = -1;
        for (std::size_t j = 0; j < numbers.size(); ++j) {
            std::vector<double> values;
            for (const double x : numbers[j])
                if (!std::isnan(x)) values.push_back(x);
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            for (std::size_t v = 0; v + 1 < values.size(); ++v) {
                best = std::max(best,
                                score(branches(
                                          j, [&](std::size_t row) { return numbers[j][row] <= values[v]; },
                                          [&](std::size_t c, std::size_t row) { return std::isnan(numbers[c][row]); }),
                                      criterion));
            }
        }
        for (std::size_t j = 0; j < categories.size(); ++j) {
            for (std::int32_t value = 0; value < 4; ++value) {
                best = std::max(best, score(branches(
                                                j, [&](std::size_t row) { return categories[j][row] == value; },
                                                [&](std::size_t c, std::size_t row) { return categories[c][row] < 0; }),
                                            criterion));
            }
        }
        return best;
    }
};

// A column of many values, one of few, one of categories; a tenth is missing.
Drawn draw(std::size_t n_rows, std::size_t n_classes, std::uint32_t seed, bool with_missing = true) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Drawn drawn{{.labels = {}, .n_classes = n_classes},
                std::vector<std::vector<double>>(2),
                std::vector<std::vector<std::int32_t>>(1)};
    for (std::size_t row = 0; row < n_rows; ++row) {
        const double x = uniform(random);
        const auto is_hole = [&] { return with_missing && uniform(random) < 0.1; };
        drawn.problem.labels.push_back(static_cast<std::uint16_t>(
            static_cast<std::size_t>((uniform(random) < 0.3 ? uniform(random) : x) * static_cast<double>(n_classes))));
        drawn.problem.weights.push_back(0.1 + uniform(random));
        drawn.numbers[0].push_back(is_hole() ? missing : std::round(x * 4000) + std::round(uniform(random) * 900));
        drawn.numbers[1].push_back(is_hole() ? missing : std::round(x * 9) + std::round(uniform(random) * 3));
        drawn.categories[0].push_back(is_hole() ? -1 : static_cast<std::int32_t>(uniform(random) < 0.2 ? 3 : x * 3));
    }
    for (const auto& column : drawn.numbers) drawn.problem.add(column);
    for (const auto& column : drawn.categories) drawn.problem.add(column, 4);
    return drawn;
}

CodedTable table_of(const Drawn& drawn) { return CodedTable(drawn.problem.labels.size(), drawn.problem.columns); }

Stump best_of(const CodedTable& table, const Drawn& drawn, StumpCriterion criterion, std::size_t n_threads = 1) {
    return StumpSearch(table, drawn.problem.labels, drawn.problem.n_classes, criterion, n_threads, {})
        .best(drawn.problem.weights, {});
}

}  // namespace

TEST(the_best_test_is_that_of_every_test_tried_by_hand) {
    for (const std::size_t n_classes : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
        for (std::uint32_t seed = 0; seed < 4; ++seed) {
            const Drawn drawn = draw(3000, n_classes, seed);
            const CodedTable table = table_of(drawn);
            for (const StumpCriterion criterion : all_criteria) {
                CHECK(near(best_of(table, drawn, criterion).gain, drawn.best_by_hand(criterion), 1e-10));
            }
        }
    }
}

TEST(counts_are_those_of_the_branches) {
    const Drawn drawn = draw(3000, 3, 9);
    const CodedTable table = table_of(drawn);
    for (const StumpCriterion criterion : all_criteria) {
        const Stump stump = best_of(table, drawn, criterion);
        std::vector<Branch> branches;
        for (std::size_t b = 0; b < 3; ++b)
            branches.emplace_back(stump.counts.begin() + static_cast<std::ptrdiff_t>(3 * b),
                                  stump.counts.begin() + static_cast<std::ptrdiff_t>(3 * b + 3));
        CHECK(near(score(branches, criterion), stump.gain, 1e-10));
        CHECK(near(total(stump.counts), total(drawn.problem.weights), 1e-6));
    }
}

TEST(any_number_of_threads_gives_the_same_bits) {
    const Drawn drawn = draw(3000, 2, 3);
    const CodedTable table = table_of(drawn);
    const Stump one = best_of(table, drawn, StumpCriterion::entropy),
                four = best_of(table, drawn, StumpCriterion::entropy, 4);
    CHECK(one.column == four.column && one.code == four.code && one.gain == four.gain && one.counts == four.counts);
}

TEST(of_equal_tests_the_first_is_taken) {
    tables::Problem problem{{0, 1, 0, 1}};
    problem.add({1, 2, 3, 4});
    problem.add({1, 2, 3, 4});
    const CodedTable table(4, problem.columns);
    const std::vector<double> weights(4, 1.0);
    const Stump stump = StumpSearch(table, problem.labels, 2, StumpCriterion::entropy, 1, {}).best(weights, {});
    CHECK(stump.column == 0 && stump.code == 0 && stump.threshold == 1.5);  // as good as the cut at 3.5
}

TEST(of_equal_cuts_in_buckets_the_first_is_taken) {
    tables::Problem problem;
    std::vector<double> column;
    for (std::size_t row = 0; row < 3000; ++row) {  // the classes mirror each other about the middle
        problem.labels.push_back(row < 700 || row >= 2300 ? 1 : 0);
        column.push_back(static_cast<double>(row));
    }
    problem.add(column);
    const CodedTable table(3000, problem.columns);
    const std::vector<double> weights(3000, 0.1);
    for (const StumpCriterion criterion : all_criteria) {
        CHECK(StumpSearch(table, problem.labels, 2, criterion, 1, {}).best(weights, {}).threshold == 699.5);
    }
}

TEST(the_gain_ratio_chooses_among_columns_of_average_gain) {
    tables::Problem problem{{0, 0, 0, 0, 1, 1, 1, 1}};
    problem.add({0, 0, 0, 1, 1, 1, 1, 1});        // gains .549 of a split information of .954
    problem.add({0, 0, 0, 0, 1, 1, 1, missing});  // gains all, of 1.406
    problem.add({0, 1, 0, 1, 0, 1, 0, 1});        // gains nothing
    const CodedTable table(8, problem.columns);
    const std::vector<double> weights(8, 1.0);
    const Stump stump = StumpSearch(table, problem.labels, 2, StumpCriterion::gain_ratio, 1, {}).best(weights, {});
    CHECK(stump.column == 1 && near(stump.gain, 1.0));
}

TEST(rows_are_weighted_by_branch_and_class) {
    tables::Problem problem{{0, 1, 0, 1}};
    problem.add({1, 2, 3, missing});
    const CodedTable table(4, problem.columns);
    StumpSearch search(table, problem.labels, 2, StumpCriterion::gini, 1, {});
    std::vector<double> weights{1, 1, 1, 1};
    Stump stump;
    stump.column = 0;
    search.reweight(stump, std::vector<double>{2, 3, 5, 7, 11, 13}, weights, {});
    CHECK((weights == std::vector<double>{2, 7, 5, 13}));
}

TEST(where_nothing_can_be_tested_all_rows_are_in_the_first_branch) {
    tables::Problem problem{{0, 1, 1}};
    problem.add({7, 7, 7});
    problem.add({missing, missing, missing});
    const CodedTable table(3, problem.columns);
    const std::vector<double> weights(3, 1.0);
    const Stump stump = StumpSearch(table, problem.labels, 2, StumpCriterion::entropy, 2, {}).best(weights, {});
    CHECK(stump.column == Stump::none && (stump.counts == std::vector<double>{1, 2, 0, 0, 0, 0}));
}

TEST(mismatched_sizes_throw_and_a_stop_request_interrupts) {
    tables::Problem problem{{0, 1}};
    problem.add({1, 2});
    const CodedTable table(2, problem.columns);
    CHECK_THROWS(StumpSearch(table, {0}, 2, StumpCriterion::gini, 1, {}), std::invalid_argument);
    CHECK_THROWS(StumpSearch(table, {0, 2}, 2, StumpCriterion::gini, 1, {}), std::invalid_argument);
    StumpSearch search(table, problem.labels, 2, StumpCriterion::gini, 1, {});
    const std::vector<double> few(1, 1.0), weights(2, 1.0);
    CHECK_THROWS(search.best(few, {}), std::invalid_argument);
    StopSource stop;
    stop.request_stop();
    CHECK_THROWS(search.best(weights, stop.token()), std::runtime_error);
}

}  // namespace test_stumps

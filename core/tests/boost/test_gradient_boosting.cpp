// Models of folds: the same for any number of threads, stopped when requested, checked when restored.
#include "boost/gradient_boosting.hpp"

#include <random>
#include <vector>

#include "harness.hpp"
#include "parallel.hpp"
#include "tables.hpp"

using namespace calibrant;

namespace test_gradient_boosting {
namespace {

constexpr std::size_t n_rows = 400, n_folds = 4;

struct Rows {
    explicit Rows(std::size_t classes) : n_classes(classes) {
        std::mt19937 random(5);
        for (std::size_t row = 0; row < n_rows; ++row) {
            labels.push_back(static_cast<std::uint16_t>(random() % n_classes));
            numbers.push_back(random() % 9 == 0 ? tables::missing
                                                : labels.back() + static_cast<double>(random() % 300) / 100);
            categories.push_back(static_cast<std::int32_t>((labels.back() + random() % 3) % 6) - 1);
            folds.push_back(static_cast<std::uint16_t>(random() % n_folds));
        }
    }

    GradientFolds fit(std::vector<double>& held_out, std::size_t n_threads, const StopToken& stop = {}) const {
        tables::Problem problem{labels};
        problem.add(numbers);
        problem.add(categories, 5);
        const CodedTable table(n_rows, problem.columns);
        GradientOptions options;
        options.node_share = 0.5;
        options.row_share = 0.8;
        options.max_rounds = 20;
        held_out.assign(n_rows * n_classes, -1);
        return fit_gradient_folds({&table, labels, {}, folds, n_classes, n_folds}, options,
                                  std::vector<std::uint64_t>{1, 2, 3, 4}, held_out, n_threads, stop);
    }

    std::size_t n_classes;
    std::vector<std::uint16_t> labels{}, folds{};
    std::vector<double> numbers{};
    std::vector<std::int32_t> categories{};
};

}  // namespace

TEST(threads_do_not_change_the_bits) {
    for (const std::size_t n_classes : {std::size_t{2}, std::size_t{3}}) {
        const Rows rows(n_classes);
        std::vector<double> held_out, other;
        const GradientFolds one = rows.fit(held_out, 1), four = rows.fit(other, 4);
        CHECK(held_out == other);
        CHECK(one.trees.values == four.trees.values && one.trees.column == four.trees.column);
        CHECK(one.trees.n_trees() > 0);
        const PredictRows new_rows{n_rows,
                                   {StridedView<double>{rows.numbers.data(), n_rows, 1},
                                    StridedView<std::int32_t>{rows.categories.data(), n_rows, 1}}};
        std::vector<double> proba(n_rows * n_classes), again(n_rows * n_classes);
        for (const bool by_scores : {false, true}) {
            predict_gradient_folds(one, new_rows, by_scores, proba, 1, {});
            predict_gradient_folds(four, new_rows, by_scores, again, 3, {});
            CHECK(proba == again);
        }
    }
}

TEST(a_requested_stop_is_heeded) {
    StopSource stop;
    stop.request_stop();
    std::vector<double> held_out;
    CHECK_THROWS(Rows(2).fit(held_out, 1, stop.token()), Interrupted);
}

TEST(arrays_that_do_not_fit_together_are_found) {
    std::vector<double> held_out;
    const GradientFolds good = Rows(3).fit(held_out, 1);
    good.check();
    GradientFolds bad = good;
    bad.trees.column[0] = 2;
    CHECK_THROWS(bad.check(), std::invalid_argument);
    bad = good;
    bad.start.pop_back();
    CHECK_THROWS(bad.check(), std::invalid_argument);
    bad = good;
    bad.trees.score[0] = 3;
    CHECK_THROWS(bad.check(), std::invalid_argument);
}

TEST(hostile_arrays_are_found) {
    std::vector<double> held_out;
    const GradientFolds good = Rows(3).fit(held_out, 1);
    const auto refuse = [&](void (*change)(GradientFolds&)) {
        GradientFolds bad = good;
        change(bad);
        CHECK_THROWS(bad.check(), std::invalid_argument);
    };
    refuse([](GradientFolds& bad) { bad.trees.kept_leaves[0] = 0; });  // a row without a leaf
    refuse([](GradientFolds& bad) { bad.trees.values[0] = tables::missing; });
    refuse([](GradientFolds& bad) { bad.trees.values[0] = 1e300; });
    refuse([](GradientFolds& bad) { bad.start[0] = tables::missing; });
    refuse([](GradientFolds& bad) { bad.rules.cuts[1] = bad.rules.cuts[0]; });
    refuse([](GradientFolds& bad) { bad.rules.cuts[0] = tables::missing; });
    refuse([](GradientFolds& bad) { bad.rules.n_bins[0] = 256; });
    refuse([](GradientFolds& bad) { bad.rules.bin_of_category[0] = 200; });
    refuse([](GradientFolds& bad) { bad.n_classes = (std::size_t{1} << 62) + 3; });
    refuse([](GradientFolds& bad) { bad.trees.sets.clear(); });
}

}  // namespace test_gradient_boosting

#include "boost/gradient_boosting.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "boost/gradient_fold.hpp"
#include "boost/gradient_loss.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

// Rows sorted by fold, so that those of a fold lie together.
struct SortedRows {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> first;  // of each fold, and their number
    std::vector<std::uint16_t> labels;
    std::vector<double> weights;
};

SortedRows sort_by_fold(const GradientProblem& problem) {
    SortedRows sorted;
    sorted.first.assign(problem.n_folds + 1, 0);
    for (const std::uint16_t fold : problem.folds) ++sorted.first[fold + 1U];
    for (std::size_t fold = 0; fold < problem.n_folds; ++fold) sorted.first[fold + 1] += sorted.first[fold];
    std::vector<std::size_t> next = sorted.first;
    sorted.order.resize(problem.folds.size());
    for (std::size_t row = 0; row < problem.folds.size(); ++row)
        sorted.order[next[problem.folds[row]]++] = static_cast<std::uint32_t>(row);
    for (const std::uint32_t row : sorted.order) {
        sorted.labels.push_back(problem.labels[row]);
        if (!problem.weights.empty()) sorted.weights.push_back(problem.weights[row]);
    }
    return sorted;
}

// All folds but the model's own and the next, neighbouring ones merged.
ModelRows rows_of_model(const SortedRows& sorted, std::size_t model, std::size_t n_folds) {
    const std::size_t stop = (model + 1) % n_folds;
    ModelRows rows;
    rows.stop = {sorted.first[stop], sorted.first[stop + 1]};
    for (std::size_t fold = 0; fold < n_folds; ++fold) {
        if (fold == model || fold == stop) continue;
        if (!rows.grow.empty() && rows.grow.back().end == sorted.first[fold])
            rows.grow.back().end = sorted.first[fold + 1];
        else
            rows.grow.push_back({sorted.first[fold], sorted.first[fold + 1]});
    }
    return rows;
}

void check_problem(const GradientProblem& problem, const GradientOptions& options, std::size_t n_seeds,
                   std::size_t n_out) {
    const std::size_t n_rows = problem.table->n_rows();
    const auto is_below = [](const auto& values, std::size_t limit) {
        return std::all_of(values.begin(), values.end(), [&](std::size_t value) { return value < limit; });
    };
    if (problem.labels.size() != n_rows || problem.folds.size() != n_rows ||
        (!problem.weights.empty() && problem.weights.size() != n_rows))
        throw std::invalid_argument("labels, folds and weights must have one entry per row");
    if (problem.n_classes < 2 || !is_below(problem.labels, problem.n_classes))
        throw std::invalid_argument("there must be two classes or more, and labels below their number");
    if (problem.n_folds < 3 || !is_below(problem.folds, problem.n_folds) || n_seeds != problem.n_folds)
        throw std::invalid_argument("there must be three folds or more, folds below their number, and a seed for each");
    if (n_out != n_rows * problem.n_classes) throw std::invalid_argument("the output must have rows x classes entries");
    if (options.max_leaves < 1 || options.max_leaves > most_leaves)
        throw std::invalid_argument("max_leaves must be 1 to 64");
}

// Writes the probabilities of the rows of a model's fold, in their original order.
void write_held_out(const GradientModel& model, const BinnedTable& table, const SortedRows& sorted, RowRange rows,
                    std::size_t n_classes, std::span<double> out) {
    std::vector<double> scores(model.start.size() * rows.size()), proba(n_classes * rows.size());
    score_rows(model, table, rows, scores.data(), rows.size());
    probabilities_of(scores.data(), rows.size(), n_classes, rows.size(), proba.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(proba.begin() + static_cast<std::ptrdiff_t>(i * n_classes), n_classes,
                    out.begin() + static_cast<std::ptrdiff_t>(sorted.order[rows.begin + i] * n_classes));
}

GradientFolds join(std::size_t n_classes, const BinRules& rules, std::span<const GradientModel> models) {
    GradientFolds folds{.n_classes = n_classes, .rules = rules};
    for (const GradientModel& model : models) {
        folds.trees.append(model.trees);
        folds.first_tree.push_back(static_cast<std::uint32_t>(folds.trees.n_trees()));
        folds.start.insert(folds.start.end(), model.start.begin(), model.start.end());
        folds.n_rounds.push_back(static_cast<std::uint32_t>(model.n_rounds));
    }
    return folds;
}

// Predicts blocks of rows; one for each thread, which keeps its memory.
class BlockPredictor {
  public:
    BlockPredictor(const GradientFolds& folds, bool by_scores)
        : folds_(&folds), by_scores_(by_scores), scores_(n_scores(folds.n_classes) * scored_rows) {
        std::vector<std::uint32_t> usable;
        for (std::size_t column = 0; column < folds.rules.n_columns(); ++column)
            if (folds.rules.is_usable(column)) usable.push_back(static_cast<std::uint32_t>(column));
        std::vector<bool> is_tested(usable.size());
        for (const std::uint32_t column : folds.trees.column) is_tested[column] = true;
        columns_.resize(usable.size());
        for (std::size_t j = 0; j < usable.size(); ++j)
            if (is_tested[j]) tested_.push_back({j, usable[j], BinWriter(folds.rules, usable[j])});
        codes_.resize(tested_.size() * scored_rows);
        for (std::size_t j = 0; j < tested_.size(); ++j)
            columns_[tested_[j].position] = codes_.data() + j * scored_rows;
        proba_.resize(by_scores ? 0 : scored_rows * folds.n_classes);
    }

    void predict(const PredictRows& rows, std::size_t begin, std::size_t end, double* out) {
        for (std::size_t j = 0; j < tested_.size(); ++j)
            tested_[j].bins.write(rows.columns[tested_[j].column], begin, end, codes_.data() + j * scored_rows);
        const std::size_t n = end - begin;
        if (by_scores_)
            predict_by_scores(n, out);
        else
            predict_by_probabilities(n, out);
    }

  private:
    struct TestedColumn {
        std::size_t position, column;  // among the usable ones, and among all
        BinWriter bins;
    };

    std::size_t n_of_scores() const { return n_scores(folds_->n_classes); }

    void predict_by_scores(std::size_t n, double* out) {
        std::fill(scores_.begin(), scores_.end(), 0.0);
        for (std::size_t model = 0; model < folds_->n_models(); ++model) add_start(model, n);
        add_scores(folds_->trees, 0, folds_->trees.n_trees(), columns_, n, scores_.data(), scored_rows);
        for (double& score : scores_) score /= static_cast<double>(folds_->n_models());
        probabilities_of(scores_.data(), scored_rows, folds_->n_classes, n, out);
    }

    void predict_by_probabilities(std::size_t n, double* out) {
        std::fill_n(out, n * folds_->n_classes, 0.0);
        for (std::size_t model = 0; model < folds_->n_models(); ++model) {
            std::fill(scores_.begin(), scores_.end(), 0.0);
            add_start(model, n);
            add_scores(folds_->trees, folds_->first_tree[model], folds_->first_tree[model + 1], columns_, n,
                       scores_.data(), scored_rows);
            probabilities_of(scores_.data(), scored_rows, folds_->n_classes, n, proba_.data());
            for (std::size_t i = 0; i < n * folds_->n_classes; ++i) out[i] += proba_[i];
        }
        for (std::size_t i = 0; i < n * folds_->n_classes; ++i) out[i] /= static_cast<double>(folds_->n_models());
    }

    void add_start(std::size_t model, std::size_t n) {
        for (std::size_t score = 0; score < n_of_scores(); ++score)
            for (std::size_t i = 0; i < n; ++i)
                scores_[score * scored_rows + i] += folds_->start[model * n_of_scores() + score];
    }

    const GradientFolds* folds_;
    bool by_scores_;
    std::vector<double> scores_, proba_{};
    std::vector<TestedColumn> tested_{};
    std::vector<std::uint8_t> codes_{};
    std::vector<const std::uint8_t*> columns_{};
};

}  // namespace

GradientFolds fit_gradient_folds(const GradientProblem& problem, const GradientOptions& options,
                                 std::span<const std::uint64_t> seeds, std::span<double> held_out,
                                 std::size_t n_threads, const StopToken& stop) {
    check_problem(problem, options, seeds.size(), held_out.size());
    const SortedRows sorted = sort_by_fold(problem);
    const BinnedTable table(*problem.table, sorted.order, problem.weights, options.max_bins, n_threads, stop);
    const BoostingRows rows{&table, sorted.labels, sorted.weights, sorted.order, problem.n_classes};
    std::vector<GradientModel> models(problem.n_folds);
    parallel_for(problem.n_folds, n_threads, stop, [&](std::size_t fold, std::size_t) {
        models[fold] = fit_model(rows, rows_of_model(sorted, fold, problem.n_folds), options, seeds[fold], stop);
        write_held_out(models[fold], table, sorted, {sorted.first[fold], sorted.first[fold + 1]}, problem.n_classes,
                       held_out);
    });
    return join(problem.n_classes, table.rules(), models);
}

void predict_gradient_folds(const GradientFolds& folds, const PredictRows& rows, bool by_scores, std::span<double> out,
                            std::size_t n_threads, const StopToken& stop) {
    if (rows.columns.size() != folds.rules.n_columns())
        throw std::invalid_argument("there must be as many columns as in the table of training");
    if (out.size() != rows.n_rows * folds.n_classes)
        throw std::invalid_argument("the output must have rows x classes entries");
    const std::size_t n_blocks = (rows.n_rows + scored_rows - 1) / scored_rows;
    const std::size_t n_workers = std::max<std::size_t>(1, std::min(n_threads, n_blocks));
    std::vector<BlockPredictor> predictors;
    predictors.reserve(n_workers);
    for (std::size_t worker = 0; worker < n_workers; ++worker) predictors.emplace_back(folds, by_scores);
    parallel_for(n_blocks, n_workers, stop, [&](std::size_t block, std::size_t worker) {
        const std::size_t begin = block * scored_rows, end = std::min(rows.n_rows, begin + scored_rows);
        predictors[worker].predict(rows, begin, end, out.data() + begin * folds.n_classes);
    });
}

namespace {

constexpr std::size_t most_classes = 65'535;  // as in a tree
constexpr double greatest_score = 1e200;      // sums of as many as there are bytes stay finite

// Whether the cuts of a column are in order, and no more than there are codes; likewise the bins of its categories.
bool are_bins(const BinRules& rules, std::size_t column) {
    const auto cut = rules.cuts.begin() + rules.first_cut[column],
               end = rules.cuts.begin() + rules.first_cut[column + 1];
    const bool is_ascending = std::adjacent_find(cut, end, [](double a, double b) { return !(a < b); }) == end;
    const std::size_t n_bins = rules.n_bins[column], n_cuts = static_cast<std::size_t>(end - cut);
    return n_bins <= most_bins_of_a_byte && n_cuts <= most_bins_of_a_byte && is_ascending &&
           std::none_of(cut, end, [](double value) { return value != value; }) &&
           std::all_of(rules.bin_of_category.begin() + rules.first_category[column],
                       rules.bin_of_category.begin() + rules.first_category[column + 1],
                       [&](std::size_t bin) { return bin <= n_bins; });
}

}  // namespace

void GradientFolds::check() const {
    const auto require = [](bool is_met) {
        if (!is_met) throw std::invalid_argument("the arrays of a gradient booster do not fit together");
    };
    const auto is_ascending = [&](const auto& first, std::size_t n_parts, std::size_t n) {
        require(first.size() == n_parts + 1 && first.front() == 0 && first.back() == n &&
                std::is_sorted(first.begin(), first.end()));
    };
    const std::size_t n_columns = rules.n_columns(), n_nodes = trees.column.size(), n_trees = trees.n_trees();
    require(n_classes >= 2 && n_classes <= most_classes && rules.is_nominal.size() == n_columns);
    is_ascending(rules.first_cut, n_columns, rules.cuts.size());
    is_ascending(rules.first_category, n_columns, rules.bin_of_category.size());
    is_ascending(trees.first_node, n_trees, n_nodes);
    is_ascending(trees.first_leaf, n_trees, trees.values.size());
    is_ascending(first_tree, n_models(), n_trees);
    require(start.size() == n_models() * n_scores(n_classes) && n_models() > 0);
    require(trees.cut.size() == n_nodes && trees.also.size() == n_nodes && trees.set_index.size() == n_nodes &&
            trees.kept_leaves.size() == n_nodes);
    std::size_t n_usable = 0;
    for (std::size_t column = 0; column < n_columns; ++column) n_usable += rules.is_usable(column);
    for (std::size_t node = 0; node < n_nodes; ++node)
        require(trees.column[node] < n_usable && trees.set_index[node] < static_cast<std::int32_t>(trees.sets.size()));
    for (std::size_t tree = 0; tree < n_trees; ++tree) {
        const std::size_t n_leaves = trees.first_leaf[tree + 1] - trees.first_leaf[tree];
        require(n_leaves == trees.first_node[tree + 1] - trees.first_node[tree] + 1 && n_leaves <= most_leaves);
        require(trees.score[tree] < n_scores(n_classes));
        // No test removes the last leaf: without it a row could be left with none.
        for (std::size_t node = trees.first_node[tree]; node < trees.first_node[tree + 1]; ++node)
            require((trees.kept_leaves[node] >> (n_leaves - 1) & 1) != 0);
    }
    const auto is_score = [](double value) { return std::abs(value) <= greatest_score; };
    require(std::all_of(trees.values.begin(), trees.values.end(), is_score));
    require(std::all_of(start.begin(), start.end(), is_score));
    for (std::size_t column = 0; column < n_columns; ++column) require(are_bins(rules, column));
}

}  // namespace calibrant

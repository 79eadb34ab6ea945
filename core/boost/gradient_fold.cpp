#include "boost/gradient_fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boost/gradient_grow.hpp"
#include "boost/gradient_loss.hpp"
#include "counter_random.hpp"
#include "elementary.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr double weight_of_absent_class = 0.5;

// Adds the trees [begin, end) to the scores of rows.
void add_trees(const GradientTrees& trees, std::size_t begin, std::size_t end, const BinnedTable& table, RowRange rows,
               double* scores, std::size_t stride) {
    std::vector<const std::uint8_t*> columns(table.usable().size());
    for (std::size_t first = rows.begin; first < rows.end; first += scored_rows) {
        for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = table.codes(j) + first;
        const std::size_t n = std::min(scored_rows, rows.end - first);
        add_scores(trees, begin, end, columns, n, scores + (first - rows.begin), stride);
    }
}

class ModelFit {
  public:
    ModelFit(const BoostingRows& rows, const ModelRows& of_model, const GradientOptions& options, std::uint64_t seed)
        : rows_(rows),
          of_model_(of_model),
          options_(options),
          seed_(seed),
          n_(rows.table->n_rows()),
          scores_(n_scores(rows.n_classes) * n_),
          gradients_(n_),
          hessians_(n_),
          sums_(n_),
          log_sums_(rows.n_classes > 2 ? n_ : 0),
          grower_(*rows.table, options) {}

    GradientModel fit(const StopToken& stop) {
        start();
        if (n_present_ > 1) boost(stop);
        return std::move(model_);
    }

  private:
    void start();
    void boost(const StopToken& stop);
    void grow_round(std::size_t round);
    void draw_rows(std::size_t round);
    void find_gradients(std::size_t score);
    TreeTargets pack();
    double stop_loss() const;
    bool has_trees(std::size_t score) const { return rows_.n_classes == 2 || is_present_[score]; }
    const double* weights_from(std::size_t begin) const {
        return rows_.weights.empty() ? nullptr : rows_.weights.data() + begin;
    }

    BoostingRows rows_;
    const ModelRows& of_model_;
    GradientOptions options_;
    std::uint64_t seed_;
    std::size_t n_;
    std::vector<double> scores_, gradients_, hessians_;
    std::vector<GradientSum> sums_;
    std::vector<double> log_sums_;
    std::vector<std::uint32_t> drawn_{};
    std::vector<bool> is_present_{};
    std::size_t n_present_ = 0;
    GradientGrower grower_;
    GradientModel model_{};
};

// The scores of the class frequencies; a class without rows counts as half a row.
void ModelFit::start() {
    std::vector<double> weight(rows_.n_classes);
    for (const RowRange& range : of_model_.grow)
        for (std::size_t row = range.begin; row < range.end; ++row)
            weight[rows_.labels[row]] += rows_.weights.empty() ? 1.0 : rows_.weights[row];
    double total = 0;
    for (double& each : weight) {
        is_present_.push_back(each > 0);
        n_present_ += each > 0;
        if (!(each > 0)) each = weight_of_absent_class;
        total += each;
    }
    if (rows_.n_classes == 2)
        model_.start = {log_at(weight[1] / weight[0])};
    else
        for (const double each : weight) model_.start.push_back(log_at(each / total));
    for (std::size_t score = 0; score < model_.start.size(); ++score)
        std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(score * n_), n_, model_.start[score]);
}

// Stops after `patience` rounds without a lower loss of the stopping rows, and keeps the trees up to the lowest.
// Without such rows every round counts as lower, and as many rounds as that are all there are.
void ModelFit::boost(const StopToken& stop) {
    const bool has_stop = of_model_.stop.size() > 0;
    double least = has_stop ? stop_loss() : 0.0;
    std::size_t n_trees = 0;
    const std::size_t n_rounds = has_stop ? options_.max_rounds : std::min(options_.max_rounds, options_.patience);
    for (std::size_t round = 0; round < n_rounds && round < model_.n_rounds + options_.patience; ++round) {
        check_stop(stop);
        grow_round(round);
        const double loss = has_stop ? stop_loss() : -static_cast<double>(round + 1);
        if (!(loss < least)) continue;
        least = loss;
        model_.n_rounds = round + 1;
        n_trees = model_.trees.n_trees();
    }
    model_.trees.truncate(n_trees);
}

void ModelFit::grow_round(std::size_t round) {
    draw_rows(round);
    if (rows_.n_classes > 2)
        for (const RowRange& range : of_model_.grow)
            log_sums(scores_.data() + range.begin, n_, rows_.n_classes, range.size(), log_sums_.data() + range.begin);
    for (std::size_t score = 0; score < model_.start.size(); ++score) {
        if (!has_trees(score)) continue;
        find_gradients(score);
        const std::uint64_t seed = CounterRandom(seed_, round * model_.start.size() + score).bits();
        const GrowingTree& tree = grower_.grow(drawn_, pack(), seed);
        const std::size_t number = model_.trees.n_trees();
        append_tree(model_.trees, tree, score);
        const auto add = [&](RowRange range) {
            add_trees(model_.trees, number, number + 1, *rows_.table, range, scores_.data() + range.begin, n_);
        };
        std::for_each(of_model_.grow.begin(), of_model_.grow.end(), add);
        add(of_model_.stop);
    }
}

// By the key of each row, not its place: a row is drawn in the same rounds in whatever order the rows come.
void ModelFit::draw_rows(std::size_t round) {
    drawn_.clear();
    const std::uint64_t seed = CounterRandom(~seed_, round).bits();
    for (const RowRange& range : of_model_.grow)
        for (std::size_t row = range.begin; row < range.end; ++row)
            if (options_.row_share >= 1 || CounterRandom(seed, rows_.keys[row]).uniform() < options_.row_share)
                drawn_.push_back(static_cast<std::uint32_t>(row));
}

void ModelFit::find_gradients(std::size_t score) {
    for (const RowRange& range : of_model_.grow) {
        const double* const scores = scores_.data() + score * n_ + range.begin;
        const std::uint16_t* const labels = rows_.labels.data() + range.begin;
        double *const gradients = gradients_.data() + range.begin, *const hessians = hessians_.data() + range.begin;
        if (rows_.n_classes == 2)
            logistic_gradients(scores, labels, range.size(), gradients, hessians);
        else
            softmax_gradients(scores, log_sums_.data() + range.begin, labels, score, rows_.n_classes, range.size(),
                              gradients, hessians);
    }
}

TreeTargets ModelFit::pack() {
    double gradient = 0, hessian = 0;
    for (const RowRange& range : of_model_.grow)
        for (std::size_t row = range.begin; row < range.end; ++row) {
            const double weight = rows_.weights.empty() ? 1.0 : rows_.weights[row];
            gradient += weight * std::abs(gradients_[row]);
            hessian += weight * hessians_[row];
        }
    const GradientUnits units = units_of(gradient, hessian);
    for (const RowRange& range : of_model_.grow)
        pack_gradients(gradients_.data() + range.begin, hessians_.data() + range.begin, weights_from(range.begin),
                       units, range.size(), sums_.data() + range.begin);
    return {sums_, units, rows_.weights};
}

double ModelFit::stop_loss() const {
    const RowRange& range = of_model_.stop;
    return sum_of_losses(scores_.data() + range.begin, n_, rows_.n_classes, rows_.labels.data() + range.begin,
                         weights_from(range.begin), range.size());
}

}  // namespace

GradientModel fit_model(const BoostingRows& rows, const ModelRows& of_model, const GradientOptions& options,
                        std::uint64_t seed, const StopToken& stop) {
    return ModelFit(rows, of_model, options, seed).fit(stop);
}

void score_rows(const GradientModel& model, const BinnedTable& table, RowRange rows, double* scores,
                std::size_t stride) {
    for (std::size_t score = 0; score < model.start.size(); ++score)
        std::fill_n(scores + score * stride, rows.size(), model.start[score]);
    add_trees(model.trees, 0, model.trees.n_trees(), table, rows, scores, stride);
}

}  // namespace calibrant

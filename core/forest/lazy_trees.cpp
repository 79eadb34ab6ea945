#include "forest/lazy_trees.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace calibrant {

namespace {

constexpr std::size_t queries_at_once = 8;  // share the work of setting up a bag

struct Node {
    std::vector<std::uint32_t> rows;
    double share;  // of the prediction
};

// The trees of one thread.
class Worker {
  public:
    Worker(const LazyExamples& examples, const LazyOptions& options)
        : examples_(examples), options_(options), search_(examples), weight_(examples.n_rows) {}

    void take_bag(std::span<const std::uint16_t> in_bag, std::span<const double> weights) {
        root_.clear();
        for (std::size_t row = 0; row < in_bag.size(); ++row) {
            weight_[row] = in_bag[row] * (weights.empty() ? 1.0 : weights[row]);
            if (weight_[row] > 0) root_.push_back(static_cast<std::uint32_t>(row));
        }
    }

    // Breadth first, so that the leaves still allowed go to the upper nodes first.
    void add_prediction(std::span<const std::uint32_t> query, std::span<double> sums, const StopToken& stop) {
        std::vector<Node> nodes{{root_, 1.0}};
        std::size_t spare = options_.max_leaves - 1;
        for (std::size_t next = 0; next < nodes.size(); ++next) {
            check_stop(stop);
            const Node node = std::move(nodes[next]);
            search_.count(node.rows, weight_);
            const std::size_t n = search_.is_pure() ? 0 : n_options(node, query, spare);
            if (n == 0) add_leaf(node.share, sums);
            for (std::size_t i = 0; i < n; ++i)
                nodes.push_back({taken(node.rows, (*tests_)[i]), node.share / static_cast<double>(n)});
        }
    }

  private:
    std::size_t n_options(const Node& node, std::span<const std::uint32_t> query, std::size_t& spare) {
        tests_ = &search_.tests(node.rows, weight_, query, options_.min_leaf);
        if (tests_->empty()) return 0;
        const double least = options_.option_fraction * static_cast<double>(tests_->front().gain);
        std::size_t n = 1;
        while (n < std::min({tests_->size(), options_.max_options, spare + 1}) &&
               static_cast<double>((*tests_)[n].gain) >= least)
            ++n;
        spare -= n - 1;
        return n;
    }

    std::vector<std::uint32_t> taken(const std::vector<std::uint32_t>& rows, const LazyTest& test) const {
        const auto codes = examples_.column(test.column);
        std::vector<std::uint32_t> kept;
        std::ranges::copy_if(rows, std::back_inserter(kept), [&](std::uint32_t row) { return test.takes(codes[row]); });
        return kept;
    }

    void add_leaf(double share, std::span<double> sums) const {
        double total = 0;
        for (const double count : search_.counts()) total += count;
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += share * (search_.counts()[k] / total);
    }

    const LazyExamples& examples_;
    const LazyOptions& options_;
    LazySearch search_;
    std::vector<double> weight_;
    std::vector<std::uint32_t> root_;
    const std::vector<LazyTest>* tests_ = nullptr;
};

void check(const LazyExamples& examples, const LazyBags& bags, std::span<const std::uint32_t> queries,
           const LazyOptions& options, std::span<const double> output) {
    const std::size_t n = examples.n_rows, d = examples.n_columns, n_classes = examples.n_classes;
    const bool fits = n > 0 && d > 0 && n_classes > 0 && examples.codes.size() == n * d &&
                      examples.order.size() == n * d && examples.is_nominal.size() == d &&
                      examples.labels.size() == n && bags.n_bags > 0 && bags.bags.n_rows() == n &&
                      (bags.weights.empty() || bags.weights.size() == n) && queries.size() % d == 0 &&
                      output.size() == queries.size() / d * n_classes;
    if (!fits) throw std::invalid_argument("the sizes of tables, bags, queries and output must match");
    if (options.max_options == 0 || options.max_leaves == 0)
        throw std::invalid_argument("max_options and max_leaves must be at least 1");
    if (std::ranges::any_of(examples.labels, [&](auto label) { return label >= n_classes; }))
        throw std::invalid_argument("labels must be below n_classes");
    if (std::ranges::any_of(examples.order, [&](auto row) { return row >= n; }))
        throw std::invalid_argument("order must hold rows of the table");
}

}  // namespace

void predict_lazy_trees(const LazyExamples& examples, const LazyBags& bags, std::span<const std::uint32_t> queries,
                        const LazyOptions& options, std::span<double> output, const StopToken& stop) {
    check(examples, bags, queries, options, output);
    bags.bags.check(bags.n_bags, examples.n_rows);
    const std::size_t d = examples.n_columns, n_classes = examples.n_classes;
    const std::size_t n_queries = queries.size() / d;
    const std::size_t n_tasks = (n_queries + queries_at_once - 1) / queries_at_once;
    std::vector<Worker> workers(std::max<std::size_t>(1, std::min(options.n_threads, n_tasks)),
                                Worker(examples, options));
    std::ranges::fill(output, 0.0);
    parallel_for(n_tasks, workers.size(), stop, [&](std::size_t task, std::size_t worker) {
        const std::size_t first = task * queries_at_once, last = std::min(n_queries, first + queries_at_once);
        for (std::size_t bag = 0; bag < bags.n_bags; ++bag) {
            workers[worker].take_bag(bags.bags.of(bag), bags.weights);
            for (std::size_t i = first; i < last; ++i) {
                workers[worker].add_prediction(queries.subspan(i * d, d), output.subspan(i * n_classes, n_classes),
                                               stop);
            }
        }
    });
    for (std::size_t i = 0; i < n_queries; ++i) {
        const auto sums = output.subspan(i * n_classes, n_classes);
        // The bags' number is not quite the sum: thirds of a prediction add up to more than 1.
        const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
        for (double& value : sums) value /= total;
    }
}

}  // namespace calibrant

#include "tree/levels/level_tree.hpp"

#include <random>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;

namespace test_level_tree {
namespace {

constexpr std::size_t n_columns = 5;

// Rows of bytes: three numeric columns, of which the second is in bins, and two nominal ones.
struct ByteRows {
    std::vector<std::uint8_t> matrix;
    std::vector<std::uint16_t> labels;
    std::vector<double> weights{};
    std::size_t n_classes = 2;

    std::size_t n_rows() const { return labels.size(); }
    CodedTable table(std::size_t first, std::size_t last) const {
        std::vector<CodedColumn> columns;
        for (const std::uint32_t n_values : {4U, 30U, 200U}) {
            CodedColumn column{.kind = Kind::numeric, .n_values = n_values};
            for (std::uint32_t value = 0; value < n_values; ++value) column.values.push_back(2.0 * value);
            if (n_values == 30)
                for (const double value : column.values) column.lows.push_back(value - 1);
            columns.push_back(std::move(column));
        }
        columns.push_back({.kind = Kind::nominal, .n_values = 3});
        columns.push_back({.kind = Kind::nominal, .n_values = 7});
        return CodedTable::of_bytes(last - first, matrix.data() + first * n_columns, std::move(columns), 1, {});
    }
    std::span<const std::uint16_t> labels_of(std::size_t first, std::size_t last) const {
        return std::span(labels).subspan(first, last - first);
    }
    std::span<const double> weights_of(std::size_t first, std::size_t last) const {
        return weights.empty() ? std::span<const double>() : std::span(weights).subspan(first, last - first);
    }
};

ByteRows drawn(std::mt19937& random, std::size_t n, std::size_t n_classes, bool with_missing, double unit) {
    ByteRows rows{std::vector<std::uint8_t>(n * n_columns), std::vector<std::uint16_t>(n)};
    rows.n_classes = n_classes;
    constexpr unsigned n_values[] = {4, 30, 200, 3, 7};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n_columns; ++j)
            rows.matrix[i * n_columns + j] =
                static_cast<std::uint8_t>(with_missing && random() % 9 == 0 ? 255 : random() % n_values[j]);
        const std::uint8_t* const cells = rows.matrix.data() + i * n_columns;
        const bool is_high = cells[1] > 14 && cells[1] < 255, is_odd = cells[4] % 2 == 1;
        rows.labels[i] = static_cast<std::uint16_t>(random() % 4 == 0 ? random() % n_classes : (is_high + is_odd) % 2);
        if (unit > 0) rows.weights.push_back(unit * static_cast<double>(random() % 4));
    }
    return rows;
}

// Cuts [0, n) at random places, so that some parts are empty.
std::vector<std::size_t> parts_of(std::mt19937& random, std::size_t n) {
    std::vector<std::size_t> ends{0, n};
    for (unsigned i = 0; i < random() % 6; ++i) ends.push_back(random() % n);
    ends.push_back(ends.back());
    std::ranges::sort(ends);
    return ends;
}

// Grows a tree from the parts of the rows, as workers that each hold one part would.
class Parts {
  public:
    Parts(const ByteRows& rows, std::span<const std::size_t> ends) : rows_(rows) {
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            tables_.push_back(rows.table(ends[i], ends[i + 1]));
            labels_.push_back(rows.labels_of(ends[i], ends[i + 1]));
            weights_.push_back(rows.weights_of(ends[i], ends[i + 1]));
            nodes_.emplace_back(ends[i + 1] - ends[i], 0);
        }
    }

    Tree grow(const GrowOptions& options, double few_rows) {
        WholeTree whole = add_up();
        const CodedTable columns = rows_.table(0, 0);
        LevelTree level(columns, counts_, options, whole, few_rows);
        for (auto request = level.request(); !request.nodes.empty(); request = level.request()) {
            whole.is_whole ? grow_level<std::uint32_t>(level, request) : grow_level<double>(level, request);
        }
        std::vector<Tree> subtrees;
        for (const std::int32_t node : level.left()) subtrees.push_back(finish(level, node, options, whole));
        std::vector<const Tree*> pointers;
        for (const Tree& tree : subtrees) pointers.push_back(&tree);
        return level.finished(pointers);
    }

  private:
    PartRows part(std::size_t i) const { return {&tables_[i], labels_[i], weights_[i], rows_.n_classes}; }
    WholeTree add_up() {
        WholeTree whole{.n_table_rows = rows_.n_rows()};
        counts_.assign(rows_.n_classes, 0.0);
        std::vector<std::uint8_t> present(n_columns * 256);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            const PartTotals totals = totals_of(part(i));
            for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += totals.counts[k];
            for (std::size_t at = 0; at < present.size(); ++at) present[at] |= totals.present[at];
            whole.n_rows += totals.n_rows;
            whole.heaviest = std::max(whole.heaviest, totals.heaviest);
            whole.is_whole = whole.is_whole && totals.is_whole;
        }
        for (const double count : counts_) whole.weight += count;
        if (whole.n_rows < rows_.n_rows()) whole.last_present = last_present_of(tables_[0], present);
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            for (std::size_t row = 0; row < weights_[i].size(); ++row) nodes_[i][row] = weights_[i][row] > 0 ? 0 : -1;
        }
        return whole;
    }
    template <class Cell>
    void grow_level(LevelTree& level, const HistogramRequest& request) {
        LevelHistograms<Cell> sums;
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            route(level.tree(), tables_[i], nodes_[i], {});
            const auto counted = count_level<Cell>(part(i), nodes_[i], request, {});
            sums.cells.resize(counted.cells.size());
            sums.rows.resize(counted.rows.size());
            for (std::size_t at = 0; at < sums.cells.size(); ++at) sums.cells[at] += counted.cells[at];
            for (std::size_t at = 0; at < sums.rows.size(); ++at) sums.rows[at] += counted.rows[at];
        }
        level.grow(std::span<const Cell>(sums.cells), sums.rows);
    }
    Tree finish(const LevelTree& level, std::int32_t node, const GrowOptions& options, const WholeTree& whole) {
        ByteRows gathered{.matrix = {}, .labels = {}, .n_classes = rows_.n_classes};
        for (std::size_t i = 0; i < tables_.size(); ++i) {
            route(level.tree(), tables_[i], nodes_[i], {});
            for (std::size_t row = 0; row < nodes_[i].size(); ++row) {
                if (nodes_[i][row] != node) continue;
                const std::uint8_t* const cells = tables_[i].bytes() + row * n_columns;
                gathered.matrix.insert(gathered.matrix.end(), cells, cells + n_columns);
                gathered.labels.push_back(labels_[i][row]);
                if (!weights_[i].empty()) gathered.weights.push_back(weights_[i][row]);
            }
        }
        const CodedTable table = gathered.table(0, gathered.n_rows());
        return grow_subtree({&table, gathered.labels, gathered.weights, rows_.n_classes, {}, &whole}, options,
                            level.root_of(node), {});
    }

    const ByteRows& rows_;
    std::vector<CodedTable> tables_;
    std::vector<std::span<const std::uint16_t>> labels_;
    std::vector<std::span<const double>> weights_;
    std::vector<std::vector<std::int32_t>> nodes_;
    std::vector<double> counts_;
};

void check_level_growth(std::mt19937& random, GrowOptions options, bool with_missing, double unit, double few_rows) {
    const std::size_t n_classes = random() % 2 == 0 ? 2 : 3;
    options.n_declared_classes = n_classes;
    options.seed = random();
    const ByteRows rows = drawn(random, 700, n_classes, with_missing, unit);
    const CodedTable table = rows.table(0, rows.n_rows());
    const Tree whole = grow({&table, rows.labels, rows.weights, n_classes}, options, {});
    const Tree by_level = Parts(rows, parts_of(random, rows.n_rows())).grow(options, few_rows);
    CHECK(tables::same(by_level, whole) && by_level.cut_code == whole.cut_code);
    CHECK(whole.n_nodes() > 3);
}

constexpr CriterionName criteria[] = {CriterionName::entropy,   CriterionName::gini,   CriterionName::dkm,
                                      CriterionName::hellinger, CriterionName::twoing, CriterionName::bayes,
                                      CriterionName::mml};

}  // namespace

TEST(growing_level_by_level_from_parts_gives_the_tree_of_all_rows) {
    std::mt19937 random(7);
    for (const CriterionName criterion : criteria) {
        for (const NominalSplits splits : {NominalSplits::multiway, NominalSplits::subset, NominalSplits::binary}) {
            for (const double unit : {0.0, 1.0, 0.25}) {
                for (const double few_rows : {0.0, 60.0, 1000.0})
                    check_level_growth(random, {.criterion = criterion, .nominal_splits = splits}, false, unit,
                                       few_rows);
            }
        }
    }
}

TEST(growing_level_by_level_learns_the_branch_of_missing_values) {
    std::mt19937 random(8);
    for (const CriterionName criterion : criteria) {
        for (const NominalSplits splits : {NominalSplits::multiway, NominalSplits::subset, NominalSplits::binary}) {
            for (const double unit : {0.0, 1.0, 0.25})
                check_level_growth(
                    random, {.criterion = criterion, .nominal_splits = splits, .missing = MissingValues::learned}, true,
                    unit, 80.0);
        }
    }
}

TEST(growing_level_by_level_follows_every_option) {
    std::mt19937 random(9);
    for (int trial = 0; trial < 60; ++trial) {
        const GrowOptions options{.ratio = trial % 2 == 0,
                                  .min_leaf = 1.0 + static_cast<double>(random() % 3),
                                  .min_rows = trial % 3 == 0 ? 2.0 : 0.0,
                                  .c45_cuts = trial % 4 < 2,
                                  .max_depth = trial % 5 == 0 ? std::size_t{4} : std::size_t{0},
                                  .midpoint = trial % 7 < 3,
                                  .penalty = trial % 2 == 1,
                                  .dialect = trial % 6 == 1 ? Dialect::j48 : Dialect::c45,
                                  .accept_zero_gain = trial % 3 != 1,
                                  .random_ties = trial % 4 == 3,
                                  .max_features = trial % 3 == 2 ? std::size_t{0} : std::size_t{1} + random() % 2,
                                  .redraw = trial % 8 != 0};
        check_level_growth(random, options, false, trial % 2 == 0 ? 1.0 : 0.0, trial % 3 == 0 ? 30.0 : 120.0);
    }
}

}  // namespace test_level_tree

#include "tree/grow/local_histograms.hpp"

#include <algorithm>

#include "compiler.hpp"
#include "parallel.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_ahead = 16;         // to prefetch: about the latency of memory over the time of a row
constexpr std::size_t rows_per_part = 100000;  // counting fewer takes less time than adding their tables up
constexpr std::size_t cache_line = 64;

template <class Cell>
void add_to(std::vector<Cell>& sum, const std::vector<Cell>& part) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}

template <class Cell>
void subtract_from(std::vector<Cell>& whole, const std::vector<Cell>& part) {
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] -= part[i];
}

// Moves the missing values of a column, width cells at code 255, behind its last value.
template <class Cell>
void move_last(Cell* column, std::size_t n_values, std::size_t width) {
    if (n_values == missing_code<std::uint8_t>) return;
    Cell* const from = column + (LocalHistograms::slots - 1) * width;
    std::copy_n(from, width, column + n_values * width);
    std::fill_n(from, width, Cell{0});
}

}  // namespace

void Histogram::subtract(const Histogram& part) {
    subtract_from(counts, part.counts);
    subtract_from(weights, part.weights);
    subtract_from(rows, part.rows);
}

bool LocalHistograms::is_fit_for(const Examples& examples, const CutRules& rules, const Partition& partition) {
    return examples.table->bytes() != nullptr && (!rules.count_cases || !partition.is_weighted());
}

LocalHistograms::LocalHistograms(const Examples& examples, const GrowOptions& options, const Partition& partition)
    : examples_(examples),
      partition_(partition),
      bytes_(examples.table->bytes()),
      n_columns_(examples.table->n_columns()),
      n_classes_(examples.n_classes),
      is_whole_(partition.is_whole()),
      counts_rows_(least_rows(examples, options) > 0) {
    for (std::size_t column = 0; column < n_columns_; ++column) first_.push_back(column * slots);
}

Histogram LocalHistograms::empty() const {
    const std::size_t size = n_columns_ * slots;
    Histogram histogram;
    if (is_whole_)
        histogram.counts.resize(size * n_classes_);
    else
        histogram.weights.resize(size * n_classes_);
    if (counts_rows_) histogram.rows.resize(size);
    return histogram;
}

// Threads count parts of the rows, each in a histogram of its own: cells are sums of whole numbers or of multiples of
// one power of two, so that adding them up gives the same bits for any number of threads.
Histogram LocalHistograms::count(Segment segment, std::span<const std::size_t> columns, ThreadTeam& threads,
                                 const StopToken& stop) const {
    const auto rows = partition_.rows(segment);
    const std::size_t n_parts = std::min(threads.size(), rows.size() / rows_per_part + 1);
    std::vector<Histogram> parts(n_parts);
    threads.parallel_for(n_parts, stop, [&](std::size_t part, std::size_t) {
        parts[part] = empty();
        const std::size_t begin = rows.size() * part / n_parts, end = rows.size() * (part + 1) / n_parts;
        add(rows.subspan(begin, end - begin), columns, parts[part]);
    });
    for (std::size_t part = 1; part < n_parts; ++part) {
        add_to(parts[0].counts, parts[part].counts);
        add_to(parts[0].weights, parts[part].weights);
        add_to(parts[0].rows, parts[part].rows);
    }
    move_missing(columns, parts[0]);
    return std::move(parts[0]);
}

void LocalHistograms::add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns,
                          Histogram& histogram) const {
    if (!partition_.is_weighted()) {
        add(rows, columns, histogram.counts.data(), [](std::uint32_t) { return std::uint32_t{1}; });
    } else if (is_whole_) {
        add(rows, columns, histogram.counts.data(),
            [times = partition_.times()](std::uint32_t row) { return std::uint32_t{times[row]}; });
    } else {
        add(rows, columns, histogram.weights.data(),
            [weights = partition_.weights()](std::uint32_t row) { return weights[row]; });
    }
    for (std::size_t i = 0; counts_rows_ && i < rows.size(); ++i) {
        const std::uint8_t* const cells = bytes_ + rows[i] * n_columns_;
        for (const std::size_t column : columns) ++histogram.rows[column * slots + cells[column]];
    }
}

template <class Amount, class AmountOf>
void LocalHistograms::add(std::span<const std::uint32_t> rows, std::span<const std::size_t> columns, Amount* table,
                          AmountOf&& amount_of) const {
    const std::uint16_t* const labels = examples_.labels.data();
    const std::size_t width = n_columns_, n_classes = n_classes_, n_chosen = columns.size();
    const auto count_rows = [&](auto&& count_row) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t ahead = rows[std::min(i + rows_ahead, rows.size() - 1)];
            for (std::size_t at = 0; at < width; at += cache_line) prefetch(bytes_ + ahead * width + at);
            const std::uint32_t row = rows[i];
            count_row(bytes_ + row * width, table + labels[row], amount_of(row));
        }
    };
    if (n_chosen == width && n_classes == 2)  // where growing spends most of its time
        return count_rows([=](const std::uint8_t* cells, Amount* at, Amount amount) {
            for (std::size_t j = 0; j < width; ++j) at[(j * slots + cells[j]) * 2] += amount;
        });
    count_rows([=](const std::uint8_t* cells, Amount* at, Amount amount) {
        for (std::size_t i = 0; i < n_chosen; ++i) at[(columns[i] * slots + cells[columns[i]]) * n_classes] += amount;
    });
}

void LocalHistograms::move_missing(std::span<const std::size_t> columns, Histogram& histogram) const {
    for (const std::size_t column : columns) {
        const std::size_t n_values = examples_.table->column(column).n_values, first = column * slots;
        if (is_whole_)
            move_last(histogram.counts.data() + first * n_classes_, n_values, n_classes_);
        else
            move_last(histogram.weights.data() + first * n_classes_, n_values, n_classes_);
        if (counts_rows_) move_last(histogram.rows.data() + first, n_values, 1);
    }
}

}  // namespace calibrant

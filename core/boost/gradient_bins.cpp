#include "boost/gradient_bins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <variant>

#include "parallel.hpp"

namespace calibrant {
namespace {

// More cells than these leave the first cache.
constexpr std::size_t cells_per_block = 3072;
constexpr std::size_t columns_per_block = 64;

// The bins of one column: of each code, and the cuts between them.
struct ColumnBins {
    std::vector<std::uint8_t> bin_of_code{};
    std::vector<double> cuts{};
    std::size_t n_bins = 0;
};

template <class Column>
std::vector<double> code_weights(const Column& codes, std::size_t n_values, std::span<const double> weights) {
    std::vector<double> found(n_values + 1);
    for (std::size_t row = 0; row < codes.size(); ++row)
        found[std::min<std::size_t>(codes[row], n_values)] += weights.empty() ? 1.0 : weights[row];
    return found;
}

// Neighbouring values share a bin until it has its part of the weight that is left; a value of so much has its own.
ColumnBins numeric_bins(const CodedColumn& column, std::span<const double> weight, std::size_t max_bins) {
    ColumnBins bins{std::vector<std::uint8_t>(column.n_values), {}, 1};
    double left = std::accumulate(weight.begin(), weight.end(), 0.0), inside = 0;
    for (std::size_t code = 0; code < column.n_values; ++code) {
        const double part = left / static_cast<double>(max_bins - bins.n_bins + 1);
        const bool is_full = column.n_values <= max_bins || inside >= part || weight[code] >= part;
        if (code > 0 && is_full && bins.n_bins < max_bins && inside > 0) {
            bins.cuts.push_back(middle_of(column.values[code - 1], column.low(code)));
            ++bins.n_bins;
            left -= inside;
            inside = 0;
        }
        bins.bin_of_code[code] = static_cast<std::uint8_t>(bins.n_bins - 1);
        inside += weight[code];
    }
    return bins;
}

// The most frequent categories, in the order of their codes; the others are like missing values.
ColumnBins nominal_bins(std::span<const double> weight, std::size_t max_bins) {
    std::vector<std::uint32_t> order(weight.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weight[a] > weight[b]; });
    while (!order.empty() && !(weight[order.back()] > 0)) order.pop_back();
    if (order.size() > max_bins) order.resize(max_bins);
    std::sort(order.begin(), order.end());
    ColumnBins bins{
        std::vector<std::uint8_t>(weight.size(), static_cast<std::uint8_t>(order.size())), {}, order.size()};
    for (std::size_t bin = 0; bin < order.size(); ++bin) bins.bin_of_code[order[bin]] = static_cast<std::uint8_t>(bin);
    return bins;
}

ColumnBins bins_of(const CodedColumn& column, std::span<const double> weights, std::size_t max_bins) {
    const auto weight =
        std::visit([&](const auto& codes) { return code_weights(codes, column.n_values, weights); }, column.codes);
    const std::span<const double> known(weight.data(), column.n_values);
    const auto n_codes = std::count_if(weight.begin(), weight.end(), [](double each) { return each > 0; });
    if (n_codes < 2) return {};
    return column.kind == Kind::numeric ? numeric_bins(column, known, max_bins) : nominal_bins(known, max_bins);
}

void append(BinRules& rules, const CodedColumn& column, const ColumnBins& bins) {
    const bool is_nominal = column.kind == Kind::nominal;
    rules.is_nominal.push_back(is_nominal);
    rules.n_bins.push_back(static_cast<std::uint16_t>(bins.n_bins));
    rules.cuts.insert(rules.cuts.end(), bins.cuts.begin(), bins.cuts.end());
    rules.first_cut.push_back(static_cast<std::uint32_t>(rules.cuts.size()));
    if (is_nominal && bins.n_bins > 0)
        rules.bin_of_category.insert(rules.bin_of_category.end(), bins.bin_of_code.begin(), bins.bin_of_code.end());
    rules.first_category.push_back(static_cast<std::uint32_t>(rules.bin_of_category.size()));
}

void write_codes(const CodedColumn& column, const ColumnBins& bins, std::span<const std::uint32_t> rows,
                 std::uint8_t* out) {
    const auto missing = static_cast<std::uint8_t>(bins.n_bins);
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const Code code = codes[rows[i]];
                out[i] = code == missing_code<Code> ? missing : bins.bin_of_code[code];
            }
        },
        column.codes);
}

}  // namespace

BinnedTable::BinnedTable(const CodedTable& table, std::span<const std::uint32_t> rows, std::span<const double> weights,
                         std::size_t max_bins, std::size_t n_threads, const StopToken& stop)
    : n_rows_(rows.size()) {
    if (max_bins < 2 || max_bins > most_bins_of_a_byte)
        throw std::invalid_argument("the number of bins must be 2 to 255");
    if (rows.size() != table.n_rows() || (!weights.empty() && weights.size() != table.n_rows()))
        throw std::invalid_argument("rows and weights must have one entry per row");
    std::vector<ColumnBins> bins(table.n_columns());
    parallel_for(table.n_columns(), n_threads, stop, [&](std::size_t column, std::size_t) {
        bins[column] = bins_of(table.column(column), weights, max_bins);
    });
    for (std::size_t column = 0; column < bins.size(); ++column) {
        append(rules_, table.column(column), bins[column]);
        if (!rules_.is_usable(column)) continue;
        usable_.push_back(static_cast<std::uint32_t>(column));
        first_cell_.push_back(first_cell_.back() + bins[column].n_bins + 1);
    }
    codes_.resize(usable_.size() * n_rows_);
    parallel_for(usable_.size(), n_threads, stop, [&](std::size_t position, std::size_t) {
        const std::size_t column = usable_[position];
        write_codes(table.column(column), bins[column], rows, codes_.data() + position * n_rows_);
    });
    make_blocks();
    parallel_for(blocks_.size(), n_threads, stop, [&](std::size_t index, std::size_t) {
        ColumnBlock& block = blocks_[index];
        block.codes.resize(block.n_columns * n_rows_);
        for (std::size_t row = 0; row < n_rows_; ++row)
            for (std::size_t j = 0; j < block.n_columns; ++j)
                block.codes[row * block.n_columns + j] = codes(block.first_column + j)[row];
    });
}

void BinnedTable::make_blocks() {
    for (std::size_t position = 0; position < usable_.size(); ++position) {
        const bool is_full = blocks_.empty() || blocks_.back().n_columns == columns_per_block ||
                             first_cell_[position + 1] - first_cell_[blocks_.back().first_column] > cells_per_block;
        if (is_full) blocks_.push_back({position, 0});
        ++blocks_.back().n_columns;
    }
}

BinWriter::BinWriter(const BinRules& rules, std::size_t column)
    : missing_(static_cast<std::uint8_t>(rules.n_bins[column])),
      cuts_(std::span(rules.cuts)
                .subspan(rules.first_cut[column], rules.first_cut[column + 1] - rules.first_cut[column])),
      bins_(std::span(rules.bin_of_category)
                .subspan(rules.first_category[column],
                         rules.first_category[column + 1] - rules.first_category[column])) {}

void BinWriter::write(const PredictColumn& values, std::size_t begin, std::size_t end, std::uint8_t* out) const {
    std::visit(
        [&]<class T>(const StridedView<T>& view) {
            if constexpr (std::is_floating_point_v<T>) {
                cuts_.write(view, begin, end, missing_, out);
            } else {
                for (std::size_t row = begin; row < end; ++row) {
                    const auto code = static_cast<std::size_t>(view[row]);  // a negative one is beyond all categories
                    out[row - begin] = code < bins_.size() ? bins_[code] : missing_;
                }
            }
        },
        values);
}

}  // namespace calibrant

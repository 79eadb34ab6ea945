#include "partition.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"

namespace calibrant {
namespace {

// Stable counting sort by code; missing values come last.
std::vector<SortedRow> presort(const CodedColumn& column, std::span<const std::uint32_t> rows, std::span<const std::uint16_t> labels,
                               int class_bits) {
    std::vector<SortedRow> sorted(rows.size());
    std::visit(
        [&]<class Code>(const std::vector<Code>& codes) {
            const auto place_of = [&](Code code) { return code == missing_code<Code> ? column.n_values : code; };
            std::vector<std::uint32_t> next(std::size_t{column.n_values} + 2, 0);
            for (const std::uint32_t row : rows) ++next[std::size_t{place_of(codes[row])} + 1];
            std::partial_sum(next.begin(), next.end(), next.begin());
            for (const std::uint32_t row : rows) {
                const std::uint32_t code = place_of(codes[row]);
                sorted[next[code]++] = {row, code << class_bits | labels[row]};
            }
        },
        column.codes);
    return sorted;
}

template <class Row>
void make_room(std::vector<Row>& arena, std::span<const Branch> branches) {
    for (const Branch& branch : branches) {
        const std::size_t end = branch.segment.begin + branch.segment.size;
        if (branch.keep && end > arena.size()) arena.resize(std::max(end, arena.size() + arena.size() / 2));
    }
}

}  // namespace

Partition::Partition(const CodedTable& table, std::span<const std::uint16_t> labels, std::span<const double> weights,
                     const std::vector<bool>& sorted, int class_bits)
    : arena_(table.n_columns()), marks_(table.n_rows()), sides_(table.n_rows()) {
    for (std::uint32_t row = 0; row < table.n_rows(); ++row) {
        if (weights.empty() || weights[row] > 0) rows_.push_back(row);
    }
    n_root_rows_ = rows_.size();
    bool has_missing = false;
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        has_missing = has_missing || table.column(column).n_missing > 0;
        if (sorted[column]) arena_[column] = presort(table.column(column), rows_, labels, class_bits);
        else needs_rows_ = true;
    }
    if (weights.empty() && !has_missing) return;
    needs_rows_ = true;
    weight_of_.assign(table.n_rows(), 1.0);
    row_weights_.assign(rows_.size(), 1.0);
    for (std::size_t i = 0; i < rows_.size() && !weights.empty(); ++i) row_weights_[i] = weights[rows_[i]];
}

Partition::Partition(const Partition& like, std::size_t n_rows)
    : needs_rows_(like.needs_rows_), arena_(like.arena_.size()), marks_(n_rows), sides_(n_rows) {
    if (like.is_weighted()) weight_of_.assign(n_rows, 1.0);
}

Partition::Parcel Partition::take_out(Segment segment) const {
    const auto slice = [&]<class T>(const std::vector<T>& arena) {
        if (arena.empty()) return std::vector<T>{};
        const auto begin = arena.begin() + static_cast<std::ptrdiff_t>(segment.begin);
        return std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(segment.size));
    };
    Parcel parcel{.size = segment.size, .sorted = {}, .rows = {}, .weights = {}};
    for (const auto& arena : arena_) parcel.sorted.push_back(slice(arena));
    if (needs_rows_) parcel.rows = slice(rows_);
    if (is_weighted()) parcel.weights = slice(row_weights_);
    return parcel;
}

Segment Partition::put_in(Parcel&& parcel) {
    arena_ = std::move(parcel.sorted);
    rows_ = std::move(parcel.rows);
    row_weights_ = std::move(parcel.weights);
    n_root_rows_ = parcel.size;
    return root();
}

void Partition::enter(Segment segment) {
    if (!is_weighted()) return;
    for (std::size_t i = segment.begin; i < segment.begin + segment.size; ++i) weight_of_[rows_[i]] = row_weights_[i];
}

void Partition::part(Segment segment, std::span<Branch> branches, bool by_sides, std::size_t n_threads, const std::stop_token& stop) {
    std::size_t next = segment.begin;
    for (std::size_t b = branches.size(); b-- > 0;) {
        if (!branches[b].keep) continue;
        branches[b].segment.begin = next;
        next += branches[b].segment.size;
    }
    const auto row_of_sorted = [](const SortedRow& row) { return row.row; };
    const auto row_of_row = [](std::uint32_t row) { return row; };
    if (spare_sorted_.size() < n_threads) spare_sorted_.resize(n_threads);
    const auto part_column = [&](std::size_t column, std::size_t worker) {
        auto& arena = arena_[column];
        if (arena.empty()) return;
        if (by_sides) part_two(arena, spare_sorted_[worker], segment, branches, row_of_sorted);
        else part_many(arena, spare_sorted_[worker], segment, branches, row_of_sorted);
    };
    parallel_for(arena_.size(), n_threads, stop, part_column);
    if (!needs_rows_) return;
    if (is_weighted()) part_weights(segment, branches, by_sides);
    if (by_sides) part_two(rows_, spare_rows_, segment, branches, row_of_row);
    else part_many(rows_, spare_rows_, segment, branches, row_of_row);
}

// In place: the second branch stays at the bottom, the first goes through the spare memory to the top.
template <class Row, class RowOf>
void Partition::part_two(std::vector<Row>& arena, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches,
                         RowOf&& row_of) {
    Row* const at = arena.data() + segment.begin;
    if (spare.size() < segment.size) spare.resize(segment.size);
    const bool both = branches[0].keep && branches[1].keep;
    Row* const first = both ? spare.data() : at;
    const std::uint32_t wanted = branches[1].keep ? 1 : 0;
    std::size_t n_first = 0, n_second = 0;
    if (both) {
        for (std::size_t i = 0; i < segment.size; ++i) {
            const Row row = at[i];
            const std::size_t second = sides_[row_of(row)];
            at[n_second] = row;
            first[n_first] = row;
            n_second += second;
            n_first += 1 - second;
        }
        std::copy_n(spare.data(), n_first, at + n_second);
    } else if (branches[0].keep || branches[1].keep) {
        for (std::size_t i = 0; i < segment.size; ++i) {
            const Row row = at[i];
            at[n_first] = row;
            n_first += sides_[row_of(row)] == wanted;
        }
    }
}

template <class Row, class RowOf>
void Partition::part_many(std::vector<Row>& arena, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches,
                          RowOf&& row_of) {
    spare.assign(arena.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                 arena.begin() + static_cast<std::ptrdiff_t>(segment.begin + segment.size));
    make_room(arena, branches);
    std::vector<Row*> to(branches.size(), nullptr);
    std::vector<Row*> everywhere;
    for (std::size_t b = 0; b < branches.size(); ++b) {
        if (branches[b].keep) to[b] = arena.data() + branches[b].segment.begin;
    }
    for (const Row row : spare) {
        const std::uint32_t branch = marks_[row_of(row)];
        if (branch != unknown) {
            if (to[branch] != nullptr) *to[branch]++ = row;
            continue;
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (branches[b].keep && branches[b].share > 0) *to[b]++ = row;
        }
    }
}

void Partition::part_weights(Segment segment, std::span<const Branch> branches, bool by_sides) {
    spare_weights_.assign(row_weights_.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                          row_weights_.begin() + static_cast<std::ptrdiff_t>(segment.begin + segment.size));
    const std::vector<std::uint32_t> rows(rows_.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                                          rows_.begin() + static_cast<std::ptrdiff_t>(segment.begin + segment.size));
    make_room(row_weights_, branches);
    std::vector<double*> to(branches.size(), nullptr);
    for (std::size_t b = 0; b < branches.size(); ++b) {
        if (branches[b].keep) to[b] = row_weights_.data() + branches[b].segment.begin;
    }
    for (std::size_t i = 0; i < segment.size; ++i) {
        const std::uint32_t branch = by_sides ? sides_[rows[i]] : marks_[rows[i]];
        if (branch != unknown) {
            if (to[branch] != nullptr) *to[branch]++ = spare_weights_[i];
            continue;
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (branches[b].keep && branches[b].share > 0) *to[b]++ = spare_weights_[i] * branches[b].share;
        }
    }
}

}  // namespace calibrant

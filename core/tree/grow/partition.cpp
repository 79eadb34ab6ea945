#include "tree/grow/partition.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "compiler.hpp"
#include "parallel.hpp"
#include "tree/grow/row_sort.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_ahead = 12;       // to prefetch: about the latency of memory over the time of a row
constexpr std::size_t columns_at_once = 16;  // whose keys of four bytes fill a cache line of 64

WeightKind weight_kind_of(const CodedTable& table, std::span<const double> weights, bool shares_missing,
                          bool may_be_whole) {
    for (std::size_t column = 0; shares_missing && column < table.n_columns(); ++column) {
        if (table.uncoded(column).empty() && table.column(column).n_missing > 0) return WeightKind::shared;
    }
    if (weights.empty()) return WeightKind::equal;
    if (!may_be_whole) return WeightKind::fixed;
    const bool whole = std::all_of(weights.begin(), weights.end(),
                                   [](double w) { return w <= 0xffff && w == static_cast<std::uint32_t>(w); });
    const bool can_be_counted =
        std::reduce(weights.begin(), weights.end()) <= std::numeric_limits<std::uint32_t>::max();
    return whole && can_be_counted ? WeightKind::whole : WeightKind::fixed;
}

template <class Row>
void make_room(std::vector<Row>& arena, std::size_t base, std::span<const Branch> branches) {
    for (const Branch& branch : branches) {
        const std::size_t end = branch.segment.begin + branch.segment.size - base;
        if (branch.keep && end > arena.size()) arena.resize(std::max(end, arena.size() + arena.size() / 2));
    }
}

}  // namespace

Partition::Partition(const CodedTable& table, std::span<const std::uint16_t> labels, std::span<const double> weights,
                     const RowKeys& keys, const RowCells& cells, bool shares_missing, bool may_be_whole, bool draws_few)
    : table_(table),
      labels_(labels),
      fixed_(weights),
      keys_(keys),
      cells_(cells),
      sorted_(table.n_columns()),
      weight_kind_(weight_kind_of(table, weights, shares_missing, may_be_whole)),
      arena_(table.n_columns()) {
    for (std::uint32_t row = 0; row < table.n_rows(); ++row) {
        if (weights.empty() || weights[row] > 0) rows_.push_back(row);
    }
    n_root_rows_ = rows_.size();
    for (std::size_t index = 0; index < keys_.n_columns(); ++index) sorted_[keys_.column(index)] = true;
    draws_few_ = draws_few && is_whole();  // sums of other weights depend on the order of the rows
    if (weight_kind_ == WeightKind::whole) {
        times_ = std::make_shared<const std::vector<std::uint16_t>>(weights.begin(), weights.end());
        number_bits_ -= std::max(1, static_cast<int>(std::bit_width(std::ranges::max(*times_))));
    }
    needs_rows_ = keys_.n_columns() < table.n_columns() || weight_kind_ == WeightKind::shared ||
                  keys_.sorts_when_drawn() || draws_few_;
    if (weight_kind_ != WeightKind::shared) return;
    row_weights_.assign(rows_.size(), 1.0);
    for (std::size_t i = 0; i < rows_.size() && !weights.empty(); ++i) row_weights_[i] = weights[rows_[i]];
}

Partition::Partition(const Partition& like, std::nullptr_t)
    : table_(like.table_),
      labels_(like.labels_),
      fixed_(like.fixed_),
      times_(like.times_),
      keys_(like.keys_),
      cells_(like.cells_),
      sorted_(like.sorted_),
      draws_few_(like.draws_few_),
      needs_rows_(like.needs_rows_),
      weight_kind_(like.weight_kind_),
      weight_step_(like.weight_step_),
      number_bits_(like.number_bits_),
      arena_(like.arena_.size()) {}

Partition::ExtractedRows Partition::extract(Segment segment) const {
    ExtractedRows extracted;
    if (is_presorted() && !needs_rows_) {
        const std::size_t any =
            static_cast<std::size_t>(std::find(sorted_.begin(), sorted_.end(), true) - sorted_.begin());
        for (const SortedRow& row : sorted_rows(any, segment)) extracted.rows.push_back(number(row));
        std::sort(extracted.rows.begin(), extracted.rows.end());
    } else {
        const auto mine = rows(segment);
        extracted.rows.assign(mine.begin(), mine.end());
    }
    for (std::uint32_t& row : extracted.rows) row = origin(row);
    if (weight_kind_ == WeightKind::shared) {
        const auto weights = row_weights_.begin() + static_cast<std::ptrdiff_t>(segment.begin);
        extracted.weights.assign(weights, weights + static_cast<std::ptrdiff_t>(segment.size));
    }
    return extracted;
}

Segment Partition::load(ExtractedRows&& extracted) {
    leave_presorted();
    rows_ = std::move(extracted.rows);
    row_weights_ = std::move(extracted.weights);
    n_root_rows_ = rows_.size();
    return root();
}

void Partition::presort(Segment segment, ThreadTeam& threads, const StopToken& stop) {
    renumber(segment);
    ranked_ = {};
    if (draws_few_) ranks_.resize(segment.size * keys_.n_columns());
    if (spare_sorted_.size() < threads.size()) spare_sorted_.resize(threads.size());
    const std::size_t n = keys_.n_columns(),
                      at_once = std::min(columns_at_once, (n + threads.size() - 1) / threads.size());
    threads.parallel_for(
        at_once == 0 ? 0 : (n + at_once - 1) / at_once, stop, [&](std::size_t task, std::size_t worker) {
            const std::size_t begin = task * at_once, end = std::min(n, begin + at_once);
            fetch(begin, end);
            for (std::size_t index = begin; index < end; ++index) {
                const std::size_t column = keys_.column(index);
                sort_rows(arena_[column], spare_sorted_[worker], keys().greatest(table_.column(column).n_values));
            }
        });
}

// Copies what is looked up of the rows side by side, so that the subtree stays in the cache.
void Partition::renumber(Segment segment) {
    const auto mine = rows_.begin() + static_cast<std::ptrdiff_t>(segment.begin);
    origin_.assign(mine, mine + static_cast<std::ptrdiff_t>(segment.size));
    base_ = segment.begin;
    std::iota(mine, mine + static_cast<std::ptrdiff_t>(segment.size), std::uint32_t{0});
    make_room_to_mark(segment.size);
    if (weight_kind_ == WeightKind::whole || weight_kind_ == WeightKind::fixed) {
        for (std::size_t i = 0; i < segment.size; ++i) weight_of_[i] = fixed_[origin_[i]];
    }
    const bool packs = weight_kind_ == WeightKind::whole && segment.size <= std::size_t{1} << number_bits_;
    row_mask_ = packs ? (std::uint32_t{1} << number_bits_) - 1 : all_bits;
    local_labels_.resize(segment.size);
    const std::size_t width = cells_.n_columns();
    local_cells_.resize(segment.size * width);
    for (std::size_t i = 0; i < segment.size; ++i) {
        local_labels_[i] = labels_[origin_[i]];
        cells_.copy_row(origin_[i], local_cells_.data() + i * width);
    }
}

// Fetches the renumbered rows of some of the columns, not sorted yet.
void Partition::fetch(std::size_t begin, std::size_t end) {
    std::array<SortedRow*, columns_at_once> to{};
    for (std::size_t index = begin; index < end; ++index) {
        auto& column = arena_[keys_.column(index)];
        column.resize(origin_.size());
        to[index - begin] = column.data();
    }
    if (!keys_.has_rows()) return fetch_bytes(begin, end, to);
    for (std::size_t i = 0; i < origin_.size(); ++i) {
        const std::uint32_t* const cells = keys_.row(origin_[i]);
        prefetch(keys_.row(origin_[std::min(i + rows_ahead, origin_.size() - 1)]) + begin);
        const std::uint32_t row = packed(static_cast<std::uint32_t>(i));
        for (std::size_t index = begin; index < end; ++index) to[index - begin][i] = {row, cells[index]};
    }
}

void Partition::rank(Segment segment) {
    const bool is_below = segment.begin >= ranked_.begin && segment.begin < ranked_.begin + ranked_.size;
    is_ranked_ = is_below || (draws_few_ && segment.size <= RankSort::most);
    if (is_below || !is_ranked_) return;
    ranked_ = segment;
    const std::size_t width = keys_.n_columns();
    for (std::size_t index = 0; index < width; ++index) {
        const auto column = sorted_rows(keys_.column(index), segment);
        for (std::size_t i = 0; i < column.size(); ++i)
            ranks_[number(column[i]) * width + index] = static_cast<std::uint16_t>(i);
    }
}

std::uint32_t Partition::first_rank_above(std::size_t column, std::uint32_t code) const {
    const auto rows = sorted_rows(column, ranked_);
    const auto above = std::partition_point(rows.begin(), rows.end(),
                                            [&](const SortedRow& row) { return keys().code(row.key) <= code; });
    return static_cast<std::uint32_t>(above - rows.begin());
}

void Partition::fetch_bytes(std::size_t begin, std::size_t end, std::span<SortedRow* const> to) const {
    for (std::size_t i = 0; i < origin_.size(); ++i) {
        const std::uint8_t* const cells = keys_.bytes(origin_[i]);
        prefetch(keys_.bytes(origin_[std::min(i + rows_ahead, origin_.size() - 1)]));
        const std::uint32_t row = packed(static_cast<std::uint32_t>(i)), label = local_labels_[i];
        for (std::size_t index = begin; index < end; ++index)
            to[index - begin][i] = {row, keys_.key_of_byte(index, cells[keys_.column(index)]) | label};
    }
}

void Partition::make_room_to_mark(std::size_t n_rows) {
    if (sides_.size() >= n_rows) return;
    sides_.resize(n_rows);
    marks_.resize(n_rows);
    if (is_weighted()) weight_of_.resize(n_rows, 1.0);
}

void Partition::enter(Segment segment) {
    if (!is_presorted()) make_room_to_mark(table_.n_rows());
    if (weight_kind_ != WeightKind::shared) return;
    for (std::size_t i = segment.begin; i < segment.begin + segment.size; ++i) weight_of_[rows_[i]] = row_weights_[i];
}

void Partition::split(Segment segment, std::span<Branch> branches, bool by_sides, ThreadTeam& threads,
                      const StopToken& stop) {
    std::size_t next = segment.begin;
    for (std::size_t b = branches.size(); b-- > 0;) {
        if (!branches[b].keep) continue;
        branches[b].segment.begin = next;
        next += branches[b].segment.size;
    }
    const auto row_of_sorted = [mask = row_mask_](const SortedRow& row) { return row.row & mask; };
    const auto row_of_row = [](std::uint32_t row) { return row; };
    if (spare_sorted_.size() < threads.size()) spare_sorted_.resize(threads.size());
    const auto split_column = [&](std::size_t column, std::size_t worker) {
        if (!sorted_[column]) return;
        if (by_sides)
            split_in_two(arena_[column], base_, spare_sorted_[worker], segment, branches, row_of_sorted);
        else
            split_in_many(arena_[column], base_, spare_sorted_[worker], segment, branches, row_of_sorted);
    };
    if (is_presorted() && !is_ranked_) threads.parallel_for(arena_.size(), stop, split_column);
    if (is_presorted() && !needs_rows_) return;
    if (by_sides) {
        if (weight_kind_ == WeightKind::shared) split_weights_in_two(segment, branches);
        split_in_two(rows_, 0, spare_rows_, segment, branches, row_of_row);
    } else {
        if (weight_kind_ == WeightKind::shared) split_weights_in_many(segment, branches);
        split_in_many(rows_, 0, spare_rows_, segment, branches, row_of_row);
    }
}

// In place: the second branch stays at the bottom, the first goes through spare memory to the top. Every row is written
// to both and only one end advances: a branch on the side would be mispredicted half of the time.
template <class Row, class RowOf>
void Partition::split_in_two(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment,
                             std::span<const Branch> branches, RowOf&& row_of) {
    make_room(arena, base, branches);
    if (spare.size() < segment.size) spare.resize(segment.size);
    Row* const at = arena.data() + (segment.begin - base);
    Row* const top = spare.data();
    const std::uint8_t* const sides = sides_.data();
    std::size_t n_first = 0, n_second = 0;
    if (branches[0].keep && branches[1].keep) {
        for (std::size_t i = 0; i < segment.size; ++i) {
            const Row row = at[i];
            const std::uint8_t side = sides[row_of(row)];
            at[n_second] = row;
            top[n_first] = row;
            n_second += side != first;
            n_first += side != second;
        }
        std::copy_n(top, n_first, at + n_second);
    } else if (branches[0].keep || branches[1].keep) {
        const Side dropped = branches[0].keep ? second : first;
        for (std::size_t i = 0; i < segment.size; ++i) {
            const Row row = at[i];
            at[n_first] = row;
            n_first += sides[row_of(row)] != dropped;
        }
    }
}

template <class Row, class RowOf>
void Partition::split_in_many(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment,
                              std::span<const Branch> branches, RowOf&& row_of) {
    const auto mine = arena.begin() + static_cast<std::ptrdiff_t>(segment.begin - base);
    spare.assign(mine, mine + static_cast<std::ptrdiff_t>(segment.size));
    make_room(arena, base, branches);
    std::vector<Row*> to(branches.size(), nullptr);
    for (std::size_t b = 0; b < branches.size(); ++b) {
        if (branches[b].keep) to[b] = arena.data() + (branches[b].segment.begin - base);
    }
    for (const Row row : spare) {
        const std::uint32_t branch = marks_[row_of(row)];
        if (branch != missing) {
            if (to[branch] != nullptr) *to[branch]++ = row;
            continue;
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (branches[b].keep && branches[b].share > 0) *to[b]++ = row;
        }
    }
}

// Parallel to rows_, which is split afterwards; a case with a missing value has its share of weight in each branch.
void Partition::split_weights_in_two(Segment segment, std::span<const Branch> branches) {
    make_room(row_weights_, 0, branches);
    if (spare_weights_.size() < segment.size) spare_weights_.resize(segment.size);
    const std::uint32_t* const row = rows_.data() + segment.begin;
    double* const at = row_weights_.data() + segment.begin;
    double* const top = spare_weights_.data();
    std::size_t n_first = 0, n_second = 0;
    for (std::size_t i = 0; i < segment.size; ++i) {
        const std::uint8_t side = sides_[row[i]];
        const double weight = at[i];
        at[n_second] = side == both ? share_of(weight, branches[1].share) : weight;
        top[n_first] = side == both ? share_of(weight, branches[0].share) : weight;
        n_second += branches[1].keep && side != first;
        n_first += branches[0].keep && side != second;
    }
    std::copy_n(top, n_first, at + n_second);
}

void Partition::split_weights_in_many(Segment segment, std::span<const Branch> branches) {
    const auto rows = this->rows(segment);
    const auto mine = row_weights_.begin() + static_cast<std::ptrdiff_t>(segment.begin);
    spare_weights_.assign(mine, mine + static_cast<std::ptrdiff_t>(segment.size));
    make_room(row_weights_, 0, branches);
    std::vector<double*> to(branches.size(), nullptr);
    for (std::size_t b = 0; b < branches.size(); ++b) {
        if (branches[b].keep) to[b] = row_weights_.data() + branches[b].segment.begin;
    }
    for (std::size_t i = 0; i < segment.size; ++i) {
        const std::uint32_t branch = marks_[rows[i]];
        if (branch != missing) {
            if (to[branch] != nullptr) *to[branch]++ = spare_weights_[i];
            continue;
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (branches[b].keep && branches[b].share > 0) *to[b]++ = share_of(spare_weights_[i], branches[b].share);
        }
    }
}

}  // namespace calibrant

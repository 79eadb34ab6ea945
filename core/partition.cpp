#include "partition.hpp"

#include <algorithm>
#include <numeric>

#include "parallel.hpp"
#include "row_sort.hpp"

namespace calibrant {
namespace {

// The rows with their codes and classes, missing values last.
void fetch(const CodedColumn& column, std::span<const std::uint32_t> rows, std::span<const std::uint16_t> labels, const Keys& keys,
           std::vector<SortedRow>& to) {
    to.resize(rows.size());
    std::visit(
        [&]<class Code>(const std::vector<Code>& codes) {
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const Code code = codes[rows[i]];
                to[i] = {static_cast<std::uint32_t>(i), keys.key(code == missing_code<Code> ? column.n_values : code, labels[rows[i]])};
            }
        },
        column.codes);
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
                     std::vector<bool> sorted, const Keys& keys, std::span<const Gaps> gaps)
    : table_(table), labels_(labels), sorted_(std::move(sorted)), keys_(keys), gaps_(gaps), arena_(table.n_columns()) {
    for (std::uint32_t row = 0; row < table.n_rows(); ++row) {
        if (weights.empty() || weights[row] > 0) rows_.push_back(row);
    }
    n_root_rows_ = rows_.size();
    bool has_missing = false;
    for (std::size_t column = 0; column < table.n_columns(); ++column) {
        has_missing = has_missing || table.column(column).n_missing > 0;
        needs_rows_ = needs_rows_ || !sorted_[column];
    }
    is_weighted_ = !weights.empty() || has_missing;
    needs_rows_ = needs_rows_ || is_weighted_;
    if (!is_weighted_) return;
    row_weights_.assign(rows_.size(), 1.0);
    for (std::size_t i = 0; i < rows_.size() && !weights.empty(); ++i) row_weights_[i] = weights[rows_[i]];
}

Partition::Partition(const Partition& like, std::nullptr_t)
    : table_(like.table_), labels_(like.labels_), sorted_(like.sorted_), keys_(like.keys_), gaps_(like.gaps_), needs_rows_(like.needs_rows_),
      is_weighted_(like.is_weighted_), arena_(like.arena_.size()) {}

Partition::Parcel Partition::take_out(Segment segment) const {
    Parcel parcel;
    if (is_settled() && !needs_rows_) {
        const std::size_t any = static_cast<std::size_t>(std::find(sorted_.begin(), sorted_.end(), true) - sorted_.begin());
        for (const SortedRow& row : sorted_rows(any, segment)) parcel.rows.push_back(row.row);
        std::sort(parcel.rows.begin(), parcel.rows.end());
    } else {
        const auto mine = rows(segment);
        parcel.rows.assign(mine.begin(), mine.end());
    }
    for (std::uint32_t& row : parcel.rows) row = origin(row);
    if (is_weighted()) parcel.weights.assign(weights(segment).begin(), weights(segment).end());
    return parcel;
}

Segment Partition::put_in(Parcel&& parcel) {
    unsettle();
    rows_ = std::move(parcel.rows);
    row_weights_ = std::move(parcel.weights);
    n_root_rows_ = rows_.size();
    return root();
}

void Partition::settle(Segment segment, std::size_t n_threads, const std::stop_token& stop) {
    const auto mine = rows_.begin() + static_cast<std::ptrdiff_t>(segment.begin);
    origin_.assign(mine, mine + static_cast<std::ptrdiff_t>(segment.size));
    base_ = segment.begin;
    std::iota(mine, mine + static_cast<std::ptrdiff_t>(segment.size), std::uint32_t{0});
    make_room_to_mark(segment.size);
    if (spare_sorted_.size() < n_threads) spare_sorted_.resize(n_threads);
    parallel_for(arena_.size(), n_threads, stop, [&](std::size_t column, std::size_t worker) {
        if (!sorted_[column]) return;
        const CodedColumn& coded = table_.column(column);
        fetch(coded, origin_, labels_, keys_, arena_[column]);
        sort_rows(arena_[column], spare_sorted_[worker], keys_.greatest(coded.n_values));
        keys_.mark_close(arena_[column], gaps_[column]);
    });
}

void Partition::make_room_to_mark(std::size_t n_rows) {
    if (sides_.size() >= n_rows) return;
    sides_.resize(n_rows);
    marks_.resize(n_rows);
    if (is_weighted()) weight_of_.resize(n_rows, 1.0);
}

void Partition::enter(Segment segment) {
    if (!is_settled()) make_room_to_mark(table_.n_rows());
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
        if (!sorted_[column]) return;
        if (by_sides) part_two(arena_[column], base_, spare_sorted_[worker], segment, branches, row_of_sorted);
        else part_many(arena_[column], base_, spare_sorted_[worker], segment, branches, row_of_sorted);
    };
    if (is_settled()) parallel_for(arena_.size(), n_threads, stop, part_column);
    if (is_settled() && !needs_rows_) return;
    if (by_sides) {
        if (is_weighted()) part_two_weights(segment, branches);
        part_two(rows_, 0, spare_rows_, segment, branches, row_of_row);
    } else {
        if (is_weighted()) part_many_weights(segment, branches);
        part_many(rows_, 0, spare_rows_, segment, branches, row_of_row);
    }
}

// In place: the second branch stays at the bottom, the first goes through the spare memory to the top.
template <class Row, class RowOf>
void Partition::part_two(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches,
                         RowOf&& row_of) {
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
void Partition::part_many(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment,
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
        if (branch != unknown) {
            if (to[branch] != nullptr) *to[branch]++ = row;
            continue;
        }
        for (std::size_t b = 0; b < branches.size(); ++b) {
            if (branches[b].keep && branches[b].share > 0) *to[b]++ = row;
        }
    }
}

// In step with rows_, which is parted afterwards; an unknown case weighs its share in each branch.
void Partition::part_two_weights(Segment segment, std::span<const Branch> branches) {
    make_room(row_weights_, 0, branches);
    if (spare_weights_.size() < segment.size) spare_weights_.resize(segment.size);
    const std::uint32_t* const row = rows_.data() + segment.begin;
    double* const at = row_weights_.data() + segment.begin;
    double* const top = spare_weights_.data();
    std::size_t n_first = 0, n_second = 0;
    for (std::size_t i = 0; i < segment.size; ++i) {
        const std::uint8_t side = sides_[row[i]];
        const double weight = at[i];
        at[n_second] = side == both ? weight * branches[1].share : weight;
        top[n_first] = side == both ? weight * branches[0].share : weight;
        n_second += branches[1].keep && side != first;
        n_first += branches[0].keep && side != second;
    }
    std::copy_n(top, n_first, at + n_second);
}

void Partition::part_many_weights(Segment segment, std::span<const Branch> branches) {
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

// The rows of the nodes still to be grown. A small node is presorted: its rows are renumbered from 0 and its columns
// sorted once, so that everything its subtree looks up fits the cache. At every split the columns are partitioned
// stably or, where nodes draw few of them, only the rows are: those of a node come back in order by their ranks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/rank_sort.hpp"
#include "tree/grow/row_cells.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

// Where a node's rows lie, the same range in every column; pending nodes are stacked on one another.
struct Segment {
    std::size_t begin = 0, size = 0;
};

// A branch of a split. The size of its segment is an input, the begin an output. The rows of a leaf are not kept.
struct Branch {
    double share = 0;  // of the cases whose value is missing
    bool keep = false;
    Segment segment{};
};

// The weights of rows: 1 each; whole numbers; any numbers; or the shares that the branches above left of them, where
// values are missing.
enum class WeightKind : std::uint8_t { equal, whole, fixed, shared };

// A column of few values, and the classes, by the current numbers of rows.
struct CountedCells {
    const std::uint8_t* cells;
    std::size_t width;
    const std::uint16_t* labels;

    std::uint32_t code(std::uint32_t row) const { return cells[row * width]; }
    std::uint32_t label(std::uint32_t row) const { return labels[row]; }
};

class Partition {
  public:
    // Columns that have keys are sorted when a node is presorted; the others are read through rows(). `shares_missing`:
    // a case with a missing value may go to several branches. `may_be_whole`: other rows of the tree have whole
    // weights. `draws_few`: nodes look at few of the columns.
    Partition(const CodedTable& table, std::span<const std::uint16_t> labels, std::span<const double> weights,
              const RowKeys& keys, const RowCells& cells, bool shares_missing = true, bool may_be_whole = true,
              bool draws_few = false);

    // An empty one, into which the rows of a node can be loaded.
    explicit Partition(const Partition& like, std::nullptr_t);

    // The rows of a node, copied for another thread to grow.
    struct ExtractedRows {
        std::vector<std::uint32_t> rows;
        std::vector<double> weights;  // where weights are shares
    };
    ExtractedRows extract(Segment segment) const;
    Segment load(ExtractedRows&& extracted);

    // Renumbers a node's rows from 0 and sorts its columns; every node below it is then presorted too. After the last
    // of them leave_presorted() returns to the numbers of the table.
    void presort(Segment segment, ThreadTeam& threads, const StopToken& stop);
    // Ranks the rows of a presorted node in its columns, where it has few enough and is not below one that was ranked.
    void rank(Segment segment);
    void leave_presorted() { origin_.clear(); }
    bool is_presorted() const { return !origin_.empty(); }

    const Keys& keys() const { return keys_.keys(); }
    Segment root() const { return {0, n_root_rows_}; }
    bool is_sorted(std::size_t column) const { return sorted_[column] && !keys_.sorts_when_drawn(); }
    bool sorts() const { return keys_.n_columns() > 0; }
    // Whether a column of many values is sorted at each node that draws it: no node is presorted then.
    bool is_sorted_when_drawn(std::size_t column) const { return sorted_[column] && keys_.sorts_when_drawn(); }
    std::span<const SortedRow> sorted_rows(std::size_t column, Segment segment) const {
        return {arena_[column].data() + (segment.begin - base_), segment.size};
    }
    // The same where columns may be ranked; valid until `rank_sort` sorts again.
    std::span<const SortedRow> sorted_rows(std::size_t column, Segment segment, RankSort& rank_sort) const {
        if (!is_ranked()) return sorted_rows(column, segment);
        return rank_sort.sort(rows(segment), ranks(column), sorted_rows(column, ranked_));
    }
    // Whether the node is ranked, or below one whose columns keep their order.
    bool is_ranked() const { return is_presorted() && is_ranked_; }
    RowRanks ranks(std::size_t column) const { return {ranks_.data() + keys_.index(column), keys_.n_columns()}; }
    // The rank of the first row of the ranked node whose code is greater, which may be the number of its rows.
    std::uint32_t first_rank_above(std::size_t column, std::uint32_t code) const;
    std::span<const std::uint32_t> rows(Segment segment) const { return {rows_.data() + segment.begin, segment.size}; }
    // Those of all nodes, which keep their segments; for nodes that are not presorted and weights that are not shares.
    std::span<std::uint32_t> rows_to_reorder() { return rows_; }
    // The row of the table that the row of a node stands for.
    std::uint32_t origin(std::uint32_t row) const { return is_presorted() ? origin_[row] : row; }

    // Shares of weights become multiples of a power of two, so that sums of them are exact; 0: they are not rounded.
    void set_weight_step(double step) { weight_step_ = step; }
    bool rounds_shares() const { return weight_step_ > 0; }
    double share_of(double weight, double share) const {
        const double part = weight * share;
        return rounds_shares() ? std::nearbyint(part / weight_step_) * weight_step_ : part;
    }

    bool is_counted(std::size_t column) const { return cells_.has(column) && (is_presorted() || cells_.has_rows()); }
    CountedCells counted_cells(std::size_t column) const {
        const std::uint8_t* const cells = is_presorted() ? local_cells_.data() : cells_.data();
        return {cells + cells_.offset(column), cells_.n_columns(), labels()};
    }

    // The classes by the current numbers of rows.
    const std::uint16_t* labels() const { return is_presorted() ? local_labels_.data() : labels_.data(); }

    // Where weights are whole and a presorted node has few enough rows, the upper bits of SortedRow::row hold the
    // weight and the others the number, which saves looking the weight up.
    bool is_packed() const { return row_mask_ != all_bits; }
    std::uint32_t number(const SortedRow& row) const { return row.row & row_mask_; }
    std::uint32_t times(const SortedRow& row) const { return row.row >> number_bits_; }
    std::uint32_t packed(std::uint32_t row) const {
        return is_packed() ? row | static_cast<std::uint32_t>(weight_of_[row]) << number_bits_ : row;
    }

    // Looks up the weights of a node's rows for weights(); free where they are not shares.
    void enter(Segment segment);
    bool is_weighted() const { return weight_kind_ != WeightKind::equal; }
    bool are_weights_fixed() const { return weight_kind_ != WeightKind::shared; }
    bool is_whole() const { return weight_kind_ == WeightKind::equal || weight_kind_ == WeightKind::whole; }
    // The whole weights of the table's rows, for nodes that are not presorted.
    const std::uint16_t* times() const { return times_->data(); }
    const double* weights() const {
        return is_presorted() || weight_kind_ == WeightKind::shared ? weight_of_.data() : fixed_.data();
    }

    // The branch of each row of the node about to be split; `missing` goes to every branch that has a share. A split in
    // two, both of which have a share, is marked by sides, a byte each instead of four.
    static constexpr std::uint32_t missing = 0xffffffff;
    enum Side : std::uint8_t { first, second, both };
    void mark(std::uint32_t row, std::uint32_t branch) { marks_[row] = branch; }
    void mark_side(std::uint32_t row, Side side) { sides_[row] = side; }

    // Splits the rows of a node that has no sorted columns; `side_of` a row is 0 or 1, and `fetch` requests what it
    // depends on. The second side stays at the bottom, the first goes on top of it. Returns the number of rows on the
    // second side.
    template <class SideOf, class Fetch>
    std::size_t split_at_once(Segment segment, SideOf&& side_of, Fetch&& fetch) {
        constexpr std::size_t rows_ahead = 16;  // about the latency of memory over the time of a row
        if (spare_rows_.size() < segment.size) spare_rows_.resize(segment.size);
        std::uint32_t* const at = rows_.data() + segment.begin;
        std::uint32_t* const top = spare_rows_.data();
        std::size_t n_first = 0, n_second = 0;
        for (std::size_t i = 0; i < segment.size; ++i) {
            fetch(at[std::min(i + rows_ahead, segment.size - 1)]);
            const std::uint32_t row = at[i], side = side_of(row);
            at[n_second] = row;
            top[n_first] = row;
            n_second += side;
            n_first += 1 - side;
        }
        std::copy_n(top, n_first, at + n_second);
        return n_second;
    }

    // Splits the node's rows by their marks and stacks the branches that are kept, the first of them on top.
    void split(Segment segment, std::span<Branch> branches, bool by_sides, ThreadTeam& threads, const StopToken& stop);

  private:
    void make_room_to_mark(std::size_t n_rows);
    template <class Row, class RowOf>
    void split_in_two(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment,
                      std::span<const Branch> branches, RowOf&& row_of);
    template <class Row, class RowOf>
    void split_in_many(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment,
                       std::span<const Branch> branches, RowOf&& row_of);
    void split_weights_in_two(Segment segment, std::span<const Branch> branches);
    void split_weights_in_many(Segment segment, std::span<const Branch> branches);

    static constexpr std::uint32_t all_bits = 0xffffffff;
    void renumber(Segment segment);
    void fetch(std::size_t begin, std::size_t end);
    void fetch_bytes(std::size_t begin, std::size_t end, std::span<SortedRow* const> to) const;

    const CodedTable& table_;
    std::span<const std::uint16_t> labels_;
    std::span<const double> fixed_;                            // the weights of the table's rows
    std::shared_ptr<const std::vector<std::uint16_t>> times_;  // the same where they are whole
    const RowKeys& keys_;
    const RowCells& cells_;
    std::vector<bool> sorted_;
    std::size_t n_root_rows_ = 0;
    bool draws_few_ = false, is_ranked_ = false;
    Segment ranked_{};
    bool needs_rows_ = false;  // whether anything below a presorted node is read through rows()
    WeightKind weight_kind_ = WeightKind::equal;
    double weight_step_ = 0;
    int number_bits_ = 32;  // what the greatest whole weight leaves of 32
    std::uint32_t row_mask_ = all_bits;
    std::size_t base_ = 0;  // where the presorted node begins
    std::vector<std::uint32_t> origin_;
    std::vector<std::uint16_t> local_labels_;
    std::vector<std::uint8_t> local_cells_;
    std::vector<std::vector<SortedRow>> arena_;
    std::vector<std::uint16_t> ranks_;  // of the rows of the ranked node in its sorted columns, row by row
    std::vector<std::uint32_t> rows_;
    std::vector<double> row_weights_;  // parallel to rows_, where weights are shares
    std::vector<double> weight_of_;    // by the current numbers of rows
    std::vector<std::uint32_t> marks_;
    std::vector<std::uint8_t> sides_;
    std::vector<std::vector<SortedRow>> spare_sorted_;  // one for each thread
    std::vector<std::uint32_t> spare_rows_;
    std::vector<double> spare_weights_;
};

}  // namespace calibrant

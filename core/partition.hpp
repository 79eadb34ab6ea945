// The rows of the nodes still to be grown. A node small enough is settled: its rows are numbered anew and its columns sorted once, then
// parted stably at every split, so that all that its subtree looks up fits a cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "coded_table.hpp"
#include "split_search.hpp"

namespace calibrant {

// Where a node's rows lie, the same place in every column; pending nodes are stacked on one another.
struct Segment {
    std::size_t begin = 0, size = 0;
};

// A branch of a split. Its segment's size is given; the place is filled in. The rows of a leaf are not kept.
struct Branch {
    double share = 0;  // of the cases whose value is unknown
    bool keep = false;
    Segment segment{};
};

class Partition {
public:
    // Columns marked in `sorted` are sorted when a node is settled; the others are read through rows().
    Partition(const CodedTable& table, std::span<const std::uint16_t> labels, std::span<const double> weights, std::vector<bool> sorted,
              const Keys& keys, std::span<const Gaps> gaps);

    // An empty one, to which a node's rows are handed over.
    explicit Partition(const Partition& like, std::nullptr_t);

    // The rows of a node, taken out for another thread to grow.
    struct Parcel {
        std::vector<std::uint32_t> rows;
        std::vector<double> weights;
    };
    Parcel take_out(Segment segment) const;
    Segment put_in(Parcel&& parcel);

    // Numbers a node's rows from 0 and sorts its columns; every node below it is settled too. Back to the others with unsettle().
    void settle(Segment segment, std::size_t n_threads, const std::stop_token& stop);
    void unsettle() { origin_.clear(); }
    bool is_settled() const { return !origin_.empty(); }

    const Keys& keys() const { return keys_; }
    Segment root() const { return {0, n_root_rows_}; }
    bool is_sorted(std::size_t column) const { return sorted_[column]; }
    bool sorts() const { return std::find(sorted_.begin(), sorted_.end(), true) != sorted_.end(); }
    std::span<const SortedRow> sorted_rows(std::size_t column, Segment segment) const {
        return {arena_[column].data() + (segment.begin - base_), segment.size};
    }
    std::span<const std::uint32_t> rows(Segment segment) const { return {rows_.data() + segment.begin, segment.size}; }
    // The row of the table that a row of a node is.
    std::uint32_t origin(std::uint32_t row) const { return is_settled() ? origin_[row] : row; }

    // Looks up the weights of a node's rows, which weight_of then gives; free where all weights are 1.
    void enter(Segment segment);
    bool is_weighted() const { return is_weighted_; }
    double weight_of(std::uint32_t row) const { return weight_of_[row]; }
    const double* weights() const { return weight_of_.data(); }
    std::span<const double> weights(Segment segment) const { return {row_weights_.data() + segment.begin, segment.size}; }

    // The branch of each row of the node about to be parted; `unknown` goes to every branch that has a share. A split in two, both of
    // which have a share, is marked by sides, which take less memory to look up.
    static constexpr std::uint32_t unknown = 0xffffffff;
    enum Side : std::uint8_t { first, second, both };
    void mark(std::uint32_t row, std::uint32_t branch) { marks_[row] = branch; }
    void mark_side(std::uint32_t row, Side side) { sides_[row] = side; }

    // Parts the node's rows by their marks and places the branches that are kept, the first of them topmost.
    void part(Segment segment, std::span<Branch> branches, bool by_sides, std::size_t n_threads, const std::stop_token& stop);

private:
    void make_room_to_mark(std::size_t n_rows);
    template <class Row, class RowOf>
    void part_two(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches,
                  RowOf&& row_of);
    template <class Row, class RowOf>
    void part_many(std::vector<Row>& arena, std::size_t base, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches,
                   RowOf&& row_of);
    void part_two_weights(Segment segment, std::span<const Branch> branches);
    void part_many_weights(Segment segment, std::span<const Branch> branches);

    const CodedTable& table_;
    std::span<const std::uint16_t> labels_;
    std::vector<bool> sorted_;
    Keys keys_;
    std::span<const Gaps> gaps_;
    std::size_t n_root_rows_ = 0;
    bool needs_rows_ = false;  // whether anything below a settled node is read through rows()
    bool is_weighted_ = false;
    std::size_t base_ = 0;     // where the settled node begins
    std::vector<std::uint32_t> origin_;
    std::vector<std::vector<SortedRow>> arena_;
    std::vector<std::uint32_t> rows_;
    std::vector<double> row_weights_;  // of rows_, in step; empty where all weights are 1
    std::vector<double> weight_of_;
    std::vector<std::uint32_t> marks_;
    std::vector<std::uint8_t> sides_;
    std::vector<std::vector<SortedRow>> spare_sorted_;  // one for each thread
    std::vector<std::uint32_t> spare_rows_;
    std::vector<double> spare_weights_;
};

}  // namespace calibrant

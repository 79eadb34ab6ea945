// The rows of the nodes still to be grown, column by column: presorted once, then parted stably at every split.
#pragma once

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
    // Columns marked in `sorted` are kept in the order of their values; the others are read through rows().
    Partition(const CodedTable& table, std::span<const std::uint16_t> labels, std::span<const double> weights,
              const std::vector<bool>& sorted, int class_bits);

    // An empty one, to which a node's rows are handed over.
    explicit Partition(const Partition& like, std::size_t n_rows);

    // The rows of a node, taken out for another thread to grow.
    struct Parcel {
        std::size_t size = 0;
        std::vector<std::vector<SortedRow>> sorted;
        std::vector<std::uint32_t> rows;
        std::vector<double> weights;
    };
    Parcel take_out(Segment segment) const;
    Segment put_in(Parcel&& parcel);

    Segment root() const { return {0, n_root_rows_}; }
    bool needs_rows() const { return needs_rows_; }
    bool is_sorted(std::size_t column) const { return !arena_[column].empty(); }
    std::span<const SortedRow> sorted_rows(std::size_t column, Segment segment) const {
        return {arena_[column].data() + segment.begin, segment.size};
    }
    std::span<const std::uint32_t> rows(Segment segment) const { return {rows_.data() + segment.begin, segment.size}; }

    // Looks up the weights of a node's rows, which weight_of then gives; free where all weights are 1.
    void enter(Segment segment);
    bool is_weighted() const { return !weight_of_.empty(); }
    double weight_of(std::uint32_t row) const { return weight_of_[row]; }
    const double* weights() const { return weight_of_.data(); }

    // The branch of each row of the node about to be parted; `unknown` goes to every branch that has a share. A split in two
    // without unknown cases is marked by sides, which take less memory to look up.
    static constexpr std::uint32_t unknown = 0xffffffff;
    void mark(std::uint32_t row, std::uint32_t branch) { marks_[row] = branch; }
    void mark_side(std::uint32_t row, bool second) { sides_[row] = second; }

    // Parts the node's rows by their marks and places the branches that are kept, the first of them topmost.
    void part(Segment segment, std::span<Branch> branches, bool by_sides, std::size_t n_threads, const std::stop_token& stop);

private:
    template <class Row, class RowOf>
    void part_two(std::vector<Row>& arena, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches, RowOf&& row_of);
    template <class Row, class RowOf>
    void part_many(std::vector<Row>& arena, std::vector<Row>& spare, Segment segment, std::span<const Branch> branches, RowOf&& row_of);
    void part_weights(Segment segment, std::span<const Branch> branches, bool by_sides);

    std::size_t n_root_rows_ = 0;
    bool needs_rows_ = false;  // whether anything is read through rows()
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

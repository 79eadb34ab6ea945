// The best cuts of a large node, without its columns being sorted. Rows of two classes are counted in buckets of
// values; the counts bound the gain of every cut inside a bucket, and only the rows of buckets where the best cut can
// lie are sorted. The cut found is the one that a search of all cuts finds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"
#include "tree/grow/buckets.hpp"
#include "tree/grow/column_search.hpp"

namespace calibrant {

class CoarseSearch {
  public:
    static bool is_fit_for(const Examples& examples, const GrowOptions& options, const CutRules& rules,
                           bool is_weighted);

    CoarseSearch(const Examples& examples, const GrowOptions& options, const CutRules& rules,
                 const Partition& partition, const XLogX& xlogx, std::span<const ValueGaps> gaps,
                 const Buckets& buckets);
    ~CoarseSearch();

    // Writes the best test of those columns that are in buckets; none for a column that cannot win.
    void search(const NodeRows& node, std::span<const std::size_t> columns, std::span<FoundTest> found,
                ThreadTeam& threads, const StopToken& stop);

    bool has(std::size_t column) const { return index_of_[column] != no_index; }

    // Whether the counts of the last node ruled out few rows: sorting its columns once for all nodes below is cheaper.
    bool bounds_are_loose() const { return bounds_are_loose_; }

  private:
    static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
    struct Column;
    template <Criterion C>
    void search_all(const NodeRows& node, std::span<FoundTest> found, ThreadTeam& threads, const StopToken& stop);
    void count(std::span<const std::size_t> indices, const NodeRows& node);
    std::array<double, 2> counted(std::size_t index, std::size_t bucket) const;
    NodeFacts facts_of(const Column& column, const NodeRows& node) const;
    void set_counts(Column& column, const NodeRows& node) const;
    template <Criterion C>
    void bound(Column& column, const NodeRows& node);
    bool starts_apart(const Column& column, std::size_t before, std::size_t bucket) const;
    template <Criterion C>
    double best_probed(double best, const NodeRows& node);
    void choose_buckets(Column& column, double to_beat, const NodeRows& node);
    void widen_runs(Column& column) const;
    void collect(std::span<const std::size_t> indices, const NodeRows& node);
    void fetch(Column& column, const NodeRows& node);
    template <Criterion C>
    FoundTest scan(Column& column, const NodeRows& node);
    template <class Cuts>
    void search_runs(Cuts& cuts, const Column& column) const;

    const Examples& examples_;
    const GrowOptions& options_;
    const CutRules& rules_;
    const Partition& partition_;
    const XLogX& xlogx_;
    const Buckets& buckets_;
    std::vector<std::size_t> index_of_;  // of a column of the table, among those in buckets
    std::vector<std::size_t> searched_;
    bool bounds_are_loose_ = false;
    std::vector<Column> columns_;
    std::vector<std::uint32_t> counts_;  // columns x buckets x classes; rows that count once each
    std::vector<double> weights_;        // the same, of weighted rows
};

}  // namespace calibrant

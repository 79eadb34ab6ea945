// Sends the rows of a node to the branches of its test: counts them, then parts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "stop.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/partition.hpp"
#include "tree/grow/pending.hpp"

namespace calibrant {

class RowSplit {
  public:
    RowSplit(const Examples& examples, Partition& partition, const RowKeys& keys);

    // Give each child its class weights and its number of rows. Cases with unknown value go to every branch, in
    // proportion to its known ones.
    void by_cut(std::size_t column, const Pending& node, std::uint32_t cut, std::span<Pending> children);
    void by_value(std::size_t column, const Pending& node, std::span<Pending> children);
    void by_groups(std::size_t column, const Pending& node, std::span<const std::int32_t> branch_of_value,
                   std::span<Pending> children);

    // Parts the rows; children that are leaves keep none.
    void part(const Pending& node, std::span<Pending> children, std::size_t n_threads, const StopToken& stop);

  private:
    void start(std::size_t n_branches);
    bool can_part_at_once(const Pending& node) const;
    template <class CodeOf, class LabelOf>
    void part_at_once(const Pending& node, std::uint32_t cut, std::span<Pending> children, CodeOf&& code_of,
                      LabelOf&& label_of);
    template <class SideOf, class LabelOf, class WeightOf>
    void part_weighed(const Pending& node, std::span<Pending> children, SideOf&& side_of, LabelOf&& label_of,
                      WeightOf&& weight_of);
    void tally_sorted(std::size_t column, const Pending& node, std::uint32_t cut, std::span<Pending> children);
    template <class BranchOf>
    void tally(std::size_t column, const Pending& node, std::span<Pending> children, BranchOf&& branch_of);
    void add_unknown(std::uint32_t row, std::size_t label, double weight);
    void share_unknown(std::span<Pending> children);

    const Examples& examples_;
    Partition& partition_;
    const RowKeys& keys_;
    std::vector<Branch> branches_;
    bool is_parted_ = false;
    std::vector<double> unknown_counts_;
    double unknown_weight_ = 0;
    std::size_t n_unknown_ = 0;
};

}  // namespace calibrant

// Sends the rows of a node to the branches of its test: counts them by branch and class, then partitions them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "parallel.hpp"
#include "stop.hpp"
#include "tree/grow/grower.hpp"
#include "tree/grow/node_queue.hpp"
#include "tree/grow/partition.hpp"

namespace calibrant {

class RowSplit {
  public:
    RowSplit(const Examples& examples, Partition& partition, const RowKeys& keys);

    // Set the class weights and the number of rows of each child. Cases with a missing value go to `missing_branch` or,
    // where that is all branches, to each in proportion to its known cases.
    void by_cut(std::size_t column, const PendingNode& node, std::uint32_t cut, std::span<PendingNode> children,
                std::int32_t missing_branch = Tree::all_branches);
    void by_value(std::size_t column, const PendingNode& node, std::span<PendingNode> children,
                  std::int32_t missing_branch = Tree::all_branches);
    void by_groups(std::size_t column, const PendingNode& node, std::span<const std::int32_t> branch_of_value,
                   std::span<PendingNode> children, std::int32_t missing_branch = Tree::all_branches);

    // Partitions the rows; children that are leaves keep none.
    void split(const PendingNode& node, std::span<PendingNode> children, ThreadTeam& threads, const StopToken& stop);

  private:
    void start(std::size_t n_branches, std::int32_t missing_branch);
    bool can_split_at_once(const PendingNode& node) const;
    template <class CodeOf, class LabelOf>
    void split_at_once(const PendingNode& node, std::uint32_t cut, std::uint32_t missing,
                       std::span<PendingNode> children, CodeOf&& code_of, LabelOf&& label_of);
    template <class SideOf, class LabelOf>
    void split_sides(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of, LabelOf&& label_of);
    template <class SideOf, class LabelOf, class TimesOf>
    void split_whole(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of, LabelOf&& label_of,
                     TimesOf&& times_of);
    void set_sizes(const PendingNode& node, std::size_t n_second);
    template <class SideOf, class LabelOf, class WeightOf>
    void split_weighted(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of, LabelOf&& label_of,
                        WeightOf&& weight_of);
    void tally_sorted(std::size_t column, const PendingNode& node, std::uint32_t cut, std::span<PendingNode> children);
    template <class BranchOf>
    void tally(std::size_t column, const PendingNode& node, std::span<PendingNode> children, BranchOf&& branch_of);
    void add_missing(std::uint32_t row, std::size_t label, double weight);
    void share_missing(std::span<PendingNode> children);
    void add_shares(PendingNode& child, double share) const;

    const Examples& examples_;
    Partition& partition_;
    const RowKeys& keys_;
    std::vector<Branch> branches_;
    bool is_split_ = false;
    std::int32_t missing_branch_ = Tree::all_branches;
    std::vector<double> missing_counts_;
    double missing_weight_ = 0;
    std::size_t n_missing_ = 0;
    struct MissingCase {
        std::size_t label;
        double weight;
    };
    std::vector<MissingCase> missing_cases_;  // where shares are rounded, each by itself
};

}  // namespace calibrant

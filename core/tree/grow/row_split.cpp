#include "tree/grow/row_split.hpp"

#include <algorithm>
#include <type_traits>

#include "compiler.hpp"

namespace calibrant {
namespace {

// The codes of a column of the table, which lie far apart where a node has few of its rows.
template <class Column>
struct FarCodes {
    const Column& codes;

    std::uint32_t operator()(std::uint32_t row) const { return codes[row]; }
    void fetch(std::uint32_t row) const {
        if constexpr (std::is_same_v<Column, ByteCodes>)
            prefetch(codes.data() + row * codes.stride());
        else
            prefetch(codes.data() + row);
    }
};

// Codes of rows side by side, which the cache holds.
template <class Lookup>
struct NearCodes {
    Lookup code_of;

    std::uint32_t operator()(std::uint32_t row) const { return code_of(row); }
    void fetch(std::uint32_t) const {}
};
template <class Lookup>
NearCodes(Lookup) -> NearCodes<Lookup>;

// The side of each row, and a request for the code that it depends on.
template <class SideOf, class Codes>
struct Sides {
    SideOf side_of;
    const Codes& codes;

    std::uint32_t operator()(std::uint32_t row) const { return side_of(row); }
    void fetch(std::uint32_t row) const { codes.fetch(row); }
};
template <class SideOf, class Codes>
Sides(SideOf, const Codes&) -> Sides<SideOf, Codes>;

}  // namespace

RowSplit::RowSplit(const Examples& examples, Partition& partition, const RowKeys& keys)
    : examples_(examples), partition_(partition), keys_(keys), missing_counts_(examples.n_classes) {}

void RowSplit::start(std::size_t n_branches, std::int32_t missing_branch) {
    branches_.assign(n_branches, Branch{});
    missing_branch_ = missing_branch;
    is_split_ = false;
    std::fill(missing_counts_.begin(), missing_counts_.end(), 0.0);
    missing_weight_ = 0;
    n_missing_ = 0;
    missing_cases_.clear();
}

void RowSplit::by_cut(std::size_t column, const PendingNode& node, std::uint32_t cut, std::span<PendingNode> children,
                      std::int32_t missing_branch) {
    start(children.size(), missing_branch);
    const bool is_sorted = partition_.is_sorted(column), is_counted = partition_.is_counted(column);
    if (is_sorted && can_split_at_once(node) && partition_.is_ranked()) {
        const std::uint32_t last = partition_.first_rank_above(column, cut) - 1;
        const std::uint32_t end = partition_.first_rank_above(column, examples_.table->column(column).n_values - 1);
        const auto code_of = [ranks = partition_.ranks(column), end](std::uint32_t row) {
            return std::min(ranks.of(row), end);
        };
        split_at_once(node, last, end, children, NearCodes{code_of},
                      [cells = partition_.labels()](std::uint32_t row) { return cells[row]; });
    } else if (can_split_at_once(node) && is_counted) {
        const CountedCells cells = partition_.counted_cells(column);
        split_at_once(node, cut, examples_.table->column(column).n_values, children,
                      NearCodes{[cells](std::uint32_t row) { return cells.code(row); }},
                      [cells](std::uint32_t row) { return cells.label(row); });
    } else if (can_split_at_once(node) && !node.is_presorted) {
        const auto label_of = [labels = examples_.labels](std::uint32_t row) { return labels[row]; };
        std::visit(
            [&]<class Column>(const Column& codes) {
                using Code = CodeOf<Column>;
                split_at_once(node, cut, missing_code<Code>, children, FarCodes<Column>{codes}, label_of);
            },
            examples_.table->column(column).codes);
    } else if (node.is_presorted && is_sorted) {
        tally_sorted(column, node, cut, children);
    } else {
        tally(column, node, children, [cut](std::uint32_t code) { return std::uint32_t{code > cut}; });
    }
    share_missing(children);
}

void RowSplit::by_value(std::size_t column, const PendingNode& node, std::span<PendingNode> children,
                        std::int32_t missing_branch) {
    start(children.size(), missing_branch);
    tally(column, node, children, [](std::uint32_t code) { return code; });
    share_missing(children);
}

void RowSplit::by_groups(std::size_t column, const PendingNode& node, std::span<const std::int32_t> branch_of_value,
                         std::span<PendingNode> children, std::int32_t missing_branch) {
    start(children.size(), missing_branch);
    tally(column, node, children,
          [branch_of_value](std::uint32_t code) { return static_cast<std::uint32_t>(branch_of_value[code]); });
    share_missing(children);
}

void RowSplit::split(const PendingNode& node, std::span<PendingNode> children, ThreadTeam& threads,
                     const StopToken& stop) {
    if (is_split_) {
        branches_[1].segment.begin = node.segment.begin;
        branches_[0].segment.begin = node.segment.begin + branches_[1].segment.size;
    } else {
        for (std::size_t b = 0; b < children.size(); ++b) branches_[b].keep = !children[b].is_leaf;
        const bool by_sides =
            children.size() == 2 && (n_missing_ == 0 || (branches_[0].share > 0 && branches_[1].share > 0));
        partition_.split(node.segment, branches_, by_sides, threads, stop);
    }
    for (std::size_t b = 0; b < children.size(); ++b) children[b].segment = branches_[b].segment;
}

// Where only rows are partitioned, and none goes to both sides, they are in the pass that counts them.
bool RowSplit::can_split_at_once(const PendingNode& node) const {
    return partition_.are_weights_fixed() && (!node.is_presorted || !partition_.sorts() || partition_.is_ranked());
}

template <class CodeOf, class LabelOf>
void RowSplit::split_at_once(const PendingNode& node, std::uint32_t cut, std::uint32_t missing,
                             std::span<PendingNode> children, CodeOf&& code_of, LabelOf&& label_of) {
    if (missing_branch_ != 0)  // the code of a missing value is greater than all others
        return split_sides(node, children,
                           Sides{[&](std::uint32_t row) { return std::uint32_t{code_of(row) > cut}; }, code_of},
                           label_of);
    const auto side_of = [&](std::uint32_t row) {
        const std::uint32_t code = code_of(row);
        return std::uint32_t{code > cut} & std::uint32_t{code != missing};
    };
    split_sides(node, children, Sides{side_of, code_of}, label_of);
}

template <class SideOf, class LabelOf>
void RowSplit::split_sides(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of,
                           LabelOf&& label_of) {
    if (examples_.n_classes == 2 && partition_.is_whole()) {
        if (!partition_.is_weighted())
            return split_whole(node, children, side_of, label_of, [](std::uint32_t) { return std::uint64_t{1}; });
        if (!node.is_presorted)
            return split_whole(node, children, side_of, label_of,
                               [times = partition_.times()](std::uint32_t row) { return std::uint64_t{times[row]}; });
        return split_whole(node, children, side_of, label_of, [weights = partition_.weights()](std::uint32_t row) {
            return static_cast<std::uint64_t>(weights[row]);
        });
    }
    if (!partition_.is_weighted())
        return split_weighted(node, children, side_of, label_of, [](std::uint32_t) { return 1.0; });
    if (partition_.is_whole() && !node.is_presorted) {
        const auto weight_of = [times = partition_.times()](std::uint32_t row) {
            return static_cast<double>(times[row]);
        };
        return split_weighted(node, children, side_of, label_of, weight_of);
    }
    split_weighted(node, children, side_of, label_of,
                   [weights = partition_.weights()](std::uint32_t row) { return weights[row]; });
}

template <class SideOf, class LabelOf, class WeightOf>
void RowSplit::split_weighted(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of,
                              LabelOf&& label_of, WeightOf&& weight_of) {
    double* const counts[] = {children[0].counts.data(), children[1].counts.data()};
    double sums[] = {0.0, 0.0};
    const std::size_t n_second = partition_.split_at_once(
        node.segment,
        [&](std::uint32_t row) {
            const std::uint32_t side = side_of(row);
            const double weight = weight_of(row);
            counts[side][label_of(row)] += weight;
            sums[side] += weight;
            return side;
        },
        [&](std::uint32_t row) { side_of.fetch(row); });
    children[0].weight = sums[0];
    children[1].weight = sums[1];
    set_sizes(node, n_second);
}

// Whole weights of two classes: the second side is summed in registers, and the first has what it leaves.
template <class SideOf, class LabelOf, class TimesOf>
void RowSplit::split_whole(const PendingNode& node, std::span<PendingNode> children, SideOf&& side_of,
                           LabelOf&& label_of, TimesOf&& times_of) {
    std::uint64_t all = 0, ones = 0;
    const std::size_t n_second = partition_.split_at_once(
        node.segment,
        [&](std::uint32_t row) {
            const std::uint32_t side = side_of(row);
            const std::uint64_t times = times_of(row) * side;
            all += times;
            ones += times * label_of(row);
            return side;
        },
        [&](std::uint32_t row) { side_of.fetch(row); });
    children[1].counts = {static_cast<double>(all - ones), static_cast<double>(ones)};
    children[1].weight = static_cast<double>(all);
    for (std::size_t k = 0; k < 2; ++k) children[0].counts[k] = node.counts[k] - children[1].counts[k];
    children[0].weight = node.weight - children[1].weight;
    set_sizes(node, n_second);
}

void RowSplit::set_sizes(const PendingNode& node, std::size_t n_second) {
    branches_[0].segment.size = node.segment.size - n_second;
    branches_[1].segment.size = n_second;
    is_split_ = true;
}

// A cut of a sorted column: first the rows that go left, then those that go right, then those with missing values.
void RowSplit::tally_sorted(std::size_t column, const PendingNode& node, std::uint32_t cut,
                            std::span<PendingNode> children) {
    const Keys keys = keys_.keys();
    const auto rows = partition_.sorted_rows(column, node.segment);
    const auto end_of = [&](std::uint32_t code) {
        return std::partition_point(rows.begin(), rows.end(),
                                    [&](const SortedRow& row) { return keys.code(row.key) <= code; });
    };
    const auto middle = end_of(cut), end = end_of(examples_.table->column(column).n_values - 1);
    const double* const weights = partition_.is_weighted() ? partition_.weights() : nullptr;
    const auto weight_of = [weights](std::uint32_t number) { return weights == nullptr ? 1.0 : weights[number]; };
    const auto take = [&](std::size_t branch, auto first, auto last) {
        const Partition::Side side = branch == 0 ? Partition::first : Partition::second;
        double weight = children[branch].weight;
        double* const counts = children[branch].counts.data();
        for (auto row = first; row != last; ++row) {
            const std::uint32_t number = partition_.number(*row);
            const double own = weight_of(number);
            partition_.mark_side(number, side);
            counts[keys.label(row->key)] += own;
            weight += own;
        }
        children[branch].weight = weight;
        branches_[branch].segment.size += static_cast<std::size_t>(last - first);
    };
    take(0, rows.begin(), middle);
    take(1, middle, end);
    if (missing_branch_ != Tree::all_branches) return take(static_cast<std::size_t>(missing_branch_), end, rows.end());
    for (auto row = end; row != rows.end(); ++row) {
        const std::uint32_t number = partition_.number(*row);
        add_missing(number, keys.label(row->key), weight_of(number));
    }
}

template <class BranchOf>
void RowSplit::tally(std::size_t column, const PendingNode& node, std::span<PendingNode> children,
                     BranchOf&& branch_of) {
    const double* const weights = partition_.is_weighted() ? partition_.weights() : nullptr;
    const auto take = [&](std::uint32_t row, std::uint32_t code, std::uint32_t label, bool is_missing) {
        const double weight = weights == nullptr ? 1.0 : weights[row];
        if (is_missing && missing_branch_ == Tree::all_branches) return add_missing(row, label, weight);
        const std::uint32_t branch = is_missing ? static_cast<std::uint32_t>(missing_branch_) : branch_of(code);
        partition_.mark(row, branch);
        partition_.mark_side(row, branch == 0 ? Partition::first : Partition::second);
        children[branch].counts[label] += weight;
        children[branch].weight += weight;
        ++branches_[branch].segment.size;
    };
    const CodedColumn& coded = examples_.table->column(column);
    const auto rows = partition_.rows(node.segment);
    if (partition_.is_counted(column)) {
        const CountedCells cells = partition_.counted_cells(column);
        for (const std::uint32_t row : rows)
            take(row, cells.code(row), cells.label(row), cells.code(row) == coded.n_values);
        return;
    }
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (const std::uint32_t row : rows) {
                const std::uint32_t origin = partition_.origin(row);
                take(row, codes[origin], examples_.labels[origin], codes[origin] == missing_code<Code>);
            }
        },
        coded.codes);
}

void RowSplit::add_missing(std::uint32_t row, std::size_t label, double weight) {
    missing_counts_[label] += weight;
    missing_weight_ += weight;
    ++n_missing_;
    if (partition_.rounds_shares()) missing_cases_.push_back({label, weight});
    partition_.mark(row, Partition::missing);
    partition_.mark_side(row, Partition::both);
}

void RowSplit::share_missing(std::span<PendingNode> children) {
    double known = 0;
    for (const PendingNode& child : children) known += child.weight;
    for (std::size_t b = 0; b < children.size(); ++b) {
        branches_[b].share = children[b].weight / known;
        if (n_missing_ == 0 || branches_[b].share == 0) continue;
        add_shares(children[b], branches_[b].share);
        branches_[b].segment.size += n_missing_;
    }
}

void RowSplit::add_shares(PendingNode& child, double share) const {
    for (const MissingCase& each : missing_cases_) {
        const double weight = partition_.share_of(each.weight, share);
        child.counts[each.label] += weight;
        child.weight += weight;
    }
    if (!missing_cases_.empty()) return;
    for (std::size_t k = 0; k < missing_counts_.size(); ++k) child.counts[k] += share * missing_counts_[k];
    child.weight += share * missing_weight_;
}

}  // namespace calibrant

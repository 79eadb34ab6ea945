#include "tree/prune/cases.hpp"

#include <numeric>
#include <variant>

namespace calibrant {

Cases::Cases(const Tree& tree, const Examples& examples) : tree_(tree), examples_(examples) {
    for (std::uint32_t row = 0; row < examples.table->n_rows(); ++row) {
        const double weight = examples.weights.empty() ? 1.0 : examples.weights[row];
        if (weight > 0) cases_.push_back({row, weight});
    }
    all_ = {0, cases_.size()};
}

// Fills branches_: 0 for a missing value that goes to every branch, else one more than the branch.
void Cases::find_branches(std::size_t node, Slice cases) {
    branches_.resize(cases.end - cases.begin);
    const std::uint32_t n_values = tree_.n_values[node], cut = tree_.cut_code[node];
    const auto of_missing = static_cast<std::uint32_t>(tree_.missing_branch[node] + 1);
    const std::int32_t* const branch_of_value = tree_.branch_of_value.data() + tree_.first_value[node];
    std::visit(
        [&]<class Column>(const Column& codes) {
            using Code = CodeOf<Column>;
            for (std::size_t i = 0; i < branches_.size(); ++i) {
                const Code code = codes[cases_[cases.begin + i].row];
                if (code == missing_code<Code>)
                    branches_[i] = of_missing;
                else if (n_values == 0)
                    branches_[i] = code > cut ? 2 : 1;
                else
                    branches_[i] = code < n_values ? static_cast<std::uint32_t>(branch_of_value[code] + 1) : of_missing;
            }
        },
        examples_.table->column(static_cast<std::size_t>(tree_.feature[node])).codes);
}

SplitCases Cases::split(std::size_t node, Slice cases) {
    find_branches(node, cases);
    spare_.assign(cases_.begin() + static_cast<std::ptrdiff_t>(cases.begin),
                  cases_.begin() + static_cast<std::ptrdiff_t>(cases.end));
    SplitCases split;
    std::vector<std::size_t>& next =
        split.bounds;  // first where the next case of a branch goes, finally where the branch ends
    next.assign(std::size_t{tree_.n_children[node]} + 2, 0);
    for (const std::uint32_t branch : branches_) ++next[branch + 1];
    next[0] = cases.begin;
    std::partial_sum(next.begin(), next.end(), next.begin());
    split.missing = {cases.begin, next[1]};
    for (std::size_t i = 0; i < spare_.size(); ++i) {
        cases_[next[branches_[i]]++] = spare_[i];
        if (branches_[i] > 0) split.known_weight += spare_[i].weight;
    }
    next.pop_back();
    return split;
}

Slice Cases::enter(const SplitCases& split, std::size_t branch) {
    const Slice known{split.bounds[branch], split.bounds[branch + 1]};
    if (known.empty() || split.missing.empty()) return known;
    const std::size_t begin = cases_.size();
    double weight = 0;
    for (std::size_t i = known.begin; i < known.end; ++i) {
        cases_.push_back(Case{cases_[i]});
        weight += cases_[i].weight;
    }
    for (std::size_t i = split.missing.begin; i < split.missing.end; ++i) {
        cases_.push_back({cases_[i].row, cases_[i].weight * (weight / split.known_weight)});
    }
    return {begin, cases_.size()};
}

}  // namespace calibrant

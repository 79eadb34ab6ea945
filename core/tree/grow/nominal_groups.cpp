#include "tree/grow/nominal_groups.hpp"

#include <algorithm>
#include <bit>

namespace calibrant {

std::vector<std::uint32_t> ValueCounts::in_order() const {
    std::vector<std::uint32_t> values(seen.begin(), seen.end());
    // A pass over the weights takes less time than sorting many values; one that occurs may have a share of 0.
    if (seen.size() * std::bit_width(seen.size()) >= weights.size()) {
        std::size_t n = 0;
        for (std::uint32_t value = 0; value < weights.size() && n < values.size(); ++value) {
            values[n] = value;
            n += weights[value] > 0;
        }
        if (n == values.size()) return values;
        std::ranges::copy(seen, values.begin());
    }
    std::ranges::sort(values);
    return values;
}

ValueGroups::ValueGroups(const ValueCounts& values) : n_classes_(values.n_classes()) {
    for (const std::uint32_t value : values.in_order()) {
        if (!(values.weights[value] > least_weight)) {
            left_out_.push_back(value);
            continue;
        }
        const auto counts = values.of(value);
        weights_.push_back(values.weights[value]);
        rows_.push_back(values.rows.empty() ? 0 : values.rows[value]);
        counts_.insert(counts_.end(), counts.begin(), counts.end());
        members_.push_back({value});
    }
}

void ValueGroups::merge(std::size_t to, std::size_t from) {
    const std::size_t last = size() - 1;
    for (std::size_t k = 0; k < n_classes_; ++k) {
        counts_[to * n_classes_ + k] += counts_[from * n_classes_ + k];
        counts_[from * n_classes_ + k] = counts_[last * n_classes_ + k];
    }
    weights_[to] += weights_[from];
    weights_[from] = weights_[last];
    rows_[to] += rows_[from];
    rows_[from] = rows_[last];
    members_[to].insert(members_[to].end(), members_[from].begin(), members_[from].end());
    members_[from].swap(members_[last]);
    counts_.resize(last * n_classes_);
    weights_.pop_back();
    rows_.pop_back();
    members_.pop_back();
}

bool ValueGroups::merge_pure() {
    constexpr double impurity = 0.1;  // C4.5 release 8: cases of other classes up to this weight are overlooked
    const std::size_t before = size();
    for (std::size_t to = 0; to + 1 < size(); ++to) {
        const auto here = counts(to);
        const auto label =
            static_cast<std::size_t>(std::ranges::find_if(here, [](double n) { return n >= impurity; }) - here.begin());
        const auto is_pure = [&](std::size_t group) { return counts(group)[label] >= weight(group) - impurity; };
        if (label == n_classes_ || !is_pure(to)) continue;
        for (std::size_t from = to + 1; from < size();) {
            if (is_pure(from))
                merge(to, from);
            else
                ++from;
        }
    }
    return size() < before;
}

std::size_t ValueGroups::n_filled(const NodeFacts& node) const {
    std::size_t n = 0;
    for (std::size_t group = 0; group < size(); ++group) n += is_filled(group, node) ? std::size_t{1} : std::size_t{0};
    return n;
}

std::size_t ValueGroups::heaviest(const NodeFacts& node) const {
    std::size_t best = 0;
    for (std::size_t group = 1; group < size(); ++group) {
        const bool fills = is_filled(group, node), best_fills = is_filled(best, node);
        if (fills != best_fills ? fills : weights_[group] > weights_[best]) best = group;
    }
    return best;
}

std::vector<std::int32_t> ValueGroups::branches(std::size_t n_values) const {
    std::vector<std::int32_t> branch_of_value(n_values, static_cast<std::int32_t>(size()));
    for (std::size_t group = 0; group < size(); ++group) {
        for (const std::uint32_t value : members_[group]) branch_of_value[value] = static_cast<std::int32_t>(group);
    }
    return branch_of_value;
}

}  // namespace calibrant

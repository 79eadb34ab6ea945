#include "forest/bags.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "counter_random.hpp"
#include "forest/keyed_permutation.hpp"
#include "forest/multinomial.hpp"

namespace calibrant {
namespace {

constexpr std::size_t rows_at_once = 4096;  // as many as a block of units

// Returns what a map holds for a key, computed outside of the lock where it holds nothing.
template <class Map, class Compute>
auto& once_computed(Map& map, const typename Map::key_type& key, std::mutex& guard, Compute&& compute) {
    {
        const std::scoped_lock lock(guard);
        if (const auto found = map.find(key); found != map.end()) return found->second;
    }
    auto value = compute();
    const std::scoped_lock lock(guard);
    return map.try_emplace(key, std::move(value)).first->second;
}

}  // namespace

Bags::Bags(BagSampling sampling, std::size_t n_rows) : sampling_(std::move(sampling)), n_rows_(n_rows) {
    if (sampling_.n_units.empty()) throw std::invalid_argument("there must be a number of units");
    sampling_.first_units.resize(sampling_.n_units.size());
    if (!sampling_.labels.empty()) add_up_classes();
    check_units();
}

Bags::Bags(std::span<const std::uint16_t> drawn, std::size_t n_rows) : n_rows_(n_rows), drawn_(drawn) {
    if (n_rows == 0 || drawn.size() % n_rows != 0) throw std::invalid_argument("in_bag must have one entry per row");
}

void Bags::check(std::size_t n_trees, std::size_t n_rows) const {
    if (n_rows != n_rows_ || (!drawn_.empty() && drawn_.size() < n_trees * n_rows))
        throw std::invalid_argument("the bags must be those of the trees and rows");
}

void Bags::check_units() const {
    if (!sampling_.labels.empty() && sampling_.labels.size() != n_rows_)
        throw std::invalid_argument("labels must have one entry per row");
    if (!sampling_.groups.empty()) {
        const auto n_groups = static_cast<std::int64_t>(sampling_.n_units[0]);
        if (sampling_.groups.size() != n_rows_ ||
            std::ranges::any_of(sampling_.groups, [&](auto group) { return group < 0 || group >= n_groups; }))
            throw std::invalid_argument("groups must have one entry per row, below their number");
        return;
    }
    for (std::size_t label = 0; label < sampling_.n_units.size(); ++label) {
        if (first_unit(label) + n_own_units(label) > sampling_.n_units[label])
            throw std::invalid_argument("there must be as many units as rows");
    }
}

void Bags::add_up_classes() {
    const std::size_t n_classes = sampling_.n_units.size();
    std::vector<std::uint64_t> before(n_classes);
    for (std::size_t row = 0; row < sampling_.labels.size(); ++row) {
        if (row % rows_at_once == 0) class_counts_.insert(class_counts_.end(), before.begin(), before.end());
        if (sampling_.labels[row] >= n_classes)
            throw std::invalid_argument("labels must be below the number of classes");
        ++before[sampling_.labels[row]];
    }
    class_counts_.insert(class_counts_.end(), before.begin(), before.end());
}

std::uint64_t Bags::first_unit(std::size_t label) const { return sampling_.first_units[label]; }

std::uint64_t Bags::n_own_units(std::size_t label) const {
    return sampling_.labels.empty() ? n_rows_ : class_counts_[class_counts_.size() - sampling_.n_units.size() + label];
}

// Each tree and class has a stream of its own, so that bags do not depend on the order in which they are drawn.
std::uint64_t Bags::stream(std::size_t tree, std::size_t label) const {
    return CounterRandom(CounterRandom(sampling_.seed, tree).bits(), label).bits();
}

void Bags::count(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const {
    if (counts.empty()) return;  // a part without rows has no block of units to draw from
    if (!drawn_.empty())
        std::copy_n(drawn_.data() + tree * n_rows_ + first, counts.size(), counts.data());
    else if (sampling_.kind == BagKind::once)
        std::ranges::fill(counts, std::uint16_t{1});
    else if (!sampling_.groups.empty())
        count_by_group(tree, first, counts);
    else if (!sampling_.labels.empty())
        count_by_class(tree, first, counts);
    else if (sampling_.kind == BagKind::subsample)
        subsample(tree, first_unit(0) + first, counts);
    else
        count_units(tree, 0, first_unit(0) + first, counts);
}

std::vector<std::uint16_t> Bags::of(std::size_t tree) const {
    std::vector<std::uint16_t> counts(n_rows_);
    count(tree, 0, counts);
    return counts;
}

void Bags::count_units(std::size_t tree, std::size_t label, std::uint64_t first,
                       std::span<std::uint16_t> counts) const {
    const Multinomial units(stream(tree, label), sampling_.n_units[label]);
    units.count(block_draws(tree, label), first_unit(label) / Multinomial::block_units, first, counts);
}

// The units of a class are its rows in order: how many of them come before a row is known for every block of rows, and
// counted from there.
void Bags::count_by_class(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const {
    const std::size_t n_classes = sampling_.n_units.size(), known = first / rows_at_once;
    const auto labels = sampling_.labels.subspan(first, counts.size());
    std::vector<std::uint64_t> unit(class_counts_.begin() + static_cast<std::ptrdiff_t>(known * n_classes),
                                    class_counts_.begin() + static_cast<std::ptrdiff_t>((known + 1) * n_classes));
    for (std::size_t row = known * rows_at_once; row < first; ++row) ++unit[sampling_.labels[row]];
    std::vector<std::size_t> begin(n_classes + 1);
    for (const std::uint16_t label : labels) ++begin[label + std::size_t{1}];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint16_t> drawn(counts.size());
    for (std::size_t label = 0; label < n_classes; ++label) {
        const auto own = std::span(drawn).subspan(begin[label], begin[label + 1] - begin[label]);
        if (!own.empty()) count_units(tree, label, first_unit(label) + unit[label], own);
    }
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = drawn[begin[labels[i]]++];
}

void Bags::count_by_group(std::size_t tree, std::size_t first, std::span<std::uint16_t> counts) const {
    const auto groups = sampling_.groups.subspan(first, counts.size());
    const bool is_whole = counts.size() == n_rows_;  // and not read block by block: nothing is kept
    const auto own = is_whole ? draw_groups(tree) : std::vector<std::uint16_t>{};
    const auto drawn = is_whole ? std::span<const std::uint16_t>(own) : group_counts(tree);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = drawn[static_cast<std::size_t>(groups[i])];
}

// A row is drawn if a permutation of all rows puts it among the first: no other row has to be looked at.
void Bags::subsample(std::size_t tree, std::uint64_t first, std::span<std::uint16_t> counts) const {
    const KeyedPermutation permutation(stream(tree, 0), sampling_.n_units[0]);
    std::array<std::uint32_t, rows_at_once> values;
    for (std::size_t begin = 0; begin < counts.size(); begin += values.size()) {
        const auto some = std::span(values).first(std::min(values.size(), counts.size() - begin));
        std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(first + begin));
        permutation.map(some, some);
        for (std::size_t i = 0; i < some.size(); ++i) counts[begin + i] = some[i] < sampling_.n_drawn;
    }
}

std::span<const std::uint64_t> Bags::block_draws(std::size_t tree, std::size_t label) const {
    return once_computed(block_draws_, {tree, label}, guard_, [&] {
        const Multinomial units(stream(tree, label), sampling_.n_units[label]);
        return units.block_draws(first_unit(label), first_unit(label) + n_own_units(label));
    });
}

std::vector<std::uint16_t> Bags::draw_groups(std::size_t tree) const {
    std::vector<std::uint16_t> counts(sampling_.n_units[0]);
    if (sampling_.kind == BagKind::subsample) {
        subsample(tree, 0, counts);
    } else {
        const Multinomial units(stream(tree, 0), counts.size());
        units.count(units.block_draws(0, counts.size()), 0, 0, counts);
    }
    return counts;
}

std::span<const std::uint16_t> Bags::group_counts(std::size_t tree) const {
    return once_computed(group_counts_, tree, guard_, [&] { return draw_groups(tree); });
}

}  // namespace calibrant

#include "forest/group_counts.hpp"

#include <algorithm>

namespace calibrant {
namespace {

std::uint64_t key_of(std::size_t group, std::size_t leaf) { return (static_cast<std::uint64_t>(group) << 32) | leaf; }

struct CountedRow {
    std::uint64_t key;
    std::size_t own_class;
    double weight;
};

}  // namespace

GroupCounts::GroupCounts(const LeafPaths& paths, std::size_t tree, const BaggedRows& rows, const StopToken& stop)
    : n_classes_(rows.n_classes) {
    const std::vector<std::uint16_t> in_bag = rows.bags->of(tree);
    std::vector<CountedRow> entries;
    paths.each(tree, stop, [&](std::size_t row, std::size_t leaf, double share) {
        if (in_bag[row] != 0) return;
        entries.push_back(
            {key_of(rows.group(row), leaf), static_cast<std::size_t>(rows.classes[row]), rows.counted(row, 0, share)});
    });
    std::stable_sort(entries.begin(), entries.end(),
                     [](const CountedRow& a, const CountedRow& b) { return a.key < b.key; });
    for (const auto& [key, own_class, weight] : entries) {
        if (keys_.empty() || keys_.back() != key) {
            keys_.push_back(key);
            counts_.resize(counts_.size() + n_classes_);
        }
        counts_[counts_.size() - n_classes_ + own_class] += weight;
    }
}

std::span<const double> GroupCounts::at(std::size_t group, std::size_t leaf) const {
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key_of(group, leaf));
    return {counts_.data() + static_cast<std::size_t>(found - keys_.begin()) * n_classes_, n_classes_};
}

}  // namespace calibrant

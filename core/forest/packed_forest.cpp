#include "forest/packed_forest.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

namespace calibrant {
namespace {

constexpr std::size_t at_once = 16;  // trees descended together: while one waits for memory, the others continue
constexpr auto no_cut = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

}  // namespace

bool PackedForest::can_pack(std::span<const Member> members) {
    std::size_t n_nodes = 0;
    for (const Member& member : members) {
        n_nodes += member.tree->n_nodes() + 1;
        const auto& n_values = member.tree->n_values;
        if (std::any_of(n_values.begin(), n_values.end(), [](std::uint32_t n) { return n > 0; })) return false;
    }
    return n_nodes < std::numeric_limits<std::uint32_t>::max();
}

PackedForest::PackedForest(std::span<const Member> members, std::size_t n_columns, std::size_t width)
    : n_columns_(n_columns), width_(width) {
    if (members.empty() || n_columns == 0 || !can_pack(members))
        throw std::invalid_argument("a packed forest needs trees whose tests are all numeric");
    PredictionIndex seen;
    for (const Member& member : members) {
        if (member.table.size() != member.tree->n_nodes() * width)
            throw std::invalid_argument("each table must have one row per node");
        pack(member, seen);
    }
}

// Depth first, so that a small subtree lies in few cache lines.
void PackedForest::pack(const Member& member, PredictionIndex& seen) {
    const Tree& tree = *member.tree;
    struct Pending {
        std::size_t from;
        std::uint32_t number;
    };
    std::vector<Pending> pending{{0, static_cast<std::uint32_t>(2 * sides_.size())}};
    roots_.push_back(pending.front().number);
    sides_.emplace_back();  // no path leads to the node beside the root
    while (!pending.empty()) {
        const auto [from, number] = pending.back();
        pending.pop_back();
        Node& packed = sides_[number / 2].nodes[number % 2];
        if (tree.is_leaf(from)) {
            packed = leaf(number, member.table.subspan(from * width_, width_), seen);
            continue;
        }
        const auto column = static_cast<std::uint32_t>(tree.feature[from]),
                   next = static_cast<std::uint32_t>(2 * sides_.size());
        if (column >= n_columns_) throw std::invalid_argument("every test must be of a column that exists");
        packed = {std::bit_cast<std::uint64_t>(tree.threshold[from]), column, next};
        pending.push_back({tree.child(from, 1), next + 1});
        pending.push_back({tree.child(from, 0), next});
        sides_.emplace_back();
    }
}

// Equal predictions are stored once: most leaves share theirs with another, and the distinct ones stay in the cache.
PackedForest::Node PackedForest::leaf(std::uint32_t number, std::span<const double> prediction, PredictionIndex& seen) {
    const auto [entry, is_new] = seen.try_emplace(
        std::string(reinterpret_cast<const char*>(prediction.data()), prediction.size_bytes()), seen.size());
    if (is_new) predictions_.insert(predictions_.end(), prediction.begin(), prediction.end());
    return {no_cut | entry->second, 0, number - 1};
}

void PackedForest::mean(std::span<const double> row, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t first = 0; first < roots_.size(); first += at_once) {
        const std::size_t n = std::min(at_once, roots_.size() - first);
        std::array<std::uint32_t, at_once> at;
        at.fill(roots_[first]);
        std::copy_n(roots_.begin() + static_cast<std::ptrdiff_t>(first), n, at.begin());
        for (bool moved = true; moved;) {
            moved = false;
            for (std::uint32_t& number : at) {
                const Node& here = node(number);
                const std::uint32_t next = here.next + !(row[here.column] <= std::bit_cast<double>(here.cut));
                moved |= next != number;
                number = next;
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            const double* const prediction = predictions_.data() + static_cast<std::uint32_t>(node(at[i]).cut) * width_;
            for (std::size_t k = 0; k < width_; ++k) out[k] += prediction[k];
        }
    }
    for (double& value : out) value /= static_cast<double>(roots_.size());
}

}  // namespace calibrant

#include "tree/descent.hpp"

#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace calibrant {
namespace {

// Laying out a tree touches every node: not worth it for fewer rows, nor for a tree with more nodes per row than this.
constexpr std::size_t few_rows = 16;

// Keeps the first layout that fits the columns and the size of the tree.
template <class... AnyLanes, class Variant>
void lay_out(Variant& layout, const Tree& tree, const PredictRows& rows) {
    const auto keep = [&]<class Each>(std::type_identity<Each>) {
        auto columns = TypedColumns<typename Each::Value>::of(rows);
        auto lanes = columns ? Each::make(tree, rows.columns.size()) : std::nullopt;
        if (!lanes) return false;
        layout = LaneLayout<Each>{*std::move(lanes), *std::move(columns)};
        return true;
    };
    [[maybe_unused]] const bool is_laid_out = (keep(std::type_identity<AnyLanes>{}) || ...);
}

}  // namespace

TreeWalk::TreeWalk(const Tree& tree, const PredictRows& rows) : tree_(tree), rows_(rows) {
    if (tree.n_nodes() == 0) throw std::invalid_argument("the tree has no nodes");
    if (rows.n_rows < few_rows || rows.n_rows < tree.n_nodes() / few_rows) return;
    lay_out<Lanes<float>, Lanes<float, std::uint64_t>, Lanes<double>, Lanes<std::uint8_t, std::uint32_t>,
            Lanes<std::uint8_t, std::uint64_t>, Lanes<std::uint32_t>, Lanes<std::uint32_t, std::uint64_t>>(layout_,
                                                                                                           tree, rows);
}

}  // namespace calibrant

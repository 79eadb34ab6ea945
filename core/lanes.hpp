// Many rows of numbers down a tree of two-way numeric tests: eight at a time, so that one waits for memory while others walk.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "predict.hpp"
#include "tree.hpp"

namespace calibrant {

template <class T>
class Lanes {
public:
    static constexpr std::size_t width = 8;
    static constexpr std::uint32_t unsure = 0xffffffff;

    // Nothing where the columns are not all of type T or a test is nominal.
    static std::optional<Lanes> make(const Tree& tree, const PredictRows& rows) {
        Lanes lanes;
        for (const PredictColumn& column : rows.columns) {
            const auto* view = std::get_if<StridedView<T>>(&column);
            if (view == nullptr) return {};
            lanes.columns_.push_back(*view);
        }
        lanes.find_grid();
        lanes.steps_.reserve(tree.n_nodes());
        for (std::size_t node = 0; node < tree.n_nodes(); ++node) {
            const auto self = static_cast<std::uint32_t>(node);
            if (tree.is_leaf(node)) {
                lanes.steps_.push_back({T{0}, 0, {self, self}});
                continue;
            }
            if (tree.n_values[node] > 0) return {};
            lanes.steps_.push_back({threshold_of(tree, node), static_cast<std::uint32_t>(tree.feature[node]),
                                    {static_cast<std::uint32_t>(tree.child(node, 0)), static_cast<std::uint32_t>(tree.child(node, 1))}});
        }
        return lanes;
    }

    // The leaves of rows [begin, begin + n), n <= width; `unsure` for a row that may have met an unknown value.
    std::array<std::uint32_t, width> leaves(std::size_t begin, std::size_t n) const {
        if (is_grid_ && n == width) {
            const T* const first = columns_.front().data + static_cast<std::ptrdiff_t>(begin) * row_step_;
            const std::ptrdiff_t row_step = row_step_, column_step = column_step_;
            return walk(width, [=](std::size_t lane, std::uint32_t feature) {
                return first[static_cast<std::ptrdiff_t>(lane) * row_step + static_cast<std::ptrdiff_t>(feature) * column_step];
            });
        }
        return walk(n, [=, this](std::size_t lane, std::uint32_t feature) { return columns_[feature][begin + lane]; });
    }

private:
    // A leaf leads to itself, whatever it asks.
    struct Step {
        T threshold;
        std::uint32_t feature;
        std::uint32_t child[2];
    };

    // For numbers the greatest T that is no greater, since values of type T fall on the same side of it; for codes the cut's own.
    static T threshold_of(const Tree& tree, std::size_t node) {
        if constexpr (std::is_floating_point_v<T>) {
            const T rounded = static_cast<T>(tree.threshold[node]);
            const bool is_above = static_cast<double>(rounded) > tree.threshold[node];
            return is_above ? std::nextafter(rounded, -std::numeric_limits<T>::infinity()) : rounded;
        } else {
            return static_cast<T>(tree.cut_code[node]);
        }
    }
    static bool is_unknown(T value) {
        if constexpr (std::is_floating_point_v<T>) return value != value;
        else return value == missing_code<T>;
    }

    // Columns of one matrix are found by adding, which is faster than looking each up.
    void find_grid() {
        if (columns_.empty()) return;
        row_step_ = columns_.front().stride;
        const auto place = [&](std::size_t j) { return reinterpret_cast<std::intptr_t>(columns_[j].data); };
        const std::intptr_t step = columns_.size() > 1 ? place(1) - place(0) : 0;
        column_step_ = step / static_cast<std::intptr_t>(sizeof(T));
        is_grid_ = step % static_cast<std::intptr_t>(sizeof(T)) == 0;
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            is_grid_ = is_grid_ && place(j) == place(0) + static_cast<std::intptr_t>(j) * step && columns_[j].stride == row_step_;
        }
    }

    template <class ValueOf>
    std::array<std::uint32_t, width> walk(std::size_t n, const ValueOf& value_of) const {
        const Step* const steps = steps_.data();
        std::array<std::uint32_t, width> at{};
        std::array<bool, width> is_unsure{};
        std::uint32_t moved = 1;
        while (moved != 0) {
            moved = 0;
            for (std::size_t lane = 0; lane < n; ++lane) {
                const Step& step = steps[at[lane]];
                const T value = value_of(lane, step.feature);
                const std::uint32_t next = step.child[!(value <= step.threshold)];
                is_unsure[lane] |= is_unknown(value);
                moved |= next ^ at[lane];
                at[lane] = next;
            }
        }
        for (std::size_t lane = 0; lane < n; ++lane) {
            if (is_unsure[lane]) at[lane] = unsure;
        }
        return at;
    }

    std::vector<Step> steps_;
    std::vector<StridedView<T>> columns_;
    bool is_grid_ = false;
    std::ptrdiff_t row_step_ = 0, column_step_ = 0;
};

}  // namespace calibrant

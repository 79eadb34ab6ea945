// Small tables for tests: columns written down or drawn, coded as the core takes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "parallel.hpp"
#include "table/coded_table.hpp"
#include "tree/grow/grower.hpp"

namespace tables {

using namespace calibrant;

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

inline ThreadTeam alone(1);  // the calling thread

inline bool near(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

// Rows, their classes, weights and cases; columns are added one by one.
struct Problem {
    std::vector<std::uint16_t> labels;
    std::size_t n_classes = 2;
    std::vector<double> weights{};
    std::vector<CodedColumn> columns{};
    std::vector<double> cases{};

    void add(const std::vector<double>& column) {
        Scratch scratch;
        columns.push_back(code_numeric<double>({column.data(), column.size(), 1}, scratch, {}));
    }
    void add(const std::vector<std::int32_t>& column, std::size_t n_categories) {
        columns.push_back(code_nominal({column.data(), column.size(), 1}, n_categories, {}));
    }
    Tree grow(GrowOptions options = {}) const {
        const CodedTable table(labels.size(), columns);
        options.n_declared_classes = n_classes;
        return calibrant::grow({&table, labels, weights, n_classes, cases}, options, {});
    }
};

// Quinlan's golf: outlook (sunny, overcast, rain), temperature, humidity, windy (true, false); class 0 plays.
struct Golf {
    std::vector<std::int32_t> outlook{0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2};
    std::vector<double> temperature{85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71};
    std::vector<double> humidity{85, 90, 78, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 80};
    std::vector<std::int32_t> windy{1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0};
    std::vector<std::uint16_t> labels{1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1};

    Problem problem() const {
        Problem result{labels};
        result.add(outlook, 3);
        result.add(temperature);
        result.add(humidity);
        result.add(windy, 2);
        return result;
    }
};

inline bool same(const Tree& a, const Tree& b) {
    return a.feature == b.feature && a.threshold == b.threshold && a.counts == b.counts && a.weight == b.weight &&
           a.label == b.label && a.parent == b.parent && a.children == b.children &&
           a.branch_of_value == b.branch_of_value && a.missing_branch == b.missing_branch;
}

}  // namespace tables

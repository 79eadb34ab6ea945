// The tolerances of C4.5 and of J48 while growing, and the keys and cut rules that follow from the options.
#pragma once

#include <bit>
#include <limits>

#include "tree/grow/grower.hpp"
#include "tree/grow/split_search.hpp"

namespace calibrant {

inline constexpr double closest_values = 1e-5;  // C4.5 and J48 do not cut between closer ones

struct Tolerances {
    explicit Tolerances(Dialect dialect)
        : attribute(dialect == Dialect::c45 ? 1e-7 : 1e-6),
          label(dialect == Dialect::c45 ? 1e-9 : 1e-6),
          cuts(dialect == Dialect::c45
                   ? CutRules{.usable_gain = 1e-12}
                   : CutRules{.tolerance = 1e-6, .least_gain = 0, .usable_gain = 1e-6, .count_cases = true}) {}
    double attribute;  // a later attribute must score more than this to win
    double label;      // and a later class have more weight than this
    CutRules cuts;
};

inline Keys keys_of(const Examples& examples) { return {static_cast<int>(std::bit_width(examples.n_classes - 1))}; }

inline CutRules cut_rules(const GrowOptions& options, CutRules rules) {
    rules.penalty = options.penalty;
    if (is_bayesian(options.criterion)) {
        rules.penalty = false;
        rules.averages = true;
        rules.least_gain = rules.usable_gain = -std::numeric_limits<double>::infinity();
    }
    return rules;
}

}  // namespace calibrant

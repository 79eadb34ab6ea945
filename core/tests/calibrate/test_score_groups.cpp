// Rows that share a score are pooled, whatever their class, and come out in order.
#include "calibrate/score_groups.hpp"

#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace {

const std::vector<double> scores{2, -1, 2, 0.0, -0.0, 2}, weights{1, 2, 0.5, 1, 1, 3};
const bool positive[] = {true, false, false, true, false, true};

}  // namespace

TEST(equal_scores_make_one_group) {
    const auto groups = pool_ties({scores, positive, {}}, 1, {});
    CHECK(groups.size() == 3 && groups[0].score == -1 && groups[1].score == 0 && groups[2].score == 2);
    CHECK(groups[0].weight == 1 && groups[1].weight == 2 && groups[2].weight == 3);
    CHECK(groups[0].positive == 0 && groups[1].positive == 1 && groups[2].positive == 2);
}

TEST(weights_are_added_up) {
    const auto groups = pool_ties({scores, positive, weights}, 2, {});
    CHECK(groups.size() == 3 && groups[2].weight == 4.5 && groups[2].positive == 4);
}

TEST(one_class_alone_has_groups_too) {
    const bool none[] = {false, false, false, false, false, false};
    const auto groups = pool_ties({scores, none, {}}, 1, {});
    CHECK(groups.size() == 3 && groups[2].weight == 3 && groups[2].positive == 0);
}

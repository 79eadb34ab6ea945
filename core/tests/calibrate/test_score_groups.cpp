// Scores sort as keys with their weights; rows that share a score are pooled, whatever their class, and come out in
// order.
#include "calibrate/score_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_score_groups {
namespace {

std::vector<double> sorted_by_key(const std::vector<double>& scores) {
    std::vector<PlainKey> items, spare(scores.size());
    for (const double score : scores) items.push_back({key_of(score)});
    sort_scores(std::span(items), std::span(spare));
    std::vector<double> out;
    for (const PlainKey& item : items) out.push_back(number_of(item.key));
    return out;
}

void check_sorted(std::vector<double> scores) {
    const std::vector<double> ours = sorted_by_key(scores);
    std::sort(scores.begin(), scores.end());
    CHECK(ours == scores);
}

const std::vector<double> scores{2, -1, 2, 0.0, -0.0, 2}, weights{1, 2, 0.5, 1, 1, 3};
const bool positive[] = {true, false, false, true, false, true};

}  // namespace

TEST(a_key_leads_back_to_its_score_and_the_zeros_are_one) {
    for (const double score : {-1e308, -2.5, -5e-324, 0.0, 5e-324, 1.0, 1e308})
        CHECK(number_of(key_of(score)) == score);
    CHECK(key_of(-0.0) == key_of(0.0));
    CHECK(key_of(-1.0) < key_of(-0.5) && key_of(-0.5) < key_of(0.0) && key_of(0.0) < key_of(5e-324));
}

TEST(scores_of_any_kind_are_sorted) {
    std::mt19937_64 random(1);
    for (const int n : {1, 2, 255, 256, 5000, 100000}) {
        std::vector<double> normal, uniform, wide, rounded, crowded;
        for (int i = 0; i < n; ++i) {
            normal.push_back(std::normal_distribution<>(0, 2)(random));
            uniform.push_back(std::uniform_real_distribution<>()(random));
            wide.push_back(std::ldexp(normal.back(), static_cast<int>(random() % 2000) - 1000));
            rounded.push_back(std::round(normal.back()));
            crowded.push_back(i == 0 ? 1e300 : 1 + std::ldexp(static_cast<double>(random() % 4096), -52));
        }
        for (const auto* scores : {&normal, &uniform, &wide, &rounded, &crowded}) check_sorted(*scores);
    }
}

TEST(weights_stay_with_their_scores) {
    std::vector<WeightedKey> items, spare(3000);
    for (int i = 0; i < 3000; ++i)
        items.push_back({key_of((i * 7919) % 3001 - 1500), static_cast<double>((i * 7919) % 3001)});
    sort_scores(std::span(items), std::span(spare));
    for (const WeightedKey& item : items) CHECK(item.weight() == number_of(item.key) + 1500);
}

TEST(large_and_small_buffers_hold_what_is_written) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{1} << 19, (std::size_t{1} << 18) + 1}) {
        Buffer<std::uint64_t> buffer(size);
        const auto all = buffer.slice(0, size);
        for (std::size_t i = 0; i < size; ++i) all[i] = i;
        CHECK(buffer.size() == size &&
              std::accumulate(all.begin(), all.end(), std::uint64_t{0}) == (size == 0 ? 0 : size * (size - 1) / 2));
    }
}

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

}  // namespace test_score_groups

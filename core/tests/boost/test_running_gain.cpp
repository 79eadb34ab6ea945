// A gain kept up to date row by row equals the gain computed from the class weights.
#include "boost/running_gain.hpp"

#include <random>
#include <vector>

#include "harness.hpp"
#include "tables.hpp"

using namespace calibrant;
using tables::near;

namespace {

template <Criterion C>
void check_against_the_whole(std::size_t n_classes) {
    std::mt19937 random(static_cast<std::uint32_t>(n_classes));
    std::uniform_real_distribution<double> weight(0, 2);
    std::vector<std::pair<std::size_t, double>> rows(5000);
    std::vector<double> known(n_classes);
    for (auto& row : rows) {
        row = {random() % n_classes, weight(random)};
        known[row.first] += row.second;
    }
    double whole = 0;
    for (const double n : known) whole += n;
    const XLogX xlogx(0);
    RunningGain<C> running({known, whole}, xlogx);
    C criterion({known, whole}, xlogx);
    for (const auto& [label, moved] : rows) {
        running.move(label, moved);
        std::vector<double> right(n_classes);
        for (std::size_t k = 0; k < n_classes; ++k) right[k] = left_over(known[k], running.left()[k]);
        criterion.start();
        criterion.add(running.left(), running.low());
        criterion.add(right, left_over(whole, running.low()));
        CHECK(near(running.quick(), criterion.gain(), 1e-8));
    }
}

}  // namespace

TEST(every_cut_gains_what_it_gains_computed_alone) {
    for (const std::size_t n_classes : {std::size_t{2}, std::size_t{3}, std::size_t{9}}) {
        check_against_the_whole<Entropy>(n_classes);
        check_against_the_whole<Gini>(n_classes);
        check_against_the_whole<Dkm>(n_classes);
    }
}

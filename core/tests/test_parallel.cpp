#include "parallel.hpp"

#include <vector>

#include "harness.hpp"

using namespace calibrant;

namespace test_parallel {

TEST(every_task_runs_once_for_any_number_of_threads) {
    for (const std::size_t n_threads :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{200}}) {
        std::vector<int> seen(100, 0);
        parallel_for(seen.size(), n_threads, {}, [&](std::size_t task, std::size_t) { ++seen[task]; });
        for (const int count : seen) CHECK(count == 1);
    }
}

TEST(a_team_runs_every_task_of_one_call_after_another) {
    ThreadTeam team(3);
    for (std::size_t call = 0; call < 500; ++call) {
        std::vector<int> seen(call % 7, 0);
        team.parallel_for(seen.size(), {}, [&](std::size_t task, std::size_t worker) {
            CHECK(worker < team.size());
            ++seen[task];
        });
        for (const int count : seen) CHECK(count == 1);
    }
}

TEST(a_team_works_on_after_a_failure) {
    ThreadTeam team(2);
    const auto fail = [](std::size_t, std::size_t) { throw std::invalid_argument("all"); };
    CHECK_THROWS(team.parallel_for(9, {}, fail), std::invalid_argument);
    std::vector<int> seen(9, 0);
    team.parallel_for(seen.size(), {}, [&](std::size_t task, std::size_t) { ++seen[task]; });
    for (const int count : seen) CHECK(count == 1);
}

TEST(no_tasks_is_no_work) {
    parallel_for(0, 4, {}, [](std::size_t, std::size_t) { CHECK(false); });
}

TEST(workers_are_numbered_below_the_number_of_threads) {
    parallel_for(50, 3, {}, [](std::size_t, std::size_t worker) { CHECK(worker < 3); });
}

TEST(a_failure_is_rethrown) {
    auto work = [](std::size_t task, std::size_t) {
        if (task == 3) throw std::invalid_argument("task 3");
    };
    CHECK_THROWS(parallel_for(10, 1, {}, work), std::invalid_argument);
    CHECK_THROWS(parallel_for(10, 4, {}, work), std::invalid_argument);
}

TEST(a_stop_request_interrupts) {
    StopSource stop;
    stop.request_stop();
    CHECK_THROWS(parallel_for(10, 2, stop.token(), [](std::size_t, std::size_t) {}), Interrupted);
    CHECK_THROWS(in_pieces(10, stop.token(), [](std::size_t, std::size_t) {}), Interrupted);
}

TEST(pieces_cover_the_range_without_overlap) {
    const std::size_t count = 2 * rows_between_checks + 5;
    std::size_t reached = 0;
    in_pieces(count, {}, [&](std::size_t begin, std::size_t end) {
        CHECK(begin == reached);
        reached = end;
    });
    CHECK(reached == count);
}

}  // namespace test_parallel

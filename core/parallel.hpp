// Work shared among threads: tasks taken in order, the first failure rethrown, a stop requested from outside.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "stop.hpp"

namespace calibrant {

// Thrown by work that was stopped before it was done.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

inline void check_stop(const StopToken& stop) {
    if (stop.stop_requested()) throw Interrupted{};
}

// Rows handled between two checks of the stop token: about a millisecond of work.
inline constexpr std::size_t rows_between_checks = std::size_t{1} << 20;

// Calls body(begin, end) over [0, count) in pieces, checking the stop token before each.
template <class Body>
void in_pieces(std::size_t count, const StopToken& stop, Body&& body) {
    for (std::size_t begin = 0; begin < count; begin += rows_between_checks) {
        check_stop(stop);
        body(begin, std::min(count, begin + rows_between_checks));
    }
}

// Calls body(task, worker) for every task in [0, n_tasks), each once. A worker is one thread, numbered from 0, so that
// it can own scratch memory. What the tasks compute must not depend on the worker: then any n_threads gives the same.
// After a failure no new task is begun, and the failure of the lowest task that failed is rethrown.
template <class Body>
void parallel_for(std::size_t n_tasks, std::size_t n_threads, const StopToken& stop, Body&& body) {
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex guard;
    std::exception_ptr error;
    std::size_t error_task = n_tasks;

    auto work = [&](std::size_t worker) {
        for (std::size_t task = next++; task < n_tasks && !failed; task = next++) {
            try {
                check_stop(stop);
                body(task, worker);
            } catch (...) {
                const std::scoped_lock lock(guard);
                failed = true;
                if (task < error_task) {
                    error_task = task;
                    error = std::current_exception();
                }
            }
        }
    };

    const std::size_t n_workers = std::max<std::size_t>(1, std::min(n_threads, n_tasks));
    {
        std::vector<JoiningThread> threads;
        threads.reserve(n_workers - 1);
        try {
            for (std::size_t worker = 1; worker < n_workers; ++worker) threads.emplace_back(work, worker);
        } catch (const std::system_error&) {
            // no more threads are available: those already started do all the work
        }
        work(0);
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace calibrant

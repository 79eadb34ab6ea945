// Work shared among threads: tasks taken in order, the first failure rethrown, a stop requested from outside.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>
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

// Threads that share the tasks of one call after another. They are started when a call first needs them and wait
// between calls, because starting threads takes longer than many a call. A team makes one call at a time.
class ThreadTeam {
  public:
    explicit ThreadTeam(std::size_t n_threads) : n_threads_(std::max<std::size_t>(1, n_threads)) {}
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;
    ~ThreadTeam();

    std::size_t size() const { return n_threads_; }

    // Calls body(task, worker) for every task in [0, n_tasks), each once. A worker is one thread, numbered from 0, so
    // that it can own scratch memory. What the tasks compute must not depend on the worker: then any number of threads
    // gives the same. After a failure no new task is begun, and the failure of the lowest task that failed is rethrown.
    template <class Body>
    void parallel_for(std::size_t n_tasks, const StopToken& stop, Body&& body);

  private:
    using Work = std::function<void(std::size_t)>;  // of a worker

    void call(std::size_t n_workers, const Work& work);
    void start(std::size_t n_workers);
    void help(std::size_t worker);

    const std::size_t n_threads_;
    std::mutex guard_;
    std::condition_variable called_, done_;
    const Work* work_ = nullptr;  // of the call that others may still join
    std::size_t n_calls_ = 0, n_workers_ = 0, n_helping_ = 0;
    bool is_over_ = false;
    std::vector<JoiningThread> threads_;  // last, so that they are joined before the rest goes
};

template <class Body>
void ThreadTeam::parallel_for(std::size_t n_tasks, const StopToken& stop, Body&& body) {
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
    if (const std::size_t n_workers = std::min(n_threads_, n_tasks); n_workers > 1)
        call(n_workers, std::ref(work));
    else
        work(0);
    if (error) std::rethrow_exception(error);
}

// The same with threads of its own.
template <class Body>
void parallel_for(std::size_t n_tasks, std::size_t n_threads, const StopToken& stop, Body&& body) {
    ThreadTeam(n_threads).parallel_for(n_tasks, stop, std::forward<Body>(body));
}

}  // namespace calibrant

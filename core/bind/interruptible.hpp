// Long work of the core called from Python: the GIL released, Ctrl-C heard.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <stop_token>
#include <utility>

namespace calibrant {

// What else may stop the work that this thread of Python asks for: Python tells its main thread alone of Ctrl-C.
inline thread_local std::stop_token heeded_stop;

// Runs work(stop_token) on a thread of its own with the GIL released, and lets Ctrl-C stop it.
template <class Work>
auto run_interruptibly(Work&& work) {
    std::stop_source stop;
    const std::stop_callback heeds(heeded_stop, [&stop] { stop.request_stop(); });
    auto result = std::async(std::launch::async, [&] { return work(stop.get_token()); });
    const nanobind::gil_scoped_release released;
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
        const nanobind::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() == 0) continue;
        stop.request_stop();
        {
            const nanobind::gil_scoped_release waiting;
            result.wait();
        }
        throw nanobind::python_error();
    }
    return result.get();
}

// So few rows are done before anyone could ask to stop: a thread of their own would take longer than the work.
inline constexpr std::size_t few_rows = std::size_t{1} << 15;

// The same for work on so many rows, where it stands if they are few.
template <class Work>
auto run_interruptibly(std::size_t n_rows, Work&& work) {
    if (n_rows > few_rows) return run_interruptibly(std::forward<Work>(work));
    const nanobind::gil_scoped_release released;
    return work(heeded_stop);
}

}  // namespace calibrant

// Long work of the core called from Python: the GIL released, Ctrl-C heard.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <utility>

#include "stop.hpp"

namespace calibrant {

// What else may stop the work that this thread of Python asks for: Python tells its main thread alone of Ctrl-C.
inline thread_local StopToken heeded_stop;

// Runs work(StopToken) on a thread of its own with the GIL released, and lets Ctrl-C stop it.
template <class Work>
auto run_interruptibly(Work&& work) {
    StopSource stop(heeded_stop);
    auto result = std::async(std::launch::async, [&] { return work(stop.token()); });
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

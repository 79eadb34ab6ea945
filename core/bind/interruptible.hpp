// Long work of the core called from Python: the GIL released, Ctrl-C heard.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <utility>

#include "stop.hpp"

namespace calibrant {

// Another stop for work started by this Python thread: Python delivers Ctrl-C to its main thread only.
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

// Work on so few rows is done before anyone could stop it: starting a thread would take longer than the work.
inline constexpr std::size_t few_rows = std::size_t{1} << 15;

// The same for work on n_rows rows, on the calling thread if they are few.
template <class Work>
auto run_interruptibly(std::size_t n_rows, Work&& work) {
    if (n_rows > few_rows) return run_interruptibly(std::forward<Work>(work));
    const nanobind::gil_scoped_release released;
    return work(heeded_stop);
}

}  // namespace calibrant

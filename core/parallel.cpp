#include "parallel.hpp"

#include <system_error>

namespace calibrant {

ThreadTeam::~ThreadTeam() {
    {
        const std::scoped_lock lock(guard_);
        is_over_ = true;
    }
    called_.notify_all();
}

// Shares the work with those of the team that come before the calling thread is done with it.
void ThreadTeam::call(std::size_t n_workers, const Work& work) {
    {
        const std::scoped_lock lock(guard_);
        work_ = &work;
        n_workers_ = n_workers;
        ++n_calls_;
    }
    called_.notify_all();
    start(n_workers);
    work(0);
    std::unique_lock lock(guard_);
    work_ = nullptr;
    done_.wait(lock, [&] { return n_helping_ == 0; });
}

void ThreadTeam::start(std::size_t n_workers) {
    try {
        for (std::size_t worker = threads_.size() + 1; worker < n_workers; ++worker)
            threads_.emplace_back([this, worker] { help(worker); });
    } catch (const std::system_error&) {
        // no more threads are available: those already started do all the work
    }
}

void ThreadTeam::help(std::size_t worker) {
    std::size_t last_call = 0;
    std::unique_lock lock(guard_);
    for (;;) {
        called_.wait(lock,
                     [&] { return is_over_ || (work_ != nullptr && worker < n_workers_ && last_call != n_calls_); });
        if (is_over_) return;
        last_call = n_calls_;
        ++n_helping_;
        const Work& work = *work_;
        lock.unlock();
        work(worker);
        lock.lock();
        if (--n_helping_ == 0) done_.notify_one();
    }
}

}  // namespace calibrant

// A request to stop work on other threads, and threads that join, in place of std::stop_token and std::jthread, which
// Apple's libc++ lacks.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

namespace calibrant {

class StopToken;

// Requests that the work that holds its tokens stop.
class StopSource {
  public:
    StopSource() : state_(std::make_shared<State>()) {}
    // Stopped by its own request and by the source of `parent`.
    explicit StopSource(const StopToken& parent);

    void request_stop() { state_->requested.store(true, std::memory_order_release); }
    StopToken token() const;

  private:
    friend class StopToken;
    struct State {
        std::atomic<bool> requested{false};
        std::shared_ptr<const State> parent;
    };
    std::shared_ptr<State> state_;
};

// Returns whether a stop was requested; a default-constructed token is never stopped.
class StopToken {
  public:
    StopToken() = default;

    bool stop_requested() const {
        for (const StopSource::State* state = state_.get(); state; state = state->parent.get()) {
            if (state->requested.load(std::memory_order_acquire)) return true;
        }
        return false;
    }

  private:
    friend class StopSource;
    explicit StopToken(std::shared_ptr<const StopSource::State> state) : state_(std::move(state)) {}
    std::shared_ptr<const StopSource::State> state_;
};

inline StopSource::StopSource(const StopToken& parent) : StopSource() { state_->parent = parent.state_; }

inline StopToken StopSource::token() const { return StopToken(state_); }

// A thread that is joined when it goes out of scope.
class JoiningThread {
  public:
    template <class Work, class... Arguments>
    explicit JoiningThread(Work&& work, Arguments&&... arguments)
        : thread_(std::forward<Work>(work), std::forward<Arguments>(arguments)...) {}
    JoiningThread(JoiningThread&&) noexcept = default;
    JoiningThread& operator=(JoiningThread&&) = delete;
    ~JoiningThread() {
        if (thread_.joinable()) thread_.join();
    }

  private:
    std::thread thread_;
};

}  // namespace calibrant

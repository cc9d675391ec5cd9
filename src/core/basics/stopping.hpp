// Long work that can be stopped.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>

namespace poolwise {

// Whoever embeds the core sets this: it throws if the user wants to stop. It is called on threads that called the core,
// never on those that the core starts.
inline void (*ask_whether_to_stop)() = nullptr;

// Thrown in threads whose fellows have failed; the failure itself is what the caller sees.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

// One thread's view of whether to go on. Calling it is cheap enough for every few microseconds; it throws.
class Stopper {
   public:
    Stopper() = default;  // of a thread that called the core
    explicit Stopper(const std::atomic<bool>& fellows_failed) : fellows_failed_(&fellows_failed) {}

    void operator()() {
        if (fellows_failed_ != nullptr) {
            if (fellows_failed_->load(std::memory_order_relaxed)) throw Stopped();
        } else if (ask_whether_to_stop != nullptr) {
            const auto now = std::chrono::steady_clock::now();
            if (now - asked_ < std::chrono::milliseconds(50)) return;
            asked_ = now;
            ask_whether_to_stop();
        }
    }

   private:
    const std::atomic<bool>* fellows_failed_ = nullptr;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

}  // namespace poolwise

// Independent units of work over threads, and long work that can be stopped. Results must not depend on which thread
// does what.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

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

// What the threads of one call share: the next unit, and the first failure.
template <class MakeWorker>
class Together {
   public:
    Together(std::size_t count, MakeWorker& make_worker) : count_(count), make_worker_(make_worker) {}

    void work(Stopper stop) {
        try {
            auto worker = make_worker_(stop);
            for (std::size_t index; (index = next_.fetch_add(1)) < count_;) {
                stop();
                worker(index);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> guard(lock_);
            if (!failure_) failure_ = std::current_exception();
            next_ = count_;
            failed_ = true;
        }
    }

    // As many threads as can be started, up to `most`: a limit on threads or memory leaves fewer, not none.
    void start(std::size_t most) {
        if (most == 0) return;
        // Stacks must not take the last of what memory is allowed: the work needs some too, and begins with the last
        // thread, when the spare memory is free again.
        const std::lock_guard<std::mutex> waiting(lock_);
        const std::unique_ptr<char[]> spare(new (std::nothrow) char[spare_bytes]);
        if (spare == nullptr) return;
        try {
            others_.reserve(most);
            for (std::size_t i = 0; i < most; ++i) others_.emplace_back([this] { work_when_all_are_there(); });
        } catch (const std::exception&) {  // std::system_error, std::bad_alloc
            return;                        // with the threads there are
        }
    }

    void finish() {
        for (std::thread& thread : others_) thread.join();
        if (failure_) std::rethrow_exception(failure_);
    }

   private:
    void work_when_all_are_there() {
        {
            const std::lock_guard<std::mutex> guard(lock_);
        }
        work(Stopper(failed_));
    }

    static constexpr std::size_t spare_bytes = 32 << 20;  // set aside while threads start, free again when they work

    const std::size_t count_;
    MakeWorker& make_worker_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex lock_;
    std::exception_ptr failure_;
    std::vector<std::thread> others_;
};

// Calls make_worker(stop) once per thread and the worker it returns with every index below `count`, each once. Workers
// with long units call stop() now and then.
template <class MakeWorker>
void for_each(std::size_t count, std::size_t threads, MakeWorker make_worker) {
    Together<MakeWorker> together(count, make_worker);
    together.start(std::max<std::size_t>(1, std::min(threads, count)) - 1);
    together.work(Stopper());
    together.finish();
}

}  // namespace poolwise

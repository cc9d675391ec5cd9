// Independent units of work over threads. Results must not depend on which thread does what.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace poolwise {

// Calls make_worker() once per thread and the worker it returns with every index below `count`, each once.
template <class MakeWorker>
void for_each(std::size_t count, std::size_t threads, MakeWorker make_worker) {
    threads = std::max<std::size_t>(1, std::min(threads, count));
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    const auto work = [&] {
        try {
            auto worker = make_worker();
            for (std::size_t index; (index = next.fetch_add(1)) < count;) worker(index);
        } catch (...) {
            const std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace poolwise

// Threads that live only inside one call: no pool survives it, so forking is always safe.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace treewright {

/// Run work(item, thread) for every item below n on up to `threads` threads; items are taken in order.
/// The first exception of any thread is thrown again here, after all have stopped. Where the system gives no more threads
/// there are fewer.
template <class Work>
void parallel_for(size_t n, int threads, Work&& work) {
    const size_t workers = std::min(n, static_cast<size_t>(std::max(threads, 1)));
    if (workers <= 1) {
        for (size_t item = 0; item < n; ++item) work(item, 0);
        return;
    }
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    auto run = [&](int thread) {
        (void)std::current_exception();  // the thread's own memory for exceptions is had now, or not when all is used up
        try {
            for (size_t item; (item = next.fetch_add(1)) < n;) work(item, thread);
        } catch (...) {
            std::lock_guard lock(guard);
            if (!failure) failure = std::current_exception();
            next.store(n);
        }
    };
    std::vector<std::jthread> crew;
    crew.reserve(workers - 1);
    try {
        for (size_t thread = 1; thread < workers; ++thread) crew.emplace_back(run, static_cast<int>(thread));
    } catch (const std::system_error&) {
    }
    run(0);
    crew.clear();  // joins
    if (failure) std::rethrow_exception(failure);
}

}  // namespace treewright

// Threads that live only inside one call: no pool survives it, so forking is always safe.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>

namespace treewright {

/// The same on two threads or more.
void run_in_parallel(size_t n, size_t workers, const std::function<void(size_t, int)>& work);

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
    run_in_parallel(n, workers, [&](size_t item, int thread) { work(item, thread); });
}

}  // namespace treewright

#include "base/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace treewright {

void run_in_parallel(size_t n, size_t workers, const std::function<void(size_t, int)>& work) {
    std::atomic<size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    const auto run = [&](int thread) {
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

// When to stop: time, work, Ctrl-C; and who is told how far the search is.
#pragma once
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>

#include "optimal/plan.hpp"

namespace treewright::optimal {

/// Thrown out of the search when it must end before it is done.
struct OutOfLimits : std::exception {
    const char* what() const noexcept override { return "out of limits"; }
};

class Limits {
public:
    using Clock = std::chrono::steady_clock;

    double seconds = -1;          // -1 = no limit
    int64_t work = -1;            // subproblems; -1 = no limit
    int64_t bytes = -1;           // of memory for what is remembered; -1 = no limit
    std::function<bool()> check;  // now and then, by one thread only; false = stop

    void start() { begin_ = Clock::now(); }
    /// Count subproblems, and throw if the search must end; of small ones not each need look at the clock.
    void count(int64_t n, int thread, bool small = false) {
        const int64_t done = done_.fetch_add(n, std::memory_order_relaxed) + n;
        if (work >= 0 && done > work) stop_.store(true, std::memory_order_relaxed);
        if (!small || done % 16 == 0 || stop_.load(std::memory_order_relaxed)) poll(thread);
    }
    void poll(int thread) {
        if (!stop_.load(std::memory_order_relaxed) && over(thread)) stop_.store(true, std::memory_order_relaxed);
        if (stop_.load(std::memory_order_relaxed)) throw OutOfLimits{};
    }
    /// Between columns of so many rows: where they are few, it is no matter if many columns go by.
    void poll_column(size_t n_rows, int thread) {
        if (n_rows >= 1024) poll(thread);
    }
    bool over(int thread) {
        if (seconds < 0 && !check) return false;
        const auto now = Clock::now();
        if (seconds >= 0 && std::chrono::duration<double>(now - begin_).count() >= seconds) return true;
        if (thread == 0 && check && now - told_ >= std::chrono::milliseconds(50)) {
            told_ = now;
            if (!check()) return true;
        }
        return false;
    }
    /// Take note of memory that is kept or given back (less than 0), and throw if there is too much of it.
    void remember(int64_t n) {
        if (held_.fetch_add(n, std::memory_order_relaxed) + n <= bytes || bytes < 0 || n < 0) return;
        memory_counted_.store(true, std::memory_order_relaxed);
        stop_.store(true, std::memory_order_relaxed);
        throw OutOfLimits{};
    }
    /// Whether tables of so many bytes may be made; they are left out otherwise, and the search takes longer.
    bool allows(size_t n) {
        if (n <= (bytes < 0 ? size_t{1} << 30 : static_cast<size_t>(bytes))) return true;
        if (bytes >= 0) memory_counted_.store(true, std::memory_order_relaxed);
        return false;
    }
    /// Whether the search was slower or ended earlier for want of memory.
    bool memory_counted() const { return memory_counted_.load(std::memory_order_relaxed); }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    int64_t done() const { return done_.load(std::memory_order_relaxed); }

private:
    Clock::time_point begin_ = Clock::now(), told_ = begin_;
    std::atomic<int64_t> done_{0}, held_{0};
    std::atomic<bool> stop_{false}, memory_counted_{false};
};

}  // namespace treewright::optimal

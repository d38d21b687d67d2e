// Tests of the core without Python: TEST(name) { CHECK(…); } in any file here, run by main.cpp.
#pragma once
#include <cmath>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace treewright::check {

struct Test {
    std::string name;
    void (*run)();
};

/// All tests of the program, in the order of the files.
inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}
inline bool add(const char* name, void (*run)()) {
    tests().push_back({name, run});
    return true;
}

/// Checks of the running test that have failed.
inline int failures = 0;

template <class... Words>
void fail(const char* file, int line, const Words&... words) {
    if (++failures > 5) return;  // the first ones tell enough
    std::cout << file << ":" << line << ": ";
    (std::cout << ... << words) << "\n";
}

inline bool near(double a, double b, double tolerance) { return a == b || std::fabs(a - b) <= tolerance; }

}  // namespace treewright::check

#define TEST(name)                                                                         \
    static void name();                                                                    \
    [[maybe_unused]] static const bool name##_added = treewright::check::add(#name, name); \
    static void name()

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) treewright::check::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_EQUAL(a, b)                                                                                                     \
    do {                                                                                                                      \
        const auto first_ = (a);                                                                                              \
        const auto second_ = (b);                                                                                             \
        if (!(first_ == second_)) treewright::check::fail(__FILE__, __LINE__, #a " == " #b ": ", +first_, " and ", +second_); \
    } while (false)

#define CHECK_NEAR(a, b, tolerance)                                                                        \
    do {                                                                                                   \
        const double first_ = (a), second_ = (b);                                                          \
        if (!treewright::check::near(first_, second_, tolerance))                                          \
            treewright::check::fail(__FILE__, __LINE__, #a " is near " #b ": ", first_, " and ", second_); \
    } while (false)

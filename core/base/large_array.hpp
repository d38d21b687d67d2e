// Arrays of many megabytes.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace treewright {

/// Memory in the largest pages that the system has: an array is not read in order, and to find many small pages takes longer
/// than to read them.
void* allocate_large(size_t bytes);
void free_large(void* memory);

/// Numbers are not set before they are written.
template <class T>
struct LargeAllocator {
    using value_type = T;

    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}
    T* allocate(size_t n) { return static_cast<T*>(allocate_large(n * sizeof(T))); }
    void deallocate(T* memory, size_t) { free_large(memory); }
    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    bool operator==(const LargeAllocator&) const { return true; }
};

template <class T>
using LargeArray = std::vector<T, LargeAllocator<T>>;

}  // namespace treewright

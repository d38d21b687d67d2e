#include "base/large_array.hpp"

#include <cstdlib>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace treewright {

void* allocate_large(size_t bytes) {
    void* memory = nullptr;
#ifdef __linux__
    constexpr size_t page = size_t{2} << 20;
    if (bytes >= 2 * page) {
        const size_t whole = bytes / page * page;  // what is left over is not made a large page of
        if (posix_memalign(&memory, page, bytes) != 0) throw std::bad_alloc();
        madvise(memory, whole, MADV_HUGEPAGE);  // a wish: where it is not granted pages are small
        return memory;
    }
#endif
    memory = std::malloc(bytes);
    if (!memory && bytes > 0) throw std::bad_alloc();
    return memory;
}
void free_large(void* memory) { std::free(memory); }

}  // namespace treewright

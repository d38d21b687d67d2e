// A quicksort whose order of equal values is the one rpart's has: the last bits of sums, and with them ties, depend on it.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

namespace treewright {

/// Sort by value(item), not stably: the median of three is the pivot (Hoare, 1962; Singleton, 1969), two walks come in from
/// both ends and exchange what stands on the wrong side, and up to eleven items are sorted by insertion.
template <class Item, class Value>
void quicksort(std::span<Item> items, Value&& value) {
    std::vector<std::span<Item>> open{items};
    while (!open.empty()) {
        const std::span<Item> run = open.back();
        open.pop_back();
        if (run.size() <= 11) {
            std::ranges::stable_sort(run, {}, value);
            continue;
        }
        double three[] = {value(run.front()), value(run[(run.size() - 1) / 2]), value(run.back())};
        std::ranges::sort(three);
        const double pivot = three[1];
        auto low = run.begin(), high = std::prev(run.end());
        while (low < high) {
            while (value(*low) < pivot) ++low;
            while (value(*high) > pivot) --high;
            if (low >= high) break;
            if (value(*low) > value(*high)) std::iter_swap(low, high);
            ++low;
            --high;
        }
        while (low > run.begin() && value(*low) >= pivot) --low;  // items equal to the pivot between both parts are in place
        while (high < std::prev(run.end()) && value(*high) <= pivot) ++high;
        open.push_back({run.begin(), std::next(low)});
        open.push_back({high, run.end()});
    }
}

}  // namespace treewright

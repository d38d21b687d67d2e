// Reading tables of two-valued columns, and parting their rows.
#include "optimal/two_valued.hpp"

#include <bit>
#include <numeric>
#include <unordered_map>

#include "optimal/set_kernels.hpp"

namespace treewright::optimal {

namespace {

constexpr uint64_t all_rows = ~uint64_t{0};

/// Bits of the rows that are in use, of so many.
uint64_t used_rows(size_t word, size_t n_rows) {
    const size_t left = n_rows - word * 64;
    return left >= 64 ? all_rows : (uint64_t{1} << left) - 1;
}

enum class Values : uint8_t { one, two, more };

/// Mark the rows that have not the value of the first, every `stride` words; `other` becomes the second value.
template <class Value>
Values mark_second(const Value* x, size_t n, uint64_t* to, size_t stride, Value& other) {
    const Value first = x[0];
    const Value* const at = std::find_if(x, x + n, [&](Value value) { return value != first; });
    if (at == x + n) return Values::one;
    other = *at;
    for (size_t begin = 0; begin < n; begin += 64, to += stride) {
        const size_t end = std::min<size_t>(64, n - begin);
        uint64_t second = 0, either = 0;
        for (size_t i = 0; i < end; ++i) {
            const uint64_t is_other = x[begin + i] == other, is_first = x[begin + i] == first;
            second |= is_other << i;
            either |= (is_other | is_first) << i;
        }
        if (either != used_rows(begin / 64, n)) return Values::more;
        *to = second;
    }
    return Values::two;
}

/// A column of a node of two groups: the number of rows of the first.
uint32_t only_cut(const Node& node, size_t i) {
    const uint32_t* group = node.group_of(i);
    return static_cast<uint32_t>(std::upper_bound(group, group + node.n_rows, group[0]) - group);
}

uint32_t count_bits(const std::vector<uint64_t>& words) {
    uint32_t n = 0;
    for (const uint64_t word : words) n += static_cast<uint32_t>(std::popcount(word));
    return n;
}

/// Whether rows are told apart by their class alone.
bool by_class(const Loss& loss) { return loss.kind() == LossKind::pair && loss.uniform(); }

/// The rows of the second class, in whole words; none where it takes more than that.
std::vector<uint64_t> second_class(const Loss& loss, const std::vector<uint32_t>* rows, size_t n) {
    std::vector<uint64_t> second((n + 63) / 64, 0);
    if (!by_class(loss)) return second;
    for (size_t i = 0; i < n; ++i) second[i / 64] |= static_cast<uint64_t>(loss.label(rows ? (*rows)[i] : i)) << i % 64;
    return second;
}

}  // namespace

bool BitTable::read(const Table& table, const Loss& loss, const std::function<void()>& poll) {
    const size_t n = table.n_rows, stride = rounded_up(table.features.size());
    std::vector<uint64_t> rows((n + 63) / 64 * stride, 0);
    std::vector<BitColumn> columns;
    for (size_t f = 0; f < table.features.size(); ++f) {
        poll();
        const Feature& feature = table.features[f];
        BitColumn column;
        column.number = static_cast<uint32_t>(f);
        column.categorical = feature.categorical();
        column.test.feature = static_cast<int32_t>(f);
        Values values;
        if (column.categorical) {
            int32_t other = 0;
            const int32_t first = feature.codes[0];
            values = mark_second(feature.codes, n, rows.data() + f, stride, other);
            if (first < 0 || other < 0) return false;  // some are missing
            column.test.kind = TestKind::category;
            column.test.at = std::min(first, other);
            column.positive_left = other < first;
        } else {
            double other = 0;
            const double first = feature.numbers[0];
            if (first != first) return false;
            values = mark_second(feature.numbers, n, rows.data() + f, stride, other);
            column.test.kind = TestKind::threshold;
            column.positive_left = other < first;
        }
        if (values == Values::more) return false;
        columns.push_back(column);
    }
    rows_.resize(by_class(loss) ? 0 : n);
    std::iota(rows_.begin(), rows_.end(), 0u);
    separate(rows, second_class(loss, nullptr, n), n, std::move(columns));
    return true;
}

bool BitTable::fits(const Node& node, const std::vector<Column>& columns) {
    int32_t feature = -1;
    for (size_t i = 0; i < node.active.size(); ++i) {
        const Column& column = columns[node.active[i]];
        const uint32_t* group = node.group_of(i);
        if (column.feature == feature || group[only_cut(node, i)] != group[node.n_rows - 1]) return false;
        if (!column.categorical && !column.may_cut_after(group[0])) return false;
        feature = column.feature;
    }
    return true;
}

void BitTable::read(const Node& node, const std::vector<Column>& columns, const Loss& loss, const std::function<void()>& poll) {
    const size_t n = node.n_rows, stride = rounded_up(node.active.size());
    std::vector<uint64_t> rows((n + 63) / 64 * stride, 0);
    std::vector<BitColumn> read;
    for (size_t i = 0; i < node.active.size(); ++i) {
        poll();
        const Column& of = columns[node.active[i]];
        const uint32_t cut = only_cut(node, i), *order = node.order_of(i), *group = node.group_of(i);
        for (uint32_t k = 0; k < cut; ++k) rows[order[k] / 64 * stride + i] |= uint64_t{1} << order[k] % 64;
        const Test test = of.categorical ? Test{TestKind::category, false, of.feature, static_cast<int32_t>(group[0])}
                                         : of.cut(group[0], group[cut]);
        read.push_back({test, of.categorical, true, static_cast<uint32_t>(i)});
    }
    if (!by_class(loss)) rows_ = node.row;
    separate(rows, second_class(loss, &node.row, n), n, std::move(read));
}

/// Bring the rows of the first class before those of the second.
void BitTable::separate(std::vector<uint64_t>& rows, const std::vector<uint64_t>& second, size_t n,
                        std::vector<BitColumn>&& columns) {
    const size_t n_words = second.size();
    std::vector<uint64_t> first(n_words);
    for (size_t w = 0; w < n_words; ++w) first[w] = ~second[w] & used_rows(w, n);
    SetBits from{{n_words, 0}, rounded_up(columns.size()), rows.data()}, parted = from;
    std::vector<uint64_t> raw((n_words + 3) * from.stride);
    parted.words[0] = 0;
    size_t end = 0;
    for (int k = 0; k < 2; ++k) {
        SetBits to{{0, 0}, from.stride, raw.data() + end * from.stride};
        set_kernels().compress(from, k ? second.data() : first.data(), 1, 0, to);
        parted.words[k] = to.words[0];
        end += to.words[0];
        n_of_class_[k] = count_bits(k ? second : first);
    }
    parted.bits = raw.data();
    arrange(parted, std::move(columns));
}

/// Take over columns that part the rows, each partition once, the rarer side as the positive one, rare columns first.
void BitTable::arrange(const SetBits& from, std::vector<BitColumn>&& columns) {
    const size_t n_words = from.n_words();
    std::vector<uint64_t> used(n_words), sides;  // rows in use; the side of each kept column that has not the first row
    for (size_t w = 0; w < n_words; ++w)
        used[w] = w < from.words[0] ? used_rows(w, n_of_class_[0]) : used_rows(w - from.words[0], n_of_class_[1]);
    std::vector<std::pair<uint32_t, uint32_t>> order;  // by kept column: rows of the rarer side, its place
    std::vector<uint32_t> number;                      // of the first of those that are alike
    std::vector<bool> flipped;                         // the rarer side is the other one
    std::unordered_multimap<uint64_t, uint32_t> places;
    alike_.assign(columns.size(), -1);
    std::vector<uint64_t> words(n_words);
    for (size_t c = 0; c < columns.size(); ++c) {
        const uint64_t flip = n_words && (from.bits[c] & 1) ? all_rows : 0;  // the side that has not the first row
        uint64_t hash = 0;
        uint32_t count = 0;
        for (size_t w = 0; w < n_words; ++w) {
            words[w] = (from.bits[w * from.stride + c] ^ flip) & used[w];
            hash = (hash ^ words[w]) * 0x9E3779B97F4A7C15u;
            hash ^= hash >> 29;
            count += static_cast<uint32_t>(std::popcount(words[w]));
        }
        if (count == 0) continue;
        const bool rare = 2 * count <= n_rows();
        if (rare == (flip != 0)) columns[c].positive_left = !columns[c].positive_left;
        const auto [begin, end] = places.equal_range(hash);
        const auto same = std::find_if(begin, end, [&](const auto& entry) {
            return std::equal(words.begin(), words.end(), sides.begin() + static_cast<int64_t>(entry.second * n_words));
        });
        if (same != end) {
            uint32_t& first = number[same->second];
            alike_[c] = static_cast<int32_t>(same->second);
            if (columns[c].test.feature < columns[first].test.feature) first = static_cast<uint32_t>(c);
            continue;
        }
        const auto place = static_cast<uint32_t>(number.size());
        places.emplace(hash, place);
        alike_[c] = static_cast<int32_t>(place);
        number.push_back(static_cast<uint32_t>(c));
        sides.insert(sides.end(), words.begin(), words.end());
        order.push_back({rare ? count : n_rows() - count, place});
        flipped.push_back(!rare);
    }
    std::sort(order.begin(), order.end());

    const size_t p = order.size();
    bits_ = {{from.words[0], from.words[1]}, rounded_up(p), nullptr};
    words_.assign(n_words * bits_.stride, 0);
    bits_.bits = words_.data();
    columns_.resize(p);
    std::vector<int32_t> rank(p);
    for (size_t q = 0; q < p; ++q) {
        const uint32_t place = order[q].second;
        rank[place] = static_cast<int32_t>(q);
        columns_[q] = columns[number[place]];
        for (size_t w = 0; w < n_words; ++w) {
            const uint64_t word = sides[place * n_words + w];
            words_[w * bits_.stride + q] = flipped[place] ? ~word & used[w] : word;
        }
    }
    for (int32_t& column : alike_)
        if (column >= 0) column = rank[static_cast<size_t>(column)];
}

BitTable BitTable::branch(size_t column, bool left) const {
    const bool positive = columns_[column].positive_left == left;
    std::vector<uint64_t> kept(bits_.n_words());
    BitTable child;
    for (size_t w = 0; w < kept.size(); ++w) {
        const bool second = w >= bits_.words[0];
        const uint64_t word = bits_.bits[w * bits_.stride + column];
        kept[w] = positive ? word : ~word & used_rows(second ? w - bits_.words[0] : w, n_of_class_[second]);
        child.n_of_class_[second] += static_cast<uint32_t>(std::popcount(kept[w]));
    }
    std::vector<uint64_t> raw((kept.size() + 2) * bits_.stride);
    SetBits to{{0, 0}, bits_.stride, raw.data()};
    set_kernels().compress(bits_, kept.data(), 1, 0, to);
    for (size_t i = 0; i < rows_.size(); ++i)
        if (kept[i / 64] >> i % 64 & 1) child.rows_.push_back(rows_[i]);
    child.arrange(to, std::vector<BitColumn>(columns_));
    return child;
}

}  // namespace treewright::optimal

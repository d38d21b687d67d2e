#include "partitions/rows.hpp"

#include "criteria/squared_error.hpp"
#include "splits/answer.hpp"

namespace treewright {

namespace {

/// Add a row to the numbers of a bin, as BinLayout has them.
void add_row(const PartitionTarget& target, const BinLayout& layout, std::span<const int32_t> node, size_t row, double* bin) {
    const double weight = target.weight_of(row);
    if (layout.classes) {
        bin[target.label[row]] += weight;
    } else {
        const double centre = target.centre[static_cast<size_t>(node[row])], y = target.number[row] - centre;
        bin[0] += weight;
        bin[1] += weight * y;
        bin[2] += weight * SquaredError::apart(y, centre);
    }
    if (!layout.unit) bin[layout.stride() - 1] += 1;
}

/// Call with_power<power>() with the power of a request.
template <class Use>
void with_power(int32_t power, Use&& use) {
    if (power == 0) use.template operator()<0>();
    else if (power == 1) use.template operator()<1>();
    else use.template operator()<2>();
}

/// The rows at nodes that are counted, and where.
struct CountedRows {
    std::vector<uint32_t> row;
    std::vector<uint32_t> place;

    CountedRows(std::span<const int32_t> node, std::span<const int32_t> counted) : row(node.size()), place(node.size()) {
        // Which rows these are is a coin toss to the processor: all are written, and the next over those that are not.
        size_t n = 0;
        for (size_t i = 0; i < node.size(); ++i) {
            const int32_t at = node[i] < 0 ? -1 : counted[static_cast<size_t>(node[i])];
            row[n] = static_cast<uint32_t>(i);
            place[n] = static_cast<uint32_t>(at);
            n += at >= 0;
        }
        row.resize(n);
        place.resize(n);
    }
};

/// Suspects of one column: looked up by node and the high byte of a code, and of single codes then by the code.
class SuspectTable {
public:
    SuspectTable(std::span<const Suspect> suspects, size_t n_nodes) : suspects_(suspects), bins_(n_nodes + 1, 0) {
        size_t n_with = 0;
        for (const Suspect& one : suspects)
            if (uint32_t& place = bins_[static_cast<size_t>(one.node) + 1]; place == 0) place = static_cast<uint32_t>(++n_with);
        first_.assign((n_with + 1) * 256, -1);  // the first 256 are of all nodes without any
        next_.assign(suspects.size(), -1);
        for (size_t s = suspects.size(); s-- > 0;) {
            const Suspect& one = suspects[s];
            int32_t& first = first_[bins_[static_cast<size_t>(one.node) + 1] * 256u + static_cast<size_t>(one.code >> 8)];
            next_[s] = first;
            first = static_cast<int32_t>(s);
        }
    }
    /// A suspect at a node with the bin of a code; −1 if there is none.
    int32_t with_bin(int32_t node, uint16_t code) const {
        return first_[bins_[static_cast<size_t>(node + 1)] * 256u + static_cast<size_t>(code >> 8)];
    }
    /// The suspect with this very code, of those with its bin.
    int32_t with_code(int32_t found, uint16_t code) const {
        while (found >= 0 && suspects_[static_cast<size_t>(found)].code != code) found = next_[static_cast<size_t>(found)];
        return found;
    }

private:
    std::span<const Suspect> suspects_;
    std::vector<uint32_t> bins_;  // by node + 1: where its 256 bins stand, 0 = it has no suspects
    std::vector<int32_t> first_;  // by bin
    std::vector<int32_t> next_;   // by suspect: another with the same bin
};

}  // namespace

void route_rows(const PartitionColumns& columns, const RowSplits& splits, std::span<int32_t> node, double* low, double* high) {
    /// A split, with what is nearest to its cut so far.
    struct Cut {
        const uint16_t* codes = nullptr;  // of its column; null = categories
        const double* numbers = nullptr;
        int32_t cut = 0, first_child = -1, default_child = -1, low_code = -1, high_code = missing_code;
        double largest = -infinity, smallest = infinity;
    };
    const size_t n_nodes = splits.column.size();
    std::vector<Cut> cuts(n_nodes);
    for (size_t at = 0; at < n_nodes; ++at) {
        cuts[at].first_child = splits.first_child[at];
        cuts[at].default_child = splits.first_child[at] + splits.default_branch[at];
        if (splits.first_child[at] < 0 || splits.column[at] < 0) continue;
        cuts[at].codes = columns.codes[static_cast<size_t>(splits.column[at])];
        cuts[at].numbers = columns.numbers[static_cast<size_t>(splits.column[at])];
        cuts[at].cut = splits.cut[at];
    }
    for (size_t i = 0; i < columns.n_rows; ++i) {
        if (node[i] < 0) continue;
        const auto at = static_cast<size_t>(node[i]);
        Cut& cut = cuts[at];
        if (cut.first_child < 0) continue;
        if (!cut.codes) {
            const int32_t category = columns.categories[static_cast<size_t>(-1 - splits.column[at])][i];
            const auto begin = static_cast<size_t>(splits.lookup_begin[at]);
            const int32_t branch = category < 0 ? unanswered : splits.lookup[begin + static_cast<size_t>(category)];
            node[i] = branch == unanswered ? cut.default_child : cut.first_child + branch;
            continue;
        }
        const int32_t code = cut.codes[i];
        if (code == missing_code) {
            node[i] = cut.default_child;
            continue;
        }
        // Sides are a coin toss to the processor: no branch hangs on them.
        bool left = code < cut.cut;
        if (code == cut.cut) left = cut.numbers[i] <= splits.value[at];
        node[i] = cut.first_child + static_cast<int32_t>(!left);
        const bool near = (left & (code >= cut.low_code)) | (!left & (code <= cut.high_code));
        if (!near) continue;
        const double number = cut.numbers[i];
        if (left) {
            cut.largest = code > cut.low_code ? number : std::max(cut.largest, number);
            cut.low_code = code;
        } else {
            cut.smallest = code < cut.high_code ? number : std::min(cut.smallest, number);
            cut.high_code = code;
        }
    }
    for (size_t n = 0; n < n_nodes; ++n) {
        low[n] = std::max(low[n], cuts[n].largest);
        high[n] = std::min(high[n], cuts[n].smallest);
    }
}

void find_ranges(const PartitionTarget& target, std::span<const int32_t> node, std::span<const int32_t> counted, double* out) {
    for (size_t i = 0; i < node.size(); ++i) {
        const int32_t at = node[i] < 0 ? -1 : counted[static_cast<size_t>(node[i])];
        if (at < 0) continue;
        double* range = out + static_cast<size_t>(at) * 3;
        if (target.number) {
            range[0] = std::min(range[0], target.number[i]);
            range[1] = std::max(range[1], target.number[i]);
        }
        range[2] = std::max(range[2], target.weight_of(i));
    }
}

void add_sums(const PartitionTarget& target, std::span<const int32_t> node, std::span<const SumRequest> requests, size_t n_nodes,
              size_t width, uint64_t* out) {
    std::vector<int32_t> request_of(n_nodes);
    for (int32_t power = 0; power <= 2; ++power) {  // at most one of each at a node
        std::fill(request_of.begin(), request_of.end(), -1);
        std::vector<SumGrid> grids;
        bool any = false;
        for (size_t r = 0; r < requests.size(); ++r) {
            grids.push_back(requests[r].grid());
            if (requests[r].power != power) continue;
            request_of[static_cast<size_t>(requests[r].node)] = static_cast<int32_t>(r);
            any = true;
        }
        if (!any) continue;
        with_power(power, [&]<int of>() {
            for (size_t i = 0; i < node.size(); ++i) {
                const int32_t found = node[i] < 0 ? -1 : request_of[static_cast<size_t>(node[i])];
                if (found < 0) continue;
                const auto r = static_cast<size_t>(found);
                const double y = target.number ? target.number[i] : 0.0;
                const size_t k = target.label ? static_cast<size_t>(target.label[i]) : 0;
                GridSum sum;
                grids[r].add(moment<of>(target.weight_of(i), y, requests[r].centre), sum);
                uint64_t* to = out + (r * width + k) * 3;
                to[0] += sum.coarse;
                to[1] += sum.fine;
                to[2] += 1;
            }
        });
    }
}

void bins_of_rows(const PartitionTarget& target, const BinLayout& layout, std::span<const int32_t> node,
                  std::span<const uint32_t> rows, double* out) {
    for (size_t i = 0; i < rows.size(); ++i) add_row(target, layout, node, rows[i], out + i * layout.stride());
}

void count_bins(const PartitionColumns& columns, const PartitionTarget& target, const BinLayout& layout,
                std::span<const int32_t> node, std::span<const int32_t> counted, double* out) {
    const CountedRows rows(node, counted);
    const size_t n_columns = columns.codes.size(), stride = layout.stride(), n = rows.row.size();
    const size_t n_counted = static_cast<size_t>(*std::max_element(counted.begin(), counted.end()) + 1);
    const bool packed = layout.classes && layout.unit && layout.width == 2;  // both counts of a bin in one word
    std::vector<uint64_t> increment(packed ? n : 0), sums(packed ? n_counted * 256 : 0);
    for (size_t i = 0; packed && i < n; ++i) increment[i] = uint64_t{1} << (target.label[rows.row[i]] ? 32 : 0);
    std::vector<double> of_row(layout.classes ? 0 : n * stride);  // what each adds, to every column alike
    if (!layout.classes) bins_of_rows(target, layout, node, rows.row, of_row.data());
    for (size_t c = 0; c < n_columns; ++c) {
        const uint16_t* code = columns.codes[c];
        const auto bin = [&](size_t place, size_t b) { return out + ((place * n_columns + c) * 256 + b) * stride; };
        if (!layout.classes) {
            for (size_t i = 0; i < n; ++i) {
                double* to = bin(rows.place[i], static_cast<size_t>(code[rows.row[i]] >> 8));
                for (size_t s = 0; s < stride; ++s) to[s] += of_row[i * stride + s];
            }
            continue;
        }
        if (!packed) {
            for (size_t i = 0; i < n; ++i)
                add_row(target, layout, node, rows.row[i], bin(rows.place[i], static_cast<size_t>(code[rows.row[i]] >> 8)));
            continue;
        }
        std::fill(sums.begin(), sums.end(), 0);
        for (size_t i = 0; i < n; ++i) sums[size_t{rows.place[i]} * 256 + (code[rows.row[i]] >> 8)] += increment[i];
        for (size_t s = 0; s < sums.size(); ++s) {
            double* of_class = bin(s / 256, s % 256);
            of_class[0] += static_cast<double>(sums[s] & 0xffffffffu);
            of_class[1] += static_cast<double>(sums[s] >> 32);
        }
    }
}

void count_categories(const int32_t* codes, size_t n_categories, const PartitionTarget& target, const BinLayout& layout,
                      std::span<const int32_t> node, std::span<const int32_t> counted, double* out) {
    const size_t stride = layout.stride();
    for (size_t i = 0; i < node.size(); ++i) {
        const int32_t place = node[i] < 0 ? -1 : counted[static_cast<size_t>(node[i])];
        if (place < 0) continue;
        const size_t category = codes[i] < 0 ? n_categories : static_cast<size_t>(codes[i]);
        add_row(target, layout, node, i, out + (static_cast<size_t>(place) * (n_categories + 1) + category) * stride);
    }
}

void count_codes(const uint16_t* codes, const PartitionTarget& target, const BinLayout& layout, std::span<const int32_t> node,
                 std::span<const Suspect> suspects, size_t n_nodes, double* out) {
    const SuspectTable table(suspects, n_nodes);
    for (size_t i = 0; i < node.size(); ++i)
        if (const int32_t found = table.with_bin(node[i], codes[i]); found >= 0)
            add_row(target, layout, node, i, out + (static_cast<size_t>(found) * 256 + (codes[i] & 255)) * layout.stride());
}

void rows_of_codes(const uint16_t* codes, std::span<const int32_t> node, std::span<const Suspect> suspects, size_t n_nodes,
                   std::vector<int32_t>& suspect, std::vector<uint32_t>& row) {
    const SuspectTable table(suspects, n_nodes);
    for (size_t i = 0; i < node.size(); ++i) {
        int32_t found = table.with_bin(node[i], codes[i]);
        if (found < 0 || (found = table.with_code(found, codes[i])) < 0) continue;
        suspect.push_back(found);
        row.push_back(static_cast<uint32_t>(i));
    }
}

}  // namespace treewright

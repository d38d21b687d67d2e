// Growing the large nodes of a tree whose rows stand elsewhere, in partitions that answer with sums.
//
// The driver grows the tree from what is known of it, and hands over each node of which nothing is known yet. Passes over the
// partitions learn about those, all of them at a time, and the driver grows the tree anew, from the root: it has few nodes, and
// touches no row. So every rule of growing stands where it stands for tables in memory.
//
// A node is searched as by the histogram finder, in bins that get finer where it matters: of 256 codes, of one code, of one
// value. Bins that may hide a better cut than those between bins are asked for by the next pass.
#pragma once
#include <memory>

#include "base/builder.hpp"
#include "base/random.hpp"
#include "cuts/drawn.hpp"
#include "grow/kernel.hpp"
#include "partitions/rows_elsewhere.hpp"
#include "partitions/rows.hpp"
#include "splits/levels.hpp"

namespace treewright {

/// What a table is as a whole.
struct PartitionedTable {
    std::vector<Feature> features;  // without their columns; ranked ones are numeric
    std::vector<int32_t> column;    // of each feature: numeric, or −1 − the number of a categorical one
    size_t n_rows = 0;
    int n_classes = 0;                               // 0 = regression
    std::vector<double> class_rows;                  // the number of rows of each class
    bool unit = true;                                // every row weighs one
    bool whole = false;                              // weights are whole numbers, such as how often rows are drawn
    std::vector<double> class_weights;               // of each class, where weights are whole
    std::vector<std::unique_ptr<Ranking>> rankings;  // by feature; null = none
    std::vector<Values> met;                         // numeric column × 65536: what is behind each code
    std::vector<std::vector<double>> values;         // of each numeric column, what codes stand for; of random cuts alone
};

class PartitionedGrowth {
public:
    /// A node that is to be searched, or whose subtree is to be grown elsewhere.
    struct Waiting {
        int32_t node, depth;
        uint64_t seed;
        size_t count;
        int32_t parent;  // −1 for the root
        int32_t place;   // in the tree as it is now, in preorder
    };
    /// What a pass says of a suspect bin: 256 bins of a code each, or those of each value behind a code, ascending.
    struct Refined {
        Suspect suspect;
        std::span<const double> values;  // empty where the bins are codes
        const double* bins;
    };

    PartitionedGrowth(PartitionedTable&& table, const Recipe& recipe);
    ~PartitionedGrowth();
    PartitionedGrowth(const PartitionedGrowth&) = delete;  // it points into itself
    PartitionedGrowth& operator=(const PartitionedGrowth&) = delete;

    const BinLayout& layout() const { return layout_; }
    size_t n_nodes() const { return nodes_.size(); }

    /// Grow the tree from what is known; gives the nodes of which nothing is known yet. Nodes that are not described stand as
    /// leaves: ask for what `unknown` says, and grow again.
    std::vector<Waiting> grow();
    /// What has to be known of the rows of some nodes before these can be described: ranges, and then sums.
    struct Unknown {
        std::vector<int32_t> ranges;  // nodes
        std::vector<SumRequest> sums;
    };
    const Unknown& unknown();
    /// The answers to what was unknown last, side by side as `find_ranges` and `add_sums` give them.
    void answer(const double* ranges, const uint64_t* sums);
    /// By the number of a node, what is taken off the target in searches.
    std::vector<double> centres() const;
    /// The weight of all rows, once the root is described.
    double total_weight() const { return task_.total_weight; }
    /// Search a node by the bins of 256 codes of all numeric columns, and the sums by category of the others (`count_bins`,
    /// `count_categories`): the bins to be looked into. If there are none, its split is found.
    std::vector<Suspect> search(int32_t node, const double* bins, const std::vector<const double*>& categories);
    /// Go on with finer bins.
    std::vector<Suspect> refine(int32_t node, std::span<const Refined> refined);
    /// The splits by which rows go down from nodes that were split by the last `grow`.
    struct Splits {
        std::vector<int32_t> column, first_child, cut, default_branch, lookup;
        std::vector<double> value;
        std::vector<int64_t> lookup_begin;

        RowSplits view() const { return {column, first_child, cut, value, default_branch, lookup_begin, lookup}; }
    };
    Splits splits() const;
    /// The numbers on either side of the cuts of those nodes, where all rows have been routed.
    void set_neighbours(std::span<const double> low, std::span<const double> high);
    /// The tree as it is now, with all nodes that wait as leaves.
    TreeArrays tree() const;

private:
    class Engine;
    /// A numeric feature of a node in bins.
    struct Bins {
        struct Bin {
            int32_t code;  // the first, where there are several
            bool one_code;
            bool one_value;
            double value;  // where it is one of several behind a code
        };
        std::vector<Bin> bin;
        std::vector<double> sums;  // as BinLayout has them
        Totals missing;
        std::vector<double> missing_sums;  // as BinLayout has them
    };
    /// A node while it is searched.
    struct Search {
        std::vector<Bins> bins;      // by numeric column
        std::vector<Levels> levels;  // by categorical column
    };
    struct Node {
        Totals totals;
        bool described = false;
        Description description;
        std::optional<NumberRange> range;
        std::vector<double> sums;  // that are known of its numbers, in the order in which they are asked for
        int32_t parent = -1, depth = 0;
        uint64_t seed = 0;
        bool known = false;  // its split was looked for
        Candidate split;     // if one was found
        int32_t cut = 0;     // of a threshold, as in RowSplits
        double value = infinity, low = -infinity, high = infinity;
        double threshold = std::numeric_limits<double>::quiet_NaN();  // where it was drawn, and not halfway between low and high
        std::vector<Totals> branches;
        int32_t first_child = -1;  // once it is split
        bool routed = false;
        std::unique_ptr<Search> search;
    };

    void add_node(int32_t parent, const Totals& totals);
    double sum_of_targets(const Search& search) const;
    /// Describe a node if all is known that it takes; what is not is unknown.
    void describe(int32_t node);
    void describe_counts(Node& node);
    /// Whether sums of bins are exact, and describe a node by themselves.
    bool counts() const { return layout_.classes && (layout_.unit || table_.whole); }
    void set_class_weights(int32_t node, const SumRequest& request, const uint64_t* sums);
    std::vector<Suspect> look(int32_t node);
    /// The features that a node looks at, in the order in which they win ties. Where they are drawn, a node draws on until one
    /// varies: bins that have to be looked into before that can be told are suspects, and then the features are not told.
    std::vector<int32_t> features_in_order(int32_t node, Random& random, std::vector<Suspect>& suspects) const;
    /// The same where cuts are drawn between the smallest and the largest value.
    std::vector<Suspect> look_at_drawn(int32_t node);
    /// A cut that is drawn, and what goes to either side of it, as numbers of two bins.
    struct Drawn {
        DrawnCut cut;
        std::vector<double> sides;
    };
    /// Draw a cut of a feature; bins that it takes to know what goes left are suspects. Nothing where the feature is constant.
    std::optional<Drawn> draw(int32_t node, int32_t column, Random& random, std::vector<Suspect>& suspects) const;
    void take_drawn(Node& node, size_t feature, const Drawn& drawn) const;
    BinnedFeature binned(const Node& node, const Bins& bins) const;
    bool several_behind(size_t column, const Bins::Bin& bin) const;
    void choose(Node& node, const std::vector<int32_t>& features, const std::vector<double>& merits,
                const std::vector<Best<BinCut>>& cuts, std::vector<Candidate>& tables) const;
    void take_cut(Node& node, size_t feature, const BinCut& cut) const;
    void take_table(Node& node, size_t feature, Candidate&& table) const;

    PartitionedTable table_;
    Recipe recipe_;
    Monitor monitor_;
    Table columns_;
    std::vector<const Ranking*> rankings_;
    GrowTask task_;
    BinLayout layout_;
    std::unique_ptr<Kernel> kernel_;
    std::vector<Node> nodes_;
    Unknown unknown_;
    Builder tree_;
};

/// The choice by which a tree cannot be grown from partitions; empty if there is none.
std::string memory_only(const Recipe& recipe);

}  // namespace treewright

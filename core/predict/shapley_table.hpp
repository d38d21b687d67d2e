// Shapley values of small trees by a table (Yang, 2021, Fast TreeSHAP): what a leaf adds to the players on its way depends only
// on which of them lead a row there, so that each such set is worked out once for all rows that have it. Leaves that lie close
// together stand in one table: what they add follows from the players that lead a row to the node above them, and from the
// branches that it takes below.
//
// An entry is filled when a row first asks for it: few rows pay for few. What stands in it follows from the tree alone, so that
// results do not depend on which rows are asked for together.
#pragma once
#include <memory>
#include <vector>

#include "predict/shapley.hpp"

namespace treewright {

/// What the table is made of: the ends of the steps, the players on the way to each, and the ends that stand together.
class ShapleyWays {
public:
    /// Whether rows are whole in a tree, and it is small enough.
    static bool suit(const TreeView& tree, const ShapleySteps& steps);

    ShapleyWays(const TreeView& tree, const ShapleySteps& steps);

private:
    friend class ShapleyTable;
    /// A step, as it changes the set of players that lead a row where it is, one bit each in their order on the way.
    struct Step {
        uint32_t parent;
        int32_t branch;
        uint32_t bit, first;  // the player's bit, and again if this is its first step on the way, else 0
    };
    struct End {
        size_t step, begin, n_players;  // its players are [begin, begin + n_players)
    };
    /// Ends below a step, or one end; an entry of its table is named by the players that lead a row to the step, and by the
    /// branches that it takes at the nodes below.
    struct Twig {
        size_t top, end_step;           // the steps below are (top, end_step)
        size_t first_end, last_end;     // its ends are [first_end, last_end)
        size_t node, last_node, shift;  // its nodes are [node, last_node); the bit of the first is 1 << shift
        size_t offset, n_numbers;       // where its numbers are added to: [offset, offset + n_numbers)
        size_t entry, number;           // the first of its entries, and of the numbers in them
    };
    std::vector<Step> step_;
    std::vector<End> end_;
    std::vector<Twig> twig_;
    std::vector<size_t> upper_;   // the steps above twigs and into them
    std::vector<size_t> node_;    // of twigs
    std::vector<size_t> offset_;  // of twigs: places in players × width
    std::vector<size_t> place_;   // by player of an end: where the numbers of a twig's entry are that are its own
    std::vector<double> share_;   // of the training rows, by player of an end: of all its steps on the way
    size_t n_entries_ = 0, n_numbers_ = 0;
};

/// The table, which a thread fills for the rows that it is given.
class ShapleyTable {
public:
    ShapleyTable(const Router& router, const ShapleySteps& steps, const ShapleyWays& ways);

    /// Adds to out, players × width, what each player adds to the prediction of a row.
    void add(int64_t row, double* out);

private:
    /// A node that asks for one number only, which needs no router.
    struct Threshold {
        size_t node;
        int64_t column;
        double cut;
        int32_t if_missing;
    };
    void choose(int64_t row);
    void take(size_t step);
    void fill(const ShapleyWays::Twig& twig, double* number);
    void weigh(const ShapleyWays::End& end, double* weight) const;

    const Router& router_;
    const ShapleySteps& steps_;
    const ShapleyWays& ways_;
    std::vector<Threshold> thresholds_;
    std::vector<size_t> others_;
    std::vector<int32_t> chosen_;  // by node: the branch that the row takes
    std::vector<uint32_t> taken_;  // by step: the players that lead the row there
    std::vector<uint8_t> filled_;
    std::unique_ptr<double[]> number_;
};

}  // namespace treewright

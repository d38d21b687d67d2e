// What finders ask of a criterion: one call for a feature of a node.
//
// Finders (presorted, shared rows, histogram) know rows and columns and no criterion; a kernel knows one criterion with its
// scorer and no finder. criterion_kernel.hpp makes one of any criterion; each thread has its own, with its memory.
#pragma once
#include <array>
#include <memory>

#include "splits/candidate.hpp"
#include "cuts/cut.hpp"
#include "grow/histogram/bins.hpp"
#include "grow/grow_task.hpp"

namespace treewright {

struct Levels;
struct ScaledRows;
class ScaledCutter;

class Kernel {
public:
    virtual ~Kernel() = default;

    /// The best cut of a sorted list.
    virtual FoundCut best_cut(const NodeView& node, const CutTask<uint16_t>& task) = 0;
    virtual FoundCut best_cut(const NodeView& node, const CutTask<uint32_t>& task) = 0;
    /// The merit of one cut, −infinity if it is not allowed.
    double merit_of_cut(const NodeView& node, const CutTask<uint16_t>& task, const Cut& cut, double threshold) {
        return merit_of_cut(node, widened(task, wide_), cut, threshold);
    }
    virtual double merit_of_cut(const NodeView& node, const CutTask<uint32_t>& task, const Cut& cut, double threshold) = 0;
    /// Whether bounded searches want to know what each row adds (NodeView::pairs).
    virtual bool wants_pairs() const = 0;

    /// The one cut of a two-valued feature, of which `ones` are the rows of each class that have the second value: its merit and
    /// the rows on the left.
    virtual std::pair<double, size_t> cut_bit(const NodeView& node, const uint32_t* ones) = 0;

    /// The best grouping of the categories that were counted.
    virtual Candidate best_grouping(const NodeView& node, const Table& table, int32_t feature, const Levels& levels,
                                    const Bounds& bounds) = 0;
    /// The same where a criterion is no function of sums: codes and rows of the node, side by side.
    virtual Candidate best_grouping(const NodeView& node, const Table& table, int32_t feature, std::span<const int32_t> codes,
                                    std::span<const uint32_t> rows, const CutLimits& limits) = 0;

    // ---- histograms --------------------------------------------------------------------------------------------

    /// What each of n rows saves by itself, for bounds.
    virtual void rows_apart(const LocalRows& rows, size_t n, std::vector<double>& out) = 0;
    /// The cuts between bins.
    virtual void score_edges(const NodeView& node, const BinnedFeature& feature, Best<BinCut>& best) = 0;
    /// No cut inside a bin that holds rows has more merit, on the rows that take part, than its bound. Bounds below `least` will
    /// do: they need not be near.
    virtual void bound_bins(const NodeView& node, const BinnedFeature& feature, bool missing_left, double least,
                            std::span<double> bound) = 0;
    /// Every cut inside a bin.
    virtual void scan_bin(const NodeView& node, const BinnedFeature& feature, const SortedBin& bin, Best<BinCut>& best) = 0;

    // ---- oblique splits ------------------------------------------------------------------------------------------

    virtual std::unique_ptr<ScaledCutter> make_cutter(const ScaledRows& rows, double impurity) = 0;

private:
    WideList wide_;
};

/// A kernel of criterion C for the rows of a task; `unit` tells that each weighs one. Instantiated in grow/kernels/.
template <class C>
std::unique_ptr<Kernel> make_kernel(const GrowTask& task, bool unit);

/// A kernel of several targets, by the mean over them of the criterion that the recipe names.
std::unique_ptr<Kernel> make_several_kernel(const GrowTask& task, bool unit);

/// Have a task grow by the criterion that its recipe names.
void use_criterion(GrowTask& task);

}  // namespace treewright

// The kernels of several targets: whatever the criterion, its mean over them.
#include "criteria/criteria.hpp"
#include "cuts/search.hpp"
#include "grow/kernel.hpp"
#include "criteria/several_targets.hpp"
#include "splits/categorical.hpp"
#include "splits/scaled_cutter.hpp"

namespace treewright {

namespace {

template <class C, class Scorer>
class SeveralKernel final : public Kernel {
public:
    explicit SeveralKernel(const GrowTask& task)
        : task_(task), criterion_(make_criterion(task)), scratch_(task.n_log_n), cuts_(criterion_, scratch_) {}

    FoundCut best_cut(const NodeView& node, const CutTask<uint16_t>& task) override { return cuts_.best(node, task); }
    FoundCut best_cut(const NodeView& node, const CutTask<uint32_t>& task) override { return cuts_.best(node, task); }
    double merit_of_cut(const NodeView& node, const CutTask<uint32_t>& task, const Cut& cut, double threshold) override {
        return cuts_.merit(node, task, cut, threshold);
    }
    Candidate best_grouping(const NodeView& node, const Table& table, int32_t feature, const Levels& levels,
                            const Bounds& bounds) override {
        const C criterion = make_criterion(task_, node.rows.each);
        const double spread = C::classification ? 1.0 : std::sqrt(node.impurity);
        GroupingBy<C> mean(criterion);
        return treewright::best_grouping(
            {mean, task_.recipe, table, levels, node.totals, node.tolerance, spread, feature, bounds});
    }

    // What these recipes do not ask for: no finder that asks offers several targets.
    bool wants_pairs() const override { return false; }
    std::pair<double, size_t> cut_bit(const NodeView&, const uint32_t*) override { return {-infinity, 0}; }
    Candidate best_grouping(const NodeView&, const Table&, int32_t, std::span<const int32_t>, std::span<const uint32_t>,
                            const CutLimits&) override {
        return {};
    }
    void rows_apart(const LocalRows&, size_t, std::vector<double>&) override {}
    void score_edges(const NodeView&, const BinnedFeature&, Best<BinCut>&) override {}
    void bound_bins(const NodeView&, const BinnedFeature&, bool, double, std::span<double>) override {}
    void scan_bin(const NodeView&, const BinnedFeature&, const SortedBin&, Best<BinCut>&) override {}
    std::unique_ptr<ScaledCutter> make_cutter(const ScaledRows&, double) override { return nullptr; }

private:
    static C make_criterion(const GrowTask& task, const LocalRows* each = nullptr) {
        if constexpr (C::classification) return C(*task.formula, static_cast<size_t>(task.n_classes));
        else return C(*task.formula, each);
    }

    const GrowTask& task_;
    C criterion_;
    Scratch scratch_;
    CutSearch<C, Scorer> cuts_;
};

}  // namespace

std::unique_ptr<Kernel> make_several_kernel(const GrowTask& task, bool unit) {
    const std::string& name = task.recipe.criterion;
    const auto make = [&]<class C, class Scorer>() -> std::unique_ptr<Kernel> {
        return std::make_unique<SeveralKernel<C, Scorer>>(task);
    };
    const auto with_unit_scorer = [&]<class C, template <bool> class Scorer>() {
        return unit ? make.template operator()<C, Scorer<true>>() : make.template operator()<C, Scorer<false>>();
    };
    if (name == Gini::traits.name) return with_unit_scorer.template operator()<SeveralClasses, SeveralGiniScorer>();
    if (name == Entropy::traits.name) return with_unit_scorer.template operator()<SeveralClasses, SeveralEntropyScorer>();
    if (name == SquaredError::traits.name) return with_unit_scorer.template operator()<SeveralNumbers, SeveralSquaredScorer>();
    if (name == Poisson::traits.name) return with_unit_scorer.template operator()<SeveralNumbers, SeveralPoissonScorer>();
    if (name == AbsoluteError::traits.name) return make.template operator()<SeveralByRows, ScorerOfEach<AbsoluteErrorScorer>>();
    return make.template operator()<SeveralClasses, SeveralFormulaScorer>();
}

}  // namespace treewright

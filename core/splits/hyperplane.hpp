// Splits on a weighted sum of numeric features, w·x ≤ t: OC1's search (Murthy, Kasif & Salzberg, 1994).
//
// From each start the plane is turned about one axis after the other, always to the best of all angles: with v the value of a
// row and d its distance from a pivot, v − t·d ≤ 0 holds from t = v/d on, or up to it, so that a turn is a scan of one sorted
// number. Where no turn helps, random directions are tried. The starts are the best threshold, linear discriminants, and random
// planes. Merits are the criterion's own for any number of classes; a discriminant needs two, and takes the two superclasses that
// a split tells apart best: the classes with more than their share on the left, and the others (Breiman et al., 1984, §4.3).
#pragma once
#include "splits/scaled_rows.hpp"

namespace treewright {

/// A plane through the scaled rows: those of value ≤ 0 go left.
struct Plane {
    static constexpr bool round = false;

    std::vector<double> weight, value;
    std::vector<size_t> columns;  // that may have a weight
    double score = -infinity;     // on the criterion's own scale
    double merit = -infinity, bits = 0;
};

class HyperplaneSearch {
    static constexpr size_t most_starts = 10, most_finalists = 3, first_sweeps = 2, most_sweeps = 40, random_directions = 5,
                            most_columns = 32;
    static constexpr double work_of_starts = 5e7;  // turns × rows, after which no further random plane is tried

public:
    HyperplaneSearch(Kernel& kernel, const ScaledRows& rows, double impurity, uint64_t seed, int threads, Monitor& monitor)
        : rows_(rows),
          seed_(seed),
          monitor_(monitor),
          cutters_(kernel, rows, impurity, threads),
          cutter_(cutters_.of(0)),
          ones_(rows.size(), 1.0) {}

    /// Weights of the columns, in standard units, of the best plane with at most so many; `axis` is the column of the best
    /// threshold.
    std::vector<double> best(size_t axis, size_t most) {
        std::vector<std::vector<double>> starts = first_starts(axis);
        const size_t n_columns = rows_.width();
        const double each = 8.0 * static_cast<double>(rows_.size() * n_columns);
        const size_t wanted =
            std::clamp<size_t>(static_cast<size_t>(work_of_starts / each), starts.size(), std::max(starts.size(), most_starts));
        Random random(child_seed(seed_, 0));
        while (starts.size() < wanted) {
            std::vector<double>& weight = starts.emplace_back(n_columns);
            for (double& w : weight) w = 2 * random.uniform() - 1;
        }
        std::vector<Plane> planes(starts.size());
        active_.resize(n_columns);
        std::iota(active_.begin(), active_.end(), size_t{0});
        const auto descend_all = [&](size_t n_sweeps) {
            parallel_for(planes.size(), cutters_.threads(), [&](size_t i, int thread) {
                ScaledCutter& cutter = cutters_.of(thread);
                if (planes[i].weight.empty()) planes[i] = plane_of(std::move(starts[i]), cutter);
                Random own(child_seed(seed_, i + 1));
                descend(planes[i], n_sweeps, own, cutter, thread);
            });
            std::stable_sort(planes.begin(), planes.end(), [](const Plane& a, const Plane& b) { return a.score > b.score; });
        };
        descend_all(first_sweeps);
        planes.resize(std::min(planes.size(), most_finalists));
        descend_all(most_sweeps);
        thin_out(planes[0], most);
        return std::move(planes[0].weight);
    }

private:
    Plane plane_of(std::vector<double>&& weight, ScaledCutter& cutter) const {
        Plane plane;
        plane.weight = std::move(weight);
        plane.value = project(plane.weight);
        shift(plane, cutter);
        return plane;
    }
    std::vector<double> project(const std::vector<double>& weight) const {
        std::vector<double> value(rows_.size(), 0.0);
        for (size_t c = 0; c < weight.size(); ++c)
            if (weight[c] != 0)
                for (size_t i = 0; i < value.size(); ++i) value[i] += weight[c] * rows_.column[c][i];
        return value;
    }

    // ---- descending ------------------------------------------------------------------------------------------------

    /// How readily a turn that changes nothing is taken: less with each, until one helps (Murthy et al., §3.1).
    struct Patience {
        double chance = 1;

        bool take(Random& random) {
            const bool yes = random.uniform() < chance;
            chance = std::max(chance - 0.1, 0.0);
            return yes;
        }
    };

    void descend(Plane& plane, size_t n_sweeps, Random& random, ScaledCutter& cutter, int thread) const {
        std::vector<double> direction(rows_.size()), along(rows_.width());
        Patience patience;
        for (size_t sweep = 0; sweep < n_sweeps; ++sweep) {
            monitor_.poll(thread);
            bool rising = shift(plane, cutter);
            for (size_t c : active_) {
                std::fill(along.begin(), along.end(), 0.0);
                along[c] = 1;
                rising |= turn(plane, along, rows_.column[c], direction, random, patience, cutter);
            }
            for (size_t i = 0; i < random_directions && !rising; ++i) {
                std::fill(along.begin(), along.end(), 0.0);
                for (size_t c : active_) along[c] = 2 * random.uniform() - 1;
                rising = turn(plane, along, project(along), direction, random, patience, cutter);
            }
            if (!rising) return;
        }
    }
    /// Move the plane to where it cuts best; whether it rose.
    bool shift(Plane& plane, ScaledCutter& cutter) const {
        const auto [threshold, score] = cutter.turn(plane.value, ones_);
        if (!(score > plane.score + cutter.tolerance())) return false;
        plane.score = score;
        for (double& v : plane.value) v -= threshold;
        return true;
    }
    /// Turn the plane along one direction to its best angle, about a row drawn at random; whether it rose.
    bool turn(Plane& plane, const std::vector<double>& along, const std::vector<double>& step, std::vector<double>& direction,
              Random& random, Patience& patience, ScaledCutter& cutter) const {
        const double pivot = step[random.below(step.size())];
        for (size_t i = 0; i < step.size(); ++i) direction[i] = step[i] - pivot;
        const auto [angle, score] = cutter.turn(plane.value, direction);
        if (score == -infinity || !std::isfinite(angle)) return false;
        const bool better = score > plane.score + cutter.tolerance();
        if (!better && (score < plane.score - cutter.tolerance() || !patience.take(random))) return false;
        if (better) patience = {};
        plane.score = score;
        for (size_t c = 0; c < along.size(); ++c) plane.weight[c] -= angle * along[c];
        for (size_t i = 0; i < step.size(); ++i) plane.value[i] -= angle * direction[i];
        return better;
    }

    // ---- where to start ----------------------------------------------------------------------------------------------

    std::vector<std::vector<double>> first_starts(size_t axis) {
        std::vector<std::vector<double>> starts;
        std::vector<double> weight(rows_.width(), 0.0);
        weight[axis] = 1;
        starts.push_back(weight);
        if (rows_.rows.label) {
            const Plane by_axis = plane_of(std::move(weight), cutter_);
            for (std::vector<double> score : {superclass_of_split(by_axis), superclass_of_centroids()}) {
                for (int round = 0; round < 4; ++round) {  // a discriminant may tell other superclasses apart better
                    starts.push_back(discriminant(score));
                    std::vector<double> next = superclass_of_split(plane_of(std::vector<double>(starts.back()), cutter_));
                    if (next == score) break;
                    score = std::move(next);
                }
                if (rows_.totals.sums.size() == 2) break;
            }
        } else {
            starts.push_back(discriminant(rows_.target));
        }
        return starts;
    }
    /// 1 for rows of the classes of which more than their share is left of the plane.
    std::vector<double> superclass_of_split(const Plane& plane) const {
        std::vector<double> left(rows_.totals.sums.size(), 0.0);
        double weight = 0;
        for (size_t i = 0; i < rows_.size(); ++i) {
            if (plane.value[i] > 0) continue;
            left[static_cast<size_t>(rows_.label[i])] += rows_.weight[i];
            weight += rows_.weight[i];
        }
        return superclass([&](size_t k) { return left[k] * rows_.totals.weight > weight * rows_.totals.sums[k]; });
    }
    /// 1 for rows of the classes on one side of the others, along the longest axis of the classes' centroids.
    std::vector<double> superclass_of_centroids() const {
        const size_t k = rows_.totals.sums.size(), p = rows_.width();
        std::vector<double> centroid(k * p, 0.0), axis(p, 1.0), next(p);
        for (size_t c = 0; c < p; ++c)
            for (size_t i = 0; i < rows_.size(); ++i)
                centroid[static_cast<size_t>(rows_.label[i]) * p + c] += rows_.weight[i] * rows_.column[c][i];
        const auto along = [&](size_t of) {
            double sum = 0;
            for (size_t c = 0; c < p; ++c) sum += centroid[of * p + c] * axis[c];
            return rows_.totals.sums[of] > 0 ? sum / rows_.totals.sums[of] : 0.0;
        };
        for (int round = 0; round < 20; ++round) {  // power iteration
            std::fill(next.begin(), next.end(), 0.0);
            for (size_t of = 0; of < k; ++of) {
                const double projection = along(of);
                for (size_t c = 0; c < p; ++c) next[c] += projection * centroid[of * p + c];
            }
            double length = 0;
            for (double x : next) length += x * x;
            if (!(length > 0)) break;
            for (size_t c = 0; c < p; ++c) axis[c] = next[c] / std::sqrt(length);
        }
        return superclass([&](size_t of) { return along(of) > 0; });
    }
    template <class Inside>
    std::vector<double> superclass(Inside&& inside) const {
        std::vector<char> of_class(rows_.totals.sums.size());
        for (size_t k = 0; k < of_class.size(); ++k) of_class[k] = inside(k);
        std::vector<double> score(rows_.size());
        for (size_t i = 0; i < score.size(); ++i) score[i] = of_class[static_cast<size_t>(rows_.label[i])];
        return score;
    }
    /// The weights of the least-squares fit of a score, which for two groups is Fisher's discriminant, by conjugate gradients
    /// (Hestenes & Stiefel, 1952): stopped early it shrinks, so that collinear or many columns do no harm.
    std::vector<double> discriminant(const std::vector<double>& score) const {
        const size_t p = rows_.width(), n = rows_.size();
        double mean = 0;
        for (size_t i = 0; i < n; ++i) mean += rows_.weight[i] * score[i];
        mean /= rows_.totals.weight;
        std::vector<double> fit(p, 0.0), residual(p), step, image(n);
        const auto correlate = [&](const std::vector<double>& of,
                                   std::vector<double>& to) {  // Σ weight·column·of, per unit of weight
            for (size_t c = 0; c < p; ++c) {
                double sum = 0;
                for (size_t i = 0; i < n; ++i) sum += rows_.weight[i] * rows_.column[c][i] * of[i];
                to[c] = sum / rows_.totals.weight;
            }
        };
        const auto product = [&](const std::vector<double>& a, const std::vector<double>& b) {
            return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
        };
        for (size_t i = 0; i < n; ++i) image[i] = score[i] - mean;
        correlate(image, residual);
        step = residual;
        std::vector<double> turned(p);
        double length = product(residual, residual);
        const double enough = 1e-10 * length;
        for (size_t round = 0; round < std::min<size_t>(p, 30) && length > enough; ++round) {
            correlate(project(step), turned);
            for (size_t c = 0; c < p; ++c) turned[c] += 1e-6 * step[c];
            const double far = length / product(step, turned);
            for (size_t c = 0; c < p; ++c) {
                fit[c] += far * step[c];
                residual[c] -= far * turned[c];
            }
            const double next = product(residual, residual);
            for (size_t c = 0; c < p; ++c) step[c] = residual[c] + next / length * step[c];
            length = next;
        }
        return fit;
    }

    // ---- fewer weights -------------------------------------------------------------------------------------------------

    /// Keep the columns that are worth their weight, and let them refine.
    void thin_out(Plane& plane, size_t most) {
        keep_largest(plane);
        Random random(child_seed(seed_, most_starts + 1));
        refine(plane, most_sweeps, random);
        const auto without = [&](const Plane& of) {
            return cutters_.merits_without(of.value, of.columns, [&](size_t c, std::vector<double>& value) {
                for (size_t i = 0; i < value.size(); ++i) value[i] -= of.weight[c] * rows_.column[c][i];
            });
        };
        const auto drop = [&](Plane& of, size_t c) {
            of.weight[c] = 0;
            refine(of, 1 + 12 / of.columns.size(), random);  // planes of few columns are what is likely to stay
        };
        plane = thinned(rows_, std::move(plane), most, without, drop);
        refine(plane, most_sweeps, random);
    }
    /// Turn a plane about its own columns alone, from its weights on.
    void refine(Plane& plane, size_t n_sweeps, Random& random) {
        active_ = plane.columns;
        plane = plane_of(std::move(plane.weight), cutter_);
        descend(plane, n_sweeps, random, cutter_, 0);
        plane.columns = active_;
        std::vector<double> value = plane.value;
        rows_.mask(plane.columns, value);
        plane.merit = cutter_.merit(value);
        plane.bits = cutter_.bits();
    }
    void keep_largest(Plane& plane) {
        plane.columns = active_;
        std::erase_if(plane.columns, [&](size_t c) { return plane.weight[c] == 0; });
        if (plane.columns.size() <= most_columns) return;
        std::stable_sort(plane.columns.begin(), plane.columns.end(),
                         [&](size_t a, size_t b) { return std::fabs(plane.weight[a]) > std::fabs(plane.weight[b]); });
        for (size_t i = most_columns; i < plane.columns.size(); ++i) plane.weight[plane.columns[i]] = 0;
        plane.columns.resize(most_columns);
        std::sort(plane.columns.begin(), plane.columns.end());
    }

    const ScaledRows& rows_;
    uint64_t seed_;
    Monitor& monitor_;
    ScaledCutters cutters_;
    ScaledCutter& cutter_;  // of the thread that called
    std::vector<double> ones_;
    std::vector<size_t> active_;
};

}  // namespace treewright

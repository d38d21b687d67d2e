// Splits by the distance from a centre, Σ scale·(x − centre)² ≤ r² (sphere trees: Omohundro, 1989), features in standard units.
//
// The centres are the classes' centroids and medoids: of all rows of a class the medoid has the least sum of squared distances
// to the others, and is the one nearest to the centroid. For a number as target the rows above and below its mean are the
// classes.
#pragma once
#include <memory>

#include "scaled.hpp"

namespace treewright {

template <class C>
class SphereSearch {
public:
    /// A centre in standard units, and the columns whose distances count.
    struct Sphere {
        std::vector<double> centre;
        std::vector<size_t> columns;
        std::vector<double> distance = {};  // squared, of each row; missing values stand at the mean
        double merit = -infinity, bits = 0;
    };

    SphereSearch(const ScaledRows& rows, double impurity, int threads, Monitor& monitor)
        : rows_(rows), impurity_(impurity), threads_(threads), monitor_(monitor) {}

    /// The best sphere, of at most so many columns.
    Sphere best(size_t most) const {
        std::vector<Sphere> spheres;
        for (std::vector<double>& centre : centres()) spheres.push_back({std::move(centre), all_columns()});
        std::vector<std::unique_ptr<ScaledCutter<C>>> cutters(static_cast<size_t>(std::max(threads_, 1)));
        parallel_for(spheres.size(), threads_, [&](size_t i, int thread) {
            monitor_.poll(thread);
            auto& cutter = cutters[static_cast<size_t>(thread)];
            if (!cutter) cutter = std::make_unique<ScaledCutter<C>>(rows_, impurity_);
            value(spheres[i], *cutter);
        });
        Sphere* best = &spheres[0];
        for (Sphere& sphere : spheres)
            if (sphere.merit > best->merit + C::tolerance(rows_.totals, impurity_)) best = &sphere;
        thin_out(*best, most);
        return std::move(*best);
    }

private:
    std::vector<size_t> all_columns() const {
        std::vector<size_t> columns(rows_.width());
        std::iota(columns.begin(), columns.end(), size_t{0});
        return columns;
    }
    size_t n_groups() const { return C::classification ? rows_.totals.sums.size() : 2; }
    size_t group(size_t row) const {
        if constexpr (C::classification) return static_cast<size_t>(rows_.label[row]);
        else return rows_.target[row] * rows_.totals.weight > rows_.totals.sums[0];
    }
    /// The centroid and the medoid of each class present.
    std::vector<std::vector<double>> centres() const {
        const size_t k = n_groups(), p = rows_.width(), n = rows_.size();
        std::vector<double> weight(k, 0.0);
        std::vector<std::vector<double>> centroid(k, std::vector<double>(p, 0.0));
        for (size_t i = 0; i < n; ++i) weight[group(i)] += rows_.weight[i];
        for (size_t c = 0; c < p; ++c)
            for (size_t i = 0; i < n; ++i) centroid[group(i)][c] += rows_.weight[i] * rows_.column[c][i] / weight[group(i)];
        std::vector<double> nearest(k, infinity), distance(n, 0.0);
        std::vector<size_t> medoid(k, n);
        for (size_t c = 0; c < p; ++c)
            for (size_t i = 0; i < n; ++i) {
                const double apart = rows_.column[c][i] - centroid[group(i)][c];
                distance[i] += apart * apart;
            }
        for (size_t i = 0; i < n; ++i)
            if (distance[i] < nearest[group(i)]) {
                nearest[group(i)] = distance[i];
                medoid[group(i)] = i;
            }
        std::vector<std::vector<double>> centres;
        for (size_t of = 0; of < k; ++of) {
            if (medoid[of] == n) continue;
            centres.push_back(std::move(centroid[of]));
            std::vector<double>& row = centres.emplace_back(p);
            for (size_t c = 0; c < p; ++c) row[c] = rows_.column[c][medoid[of]];
        }
        return centres;
    }
    /// What a column adds to the squared distance of a row.
    double apart(const Sphere& sphere, size_t c, size_t row) const {
        const double distance = rows_.column[c][row] - sphere.centre[c];
        return distance * distance;
    }
    double merit(std::vector<double> distance, const std::vector<size_t>& columns, ScaledCutter<C>& cutter) const {
        rows_.mask(columns, distance);
        return cutter.merit(distance);
    }
    void value(Sphere& sphere, ScaledCutter<C>& cutter) const {
        sphere.distance.assign(rows_.size(), 0.0);
        for (size_t c : sphere.columns)
            for (size_t i = 0; i < rows_.size(); ++i) sphere.distance[i] += apart(sphere, c, i);
        sphere.merit = merit(sphere.distance, sphere.columns, cutter);
        sphere.bits = cutter.bits();
    }
    void thin_out(Sphere& sphere, size_t most) const {
        ScaledCutter<C> cutter(rows_, impurity_);
        const auto without = [&](const Sphere& of, size_t c) {
            std::vector<double> distance = of.distance;
            for (size_t i = 0; i < distance.size(); ++i) distance[i] -= apart(of, c, i);
            std::vector<size_t> others = of.columns;
            std::erase(others, c);
            return merit(std::move(distance), others, cutter);
        };
        const auto drop = [&](Sphere& of, size_t) {
            monitor_.poll(0);
            value(of, cutter);
        };
        sphere = thinned(rows_, std::move(sphere), most, without, drop);
    }

    const ScaledRows& rows_;
    double impurity_;
    int threads_;
    Monitor& monitor_;
};

}  // namespace treewright

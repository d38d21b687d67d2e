// Splits by the distance from a centre, Σ scale·(x − centre)² ≤ r² (sphere trees: Omohundro, 1989), features in standard units.
//
// The centres are the classes' centroids and medoids: of all rows of a class the medoid has the least sum of squared distances
// to the others, and is the one nearest to the centroid. For a number as target the rows above and below its mean are the
// classes.
#pragma once
#include "splits/scaled_rows.hpp"

namespace treewright {

class SphereSearch {
public:
    /// A centre in standard units, and the columns whose distances count.
    struct Sphere {
        static constexpr bool round = true;

        std::vector<double> centre;
        std::vector<size_t> columns;
        std::vector<double> distance = {};  // squared, of each row; missing values stand at the mean
        double merit = -infinity, bits = 0;
    };

    SphereSearch(Kernel& kernel, const ScaledRows& rows, double impurity, double tolerance, int threads, Monitor& monitor)
        : rows_(rows), tolerance_(tolerance), monitor_(monitor), cutters_(kernel, rows, impurity, threads) {}

    /// The best sphere, of at most so many columns.
    Sphere best(size_t most) {
        std::vector<Sphere> spheres;
        for (std::vector<double>& centre : centres()) spheres.push_back({std::move(centre), all_columns()});
        parallel_for(spheres.size(), cutters_.threads(), [&](size_t i, int thread) {
            monitor_.poll(thread);
            value(spheres[i], cutters_.of(thread));
        });
        Sphere* best = &spheres[0];
        for (Sphere& sphere : spheres)
            if (sphere.merit > best->merit + tolerance_) best = &sphere;
        thin_out(*best, most);
        return std::move(*best);
    }

private:
    std::vector<size_t> all_columns() const {
        std::vector<size_t> columns(rows_.width());
        std::iota(columns.begin(), columns.end(), size_t{0});
        return columns;
    }
    size_t n_groups() const { return rows_.rows.label ? rows_.totals.sums.size() : 2; }
    size_t group(size_t row) const {
        if (rows_.rows.label) return static_cast<size_t>(rows_.label[row]);
        return rows_.target[row] * rows_.totals.weight > rows_.totals.sums[0];
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
    void value(Sphere& sphere, ScaledCutter& cutter) const {
        sphere.distance.assign(rows_.size(), 0.0);
        for (size_t c : sphere.columns)
            for (size_t i = 0; i < rows_.size(); ++i) sphere.distance[i] += apart(sphere, c, i);
        std::vector<double> distance = sphere.distance;
        rows_.mask(sphere.columns, distance);
        sphere.merit = cutter.merit(distance);
        sphere.bits = cutter.bits();
    }
    void thin_out(Sphere& sphere, size_t most) {
        const auto without = [&](const Sphere& of) {
            return cutters_.merits_without(of.distance, of.columns, [&](size_t c, std::vector<double>& distance) {
                for (size_t i = 0; i < distance.size(); ++i) distance[i] -= apart(of, c, i);
            });
        };
        const auto drop = [&](Sphere& of, size_t) {
            monitor_.poll(0);
            value(of, cutters_.of(0));
        };
        sphere = thinned(rows_, std::move(sphere), most, without, drop);
    }

    const ScaledRows& rows_;
    double tolerance_;
    Monitor& monitor_;
    ScaledCutters cutters_;
};

}  // namespace treewright

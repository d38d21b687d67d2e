// Sums of products, and the equation of each node by sweeping columns in and out (Goodnight, 1979, A tutorial on the SWEEP
// operator).
#include "linear/equations.hpp"

#include <algorithm>
#include <limits>

namespace treewright {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double aliased = 1e-9;   // a column of which less is left beside the others says nothing of its own
constexpr double rounding = 1e-9;  // of the sum of squares about the mean: what terms of no use at all seem to save

/// A symmetric system of `size` unknowns; those swept in are solved for, the others are 0.
class Sweeper {
public:
    Sweeper(std::vector<double> matrix, size_t size) : m_(std::move(matrix)), width_(size + 1), swept_(size, 0) {}

    double at(size_t i, size_t j) const { return m_[i * width_ + j]; }
    double solution(size_t i) const { return at(i, width_ - 1); }
    double inverse(size_t i, size_t j) const { return -at(i, j); }
    double left() const { return at(width_ - 1, width_ - 1); }
    bool is_in(size_t i) const { return swept_[i] != 0; }

    /// Sweep an unknown in; one that the others determine stays out.
    void put_in(size_t k, double before) {
        if (at(k, k) > aliased * before && at(k, k) > 0) sweep(k, 1);
    }
    void take_out(size_t k) { sweep(k, 0); }

private:
    void sweep(size_t k, uint8_t in) {
        const double pivot = at(k, k);
        for (size_t i = 0; i < width_; ++i)
            for (size_t j = 0; j < width_ && i != k; ++j)
                if (j != k) m_[i * width_ + j] -= at(i, k) * at(k, j) / pivot;
        const double side = in ? 1 : -1;
        for (size_t i = 0; i < width_; ++i)
            if (i != k) {
                m_[i * width_ + k] *= side / pivot;
                m_[k * width_ + i] *= side / pivot;
            }
        m_[k * width_ + k] = -1 / pivot;
        swept_[k] = in;
    }

    std::vector<double> m_;
    size_t width_;
    std::vector<uint8_t> swept_;
};

/// The sums of one node, what its equation is drawn to, and how far.
struct NodeSums {
    std::span<const double> products;
    std::span<const double> prior;  // constant and coefficients
    double ridge;
    size_t size;  // columns, and one

    double at(size_t i, size_t j) const { return products[i * (size + 1) + j]; }
    double weight() const { return at(0, 0); }
    /// The sum of squares about the mean of an unknown, or of the target.
    double spread(size_t i) const { return std::max(0.0, at(i, i) - at(0, i) * at(0, i) / weight()); }
    double diagonal(size_t i) const { return at(i, i) + ridge; }

    Sweeper system() const {
        std::vector<double> m(products.begin(), products.end());
        for (size_t i = 0; i < size; ++i) {
            m[i * (size + 1) + i] += ridge;
            m[i * (size + 1) + size] += ridge * prior[i];
            m[size * (size + 1) + i] += ridge * prior[i];
        }
        return {std::move(m), size};
    }
};

/// The search for the terms of one node.
class Elimination {
public:
    Elimination(const NodeSums& sums, const EquationRules& rules)
        : sums_(sums),
          rules_(rules),
          rows_(sums.weight() / rules.unit),
          least_(rounding * sums.spread(sums.size)),
          system_(sums.system()) {
        system_.put_in(0, sums.diagonal(0));
        for (size_t i = 1; i < sums.size; ++i)
            if (sums.spread(i) > aliased * sums.at(i, i)) put_in(i);
    }

    /// Leave terms out for as long as it does not harm, then solve for those that are left from the start.
    void run() {
        double now = cost(squares(0), terms_);
        while (terms_ > 0) {
            size_t best = 0;
            double least = never;
            for (size_t i = 1; i < sums_.size; ++i)
                if (system_.is_in(i))
                    if (const double without = squares(i); best == 0 || without < least) best = i, least = without;
            const double then = cost(least, terms_ - 1);
            if (then > now + least_ && now < never) break;
            system_.take_out(best);
            --terms_;
            now = then;
        }
        Sweeper fresh = sums_.system();
        for (size_t i = 0; i < sums_.size; ++i)
            if (system_.is_in(i)) fresh.put_in(i, 0.0);
        system_ = std::move(fresh);
    }

    const Sweeper& system() const { return system_; }
    double cost(double squares, size_t terms) const {
        const double estimated = rules_.price * static_cast<double>(terms + 1);
        if (terms > 0 && rows_ <= estimated) return never;
        return squares * (rows_ + estimated) / std::max(rows_ - estimated, 1.0);
    }
    /// The sum of squares, without a term if `out` is not 0.
    double squares(size_t out) const {
        const double step = out == 0 ? 0.0 : system_.solution(out) / system_.inverse(out, out);
        double left = system_.left(), drawn = 0;
        if (out != 0) left += step * system_.solution(out);
        for (size_t i = 0; i < sums_.size; ++i) {
            if (!system_.is_in(i) || (i == out && out != 0)) continue;
            const double of_prior = system_.solution(i) - (out == 0 ? 0.0 : step * system_.inverse(i, out)) - sums_.prior[i];
            left += sums_.ridge * sums_.prior[i] * sums_.prior[i];
            drawn += sums_.ridge * of_prior * of_prior;
        }
        return std::max(0.0, left - drawn);
    }

private:
    void put_in(size_t i) {
        system_.put_in(i, sums_.diagonal(i));
        terms_ += system_.is_in(i);
    }

    const NodeSums& sums_;
    const EquationRules& rules_;
    double rows_, least_;
    Sweeper system_;
    size_t terms_ = 0;
};

}  // namespace

void add_products(const Matrix<double>& columns, std::span<const double> target, std::span<const double> weight,
                  std::span<const int64_t> node, std::span<double> products) {
    const auto q = static_cast<size_t>(columns.n_columns), width = q + 2;
    std::vector<double> u(width, 1.0);
    for (size_t row = 0; row < target.size(); ++row) {
        for (size_t j = 0; j < q; ++j) u[j + 1] = columns(static_cast<int64_t>(row), static_cast<int64_t>(j));
        u[q + 1] = target[row];
        double* to = products.data() + static_cast<size_t>(node[row]) * width * width;
        for (size_t i = 0; i < width; ++i) {
            const double scaled = weight[row] * u[i];
            for (size_t j = i; j < width; ++j) to[i * width + j] += scaled * u[j];
        }
    }
    for (size_t first = 0; first < products.size(); first += width * width)
        for (size_t i = 1; i < width; ++i)
            for (size_t j = 0; j < i; ++j) products[first + i * width + j] = products[first + j * width + i];
}

Equations fit_equations(std::span<const int32_t> parent, std::span<const double> products, size_t n_columns,
                        const EquationRules& rules) {
    const size_t n = parent.size(), size = n_columns + 1, width = n_columns + 2;
    Equations found{std::vector<double>(n * size, 0.0), std::vector<uint8_t>(n * n_columns, 0),
                    std::vector<double>(n * n_columns, 0.0), std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
    const std::vector<double> nothing(size, 0.0);
    for (size_t node = 0; node < n; ++node) {
        const bool root = parent[node] < 0;
        const auto above = static_cast<size_t>(std::max(parent[node], 0));
        const std::span<const double> prior(root ? nothing.data() : found.coefficient.data() + above * size, size);
        const NodeSums sums{products.subspan(node * width * width, width * width), prior, root ? 0.0 : rules.ridge * rules.unit,
                            size};
        double* to = found.coefficient.data() + node * size;
        if (!(sums.weight() > 0)) {  // it says what the node above would
            std::copy(prior.begin(), prior.end(), to);
            for (size_t j = 0; j < n_columns; ++j) found.used[node * n_columns + j] = found.used[above * n_columns + j];
            continue;
        }
        Elimination search(sums, rules);
        search.run();
        const Sweeper& solved = search.system();
        size_t terms = 0;
        double saved = 0;
        for (size_t i = 0; i < size; ++i) {
            if (!solved.is_in(i)) continue;
            to[i] = solved.solution(i);
            if (i == 0) continue;
            found.used[node * n_columns + i - 1] = 1;
            found.gain[node * n_columns + i - 1] = solved.solution(i) * solved.solution(i) / solved.inverse(i, i);
            saved += found.gain[node * n_columns + i - 1];
            ++terms;
        }
        found.squares[node] = search.squares(0);
        found.risk[node] = search.cost(found.squares[node], terms);
        const double all = std::max(0.0, sums.spread(size) - found.squares[node]);
        for (size_t j = 0; j < n_columns; ++j) found.gain[node * n_columns + j] *= saved > 0 ? all / saved : 0.0;
    }
    return found;
}

}  // namespace treewright

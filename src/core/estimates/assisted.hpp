// The loops of the assisted estimator that matrix products do not cover; one topic at a time, all runs asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "panels.hpp"
#include "pool/front.hpp"

namespace poolwise {

// Calls visit(document, rank) for the listed documents of a ranking down to a depth, best first.
template <class Visit>
void visit_list(const Pool& pool, std::uint32_t run, std::uint32_t topic, std::uint32_t depth, Visit visit) {
    const List* const list = pool.runs[run].list(topic);
    if (list == nullptr) return;
    const std::uint32_t* const rank = pool.runs[run].rank.data() + list->known_begin;
    const std::uint32_t* const document = pool.runs[run].document.data() + list->known_begin;
    for (std::uint32_t i = 0; i < list->known && rank[i] <= depth; ++i) visit(document[i], rank[i]);
}

// weights[run][document] = table[rank - 1] for the listed documents of a topic; 0 where a run does not retrieve one, or
// only below the end of the table.
inline void rank_weights(const Pool& pool, std::uint32_t topic, const std::vector<std::int32_t>& runs,
                         const double* table, std::size_t depth, std::size_t listed, double* weights) {
    for (std::size_t r = 0; r < runs.size(); ++r)
        visit_list(
            pool, runs[r], topic, static_cast<std::uint32_t>(depth),
            [&](std::uint32_t document, std::uint32_t rank) { weights[r * listed + document] = table[rank - 1]; });
}

// The listed documents to which some run gives a weight other than 0, by number. Documents far down weigh nothing in
// measures with a cut-off.
inline std::vector<std::int32_t> used_documents(const Pool& pool, std::uint32_t topic,
                                                const std::vector<std::int32_t>& runs, const double* table,
                                                std::size_t depth, std::size_t listed) {
    std::vector<char> weighs(listed, 0);
    for (const std::int32_t run : runs)
        visit_list(pool, run, topic, static_cast<std::uint32_t>(depth),
                   [&](std::uint32_t document, std::uint32_t rank) { weighs[document] |= table[rank - 1] != 0.0; });
    std::vector<std::int32_t> used;
    for (std::size_t document = 0; document < listed; ++document)
        if (weighs[document] != 0) used.push_back(static_cast<std::int32_t>(document));
    return used;
}

// The same as rank_weights for these documents alone.
inline void used_weights(const Pool& pool, std::uint32_t topic, const std::vector<std::int32_t>& runs,
                         const double* table, std::size_t depth, std::size_t listed,
                         const std::vector<std::int32_t>& used, double* weights) {
    std::vector<std::size_t> index(listed, used.size());
    for (std::size_t i = 0; i < used.size(); ++i) index[used[i]] = i;
    for (std::size_t r = 0; r < runs.size(); ++r)
        visit_list(pool, runs[r], topic, static_cast<std::uint32_t>(depth),
                   [&](std::uint32_t document, std::uint32_t rank) {
                       if (index[document] < used.size()) weights[r * used.size() + index[document]] = table[rank - 1];
                   });
}

// What all runs together say of each listed document: seven numbers, document by document.
// 0: sum of 1 - ln(rank) / ln(1001), at least 0; 1: sum of 1 / (rank + 10); 2: runs that retrieve it; 3: best rank, 0
// if none; 4, 5, 6: runs that rank it within 10, 30, 100.
inline void rank_summary(const Pool& pool, std::uint32_t topic, std::size_t listed, double* out) {
    struct Sums {
        double closeness, reciprocal;
        std::uint32_t runs, best, within[3];
    };
    const double scale = 1.0 / std::log(1001.0);
    std::vector<std::pair<double, double>> worth(1);  // by rank
    std::vector<Sums> sums(listed, Sums{});
    for (std::uint32_t r = 0; r < pool.runs.size(); ++r)
        visit_list(pool, r, topic, pool.depth, [&](std::uint32_t document, std::uint32_t rank) {
            for (std::size_t next = worth.size(); next <= rank; ++next)
                worth.emplace_back(std::max(0.0, 1.0 - std::log(static_cast<double>(next)) * scale),
                                   1.0 / (static_cast<double>(next) + 10.0));
            Sums& of_document = sums[document];
            of_document.closeness += worth[rank].first;
            of_document.reciprocal += worth[rank].second;
            of_document.runs += 1;
            of_document.best = std::min(of_document.best - 1, rank - 1) + 1;  // 0 is more than any
            of_document.within[0] += rank <= 10;
            of_document.within[1] += rank <= 30;
            of_document.within[2] += rank <= 100;
        });
    for (const Sums& of_document : sums) {
        const double row[7] = {of_document.closeness,
                               of_document.reciprocal,
                               static_cast<double>(of_document.runs),
                               static_cast<double>(of_document.best),
                               static_cast<double>(of_document.within[0]),
                               static_cast<double>(of_document.within[1]),
                               static_cast<double>(of_document.within[2])};
        out = std::copy(row, row + 7, out);
    }
}

// Calls visit(i, j) for all pairs j < i of n, in squares so small that rows and columns of matrices stay in the cache.
template <class Visit>
void visit_pairs(std::size_t n, Visit visit) {
    constexpr std::size_t side = 32;  // 8 KB of each matrix, of which a first-level cache holds four
    for (std::size_t top = 0; top < n; top += side)
        for (std::size_t left = 0; left <= top; left += side)
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = left; j < std::min(i, left + side); ++j) visit(i, j);
}

// The documents that a logistic fit rests on, n of them: q_ij = x_i' H^-1 x_j, and of each its residual, leverage and
// p (1 - p).
struct Fitted {
    const double *q, *residual, *leverage, *spread;
    std::size_t n;

    // Residuals of i and j with both left out, to first order. Near a divisor of 0 that step says nothing: with 0.05 at
    // least, a pair counts 20 times at most.
    std::pair<double, double> without(std::size_t i, std::size_t j) const {
        const double free_i = 1.0 - leverage[i], free_j = 1.0 - leverage[j];
        const double pull_i = spread[i] * q[i * n + j], pull_j = spread[j] * q[i * n + j];
        const double divisor = 1.0 / std::max(free_i * free_j - pull_i * pull_j, 0.05);
        return {(free_j * residual[i] + pull_i * residual[j]) * divisor,
                (free_i * residual[j] + pull_j * residual[i]) * divisor};
    }
};

// Residuals of pairs left out of a fit: for i with i and j left out (both), the part of that which is due to j
// (change), and w_i w_j both_ij both_ji (pairs); diagonals are 0.
inline void leave_pairs_out(const Fitted& fitted, const double* weight, double* both, double* change, double* pairs) {
    const std::size_t n = fitted.n;
    visit_pairs(n, [=](std::size_t i, std::size_t j) {
        const auto [left_i, left_j] = fitted.without(i, j);
        both[i * n + j] = left_i;
        both[j * n + i] = left_j;
        change[i * n + j] = left_i - fitted.residual[i] / (1.0 - fitted.leverage[i]);
        change[j * n + i] = left_j - fitted.residual[j] / (1.0 - fitted.leverage[j]);
        pairs[i * n + j] = pairs[j * n + i] = weight[i] * weight[j] * left_i * left_j;
    });
    for (std::size_t i = 0; i < n; ++i) both[i * n + i] = change[i * n + i] = pairs[i * n + i] = 0.0;
}

// n x n, symmetric: w_ij both_ij both_ji, where w_ij is w_i w_j, times `together` of i in pairs of one cell; 0 on the
// diagonal.
inline void pair_weights(const Fitted& fitted, const double* weight, const std::int64_t* cell, const double* together,
                         double* pairs) {
    const std::size_t n = fitted.n;
    visit_pairs(n, [=](std::size_t i, std::size_t j) {
        const auto [left_i, left_j] = fitted.without(i, j);
        const double w = weight[i] * weight[j] * (cell[i] == cell[j] ? together[i] : 1.0);
        pairs[i * n + j] = pairs[j * n + i] = w * left_i * left_j;
    });
    for (std::size_t i = 0; i < n; ++i) pairs[i * n + i] = 0.0;
}

// For each two grades g and h (grades x grades x n x n): w_ij part_g[i][j] part_h[j][i], where w_ij is w_i w_j, times
// `together` of i in pairs of one cell; 0 on the diagonals.
inline void pair_products(const std::vector<const double*>& parts, const double* weight, const std::int64_t* cell,
                          const double* together, std::size_t n, double* products) {
    const std::size_t grades = parts.size();
    visit_pairs(n, [&](std::size_t i, std::size_t j) {
        const double w = weight[i] * weight[j] * (cell[i] == cell[j] ? together[i] : 1.0);
        for (std::size_t g = 0; g < grades; ++g)
            for (std::size_t h = 0; h < grades; ++h) {
                const double product = w * parts[g][i * n + j] * parts[h][j * n + i];
                products[((g * grades + h) * n + i) * n + j] = product;
                products[((h * grades + g) * n + j) * n + i] = product;
            }
    });
    for (std::size_t k = 0; k < grades * grades; ++k)
        for (std::size_t i = 0; i < n; ++i) products[(k * n + i) * n + i] = 0.0;
}

// A topic's effects in a logistic regression, fitted without one of its documents: Newton's method with step halving.
// All fits start from the same effects, where one document less is taken off the sums over all.
class TopicFit {
   public:
    TopicFit(const double* columns, const double* y, const double* fixed, const double* start, const double* precision,
             std::size_t n, std::size_t k)
        : columns_(columns),
          y_(y),
          fixed_(fixed),
          start_(start),
          precision_(precision),
          n_(n),
          k_(k),
          panels_(columns, n, k),
          p_(n),
          weighted_(n * panel_width),
          slope_(k),
          step_(k),
          after_(k),
          hessian_(k * k) {
        value_ = likelihood(start, n);
        sum_up(n);
        start_p_ = p_;
        start_slope_ = slope_;
        start_hessian_ = hessian_;
    }

    // Fits `effects`; the document `left_out` does not count (n: all do).
    void run(double* effects, std::size_t left_out, int steps) {
        std::copy(start_, start_ + k_, effects);
        begin_without(left_out);
        double value = value_ - (left_out < n_ ? likelihood_of(left_out) : 0.0) - penalty(effects);
        for (int round = 0; round < steps; ++round) {
            if (round > 0) sum_up(left_out);
            if (newton_step(effects) < 1e-6) return;
            double share = 1.0;
            for (int halving = 0; halving < 6; ++halving, share /= 2.0) {
                for (std::size_t a = 0; a < k_; ++a) after_[a] = effects[a] + share * step_[a];
                const double now = likelihood(after_.data(), left_out) - penalty(after_.data());
                if (now >= value - 1e-9 || halving == 5) {
                    value = now;
                    break;
                }
            }
            std::copy(after_.begin(), after_.end(), effects);
        }
    }

   private:
    double predictor(const double* effects, std::size_t i) const {
        double eta = fixed_[i];
        for (std::size_t a = 0; a < k_; ++a) eta += columns_[i * k_ + a] * effects[a];
        return eta;
    }

    double likelihood_of(std::size_t i) const {
        const double eta = predictor(start_, i);
        return y_[i] * eta - std::max(eta, 0.0) - std::log1p(std::exp(-std::fabs(eta)));
    }

    // The logarithm of it; leaves the probabilities in p_. Logarithms of 1 + exp(-|eta|) are taken of products of many.
    double likelihood(const double* effects, std::size_t left_out) {
        constexpr std::size_t many = 512;  // each factor is 2 at most, and a double holds 2^1023
        double value = 0.0, product = 1.0;
        for (std::size_t i = 0; i < n_; ++i) {
            const double eta = predictor(effects, i), small = std::exp(-std::fabs(eta)), part = 1.0 / (1.0 + small);
            p_[i] = eta >= 0.0 ? part : small * part;
            if (i == left_out) continue;
            value += y_[i] * eta - std::max(eta, 0.0);
            product *= 1.0 + small;
            if (i % many == many - 1) value -= std::log(std::exchange(product, 1.0));
        }
        return value - std::log(product);
    }

    double penalty(const double* effects) const {
        double sum = 0.0;
        for (std::size_t a = 0; a < k_; ++a) sum += 0.5 * precision_[a] * effects[a] * effects[a];
        return sum;
    }

    // What all documents but one add to the slope and to the lower half of the Hessian, at p_.
    void sum_up(std::size_t left_out) {
        std::fill(slope_.begin(), slope_.end(), 0.0);
        for (std::size_t i = 0; i < n_; ++i) {
            const double residual = i == left_out ? 0.0 : y_[i] - p_[i];
            for (std::size_t a = 0; a < k_; ++a) slope_[a] += residual * columns_[i * k_ + a];
        }
        double block[panel_width * panel_width];
        for (std::size_t a = 0; a < panels_.count(); ++a) {
            const double* const panel = panels_.panel(a);
            for (std::size_t i = 0; i < n_; ++i) {
                const double weight = i == left_out ? 0.0 : p_[i] * (1.0 - p_[i]);
                for (std::size_t q = 0; q < panel_width; ++q)
                    weighted_[i * panel_width + q] = weight * panel[i * panel_width + q];
            }
            for (std::size_t b = 0; b <= a; ++b) {
                panels::loops().square(weighted_.data(), panels_.panel(b), n_, block);
                const std::size_t top = a * panel_width, left = b * panel_width;
                for (std::size_t r = 0; r < std::min(panel_width, k_ - top); ++r)
                    std::copy(block + r * panel_width, block + r * panel_width + std::min(panel_width, k_ - left),
                              hessian_.begin() + static_cast<std::ptrdiff_t>((top + r) * k_ + left));
            }
        }
    }

    // The sums at the start, without a document.
    void begin_without(std::size_t left_out) {
        p_ = start_p_;
        slope_ = start_slope_;
        hessian_ = start_hessian_;
        if (left_out >= n_) return;
        const double* const x = columns_ + left_out * k_;
        const double residual = y_[left_out] - p_[left_out], weight = p_[left_out] * (1.0 - p_[left_out]);
        for (std::size_t a = 0; a < k_; ++a) {
            slope_[a] -= residual * x[a];
            for (std::size_t b = 0; b <= a; ++b) hessian_[a * k_ + b] -= weight * x[a] * x[b];
        }
    }

    // Solves for step_ with the priors added to the sums; returns slope * step.
    double newton_step(const double* effects) {
        for (std::size_t a = 0; a < k_; ++a) {
            slope_[a] -= precision_[a] * effects[a];
            hessian_[a * k_ + a] += precision_[a];
        }
        solve();
        double gain = 0.0;
        for (std::size_t a = 0; a < k_; ++a) gain += slope_[a] * step_[a];
        return std::fabs(gain);
    }

    // Cholesky; the Hessian is positive definite because all precisions are positive.
    void solve() {
        for (std::size_t a = 0; a < k_; ++a) {
            double* const row = hessian_.data() + a * k_;
            for (std::size_t b = 0; b <= a; ++b) {
                const double* const other = hessian_.data() + b * k_;
                double sum = row[b];
                for (std::size_t c = 0; c < b; ++c) sum -= row[c] * other[c];
                row[b] = a == b ? std::sqrt(sum) : sum / other[b];
            }
        }
        for (std::size_t a = 0; a < k_; ++a) {
            double sum = slope_[a];
            for (std::size_t c = 0; c < a; ++c) sum -= hessian_[a * k_ + c] * step_[c];
            step_[a] = sum / hessian_[a * k_ + a];
        }
        for (std::size_t a = k_; a-- > 0;) {
            double sum = step_[a];
            for (std::size_t c = a + 1; c < k_; ++c) sum -= hessian_[c * k_ + a] * step_[c];
            step_[a] = sum / hessian_[a * k_ + a];
        }
    }

    const double *columns_, *y_, *fixed_, *start_, *precision_;
    const std::size_t n_, k_;
    const ColumnPanels panels_;
    std::vector<double> p_, weighted_, slope_, step_, after_, hessian_;
    std::vector<double> start_p_, start_slope_, start_hessian_;
    double value_ = 0.0;
};

}  // namespace poolwise

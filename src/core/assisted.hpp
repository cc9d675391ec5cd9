// The loops of the assisted estimator that matrix products do not cover; one topic at a time, all runs asked for.
#pragma once

#include <algorithm>
#include <cmath>

#include "pool.hpp"

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
    std::vector<std::size_t> place(listed, used.size());
    for (std::size_t i = 0; i < used.size(); ++i) place[used[i]] = i;
    for (std::size_t r = 0; r < runs.size(); ++r)
        visit_list(pool, runs[r], topic, static_cast<std::uint32_t>(depth),
                   [&](std::uint32_t document, std::uint32_t rank) {
                       if (place[document] < used.size()) weights[r * used.size() + place[document]] = table[rank - 1];
                   });
}

// What all runs together say of each listed document: seven numbers, document by document.
// 0: sum of 1 - ln(rank) / ln(1001), at least 0; 1: sum of 1 / (rank + 10); 2: runs that retrieve it; 3: best rank, 0
// if none; 4, 5, 6: runs that rank it within 10, 30, 100.
inline void rank_summary(const Pool& pool, std::uint32_t topic, double* out) {
    const double scale = 1.0 / std::log(1001.0);
    std::vector<double> closeness;
    for (std::uint32_t r = 0; r < pool.runs.size(); ++r)
        visit_list(pool, r, topic, pool.depth, [&](std::uint32_t document, std::uint32_t rank) {
            while (closeness.size() <= rank)
                closeness.push_back(std::max(0.0, 1.0 - std::log(std::max<double>(1.0, closeness.size())) * scale));
            double* const row = out + std::size_t{7} * document;
            row[0] += closeness[rank];
            row[1] += 1.0 / (rank + 10.0);
            row[2] += 1.0;
            row[3] = row[3] == 0.0 ? rank : std::min<double>(row[3], rank);
            row[4] += rank <= 10;
            row[5] += rank <= 30;
            row[6] += rank <= 100;
        });
}

// Calls visit(i, j) for all pairs j < i of n, in squares so small that rows and columns of matrices stay in the cache.
template <class Visit>
void visit_pairs(std::size_t n, Visit visit) {
    constexpr std::size_t side = 32;
    for (std::size_t top = 0; top < n; top += side)
        for (std::size_t left = 0; left <= top; left += side)
            for (std::size_t i = top; i < std::min(n, top + side); ++i)
                for (std::size_t j = left; j < std::min(i, left + side); ++j) visit(i, j);
}

// Residuals of pairs left out of a logistic fit, to first order: for i with i and j left out (both), the part of that
// which is due to j (change), and w_i w_j both_ij both_ji (pairs). q_ij = x_i' H^-1 x_j; diagonals are 0.
inline void leave_pairs_out(const double* q, const double* residual, const double* leverage, const double* spread,
                            const double* weight, std::size_t n, double* both, double* change, double* pairs) {
    visit_pairs(n, [=](std::size_t i, std::size_t j) {
        const double free_i = 1.0 - leverage[i], free_j = 1.0 - leverage[j];
        const double pull_i = spread[i] * q[i * n + j], pull_j = spread[j] * q[i * n + j];
        const double divisor = 1.0 / std::max(free_i * free_j - pull_i * pull_j, 0.05);
        const double left_i = (free_j * residual[i] + pull_i * residual[j]) * divisor;
        const double left_j = (free_i * residual[j] + pull_j * residual[i]) * divisor;
        both[i * n + j] = left_i;
        both[j * n + i] = left_j;
        change[i * n + j] = left_i - residual[i] / free_i;
        change[j * n + i] = left_j - residual[j] / free_j;
        pairs[i * n + j] = pairs[j * n + i] = weight[i] * weight[j] * left_i * left_j;
    });
    for (std::size_t i = 0; i < n; ++i) both[i * n + i] = change[i * n + i] = pairs[i * n + i] = 0.0;
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
class TopicFit {
   public:
    TopicFit(const double* columns, const double* y, const double* fixed, const double* precision, std::size_t n,
             std::size_t k)
        : columns_(columns),
          y_(y),
          fixed_(fixed),
          precision_(precision),
          n_(n),
          k_(k),
          p_(n),
          slope_(k),
          step_(k),
          after_(k),
          hessian_(k * k) {}

    // Fits `effects` from where they stand; the document `left_out` does not count.
    void run(double* effects, std::size_t left_out, int steps) {
        double value = objective(effects, left_out);
        for (int round = 0; round < steps; ++round) {
            if (newton_step(effects, left_out) < 1e-6) return;
            double share = 1.0;
            for (int halving = 0; halving < 6; ++halving, share /= 2.0) {
                for (std::size_t a = 0; a < k_; ++a) after_[a] = effects[a] + share * step_[a];
                const double now = objective(after_.data(), left_out);
                if (now >= value - 1e-9 || halving == 5) {
                    value = now;
                    break;
                }
            }
            std::copy(after_.begin(), after_.end(), effects);
        }
    }

   private:
    // Penalised log likelihood; leaves the probabilities in p_.
    double objective(const double* effects, std::size_t left_out) {
        double value = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            double eta = fixed_[i];
            for (std::size_t a = 0; a < k_; ++a) eta += columns_[i * k_ + a] * effects[a];
            const double small = std::exp(-std::fabs(eta));
            p_[i] = eta >= 0.0 ? 1.0 / (1.0 + small) : small / (1.0 + small);
            if (i != left_out) value += y_[i] * eta - std::max(eta, 0.0) - std::log1p(small);
        }
        for (std::size_t a = 0; a < k_; ++a) value -= 0.5 * precision_[a] * effects[a] * effects[a];
        return value;
    }

    // Solves for step_ at p_; returns slope * step.
    double newton_step(const double* effects, std::size_t left_out) {
        std::fill(hessian_.begin(), hessian_.end(), 0.0);
        for (std::size_t a = 0; a < k_; ++a) {
            slope_[a] = -precision_[a] * effects[a];
            hessian_[a * k_ + a] = precision_[a];
        }
        for (std::size_t i = 0; i < n_; ++i) {
            if (i == left_out) continue;
            const double* const x = columns_ + i * k_;
            const double residual = y_[i] - p_[i], weight = p_[i] * (1.0 - p_[i]);
            for (std::size_t a = 0; a < k_; ++a) {
                slope_[a] += residual * x[a];
                const double scaled = weight * x[a];
                for (std::size_t b = 0; b <= a; ++b) hessian_[a * k_ + b] += scaled * x[b];
            }
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

    const double *columns_, *y_, *fixed_, *precision_;
    const std::size_t n_, k_;
    std::vector<double> p_, slope_, step_, after_, hessian_;
};

}  // namespace poolwise

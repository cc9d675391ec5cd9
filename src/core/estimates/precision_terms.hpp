// Average precision under uncertain labels: the plug-in of every run on one topic, and its corrections.
//
// docs/theory/assisted.md, sections "The plug-in", "First order" and "Second order". Of the N listed documents n are
// judged and speak for others, the chosen ones; m of these had the model fitted anew without them.
#pragma once

#include "poisson.hpp"
#include "precision_sums.hpp"

namespace poolwise {

// The mean of 1 / R, with some known relevant documents more or fewer, and its differences. Parts of S have one
// uncertain document more each, so that what belongs to part s of three is found s steps farther on.
class MeanReciprocals {
   public:
    MeanReciprocals(double loose, std::int64_t known) {
        Poisson number;
        number.look(loose);
        for (int more = fewest; more <= most; ++more) table_[more - fewest] = mean_reciprocal(number, known + more);
    }

    double at(int more) const { return table_[more - fewest]; }
    double step(int more) const { return at(more + 1) - at(more); }
    double curvature(int more) const { return at(more + 2) - 2.0 * at(more + 1) + at(more); }

    double of(const double* parts) const { return at(0) * parts[0] + at(1) * parts[1] + at(2) * parts[2]; }
    double steps(int more, const double* parts) const {
        return step(more) * parts[0] + step(more + 1) * parts[1] + step(more + 2) * parts[2];
    }
    double bends(const double* parts) const {
        return curvature(0) * parts[0] + curvature(1) * parts[1] + curvature(2) * parts[2];
    }

   private:
    static constexpr int fewest = -2, most = 5;  // relevant documents more or less that second differences ask for
    double table_[most - fewest + 1];
};

// What is known of a topic.
struct PrecisionTopic {
    std::size_t listed, chosen;
    const double *known, *loose;       // N: 1 where a document is judged relevant; the probability of an unjudged one
    const double* weight;              // N: what the square of A(1) - A(0) counts in the expected variance
    const std::int32_t* chosen_index;  // N: number among chosen documents, or -1
    const double* residual;            // n: of chosen documents, left out of the fit
    const double* pairs;               // n x n, symmetric: weights times residuals of pairs
    const double* columns;             // N x width: columns whose effects are shared
    std::size_t width;                 // 0: no slopes are asked for
    const double* factor;              // N x factors: errors that documents share
    std::size_t factors;
    const double* anew;                         // N x m: probabilities without each of m documents
    const std::vector<std::int32_t>& left_out;  // m: these documents
};

// Where the terms of one run go.
struct PrecisionFound {
    double *value, *expected, *expected_curvature;
    double *first, *curvature;  // n
    double* slopes;             // width
    double *parts, *mixed;      // 3 each: parts of S; sums of s with what a bracket has of these
    double* s;                  // N: what a bracket has of the slopes; or nothing
};

class PrecisionTerms {
   public:
    PrecisionTerms(const Pool& pool, std::uint32_t topic, std::uint32_t depth, const PrecisionTopic& about)
        : pool_(pool),
          topic_(topic),
          depth_(depth),
          about_(about),
          known_(static_cast<std::int64_t>(std::llround(sum(about.known)))),
          mean_(sum(about.loose), known_),
          columns_(about.columns, about.listed, about.width),
          factors_(about.factor, about.listed, about.factors),
          pairs_(about.pairs, about.chosen, about.chosen),
          left_out_(indices_of(about)),
          variants_(about.anew, left_out_, about.listed, about.chosen),
          asked_(about.listed),
          of_chosen_(about.chosen),
          near_(about.chosen),
          far_(about.chosen),
          one_(about.left_out.size()),
          two_(about.left_out.size()),
          far_anew_(about.left_out.size()),
          once_(about.width, 0.0),
          twice_(about.width, 0.0) {
        ask_of_documents();
        look_at_factors();
        look_at_columns();
        look_at_pairs();
        look_at_variants();
    }

    // Sums over documents of what a bracket has of the parts of S, with one another: 3 x 3.
    const double* rest() const { return rest_; }

    void look(std::uint32_t run, const PrecisionFound& out) {
        std::fill(near_.begin(), near_.end(), 0.0);
        std::fill(far_.begin(), far_.end(), 0.0);
        std::fill(far_anew_.begin(), far_anew_.end(), 0.0);
        double found[found_columns];
        precision_sums(pool_, run, topic_, depth_, asked_.data(), about_.chosen_index, slopes_, steps_, found, out.s);
        for (const ChosenTerm& term : steps_.chosen) {
            near_[term.index] = term.near;
            far_[term.index] = term.far;
        }
        const double* const parts = found;
        *out.value = mean_.of(parts) - twice(parts, found + 3, squares_);
        *out.expected = expected(parts, found[7], found + 8);
        std::copy(parts, parts + 3, out.parts);
        std::copy(found + 8, found + 11, out.mixed);
        carry(columns_, steps_.carried.data(), steps_.carried.size(), about_.width, out.slopes);
        const double by_once = mean_.steps(0, parts), by_twice = mean_.bends(parts);
        for (std::size_t c = 0; c < about_.width; ++c) out.slopes[c] += by_once * once_[c] - by_twice * twice_[c];
        const double joint = joint_sum(factors_, steps_.loose);
        *out.expected_curvature = mean_.at(2) * joint + twice(parts, found + 5, together_);
        variants_.look(steps_, one_.data(), two_.data(), far_anew_.data());
        first(parts, out.first);
        curvature(parts, out.curvature);
    }

   private:
    // Of a chosen document, whose label is y.
    struct Chosen {
        int label;         // y
        double with[2];    // sums of pairs with those that are not relevant, and with those that are
        double near, far;  // what its own slopes count in B
        double rest[3];    // and parts of S
    };

    // Of a document without which the model was fitted anew.
    struct Variant {
        std::size_t index;
        MeanReciprocals mean;
    };

    // Of the documents that the model was fitted without: their indices among chosen ones.
    static std::vector<std::size_t> indices_of(const PrecisionTopic& about) {
        std::vector<std::size_t> indices;
        for (const std::int32_t document : about.left_out)
            indices.push_back(static_cast<std::size_t>(about.chosen_index[document]));
        return indices;
    }

    double sum(const double* values) const { return std::accumulate(values, values + about_.listed, 0.0); }

    // Half the sum of squares, say p^2, times the second derivative of A by p: Poisson's law lets a document be
    // relevant twice, with chance p^2 / 2; it can be once or not at all.
    double twice(const double* parts, const double* slopes, double total) const {
        return mean_.step(1) * slopes[0] + mean_.step(2) * slopes[1] + 0.5 * total * mean_.bends(parts);
    }

    double expected(const double* parts, double squares, const double* mixed) const {
        double sum = squares;
        for (int a = 0; a < 3; ++a) {
            sum += 2.0 * mixed[a] * parts[a];
            for (int b = 0; b < 3; ++b) sum += parts[a] * rest_[3 * a + b] * parts[b];
        }
        return sum;
    }

    // How A(1) - A(0) of each document is made of its two slopes and the three parts of S. An uncertain document is
    // first taken out of the uncertain ones: the mean of 1 / R with that much less is, to first order, what it is with
    // p known relevant documents less.
    void ask_of_documents() {
        for (std::size_t d = 0; d < about_.listed; ++d) {
            const double p = about_.loose[d], weight = about_.weight[d];
            const bool is_loose = p > 0.0, relevant = about_.known[d] > 0.5;
            double table[4], rest[3];
            for (int more = 0; more < 4; ++more)
                table[more] = relevant ? mean_.at(more - 1) : mean_.at(more) - mean_.step(more) * p;
            for (int k = 0; k < 3; ++k) rest[k] = table[k + 1] - table[k];
            DocumentInputs& inputs = asked_[d];
            inputs.known = about_.known[d];
            inputs.loose = p;
            inputs.first = p * p;
            squares_ += p * p;
            const double held = is_loose ? p : inputs.known;  // the document's own part of S goes with it
            inputs.by_near = table[1] - held * rest[is_loose ? 1 : 0];
            inputs.by_far = table[2] - held * rest[is_loose ? 2 : 1];
            inputs.weight = weight;
            const double moved = p * (1.0 - p);  // with the linear predictor
            inputs.carry_near = moved * (mean_.at(1) - 2.0 * mean_.step(1) * p);
            inputs.carry_far = moved * (mean_.at(2) - 2.0 * mean_.step(2) * p);
            for (int k = 0; k < 3; ++k) {
                inputs.mixed[k] = weight * rest[k];
                for (int l = 0; l < 3; ++l) rest_[3 * k + l] += weight * rest[k] * rest[l];
            }
        }
    }

    // For each document the sum over all others of the covariances of their errors with its own.
    void look_at_factors() {
        std::vector<double> total(about_.factors, 0.0);
        for (std::size_t d = 0; d < about_.listed; ++d)
            for (std::size_t f = 0; f < about_.factors; ++f) total[f] += about_.factor[d * about_.factors + f];
        for (std::size_t d = 0; d < about_.listed; ++d) {
            const double* const row = about_.factor + d * about_.factors;
            double sum = 0.0;
            for (std::size_t f = 0; f < about_.factors; ++f) sum += row[f] * (total[f] - row[f]);
            asked_[d].second = sum;
            together_ += sum;
        }
    }

    void look_at_columns() {
        for (std::size_t d = 0; d < about_.listed; ++d) {
            const double p = about_.loose[d], moved = p * (1.0 - p), again = p * moved;
            const double* const row = about_.columns + d * about_.width;
            for (std::size_t c = 0; c < about_.width; ++c) {
                once_[c] += moved * row[c];
                twice_[c] += again * row[c];
            }
        }
    }

    // H_ij = A(1, 1) - A(1, 0) - A(0, 1) + A(0, 0) depends on how many of i and j are relevant, t.
    void look_at_pairs() {
        const std::size_t n = about_.chosen;
        for (std::size_t d = 0; d < about_.listed; ++d)
            if (about_.chosen_index[d] >= 0) of_chosen_[about_.chosen_index[d]].label = about_.known[d] > 0.5;
        for (std::size_t i = 0; i < n; ++i)
            if (of_chosen_[i].label == 1) relevant_.push_back(i);
        // 1 / the larger rank enters through S with both, and through what S and slopes are without the other's label
        for (int t = 0; t < 3; ++t) both_[t] = mean_.at(2 - t) - t * mean_.step(1 - t) + (t == 2) * mean_.curvature(-2);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j) {
                of_near_[i][j] = mean_.step(1 - i - j) - j * mean_.curvature(-i - j);
                of_far_[i][j] = mean_.step(2 - i - j) - j * mean_.curvature(1 - i - j);
            }
        for (std::size_t i = 0; i < n; ++i) {
            Chosen& chosen = of_chosen_[i];
            double all = 0.0, relevant = 0.0;
            for (std::size_t j = 0; j < n; ++j) all += about_.pairs[i * n + j];
            for (const std::size_t j : relevant_) relevant += about_.pairs[i * n + j];
            chosen.with[0] = all - relevant;
            chosen.with[1] = relevant;
            chosen.near = of_near_[0][chosen.label] * chosen.with[0] + of_near_[1][chosen.label] * chosen.with[1];
            chosen.far = of_far_[0][chosen.label] * chosen.with[0] + of_far_[1][chosen.label] * chosen.with[1];
            for (int s = 0; s < 3; ++s)
                chosen.rest[s] = mean_.curvature(s - chosen.label) * chosen.with[0] +
                                 mean_.curvature(s - chosen.label - 1) * chosen.with[1];
        }
    }

    void look_at_variants() {
        const std::size_t m = about_.left_out.size();
        std::vector<double> expected(m, 0.0);
        for (std::size_t d = 0; d < about_.listed; ++d)
            if (about_.loose[d] > 0.0)
                for (std::size_t v = 0; v < m; ++v) expected[v] += about_.anew[d * m + v];
        for (std::size_t v = 0; v < m; ++v) {
            anew_.push_back({left_out_[v], MeanReciprocals(expected[v], known_ - of_chosen_[left_out_[v]].label)});
        }
    }

    // u_i = e_i [A(1) - A(0)], i not judged otherwise. Its label is still in the parts of S.
    void first(const double* parts, double* out) const {
        double near[2], far[2], rest[2];
        for (int y = 0; y < 2; ++y) {
            near[y] = mean_.at(1 - y) - y * mean_.step(-y);
            far[y] = mean_.at(2 - y) - y * mean_.step(1 - y);
            rest[y] = mean_.steps(-y, parts);
        }
        for (std::size_t i = 0; i < about_.chosen; ++i) {
            const int y = of_chosen_[i].label;
            out[i] = near_[i] * near[y] + far_[i] * far[y] + rest[y];
        }
        for (std::size_t v = 0; v < anew_.size(); ++v) {
            const std::size_t i = anew_[v].index;
            const MeanReciprocals& mean = anew_[v].mean;
            const int y = of_chosen_[i].label;
            const double without[3] = {parts[0] - y * near_[i], one_[v] - y * far_anew_[v], two_[v]};
            out[i] = near_[i] * mean.at(1) + far_anew_[v] * mean.at(2) + mean.steps(0, without);
        }
        for (std::size_t i = 0; i < about_.chosen; ++i) out[i] *= about_.residual[i];
    }

    // B_i = sum over j of P_ij H_ij.
    void curvature(const double* parts, double* out) {
        const std::size_t n = about_.chosen;
        ranked_.clear();
        steps_.carried.begin(steps_.chosen.size());
        for (const ChosenTerm& term : steps_.chosen) {
            const int y = of_chosen_[term.index].label;
            ranked_.push_back({term.index, y, term.share, of_near_[1][y] * term.near + of_far_[1][y] * term.far});
            steps_.carried.next() = {term.index, of_near_[0][y] * term.near + of_far_[0][y] * term.far};
        }
        carry(pairs_, steps_.carried.data(), steps_.carried.size(), n, out);
        for (const std::size_t i : relevant_) {
            const double* const row = about_.pairs + i * n;
            out[i] = 0.0;
            for (const Other& other : ranked_) out[i] += row[other.index] * other.of_slopes;
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Chosen& chosen = of_chosen_[i];
            out[i] += near_[i] * chosen.near + far_[i] * chosen.far + chosen.rest[0] * parts[0] +
                      chosen.rest[1] * parts[1] + chosen.rest[2] * parts[2];
        }
        add_pairs_of_ranks(out);
    }

    // The sum over pairs that a run retrieves of what 1 / the larger rank adds.
    void add_pairs_of_ranks(double* out) const {
        for (std::size_t a = 0; a < ranked_.size(); ++a) {
            const Other& lower = ranked_[a];
            const double* const row = about_.pairs + lower.index * about_.chosen;
            const double by_label[2] = {both_[lower.label] * lower.share, both_[lower.label + 1] * lower.share};
            double sum = 0.0;
            for (std::size_t b = 0; b < a; ++b) {
                const double term = row[ranked_[b].index] * by_label[ranked_[b].label];
                out[ranked_[b].index] += term;
                sum += term;
            }
            out[lower.index] += sum;
        }
    }

    // A chosen document in a ranking.
    struct Other {
        std::uint32_t index;
        int label;
        double share;      // 1 / rank
        double of_slopes;  // what its slopes have in H with a relevant document
    };

    const Pool& pool_;
    const std::uint32_t topic_, depth_;
    const PrecisionTopic about_;
    const std::int64_t known_;
    const MeanReciprocals mean_;
    const ColumnPanels columns_, factors_, pairs_;
    const std::vector<std::size_t> left_out_;
    PrecisionVariants variants_;
    std::vector<DocumentInputs> asked_;
    std::vector<Chosen> of_chosen_;
    std::vector<std::size_t> relevant_;
    std::vector<Variant> anew_;
    std::vector<double> near_, far_, one_, two_, far_anew_, once_, twice_;
    std::vector<Other> ranked_;
    Slopes slopes_;
    PrecisionSteps steps_;
    double squares_ = 0.0, together_ = 0.0, rest_[9] = {}, both_[3] = {}, of_near_[2][2] = {}, of_far_[2][2] = {};
};

}  // namespace poolwise

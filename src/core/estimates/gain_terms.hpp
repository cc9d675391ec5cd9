// Measures that are a sum of gain x discount divided by an ideal, under uncertain labels: the plug-in of every run on
// one topic, and its corrections.
//
// docs/theory/assisted.md, sections "The plug-in", "First order" and "Second order". Labels have classes 0 to G, z_dg
// is the probability that document d has class g or more, b_g a step of gain from class g - 1 to g. Of the N listed
// documents n are judged and speak for others, the chosen ones; m of these had the model fitted anew without them.
#pragma once

#include <limits>

#include "poisson.hpp"
#include "precision_sums.hpp"

namespace poolwise {

// What is known of a topic; everything by document is over the listed ones.
struct GainTopic {
    std::size_t listed, chosen, grades;
    const double* table;  // discounts by rank
    std::size_t depth;
    const double* gains;                  // G + 1
    const double *tail_chance, *chances;  // N x G: z, 0 or 1 where a document is judged; probabilities of the stages
    const std::int32_t* classes;          // N: below 0 where a document is not judged
    const double* predicted;              // N x G: z as the model says it, for judged documents too
    const double* speaks_for;             // N
    const std::int32_t* chosen_index;     // N: number among chosen documents, or -1
    const double* residual;               // n x G: of chosen documents, left out of the fit
    const double* pairs;    // G x G x n x n: weights times residuals of pairs, of class g or more and h or more
    const double* columns;  // N x width: columns whose effects are shared
    std::size_t width;      // 0: no slopes are asked for
    const double* anew;     // G x N x m: z without each of m documents
    const std::vector<std::int32_t>& left_out;  // m: these documents
};

// Where the terms of one run go.
struct GainFound {
    double *value, *expected, *total, *mixed;  // of DCG / I; total: DCG
    double *first, *curvature;                 // n
    double* slopes;                            // G x width
    std::size_t stage;                         // how far apart slopes of two stages are
};

class GainTerms {
   public:
    GainTerms(const Pool& pool, std::uint32_t topic, const std::vector<std::int32_t>& runs, const Worths* worths,
              const GainTopic& about)
        : pool_(pool),
          topic_(topic),
          about_(about),
          steps_of_gain_(about.grades),
          ideal_(worths, counts(), steps_of_gain_),
          best_(ideal_.divisor(Class{0})),
          used_(used_documents(pool, topic, runs, about.table, about.depth, about.listed)),
          row_(rows_of_used()),
          judged_(chosen_among_used()),
          columns_(about.columns, used_, about.width),
          anew_(gains_anew().data(), used_.size(), about.left_out.size()),
          pairs_(mixed_pairs().data(), judged_.size(), about.chosen),
          documents_(used_.size()),
          of_chosen_(about.chosen),
          totals_(about.left_out.size()),
          along_(about.chosen),
          grow_(about.grades * about.width, 0.0) {
        look_at_documents();
        look_at_chosen(worths);
        look_at_columns();
    }

    // Over all documents: squares of what DCG adds to the expected variance; and by listed document, those of
    // discounts.
    double rest() const { return rest_; }
    const std::vector<double>& squares() const { return squares_; }

    void look(std::uint32_t run, const GainFound& out) {
        double total = 0.0, squares = 0.0, mixed = 0.0;
        found_.clear();
        chosen_.clear();
        const auto depth = static_cast<std::uint32_t>(about_.depth);
        visit_list(pool_, run, topic_, depth, [&](std::uint32_t document, std::uint32_t rank) {
            const double discount = about_.table[rank - 1];
            if (discount == 0.0) return;
            const auto row = static_cast<std::uint32_t>(row_[document]);
            const Document& terms = documents_[row];
            total += discount * terms.gain;
            squares += discount * discount * terms.squares;
            mixed += discount * terms.mixed;
            found_.push_back({row, discount});
            if (about_.chosen_index[document] >= 0)
                chosen_.push_back({static_cast<std::uint32_t>(about_.chosen_index[document]), discount});
        });
        *out.value = total / best_;
        *out.total = total;
        *out.mixed = mixed;
        *out.expected = squares + 2.0 * total * mixed + rest_ * total * total;
        first(total, out.first);
        curvature(total, out.curvature);
        for (std::size_t l = 0; l < about_.grades && about_.width > 0; ++l)
            slopes(l, total, out.slopes + l * out.stage);
    }

   private:
    // Of a document with a discount: its expected gain, and what its label adds to the expected variance.
    struct Document {
        double gain, squares, mixed;
    };

    // Of a chosen document: u = by_total DCG + by_discount discount, and the same of B.
    struct Chosen {
        double by_total, by_discount, curvature_by_total, curvature_by_discount;
        std::int32_t pairs = -1;  // its row in pairs_
    };

    double z(std::size_t document, std::size_t g) const { return about_.tail_chance[document * about_.grades + g]; }

    // Documents of class g or more: how many are known, how many others are expected, and the squares of these.
    std::vector<UncertainCount> counts() {
        for (std::size_t g = 0; g < about_.grades; ++g) steps_of_gain_[g] = about_.gains[g + 1] - about_.gains[g];
        std::vector<UncertainCount> found(about_.grades);
        for (std::size_t d = 0; d < about_.listed; ++d)
            for (std::size_t g = 0; g < about_.grades; ++g) found[g].add(z(d, g), about_.classes[d] >= 0);
        return found;
    }

    std::vector<std::int32_t> rows_of_used() const {
        std::vector<std::int32_t> rows(about_.listed, -1);
        for (std::size_t row = 0; row < used_.size(); ++row) rows[used_[row]] = static_cast<std::int32_t>(row);
        return rows;
    }

    std::vector<std::int32_t> chosen_among_used() const {
        std::vector<std::int32_t> chosen;
        for (const std::int32_t document : used_)
            if (about_.chosen_index[document] >= 0) chosen.push_back(about_.chosen_index[document]);
        return chosen;
    }

    // Used documents x m: expected gains without each of m documents.
    std::vector<double> gains_anew() const {
        const std::size_t m = about_.left_out.size();
        std::vector<double> gains(used_.size() * m, 0.0);
        for (std::size_t g = 0; g < about_.grades; ++g)
            for (std::size_t row = 0; row < used_.size(); ++row)
                for (std::size_t v = 0; v < m; ++v)
                    gains[row * m + v] += steps_of_gain_[g] * about_.anew[(g * about_.listed + used_[row]) * m + v];
        return gains;
    }

    // Chosen documents with a discount x n: sums over g and h of b_g times the growth of I in h times pairs.
    std::vector<double> mixed_pairs() const {
        const std::size_t n = about_.chosen, grades = about_.grades;
        std::vector<double> mixed(judged_.size() * n, 0.0);
        if (!ideal_.bends()) return mixed;
        for (std::size_t g = 0; g < grades; ++g)
            for (std::size_t h = 0; h < grades; ++h) {
                const double factor = steps_of_gain_[g] * ideal_.growth(h);
                for (std::size_t row = 0; row < judged_.size(); ++row) {
                    const double* const pairs = about_.pairs + ((g * grades + h) * n + judged_[row]) * n;
                    for (std::size_t i = 0; i < n; ++i) mixed[row * n + i] += factor * pairs[i];
                }
            }
        return mixed;
    }

    // A(class c) - A(class 0) is a_c discount + b_c DCG with a and b the same for all runs, and so are the differences
    // of these from their predicted means: the expected variance takes three sums.
    void look_at_documents() {
        const std::size_t grades = about_.grades;
        squares_.assign(about_.listed, 0.0);
        std::vector<double> a(grades + 1), b(grades + 1), chance(grades + 1);
        for (std::size_t d = 0; d < about_.listed; ++d) {
            double gain = 0.0;
            for (std::size_t g = 0; g < grades; ++g) gain += z(d, g) * steps_of_gain_[g];
            const double* const predicted = about_.predicted + d * grades;
            for (std::size_t c = 0; c <= grades; ++c)
                chance[c] = (c == 0 ? 1.0 : predicted[c - 1]) - (c == grades ? 0.0 : predicted[c]);
            double mean_a = 0.0, mean_b = 0.0, none = 0.0;
            for (std::size_t c = 0; c <= grades; ++c) {
                const double inverse =
                    1.0 / (about_.classes[d] >= 0 ? ideal_.exchanged(about_.classes[d], c)
                                                  : ideal_.without(about_.tail_chance + d * grades, c));
                if (c == 0) none = inverse;
                b[c] = inverse - none;
                a[c] = about_.gains[c] * inverse - gain * b[c];
                mean_a += chance[c] * a[c];
                mean_b += chance[c] * b[c];
            }
            double squares = 0.0, mixed = 0.0;
            for (std::size_t c = 0; c <= grades; ++c) {
                const double weight = about_.speaks_for[d] * chance[c], da = a[c] - mean_a, db = b[c] - mean_b;
                squares += weight * da * da;
                mixed += weight * da * db;
                rest_ += weight * db * db;
            }
            squares_[d] = squares;
            if (row_[d] >= 0) documents_[row_[d]] = {gain, squares, mixed};
        }
    }

    void look_at_chosen(const Worths* worths) {
        for (std::size_t row = 0; row < judged_.size(); ++row)
            of_chosen_[judged_[row]].pairs = static_cast<std::int32_t>(row);
        for (std::size_t d = 0; d < about_.listed; ++d) {
            if (about_.chosen_index[d] < 0) continue;
            const auto label = static_cast<std::size_t>(about_.classes[d]);
            const auto index = static_cast<std::size_t>(about_.chosen_index[d]);
            first_of(index, about_.gains[label], [&](std::size_t c) { return ideal_.exchanged(label, c); });
            curvature_of(index);
        }
        for (std::size_t v = 0; v < about_.left_out.size(); ++v) {
            const std::int32_t document = about_.left_out[v];
            const MeanIdeal ideal(worths, counts_without(v, about_.classes[document]), steps_of_gain_);
            const auto index = static_cast<std::size_t>(about_.chosen_index[document]);
            anew_indices_.push_back(index);
            first_of(index, 0.0, [&](std::size_t c) { return ideal.divisor(Class{c}); });
        }
    }

    // Sum over g of residual_g [A(class g) - A(class g - 1)]; `held` is the gain that the document has in DCG.
    template <class Divisor>
    void first_of(std::size_t index, double held, Divisor divisor) {
        Chosen& of_index = of_chosen_[index];
        of_index.by_total = of_index.by_discount = 0.0;
        double before = 1.0 / divisor(0);
        for (std::size_t g = 0; g < about_.grades; ++g) {
            const double after = 1.0 / divisor(g + 1), residual = about_.residual[index * about_.grades + g];
            of_index.by_total += residual * (after - before);
            of_index.by_discount +=
                residual * ((about_.gains[g + 1] - held) * after - (about_.gains[g] - held) * before);
            before = after;
        }
    }

    // Second derivatives of DCG / I times the residuals of pairs.
    void curvature_of(std::size_t index) {
        Chosen& of_index = of_chosen_[index];
        of_index.curvature_by_total = of_index.curvature_by_discount = 0.0;
        if (!ideal_.bends()) return;
        const std::size_t n = about_.chosen, grades = about_.grades;
        double row = 0.0, square = 0.0, curve = 0.0;
        for (std::size_t g = 0; g < grades; ++g)
            for (std::size_t h = 0; h < grades; ++h) {
                const double* const pairs = about_.pairs + ((g * grades + h) * n + index) * n;
                double sum = 0.0;
                for (std::size_t j = 0; j < n; ++j) sum += pairs[j];
                row += steps_of_gain_[g] * ideal_.growth(h) * sum;
                square += ideal_.growth(g) * ideal_.growth(h) * sum;
                if (g == h) curve += ideal_.curvature(g) * sum;
            }
        const double inverse = 1.0 / best_;
        of_index.curvature_by_discount = -row * inverse * inverse;
        of_index.curvature_by_total = (2.0 * square * inverse - curve) * inverse * inverse;
    }

    std::vector<UncertainCount> counts_without(std::size_t variant, std::int32_t label) const {
        const std::size_t m = about_.left_out.size();
        std::vector<UncertainCount> found(about_.grades);
        for (std::size_t g = 0; g < about_.grades; ++g) {
            found[g].certain = ideal_.certain(g) - (static_cast<std::int32_t>(g) < label);
            for (std::size_t d = 0; d < about_.listed; ++d)
                if (about_.classes[d] < 0) found[g].add(about_.anew[(g * about_.listed + d) * m + variant], false);
        }
        return found;
    }

    // dA/dz_dg = b_g discount / I - DCG I_dg' / I^2 goes with the effects of stage l as z does; I_dg' is the slope of
    // I, less z_dg times its curvature for what d counts twice.
    void look_at_columns() {
        if (about_.width == 0) return;
        std::vector<double> slope, curvature;
        for (std::size_t g = 0; g < about_.grades; ++g) {
            slope.push_back(ideal_.slope(g));
            curvature.push_back(ideal_.curvature(g));
        }
        moved_.assign(about_.grades * used_.size(), 0.0);
        for (std::size_t d = 0; d < about_.listed; ++d) {
            if (about_.classes[d] >= 0) continue;
            const double* const row = about_.columns + d * about_.width;
            for (std::size_t l = 0; l < about_.grades; ++l) {
                double gain = 0.0, grow = 0.0;
                for (std::size_t g = l; g < about_.grades; ++g) {
                    const double moved = z(d, g) * (1.0 - about_.chances[d * about_.grades + l]);
                    gain += steps_of_gain_[g] * moved;
                    grow += (slope[g] - z(d, g) * curvature[g]) * moved;
                }
                if (row_[d] >= 0) moved_[l * used_.size() + row_[d]] = gain;
                for (std::size_t c = 0; c < about_.width; ++c) grow_[l * about_.width + c] += grow * row[c];
            }
        }
    }

    void slopes(std::size_t stage, double total, double* out) {
        const double* const moved = moved_.data() + stage * used_.size();
        const double* const grow = grow_.data() + stage * about_.width;
        carried_.clear();
        for (const Weighted& each : found_) carried_.push_back({each.row, each.factor * moved[each.row]});
        carry(columns_, carried_.data(), carried_.size(), about_.width, out);
        const double inverse = 1.0 / best_;
        for (std::size_t c = 0; c < about_.width; ++c) out[c] = (out[c] - total * grow[c] * inverse) * inverse;
    }

    void first(double total, double* out) {
        for (std::size_t i = 0; i < about_.chosen; ++i) out[i] = total * of_chosen_[i].by_total;
        carry(anew_, found_.data(), found_.size(), totals_.size(), totals_.data());
        for (std::size_t v = 0; v < totals_.size(); ++v)
            out[anew_indices_[v]] = totals_[v] * of_chosen_[anew_indices_[v]].by_total;
        for (const Weighted& each : chosen_) out[each.row] += each.factor * of_chosen_[each.row].by_discount;
    }

    void curvature(double total, double* out) {
        carried_.clear();
        for (const Weighted& each : chosen_)
            carried_.push_back({static_cast<std::uint32_t>(of_chosen_[each.row].pairs), each.factor});
        carry(pairs_, carried_.data(), carried_.size(), about_.chosen, along_.data());
        const double inverse = 1.0 / best_, both = ideal_.bends() ? inverse * inverse : 0.0;
        for (std::size_t i = 0; i < about_.chosen; ++i)
            out[i] = total * of_chosen_[i].curvature_by_total - both * along_[i];
        for (const Weighted& each : chosen_) out[each.row] += each.factor * of_chosen_[each.row].curvature_by_discount;
    }

    const Pool& pool_;
    const std::uint32_t topic_;
    const GainTopic about_;
    std::vector<double> steps_of_gain_;  // b
    const MeanIdeal ideal_;
    const double best_;                       // I
    const std::vector<std::int32_t> used_;    // documents with a discount
    const std::vector<std::int32_t> row_;     // of each listed document among these, or -1
    const std::vector<std::int32_t> judged_;  // chosen ones among these
    const ColumnPanels columns_, anew_, pairs_;
    std::vector<Document> documents_;
    std::vector<Chosen> of_chosen_;
    std::vector<std::size_t> anew_indices_;
    std::vector<double> totals_, along_, grow_, moved_, squares_;
    std::vector<Weighted> found_, chosen_, carried_;  // documents with their discounts
    double rest_ = 0.0;
};

}  // namespace poolwise

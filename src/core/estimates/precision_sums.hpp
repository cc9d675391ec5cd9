// Sums down the rankings of a topic that average precision with uncertain labels is made of; all runs asked for.
//
// With labels or probabilities p by rank k, S = sum of p_k (1 + sum above of p) / k. It is bilinear in the labels that
// are known and those that are not, so each document has two slopes: near = 1 / k + the sum over other known relevant
// documents of 1 / the larger rank, and far = the same sum over uncertain documents, each times its probability.
#pragma once

#include <algorithm>
#include <numeric>

#include "assisted.hpp"
#include "panels.hpp"

namespace poolwise {

// What is asked of every listed document of a topic.
struct Asked {
    double known, loose;           // its label if that is known, its probability if not
    double first, second;          // two numbers, of which the sums with near and far are wanted
    double by_near, by_far;        // s = by_near near + by_far far: wanted are the sum of
    double weight;                 // weight s^2
    double mixed[3];               // and the sums of s with three numbers
    double carry_near, carry_far;  // carry_near near + carry_far far is summed with the document's columns
};
constexpr std::size_t asked_columns = sizeof(Asked) / sizeof(double);
constexpr std::size_t found_columns = 11;  // parts of S; first with near and far, second with both; s^2; s with mixed

// The slopes of one ranking.
class Slopes {
   public:
    struct Place {
        std::uint32_t document;
        double loose;  // its probability
        double share;  // 1 / rank
        double near, far;
    };

    // Goes down a ranking, then down it again, when what is below each document is known, and calls visit(place).
    template <class Visit>
    void look(const Pool& pool, std::uint32_t run, std::uint32_t topic, std::uint32_t depth, const Asked* asked,
              Visit visit) {
        double known_above = 1.0, loose_above = 0.0, known_share = 0.0, loose_share = 0.0, sums[3] = {};
        const List* const list = pool.runs[run].list(topic);
        if (list != nullptr && places_.size() < list->known) places_.resize(list->known);
        Place* at = places_.data();
        visit_list(pool, run, topic, depth, [&](std::uint32_t document, std::uint32_t rank) {
            const double known = asked[document].known, loose = asked[document].loose;
            const double share = 1.0 / rank, near = known_above * share, far = loose_above * share;
            sums[0] += known * near;
            sums[2] += loose * far;
            known_share += known * share;
            loose_share += loose * share;
            known_above += known;
            loose_above += loose;
            at->document = document;
            at->loose = loose;
            at->share = share;
            at->near = near - known_share;
            at->far = far - loose_share;
            ++at;
        });
        for (const Place* each = places_.data(); each != at; ++each) {  // sums below: the whole less those down to here
            const Place place{each->document, each->loose, each->share, each->near + known_share,
                              each->far + loose_share};
            sums[1] += place.loose * place.near;
            visit(place);
        }
        std::copy(sums, sums + 3, parts_);
    }

    // S of known relevant documents alone, of pairs of which one is uncertain, and of pairs of uncertain ones.
    const double* parts() const { return parts_; }

   private:
    std::vector<Place> places_;
    double parts_[3] = {};
};

// Rows that are collected for a sum. There is room for all of them beforehand: the loops that collect are short.
template <class Step>
class Collected {
   public:
    void begin(std::size_t most) {
        if (steps_.size() < most) steps_.resize(most);
        size_ = 0;
    }
    Step& next() { return steps_[size_++]; }
    const Step* data() const { return steps_.data(); }
    const Step* begin() const { return data(); }
    const Step* end() const { return data() + size_; }
    std::size_t size() const { return size_; }

   private:
    std::vector<Step> steps_;
    std::size_t size_ = 0;
};

// A chosen document in a ranking.
struct ChosenPlace {
    std::uint32_t place;   // among the chosen ones
    std::uint32_t before;  // how many uncertain documents stand above it
    double share;          // 1 / rank
    double near, far;
};

// What later sums of a ranking go over.
struct PrecisionSteps {
    Collected<Weighted> carried;    // what is to be summed with the columns of documents
    Collected<Ranked> loose;        // the uncertain documents
    Collected<ChosenPlace> chosen;  // the chosen ones
};

// The sums of a ranking (found_columns); `place` says which documents are chosen, -1 for the others. `s` is that of all
// listed documents, if it is not nothing.
inline void precision_sums(const Pool& pool, std::uint32_t run, std::uint32_t topic, std::uint32_t depth,
                           const Asked* asked, const std::int32_t* place, Slopes& slopes, PrecisionSteps& steps,
                           double* found, double* all_s) {
    double sums[found_columns - 3] = {};
    const List* const list = pool.runs[run].list(topic);
    const std::size_t most = list == nullptr ? 0 : list->known;
    steps.carried.begin(most);
    steps.loose.begin(most);
    steps.chosen.begin(most);
    slopes.look(pool, run, topic, depth, asked, [&](const Slopes::Place& one) {
        const Asked& own = asked[one.document];
        const double s = own.by_near * one.near + own.by_far * one.far;
        const double factor = own.carry_near * one.near + own.carry_far * one.far;
        sums[0] += own.first * one.near;
        sums[1] += own.first * one.far;
        sums[2] += own.second * one.near;
        sums[3] += own.second * one.far;
        sums[4] += own.weight * s * s;
        for (std::size_t k = 0; k < 3; ++k) sums[5 + k] += own.mixed[k] * s;
        if (factor != 0.0) steps.carried.next() = {one.document, factor};
        if (place[one.document] >= 0)
            steps.chosen.next() = {static_cast<std::uint32_t>(place[one.document]),
                                   static_cast<std::uint32_t>(steps.loose.size()), one.share, one.near, one.far};
        if (one.loose > 0.0) steps.loose.next() = {one.document, one.share, one.near};
        if (all_s != nullptr) all_s[one.document] = s;
    });
    std::copy(slopes.parts(), slopes.parts() + 3, found);
    std::copy(sums, sums + found_columns - 3, found + 3);
}

// Sums of rows, each times a factor, for as many columns as are wanted.
inline void carry(const ColumnPanels& columns, const Weighted* carried, std::size_t size, std::size_t number,
                  double* out) {
    double sums[2 * panel_width];
    for (std::size_t b = 0; b < columns.count(); b += 2) {
        if (b + 1 < columns.count())
            panels::loops().add_two(columns.panel(b), columns.stride(), carried, size, sums);
        else
            panels::loops().add(columns.panel(b), carried, size, sums);
        const std::size_t begin = b * panel_width;
        std::copy(sums, sums + std::min(2 * panel_width, number - begin), out + begin);
    }
}

// The runs that retrieve each listed document, with what their rank of it weighs.
class RunsByDocument {
   public:
    RunsByDocument(const Pool& pool, std::uint32_t topic, const double* table, std::size_t depth, std::size_t listed)
        : begin_(listed + 1, 0) {
        const auto deepest = static_cast<std::uint32_t>(depth);
        for (std::uint32_t r = 0; r < pool.runs.size(); ++r)
            visit_list(pool, r, topic, deepest, [&](std::uint32_t document, std::uint32_t) { ++begin_[document + 1]; });
        std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
        runs_.resize(begin_.back());
        std::vector<std::size_t> end(begin_.begin(), begin_.end() - 1);
        for (std::uint32_t r = 0; r < pool.runs.size(); ++r)
            visit_list(pool, r, topic, deepest, [&](std::uint32_t document, std::uint32_t rank) {
                runs_[end[document]++] = {r, table[rank - 1]};
            });
    }

    struct Own {
        const Weighted *first, *past;
        const Weighted* begin() const { return first; }
        const Weighted* end() const { return past; }
        std::size_t size() const { return static_cast<std::size_t>(past - first); }
    };
    Own of(std::size_t document) const {
        return {runs_.data() + begin_[document], runs_.data() + begin_[document + 1]};
    }

   private:
    std::vector<std::size_t> begin_;
    std::vector<Weighted> runs_;
};

// Sums over runs of rows, one per run, times what the run's rank of each listed document weighs: documents x columns.
inline void rank_components(const Pool& pool, std::uint32_t topic, const double* table, std::size_t depth,
                            std::size_t listed, const double* axes, std::size_t columns, double* out) {
    const RunsByDocument runs(pool, topic, table, depth, listed);
    const ColumnPanels panels(axes, pool.runs.size(), columns);
    for (std::size_t d = 0; d < listed; ++d)
        carry(panels, runs.of(d).begin(), runs.of(d).size(), columns, out + d * columns);
}

// Sums over some documents of what runs' ranks weigh, and of the products of two runs (runs x runs), the latter of
// documents that at most `few` runs retrieve: only those runs are looked at. Of the others a row each (runs) is added
// to `many`, of which products of matrices are faster.
inline void rank_moments(const Pool& pool, std::uint32_t topic, const double* table, std::size_t depth,
                         std::size_t listed, const std::int64_t* documents, std::size_t count, std::size_t few,
                         double* sums, double* products, std::vector<double>& many) {
    const RunsByDocument runs(pool, topic, table, depth, listed);
    const std::size_t number = pool.runs.size();
    std::size_t rows = 0;
    for (std::size_t i = 0; i < count; ++i) rows += runs.of(documents[i]).size() > few;
    many.assign(rows * number, 0.0);
    double* full = many.data();
    for (std::size_t i = 0; i < count; ++i) {
        const auto own = runs.of(documents[i]);
        for (const Weighted& one : own) sums[one.row] += one.factor;
        if (own.size() > few) {
            for (const Weighted& one : own) full[one.row] = one.factor;
            full += number;
            continue;
        }
        for (const Weighted* one = own.begin(); one != own.end(); ++one) {
            double* const row = products + one->row * number;
            for (const Weighted* other = one; other != own.end(); ++other)
                row[other->row] += one->factor * other->factor;
        }
    }
    for (std::size_t a = 0; a < number; ++a)
        for (std::size_t b = 0; b < a; ++b) products[a * number + b] = products[b * number + a];
}

// Sums with many assignments of probabilities at once: loose[document][variant] in place of one p. For each variant: S
// of pairs of which one is uncertain, S of pairs of uncertain ones, and far of one document, its own.
class PrecisionVariants {
   public:
    // `own` says the place among chosen documents of the one that each variant is without.
    PrecisionVariants(const double* loose, const std::vector<std::size_t>& own, std::size_t listed, std::size_t chosen)
        : loose_(loose, listed, own.size()), variants_(own.size()), of_chosen_(chosen, -1) {
        for (std::size_t v = 0; v < variants_; ++v) of_chosen_[own[v]] = static_cast<std::int32_t>(v);
    }

    // Documents that have no probability in `steps` have none in any variant.
    void look(const PrecisionSteps& steps, double* one, double* two, double* far) {
        own_.clear();
        for (const ChosenPlace& each : steps.chosen)
            if (of_chosen_[each.place] >= 0) own_.push_back({of_chosen_[each.place], each.before, each.share});
        for (std::size_t b = 0; b < loose_.count(); ++b) look(b, steps.loose, one, two, far);
    }

   private:
    struct Own {
        std::int32_t variant;
        std::size_t before;  // steps down to it
        double share;
    };

    void look(std::size_t number, const Collected<Ranked>& steps, double* one, double* two, double* far) {
        const std::size_t begin = number * panel_width, end = std::min(begin + panel_width, variants_);
        const double* const panel = loose_.panel(number);
        RankedSums sums = {};
        std::size_t done = 0;
        for (const Own& own : own_) {
            const auto variant = static_cast<std::size_t>(own.variant);
            if (variant < begin || variant >= end) continue;
            panels::loops().down(panel, steps.data() + done, own.before - done, &sums);
            done = own.before;
            far[variant] = sums.above[variant - begin] * own.share - sums.weighted[variant - begin];
        }
        panels::loops().down(panel, steps.data() + done, steps.size() - done, &sums);
        for (std::size_t v = begin; v < end; ++v) {
            one[v] = sums.one[v - begin];
            two[v] = sums.two[v - begin];
        }
        for (const Own& own : own_) {
            const auto variant = static_cast<std::size_t>(own.variant);
            if (variant >= begin && variant < end) far[variant] += sums.weighted[variant - begin];
        }
    }

    const ColumnPanels loose_;
    const std::size_t variants_;
    std::vector<std::int32_t> of_chosen_;
    std::vector<Own> own_;
};

// For factors of a covariance over the listed documents: the sum over pairs of documents of a ranking of their
// covariance / the larger rank.
inline double joint_sum(const ColumnPanels& factor, const Collected<Ranked>& steps) {
    double sum = 0.0;
    std::size_t b = 0;
    for (; b + 1 < factor.count(); b += 2)
        sum += panels::loops().join_two(factor.panel(b), factor.stride(), steps.data(), steps.size());
    if (b < factor.count()) sum += panels::loops().join(factor.panel(b), steps.data(), steps.size());
    return sum;
}

}  // namespace poolwise

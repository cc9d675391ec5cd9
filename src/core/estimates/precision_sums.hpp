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
struct DocumentInputs {
    double known, loose;           // its label if that is known, its probability if not
    double first, second;          // two numbers, of which the sums with near and far are wanted
    double by_near, by_far;        // s = by_near near + by_far far: wanted are the sum of
    double weight;                 // weight s^2
    double mixed[3];               // and the sums of s with three numbers
    double carry_near, carry_far;  // carry_near near + carry_far far is summed with the document's columns
};
constexpr std::size_t input_columns = sizeof(DocumentInputs) / sizeof(double);
constexpr std::size_t found_columns = 11;  // parts of S; first with near and far, second with both; s^2; s with mixed

// The slopes of one ranking.
class Slopes {
   public:
    struct AtRank {
        std::uint32_t document;
        double loose;  // its probability
        double share;  // 1 / rank
        double near, far;
    };

    // Goes down a ranking, then down it again, when what is below each document is known, and calls visit(at_rank).
    template <class Visit>
    void look(const Pool& pool, std::uint32_t run, std::uint32_t topic, std::uint32_t depth,
              const DocumentInputs* asked, Visit visit) {
        double known_above = 1.0, loose_above = 0.0, known_share = 0.0, loose_share = 0.0, sums[3] = {};
        const List* const list = pool.runs[run].list(topic);
        if (list != nullptr && ranked_.size() < list->known) ranked_.resize(list->known);
        AtRank* at = ranked_.data();
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
        for (const AtRank* each = ranked_.data(); each != at;
             ++each) {  // sums below: the whole less those down to here
            const AtRank at_rank{each->document, each->loose, each->share, each->near + known_share,
                                 each->far + loose_share};
            sums[1] += at_rank.loose * at_rank.near;
            visit(at_rank);
        }
        std::copy(sums, sums + 3, parts_);
    }

    // S of known relevant documents alone, of pairs of which one is uncertain, and of pairs of uncertain ones.
    const double* parts() const { return parts_; }

   private:
    std::vector<AtRank> ranked_;
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
struct ChosenTerm {
    std::uint32_t index;   // among the chosen ones
    std::uint32_t before;  // how many uncertain documents are above it
    double share;          // 1 / rank
    double near, far;
};

// What later sums of a ranking go over.
struct PrecisionSteps {
    Collected<Weighted> carried;   // what is to be summed with the columns of documents
    Collected<Ranked> loose;       // the uncertain documents
    Collected<ChosenTerm> chosen;  // the chosen ones
};

// The sums of a ranking (found_columns); `chosen_index` numbers the documents that are chosen, -1 for the others. `s`
// is that of all listed documents, if it is not nothing.
inline void precision_sums(const Pool& pool, std::uint32_t run, std::uint32_t topic, std::uint32_t depth,
                           const DocumentInputs* asked, const std::int32_t* chosen_index, Slopes& slopes,
                           PrecisionSteps& steps, double* found, double* all_s) {
    double sums[found_columns - 3] = {};
    const List* const list = pool.runs[run].list(topic);
    const std::size_t most = list == nullptr ? 0 : list->known;
    steps.carried.begin(most);
    steps.loose.begin(most);
    steps.chosen.begin(most);
    slopes.look(pool, run, topic, depth, asked, [&](const Slopes::AtRank& at_rank) {
        const DocumentInputs& inputs = asked[at_rank.document];
        const double s = inputs.by_near * at_rank.near + inputs.by_far * at_rank.far;
        const double factor = inputs.carry_near * at_rank.near + inputs.carry_far * at_rank.far;
        sums[0] += inputs.first * at_rank.near;
        sums[1] += inputs.first * at_rank.far;
        sums[2] += inputs.second * at_rank.near;
        sums[3] += inputs.second * at_rank.far;
        sums[4] += inputs.weight * s * s;
        for (std::size_t k = 0; k < 3; ++k) sums[5 + k] += inputs.mixed[k] * s;
        if (factor != 0.0) steps.carried.next() = {at_rank.document, factor};
        if (chosen_index[at_rank.document] >= 0)
            steps.chosen.next() = {static_cast<std::uint32_t>(chosen_index[at_rank.document]),
                                   static_cast<std::uint32_t>(steps.loose.size()), at_rank.share, at_rank.near,
                                   at_rank.far};
        if (at_rank.loose > 0.0) steps.loose.next() = {at_rank.document, at_rank.share, at_rank.near};
        if (all_s != nullptr) all_s[at_rank.document] = s;
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

    struct RunsOfDocument {
        const Weighted *first, *past;
        const Weighted* begin() const { return first; }
        const Weighted* end() const { return past; }
        std::size_t size() const { return static_cast<std::size_t>(past - first); }
    };
    RunsOfDocument of(std::size_t document) const {
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
        const auto retrieving = runs.of(documents[i]);
        for (const Weighted& entry : retrieving) sums[entry.row] += entry.factor;
        if (retrieving.size() > few) {
            for (const Weighted& entry : retrieving) full[entry.row] = entry.factor;
            full += number;
            continue;
        }
        for (const Weighted* entry = retrieving.begin(); entry != retrieving.end(); ++entry) {
            double* const row = products + entry->row * number;
            for (const Weighted* other = entry; other != retrieving.end(); ++other)
                row[other->row] += entry->factor * other->factor;
        }
    }
    for (std::size_t a = 0; a < number; ++a)
        for (std::size_t b = 0; b < a; ++b) products[a * number + b] = products[b * number + a];
}

// Sums with many assignments of probabilities at once: loose[document][variant] in place of one p. For each variant: S
// of pairs of which one is uncertain, S of pairs of uncertain ones, and far of one document, its own.
class PrecisionVariants {
   public:
    // `left_out` is the index among chosen documents of the one that each variant is without.
    PrecisionVariants(const double* loose, const std::vector<std::size_t>& left_out, std::size_t listed,
                      std::size_t chosen)
        : loose_(loose, listed, left_out.size()), variants_(left_out.size()), of_chosen_(chosen, -1) {
        for (std::size_t v = 0; v < variants_; ++v) of_chosen_[left_out[v]] = static_cast<std::int32_t>(v);
    }

    // Documents that have no probability in `steps` have none in any variant.
    void look(const PrecisionSteps& steps, double* with_one, double* with_two, double* far) {
        left_out_.clear();
        for (const ChosenTerm& each : steps.chosen)
            if (of_chosen_[each.index] >= 0) left_out_.push_back({of_chosen_[each.index], each.before, each.share});
        for (std::size_t b = 0; b < loose_.count(); ++b) look(b, steps.loose, with_one, with_two, far);
    }

   private:
    struct LeftOut {
        std::int32_t variant;
        std::size_t before;  // steps down to it
        double share;
    };

    void look(std::size_t number, const Collected<Ranked>& steps, double* with_one, double* with_two, double* far) {
        const std::size_t begin = number * panel_width, end = std::min(begin + panel_width, variants_);
        const double* const panel = loose_.panel(number);
        RankedSums sums = {};
        std::size_t done = 0;
        for (const LeftOut& document : left_out_) {
            const auto variant = static_cast<std::size_t>(document.variant);
            if (variant < begin || variant >= end) continue;
            panels::loops().down(panel, steps.data() + done, document.before - done, &sums);
            done = document.before;
            far[variant] = sums.above[variant - begin] * document.share - sums.weighted[variant - begin];
        }
        panels::loops().down(panel, steps.data() + done, steps.size() - done, &sums);
        for (std::size_t v = begin; v < end; ++v) {
            with_one[v] = sums.with_one[v - begin];
            with_two[v] = sums.with_two[v - begin];
        }
        for (const LeftOut& document : left_out_) {
            const auto variant = static_cast<std::size_t>(document.variant);
            if (variant >= begin && variant < end) far[variant] += sums.weighted[variant - begin];
        }
    }

    const ColumnPanels loose_;
    const std::size_t variants_;
    std::vector<std::int32_t> of_chosen_;
    std::vector<LeftOut> left_out_;
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

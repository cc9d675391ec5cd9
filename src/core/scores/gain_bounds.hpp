// Bounds of measures with gains: nDCG (exact) and Q (exact when all gains are 0 or the same).
#pragma once

#include <limits>
#include <optional>
#include <set>

#include "counted_bounds.hpp"
#include "measures/front.hpp"

namespace poolwise {

// ---- nDCG --------------------------------------------------------------------------------------------------------

// Gains of one sign as steps from 0: a document of gain g takes every step up to |g|.
struct Steps {
    std::vector<double> height;        // of each step
    std::vector<double> level;         // |gain| reached by it
    std::vector<std::uint32_t> count;  // judged documents of the topic that take it

    explicit Steps(const std::set<double>& levels) : level(levels.begin(), levels.end()), count(levels.size()) {
        for (std::size_t h = 0; h < level.size(); ++h) height.push_back(level[h] - (h > 0 ? level[h - 1] : 0.0));
    }
    std::size_t size() const { return level.size(); }
};

// nDCG is a ratio, so its extremes follow from those of numerator - x denominator (Dinkelbach's method: x is the ratio
// at the last extreme, until it moves no more). With gains as sums of steps, both are sums over steps h of
// height_h x (discounts of the documents that take the step) and height_h x D(count_h + t_h), where t_h open documents
// take the step and D sums the first discounts. Higher steps are taken by fewer judged documents, and discounts fall,
// which gives (with the documents that take a step being the first for the greatest, the last for the lowest value):
// - greatest: the best t_h of each step alone falls with h, so that steps can be chosen one by one;
// - lowest: each step alone is convex in t_h with its best t_h rising in h, so that the best choice which is possible
//   (t_h falling in h) has all t_h equal: open documents get the highest gain or the lowest.
// Discounts given as a list may rise; then choosing step by step gives outer bounds.
class GainExtremes final : public Extremes {
   public:
    explicit GainExtremes(const Spec& spec)
        : Extremes(spec),
          up_(levels(spec, 1.0)),
          down_(levels(spec, -1.0)),
          scaled_(negative_choice(spec) == Negative::minmax && down_.size() > 0) {
        gain_ = spec.gain;
        if (negative_choice(spec) == Negative::zero)
            for (double& gain : gain_) gain = std::max(gain, 0.0);
        discount_ = spec.discount;
        for (std::size_t i = 0; i < discount_.size(); ++i)
            if (spec.cutoff > 0 && i >= spec.cutoff) discount_[i] = 0.0;
        ideal_.assign(1, 0.0);
        for (const double discount : discount_) ideal_.push_back(ideal_.back() + discount);
        falling_ = std::is_sorted(discount_.rbegin(), discount_.rend());
        has_zero_ = std::find(gain_.begin(), gain_.end(), 0.0) != gain_.end();
    }

    bool exact() const override { return scaled_ ? falling_ && has_zero_ : falling_ || up_.size() <= 1; }

    void prepare(const TopicCounts& counts) override {
        Extremes::prepare(counts);
        for (const auto& [steps, sign] : {std::pair{&up_, 1.0}, std::pair{&down_, -1.0}})
            for (std::size_t h = 0; h < steps->size(); ++h) {
                steps->count[h] = 0;
                for (std::size_t c = 0; c < counts.judged.size(); ++c)
                    if (sign * spec_.gain[c] >= steps->level[h]) steps->count[h] += counts.judged[c];
            }
    }

    Range range(const OpenRanking& ranking, double) override {
        look(ranking);
        if (scaled_) return scaled_range();
        Range found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
        if (const auto ratio = extreme_ratio(1.0)) found.high = *ratio;
        if (const auto ratio = extreme_ratio(-1.0)) found.low = *ratio;
        if (may_have_no_ideal()) found = {std::min(found.low, 0.0), std::max(found.high, 0.0)};
        return found;
    }

   private:
    static std::set<double> levels(const Spec& spec, double sign) {
        std::set<double> found;
        for (const double gain : spec.gain)
            if (sign * gain > 0) found.insert(sign * gain);
        return found;
    }

    void look(const OpenRanking& ranking) {
        fixed_ = 0.0;
        std::vector<double> open;
        for (std::size_t i = 0; i < ranking.label.size(); ++i) {
            if (ranking.label[i] < 0)
                open.push_back(discount_[i]);
            else
                fixed_ += gain_[ranking.label[i]] * discount_[i];
        }
        if (!falling_) std::sort(open.rbegin(), open.rend());
        first_.assign(1, 0.0);
        for (const double discount : open) first_.push_back(first_.back() + discount);
    }

    std::size_t open() const { return first_.size() - 1; }

    // Sum of the t greatest (sign 1) or smallest (sign -1) discounts of open documents.
    double taken(double sign, std::size_t t) const {
        return sign > 0 ? first_[t] : first_[open()] - first_[open() - t];
    }

    // A judged topic without gains scores 0; so it is where open documents may all be without.
    bool may_have_no_ideal() const {
        const bool free = *std::min_element(gain_.begin(), gain_.end()) <= 0;
        return up_.size() == 0 || ideal_[up_.count[0] + (free ? 0 : open())] == 0;
    }

    // The greatest (sign 1) or lowest (sign -1) DCG / ideal; nothing if the ideal is always 0.
    std::optional<double> extreme_ratio(double sign) const {
        const std::size_t m = open();
        std::optional<double> ground;  // the gain that open documents have without taking a step
        for (const double gain : gain_)
            if (gain <= 0 && (!ground || sign * gain > sign * *ground)) ground = gain;
        const double lowest = *std::min_element(gain_.begin(), gain_.end());
        std::vector<std::size_t> least(up_.size(), 0), t(up_.size(), m);
        for (std::size_t h = 0; h < up_.size(); ++h)
            if (up_.level[h] <= lowest) least[h] = m;
        if (up_.size() == 0) return std::nullopt;
        while (least[0] <= m && ideal_[up_.count[0] + least[0]] == 0) ++least[0];
        if (least[0] > m) return std::nullopt;

        const auto weight = [&](std::size_t h) { return up_.height[h] - (h == 0 && ground ? *ground : 0.0); };
        const auto top = [&](std::size_t h, std::size_t n) { return weight(h) * taken(sign, n); };
        const auto bottom = [&](std::size_t h, std::size_t n) { return up_.height[h] * ideal_[up_.count[h] + n]; };
        const auto ratio = [&](const std::vector<std::size_t>& chosen) {
            double numerator = fixed_ + (ground ? *ground * first_[m] : 0.0), denominator = 0.0;
            for (std::size_t h = 0; h < up_.size(); ++h) {
                numerator += top(h, chosen[h]);
                denominator += bottom(h, chosen[h]);
            }
            return numerator / denominator;
        };

        // A ratio below 0 is lowest with the least steps, where the search begins.
        double x = ratio(t);
        if (sign * ratio(least) > sign * x) x = ratio(least);
        const bool together = sign < 0 && falling_;
        for (int round = 0; round < 200; ++round) {
            for (std::size_t h = 0; h < up_.size();) {
                std::size_t end = h + 1;
                if (together && least[h] < m) end = up_.size();
                double best = -std::numeric_limits<double>::infinity();
                std::size_t best_at = least[h];
                for (std::size_t n = least[h]; n <= m; ++n) {
                    double value = 0.0;
                    for (std::size_t i = h; i < end; ++i) value += sign * (top(i, n) - x * bottom(i, n));
                    if (value > best) best = value, best_at = n;
                }
                for (; h < end; ++h) t[h] = best_at;
            }
            const double next = ratio(t);
            if (sign * next <= sign * x) break;
            x = next;
        }
        return x;
    }

    // (DCG - worst) / (best - worst): what lowers it is what raises it with all gains' signs changed.
    Range scaled_range() const {
        const double infinity = std::numeric_limits<double>::infinity();
        if (!falling_) return {-infinity, infinity};
        if (!has_zero_) return {0.0, 1.0};
        if (discount_[0] == 0) return {0.0, 0.0};
        Range found{1.0 - greatest_scaled(down_, up_, -fixed_), greatest_scaled(up_, down_, fixed_)};
        if (base(up_) + base(down_) == 0) found.low = 0.0;  // all labels of gain 0
        return found;
    }

    double base(const Steps& steps) const {
        double sum = 0.0;
        for (std::size_t h = 0; h < steps.size(); ++h) sum += steps.height[h] * ideal_[steps.count[h]];
        return sum;
    }

    // As above, the first open documents take steps up and the last ones all steps down; no document does both.
    double greatest_scaled(const Steps& up, const Steps& down, double fixed) const {
        const std::size_t m = open();
        const double numerator = fixed + base(down), denominator = base(up) + base(down);
        if (denominator == 0) return greatest_unjudged(up.size() > 0, down.size() > 0);
        double x = numerator / denominator;
        for (int round = 0; round < 200; ++round) {
            std::vector<double> best(up.size(), -std::numeric_limits<double>::infinity());
            std::vector<std::size_t> best_at(up.size(), 0), chosen(up.size(), 0);
            double greatest = -std::numeric_limits<double>::infinity();
            std::size_t chosen_down = 0;
            for (std::size_t room = 0; room <= m; ++room) {  // how many documents are left for steps up
                const std::size_t s = m - room;
                double value = 0.0;
                for (std::size_t h = 0; h < up.size(); ++h) {
                    const double now = up.height[h] * (first_[room] - x * ideal_[up.count[h] + room]);
                    if (now > best[h]) best[h] = now, best_at[h] = room;
                    value += best[h];
                }
                for (std::size_t h = 0; h < down.size(); ++h)
                    value += down.height[h] * ((1 - x) * ideal_[down.count[h] + s] - taken(-1.0, s));
                if ((s == 0 || down.size() > 0) && value > greatest)
                    greatest = value, chosen = best_at, chosen_down = s;
            }
            double top = fixed, bottom = 0.0;
            for (std::size_t h = 0; h < up.size(); ++h) {
                top += up.height[h] * first_[chosen[h]];
                bottom += up.height[h] * ideal_[up.count[h] + chosen[h]];
            }
            for (std::size_t h = 0; h < down.size(); ++h) {
                const double worst = down.height[h] * ideal_[down.count[h] + chosen_down];
                top += worst - down.height[h] * taken(-1.0, chosen_down);
                bottom += worst;
            }
            if (top / bottom <= x) break;
            x = top / bottom;
        }
        return x;
    }

    // Without judged gains every step has a ratio of its own, and the greatest of them is the best mixture.
    double greatest_unjudged(bool up, bool down) const {
        double greatest = 0.0;
        for (std::size_t n = 1; n <= open(); ++n) {
            if (up) greatest = std::max(greatest, first_[n] / ideal_[n]);
            if (down) greatest = std::max(greatest, 1.0 - taken(-1.0, n) / ideal_[n]);
        }
        return greatest;
    }

    Steps up_, down_;
    const bool scaled_;
    std::vector<double> gain_;      // by class, as the measure counts it
    std::vector<double> discount_;  // by rank - 1, 0 past the cut-off
    std::vector<double> ideal_;     // sums of the first discounts
    bool falling_ = true, has_zero_ = true;
    double fixed_ = 0.0;         // DCG of the judged documents
    std::vector<double> first_;  // sums of the greatest discounts of open documents
};

// ---- Q -----------------------------------------------------------------------------------------------------------

// Given how many open documents are relevant. Greatest: the first ones, of the highest gain where that helps and of the
// lowest where it harms (in the ideal list). Lowest: the last ones, the other way round. Exact when relevant
// documents all have one gain or gains have no weight.
class QExtremes final : public Extremes {
   public:
    explicit QExtremes(const Spec& spec) : Extremes(spec), beta_(spec.numbers[0]) {
        for (std::size_t c = 0; c < spec.gain.size(); ++c) {
            (spec.relevant[c] ? may_be_ : may_not_be_) = true;
            if (!spec.relevant[c]) continue;
            least_gain_ = std::min(least_gain_, spec.gain[c]);
            most_gain_ = std::max(most_gain_, spec.gain[c]);
        }
        if (!may_be_) least_gain_ = 0.0;
    }

    bool exact() const override { return beta_ == 0 || !may_be_ || least_gain_ == most_gain_; }

    void prepare(const TopicCounts& counts) override {
        Extremes::prepare(counts);
        std::vector<double> gains;
        for (std::size_t c = 0; c < counts.judged.size(); ++c)
            if (spec_.relevant[c]) gains.insert(gains.end(), counts.judged[c], spec_.gain[c]);
        std::sort(gains.rbegin(), gains.rend());
        ideal_.assign(1, 0.0);
        for (const double gain : gains) ideal_.push_back(ideal_.back() + gain);
    }

    Range range(const OpenRanking& ranking, double) override {
        look(ranking);
        Range found{1.0, 0.0};
        const std::size_t open = ranking.open.size();
        for (std::size_t t = may_not_be_ ? 0 : open; t <= (may_be_ ? open : 0); ++t) {
            found.high = std::max(found.high, greatest(t) / divisor(t));
            found.low = std::min(found.low, lowest(t, open) / divisor(t));
        }
        return found;
    }

   private:
    // A document within the cut-off, with the judged relevant documents (itself included) and the open ones so far.
    struct AtRank {
        double rank, found, gained;
        std::size_t opened;
    };

    void look(const OpenRanking& ranking) {
        AtRank at_rank{0.0, 0.0, 0.0, 0};
        fixed_.clear();
        open_.clear();
        sums_.assign(1, 0.0);
        for (const std::int32_t label : ranking.label) {
            ++at_rank.rank;
            if (spec_.cutoff > 0 && at_rank.rank > spec_.cutoff) break;
            if (label < 0) {
                ++at_rank.opened;
                open_.push_back(at_rank);
                // Its term once it and all open ones above are relevant, if the ideal list reaches down to it.
                const double ideal = sparse_ideal(at_rank.rank, std::numeric_limits<double>::infinity());
                sums_.push_back(sums_.back() + term(at_rank, at_rank.opened, ideal));
            } else if (spec_.relevant[label]) {
                ++at_rank.found;
                at_rank.gained += spec_.gain[label];
                fixed_.push_back(at_rank);
            }
        }
    }

    double judged() const { return static_cast<double>(ideal_.size() - 1); }

    double divisor(std::size_t t) const {
        const double relevant = std::max(1.0, judged() + static_cast<double>(t));
        return spec_.cutoff == 0 ? relevant : std::min<double>(relevant, spec_.cutoff);
    }

    // Cumulative gain of the ideal list with t more documents of the lowest gain, which come last.
    double sparse_ideal(double rank, double t) const {
        const double past = std::min(std::max(rank - judged(), 0.0), t);
        return ideal_[static_cast<std::size_t>(std::min(rank, judged()))] + (past > 0 ? least_gain_ * past : 0.0);
    }

    // With t more of the highest gain, which come first.
    double rich_ideal(double rank, double t) const {
        return most_gain_ * std::min(rank, t) +
               ideal_[static_cast<std::size_t>(std::min(std::max(rank - t, 0.0), judged()))];
    }

    double term(const AtRank& at_rank, double opened, double ideal) const {
        const double gained = at_rank.gained + most_gain_ * opened;
        return std::min(1.0, (beta_ * gained + at_rank.found + opened) / (beta_ * ideal + at_rank.rank));
    }

    double greatest(std::size_t t) const {
        const auto more = static_cast<double>(t);
        const std::size_t end = std::min(t, open_.size());
        std::size_t reached = end;
        while (reached > 0 && open_[reached - 1].rank > judged() + more) --reached;
        double sum = sums_[reached];
        for (std::size_t s = reached; s < end; ++s)
            sum += term(open_[s], open_[s].opened, sparse_ideal(open_[s].rank, more));
        for (const AtRank& at_rank : fixed_)
            sum += term(at_rank, std::min<double>(at_rank.opened, more), sparse_ideal(at_rank.rank, more));
        return sum;
    }

    // A pair of a judged and an open document counts with the lowest gain, whichever is higher.
    double lowest(std::size_t t, std::size_t open) const {
        const double least = beta_ * least_gain_ + 1, more = static_cast<double>(t);
        const std::size_t begin = open - t;
        double sum = 0.0;
        for (std::size_t s = begin; s < open_.size(); ++s)
            sum += least * (open_[s].found + static_cast<double>(s - begin + 1)) /
                   (beta_ * rich_ideal(open_[s].rank, more) + open_[s].rank);
        for (const AtRank& at_rank : fixed_) {
            const double opened = at_rank.opened > begin ? static_cast<double>(at_rank.opened - begin) : 0.0;
            sum += (beta_ * at_rank.gained + at_rank.found + least * opened) /
                   (beta_ * rich_ideal(at_rank.rank, more) + at_rank.rank);
        }
        return sum;
    }

    const double beta_;
    bool may_be_ = false, may_not_be_ = false;
    double least_gain_ = std::numeric_limits<double>::infinity(), most_gain_ = 0.0;
    std::vector<double> ideal_;  // cumulative gains of the ideal list of judged documents
    std::vector<AtRank> fixed_, open_;
    std::vector<double> sums_;  // of the terms of the first open documents
};

}  // namespace poolwise

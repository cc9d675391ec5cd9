// Means of scores over independent labels of a topic's unjudged documents, by formula: measures that stop at a document
// with some chance (RR, ERR, Success), and precision at the number of relevant documents.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "simulated.hpp"

namespace poolwise {

// chance[set][draw][document] of the listed documents: to stop, or to be relevant; below 0 where a document is not
// pooled. `own` is the class of judged documents, below 0 for others; `worth` what the chance of each class is.
struct LabelChances {
    const double* chance;
    std::size_t sets, draws, listed;
    const std::int32_t* class_of;
    const std::vector<double>& worth;

    const double* of(std::size_t set, std::size_t draw) const { return chance + (set * draws + draw) * listed; }
};

// A run's list of a topic: its pooled documents, by rank.
class PooledList {
   public:
    PooledList(const Pool& pool, std::uint32_t topic, std::size_t run, const LabelChances& chances, bool condensed)
        : index(chances.listed, -1) {
        const List* const list = pool.runs[run].list(topic);
        if (list == nullptr) return;
        for (std::size_t i = list->known_begin; i < list->known_begin + list->known; ++i) {
            const std::uint32_t found = pool.runs[run].document[i];
            if (chances.chance[found] < 0) continue;
            index[found] = static_cast<std::int32_t>(document.size());
            document.push_back(found);
            rank.push_back(condensed ? static_cast<std::uint32_t>(document.size()) : pool.runs[run].rank[i]);
        }
        retrieved = condensed ? static_cast<std::uint32_t>(document.size()) : list->retrieved;
    }

    std::vector<std::int32_t> index;  // of each listed document in the list, or -1
    std::vector<std::uint32_t> document, rank;
    std::uint32_t retrieved = 0;
};

// Going down the list one stops at each document with its chance s, and has table[rank - 1] then: RR has 1 / rank and
// stops at what is relevant. With G the chance to get to a document and `tail` what is to be had behind it, its part is
// G (s table + (1 - s) tail), which is all that its own label moves.
class ExpectedStops {
   public:
    ExpectedStops(const LabelChances& chances, const double* table, std::size_t depth)
        : chances_(chances), table_(table), depth_(depth), by_document_(chances.listed * chances.draws) {}

    // values[draw], and means[i][class] over draws of the documents that are tried in the set.
    void look(const PooledList& list, std::size_t set, const Relabelled& tried, const std::int32_t* wanted,
              double* values, double* means) {
        if (set_ != set) turn_to(set);
        const std::size_t draws = chances_.draws, used = go_down(list);
        for (std::size_t d = 0; d < draws; ++d) total_[d] = gained_[used * draws + d];
        if (values != nullptr) std::copy(total_.begin(), total_.end(), values);
        if (means == nullptr) return;
        come_up(list, used);
        const std::size_t classes = chances_.worth.size();
        const double all = mean_of(total_.data());
        for (std::size_t i = 0; i < tried.document.size(); ++i) {
            if (!wanted[i] || static_cast<std::size_t>(tried.set[i]) != set) continue;
            const std::int32_t index = list.index[tried.document[i]];
            if (index < 0 || static_cast<std::size_t>(index) >= used) {
                std::fill_n(means + i * classes, classes, all);
                continue;
            }
            const double stop_worth = table_[list.rank[index] - 1];
            const double before = mean_of(&gained_[index * draws]);
            double stopping = 0.0, going_on = 0.0;
            for (std::size_t d = 0; d < draws; ++d) {
                stopping += going_[index * draws + d] * stop_worth;
                going_on += going_[index * draws + d] * tail_[index * draws + d];
            }
            for (std::size_t c = 0; c < classes; ++c)
                means[i * classes + c] =
                    before +
                    (chances_.worth[c] * stopping + (1.0 - chances_.worth[c]) * going_on) / static_cast<double>(draws);
        }
    }

   private:
    static constexpr double nothing = 1e-15;  // a chance to come farther that moves no digit of a score

    double mean_of(const double* values) const {
        return std::accumulate(values, values + chances_.draws, 0.0) / static_cast<double>(chances_.draws);
    }

    void turn_to(std::size_t set) {
        set_ = set;
        total_.resize(chances_.draws);
        for (std::size_t draw = 0; draw < chances_.draws; ++draw) {
            const double* const chance = chances_.of(set, draw);
            for (std::size_t d = 0; d < chances_.listed; ++d) by_document_[d * chances_.draws + draw] = chance[d];
        }
    }

    // How many documents matter: nobody gets further, whichever single document has another label.
    std::size_t go_down(const PooledList& list) {
        const std::size_t draws = chances_.draws;
        going_.assign(draws, 1.0);
        gained_.assign(draws, 0.0);
        std::vector<double> without_surest(draws, 1.0), surest(draws, 0.0);
        std::size_t i = 0;
        for (; i < list.document.size() && list.rank[i] <= depth_; ++i) {
            going_.resize((i + 2) * draws);
            gained_.resize((i + 2) * draws);
            const double* const stop = &by_document_[list.document[i] * draws];
            const double stop_worth = table_[list.rank[i] - 1];
            double furthest = 0.0;
            for (std::size_t d = 0; d < draws; ++d) {
                const std::size_t at = i * draws + d;
                gained_[at + draws] = gained_[at] + going_[at] * stop[d] * stop_worth;
                going_[at + draws] = going_[at] * (1.0 - stop[d]);
                without_surest[d] *= 1.0 - std::min(stop[d], surest[d]);
                surest[d] = std::max(stop[d], surest[d]);
                furthest = std::max(furthest, without_surest[d]);
            }
            if (furthest < nothing) return i + 1;
        }
        return i;
    }

    void come_up(const PooledList& list, std::size_t used) {
        const std::size_t draws = chances_.draws;
        tail_.assign(std::max<std::size_t>(used, 1) * draws, 0.0);
        for (std::size_t i = used; i-- > 1;) {
            const double* const stop = &by_document_[list.document[i] * draws];
            const double stop_worth = table_[list.rank[i] - 1];
            for (std::size_t d = 0; d < draws; ++d)
                tail_[(i - 1) * draws + d] = stop_worth * stop[d] + (1.0 - stop[d]) * tail_[i * draws + d];
        }
    }

    const LabelChances& chances_;
    const double* const table_;
    const std::size_t depth_;
    std::size_t set_ = static_cast<std::size_t>(-1);
    std::vector<double> by_document_;            // documents x draws, of one set
    std::vector<double> going_, gained_, tail_;  // positions x draws
    std::vector<double> total_;
};

// Precision at the number of relevant documents, or a multiple of it. With C documents known to be relevant and N
// others (the law of their number is that of a sum of independent coins), it is the sum over numbers n of the relevant
// documents within D(C + n), if N = n, divided by D.
class ExpectedPrecision {
   public:
    ExpectedPrecision(const LabelChances& chances, double times)
        : chances_(chances), times_(times), row_(chances.listed, -1) {}

    // Looks at one draw of a set.
    void turn_to(std::size_t set, std::size_t draw) {
        chance_ = chances_.of(set, draw);
        known_ = 0;
        law_.assign(1, 1.0);
        first_ = 0;
        for (std::size_t d = 0; d < chances_.listed; ++d) {
            if (chance_[d] <= 0.0) continue;
            if (chance_[d] >= 1.0) {
                ++known_;
            } else {
                toss(chance_[d]);
            }
        }
        std::fill(row_.begin(), row_.end(), -1);
        rows_.clear();
    }

    // The mean score; and means[i][class], to which 1 / draws of this draw's are added.
    double look(const PooledList& list, std::size_t set, const Relabelled& tried, const std::int32_t* wanted,
                double* means) {
        for (int more = -1; more <= 1; ++more) means_with(list, more);
        const double as_it_is = mean_[1];
        if (means == nullptr) return as_it_is;
        const double part = 1.0 / static_cast<double>(chances_.draws);
        for (std::size_t i = 0; i < tried.document.size(); ++i) {
            if (!wanted[i] || static_cast<std::size_t>(tried.set[i]) != set) continue;
            const std::int32_t document = tried.document[i], index = list.index[document];
            const std::uint32_t rank = index < 0 ? std::numeric_limits<std::uint32_t>::max() : list.rank[index];
            // Of a document that is not judged only the difference is asked: it comes on top of what is expected.
            const int was_relevant =
                chances_.class_of[document] < 0 ? 0 : chances_.worth[chances_.class_of[document]] > 0.5;
            for (std::size_t c = 0; c < chances_.worth.size(); ++c) {
                const int more = (chances_.worth[c] > 0.5 ? 1 : 0) - was_relevant;
                means[i * chances_.worth.size() + c] +=
                    part * (mean_[more + 1] + static_cast<double>(more) * within(more, rank));
            }
        }
        return as_it_is;
    }

   private:
    static constexpr double nothing = 1e-16;  // a chance that adds nothing to a sum near 1

    // The law with one coin more.
    void toss(double p) {
        law_.push_back(0.0);
        for (std::size_t n = law_.size() - 1; n > 0; --n) law_[n] = law_[n] * (1.0 - p) + law_[n - 1] * p;
        law_[0] *= 1.0 - p;
        while (law_.size() > 1 && law_.back() < nothing) law_.pop_back();
        std::size_t low = 0;
        while (low + 1 < law_.size() && law_[low] < nothing) ++low;
        if (low > 0) {
            law_.erase(law_.begin(), law_.begin() + static_cast<std::ptrdiff_t>(low));
            first_ += low;
        }
    }

    // For each number the chance that the document is relevant and N is the number: one coin is taken out of the law.
    const double* with_document(std::uint32_t document) {
        if (row_[document] < 0) {
            row_[document] = static_cast<std::int64_t>(rows_.size());
            rows_.resize(rows_.size() + law_.size());
            double* const joint = rows_.data() + row_[document];
            const double p = chance_[document], odds = p <= 0.5 ? p / (1.0 - p) : (1.0 - p) / p;
            double last = 0.0;
            if (p <= 0.5) {  // from the chance that the others are one fewer
                for (std::size_t n = 0; n < law_.size(); ++n) {
                    joint[n] = last;
                    last = std::max(0.0, odds * (law_[n] - last));
                }
            } else {  // from the chance that they are as many
                for (std::size_t n = law_.size(); n-- > 0;) {
                    joint[n] = std::max(0.0, law_[n] - last);
                    last = odds * joint[n];
                }
            }
        }
        return rows_.data() + row_[document];
    }

    std::uint32_t depth_for(std::int64_t relevant) const {
        if (relevant <= 0) return 0;
        return static_cast<std::uint32_t>(std::floor(times_ * static_cast<double>(relevant) + 0.9));
    }

    // With so many known relevant documents more, which are not in the list: the mean, and of each number what one
    // within the depth adds, from the highest number down.
    void means_with(const PooledList& list, int more) {
        const std::size_t numbers = law_.size();
        std::vector<double>& added = added_[more + 1];
        std::vector<std::uint32_t>& depth = depth_[more + 1];
        added.assign(numbers + 1, 0.0);
        depth.assign(numbers, 0);
        for (std::size_t n = numbers; n-- > 0;) {
            depth[n] = depth_for(static_cast<std::int64_t>(known_ + first_ + n) + more);
            added[n] = added[n + 1] + (depth[n] > 0 ? law_[n] / depth[n] : 0.0);
        }
        sums_.assign(numbers, 0.0);
        double mean = 0.0, surely = 0.0;
        std::size_t n = 0;
        const auto close = [&](std::uint32_t rank) {  // numbers whose depth ends above a rank
            for (; n < numbers && depth[n] < rank; ++n)
                if (depth[n] > 0) mean += (surely * law_[n] + sums_[n]) / depth[n];
        };
        for (std::size_t i = 0; i < list.document.size() && n < numbers; ++i) {
            close(list.rank[i]);
            const double p = chance_[list.document[i]];
            if (p >= 1.0) {
                surely += 1.0;
            } else if (p > 0.0) {
                const double* const joint = with_document(list.document[i]);
                for (std::size_t at = n; at < numbers; ++at) sums_[at] += joint[at];
            }
        }
        close(std::numeric_limits<std::uint32_t>::max());
        mean_[more + 1] = mean;
    }

    // The sum over numbers whose depth reaches a rank of their chance by their depth.
    double within(int more, std::uint32_t rank) const {
        const std::vector<std::uint32_t>& depth = depth_[more + 1];
        const auto first = std::lower_bound(depth.begin(), depth.end(), rank) - depth.begin();
        return added_[more + 1][first];
    }

    const LabelChances& chances_;
    const double times_;
    const double* chance_ = nullptr;
    std::vector<double> law_;  // of N, from first_ on
    std::size_t first_ = 0, known_ = 0;
    std::vector<std::int64_t> row_;  // of each document in rows_, or -1
    std::vector<double> rows_, sums_;
    double mean_[3] = {};                  // with one relevant document fewer, as it is, and with one more
    std::vector<double> added_[3];         // by number
    std::vector<std::uint32_t> depth_[3];  // by number
};

}  // namespace poolwise
